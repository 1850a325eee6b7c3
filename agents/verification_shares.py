"""What an answer states in numbers and in words like "most": shares of sides, to be held against the true ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Side = Literal["positive", "negative", "neutral"]

_SIDES: dict[Side, str] = {
    "positive": r"positive(?:ly)?|favou?rabl[ey]|happy|satisfied|pleased|prais\w+|liked?|likes|loved?|enjoy\w*|good"
    r"|approv\w+|recommend\w*|complimentary|delighted|impressed|in favou?r",
    "negative": r"negative(?:ly)?|unfavou?rabl[ey]|unhappy|dissatisfied|displeased|complain\w*|critici\w+|critical"
    r"|dislik\w+|hated?|hates|bad|disappointed|disapprov\w+|against|frustrated|annoyed|unimpressed",
    "neutral": r"neutral|mixed|undecided|ambivalent|indifferent",
}
_SIDE = re.compile("|".join(rf"\b(?P<{side}>{words})\b" for side, words in _SIDES.items()), re.I)
_UNLIKE = re.compile(r"\b(?:not|n't|never|no)\b\s*$|n't\s*$", re.I)
_NUMBER = re.compile(
    r"(?P<about>\b(?:about|around|roughly|nearly|almost|approximately|some|just over|just under|over|under|circa|~)"
    r"\s*)?(?:(?P<percent>\d{1,3}(?:[.,]\d+)?)\s?(?:%|per ?cent\b)"
    r"|(?P<part>\d{1,4}) (?:out of|in|of)(?: every)? (?P<whole>\d{1,5}|ten|five|four|three)"
    r"(?! (?:voices|quotes|stars))\b"
    r"|(?P<word>two[- ]thirds|(?:one|a)[- ]third|three[- ]quarters|(?:one|a)[- ]quarter|half|four[- ]fifths"
    r"|one in (?:ten|five|four|three)|nine in ten|four in five|three in four|two in three))",
    re.I,
)
_WORDS = {
    "two thirds": 2 / 3, "one third": 1 / 3, "a third": 1 / 3, "three quarters": 0.75, "one quarter": 0.25,
    "a quarter": 0.25, "half": 0.5, "four fifths": 0.8, "one in ten": 0.1, "one in five": 0.2, "one in four": 0.25,
    "one in three": 1 / 3, "nine in ten": 0.9, "four in five": 0.8, "three in four": 0.75, "two in three": 2 / 3,
}  # fmt: skip
_WHOLES = {"ten": 10, "five": 5, "four": 4, "three": 3}
_MOST = re.compile(
    r"\b(?:most|majority|mostly|largely|overwhelming(?:ly)?|predominantly|mainly|nearly all|almost all|nearly every\w*"
    r"|almost every\w*|overall|in general|generally|by and large|on the whole|widely|the vast)\b",
    re.I,
)
_ALL = re.compile(
    r"\b(?:all|every|everyone|everybody|unanimous(?:ly)?|universally|without exception|nobody|no one|none)\b",
    re.I,
)
_FEW = re.compile(
    r"\b(?:few|a minority|minority|a handful|rarely|hardly any\w*|only some|only a few|small number|small share)\b",
    re.I,
)
_NOT_ALL = re.compile(r"\b(?:nearly|almost|not|at|after|above|first of|of)\s+$", re.I)


@dataclass(frozen=True, slots=True)
class StatedShare:
    """A share in [0, 1] that the answer gives to a side, with the tolerance that its wording allows."""

    side: Side
    share: float
    tolerance: float
    words: str


Quantity = Literal["most", "all", "few"]


def stated_shares(sentence: str) -> list[StatedShare]:
    """Return the shares of sides that ``sentence`` states ("62 % positive", "a third were unhappy").

    A number belongs to the side named behind it, before the next number; where the sides are named first
    ("positive: 62 %") to the one before it. A number beside no side is not a share of a side and is left alone.
    """
    numbers = list(_NUMBER.finditer(sentence))
    if not numbers:
        return []
    tail = sentence[numbers[-1].end() :]
    side_first = _SIDE.search(sentence[: numbers[0].start()]) is not None and _SIDE.search(tail) is None
    found = []
    for i, number in enumerate(numbers):
        before = sentence[(numbers[i - 1].end() if i else 0) : number.start()]
        after = sentence[number.end() : (numbers[i + 1].start() if i + 1 < len(numbers) else len(sentence))]
        side = _last_side(before) if side_first else _first_side(after)
        if side is not None:
            share, tolerance = _value(number)
            found.append(StatedShare(side, share, tolerance, number[0].strip()))
    return found


def _value(number: re.Match[str]) -> tuple[float, float]:
    """Share and tolerance: rounding to whole per cent, five points where the words say "about"."""
    loose = 0.05 if number["about"] else 0.015
    if number["percent"]:
        return float(number["percent"].replace(",", ".")) / 100, loose
    if number["part"]:
        whole = int(number["whole"]) if number["whole"].isdigit() else _WHOLES[number["whole"].lower()]
        small = whole <= 10
        return int(number["part"]) / max(whole, 1), 0.6 / whole if small else loose
    return _WORDS[number["word"].lower().replace("-", " ")], 0.08


def _first_side(text: str) -> Side | None:
    match = _SIDE.search(text)
    return _side_of(match, text) if match else None


def _last_side(text: str) -> Side | None:
    matches = list(_SIDE.finditer(text))
    return _side_of(matches[-1], text) if matches else None


def _side_of(match: re.Match[str], text: str) -> Side:
    side: Side = next(name for name in _SIDES if match[name])
    if side != "neutral" and _UNLIKE.search(text[: match.start()]):
        return "negative" if side == "positive" else "positive"
    return side


def sides_named(sentence: str) -> Iterator[Side]:
    """Yield the sides that ``sentence`` names in so many words."""
    for match in _SIDE.finditer(sentence):
        yield _side_of(match, sentence)


def quantity(clause: str) -> Quantity | None:
    """Return how many the clause speaks for: ``most``, ``all``, ``few``, or None where it does not say."""
    if _FEW.search(clause):
        return "few"
    if _MOST.search(clause):
        return "most"
    if any(not _NOT_ALL.search(clause[: match.start()]) for match in _ALL.finditer(clause)):
        return "all"
    return None


__all__ = ["Quantity", "Side", "StatedShare", "quantity", "sides_named", "stated_shares"]
