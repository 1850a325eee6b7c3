"""The question router: a fact, a view, both, or a count; and what the question restricts.

Factual questions converge on an answer, opinion questions preserve the distribution of views (O-RAG section 3).
The router is rules over folded text, with no model and no work at import; it takes about a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from agents.models.router_asks import Count, Side, counted, side_of
from agents.models.router_groups import find_groups
from agents.models.router_match import GroupFilter, match_groups
from agents.models.router_period import Period, find_period
from agents.models.router_rules import judge
from agents.models.router_subjects import SubjectMatcher, match_subjects
from agents.models.router_text import Clause, clauses, fold, spoken

Kind = Literal["factual", "opinion", "both", "counting"]

#: A clause below this confidence does not make a question "both".
_SURE = 0.7
#: Characters of a question that are read.
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Route:
    """Where a question goes, and the limits it states.

    Attributes
    ----------
    kind
        ``factual`` (one verifiable answer), ``opinion`` (what people think), ``both``, or ``counting`` (a number
        or share of the corpus, answered from SQL).
    confidence
        In [0.5, 1]: how far the winning evidence is ahead.
    reason
        One line for the receipt: the words that decided.
    side
        The one side that is asked for ("complaints"), or None for all.
    period
        Stated period, both ends included, or None.
    groups
        Author-group phrases as the question words them; :func:`match_groups` ties them to a corpus.
    count
        ``number`` or ``share`` for counting questions, else None.
    """

    kind: Kind
    confidence: float
    reason: str
    side: Side | None = None
    period: Period | None = None
    groups: tuple[str, ...] = ()
    count: Count | None = None


class QuestionRouter:
    """Routes questions by rules that hold in any domain.

    Parameters
    ----------
    reference
        The day that "last year" counts from; without it such words leave ``period`` empty, and ``reason`` says so.
    """

    def __init__(self, reference: date | None = None) -> None:
        self._reference = reference

    def route(self, question: str, *, reference: date | None = None, names: Sequence[str] = ()) -> Route:
        """Return the route of ``question``; an empty one is factual with confidence 0.5. Never raises.

        Parameters
        ----------
        question
            As typed; the first 2,000 characters are read.
        reference
            Overrides the router's reference day.
        names
            Names in the question (subjects, entities) whose words must not count as judgements: "Comfort Inn".
        """
        question = question[:_LONGEST]
        parts = clauses(*spoken(question, names))
        if not parts:
            return Route("factual", 0.5, "empty question")
        groups = find_groups(question)
        kind, confidence, reason, count, views = _decide(parts, groups=bool(groups))
        period, said = find_period(fold(question), reference or self._reference)
        if said and period is None:
            reason += f"; {said!r} needs a reference date"
        sides = {side_of(clause.text, counting=kind == "counting") for clause in views}
        side = sides.pop() if len(sides) == 1 else None
        return Route(kind, confidence, reason, side, period, groups, count)


def _decide(parts: Sequence[Clause], *, groups: bool) -> tuple[Kind, float, str, Count | None, list[Clause]]:
    """Return kind, confidence, reason, what is counted, and the clauses that ask for views."""
    for clause in parts:
        if count := counted(clause, groups=groups):
            reason = f"asks for a {count} of what the corpus says: {clause.quote()!r}"
            return "counting", 0.95, reason, count, [clause]
    judged = [judge(clause, alone=len(parts) == 1) for clause in parts]
    views = [clause for clause, j in zip(parts, judged, strict=True) if j.kind != "factual"]
    sure = {j.kind for j in judged if j.confidence >= _SURE}
    if {"factual", "opinion"} <= sure:
        reason = "; ".join(dict.fromkeys(f"{j.kind} ({j.reason})" for j in judged))
        return "both", min(j.confidence for j in judged if j.confidence >= _SURE), reason, None, views
    best = max(judged, key=lambda j: j.confidence)
    return best.kind, best.confidence, best.reason, None, views if best.kind != "factual" else []


__all__ = [
    "GroupFilter",
    "Period",
    "QuestionRouter",
    "Route",
    "SubjectMatcher",
    "match_groups",
    "match_subjects",
]
