"""Findings on the voices of an answer: which sides are told of, and how strongly, against the population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, cast

from agents.verification.bins import Side, by_side, other_side
from agents.verification.posterior import MOST, judge, reading
from agents.verification.records import Claim, Finding, FindingKind
from agents.verification.shares import sides_named, stated_shares
from agents.verification.text import Sentence, without_quotes

#: A side with less of the population than this may be left out.
MINORITY: Final = 0.10
#: A side with at least this share cannot be called a minority that was merely missed.
_LARGE: Final = 0.30
#: Voices that a side must at least be due before its stated share alone does not speak for it.
_HEARD: Final = 0.7
#: How far the shares of two sides must lie apart before one is the majority.
MARGIN: Final = 0.10
#: So far apart that one voice more on the wrong side turns the answer round.
_CLEAR: Final = 0.40
#: Deviation of a side's share in the answer that is allowed besides one voice more or less.
_SLACK: Final = 0.20


def balance_findings(
    cut: Sequence[Sentence],
    claims: Sequence[Claim],
    unread: int,
    truth: Sequence[float],
    asked: Literal["positive", "negative"] | None,
) -> list[Finding]:
    """Hold the voices of each side against the population; a voice that could not be read may be of any side."""
    true = by_side(truth)
    n = sum(claim.voices for claim in claims)
    if not n:
        return []
    named = {side for s in cut for side in sides_named(without_quotes(s.text)) if stated_shares(s.text)}
    readings = [reading(claim.voices, claim.bin, claim.sure) for claim in claims]
    readings += [reading(1, None, 1.0)] * unread

    def rule(positive: int, negative: int) -> list[tuple[str, str]]:
        told: dict[Side, float] = {"positive": positive, "negative": negative}
        if asked is not None:
            if told[other_side(asked)] > _SLACK * voices + 1:
                return [("one-sided", f"the {asked} side was asked for, and the other one is told")]
            return []
        silent = _silent_sides(told, true, voices, named)
        found = silent + _turned(told, true, voices)
        return found or _far(told, true, voices)

    voices = min(n + unread, MOST)
    return [Finding(cast(FindingKind, kind), text) for kind, text in judge(readings, true, rule)]


def _silent_sides(
    told: Mapping[Side, float], true: Mapping[Side, float], voices: int, named: set[Side]
) -> list[tuple[str, str]]:
    found = []
    sides: tuple[Side, ...] = ("positive", "negative")
    for one in sides:
        due = true[one] * voices
        if told[one] or (one in named and due < _HEARD):
            continue
        share = f"{100 * true[one]:.0f} %"
        if true[one] >= _LARGE and voices >= 2:
            message = f"{share} of the population are {one}, and the answer tells of none"
            found.append(("one-sided", message))
        elif true[one] >= MINORITY and due >= 0.5:
            found.append(("missing minority", f"the {share} who are {one} are missing from the answer"))
    return found


def _turned(told: Mapping[Side, float], true: Mapping[Side, float], voices: int) -> list[tuple[str, str]]:
    lead, told_lead = true["positive"] - true["negative"], told["positive"] - told["negative"]
    if abs(lead) <= MARGIN or lead * told_lead >= 0 or (abs(told_lead) <= 1 and abs(lead) < _CLEAR):
        return []
    side: Side = "positive" if lead > 0 else "negative"
    return [("reversed majority", f"most of the population are {side}, most voices of the answer are not")]


def _far(told: Mapping[Side, float], true: Mapping[Side, float], voices: int) -> list[tuple[str, str]]:
    sides: tuple[Side, ...] = ("positive", "negative")
    return [
        (
            "distribution",
            f"{100 * told[one] / voices:.0f} % of the answer's voices are {one}, {100 * true[one]:.0f} % of the "
            "population",
        )
        for one in sides
        if abs(told[one] / voices - true[one]) > _SLACK + 1 / voices
    ]


__all__ = ["MARGIN", "MINORITY", "balance_findings"]
