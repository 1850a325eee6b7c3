"""Stage 2 on a real model (FARO section 4.2): run a design, read the choices, fit position weights, store the fit.

Every call is kept as it is made, so a calibration that was interrupted continues with the calls that are missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.calibration_calls import CalibrationLog, CalibrationQuestion, Call, ask_all, content_of
from agents.calibration_check import Check, Checked, pack_check, run_check
from agents.fairness.designs import Design, Runs, runs_of
from agents.fairness.injection import inject
from agents.fairness.propagation import PropagationFit, fit
from agents.models.chooser import Chooser
from store.errors import Unmeasurable
from store.ports import Usage

Integers = NDArray[np.int64]
Progressed = Callable[[int, int], None]

#: Share of calls that may choose neither option.
MOST_REFUSED: Final = 0.5


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
    Unmeasurable
        More than half of the calls chose neither option.
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
    _check_answered(asked.outcomes)
    fitted = fit(answers, runs.question, realised, cluster=clusters(questions)[runs.question])
    usage, called, reused = asked.usage, asked.called, asked.reused
    checked, unchecked = None, ""
    if check is not None:
        try:
            checked, more = await run_check(
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


def _check_answered(outcomes: Sequence[int | None]) -> None:
    """Refuse to measure what was hardly answered: weights of refusals are zero, with an error of zero.

    Raises
    ------
    Unmeasurable
        More than half of the calls chose neither option.
    """
    refused = sum(outcome is None for outcome in outcomes)
    if refused > MOST_REFUSED * len(outcomes):
        raise Unmeasurable(
            f"{refused:,} of {len(outcomes):,} calls chose neither option: there are no weights to measure",
            "give options that the documents can speak for, or another model; nothing was stored but the answers",
        )


def clusters(questions: Sequence[CalibrationQuestion]) -> Integers:
    """Return the cluster of each question as a number; without one, questions of the same words share theirs."""
    names = [question.cluster or f"\0{question.text}" for question in questions]
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
        "validation": pack_check(outcome.checked) if outcome.checked else None,
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
    parts = [
        content_of(questions),
        chooser.name,
        chooser.prompt_sha,
        chooser.sampling,
        attribute,
        k,
        design,
        seed,
    ]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "replace")).hexdigest()


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


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


__all__ = [
    "CalibrationLog",
    "CalibrationOutcome",
    "CalibrationQuestion",
    "Check",
    "Checked",
    "calibrate",
    "clusters",
    "pack",
    "plan_sha",
]
