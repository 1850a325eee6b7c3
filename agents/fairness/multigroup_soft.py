"""The soft objective for typed documents: relevance less a price on the squared distance of Rb from its target.

``Rel - strength * (Rb - target)^2`` (FARO eq. 11, with a target) is concave along the relaxed frontier. The oracle
answers a price mu with the rankings of the most ``Rel - mu * Rb``, and Rb falls as the price rises; the optimum is
where ``mu = 2 strength (Rb - target)``. Each price also bounds the objective of all rankings from above, by
``max (Rel - mu * Rb) + mu * target + mu^2 / (4 strength)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.fairness.faro_frontier import SoftSolution
from agents.fairness.multigroup_problem import Integers, MultigroupProblem, oracle

#: Prices tried at the most; each second one halves the bracket.
ROUNDS = 200
#: Relevance that tells a corner of the frontier from a straight line, and Rb that tells two points apart.
CLOSE = 1e-9


class _Point(NamedTuple):
    """A supported point: the price that found it, and its rankings as types by position."""

    price: float
    bias: float
    relevance: float
    pattern: Integers


def solve_soft_types(problem: MultigroupProblem, strength: float, target: float = 0.0) -> SoftSolution:
    """Maximise ``Rel - strength * (Rb - target)^2`` over rankings of typed documents, strength >= 0.

    The bound is the optimum of the relaxation. The ranking is the best of the supported ones: the two corners of the
    frontier around that optimum, and between them those where some questions stand as at the one and the rest as at
    the other.

    Raises
    ------
    ValueError
        Strength or target are out of range, or the problem has several components.
    """
    if not np.isfinite(strength) or strength < 0:
        raise ValueError(f"strength must be a finite number >= 0, got {strength}")
    if not np.isfinite(target):
        raise ValueError("target must be finite")
    if problem.vectors.shape[1] != 1:
        raise ValueError(f"problem must have one component, got {problem.vectors.shape[1]}")

    def value(point: _Point) -> float:
        return point.relevance - strength * (point.bias - target) ** 2

    natural = _point(problem, 0.0, problem.natural_pattern)
    if strength == 0:
        return _solution(problem, natural, value(natural), problem.top_relevance)
    left, right, slope = _edge(problem, strength, target)
    wanted = float(np.clip(target + slope / (2 * strength), left.bias, right.bias))
    price = 2 * strength * (wanted - target)
    last = _at(problem, price)
    bound = last.relevance - price * last.bias + price * target + price**2 / (4 * strength)
    best = max((natural, left, right, last, *_between(problem, left, right, wanted)), key=value)
    return _solution(problem, best, value(best), max(bound, value(best)))


def _edge(problem: MultigroupProblem, strength: float, target: float) -> tuple[_Point, _Point, float]:
    """Corners of the frontier around the optimum, the one of the lower Rb first, and the slope between them."""
    reach = float(np.abs(problem.weights).sum() * np.abs(problem.vectors).max())
    middle = float(problem.intercept[0]) - target
    right = _at(problem, 2 * strength * (middle - reach))
    left = _at(problem, 2 * strength * (middle + reach))
    slope = 0.0
    for turn in range(ROUNDS):
        if right.bias - left.bias <= CLOSE:
            break
        slope = (right.relevance - left.relevance) / (right.bias - left.bias)
        chord = turn % 2 == 0
        found = _at(problem, slope if chord else (left.price + right.price) / 2)
        rise = (found.relevance - left.relevance) - slope * (found.bias - left.bias)
        if chord and rise <= CLOSE:
            break
        if 2 * strength * (found.bias - target) > found.price:
            right = found
        else:
            left = found
    return left, right, slope


def _between(problem: MultigroupProblem, left: _Point, right: _Point, wanted: float) -> list[_Point]:
    """Points of the straight line from ``left`` to ``right`` just below and just above the wanted Rb."""
    shown = problem.vectors[right.pattern][:, :, 0] - problem.vectors[left.pattern][:, :, 0]
    step = shown @ problem.weights / problem.questions
    room = wanted - left.bias
    taken: list[int] = []
    rest: list[int] = []
    for q in np.argsort(-step, kind="stable"):
        if 0 < step[q] <= room:
            room -= step[q]
            taken.append(int(q))
        elif step[q] > 0:
            rest.append(int(q))
    found = []
    for questions in (taken, taken + rest[-1:]):
        pattern = left.pattern.copy()
        pattern[questions] = right.pattern[questions]
        found.append(_point(problem, left.price, pattern))
    return found


def _at(problem: MultigroupProblem, price: float) -> _Point:
    return _point(problem, price, oracle(problem, [price / problem.questions]).pattern)


def _point(problem: MultigroupProblem, price: float, pattern: Integers) -> _Point:
    relevance = problem.relevance_of(problem.ranking(pattern))
    return _Point(price, float(problem.bias_of(pattern)[0]), relevance, pattern)


def _solution(problem: MultigroupProblem, point: _Point, objective: float, bound: float) -> SoftSolution:
    ranking = problem.ranking(point.pattern)
    return SoftSolution(ranking, point.relevance, point.bias, objective, bound)


__all__ = ["solve_soft_types"]
