"""The rating that a question states: "5 star reviews", "rated 1", "below 3 stars", "rated the breakfast 1"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.models.router_text import fold

_WORDS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip
_N: Final = r"(?:\d{1,3}(?:\.\d+)?|" + "|".join(_WORDS) + ")"
_BELOW: Final = r"below|under|less than|fewer than|lower than|worse than"
_ABOVE: Final = r"above|over|more than|higher than|better than"
_MOST: Final = r"at most|up to|no more than|maximum(?: of)?"
_LEAST: Final = r"at least|no less than|minimum(?: of)?"
_BOUND: Final = rf"(?:(?P<bound>{_BELOW}|{_ABOVE}|{_MOST}|{_LEAST}|exactly|only|just)\s+)?(?:a\s+|an\s+)?"
_TAIL: Final = (
    r"(?P<tail>\s*\+|\s+(?:stars?\s+|points?\s+)?(?:or|and)\s+(?:more|above|up|over|higher|better|greater"
    r"|less|fewer|below|under|lower|worse|down))?"
)
_OR_SO: Final = (
    r"(?:or|and)\s+(?:more|above|up|over|higher|better|greater|less|fewer|below|under|lower|worse)"
)
_RANGE: Final = rf"(?:(?:between|from)\s+)?(?P<low>{_N})(?:\s*(?:-|to|and|or)\s*(?P<high>{_N}))?"
_OUT_OF: Final = rf"(?:\s*(?:/|out\s+of)\s*{_N}\b)?"
#: "5 star", "1-2 stars", "below 3 stars", "4 stars or more".
_STARS: Final = re.compile(rf"\b{_BOUND}{_RANGE}(?P<plus>\s*\+|\s+{_OR_SO})?\s*-?\s*stars?\b{_TAIL}")
#: "rated 1", "a rating of 2 or less", "scored below 3", "gave it a 4".
_RATED: Final = re.compile(
    r"\b(?:rated|rating|ratings|scored?|scores|gave\s+(?:it|them|this|him|her)?)"
    rf"(?:\s+(?:of|is|was|are|were|it|them|as|with|a|at))*\s+{_BOUND}{_RANGE}\b{_OUT_OF}(?!\s*(?:reasons?|times|days|%|percent))"
    rf"{_TAIL}"
)
#: "rated the breakfast 1", "gave the staff a 4": the thing stands between the verb and the rating, which ends the
#: clause: "rated the two rooms" and "gave the staff 5 minutes" state none.
_RATED_THING: Final = re.compile(
    r"\b(?:rated?|rates|rating|scored?|scores|gave|gives?|giving)\s+"
    r"(?!(?:rooms?|floors?|gates?|terminals?|flights?)\b)"
    rf"(?:(?!(?:in|on|at|after|before|since|during|for|by|than|as|over|from|when|{_N}|every|most|all)\b)[a-z'&-]+\s+){{1,5}}?"
    rf"(?:(?:as|at|with)\s+)?{_BOUND}{_RANGE}\b{_OUT_OF}{_TAIL}"
    r"(?=\s*(?:$|[?.!,;)]|(?:and|or|in|from|during|since|by|among|who|points?)\b))"
)
#: "Gave 10 out of 10", "gave a 4.", "gave less than 3": nothing else may follow that could be given.
_GAVE: Final = re.compile(
    rf"\b(?:gave|giving|give)\s+{_BOUND}{_RANGE}(?:\s*(?:/|out\s+of)\s*{_N}\b|\s+points?\b|(?=\s*(?:$|[?.!,;)]))){_TAIL}"
)
#: Of things that have stars themselves.
_OF_THING: Final = re.compile(r"\s*(?:hotels?|restaurants?|resorts?|general|michelin)\b")


@dataclass(frozen=True, slots=True)
class RatingRange:
    """Ratings that a question restricts to, on the corpus' own scale.

    Attributes
    ----------
    low, high
        Bounds; None where there is none.
    low_open, high_open
        Whether the bound itself is left out ("below 3").
    phrase
        The question's words.
    """

    low: float | None
    high: float | None
    low_open: bool = False
    high_open: bool = False
    phrase: str = ""

    @property
    def value(self) -> str:
        """The range as one reads and stores it: ``5``, ``>= 4``, ``< 3``, ``2..4``."""
        if self.low is not None and self.high is not None:
            return f"{self.low:g}" if self.low == self.high else f"{self.low:g}..{self.high:g}"
        if self.low is not None:
            return f"{'>' if self.low_open else '>='} {self.low:g}"
        return f"{'<' if self.high_open else '<='} {self.high:g}"


def find_rating(question: str) -> RatingRange | None:
    """Return the rating that ``question`` restricts to, or None; the first one counts."""
    text = fold(question[:2000])
    for pattern in (_STARS, _RATED, _GAVE, _RATED_THING):
        for match in pattern.finditer(text):
            if pattern is _STARS and _OF_THING.match(text, match.end()):
                continue
            return _range(match)
    return None


def _range(match: re.Match[str]) -> RatingRange:
    low = _number(match["low"])
    bound, tail, phrase = match["bound"] or "", match["tail"] or "", match[0].strip()
    tail = tail or match.groupdict().get("plus") or ""
    if match["high"]:
        a, b = sorted((low, _number(match["high"])))
        return RatingRange(a, b, phrase=phrase)
    if re.fullmatch(_BELOW, bound):
        return RatingRange(None, low, high_open=True, phrase=phrase)
    if re.fullmatch(_ABOVE, bound):
        return RatingRange(low, None, low_open=True, phrase=phrase)
    if re.fullmatch(_MOST, bound) or re.search(r"less|fewer|below|under|lower|worse|down", tail):
        return RatingRange(None, low, phrase=phrase)
    if re.fullmatch(_LEAST, bound) or tail:
        return RatingRange(low, None, phrase=phrase)
    return RatingRange(low, low, phrase=phrase)


def parse_value(value: str) -> RatingRange:
    """Read what ``RatingRange.value`` wrote.

    Raises
    ------
    ValueError
        It is no such text.
    """
    match = re.fullmatch(r"(?:(>=?|<=?)\s*)?(-?[\d.]+)(?:\.\.(-?[\d.]+))?", value)
    if match is None:
        raise ValueError(f"no range of ratings: {value!r}")
    sign = match[1] or ""
    first, _, last = value.partition("..")
    if last:
        return RatingRange(float(first), float(last))
    number = float(match[2])
    if sign.startswith(">"):
        return RatingRange(number, None, low_open=sign == ">")
    if sign.startswith("<"):
        return RatingRange(None, number, high_open=sign == "<")
    return RatingRange(number, number)


def _number(text: str) -> float:
    return float(_WORDS[text]) if text in _WORDS else float(text)


__all__ = ["RatingRange", "find_rating", "parse_value"]
