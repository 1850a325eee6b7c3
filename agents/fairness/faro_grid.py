"""FARO as published (algorithm 2): a grid of prices, one Hungarian assignment per question and price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from agents.fairness.checks import finite, instance, number
from agents.fairness.faro_problem import SLACK, Floats, Integers, RerankProblem


@dataclass(frozen=True, eq=False)
class GridSolution:
    """The most relevant feasible grid point, or the one nearest to feasibility.

    Attributes
    ----------
    feasible
        Whether any price met ``|Rb - target| <= tau``.
    price
        The chosen ``mu``.
    ranking
        Shape (Q, k): candidate indices by position.
    biases, relevances
        Shape (M,): of every grid point, in the order of the prices.
    """

    feasible: bool
    price: float
    ranking: Integers
    bias: float
    relevance: float
    normalised_relevance: float
    prices: Floats
    biases: Floats
    relevances: Floats


def published_prices() -> Floats:
    """Return the paper's 81 values of ``mu`` in [-20, 20]."""
    return np.linspace(-20.0, 20.0, 81)


def assign(problem: RerankProblem, mu: float) -> Integers:
    """Maximise eq. 17 for every question with the Hungarian algorithm; returns (Q, k) candidate indices."""
    instance("problem", problem, RerankProblem)
    number("mu", mu)
    push = (mu / problem.questions) * problem.weights
    ranking = np.empty((problem.questions, problem.k), dtype=np.int64)
    whole = bool(problem.present.all())
    for q in range(problem.questions):
        candidates = np.arange(problem.relevance.shape[1]) if whole else np.flatnonzero(problem.present[q])
        reward = problem.relevance[q, candidates][:, None] - push * problem.attribute[q, candidates][:, None]
        rows, positions = linear_sum_assignment(reward, maximize=True)
        ranking[q, positions] = candidates[rows]
    return ranking


def faro_grid(
    problem: RerankProblem, tau: float = 0.1, *, target: float = 0.0, prices: ArrayLike | None = None
) -> GridSolution:
    """Run algorithm 2 of the paper.

    The range of the prices does not scale with the number of questions, and the orders that cost nothing (the
    flat top at ``mu = 0``) are never visited, so that no grid point may be feasible; then ``feasible`` is False
    and the point nearest to the target is returned.

    Raises
    ------
    ValueError
        If tau, target or prices is out of range; begins with the argument's name.
    """
    instance("problem", problem, RerankProblem)
    number("tau", tau, 0.0)
    number("target", target)
    grid = published_prices() if prices is None else finite("prices", prices).ravel()
    if grid.size == 0:
        raise ValueError("prices: expected at least one")
    biases, relevances = np.empty(grid.size), np.empty(grid.size)
    rankings: list[Integers] = []
    for m, mu in enumerate(grid):
        ranking = assign(problem, float(mu))
        rankings.append(ranking)
        groups = np.take_along_axis(problem.attribute, ranking, axis=1)
        biases[m] = float(groups.mean(axis=0) @ problem.weights) + problem.intercept
        relevances[m] = float(np.take_along_axis(problem.relevance, ranking, axis=1).sum())
    outside = np.abs(biases - target) - tau
    feasible = outside <= SLACK
    merit = np.where(feasible, relevances, -np.inf) if feasible.any() else -outside
    best = int(np.argmax(merit))
    spread = problem.top_relevance - problem.bottom_relevance
    normalised = (relevances[best] - problem.bottom_relevance) / spread if spread > 0 else 1.0
    return GridSolution(
        bool(feasible.any()),
        float(grid[best]),
        rankings[best],
        float(biases[best]),
        float(relevances[best]),
        float(normalised),
        grid,
        biases,
        relevances,
    )


__all__ = ["GridSolution", "assign", "faro_grid", "published_prices"]
