"""Files of questions: read, put under one fairness constraint, answered one after the other."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
#: The attribute that is held in place where none is named.
POLARITY = "polarity"


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
        lines = path.read_text(encoding="utf-8-sig").splitlines()
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
            except (ValueError, KeyError, TypeError):
                text = ""
            if not isinstance(text, str) or not text.strip():
                raise UsageError(f"line {number} of {path} has no `question`", "see `evenhand ask --help`")
        questions.append(check_question(text))
    if not questions:
        raise UsageError(f"{path} holds no question", "write one a line")
    if len(questions) > MOST_QUESTIONS:
        raise UsageError(f"{path} holds more than {MOST_QUESTIONS:,} questions", "split it")
    return questions


def batch_note(batch: Batch, solution: BatchSolution) -> str:
    """Say in one sentence what the constraint, or the soft objective, came to."""
    calibrated = batch.weights.calibrated
    if len(batch.components) > 1:
        return _components_note(batch, solution)
    kind = "predicted Rb" if calibrated else "mean polarity shown (not calibrated, weights 1/k)"
    predicted, target = solution.predicted[0], solution.target[0]
    what = (
        "one constraint" if solution.soft is None else f"soft objective, lambda {solution.soft.strength:g},"
    )
    text = f"{what} over {len(batch.items)} questions: {kind} {predicted:+.3f}, target {target:+.3f}"
    if solution.soft is not None:
        kept = f"{100 * solution.relevance_kept:.2f}%"
        below = f"at most {solution.gap:.3g} below the best" if solution.gap > 1e-9 else "the best there is"
        return f"{text}, {kept} of the relevance kept, {below}"
    text += f" +/- {solution.tau:g}"
    if not solution.met:
        low, high = batch.reachable[0]
        text += f"; NOT MET: the best reachable is {predicted:+.3f} (range {low:+.3f} to {high:+.3f})"
    return text


def _components_note(batch: Batch, solution: BatchSolution) -> str:
    kind = "" if batch.weights.calibrated else " (not calibrated, weights 1/k)"
    held, d = int(solution.within.sum()), len(batch.components)
    text = (
        f"one constraint over {len(batch.items)} questions on {' and '.join(batch.attributes)}{kind}: "
        f"{held} of {d} components within {solution.tau:g} of their targets"
    )
    if not solution.met:
        g = solution.worst
        low, high = batch.reachable[g]
        text += (
            f"; NOT MET: farthest is {batch.components[g].name}, {solution.predicted[g]:+.3f} for a target of "
            f"{solution.target[g]:+.3f} (by itself {low:+.3f} to {high:+.3f}); no nearer ranking was found"
        )
    return text


def batch_remarks(batch: Batch, solution: BatchSolution) -> list[str]:
    """Say what was not calibrated, what stands in for it, and what no ranking could miss, one remark each."""
    remarks = []
    first = batch.attributes[0]
    if not batch.weights.calibrated:
        named = "" if first == POLARITY else f" --attribute {first} --questions FILE"
        remarks.append(
            f"{batch.weights.note}; `evenhand calibrate -k {batch.weights.k}{named}` measures them"
        )
    others = [name for name in batch.attributes if batch.weights_of and name != batch.weights_of]
    if others:
        remarks.append(
            f"{' and '.join(others)} not calibrated: the position weights of {batch.weights_of} stand in"
        )
    idle = [
        component.name
        for component, ends, goal in zip(batch.components, batch.reachable, solution.target, strict=True)
        if solution.tau is not None and all(abs(end - goal) <= solution.tau for end in ends)
    ]
    if idle:
        remarks.append(
            f"no ranking could miss {', '.join(idle)}: these position weights are too small for it"
        )
    return remarks


def component_documents(batch: Batch, solution: BatchSolution) -> list[dict[str, Any]]:
    """Return every component with what was asked of it and what came of it, for JSON and for tables."""
    return [
        {
            "name": component.name,
            "attribute": component.attribute,
            "group": component.group or None,
            "predicted": float(solution.predicted[g]),
            "standard_error": float(solution.standard_error[g]) if batch.weights.calibrated else None,
            "target": float(solution.target[g]),
            "margin": float(solution.margin[g]),
            "met": None if solution.tau is None else bool(solution.within[g]),
            "natural": float(solution.natural[g]),
            "population": component.population,
            "reachable": batch.reachable[g].tolist(),
            "calibrated": component.attribute == batch.weights_of,
        }
        for g, component in enumerate(batch.components)
    ]


def batch_document(batch: Batch, solution: BatchSolution) -> dict[str, Any]:
    """Return the constraint and what came of it as a JSON document.

    Fields of a single component stand at the top as well; with several they are null there.
    """
    components = component_documents(batch, solution)
    single = components[0] if len(components) == 1 else dict.fromkeys(components[0])
    return {
        "questions": len(batch.items) + len(batch.outside),
        "constrained": len(batch.items),
        "outside": [{"index": index, "reason": why} for index, why in sorted(batch.outside.items())],
        "k": batch.weights.k,
        "attributes": list(batch.attributes),
        "model": batch.weights.model,
        "calibrated": batch.weights.calibrated,
        "calibration_note": batch.weights.note,
        "weights": batch.weights.weights.tolist(),
        "weights_of": batch.weights_of or None,
        "intercept": batch.weights.intercept,
        "status": solution.status,
        "met": None if solution.tau is None else solution.met,
        "predicted": single["predicted"],
        "standard_error": single["standard_error"],
        "target": single["target"],
        "tau": solution.tau,
        "margin": single["margin"],
        "natural": single["natural"],
        "population": single["population"],
        "reachable": single["reachable"],
        "components": components,
        "worst": batch.components[solution.worst].name,
        "relevance_kept": solution.relevance_kept,
        "gap": solution.gap if math.isfinite(solution.gap) else None,
        "soft": soft_document(solution),
        "duplicates_set_aside": batch.problem.collapsed,
    }


def soft_document(solution: BatchSolution) -> dict[str, Any] | None:
    """Return the soft objective and what came of it as a JSON document, None where it was not asked for."""
    if solution.soft is None:
        return None
    return {
        "lambda": solution.soft.strength,
        "predicted": float(solution.predicted[0]),
        "target": float(solution.target[0]),
        "relevance_kept": solution.relevance_kept,
        "objective": solution.soft.value,
        "bound": solution.soft.bound,
        "gap": solution.gap,
    }


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
    "batch_document",
    "batch_note",
    "batch_remarks",
    "component_documents",
    "read_batch",
    "soft_document",
]
