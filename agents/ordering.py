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
from store.verdicts import SLACK, Z, judge, miss_words, signed

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Attribute that orders are calibrated for on opinion corpora.
POLARITY: Final = "polarity"
#: Share of the tolerance that is kept however large the error (``Z`` standard errors of the predicted Rb).
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
        return bounded(self.linear(embedding_bias)), bias_error(embedding_bias, self.covariance)

    def linear(self, embedding_bias: Floats) -> float:
        """Return what the fitted line has for it, which may lie beyond any Rb there is."""
        return float(embedding_bias @ self.weights) + self.intercept

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
        return bounded(population * float(self.weights.sum()))


def bounded(bias: float) -> float:
    """Return the output bias nearest to a number that a fitted line gave: none lies beyond -1 and +1."""
    return min(1.0, max(-1.0, bias))


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

    best, shown = within_error(found, goal, tau, solve)
    note = "relevance order kept" if best.unchanged else "reordered towards the target"
    low, high = best.reachable
    position = as_ranked(found, polarity[natural].astype(np.float64), shown, goal, tau, note)
    return best.order, position.model_copy(update={"reachable": (bounded(low), bounded(high))})


def within_error(
    found: PositionWeights, goal: float, tau: float, solve: Callable[[float], tuple[T, Floats]]
) -> tuple[T, Floats]:
    """Solve for a tolerance that leaves room for the calibration's error, or for the nearest that there is.

    Parameters
    ----------
    solve
        Takes a tolerance; returns a solution and its polarity by rank, shape (k,).
    """
    margin = 0.0
    for _ in range(6):
        # The error depends on the order, and the order on the tolerance that the error leaves.
        room = max(tau - margin, KEPT * tau)
        solution, polarity = solve(room)
        error = Z * bias_error(polarity, found.covariance)
        if error <= margin + 1e-12:
            break
        margin = error
    distance = abs(found.linear(polarity) - goal)
    if distance > room + SLACK:
        # Nothing lies so near: the nearest, or else all of the tolerance, is what can be asked for.
        return solve(distance if distance <= tau else tau)
    return solution, polarity


def as_ranked(
    found: PositionWeights, natural: Floats, polarity: Floats, goal: float | None, tau: float, note: str
) -> PositionAudit:
    """Return what is predicted for an order, and whether it meets what was aimed at.

    Parameters
    ----------
    natural, polarity
        Shape (k,): by relevance, and by rank.
    goal, tau
        The Rb that was aimed at, None where none was, and how far from it is still right.
    """
    if not found.calibrated:
        return PositionAudit(calibrated=False, note=f"{found.note}: {note}", model=found.model)
    predicted, error = found.predict(polarity)
    return PositionAudit(
        calibrated=True,
        note=note,
        model=found.model,
        predicted=predicted,
        standard_error=error,
        target=goal,
        tau=None if goal is None else tau,
        verdict=None if goal is None else judge(predicted, goal, tau, error),
        natural=found.predict(natural)[0],
    )


def unmet_words(position: PositionAudit) -> str:
    """Return how far an order is from the target that it does not meet; empty where it does, or had none."""
    if position.verdict != "not met" or position.predicted is None or position.target is None:
        return ""
    miss = miss_words(position.predicted, position.target, position.reachable, "these documents")
    aim = f"target {signed(position.target, 3)} +/- {position.tau:g}"
    return f"predicted Rb {signed(position.predicted, 3)} of the order, {aim}: {miss}"


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
    fits = [fit for fit in context.calibrations.fits() if fit.model == model]
    usable: dict[str, set[int]] = {}
    for fit in fits:
        if fit.prompt_sha == prompt_sha and (fit.attribute == attribute or fit.k == k):
            usable.setdefault(fit.attribute, set()).add(fit.k)
    why = f"no position weights of {attribute} for k = {k}"
    if usable:
        # Its own first: the other attributes' weights, though for this k, are not for this.
        listed = [
            f"{name} is calibrated for k = {', '.join(map(str, sorted(usable[name])))}"
            for name in sorted(usable, key=lambda name: (name != attribute, name))
        ]
        return f"{why} ({', '.join(listed)})"
    if any(fit.attribute == attribute for fit in fits):
        return f"{why}: they were measured with another prompt or embedder"
    return why


__all__ = [
    "POLARITY",
    "PositionWeights",
    "as_ranked",
    "bounded",
    "ordered",
    "population_bias",
    "position_weights",
    "uniform_weights",
    "unmet_words",
    "weighted_w1",
    "within_error",
]
