"""Does a calibration hold: settings that should be neutral, run and compared with plain retrieval (FARO figure 5)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.calibration_calls import (
    Asked,
    CalibrationLog,
    CalibrationQuestion,
    Call,
    ask_all,
    content_of,
)
from agents.fairness.injection import inject
from agents.fairness.propagation import PropagationFit, Validation, neutral_settings, validate
from agents.models.chooser import Chooser


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


async def run_check(
    check: Check,
    fitted: PropagationFit,
    chooser: Chooser,
    log: CalibrationLog,
    sha: str,
    seed: int,
    workers: int,
    progress: Callable[[int], None],
) -> tuple[Checked, Asked]:
    """Sample settings that the fit says give the target, run them and plain retrieval, and compare.

    Raises
    ------
    ValueError
        No setting reaches the target.
    ModelCallError
        The model failed.
    """
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
    parts = [sha, "check", check.held_out, wanted.tolist(), content_of(check.questions)]
    own = hashlib.sha256(json.dumps(parts).encode("utf-8", "replace")).hexdigest()
    asked = await ask_all(check.questions, chooser, calls, log, own, workers, progress)
    count = len(check.questions)
    answers = np.array([outcome or 0 for outcome in asked.outcomes], dtype=np.float64).reshape(-1, count)
    eb = np.array(shown, dtype=np.float64).reshape(-1, count, fitted.k).mean(axis=1)
    rb = answers.mean(axis=1)
    summary = validate(fitted, eb[1:], rb[1:], count, float(rb[0]), target=check.target)
    return Checked(summary, eb[1:], rb[1:], float(rb[0]), count, check.held_out), asked


def pack_check(checked: Checked) -> dict[str, Any]:
    """Return what the check found as a JSON-ready value."""
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


__all__ = ["Check", "Checked", "pack_check", "run_check"]
