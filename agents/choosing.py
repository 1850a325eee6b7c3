"""One question's choice by a named method: the options that each method takes, and what its choice weighed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.opinion import recommended_weights
from agents.fairness.pool import Pool, Selection
from agents.fairness.position_sums import MAX_POSITIONS
from agents.fairness.ranked_methods import MOST_WEIGHTED
from agents.fairness.selection import AIMED_METHODS, select
from agents.ordering import PositionWeights, within_error
from agents.pools import Groups
from store.errors import UsageError
from store.verdicts import judge

Floats = NDArray[np.float64]

#: Methods that balance author groups.
BALANCING: Final = frozenset({"exact", "exact-w2", "balanced"})


@dataclass(frozen=True, eq=False)
class Desk:
    """What a choice is made from: candidates, the attributes to balance, position weights, the Rb aimed at, chance."""

    problem: Pool
    groups: tuple[Groups, ...]
    measured: PositionWeights
    goal: float
    tau: float
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class Made:
    """A choice with what it weighed.

    Attributes
    ----------
    selection
        The documents.
    lam, beta
        Weights of the distance and of the largest author-group gap; None where the method has none.
    distance_name
        What ``lam`` weighed where it was not W1 of the documents.
    goal
        The Rb that the choice itself aimed at; None where it aimed at none.
    notes
        What the method has to say of its choice.
    """

    selection: Selection
    lam: float | None = None
    beta: float | None = None
    distance_name: str = ""
    goal: float | None = None
    notes: tuple[str, ...] = field(default=())
    weights: Floats | None = None

    def distance(self, scores: Floats, target: Floats) -> float | None:
        """Return the distance that ``lam`` weighed where it was not W1 of the documents, shape of ``scores`` (k,)."""
        if not self.distance_name or not len(scores):
            return None
        if self.distance_name == "W2":
            return float(np.sqrt(wasserstein_p(scores, np.asarray(BINS), None, target, 2.0)))
        return wasserstein_p(scores, np.asarray(BINS), self.weights, target, 1.0)


def choose(method: str, desk: Desk, k: int, weighed: Mapping[str, float]) -> Made:
    """Choose k documents.

    Parameters
    ----------
    method
        A name in ``agents.fairness.selection.METHODS``.
    weighed
        ``lam`` and ``beta`` where they were given; others are recommended ones.

    Raises
    ------
    UsageError
        The method cannot choose so many documents, or balance so many attributes.
    """
    size = min(k, len(desk.problem))
    default = recommended_weights(max(size, 1))
    lam, beta = weighed.get("lam", default[0]), weighed.get("beta", default[1])
    if method in ("exact", "exact-w2"):
        if method == "exact-w2" and len(desk.groups) > 1:
            names = ", ".join(each.attribute for each in desk.groups)
            raise UsageError(f"exact-w2 balances one author attribute, not {names}", "use exact for several")
        found = select(method, desk.problem, k, lam=lam, beta=beta)
        name = "W2" if method == "exact-w2" else ""
        return Made(found, lam, beta if desk.groups else None, name, notes=found.notes)
    if method == "exact-weighted":
        return _weighted(desk, k, lam)
    if method == "faro":
        return _faro(desk, k)
    if method in AIMED_METHODS:
        return _published(method, desk, k)
    return Made(select(method, desk.problem, k, desk.rng, **own_options(method, len(desk.problem), k)))


def own_options(method: str, documents: int, k: int) -> dict[str, Any]:
    """Return the options that a sample of k of so many documents is drawn with: in answers and in their evaluation."""
    if method != "balanced":
        return {}
    # The more relevant half, but never so few that the sample has nothing to choose from.
    return {"relevance_quantile": float(np.clip(1 - 3 * k / max(documents, 1), 0.0, 0.5))}


def _weighted(desk: Desk, k: int, lam: float) -> Made:
    if k > MOST_WEIGHTED:
        raise UsageError(
            f"exact-weighted chooses at most {MOST_WEIGHTED} documents, not {k}",
            f"use -k {MOST_WEIGHTED} or fewer, or exact",
        )
    weights = desk.measured.weights
    found = select("exact-weighted", desk.problem, k, weights=weights, lam=lam)
    counted = np.maximum(weights, 0.0)
    counted = counted if counted.sum() > 0 else np.full(len(weights), 1 / max(len(weights), 1))
    return Made(found, lam, None, "W1 by rank", notes=found.notes, weights=counted)


def _faro(desk: Desk, k: int) -> Made:
    if min(k, len(desk.problem)) > MAX_POSITIONS:
        raise UsageError(
            f"faro chooses at most {MAX_POSITIONS} documents, not {min(k, len(desk.problem))}",
            f"use -k {MAX_POSITIONS} or fewer, or exact",
        )
    measured = desk.measured
    bias = np.sign(desk.problem.score)

    def solve(room: float) -> tuple[Selection, Floats]:
        found = select(
            "faro",
            desk.problem,
            k,
            weights=measured.weights,
            intercept=measured.intercept,
            target=desk.goal,
            tau=room,
        )
        return found, np.asarray(bias[found.indices], dtype=np.float64)

    found, shown = within_error(measured, desk.goal, desk.tau, solve)
    # The line may fall short of a target at the end of the scale that the bias itself cannot miss.
    met = judge(measured.predict(shown)[0], desk.goal, desk.tau) != "not met"
    notes = tuple(each for each in found.notes if not (met and each.startswith("no ranking ")))
    return Made(found, goal=desk.goal, notes=notes)


def _published(method: str, desk: Desk, k: int) -> Made:
    """Choose by a baseline of FARO as published: it knows of no error of the calibration."""
    measured = desk.measured
    aim: dict[str, Any] = {"weights": measured.weights, "intercept": measured.intercept, "target": desk.goal}
    if method != "probabilistic":
        aim["tau"] = desk.tau
    found = select(method, desk.problem, k, desk.rng, **aim)
    return Made(found, goal=desk.goal, notes=found.notes)


__all__ = ["BALANCING", "Desk", "Made", "choose", "own_options"]
