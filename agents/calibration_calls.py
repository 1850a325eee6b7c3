"""The calls of a calibration: questions put to a chooser, several at a time, each kept as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agents.models.chooser import Chooser
from agents.models.errors import FATAL, ModelCallError
from store.ports import Usage


class CalibrationLog(Protocol):
    """Where single calls and fits are kept (``store.calibrations``)."""

    def observed(self, plan_sha: str) -> dict[tuple[int, int], int | None]:
        """Return the outcomes so far, by question and run."""
        ...

    def observe(
        self, plan_sha: str, question: int, run: int, realised: list[int], outcome: int | None
    ) -> None:
        """Keep one outcome: +1, -1, or None for a refusal."""
        ...

    def save(
        self, *, model: str, prompt_sha: str, attribute: str, k: int, design: str, result: dict[str, Any]
    ) -> int:
        """Keep a fit."""
        ...


@dataclass(frozen=True, slots=True)
class CalibrationQuestion:
    """A question with an option for each group and candidate documents of both.

    Attributes
    ----------
    plus, minus
        The options that group +1 and group -1 stand for.
    documents, groups, relevance
        Of equal length N; groups in {-1, +1}; at least k documents of each serve every setting exactly.
    cluster
        Questions that share it are not independent (several on one entity): errors are clustered by it.
    """

    text: str
    plus: str
    minus: str
    documents: tuple[str, ...]
    groups: tuple[int, ...]
    relevance: tuple[float, ...]
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One question to put: documents in order, the groups they show, and the group that is option A."""

    question: int
    run: int
    order: tuple[int, ...]
    groups: tuple[int, ...]
    first: int


@dataclass(frozen=True, slots=True)
class Asked:
    """Outcomes by call: +1, -1, or None for a refusal."""

    outcomes: tuple[int | None, ...]
    called: int
    reused: int
    usage: Usage


def content_of(questions: Sequence[CalibrationQuestion]) -> list[object]:
    """Return all of the questions that can change an answer, for the hash of a plan."""
    return [
        [q.text, q.plus, q.minus, list(q.documents), list(q.groups), list(q.relevance)] for q in questions
    ]


async def ask_all(
    questions: Sequence[CalibrationQuestion],
    chooser: Chooser,
    calls: Sequence[Call],
    log: CalibrationLog,
    sha: str,
    workers: int,
    progress: Callable[[int], None],
) -> Asked:
    """Make the calls that the log does not hold yet, at most ``workers`` at a time, and keep each as it comes.

    Raises
    ------
    ModelCallError
        The first failure, after the calls under way have been kept.
    """
    known: Mapping[tuple[int, int], int | None] = log.observed(sha)
    outcomes: dict[int, int | None] = {
        i: known[call.question, call.run]
        for i, call in enumerate(calls)
        if (call.question, call.run) in known
    }
    reused = len(outcomes)
    slots = asyncio.Semaphore(workers)
    failures: list[ModelCallError] = []
    usage = Usage()

    async def one(index: int) -> None:
        nonlocal usage
        async with slots:
            if any(isinstance(error, FATAL) for error in failures):
                return
            call = calls[index]
            question = questions[call.question]
            options = (question.plus, question.minus) if call.first > 0 else (question.minus, question.plus)
            shown = [question.documents[i] for i in call.order]
            try:
                choice = await chooser.choose(shown, question.text, *options, run=call.run)
            except ModelCallError as error:
                failures.append(error)
                return
            outcome = None if choice.letter is None else call.first if choice.letter == "A" else -call.first
            log.observe(sha, call.question, call.run, list(call.groups), outcome)
            outcomes[index] = outcome
            usage = usage + choice.usage
            progress(len(outcomes))
            # A chooser that never waits would otherwise keep progress and cancellation from running.
            await asyncio.sleep(0)

    if reused:
        progress(reused)
    async with asyncio.TaskGroup() as group:
        for index in range(len(calls)):
            if index not in outcomes:
                group.create_task(one(index))
    if failures:
        raise failures[0]
    return Asked(tuple(outcomes[index] for index in range(len(calls))), len(calls) - reused, reused, usage)


__all__ = ["Asked", "CalibrationLog", "CalibrationQuestion", "Call", "ask_all"]
