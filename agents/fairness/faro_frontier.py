"""The whole trade-off of relevance against output bias, without a grid, and the soft objective on it.

Between two prices at which some question changes nothing happens, so the supported frontier is the running sum of
the sorted events (Minkowski sum of the questions' concave envelopes).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.fairness.faro_problem import Booleans, Floats, Integers, RerankProblem, Side


@dataclass(frozen=True, eq=False)
class Frontier:
    """Supported points of (predicted Rb, relevance), by rising Rb.

    Attributes
    ----------
    bias, relevance
        Shape (M,): breakpoints; between two of them the relaxation reaches every point of the straight line.
    price
        Shape (M - 1,): signed ``mu`` of each segment, falling from positive (Rb held down) to negative; 0 on the
        flat top, where only the order of the documents changes.
    """

    bias: Floats
    relevance: Floats
    price: Floats

    def relevance_at(self, bias: float) -> float:
        """Most relevance of the relaxation at one Rb; -inf outside the reachable range."""
        return float(np.interp(bias, self.bias, self.relevance, left=-np.inf, right=-np.inf))


class Priced(NamedTuple):
    """Optimum for one price: plus documents, pattern, relevance, predicted Rb, and ``Rel - mu * Rb``."""

    counts: Integers
    pattern: Booleans
    relevance: float
    bias: float
    objective: float


@dataclass(frozen=True, eq=False)
class SoftSolution:
    """Best ranking found for ``Rel - strength * (Rb - target)^2`` with an upper bound of the optimum."""

    ranking: Integers
    relevance: float
    bias: float
    objective: float
    bound: float


def frontier(problem: RerankProblem) -> Frontier:
    """Return the exact supported frontier, both sides and the flat top."""
    Q = problem.questions
    top = problem.top_relevance
    low = float(problem.lowest_bias[problem.top_count].sum())
    high = float(problem.highest_bias[problem.top_count].sum())
    down, up = problem.down, problem.up
    bias = np.concatenate(
        (
            (low - down.cumulative_gain)[::-1],
            [low] if high - low <= 1e-15 else [low, high],
            high + up.cumulative_gain,
        )
    )
    flat = bias.size - down.gain.size - up.gain.size
    relevance = np.concatenate(
        ((top - down.cumulative_loss)[::-1], np.full(flat, top), top - up.cumulative_loss)
    )
    price = np.concatenate((Q * down.rate[::-1], np.zeros(flat - 1), -Q * up.rate))
    return Frontier(bias / Q + problem.intercept, relevance, price)


def at_price(problem: RerankProblem, mu: float) -> Priced:
    """Maximise ``Rel - mu * Rb`` (eqs. 15 to 17) in closed form, for every question at once.

    With ``m = mu / Q`` the n-th plus document is shown when its gain of relevance exceeds ``2 m w_n``, the weights
    taken in ascending order for ``mu >= 0`` and in descending order below 0. At 0 the natural ranking is kept.
    """
    side: Side = "down" if mu >= 0 else "up"
    weights = problem.weights_down[::-1] if side == "down" else problem.weights_down
    counts = np.count_nonzero(problem.marginal > 2.0 * (mu / problem.questions) * weights, axis=1)
    pattern = problem.natural_pattern if mu == 0 else problem.extreme_pattern(counts, side)
    if mu == 0:
        counts = pattern.sum(axis=1)
    relevance = float(problem.relevance_by_count[np.arange(problem.questions), counts].sum())
    bias = problem.predicted_bias(pattern)
    return Priced(counts, pattern, relevance, bias, relevance - mu * bias)


def solve_soft(problem: RerankProblem, strength: float, target: float = 0.0) -> SoftSolution:
    """Maximise ``Rel - strength * (Rb - target)^2`` (eq. 11), strength >= 0.

    The bound is the optimum of the relaxation; the ranking is the best of the two breakpoints around it, of the
    orders of the most relevant documents, and of the natural ranking.
    """
    if not np.isfinite(strength) or strength < 0:
        raise ValueError(f"strength must be a finite number >= 0, got {strength}")
    if not np.isfinite(target):
        raise ValueError("target must be finite")
    path = frontier(problem)
    best_bias, bound = _relaxed(path, strength, target)
    candidates = [problem.natural_pattern]
    Q = problem.questions
    low = float(problem.lowest_bias[problem.top_count].sum())
    high = float(problem.highest_bias[problem.top_count].sum())
    wanted = Q * (best_bias - problem.intercept)
    if low <= wanted <= high:
        candidates += _flat_orders(problem, wanted)
    else:
        side: Side = "up" if wanted > high else "down"
        events = problem.events(side)
        need = wanted - high if side == "up" else low - wanted
        j = int(np.searchsorted(events.cumulative_gain, need))
        for taken in {max(j - 1, 0), min(j, events.gain.size), min(j + 1, events.gain.size)}:
            change = np.bincount(events.question[:taken], weights=events.step[:taken], minlength=Q)
            candidates.append(problem.extreme_pattern(problem.top_count + change.astype(np.int64), side))

    def value(pattern: Booleans) -> float:
        return _relevance(problem, pattern) - strength * (problem.predicted_bias(pattern) - target) ** 2

    best = max(candidates, key=value)
    return SoftSolution(
        problem.ranking(best), _relevance(problem, best), problem.predicted_bias(best), value(best), bound
    )


def _relaxed(path: Frontier, strength: float, target: float) -> tuple[float, float]:
    """Rb and value of the relaxation's optimum: the best point of each segment in closed form."""
    if path.bias.size == 1:
        return float(path.bias[0]), float(path.relevance[0] - strength * (path.bias[0] - target) ** 2)
    start, end = path.bias[:-1], path.bias[1:]
    slope = path.price
    inner = target + slope / (2.0 * strength) if strength > 0 else np.where(slope >= 0, np.inf, -np.inf)
    at = np.clip(inner, start, end)
    value = path.relevance[:-1] + slope * (at - start) - strength * (at - target) ** 2
    best = int(np.argmax(value))
    return float(at[best]), float(value[best])


def _flat_orders(problem: RerankProblem, wanted: float) -> list[Booleans]:
    """Orders of the natural documents just before and just beyond the wanted bias."""
    natural = problem.natural_pattern
    bias = problem.bias_of(natural)
    side: Side = "up" if bias.sum() < wanted else "down"
    extreme = problem.extreme_pattern(natural.sum(axis=1), side)
    step = np.abs(problem.bias_of(extreme) - bias)
    order = np.argsort(-step, kind="stable")
    j = int(np.searchsorted(np.cumsum(step[order]), abs(wanted - bias.sum())))
    result = []
    for taken in (j, min(j + 1, order.size)):
        pattern = natural.copy()
        pattern[order[:taken]] = extreme[order[:taken]]
        result.append(pattern)
    return result


def _relevance(problem: RerankProblem, pattern: Booleans) -> float:
    rows = np.arange(problem.questions)
    return float(problem.relevance_by_count[rows, pattern.sum(axis=1)].sum())


__all__ = ["Frontier", "Priced", "SoftSolution", "at_price", "frontier", "solve_soft"]
