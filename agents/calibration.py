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

from agents.fairness.designs import Design, Runs, runs_of
from agents.fairness.injection import inject
from agents.fairness.propagation import PropagationFit, Validation, fit, neutral_settings, validate
from agents.models.chooser import Chooser
from agents.models.errors import FATAL, ModelCallError
from store.ports import Usage

Integers = NDArray[np.int64]
Progressed = Callable[[int, int], None]


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
class Check:
    """Settings whose predicted Rb equals a target, to be run and compared with plain retrieval (FARO figure 5).

    Attributes
    ----------
    questions
        Ask these; a set that the fit has not seen is the stricter test (cross data).
    settings
        How many settings are sampled.
    held_out
        Whether the fit has not seen the questions.
    """

    questions: Sequence[CalibrationQuestion]
    settings: int
    held_out: bool
    target: float = 0.0

    @property
    def calls(self) -> int:
        """Calls that it makes: every setting, and plain retrieval, on every question."""
        return (self.settings + 1) * len(self.questions)


@dataclass(frozen=True, eq=False)
class Checked:
    """What the check found, setting by setting."""

    summary: Validation
    embedding_bias: NDArray[np.float64]
    realised: NDArray[np.float64]
    vanilla: float
    questions: int
    held_out: bool


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
        Calls made now, and taken from an earlier run of the same plan; the check's included.
    checked
        None where no check was asked for, or no setting reaches its target.
    """

    fit: PropagationFit
    realised: Integers
    answers: Integers
    question: Integers
    first_option: Integers
    called: int
    reused: int
    usage: Usage
    plan_sha: str
    checked: Checked | None = None
    unchecked: str = ""

    @property
    def letter_bias(self) -> float:
        """Mean preference for option A in [-1, 1]: balanced out of the fit, but a sign of a weak model when large."""
        return float(np.mean(self.answers * self.first_option))


async def calibrate(
    questions: Sequence[CalibrationQuestion],
    chooser: Chooser,
    log: CalibrationLog,
    *,
    attribute: str,
    k: int,
    design: Design = "blocks",
    seed: int = 0,
    workers: int = 8,
    check: Check | None = None,
    source: str = "",
    progress: Progressed = lambda done, total: None,
) -> CalibrationOutcome:
    """Measure a model's position weights and store them.

    Parameters
    ----------
    attribute
        What the groups stand for (``polarity``): fits are found by model, prompt, attribute and k.
    check
        Validation that follows the fit; stored with it.
    source
        Where the questions come from, stored with the fit.
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
    calls = _calls(questions, runs, seed)
    total = len(calls) + (check.calls if check else 0)
    sha = plan_sha(questions, chooser, attribute, k, design, seed)
    asked = await ask_all(questions, chooser, calls, log, sha, workers, lambda done: progress(done, total))
    answers = np.array([outcome or 0 for outcome in asked.outcomes], dtype=np.int64)
    realised = np.array([call.groups for call in calls], dtype=np.int64)
    fitted = fit(answers, clusters(questions)[runs.question], realised)
    usage, called, reused = asked.usage, asked.called, asked.reused
    checked, unchecked = None, ""
    if check is not None:
        try:
            checked, more = await _check(
                check,
                fitted,
                chooser,
                log,
                sha,
                seed,
                workers,
                lambda done: progress(len(calls) + done, total),
            )
            usage, called, reused = usage + more.usage, called + more.called, reused + more.reused
        except ValueError as error:
            unchecked = f"not checked: {error}"
    outcome = CalibrationOutcome(
        fit=fitted,
        realised=realised,
        answers=answers,
        question=runs.question,
        first_option=runs.first_option,
        called=called,
        reused=reused,
        usage=usage,
        plan_sha=sha,
        checked=checked,
        unchecked=unchecked,
    )
    log.save(
        model=chooser.name,
        prompt_sha=chooser.prompt_sha,
        attribute=attribute,
        k=k,
        design=design,
        result=pack(outcome, source),
    )
    return outcome


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


def clusters(questions: Sequence[CalibrationQuestion]) -> Integers:
    """Return the cluster of each question as a number; a question without one is its own."""
    names = [question.cluster or f"\0{index}" for index, question in enumerate(questions)]
    _, codes = np.unique(np.array(names), return_inverse=True)
    return np.asarray(codes, dtype=np.int64)


