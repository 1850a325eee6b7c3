"""The soft objective for typed documents: relevance less a price on the squared distance of Rb from its target.

``Rel - strength * (Rb - target)^2`` (FARO eq. 11, with a target) is concave along the relaxed frontier. The oracle
answers a price mu with the rankings of the most ``Rel - mu * Rb``, and Rb falls as the price rises; the optimum is
where ``mu = 2 strength (Rb - target)``. Each price also bounds the objective of all rankings from above, by
``max (Rel - mu * Rb) + mu * target + mu^2 / (4 strength)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.fairness.checks import instance, number
from agents.fairness.faro_frontier import SoftSolution
from agents.fairness.multigroup_problem import Integers, MultigroupProblem, oracle
from agents.fairness.soft_search import ROUNDS as EXCHANGES
from agents.fairness.soft_search import Exchange, best_exchange, best_sum, close_enough, countable, partway

#: Prices tried at the most; each second one halves the bracket.
ROUNDS = 200
#: Share of all relevance that tells a corner of the frontier from a straight line; of all Rb, two points apart.
CLOSE = 1e-12


class _Point(NamedTuple):
    """A supported point: the price that found it, and its rankings as types by position."""

    price: float
    bias: float
    relevance: float
    pattern: Integers


def solve_soft_types(problem: MultigroupProblem, strength: float, target: float = 0.0) -> SoftSolution:
    """Maximise ``Rel - strength * (Rb - target)^2`` over rankings of typed documents, strength >= 0.

    The bound is the optimum of the relaxation. Small instances are solved exactly; otherwise the ranking is the best
    around that optimum: the two corners of the frontier, between them those where some questions stand as at the one
    and the rest as at the other, and exchanges.

    Raises
    ------
    ValueError
        Strength or target are out of range, or the problem has several components.
    """
    instance("problem", problem, MultigroupProblem)
    number("strength", strength, 0.0)
    number("target", target)
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
    every = _best_of_all(problem, strength, target)
    if every is not None:
        best = max((natural, every), key=value)
    else:
        best = max((natural, left, right, last, *_between(problem, left, right, wanted)), key=value)
        best = _exchanged(problem, best, bound - value(best), strength, wanted, target)
    return _solution(problem, best, value(best), max(bound, value(best)))


def _edge(problem: MultigroupProblem, strength: float, target: float) -> tuple[_Point, _Point, float]:
    """Corners of the frontier around the optimum, the one of the lower Rb first, and the slope between them."""
    reach = float(np.abs(problem.weights).sum() * np.abs(problem.vectors).max())
    middle = float(problem.intercept[0]) - target
    rise_seen = (
        CLOSE * problem.questions * problem.k * float(np.abs(problem.relevance[problem.present]).max())
    )
    right = _at(problem, 2 * strength * (middle - reach))
    left = _at(problem, 2 * strength * (middle + reach))
    slope = 0.0
    for turn in range(ROUNDS):
        if right.bias - left.bias <= CLOSE * reach:
            break
        slope = (right.relevance - left.relevance) / (right.bias - left.bias)
        chord = turn % 2 == 0
        found = _at(problem, slope if chord else (left.price + right.price) / 2)
        rise = (found.relevance - left.relevance) - slope * (found.bias - left.bias)
        if chord and rise <= rise_seen:
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
    found = []
    for questions in partway(step, wanted - left.bias):
        pattern = left.pattern.copy()
        pattern[questions] = right.pattern[questions]
        found.append(_point(problem, left.price, pattern))
    return found


def _best_of_all(problem: MultigroupProblem, strength: float, target: float) -> _Point | None:
    """Best of all patterns; None where they are too many."""
    Q, k, T = problem.questions, problem.k, problem.vectors.shape[0]
    if not countable(Q, T**k):
        return None
    options = np.arange(T**k)[:, None] // T ** np.arange(k) % T
    counts = (options[:, :, None] == np.arange(T)).sum(axis=1)
    bias = problem.vectors[options][:, :, 0] @ problem.weights
    prefix = np.concatenate((np.zeros((Q, T, 1)), np.cumsum(problem.best, axis=2)), axis=2)
    relevance = prefix[:, np.arange(T), counts].sum(axis=2)
    chosen = best_sum(
        [(bias, row) for row in relevance],
        lambda total, worth: worth - strength * (total / Q + problem.intercept[0] - target) ** 2,
    )
    return None if chosen is None else _point(problem, 0.0, options[chosen])


def _exchanged(
    problem: MultigroupProblem, point: _Point, gap: float, strength: float, wanted: float, target: float
) -> _Point:
    """Improve a point by exchanges until it is as good as the bound, or none helps."""
    Q = problem.questions
    shown, relevance = Q * problem.k, problem.relevance[problem.present]
    good = close_enough(float(relevance.max()) * shown, float(relevance.min()) * shown, Q)
    for _ in range(EXCHANGES):
        if gap <= good:
            break
        moves, places, types = _moves(problem, point.pattern)
        members, gain = best_exchange(
            moves, Q * (point.bias - target), Q * (wanted - target), strength / Q**2, gap
        )
        if not members:
            break
        pattern = point.pattern.copy()
        for member in members:
            pattern[moves.question[member], places[member]] = types[member]
        point = _point(problem, point.price, pattern)
        gap -= gain
    return point


def _moves(problem: MultigroupProblem, pattern: Integers) -> tuple[Exchange, Integers, Integers]:
    """Exchanges of two positions of a question, and of one document for the best unused one of another type.

    Returns them with their two positions (the same twice for one document) and the types there, shape (moves, 2).
    """
    Q, k = pattern.shape
    vectors, weights, T = problem.vectors[:, 0], problem.weights, problem.vectors.shape[0]
    counts = (pattern[:, :, None] == np.arange(T)).sum(axis=1)
    padded = np.concatenate((problem.best, np.full((Q, T, 1), -np.inf)), axis=2)
    following = np.take_along_axis(padded, counts[:, :, None], axis=2)[:, :, 0]
    final = np.take_along_axis(padded, np.maximum(counts - 1, 0)[:, :, None], axis=2)[:, :, 0]
    loss = np.take_along_axis(final, pattern, axis=1)[:, :, None] - following[:, None, :]
    shift = weights[:, None] * (vectors - vectors[pattern][:, :, None])
    q, p, t = np.nonzero(np.isfinite(loss) & (shift != 0))
    i, j = np.triu_indices(k, 1)
    swap = (weights[i] - weights[j]) * (vectors[pattern[:, j]] - vectors[pattern[:, i]])
    row, pair = np.nonzero(swap)
    moves = Exchange(
        np.concatenate((q, row)),
        np.concatenate((shift[q, p, t], swap[row, pair])),
        np.concatenate((loss[q, p, t], np.zeros(row.size))),
    )
    first, second = i[pair], j[pair]
    places = np.column_stack((np.concatenate((p, first)), np.concatenate((p, second))))
    types = np.column_stack(
        (np.concatenate((t, pattern[row, second])), np.concatenate((t, pattern[row, first])))
    )
    return moves, places, types


def _at(problem: MultigroupProblem, price: float) -> _Point:
    return _point(problem, price, oracle(problem, [price / problem.questions]).pattern)


def _point(problem: MultigroupProblem, price: float, pattern: Integers) -> _Point:
    relevance = problem.relevance_of(problem.ranking(pattern))
    return _Point(price, float(problem.bias_of(pattern)[0]), relevance, pattern)


def _solution(problem: MultigroupProblem, point: _Point, objective: float, bound: float) -> SoftSolution:
    ranking = problem.ranking(point.pattern)
    return SoftSolution(ranking, point.relevance, point.bias, objective, bound)


__all__ = ["solve_soft_types"]
