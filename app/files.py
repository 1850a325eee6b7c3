"""Writes files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from store.errors import StoreError, UsageError


def write_whole(path: Path, text: str, force: bool = False) -> None:
    """Write text to a file: never half, never over another one unasked.

    Raises
    ------
    UsageError
        The file exists and ``force`` is not given.
    StoreError
        It cannot be written.
    """
    if path.exists() and not force:
        raise UsageError(f"{path} exists already", "name another file, or give --force")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"cannot write {path} ({error.strerror})") from None


__all__ = ["write_whole"]
