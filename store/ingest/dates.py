"""Dates as reviews write them become ISO 8601; day-month order is decided once a source."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final, Literal

DateOrder = Literal["dmy", "mdy"]

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?\Z")
_COMPACT: Final = re.compile(r"(\d{4})(\d{2})(\d{2})\Z")
_NUMERIC: Final = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?:[T ,].*)?\Z")
_MONTH_FIRST: Final = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?:\b.*)?\Z")
_DAY_FIRST: Final = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?([A-Za-z]{3,9})\.?,?[\s-]+(\d{4})(?:\b.*)?\Z"
)
_MONTH_ONLY: Final = re.compile(r"([A-Za-z]{3,9})\.?,?\s+(\d{4})\Z")
_YEAR_MONTH: Final = re.compile(r"(\d{4})-(\d{1,2})\Z")
_C_TIME: Final = re.compile(r"[A-Za-z]{3} ([A-Za-z]{3}) +(\d{1,2}) [\d:]+(?: \S+)? (\d{4})\Z")
_WEEKDAY: Final = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+", re.IGNORECASE)
_EPOCH: Final = re.compile(r"\d{9,10}(?:\.\d+)?\Z|\d{12,13}\Z")
_EARLIEST: Final = 1900


@lru_cache(maxsize=1 << 16)
def parse_date(value: str, order: DateOrder = "mdy") -> str:
    """Return ``YYYY-MM-DD``, or an empty text for what is no date.

    A month without a day gives its first day. Seconds and milliseconds since 1970 are read; 1970-01-01 itself, which
    is what an empty timestamp becomes, is no date. Years before 1900 and dates beyond tomorrow are none either.
    """
    text = value.strip()
    if not text or len(text) > 60:
        return ""
    if match := _ISO.match(text):
        return _iso(int(match[1]), int(match[2]), int(match[3]))
    if _EPOCH.match(text):
        return _epoch(float(text))
    if match := _COMPACT.match(text):
        return _iso(int(match[1]), int(match[2]), int(match[3]))
    if match := _NUMERIC.match(text):
        first, second, year = int(match[1]), int(match[2]), _four_digits(match[3])
        day, month = (first, second) if order == "dmy" else (second, first)
        return _iso(year, month, day) or _iso(year, day, month)
    if match := _C_TIME.match(text):
        return _iso(int(match[3]), _month(match[1]), int(match[2]))
    text = _WEEKDAY.sub("", text, count=1)
    if match := _MONTH_FIRST.match(text):
        return _iso(int(match[3]), _month(match[1]), int(match[2]))
    if match := _DAY_FIRST.match(text):
        return _iso(int(match[3]), _month(match[2]), int(match[1]))
    if match := _MONTH_ONLY.match(text):
        return _iso(int(match[2]), _month(match[1]), 1)
    if match := _YEAR_MONTH.match(text):
        return _iso(int(match[1]), int(match[2]), 1)
    return ""


def guess_order(values: Iterable[str]) -> tuple[DateOrder, bool]:
    """Return the day-month order of numeric dates, and whether any value settles it.

    A first number above 12 settles day first, a second one month first; when both or neither occur the majority,
    else month first.
    """
    day_first = month_first = numeric = 0
    for value in values:
        if match := _NUMERIC.match(value.strip()):
            numeric += 1
            day_first += int(match[1]) > 12
            month_first += int(match[2]) > 12
    order: DateOrder = "dmy" if day_first > month_first else "mdy"
    return order, numeric == 0 or day_first != month_first


def looks_like_date(value: str) -> bool:
    """Tell whether a text is a written date (a bare number is not)."""
    return not value.strip().isdigit() and bool(parse_date(value))


def _month(name: str) -> int:
    short = name[:3].lower()
    return _MONTHS.index(short) + 1 if short in _MONTHS else 0


def _four_digits(year: str) -> int:
    number = int(year)
    if len(year) == 4:
        return number
    return 2000 + number if number < 70 else 1900 + number


def _iso(year: int, month: int, day: int) -> str:
    try:
        found = date(year, month, day)
    except ValueError:
        return ""
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    if year < _EARLIEST or found > tomorrow or found == date(1970, 1, 1):
        return ""
    return found.isoformat()


def _epoch(seconds: float) -> str:
    if seconds >= 1e11:
        seconds /= 1000
    found = datetime.fromtimestamp(seconds, UTC).date()
    return _iso(found.year, found.month, found.day)


__all__ = ["DateOrder", "guess_order", "looks_like_date", "parse_date"]
