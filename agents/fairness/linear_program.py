"""The linear-programming baseline of the paper (FARO, section 5.2): relax, solve with HiGHS, discretise."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agents.fairness.checks import instance, number, seconds
from agents.fairness.faro_problem import SLACK, Integers, RerankProblem
from agents.fairness.scale import zero_and_unit


@dataclass(frozen=True, eq=False)
class LinearProgramSolution:
    """Relaxed optimum and the ranking made from it.

    Attributes
    ----------
    status
        ``solved``, ``infeasible`` or ``time_limit``; only the first has a ranking.
    bound
        Optimum of the relaxation (NaN unless solved).
    ranking
        Shape (Q, k), the assignment with the highest summed ``x`` of each question; empty unless solved.
    bias, relevance
        Of the discretised ranking.
    feasible
        Whether the discretised ranking still meets the constraint; rounding often breaks it.
    seconds
        Wall time, building included.
    """

    status: Literal["solved", "infeasible", "time_limit"]
    bound: float
    ranking: Integers
    bias: float
    relevance: float
    feasible: bool
    seconds: float


def solve_linear_program(
    problem: RerankProblem, tau: float = 0.1, *, target: float = 0.0, time_limit: float | None = None
) -> LinearProgramSolution:
    """Solve the relaxation over ``x[q, i, p]`` in [0, 1] (eqs. 6 to 9) and discretise it.

    ``time_limit`` (seconds) is passed to HiGHS, which may overrun it.

    Raises
    ------
    ValueError
        If tau, target or time_limit is out of range; begins with the argument's name.
    """
    from scipy import sparse
    from scipy.optimize import linear_sum_assignment, linprog

    instance("problem", problem, RerankProblem)
    number("tau", tau, 0.0)
    number("target", target)
    if time_limit is not None:
        seconds("time_limit", time_limit)
    start = time.perf_counter()
    Q, N, k = problem.questions, problem.relevance.shape[1], problem.k
    zero, unit = zero_and_unit(problem.relevance, problem.present)
    reward = np.where(problem.present, (problem.relevance - zero) / unit, 0.0)
    cost = -np.repeat(reward.ravel(), k)
    upper = np.repeat(problem.present.ravel().astype(np.float64), k)
    filled = sparse.kron(sparse.eye_array(Q), np.tile(np.eye(k), N)).tocsr()
    once = sparse.kron(sparse.eye_array(Q * N), np.ones((1, k))).tocsr()
    bias = (problem.attribute[:, :, None] * problem.weights / Q).reshape(1, -1)
    limits = np.concatenate(
        (np.ones(Q * N), [target + tau - problem.intercept, problem.intercept + tau - target])
    )
    result = linprog(
        cost,
        A_ub=sparse.vstack((once, sparse.csr_array(bias), sparse.csr_array(-bias))).tocsr(),
        b_ub=limits,
        A_eq=filled,
        b_eq=np.ones(Q * k),
        bounds=np.column_stack((np.zeros(cost.size), upper)),
        method="highs",
        options={} if time_limit is None else {"time_limit": time_limit},
    )
    nan = float("nan")
    if result.status != 0:
        verdict: Literal["infeasible", "time_limit"] = "infeasible" if result.status == 2 else "time_limit"
        empty = np.empty((0, k), dtype=np.int64)
        return LinearProgramSolution(verdict, nan, empty, nan, nan, False, time.perf_counter() - start)
    x = result.x.reshape(Q, N, k)
    ranking = np.empty((Q, k), dtype=np.int64)
    for q in range(Q):
        rows, positions = linear_sum_assignment(
            np.where(problem.present[q][:, None], x[q], -1.0), maximize=True
        )
        ranking[q, positions] = rows
    groups = np.take_along_axis(problem.attribute, ranking, axis=1)
    reached = float(groups.mean(axis=0) @ problem.weights) + problem.intercept
    relevance = float(np.take_along_axis(problem.relevance, ranking, axis=1).sum())
    feasible = abs(reached - target) <= tau + SLACK
    bound = zero * Q * k - unit * float(result.fun)
    return LinearProgramSolution(
        "solved", bound, ranking, reached, relevance, feasible, time.perf_counter() - start
    )


__all__ = ["LinearProgramSolution", "solve_linear_program"]
