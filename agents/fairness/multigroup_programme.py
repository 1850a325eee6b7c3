"""The reduced programme of several groups: its pieces, and the rankings that come nearest to what cannot be met.

Variables are how many documents of each type stand at the positions of each weight, and how many of each type are used
(see :mod:`agents.fairness.multigroup`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from agents.fairness.multigroup_problem import Floats, Integers, MultigroupProblem
from agents.fairness.scale import FINE, zero_and_unit


def normalised(problem: MultigroupProblem) -> tuple[MultigroupProblem, float, float]:
    """Return the problem with relevances of about 0 to 1, and unit and offset of ``old = offset + unit * new``."""
    zero, unit = zero_and_unit(problem.relevance, problem.present)
    relevance = np.where(problem.present, (problem.relevance - zero) / unit, -np.inf)
    scaled = replace(problem, relevance=relevance, best=(problem.best - zero) / unit)
    return scaled, unit, zero * problem.questions * problem.k


def pieces(problem: MultigroupProblem, questions: Integers) -> tuple[Floats, Floats, Any, Floats, Any]:
    """Cost, upper bounds, equalities and coupling rows of the reduced programme over some questions."""
    from scipy import sparse

    T, k = problem.vectors.shape[0], problem.k
    weights, _, many = problem.levels
    n, L = questions.size, weights.size
    best = problem.best[questions].reshape(n, T * k)
    missing = ~np.isfinite(best)
    cost = np.zeros((n, (L + k) * T))
    cost[:, L * T :] = -np.where(missing, 0.0, best)
    upper = np.ones((n, (L + k) * T))
    upper[:, : L * T] = np.repeat(many, T)
    upper[:, L * T :][missing] = 0.0
    filled = np.hstack((np.kron(np.eye(L), np.ones((1, T))), np.zeros((L, T * k))))
    use = np.hstack((np.tile(np.eye(T), L), -np.kron(np.eye(T), np.ones((1, k)))))
    block = sparse.csr_array(np.vstack((filled, use)))
    equal = sparse.kron(sparse.eye_array(n), block).tocsr()
    right = np.tile(np.concatenate((many.astype(np.float64), np.zeros(T))), n)
    row = np.hstack((np.kron(weights, problem.vectors.T), np.zeros((problem.vectors.shape[1], T * k))))
    coupling = sparse.kron(np.ones((1, n)), sparse.csr_array(row)).tocsr()
    return cost.ravel(), upper.ravel(), equal, right, coupling


def shares_of(problem: MultigroupProblem, x: Floats) -> Floats:
    """Documents of each type by level of weight, shape (n, L, T), from the variables of some questions."""
    T, L = problem.vectors.shape[0], problem.levels[0].size
    return np.asarray(x.reshape(-1, (L + problem.k) * T)[:, : L * T].reshape(-1, L, T))


def fill(problem: MultigroupProblem, z: Floats) -> Integers:
    """Types by position, shape (n, k), from documents by level and type: whole ones, then the largest remainders."""
    _, level, many = problem.levels
    whole = np.floor(z + 1e-6)
    rest = many[None, :] - whole.sum(axis=2)
    rank = np.argsort(np.argsort(whole - z, axis=2, kind="stable"), axis=2, kind="stable")
    count = (whole + (rank < rest[:, :, None])).astype(np.int64)
    last = np.cumsum(count, axis=2)
    pattern = np.empty((z.shape[0], problem.k), dtype=np.int64)
    for index in range(many.size):
        for place, position in enumerate(np.flatnonzero(level == index)):
            pattern[:, position] = (last[:, index, :] <= place).sum(axis=1)
    return pattern


def least_excess(problem: MultigroupProblem, low: Floats, high: Floats, time_limit: float) -> Integers | None:
    """Types by position with the least largest excess, and then the least sum of them; None where none came in time."""
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    d, T, L = low.size, problem.vectors.shape[0], problem.levels[0].size
    cost, upper, equal, right, coupling = pieces(problem, np.arange(problem.questions))
    # Variables: those of the reduced programme, the excess of each component, and the largest of them.
    own = sparse.hstack((sparse.eye_array(d), sparse.csr_array((d, 1))))
    most = sparse.hstack((sparse.csr_array((d, cost.size)), sparse.eye_array(d), -np.ones((d, 1))))
    constraints = [
        LinearConstraint(sparse.hstack((equal, sparse.csr_array((equal.shape[0], d + 1)))), right, right),
        LinearConstraint(sparse.hstack((coupling, -own)), -np.inf, high),
        LinearConstraint(sparse.hstack((coupling, own)), low, np.inf),
        LinearConstraint(most, -np.inf, 0.0),
    ]
    integral = np.tile(np.concatenate((np.ones(L * T), np.zeros(T * problem.k))), problem.questions)
    least = np.concatenate((np.zeros(cost.size + d), [FINE]))
    together = np.concatenate((np.zeros(cost.size), np.full(d, FINE), [0.0]))
    found: Integers | None = None
    limit = np.inf
    for goal in (least, together):
        result = milp(
            goal,
            constraints=constraints,
            integrality=np.concatenate((integral, np.zeros(d + 1))),
            bounds=Bounds(np.zeros(cost.size + d + 1), np.concatenate((upper, np.full(d, np.inf), [limit]))),
            options={"time_limit": time_limit, "mip_rel_gap": 0.0, "presolve": False},
        )
        if result.x is None:
            break
        pattern = fill(problem, np.rint(shares_of(problem, result.x[: cost.size])))
        largest = _largest_excess(problem, pattern, low, high)
        # Excesses are met to about 1e-6 only: the second answer counts if it did not use that up.
        if found is None or largest <= limit + 1e-9 * problem.questions:
            found = pattern
        limit = largest if found is pattern else limit
    return found


def _largest_excess(problem: MultigroupProblem, pattern: Integers, low: Floats, high: Floats) -> float:
    total = (problem.bias_of(pattern) - problem.intercept) * problem.questions
    return float(np.maximum(np.maximum(low - total, total - high), 0.0).max())


__all__ = ["fill", "least_excess", "normalised", "pieces", "shares_of"]
