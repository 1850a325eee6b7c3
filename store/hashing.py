"""The one hash by which texts and rows are recognised."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b


def text_hash(text: str) -> str:
    """Return the BLAKE2b-128 digest of a text's UTF-8 bytes: 32 hexadecimal digits."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def fields_hash(values: Iterable[str]) -> str:
    """Return the BLAKE2b-128 digest of a sequence of texts; moving a character between two of them changes it."""
    framed = "".join([f"{len(value)}:{value}" for value in values])
    return blake2b(framed.encode(), digest_size=16).hexdigest()


__all__ = ["fields_hash", "text_hash"]
