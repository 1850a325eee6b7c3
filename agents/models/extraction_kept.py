"""Verified results kept by text, so that no text is paid for twice."""

from __future__ import annotations

import hashlib

from agents.models.cache import Cache
from agents.models.extraction_schema import Verified, pack, unpack


class KeptResults:
    """The results of one version of the extractor with one registry.

    Parameters
    ----------
    cache
        Where they are kept, beside those of other versions and registries.
    version, registry
        What besides its text a result depends on.
    """

    def __init__(self, cache: Cache, version: str, registry: str) -> None:
        self._cache = cache
        self._digest = _sha(version, registry)

    def key(self, text: str) -> str:
        """Return the key of a document's text."""
        return _sha(self._digest, text)

    def get(self, key: str, text: str) -> Verified | None:
        """Return what is known of the text, or None."""
        value = self._cache.get(key)
        return unpack(value, text) if value is not None else None

    def put(self, key: str, result: Verified) -> None:
        """Keep a result."""
        self._cache.put(key, pack(result))


def _sha(first: str, second: str) -> str:
    return hashlib.sha256(f"{first}\n{second}".encode("utf-8", "replace")).hexdigest()


__all__ = ["KeptResults"]
