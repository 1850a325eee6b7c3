"""Periods that a question states, as inclusive ISO dates."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

_MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): i for i, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_POINT = (
    rf"(?:(?P<{{p}}iso>{_YEAR}-\d\d(?:-\d\d)?)"
    rf"|(?:(?:the )?(?P<{{p}}day>\d{{{{1,2}}}})(?:st|nd|rd|th)?(?: of)? )?(?P<{{p}}mon>{_MONTH})\.?"
    rf"(?: (?P<{{p}}day2>\d{{{{1,2}}}})(?:st|nd|rd|th)?)?,?(?: of)? (?P<{{p}}myear>{_YEAR})"
    rf"|(?P<{{p}}part>early|mid|late|first half of|second half of|q[1-4]|spring|summer|autumn|fall|winter)[ -](?:of )?(?P<{{p}}pyear>{_YEAR})"
    rf"|(?P<{{p}}dec>{_YEAR[:-4]}\d0)s|(?:the )?(?:year )?(?P<{{p}}year>{_YEAR}))(?![\w-]*\d)"
)
_NUMBERS = {
    "a": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "ten": 10,
    "twelve": 12,
    "couple of": 2,
    "few": 3,
}
_PARTS = {
    "early": (1, 4), "mid": (5, 8), "late": (9, 12), "first half of": (1, 6), "second half of": (7, 12), "q1": (1, 3), "q2": (4, 6),
    "q3": (7, 9), "q4": (10, 12), "spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (1, 2),
}  # fmt: skip
#: Open ends of a period.
EARLIEST, LATEST = "0001-01-01", "9999-12-31"


@dataclass(frozen=True, slots=True)
class Period:
    """A span of days, both ends included; an open end is ``EARLIEST`` or ``LATEST``."""

    start: str
    end: str


def _month_span(year: int, first: int, last: int) -> tuple[date, date]:
    return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])


def _point(match: re.Match[str], prefix: str) -> tuple[date, date] | None:
    group = {k.removeprefix(prefix): v for k, v in match.groupdict().items() if v and k.startswith(prefix)}
    try:
        if iso := group.get("iso"):
            numbers = [int(part) for part in iso.split("-")]
            return (
                (date(*numbers),) * 2
                if len(numbers) == 3
                else _month_span(numbers[0], numbers[1], numbers[1])
            )  # type: ignore[return-value]
        if mon := group.get("mon"):
            year, month = int(group["myear"]), _MONTHS[mon]
            day = group.get("day") or group.get("day2")
            return (date(year, month, int(day)),) * 2 if day else _month_span(year, month, month)  # type: ignore[return-value]
        if part := group.get("part"):
            return _month_span(int(group["pyear"]), *_PARTS[part])
        if decade := group.get("dec"):
            return date(int(decade), 1, 1), date(int(decade) + 9, 12, 31)
        return date(int(group["year"]), 1, 1), date(int(group["year"]), 12, 31)
    except ValueError:  # "31 February 2014", "2014-13"
        return None


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    a, b = _POINT.format(p="a"), _POINT.format(p="b")
    span = rf"\b(?:between|from|during|in)? ?{a} ?(?:and|to|until|till|through|thru|-) ?(?:the end of )?{b}"
    cue = (
        r"\b(?P<cue>since|as of|starting(?: in| from)?|from|after|post|later than|before|prior to|pre|earlier than|until|till|up to|by(?: the end of)?"
        r"|in(?: the)?|during(?: the)?|of|on|for|within|throughout|the|written in|posted in|dated)[ -]"
    )
    single = rf"{cue}{a}(?P<onward> (?:onwards?|and later|or later|and after))?"
    relative = (
        r"\b(?:(?:in|over|during|within|from|since) )?(?:the )?(?P<which>last|past|previous|this|current)"
        r" (?:(?P<n>\d{1,3}|a|one|two|three|four|five|six|ten|twelve|couple of|few) )?(?P<unit>day|week|month|quarter|year)s?\b|\b(?P<word>yesterday|today)\b"
    )
    return re.compile(span), re.compile(single), re.compile(relative)


def _back(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _relative(match: re.Match[str], today: date) -> tuple[date, date]:
    if word := match["word"]:
        day = today - timedelta(days=1) if word == "yesterday" else today
        return day, day
    unit, count = match["unit"], match["n"]
    current = match["which"] in {"this", "current"}
    if count:  # "the last three months": a rolling window that ends today
        n = int(count) if count.isdigit() else _NUMBERS[count]
        start = {
            "day": lambda: today - timedelta(days=n - 1),
            "week": lambda: today - timedelta(days=7 * n - 1),
            "month": lambda: _back(today, n) + timedelta(days=1),
            "quarter": lambda: _back(today, 3 * n) + timedelta(days=1),
            "year": lambda: _back(today, 12 * n) + timedelta(days=1),
        }[unit]()
        return start, today
    if unit == "day":
        return (today, today) if current else (today - timedelta(days=1),) * 2  # type: ignore[return-value]
    if unit == "week":
        monday = today - timedelta(days=today.weekday())
        return (monday, today) if current else (monday - timedelta(days=7), monday - timedelta(days=1))
    if unit == "month":
        day = today if current else _back(today.replace(day=1), 1)
        start, end = _month_span(day.year, day.month, day.month)
    elif unit == "quarter":
        day = today if current else _back(today.replace(day=1), 3)
        first = 3 * ((day.month - 1) // 3) + 1
        start, end = _month_span(day.year, first, first + 2)
    else:
        year = today.year - (0 if current else 1)
        start, end = date(year, 1, 1), date(year, 12, 31)
    return start, min(end, today)


def find_period(text: str, reference: date | None = None) -> tuple[Period | None, str]:
    """Return the period that folded ``text`` states, and the words that state it.

    Parameters
    ----------
    text
        The question, folded (:func:`agents.models.router_text.fold`).
    reference
        The day that "last year" counts from. Without it such words give no period, only the words.

    "After 2013" begins in 2014, "before 2013" ends in 2012, "since", "until" and "by" include the named year.
    """
    span, single, relative = _patterns()
    if match := span.search(text):
        first, last = _point(match, "a"), _point(match, "b")
        if first and last and first[0] <= last[1]:
            return Period(first[0].isoformat(), last[1].isoformat()), match[0].strip()
    if match := single.search(text):
        point = _point(match, "a")
        if point:
            return _open(match["cue"], bool(match["onward"]), *point), match[0].strip()
    if match := relative.search(text):
        if reference is None:
            return None, match[0].strip()
        start, end = _relative(match, reference)
        since = match[0].startswith("since") and not match["n"]
        return Period(start.isoformat(), (reference if since else end).isoformat()), match[0].strip()
    return None, ""


def _open(cue: str, onward: bool, start: date, end: date) -> Period:
    if onward or cue.startswith(("since", "as of", "starting", "from")):
        return Period(start.isoformat(), LATEST)
    if cue in {"after", "post", "later than"}:
        return Period((end + timedelta(days=1)).isoformat(), LATEST)
    if cue in {"before", "prior to", "pre", "earlier than"}:
        return Period(EARLIEST, (start - timedelta(days=1)).isoformat())
    if cue in {"until", "till", "up to"} or cue.startswith("by"):
        return Period(EARLIEST, end.isoformat())
    return Period(start.isoformat(), end.isoformat())


__all__ = ["EARLIEST", "LATEST", "Period", "find_period"]