def pack(outcome: CalibrationOutcome, source: str = "") -> dict[str, Any]:
    """Return a fit and its check as the JSON-ready value that is stored."""
    fitted = outcome.fit
    return {
        "weights": fitted.weights.tolist(),
        "intercept": fitted.intercept,
        "covariance": fitted.covariance.tolist(),
        "interval": fitted.interval.tolist(),
        "level": fitted.level,
        "r_squared": _number(fitted.r_squared),
        "r_squared_settings": _number(fitted.r_squared_settings),
        "answers": fitted.answers,
        "questions": len(np.unique(outcome.question)),
        "clusters": fitted.questions,
        "refusal_rate": fitted.refusal_rate,
        "letter_bias": outcome.letter_bias,
        "plan_sha": outcome.plan_sha,
        "source": source,
        "validation": _pack_check(outcome.checked) if outcome.checked else None,
        "unchecked": outcome.unchecked,
    }


def plan_sha(
    questions: Sequence[CalibrationQuestion],
    chooser: Chooser,
    attribute: str,
    k: int,
    design: str,
    seed: int,
) -> str:
    """Return the hash that makes two runs the same plan: everything that can change an outcome."""
    content = [
        [q.text, q.plus, q.minus, list(q.documents), list(q.groups), list(q.relevance)] for q in questions
    ]
    parts = [content, chooser.name, chooser.prompt_sha, attribute, k, design, seed]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "replace")).hexdigest()


async def _check(
    check: Check,
    fitted: PropagationFit,
    chooser: Chooser,
    log: CalibrationLog,
    sha: str,
    seed: int,
    workers: int,
    progress: Callable[[int], None],
) -> tuple[Checked, Asked]:
    rng = np.random.default_rng((seed, 1))
    wanted = neutral_settings(fitted, check.settings, rng, target=check.target)
    calls, shown = [], []
    for run in range(-1, check.settings):
        for index, question in enumerate(check.questions):
            if run < 0:
                order = np.argsort(-np.asarray(question.relevance), kind="stable")[: fitted.k]
                groups = np.asarray(question.groups)[order]
            else:
                # Other seeds than the fit's, whose second number is a question (0, 1, ...), never this one.
                drawn = inject(
                    question.relevance,
                    question.groups,
                    (wanted[run] + 1) / 2,
                    np.random.default_rng((seed, 2**31, run, index)),
                )
                order, groups = drawn.order, drawn.groups
            first = 1 if (index + run) % 2 else -1
            calls.append(Call(index, run + 1, tuple(order.tolist()), tuple(groups.tolist()), first))
            shown.append(groups)
    # The settings follow from the fit: another fit is another plan.
    own = hashlib.sha256(f"{sha} check {check.held_out} {wanted.tolist()!r}".encode()).hexdigest()
    asked = await ask_all(check.questions, chooser, calls, log, own, workers, progress)
    count = len(check.questions)
    answers = np.array([outcome or 0 for outcome in asked.outcomes], dtype=np.float64).reshape(-1, count)
    eb = np.array(shown, dtype=np.float64).reshape(-1, count, fitted.k).mean(axis=1)
    rb = answers.mean(axis=1)
    summary = validate(fitted, eb[1:], rb[1:], count, float(rb[0]), target=check.target)
    return Checked(summary, eb[1:], rb[1:], float(rb[0]), count, check.held_out), asked


def _calls(questions: Sequence[CalibrationQuestion], runs: Runs, seed: int) -> list[Call]:
    made: dict[int, int] = {}
    calls = []
    for index, question in enumerate(runs.question.tolist()):
        run = made[question] = made.get(question, -1) + 1
        asked = questions[question]
        # A generator for each run: what a run shows does not depend on which others were already made.
        rng = np.random.default_rng((seed, question, run))
        drawn = inject(asked.relevance, asked.groups, runs.probabilities[index], rng)
        order, groups = tuple(drawn.order.tolist()), tuple(drawn.groups.tolist())
        calls.append(Call(question, run, order, groups, int(runs.first_option[index])))
    return calls


def _pack_check(checked: Checked) -> dict[str, Any]:
    summary = checked.summary
    return {
        "settings": summary.settings,
        "questions": checked.questions,
        "held_out": checked.held_out,
        "mean_absolute_bias": summary.mean_absolute_bias,
        "vanilla_absolute_bias": summary.vanilla_absolute_bias,
        "mean_error": summary.mean_error,
        "root_mean_square_error": summary.root_mean_square_error,
        "covered": summary.covered,
        "improved": summary.improved,
        "realised": checked.realised.tolist(),
        "vanilla": checked.vanilla,
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


__all__ = [
    "Asked",
    "CalibrationLog",
    "CalibrationOutcome",
    "CalibrationQuestion",
    "Call",
    "Check",
    "Checked",
    "ask_all",
    "calibrate",
    "clusters",
    "pack",
    "plan_sha",
]
