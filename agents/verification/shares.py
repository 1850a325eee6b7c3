"""What an answer states in numbers and in words like "most": shares of sides, to be held against the true ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.verification.bins import Side

_SIDES: dict[Side, str] = {
    "positive": r"positive(?:ly)?|favou?rabl[ey]|happy|satisfied|pleased|prais\w+|liked?|likes|loved?|enjoy\w*|good"
    r"|approv\w+|recommend\w*|complimentary|delighted|impressed|in favou?r|content|enthusias\w+|thrilled|fans?"
    r"|support(?:s|ed|ive|ers?)?|endors\w+|appreciat\w+|rav(?:e|es|ed)|commend\w*|speak(?:s|ing)? (?:well|highly)"
    r"|spoke (?:well|highly)|agree|agreed|welcom\w+|satisfaction|approval",
    "negative": r"negative(?:ly)?|unfavou?rabl[ey]|unhappy|dissatisfied|displeased|complain\w*|critici\w+|critical"
    r"|dislik\w+|hated?|hates|bad|disappoint(?:ed|ing|ment)|disapprov\w+|against|frustrat(?:ed|ing|ion)|annoyed"
    r"|unimpressed|upset|angry|critics?|detractors?|oppos\w+|object(?:s|ed|ions?)|grumbl\w*|unsatisfied|let down"
    r"|regret\w*|reject(?:s|ed)?|speak(?:s|ing)? ill|disagree\w*|dissatisfaction",
    "neutral": r"neutral|mixed|undecided|ambivalent|indifferent",
}
_SIDE = re.compile("|".join(rf"\b(?P<{side}>{words})\b" for side, words in _SIDES.items()), re.I)
_UNLIKE = re.compile(
    r"(?:\b(?:not|never|no|without|hardly|neither)|n['’]t)(?:\s+(?:very|really|at all|particularly|entirely|so|too"
    r"|fully|been|be|any|all that|especially))*\s*$",
    re.I,
)
#: "Of the complaints", "complaints": what is counted is of one side, not everybody.
WITHIN = re.compile(
    r"^\s*(?:of )?(?:the |these |those |all |their |its )*"
    r"(?:(?!them|were|are|was|is|have|had|do|did)\w+ )?(?:complaints?|complainants?|criticisms?|critics?|praise(?! it)"
    r"|fans?|detractors?|supporters?|negative|positive|critical|favou?rable|unfavou?rable|unhappy|happy|dissatisfied"
    r"|satisfied|disappointed|(?:those|people|guests|reviewers|users|customers|ones) who)\b",
    re.I,
)
_NUMBER = re.compile(
    r"(?P<about>\b(?:about|around|roughly|nearly|almost|approximately|some|just over|just under|over|under|circa|~)"
    r"\s*)?(?:(?P<percent>\d{1,3}(?:[.,]\d+)?)\s?(?:%|per ?cent\b)"
    r"|(?P<part>\d{1,4}) (?:out of|in|of)(?: every)? (?P<whole>\d{1,5}|ten|five|four|three)"
    r"(?! (?:voices|quotes|stars))\b"
    r"|(?P<word>two[- ]thirds|(?:one|a)[- ]third|three[- ]quarters|(?:one|a)[- ]quarter|half|four[- ]fifths"
    r"|three[- ]fifths|two[- ]fifths|(?:one|a)[- ]fifth|(?:one|a)[- ]tenth|nine[- ]tenths"
    r"|(?:one|two|three|six|seven|eight|nine) (?:in|out of)(?: every)? ten|(?:one|two|three|four)"
    r" (?:in|out of)(?: every)? five|(?:one|three) (?:in|out of)(?: every)? four"
    r"|(?:one|two) (?:in|out of)(?: every)? three))",
    re.I,
)
_WORDS = {
    "two thirds": 2 / 3, "one third": 1 / 3, "a third": 1 / 3, "three quarters": 0.75, "one quarter": 0.25,
    "a quarter": 0.25, "half": 0.5, "four fifths": 0.8, "three fifths": 0.6, "two fifths": 0.4, "one fifth": 0.2,
    "a fifth": 0.2, "one tenth": 0.1, "a tenth": 0.1, "nine tenths": 0.9, "six in ten": 0.6, "seven in ten": 0.7,
    "eight in ten": 0.8, "three in ten": 0.3, "two in ten": 0.2, "two in five": 0.4, "three in five": 0.6,
    "one in ten": 0.1, "one in five": 0.2, "one in four": 0.25,
    "one in three": 1 / 3, "nine in ten": 0.9, "four in five": 0.8, "three in four": 0.75, "two in three": 2 / 3,
}  # fmt: skip
_WHOLES = {"ten": 10, "five": 5, "four": 4, "three": 3}


@dataclass(frozen=True, slots=True)
class StatedShare:
    """A share in [0, 1] that the answer gives to a side, with the tolerance that its wording allows."""

    side: Side
    share: float
    tolerance: float
    words: str


def stated_shares(sentence: str, samples: tuple[int, ...] = ()) -> list[StatedShare]:
    """Return the shares of sides that ``sentence`` states ("62 % positive", "a third were unhappy").

    A number belongs to the side named behind it, before the next number; where the sides are named first
    ("positive: 62 %") to the one before it. A number beside no side is not a share of a side and is left alone. Numbers
    out of one of ``samples`` (the documents given) are held to what so few can show.
    """
    numbers = list(_NUMBER.finditer(sentence))
    if not numbers or among_one_side(sentence):
        return []
    tail = sentence[numbers[-1].end() :]
    side_first = _SIDE.search(sentence[: numbers[0].start()]) is not None and _SIDE.search(tail) is None
    found = []
    for i, number in enumerate(numbers):
        before = sentence[(numbers[i - 1].end() if i else 0) : number.start()]
        after = sentence[number.end() : (numbers[i + 1].start() if i + 1 < len(numbers) else len(sentence))]
        if after.lstrip().startswith("of") and WITHIN.match(after):
            continue
        side = _last_side(before) if side_first else _first_side(after)
        if side is not None:
            share, tolerance = _value(number, samples)
            found.append(StatedShare(side, share, tolerance, number[0].strip()))
    return found


def among_one_side(sentence: str) -> bool:
    """Return whether the sentence begins by speaking of one side only ("Of those who complained, half ...")."""
    start = re.match(r"\W*(?:of|among|amongst)\b", sentence, re.I)
    return start is not None and WITHIN.match(sentence[start.end() :]) is not None


def _value(number: re.Match[str], samples: tuple[int, ...]) -> tuple[float, float]:
    """Share and tolerance: rounding to whole per cent, five points where the words say "about"."""
    loose = 0.05 if number["about"] else 0.015
    if number["percent"]:
        return float(number["percent"].replace(",", ".")) / 100, loose
    if number["part"]:
        whole = int(number["whole"]) if number["whole"].isdigit() else _WHOLES[number["whole"].lower()]
        if whole in samples:
            return int(number["part"]) / max(whole, 1), max(1.2 / whole, loose)
        small = whole <= 10
        return int(number["part"]) / max(whole, 1), 0.6 / whole if small else loose
    word = re.sub(r" out of(?: every)?| in every", " in", number["word"].lower().replace("-", " "))
    return _WORDS[word], 0.08


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


__all__ = ["WITHIN", "StatedShare", "among_one_side", "sides_named", "stated_shares"]
