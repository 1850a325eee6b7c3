"""The whole trade-off of relevance against output bias, without a grid, and the soft objective on it.

Between two prices at which some question changes nothing happens, so the supported frontier is the running sum of
the sorted events (Minkowski sum of the questions' concave envelopes).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.fairness.checks import instance, number
from agents.fairness.faro_problem import Booleans, Floats, Integers, RerankProblem, Side
from agents.fairness.faro_repair import pattern_moves
from agents.fairness.soft_search import (
    ROUNDS,
    Exchange,
    best_exchange,
    best_sum,
    close_enough,
    countable,
    partway,
)


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
        return float(np.interp(number("bias", bias), self.bias, self.relevance, left=-np.inf, right=-np.inf))


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
    instance("problem", problem, RerankProblem)
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
    instance("problem", problem, RerankProblem)
    number("mu", mu)
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

    The bound is the optimum of the relaxation. Small instances are solved exactly; otherwise the ranking is the best
    around the relaxed optimum: breakpoints, questions standing as at the one or the other, and exchanges.
    """
    instance("problem", problem, RerankProblem)
    number("strength", strength, 0.0)
    number("target", target)
    path = frontier(problem)
    best_bias, bound = _relaxed(path, strength, target)

    def value(pattern: Booleans) -> float:
        return _relevance(problem, pattern) - strength * (problem.predicted_bias(pattern) - target) ** 2

    every = _best_of_all(problem, strength, target) if strength > 0 else problem.natural_pattern
    if every is not None:
        best = max((problem.natural_pattern, every), key=value)
    else:
        best = max(_around(problem, best_bias), key=value)
        best = _exchanged(problem, best, bound - value(best), strength, best_bias, target)
    return SoftSolution(
        problem.ranking(best), _relevance(problem, best), problem.predicted_bias(best), value(best), bound
    )


def _best_of_all(problem: RerankProblem, strength: float, target: float) -> Booleans | None:
    """Best of all patterns; None where they are too many."""
    k, Q = problem.k, problem.questions
    if not countable(Q, 1 << k):
        return None
    options = np.asarray((np.arange(1 << k)[:, None] >> np.arange(k)) & 1, dtype=bool)
    bias = problem.bias_of(options)
    chosen = best_sum(
        [(bias, row) for row in problem.relevance_by_count[:, options.sum(axis=1)]],
        lambda total, worth: worth - strength * (total / Q + problem.intercept - target) ** 2,
    )
    return None if chosen is None else np.asarray(options[chosen])


def _around(problem: RerankProblem, best_bias: float) -> list[Booleans]:
    """Patterns of the frontier near an Rb: its breakpoints, and what lies between two of them."""
    Q, natural = problem.questions, problem.natural_pattern
    wanted = Q * (best_bias - problem.intercept)
    lowest = problem.extreme_pattern(problem.top_count, "down")
    highest = problem.extreme_pattern(problem.top_count, "up")
    low, high = float(problem.bias_of(lowest).sum()), float(problem.bias_of(highest).sum())
    # Ties let documents in and out at no loss, so the natural ranking need not lie among these.
    found = [natural, lowest, highest]
    if low <= wanted <= high:
        now = float(problem.bias_of(natural).sum())
        end = problem.extreme_pattern(natural.sum(axis=1), "up" if now < wanted else "down")
        return [*found, *_partway(problem, natural, end, wanted), *_partway(problem, lowest, highest, wanted)]
    side: Side = "up" if wanted > high else "down"
    events = problem.events(side)
    j = int(np.searchsorted(events.cumulative_gain, wanted - high if side == "up" else low - wanted))
    for taken in {max(j - 1, 0), min(j, events.gain.size), min(j + 1, events.gain.size)}:
        change = np.bincount(events.question[:taken], weights=events.step[:taken], minlength=Q)
        found.append(problem.extreme_pattern(problem.top_count + change.astype(np.int64), side))
    return found


def _partway(problem: RerankProblem, start: Booleans, end: Booleans, wanted: float) -> list[Booleans]:
    """Patterns with some questions as in ``end``, the rest as in ``start``: just before and beyond a summed bias."""
    step = problem.bias_of(end) - problem.bias_of(start)
    room = wanted - float(problem.bias_of(start).sum())
    sign = 1.0 if room >= 0 else -1.0
    result = []
    for questions in partway(sign * step, sign * room):
        pattern = start.copy()
        pattern[questions] = end[questions]
        result.append(pattern)
    return result


def _exchanged(
    problem: RerankProblem, pattern: Booleans, gap: float, strength: float, best_bias: float, target: float
) -> Booleans:
    """Improve a pattern by exchanges until it is as good as the bound, or none helps."""
    Q = problem.questions
    wanted = Q * (best_bias - target)
    price = 2.0 * strength * (best_bias - target) / Q
    sign = -1.0 if price > 0 else 1.0
    good = close_enough(problem.top_relevance, problem.bottom_relevance, Q)
    for _ in range(ROUNDS):
        if gap <= good:
            break
        moves = pattern_moves(problem, pattern, sign, abs(price))
        offset = Q * (problem.predicted_bias(pattern) - target)
        exchange = Exchange(moves.question, sign * moves.gain, moves.loss)
        members, gain = best_exchange(exchange, offset, wanted, strength / Q**2, gap)
        if not members:
            break
        pattern = pattern.copy()
        pattern[moves.question[list(members)]] = moves.pattern[list(members)]
        gap -= gain
    return pattern


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


def _relevance(problem: RerankProblem, pattern: Booleans) -> float:
    rows = np.arange(problem.questions)
    return float(problem.relevance_by_count[rows, pattern.sum(axis=1)].sum())


__all__ = ["Frontier", "Priced", "SoftSolution", "at_price", "frontier", "solve_soft"]
