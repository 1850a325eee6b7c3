"""Files of questions: read, put under one fairness constraint, answered one after the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.batch_words import POLARITY, batch_note
from app.bootstrap import Parts
from app.service import Service, check_question
from store.errors import NoCandidates, UsageError

if TYPE_CHECKING:
    from agents.batch import Batch
    from agents.batch_solutions import BatchSolution, BiasPoint
    from agents.context import RagContext
    from app.events import AnswerReady
    from store.receipt import FrontierPoint

MOST_QUESTIONS = 100_000


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """One answer of a batch: its place in the file, and why it stands outside the constraint, if it does."""

    index: int
    question: str
    outside: str
    ready: AnswerReady


class Batches:
    """Many questions at once over one workspace."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def prepare(
        self,
        questions: list[str],
        k: int,
        corpus: str = "",
        options: dict[str, Any] | None = None,
        attributes: Sequence[str] = (POLARITY,),
    ) -> Batch:
        """Collect the candidates of all questions; see :func:`agents.batch.prepare_batch`."""
        from agents.batch import prepare_batch

        return await prepare_batch(self._context(corpus), questions, k, options, attributes)

    def solve(
        self, batch: Batch, tau: float | None, target: float | str, soft: float | None = None
    ) -> BatchSolution:
        """Find the rankings under the constraint, or by the soft objective of that strength.

        A tolerance of None is that of the settings. See :mod:`agents.batch_solutions`.
        """
        from agents.batch_solutions import solve_batch, solve_batch_soft

        if soft is not None:
            return solve_batch_soft(batch, soft, target)
        return solve_batch(batch, self._parts.settings.agent.tau if tau is None else tau, target)

    def bias_frontier(self, batch: Batch) -> list[BiasPoint]:
        """Return the supported points of relevance against the Rb of polarity, by rising Rb."""
        from agents.batch_solutions import batch_frontier

        return batch_frontier(batch)

    async def frontier(
        self, question: str, corpus: str = "", options: dict[str, Any] | None = None
    ) -> tuple[list[str], tuple[FrontierPoint, ...]]:
        """Return the entities that one question is on, and its frontier of relevance and opinion distance."""
        from agents.batch import question_frontier

        state, points = await question_frontier(
            self._context(corpus), check_question(question), options or {}
        )
        return [entity["name"] for entity in state["entities"]], points

    async def answers(
        self,
        questions: list[str],
        batch: Batch,
        solution: BatchSolution,
        corpus: str = "",
        options: dict[str, Any] | None = None,
    ) -> AsyncGenerator[BatchAnswer]:
        """Answer the questions in their order, with the documents that the constraint gave.

        As many are under way at a time as the model's settings allow.
        """
        from agents.batch_solutions import rankings

        chosen = rankings(batch, solution)
        service = Service(self._parts)
        generator = self._parts.settings.models.for_role("generator")
        slots = asyncio.Semaphore(generator.limits.concurrency if generator else 1)
        note = batch_note(batch, solution)
        unmet = "" if solution.met else note

        async def one(index: int) -> BatchAnswer:
            given = dict(options or {})
            if index in chosen:
                given["chosen"] = {"ids": chosen[index], "method": "faro", "note": note, "unmet": unmet}
            async with slots:
                ready = await _answer(service, questions[index], corpus, given)
            return BatchAnswer(index, questions[index], batch.outside.get(index, ""), ready)

        tasks = [asyncio.create_task(one(index)) for index in range(len(questions))]
        try:
            for task in tasks:
                yield await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _context(self, corpus: str) -> RagContext:
        found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
        if not found.documents:
            raise NoCandidates(f"the corpus `{found.name}` has no documents", "run `evenhand ingest FILE`")
        return self._parts.context(found)


def read_batch(path: Path) -> list[str]:
    """Read questions: one a line, or JSONL with a ``question`` in each object; blank lines are skipped.

    Raises
    ------
    UsageError
        Unreadable file, a line without a question, or none at all.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise UsageError(f"cannot read {path} ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", "convert it first") from None
    questions = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        if text.lstrip().startswith("{"):
            try:
                text = json.loads(text)["question"]
            except (ValueError, KeyError, TypeError, RecursionError):
                text = ""
            if not isinstance(text, str) or not text.strip():
                raise UsageError(f"line {number} of {path} has no `question`", "see `evenhand ask --help`")
        questions.append(check_question(text))
    if not questions:
        raise UsageError(f"{path} holds no question", "write one a line")
    if len(questions) > MOST_QUESTIONS:
        raise UsageError(f"{path} holds more than {MOST_QUESTIONS:,} questions", "split it")
    return questions


async def _answer(service: Service, question: str, corpus: str, options: dict[str, Any]) -> AnswerReady:
    from app.events import AnswerReady

    ready = None
    async with aclosing(service.ask(question, corpus, options=options)) as events:
        async for event in events:
            if isinstance(event, AnswerReady):
                ready = event
    assert ready is not None, "the stream ends with the answer"
    return ready


__all__ = [
    "POLARITY",
    "BatchAnswer",
    "Batches",
    "read_batch",
]
