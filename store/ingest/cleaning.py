r"""Makes text storable without changing what was said.

NUL is taken out (PostgreSQL refuses it), lone surrogates become U+FFFD, line ends become ``\\n``. Other control
characters stay as they are written: they are data, and whoever shows them neutralises them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
#: How pandas and databases write a missing value.
_MISSING: Final = frozenset(("nan", "NaN", "<NA>", "NULL", "null", "NaT"))
#: What stands for "not said" in any field but the text.
_UNSAID: Final = _MISSING | {
    "",
    "-",
    "--",
    "N/A",
    "n/a",
    "NA",
    "#N/A",
    "None",
    "none",
    "?",
    "unknown",
    "Unknown",
}
#: Longest subject, author key, attribute and id that a database column holds.
MAX_SHORT: Final = 500


def clean_text(text: str, notes: Counter[str]) -> str:
    """Return the text as it is stored, outer white space taken off; counts what was changed."""
    if not text.isascii() or "\x00" in text or "\r" in text:
        if "\x00" in text:
            notes["texts with NUL bytes, taken out"] += 1
            text = text.replace("\x00", "")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if _SURROGATE.search(text):
            notes["texts with half characters (lone surrogates), replaced"] += 1
            text = _SURROGATE.sub("\ufffd", text)
        text = text.strip("\ufeff")
    return text.strip()


def clean_value(value: str, notes: Counter[str]) -> str:
    """Return a field other than the text: cleaned, white space collapsed, "not said" as the empty text."""
    value = clean_text(value, notes)
    return "" if value in _UNSAID else " ".join(value.split()) if not value.isalnum() else value


def shortened(value: str, notes: Counter[str], what: str) -> str:
    """Return at most MAX_SHORT characters of a value; counts it when cut."""
    if len(value) <= MAX_SHORT:
        return value
    notes[f"{what} longer than {MAX_SHORT} characters, cut"] += 1
    return value[:MAX_SHORT]


def says_nothing(text: str) -> bool:
    """Tell whether a text has no visible character, or is how a program writes a missing value."""
    if text in _MISSING or not text:
        return True
    if text[0].isalnum():
        return False
    return all(unicodedata.category(char)[0] in "ZC" for char in text)


__all__ = ["MAX_SHORT", "clean_text", "clean_value", "says_nothing", "shortened"]
