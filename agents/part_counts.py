"""The parts of a comparison counted in SQL, each by itself, and what the answer says of them before anything else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.comparison import Part, compares, parts_of
from agents.context import RagContext
from agents.fairness.quality import wilson
from agents.models.generation import whole_percents
from agents.state import RagState
from store.receipt import CountAudit

#: Of fewer documents than these no share is told apart from another.
FEWEST: Final = 10
_SIDES: Final = ("positive", "negative")


@dataclass(frozen=True, slots=True)
class Compared:
    """The lines on the parts, the counts behind them, and what must be said where there are no parts."""

    text: str = ""
    counts: tuple[CountAudit, ...] = ()
    warning: str = ""


def compare(state: RagState, context: RagContext) -> Compared:
    """Count every part that the question names; nothing where it compares nothing."""
    if state["unmatched"] or not context.entities():
        return Compared()
    asked = compares(state["question"])
    if state["route"]["kind"] == "factual" and not (asked or state["period"]):
        return Compared()
    parts = parts_of(state, context)
    subject = " and ".join(item["name"] for item in state["entities"])
    if not parts:
        if not asked or state["route"]["kind"] == "factual":
            return Compared()
        found = subject or "no side of it"
        return Compared(
            warning=f"the question compares, but two sides of it were not found in this corpus ({found}): "
            "what follows is of all together"
        )
    named = {item["name"] for item in state["entities"]} & {part.name for part in parts}
    counts = [_count(part, "" if named else subject, context) for part in parts]
    on = "" if named or not subject else f" on {subject}"
    lines = [f"Each part by itself{on} ({context.extractor} labels):"]
    lines += [f"- {part_words(part.name, found)}" for part, found in zip(parts, counts, strict=True)]
    lines += [told] if (told := _told_apart(counts)) else []
    return Compared("\n".join(lines), tuple(each for found in counts for each in found))


def _count(part: Part, subject: str, context: RagContext) -> tuple[CountAudit, CountAudit, CountAudit]:
    """Return the documents of a part that hold a view, and those of them that are positive and negative."""
    on = f" on {subject}" if subject else ""
    found = []
    for side in (None, *_SIDES):
        counted = context.opinions.count(
            context.corpus.id, part.entity_ids, context.extractor, part.where, side
        )
        share = counted.value / counted.total if counted.total else 0.0
        label = f"{part.name}: documents with a {f'{side} ' if side else ''}view{on}"
        found.append(
            CountAudit(
                label=label,
                value=counted.value,
                total=counted.total,
                share=share,
                sql=counted.sql,
                part=part.name,
            )
        )
    return found[0], found[1], found[2]


def part_words(name: str, counts: Sequence[CountAudit]) -> str:
    """Return one part's documents and shares in one line; below ``FEWEST`` it says that they are too few."""
    held, positive, negative = counts
    n = held.value
    documents = f"{n:,} {'document' if n == 1 else 'documents'} with a view (of {held.total:,})"
    if not n:
        return f"{name}: {documents}"
    rest = n - positive.value - negative.value
    sides = {"positive": positive.value, "neutral or mixed": rest, "negative": negative.value}
    percents = whole_percents({side: count / n for side, count in sides.items()})
    shares = ", ".join(f"{percents[side]} % {side} ({count:,})" for side, count in sides.items())
    if n < FEWEST:
        return f"{name}: {documents}, {shares}; too few to tell"
    interval = wilson(positive.share, n)
    low, high = round(100 * interval.low), round(100 * interval.high)
    return f"{name}: {documents}, {shares}; positive {low}-{high} % with 95 % confidence"


def difference(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float, float]:
    """Return the difference of two shares (count, n) and its 95 % interval (Newcombe 1998, method 10)."""
    p, q = (wilson(count / n, n) for count, n in (first, second))
    apart = p.value - q.value
    low = apart - math.hypot(p.value - p.low, q.high - q.value)
    return apart, low, apart + math.hypot(p.high - p.value, q.value - q.low)


def _told_apart(counts: Sequence[Sequence[CountAudit]]) -> str:
    """Say which parts differ in their positive shares by more than chance; none of parts that are too few."""
    told = []
    for i, first in enumerate(counts):
        for second in counts[i + 1 :]:
            if min(first[0].value, second[0].value) < FEWEST:
                continue
            apart, low, high = difference(
                (first[1].value, first[0].value), (second[1].value, second[0].value)
            )
            if low > 0 or high < 0:
                told.append(
                    f"{first[0].part} and {second[0].part} differ by {100 * apart:+.0f} points positive"
                    f" ({100 * low:+.0f} to {100 * high:+.0f} with 95 % confidence)"
                )
    enough = sum(found[0].value >= FEWEST for found in counts)
    if told:
        return f"In these labels {'; '.join(told[:3])}."
    return "No two parts differ by more than chance." if enough > 1 else ""


__all__ = ["FEWEST", "Compared", "compare", "difference", "part_words"]
