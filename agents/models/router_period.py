"""Periods that a question states, as inclusive ISO dates."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

#: Open ends of a period.
EARLIEST, LATEST = "0001-01-01", "9999-12-31"

_Span = tuple[date, date]
_MONTHS = {
    name.lower(): i
    for names in (calendar.month_name, calendar.month_abbr)
    for i, name in enumerate(names)
    if name
}
_MONTHS |= {"sept": 9}
_YEAR = r"(?:19|20)\d\d"
_PARTS = {
    "early": (1, 4), "mid": (5, 8), "late": (9, 12), "first half of": (1, 6), "second half of": (7, 12),
    "q1": (1, 3), "q2": (4, 6), "q3": (7, 9), "q4": (10, 12),
    "spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11),
}  # fmt: skip
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12}
_NUMBERS |= {"couple of": 2, "few": 3}
_TO = r"(?:and|to|until|till|through|thru|-)"
_ONWARD = r"(?P<onward> (?:onwards?|and later|or later|and after))?"
#: When people were born is no period of what they wrote.
_BORN = re.compile(
    r"\bborn (?:in|before|after|since|between|during|around|on) (?:the )?\S+(?: (?:and|to) \S+)?"
)
_WRITTEN = r"(?:reviews?|comments?|posts?|opinions?|ratings?|feedback|answers?|responses?|complaints?)"


@dataclass(frozen=True, slots=True)
class Period:
    """A span of days, both ends included; an open end is ``EARLIEST`` or ``LATEST``."""

    start: str
    end: str


def _point_pattern(p: str, end: str = r"(?![\d%]|-\d|\.\d)") -> str:
    """Return the pattern of a day, month, part of a year, year or decade; group names begin with ``p``."""
    month = "|".join(sorted(_MONTHS, key=len, reverse=True))
    part = "|".join(sorted(_PARTS, key=len, reverse=True))
    return (
        rf"(?:(?P<{p}iso>{_YEAR}-\d\d(?:-\d\d)?)"
        rf"|(?:(?:the )?(?P<{p}day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<{p}mon>{month})\.?"
        rf"(?: (?P<{p}day2>\d{{1,2}})(?:st|nd|rd|th)?)?,?(?: of)?(?: (?P<{p}myear>{_YEAR}))?"
        rf"|(?:the )?(?P<{p}part>{part})[ -](?:of )?(?P<{p}pyear>{_YEAR})"
        rf"|(?:the )?(?P<{p}dec>(?:19|20)\d0)'?s|(?:the )?(?:year )?(?P<{p}year>{_YEAR})){end}"
    )


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    a, b = _point_pattern("a"), _point_pattern("b")
    opening = _point_pattern("a", r"(?![\d%]|\.\d)")
    counted = r"(?! (?:people|guests|reviewers|customers|users|respondents|participants|students|patients)\b)"
    cue = (
        r"\b(?P<cue>since|as of|starting(?: in| from)?|from|after|post|later than|before|prior to|pre|earlier than"
        r"|until|till|up to|by(?: the end of)?|in|during|of|on|for|within|throughout|dated|around)[ -]"
    )
    relative = (
        r"\b(?:(?:in|over|during|within|from|since) )?(?:the )?(?P<which>last|past|previous|this|current)"
        r" (?:(?P<n>\d{1,3}|a|one|two|three|four|five|six|ten|twelve|couple of|few) )?"
        r"(?P<unit>day|week|month|quarter|year)s?\b|\b(?P<word>yesterday|today)\b"
    )
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"\b(?:between |from |during |in |the )*{opening} ?{_TO} ?(?:the end of )?{b}",
            rf"{cue}(?:the (?:end|beginning) of )?{a}{counted}{_ONWARD}",
            rf"\b(?:the )?{a} {_WRITTEN}\b",
            relative,
        )
    )


def _month_span(year: int, first: int, last: int) -> _Span:
    return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])


def _point(match: re.Match[str], prefix: str, year: int | None = None) -> _Span | None:
    """Return the days that a matched point covers; ``year`` fills in for "January" alone. None if no such day."""
    got = {k.removeprefix(prefix): v for k, v in match.groupdict().items() if v and k.startswith(prefix)}
    try:
        if iso := got.get("iso"):
            numbers = [int(part) for part in iso.split("-")]
            if len(numbers) == 3:
                day = date(*numbers)
                return day, day
            return _month_span(numbers[0], numbers[1], numbers[1])
        if mon := got.get("mon"):
            of_year = int(got["myear"]) if "myear" in got else year
            if of_year is None:
                return None
            if number := got.get("day") or got.get("day2"):
                day = date(of_year, _MONTHS[mon], int(number))
                return day, day
            return _month_span(of_year, _MONTHS[mon], _MONTHS[mon])
        if part := got.get("part"):
            return _month_span(int(got["pyear"]), *_PARTS[part])
        if decade := got.get("dec"):
            return date(int(decade), 1, 1), date(int(decade) + 9, 12, 31)
        return date(int(got["year"]), 1, 1), date(int(got["year"]), 12, 31)
    except ValueError:  # "31 February 2014", "2014-13"
        return None


def _back(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _relative(match: re.Match[str], today: date) -> _Span:
    if word := match["word"]:
        day = today - timedelta(days=1) if word == "yesterday" else today
        return day, day
    unit, current = match["unit"], match["which"] in {"this", "current"}
    months = {"month": 1, "quarter": 3, "year": 12}.get(unit, 0)
    days = {"day": 1, "week": 7}.get(unit, 0)
    if (count := match["n"]) or match["which"] == "past":  # "the last three months": a window that ends today
        n = int(count) if count and count.isdigit() else _NUMBERS[count or "one"]
        start = (
            _back(today, n * months) + timedelta(days=1) if months else today - timedelta(days=n * days - 1)
        )
        return start, today
    if days:  # a calendar day, or a week from Monday
        start = today - timedelta(days=today.weekday() if days == 7 else 0)
        return (start, today) if current else (start - timedelta(days=days), start - timedelta(days=1))
    day = today if current else _back(today.replace(day=1), months)
    first = months * ((day.month - 1) // months) + 1
    start, end = _month_span(day.year, first, first + months - 1)
    return start, min(end, today)


def find_period(text: str, reference: date | None = None) -> tuple[Period | None, str]:
    """Return the period that ``text`` states, and the words that state it ("" when it states none).

    Parameters
    ----------
    text
        The question, folded (:func:`agents.models.router_text.fold`).
    reference
        The day that "last year" counts from. Without it such words give no period, only the words.

    "After 2013" begins in 2014, "before 2013" ends in 2012; "since", "until" and "by" include the named year.
    "Last year" is the calendar year before, "the last three months" and "the past year" end on the reference day.
    """
    text = _BORN.sub("born", text)
    span, single, bare, relative = _patterns()
    if match := span.search(text):
        last = _point(match, "b")
        first = _point(match, "a", last[0].year if last else None)
        if first and last and first[0] <= last[1]:
            return Period(first[0].isoformat(), last[1].isoformat()), match[0].strip()
    for match in single.finditer(text):
        if point := _point(match, "a"):
            return _open(match["cue"], bool(match["onward"]), *point), match[0].strip()
    if (match := bare.search(text)) and (point := _point(match, "a")):
        return Period(point[0].isoformat(), point[1].isoformat()), match[0].strip()
    if match := relative.search(text):
        if reference is None:
            return None, match[0].strip()
        start, end = _relative(match, reference)
        since = match[0].startswith("since") and not match["n"]
        return Period(start.isoformat(), LATEST if since else end.isoformat()), match[0].strip()
    return None, ""


def _open(cue: str, onward: bool, start: date, end: date) -> Period:
    if onward or cue.startswith(("since", "as of", "starting")):
        return Period(start.isoformat(), LATEST)
    if cue in {"after", "post", "later than"}:
        return Period((end + timedelta(days=1)).isoformat(), LATEST)
    if cue in {"before", "prior to", "pre", "earlier than"}:
        return Period(EARLIEST, (start - timedelta(days=1)).isoformat())
    if cue in {"until", "till", "up to"} or cue.startswith("by"):
        return Period(EARLIEST, end.isoformat())
    return Period(start.isoformat(), end.isoformat())


__all__ = ["EARLIEST", "LATEST", "Period", "find_period"]
