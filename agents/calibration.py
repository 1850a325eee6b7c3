"""Stage 2 on a real model (FARO section 4.2): run a design, read the choices, fit position weights, store the fit.

Every call is kept as it is made, so a calibration that was interrupted continues with the calls that are missing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import prompts
from agents.fairness.designs import Design, Runs, runs_of
from agents.fairness.injection import Injection, inject
from agents.fairness.propagation import PropagationFit, fit
from agents.models.choice import PROMPT, choose
from agents.models.errors import FATAL, ModelCallError
from store.ports import ChatModel, Usage


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
    """

    text: str
    plus: str
    minus: str
    documents: tuple[str, ...]
    groups: tuple[int, ...]
    relevance: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class CalibrationOutcome:
    """What came of it.

    Attributes
    ----------
    fit
        Weights with intervals.
    realised
        Shape (n, k): groups really shown.
    answers
        Shape (n,): group that the answer favours, 0 for a refusal.
    question
        Shape (n,): index of the question.
    first_option
        Shape (n,): group that was option A.
    called, reused
        Calls made now, and taken from an earlier run of the same plan.
    """

    fit: PropagationFit
    realised: NDArray[np.int64]
    answers: NDArray[np.int64]
    question: NDArray[np.int64]
    first_option: NDArray[np.int64]
    called: int
    reused: int
    usage: Usage
    plan_sha: str

    @property
    def letter_bias(self) -> float:
        """Mean preference for option A in [-1, 1]: balanced out of the fit, but a sign of a weak model when large."""
        return float(np.mean(self.answers * self.first_option))


async def calibrate(
    questions: Sequence[CalibrationQuestion],
    chat: ChatModel,
    log: CalibrationLog,
    *,
    attribute: str,
    k: int,
    design: Design = "blocks",
    seed: int = 0,
    temperature: float = 0.0,
    workers: int = 8,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> CalibrationOutcome:
    """Measure a model's position weights and store them.

    Parameters
    ----------
    attribute
        What the groups stand for (``polarity``): fits are found by model, prompt, attribute and k.
    progress
        Called with calls done and calls in all.

    Raises
    ------
    ModelCallError
        The first failure of a call, after the others under way have been kept; run again to continue.
    ValueError
        When there are fewer than two questions, or the design and the data do not fit.
    """
    runs = runs_of(design, k, len(questions), np.random.default_rng(seed))
    numbers = _run_numbers(runs)
    drawn = [
        _draw(questions[question], runs.probabilities[index], (seed, question, run))
        for index, (question, run) in enumerate(numbers)
    ]
    sha = plan_sha(questions, chat.model, attribute, k, design, seed, temperature)
    known: Mapping[tuple[int, int], int | None] = log.observed(sha)
    outcomes: dict[int, int | None] = {
        i: known[number] for i, number in enumerate(numbers) if number in known
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
            question, run = numbers[index]
            asked = questions[question]
            first = int(runs.first_option[index])
            option_a, option_b = (asked.plus, asked.minus) if first > 0 else (asked.minus, asked.plus)
            try:
                choice = await choose(
                    chat,
                    asked.text,
                    option_a,
                    option_b,
                    [asked.documents[int(i)] for i in drawn[index].order],
                    temperature=temperature,
                    seed=run if temperature > 0 else None,
                )
            except ModelCallError as error:
                failures.append(error)
                return
            outcome = None if choice.letter is None else first if choice.letter == "A" else -first
            log.observe(sha, question, run, [int(g) for g in drawn[index].groups], outcome)
            outcomes[index] = outcome
            usage = usage + choice.usage
            progress(len(outcomes), len(numbers))

    async with asyncio.TaskGroup() as group:
        for index in range(len(numbers)):
            if index not in outcomes:
                group.create_task(one(index))
    if failures:
        raise failures[0]
    answers = np.array([outcomes[index] or 0 for index in range(len(numbers))], dtype=np.int64)
    realised = np.array([draw.groups for draw in drawn], dtype=np.int64)
    fitted = fit(answers, runs.question, realised)
    log.save(
        model=chat.model,
        prompt_sha=prompts.load(PROMPT).sha256,
        attribute=attribute,
        k=k,
        design=design,
        result=pack(fitted),
    )
    return CalibrationOutcome(
        fit=fitted,
        realised=realised,
        answers=answers,
        question=runs.question,
        first_option=runs.first_option,
        called=len(numbers) - reused,
        reused=reused,
        usage=usage,
        plan_sha=sha,
    )


def pack(fitted: PropagationFit) -> dict[str, Any]:
    """Return a fit as the JSON-ready value that is stored."""
    return {
        "weights": fitted.weights.tolist(),
        "intercept": fitted.intercept,
        "covariance": fitted.covariance.tolist(),
        "interval": fitted.interval.tolist(),
        "level": fitted.level,
        "r_squared": None if np.isnan(fitted.r_squared) else fitted.r_squared,
        "r_squared_settings": None if np.isnan(fitted.r_squared_settings) else fitted.r_squared_settings,
        "answers": fitted.answers,
        "questions": fitted.questions,
        "refusal_rate": fitted.refusal_rate,
    }


def plan_sha(
    questions: Sequence[CalibrationQuestion],
    model: str,
    attribute: str,
    k: int,
    design: str,
    seed: int,
    temperature: float,
) -> str:
    """Return the hash that makes two runs the same plan: everything that can change an outcome."""
    content = [
        [q.text, q.plus, q.minus, list(q.documents), list(q.groups), list(q.relevance)] for q in questions
    ]
    parts = [content, model, prompts.load(PROMPT).sha256, attribute, k, design, seed, temperature]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "replace")).hexdigest()


def _run_numbers(runs: Runs) -> list[tuple[int, int]]:
    counts: dict[int, int] = {}
    numbers = []
    for question in runs.question.tolist():
        counts[question] = counts.get(question, -1) + 1
        numbers.append((question, counts[question]))
    return numbers


def _draw(
    question: CalibrationQuestion, probabilities: NDArray[np.float64], seed: tuple[int, ...]
) -> Injection:
    # A generator for each run: what a run shows does not depend on which others were already made.
    rng = np.random.default_rng(seed)
    return inject(question.relevance, question.groups, probabilities, rng)


__all__ = [
    "CalibrationLog",
    "CalibrationOutcome",
    "CalibrationQuestion",
    "calibrate",
    "pack",
    "plan_sha",
]
