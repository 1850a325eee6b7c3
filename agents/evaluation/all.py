"""``evaluate all``: every evaluation one after another, each kept as it ends, with the time that is left.

An evaluation that cannot run (a set is missing, a corpus is too small) is named and left out; the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agents.evaluation.report import EvaluationReport, from_document
from agents.evaluation.report_kept import Kept
from store.errors import ApplicationError, NoCandidates, UsageError

#: ``tell(stage, done, total, note)``.
Tell = Callable[[str, int, int, str], None]
Make = Callable[[Tell], Awaitable[EvaluationReport]]


@dataclass(frozen=True)
class Part:
    """One evaluation of the suite.

    Attributes
    ----------
    weight
        Its share of the time, in any unit: what the time left is reckoned from.
    key
        Hash of everything that its figures depend on; a report kept under it is taken as it is.
    """

    name: str
    weight: float
    key: str
    make: Make


@dataclass(frozen=True, slots=True)
class Suite:
    """What came of it: reports in order, what was left out and why, seconds of wall time, and names taken as kept."""

    reports: tuple[EvaluationReport, ...]
    left_out: tuple[str, ...]
    seconds: float
    reused: tuple[str, ...] = ()


async def run_all(
    parts: Sequence[Part],
    kept: Kept | None = None,
    tell: Tell = lambda stage, done, total, note: None,
    clock: Callable[[], float] = time.monotonic,
) -> Suite:
    """Run the parts in order.

    Parameters
    ----------
    kept
        Reports of earlier runs; each new one is added as it ends.
    tell
        Told of the whole after each part, with the time left, and of each part's own stages.

    Raises
    ------
    ApplicationError
        Whatever is no fault of the data: a model that does not answer, a full disk.
    """
    store = kept or Kept()
    started = clock()
    fresh = [part for part in parts if part.key not in store]
    reports: list[EvaluationReport] = []
    left_out: list[str] = []
    spent = 0.0
    for number, part in enumerate(parts):
        left = sum(each.weight for each in fresh if each in parts[number:])
        tell("evaluate all", number, len(parts), time_left(clock() - started, spent, left))
        if part.key in store:
            reports.append(from_document(store[part.key]))
            continue
        try:
            report = await part.make(tell)
        except (UsageError, NoCandidates) as error:
            left_out.append(f"{part.name} is left out: {_one_line(error)}")
        else:
            store.put(part.key, report.document())
            reports.append(report)
        spent += part.weight
    tell("evaluate all", len(parts), len(parts), "")
    reused = tuple(part.name for part in parts if part not in fresh)
    return Suite(tuple(reports), tuple(left_out), clock() - started, reused)


def time_left(seconds: float, spent: float, left: float) -> str:
    """Say how long the rest will take, by the pace so far; empty while nothing is known."""
    if spent <= 0 or left <= 0:
        return ""
    rest = seconds * left / spent
    return f"about {rest / 60:.0f} min left" if rest >= 90 else f"about {max(1, round(rest))} s left"


def _one_line(error: ApplicationError) -> str:
    return " ".join(str(error).split())


__all__ = ["Make", "Part", "Suite", "Tell", "run_all", "time_left"]
