"""Decoded physical lines of a text file, none of them longer than a row may be."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from store.ingest.encoding import Encoding, undecoded_bytes
from store.ingest.opening import ByteSource
from store.ingest.rows import KEPT_OF_OVERLONG, MAX_ROW_CHARS

OVERLONG_REASON = f"the row is longer than {MAX_ROW_CHARS // 1024 // 1024} million characters"


class Overlong(str):
    """The beginning of a line that is longer than a row may be; its remainder was passed over."""

    __slots__ = ()


def open_text(encoding: Encoding, binary: BinaryIO) -> io.TextIOWrapper:
    """Decode a byte stream; bytes that the encoding cannot read become lone surrogates (or U+FFFD in UTF-16/32)."""
    wide = encoding.name.startswith(("utf-16", "utf-32"))
    errors = "replace" if wide else "surrogateescape"
    return io.TextIOWrapper(binary, encoding=encoding.name, errors=errors, newline="")


def lines(source: ByteSource, encoding: Encoding, notes: Counter[str]) -> Iterator[str]:
    r"""Yield lines with their ends (``\\n``, ``\\r\\n`` or ``\\r``), NUL bytes taken out and counted in ``notes``."""
    with source.open() as binary, open_text(encoding, binary) as text:
        first = True
        while line := text.readline(MAX_ROW_CHARS):
            if first:
                line, first = line.removeprefix("\ufeff"), False
            if len(line) >= MAX_ROW_CHARS and not line.endswith(("\n", "\r")):
                while (rest := text.readline(MAX_ROW_CHARS)) and not rest.endswith(("\n", "\r")):
                    pass
                yield Overlong(line[:KEPT_OF_OVERLONG])
                continue
            if "\x00" in line:
                notes["rows with NUL bytes, taken out"] += 1
                line = line.replace("\x00", "")
            yield line


def undecoded_reason(text: str, encoding: str) -> str:
    """Return why a row's bytes cannot be read, or an empty text when they can."""
    if text.isascii():
        return ""
    found = undecoded_bytes(text)
    if not found:
        return ""
    shown = ", ".join(f"0x{byte:02x}" for byte in found[:3])
    return f"not valid {encoding}: byte {shown}"


__all__ = ["OVERLONG_REASON", "Overlong", "lines", "open_text", "undecoded_reason"]
