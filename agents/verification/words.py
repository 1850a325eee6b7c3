"""What an answer claims in words: "most", "hardly anyone", "evenly split", "praise outweighs criticism"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from agents.verification.bins import Side
from agents.verification.shares import WITHIN, among_one_side, sides_named

Amount = Literal["vast", "most", "all", "half", "minority", "few", "hardly", "none"]

#: Lowest and highest share of a side that each amount may be said of; wide, since words are.
RANGES: Final[dict[Amount, tuple[float, float]]] = {
    "all": (0.9, 1.0),
    "vast": (0.7, 1.0),
    "most": (0.45, 1.0),
    "half": (0.35, 0.65),
    "minority": (0.0, 0.55),
    "few": (0.0, 0.4),
    "hardly": (0.0, 0.2),
    "none": (0.0, 0.08),
}
_ONES = r"(?:one|body)"
_PATTERNS: Final[tuple[tuple[Amount, str], ...]] = (
    (
        "hardly",
        rf"(?:hardly|barely|scarcely|almost no|nearly no|next to no|virtually no|practically no)[ -]?"
        rf"(?:any\s?{_ONES}|any|{_ONES})?|(?:almost|nearly|virtually|practically) none|almost never"
        r"|very few|vanishingly few|precious few|a tiny (?:minority|share|fraction|number)",
    ),
    (
        "vast",
        r"(?:the )?(?:vast|overwhelming|great|large|huge|clear) majority|overwhelmingly"
        r"|(?:nearly|almost|virtually|practically) (?:all|every\s?(?:one|body)?|unanimous(?:ly)?)"
        r"|with few exceptions",
    ),
    ("none", rf"no\s?{_ONES}|none|not a single (?:one|person|guest|reviewer|voice)|not one"),
    (
        "few",
        r"(?<!\ba )few(?! exceptions)|only a few|just a few|a handful|rarely|rare|seldom|only some"
        r"|(?:only )?(?:a )?small (?:number|share|group|fraction|part|minority)|only a minority|isolated",
    ),
    (
        "minority",
        r"(?:a |the )?(?:sizeable |sizable |large |significant |vocal )?minority|fewer than half|less than half",
    ),
    (
        "most",
        r"(?<!\bthe )(?<!\bat )(?<!\bits )(?<!one )most(?! (?:\w+(?:able|ible|ful|ous|ive|ant|ent|ic|al)|likely"
        r"|common)\b)"
        r"|(?:the |a )?(?:majority|bulk)|mostly|largely|predominantly|mainly|more than half|over half"
        r"|(?:the )?(?:general )?consensus|the prevailing|by and large",
    ),
    ("most", r"overall|in general|generally|on the whole|widely|commonly"),
    (
        "all",
        r"all|every(?:one|body)?|unanimous(?:ly)?|universally|without exception|to a man|invariably",
    ),
    ("half", r"(?:about |around |roughly |nearly )?half"),
)  # fmt: skip
_AMOUNT: Final = re.compile(
    "|".join(rf"\b(?P<a{i}>{pattern})\b" for i, (_, pattern) in enumerate(_PATTERNS)), re.IGNORECASE
)
#: A number of people beside "overall": then "overall" counts nobody.
_SOME: Final = re.compile(
    r"\b(?:some|several|a few|others?|many|one|two|three|a number of|certain|various|at times|occasionally)\b",
    re.IGNORECASE,
)
_ADVERB: Final = 6
_NOT_ALL: Final = re.compile(r"\b(?:not|at|after|above|first of|of|in|over|for)\s+$", re.IGNORECASE)
_EVEN: Final = re.compile(
    r"\b(?:(?:evenly|equally|roughly evenly|about evenly) (?:split|divided|balanced|mixed)|split down the middle"
    r"|fifty[- ]fifty|50[/:-]50|half and half|split in (?:half|two)|as many (?:people )?(?P<a>[^.;]{2,60}?) as "
    r"(?P<b>[^.;]{2,60}))",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(
    r"\b(?P<times>twice|two times|three times|four times|five times|ten times) as (?:many|much|common)\b(?P<a>.{2,60}?)"
    r"\bas\b(?P<b>.{2,60})",
    re.IGNORECASE,
)
_COUNTS: Final = {"twice": 2, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_MORE: Final = re.compile(
    r"(?P<a>.{2,80}?)\b(?:(?P<by>(?:is|are|was|were) (?:outweighed|outnumbered) by)|outweigh\w*|outnumber\w*"
    r"|exceed\w*|prevails? over|dominates? over|(?:is|are|was|were) (?:far |much |clearly )?more (?:common"
    r"|frequent|numerous|widespread) than)\b(?P<b>.{2,80})",
    re.IGNORECASE,
)
_MORE_THAN: Final = re.compile(
    r"\b(?P<less>fewer|less)?(?P<more>more)? (?:people|guests|reviewers|users|customers|voices|of them)?\s*"
    r"(?P<a>[^.;]{2,60}?) than (?P<b>[^.;]{2,60})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantified:
    """An amount in a clause, and the rest of the clause, which says of what."""

    amount: Amount
    words: str
    rest: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A claim on both sides: ``first`` of ``more`` than the other, by about ``times``; or both ``even``."""

    words: str
    first: Side | None
    times: float = 1.0

    @property
    def even(self) -> bool:
        """Whether both sides are said to be alike."""
        return self.first is None


