"""In which order: position weights that were measured, and what they predict for a ranking (FARO eqs. 4 and 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.faro import bias_error
from agents.fairness.position import PositionOrder, order_for_target
from agents.models.chooser import identity
from store.receipt import PositionAudit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Attribute that orders are calibrated for on opinion corpora.
POLARITY: Final = "polarity"
#: Standard errors of the predicted Rb that the tolerance is shrunk by, so that the real system stays inside (95 %).
Z: Final = 1.645
#: Share of the tolerance that is kept however large the error.
KEPT: Final = 0.1

TargetName = Literal["proportional", "parity"]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class PositionWeights:
    """Position weights for one k.

    Attributes
    ----------
    weights, intercept, covariance
        ``w`` of shape (k,), ``b``, and the covariance of ``(w_1 .. w_k, b)``.
    model
        Whom they belong to.
    calibrated
        False for 1/k everywhere, which stands in where nothing was measured: Rb is then the mean polarity shown.
    note
        Why they are not calibrated.
    """

    weights: Floats
    intercept: float
    covariance: Floats
    model: str
    calibrated: bool
    note: str = ""

    @property
    def k(self) -> int:
        """Number of positions."""
        return int(self.weights.size)

    def predict(self, embedding_bias: Floats) -> tuple[float, float]:
        """Return the predicted Rb of a mean group by position, shape (k,), and its standard error."""
        return float(embedding_bias @ self.weights) + self.intercept, bias_error(
            embedding_bias, self.covariance
        )

    def goal(self, target: float | str, population: float) -> float:
        """Return the Rb to aim at.

        Parameters
        ----------
        target
            ``parity`` (0), a value, or anything else for ``proportional``: the Rb of a ranking whose every position
            mirrors the population, without the model's own lean ``b``.
        population
            Positive share minus negative share, in [-1, 1].
        """
        if target == "parity":
            return 0.0
        if isinstance(target, (int, float)):
            return float(target)
        return population * float(self.weights.sum())


def position_weights(context: RagContext, k: int, attribute: str = POLARITY) -> PositionWeights:
    """Return what was measured for the configured generator, prompt, attribute and k; else 1/k, marked."""
    model, prompt_sha = identity(context.chat("generator"), context.searcher.fingerprint)
    fit = context.calibrations.find(model=model, prompt_sha=prompt_sha, attribute=attribute, k=k)
    if fit is None:
        return uniform_weights(k, model, _why(context, model, prompt_sha, attribute, k))
    return PositionWeights(
        weights=np.asarray(fit.result["weights"], dtype=np.float64),
        intercept=float(fit.result["intercept"]),
        covariance=np.asarray(fit.result["covariance"], dtype=np.float64),
        model=model,
        calibrated=True,
    )


def uniform_weights(k: int, model: str, note: str) -> PositionWeights:
    """Return weights of 1/k, marked as not calibrated."""
    return PositionWeights(np.full(k, 1 / max(k, 1)), 0.0, np.zeros((k + 1, k + 1)), model, False, note)


def ordered(
    found: PositionWeights,
    relevance: Floats,
    polarity: Integers,
    goal: float,
    tau: float,
) -> tuple[Integers, PositionAudit]:
    """Order chosen documents so that their predicted Rb meets the goal, within a tolerance that allows for the error.

    Without a calibration the most relevant stand first, and the audit says so.

    Parameters
    ----------
    relevance, polarity
        Shape (k,).
    goal, tau
        Wanted Rb, and how far from it is still right.
    """
    natural = np.argsort(-relevance, kind="stable")
    if not found.calibrated:
        note = f"{found.note}: most relevant first"
        return natural, PositionAudit(calibrated=False, note=note, model=found.model)

    def solve(room: float) -> tuple[PositionOrder, Floats]:
        best = order_for_target(
            relevance, polarity, found.weights, found.intercept, target=goal, tolerance=room
        )
        return best, polarity[best.order].astype(np.float64)

    best, error, margin = within_error(found, tau, solve)
    note = "relevance order already meets the target" if best.unchanged else "reordered to meet the target"
    if not best.met:
        low, high = best.reachable
        note = f"target {goal:+.2f} is out of reach of these documents ({low:+.2f} to {high:+.2f}): nearest order"
    elif margin > (1 - KEPT) * tau:
        note += f"; the calibration's error ({error:.2f}) is too large to be sure of the tolerance {tau:g}"
    return best.order, PositionAudit(
        calibrated=True,
        note=note,
        model=found.model,
        predicted=float(best.predicted),
        standard_error=error,
        target=goal,
        natural=found.predict(polarity[natural].astype(np.float64))[0],
    )


def within_error(
    found: PositionWeights, tau: float, solve: Callable[[float], tuple[T, Floats]]
) -> tuple[T, float, float]:
    """Solve for a tolerance that leaves room for the calibration's error.

    Parameters
    ----------
    solve
        Takes a tolerance; returns a solution and its polarity by rank, shape (k,).

    Returns
    -------
    The solution, the standard error of its predicted Rb, and what the tolerance was shrunk by.
    """
    margin = 0.0
    for _ in range(6):
        # The error depends on the order, and the order on the tolerance that the error leaves.
        solution, polarity = solve(max(tau - margin, KEPT * tau))
        error = bias_error(polarity, found.covariance)
        if error * Z <= margin + 1e-12:
            break
        margin = error * Z
    return solution, error, margin


def as_ranked(
    found: PositionWeights, relevance: Floats, polarity: Floats, goal: float | None, note: str
) -> PositionAudit:
    """Return what is predicted for documents whose order came with their choice.

    Parameters
    ----------
    relevance, polarity
        Shape (k,), by rank.
    goal
        The Rb that the choice aimed at; None where it aimed at none.
    """
    if not found.calibrated:
        return PositionAudit(calibrated=False, note=f"{found.note}: {note}", model=found.model)
    predicted, error = found.predict(polarity)
    natural = polarity[np.argsort(-relevance, kind="stable")]
    return PositionAudit(
        calibrated=True,
        note=note,
        model=found.model,
        predicted=predicted,
        standard_error=error,
        target=goal,
        natural=found.predict(natural)[0],
    )


def weighted_w1(found: PositionWeights, scores: Floats, target: Floats) -> float | None:
    """Return W1 to the target of the opinions as the position weights count them; None where none was measured.

    Shape of ``scores``: (k,), by rank. Negative weights count 0, since they make no distribution.
    """
    counted = np.maximum(found.weights, 0.0)
    if not found.calibrated or not counted.sum() > 0:
        return None
    return wasserstein_p(scores, np.asarray(BINS), counted, target, 1.0)


def population_bias(shares: Floats) -> float:
    """Return positive minus negative share of seven bins, -30 first."""
    return float(shares[4:].sum() - shares[:3].sum())


def _why(context: RagContext, model: str, prompt_sha: str, attribute: str, k: int) -> str:
    own = [fit for fit in context.calibrations.fits() if fit.attribute == attribute and fit.model == model]
    other = sorted({fit.k for fit in own if fit.prompt_sha == prompt_sha})
    if other:
        return f"no position weights for k = {k} (calibrated for k = {', '.join(map(str, other))})"
    if own:
        return f"no position weights for k = {k}: they were measured with another prompt or embedder"
    return f"no position weights for k = {k}"


__all__ = [
    "POLARITY",
    "PositionWeights",
    "as_ranked",
    "ordered",
    "population_bias",
    "position_weights",
    "uniform_weights",
    "weighted_w1",
    "within_error",
]
