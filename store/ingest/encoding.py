"""Finds the character encoding of a file by reading all of it once, in chunks."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from store.errors import IngestError, UsageError
from store.ingest.opening import CHUNK, read_block

#: Longest first: the UTF-16 mark is a prefix of the UTF-32 one.
_MARKS: Final[tuple[tuple[bytes, str], ...]] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNDECODED: Final = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII: Final = re.compile("[^\x00-\x7f\udc80-\udcff]")
#: Bytes that cp1252 leaves undefined: a file that uses them is Latin-1 (or something else).
_NOT_CP1252: Final = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_HIGH: Final = re.compile(rb"[\x80-\xff]")
#: In the Western and most one-byte sets the letters beyond ASCII; below them lie marks such as quotes and dashes.
_HIGH_LETTER: Final = re.compile(rb"[\xc0-\xff]")
_LETTER: Final = re.compile(rb"[A-Za-z\xc0-\xff]")
#: Share of letters beyond ASCII above which a text is in no Western script.
_FOREIGN_SHARE: Final = 0.3
#: Control characters that no text holds in number; a file of random bytes has one in ten.
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_BINARY_SHARE: Final = 0.03
#: A file with this many valid UTF-8 characters for each invalid byte is UTF-8 with some damaged rows.
_MOSTLY_UTF8: Final = 9


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec's name and how it was found (``mark``, ``utf-8``, ``guess`` or ``given``)."""

    name: str
    how: str


def given(name: str) -> Encoding:
    """Check a name that the user gave.

    Raises
    ------
    UsageError
        Python knows no such encoding.
    """
    try:
        "x".encode(name)
    except LookupError as error:
        raise UsageError(
            f"unknown encoding {name!r}", "for example utf-8, utf-16, cp1252, latin-1"
        ) from error
    return Encoding(name, "given")


def detect(file: BinaryIO) -> Encoding:
    """Return the encoding of a stream, which is read to its end (or to where its gzip data are damaged).

    Order: byte order mark; UTF-16 without one (every second byte is zero); UTF-8 that decodes without a fault, or
    with so few that single rows are damaged; cp1252 or Latin-1 for Western text; else charset-normalizer's guess.

    Raises
    ------
    IngestError
        The bytes are those of no text: neither UTF-8 nor UTF-16, and full of control characters.
    """
    first = read_block(file, CHUNK)
    for mark, name in _MARKS:
        if first.startswith(mark):
            return Encoding(name, "mark")
    wide = _unmarked_utf16(first)
    if wide:
        return Encoding(wide, "guess")
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    valid = invalid = 0
    suspicious = b""
    chunk = first
    while chunk:
        text = decoder.decode(chunk)
        if not text.isascii():
            faults = len(_UNDECODED.findall(text))
            invalid += faults
            valid += len(_BEYOND_ASCII.findall(text))
            if faults and len(suspicious) < 4 * CHUNK:
                suspicious += chunk
        chunk = read_block(file, CHUNK)
    invalid += len(_UNDECODED.findall(decoder.decode(b"", final=True)))
    if invalid == 0:
        return Encoding("utf-8", "utf-8")
    if valid >= _MOSTLY_UTF8 * invalid:
        return Encoding("utf-8", "guess")
    controls = len(_CONTROL.findall(first))
    if controls > _BINARY_SHARE * len(first):
        name = Path(getattr(file, "name", "the file")).name
        share = 100 * controls / len(first)
        raise IngestError(
            f"{name} holds no text ({share:.0f} % of its bytes are control characters)",
            "check the file; for text in a rare encoding give --encoding",
        )
    return Encoding(_single_byte(suspicious or first), "guess")


#: What files in other scripts are usually written in; with more to choose from, short texts are often misread.
_SCRIPTS: Final = (
    "cp1251",
    "koi8_r",
    "cp1253",
    "cp1255",
    "cp1256",
    "cp874",
    "shift_jis",
    "euc_jp",
    "gb18030",
    "big5",
    "euc_kr",
)


def _unmarked_utf16(sample: bytes) -> str:
    head = sample[:4096]
    if len(head) < 4:
        return ""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return ""


def _single_byte(sample: bytes) -> str:
    letters = len(_LETTER.findall(sample))
    foreign = len(_HIGH_LETTER.findall(sample)) > _FOREIGN_SHARE * letters
    if foreign or len(_HIGH.findall(sample)) > 0.5 * letters:
        from charset_normalizer import from_bytes

        best = from_bytes(sample[:CHUNK], cp_isolation=list(_SCRIPTS)).best()
        if best is not None:
            return best.encoding.replace("_", "-")
    return "latin-1" if _NOT_CP1252.search(sample) else "cp1252"


def undecoded_bytes(text: str) -> list[int]:
    """Return the bytes of a decoded text that its encoding could not read."""
    return [ord(char) - 0xDC00 for char in _UNDECODED.findall(text)]


_ESCAPED: Final = re.compile(r"\\udc([89a-f][0-9a-f])")


def storable(text: str) -> str:
    r"""Return raw text as a database can hold it: undecoded bytes as ``\udcXX``, NUL as ``\x00``."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")


def redecode(raw: str, was: str, encoding: str) -> str:
    """Decode a stored raw text anew: back to the bytes of the file, then by another encoding.

    Raises
    ------
    UnicodeError
        The bytes cannot be restored, or the new encoding cannot read them.
    """
    escaped = _ESCAPED.sub(lambda match: chr(0xDC00 + int(match.group(1), 16)), raw.replace("\\x00", "\x00"))
    name = "utf-8" if was == "utf-8-sig" else was
    return escaped.encode(name, "surrogateescape").decode(encoding)


__all__ = ["Encoding", "detect", "given", "redecode", "storable", "undecoded_bytes"]