def quantified(clause: str) -> Quantified | None:
    """Return how many the clause speaks for, or None where it does not say, or speaks of one side only."""
    if among_one_side(clause):
        return None
    for match in _AMOUNT.finditer(clause):
        index = next(i for i in range(len(_PATTERNS)) if match[f"a{i}"] is not None)
        amount = _PATTERNS[index][0]
        before, after = clause[: match.start()], clause[match.end() :]
        if amount == "all" and _NOT_ALL.search(before):
            continue
        if index == _ADVERB and _SOME.search(clause):
            continue
        if index != _ADVERB and amount not in ("few", "hardly", "none") and WITHIN.match(after):
            continue
        return Quantified(amount, match[0], f"{before} {after}")
    return None


def compared(clause: str) -> Compared | None:
    """Return what the clause says of one side against the other, or None."""
    if times := _TIMES.search(clause):
        first, second = _side(times["a"]), _side(times["b"])
        if first and second and first != second:
            return Compared(times[0], first, _COUNTS[times["times"].split()[0].lower()])
    if even := _EVEN.search(clause):
        a, b = (_side(even["a"]), _side(even["b"])) if even["a"] else ("positive", "negative")
        return Compared(even[0], None) if a and b and a != b else None
    for pattern in (_MORE, _MORE_THAN):
        if found := pattern.search(clause):
            groups = found.groupdict()
            if pattern is _MORE_THAN and not (groups["more"] or groups["less"]):
                continue
            first, second = _side(found["a"]), _side(found["b"])
            if first and second and first != second:
                turned = bool(groups.get("by") or groups.get("less"))
                return Compared(found[0].strip(), second if turned else first)
    return None


def outside(amount: Amount, share: float) -> bool:
    """Return whether a share is none that the amount may be said of."""
    low, high = RANGES[amount]
    return not low <= share <= high


def wrong_comparison(claim: Compared, true: Mapping[Side, float]) -> bool:
    """Return whether a comparison contradicts the population; near misses are let pass."""
    up, down = true["positive"], true["negative"]
    if claim.first is None:
        return abs(up - down) > 0.25
    mine, other = (up, down) if claim.first == "positive" else (down, up)
    if claim.times > 1:
        ratio = mine / max(other, 1e-9)
        return not 0.65 * claim.times <= ratio <= 1.6 * claim.times
    return mine < other - 0.05


def _side(text: str) -> Side | None:
    named = [side for side in sides_named(text) if side != "neutral"]
    return named[0] if named else None


__all__ = [
    "RANGES",
    "Amount",
    "Compared",
    "Quantified",
    "compared",
    "outside",
    "quantified",
    "wrong_comparison",
]
