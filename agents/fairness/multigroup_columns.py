"""The relaxation for many questions: a bundle on the prices, then a small programme over the patterns it has seen.

The reduced programme grows faster than the number of questions. Any price gives the upper bound
``D(nu) = sum_q f_q(nu) + max_{low <= s <= high} nu . s`` with f_q from the exact oracle; D is convex and piecewise
linear in the few components of nu, and its minimum is the relaxation's optimum. Cutting planes for blocks of
questions inside a trust region find it in some ten oracle calls. The questions' answers near the minimum are then
mixed by a programme in which only the cheapest alternatives are free, first with shares, then whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.fairness.multigroup_problem import Floats, Integers, MultigroupProblem, oracle
from agents.fairness.scale import FINE

#: Most oracle calls of the bundle, and the relative difference of model and bound at which it stops.
MAX_ROUNDS, CLOSE = 60, 1e-9
#: Widest box: prices far above any that tells two documents apart (relevances are of about 0 to 1 here), at which HiGHS
#: begins to lose its way.
FAR = 1e5
#: Blocks of questions with cutting planes of their own.
BLOCKS = 16
#: Relative changes of the last price whose answers are offered to the mixture.
STEPS = (-0.03, -0.001, 0.001, 0.03)
#: Alternatives that are free at first, and the relative distance to the bound that is good enough.
FREE, MIXED = 600, 2e-5
#: Excess, in the unit of HiGHS's rows, that counts as none.
_MET = 1e-7


@dataclass(frozen=True, eq=False)
class ColumnSolution:
    """Relaxed optimum as patterns of types.

    Attributes
    ----------
    pattern
        Shape (Q, k): the heaviest pattern of each question.
    split
        Questions that the mixture divides between patterns; at most d at a vertex.
    bound
        Least upper bound found; -inf where it proves that no mixture at all meets the constraints.
    nu
        Shape (d,): the price that gives it, ``mu / Q``.
    feasible
        Whether a mixture of the patterns seen meets the constraints.
    whole
        Shape (Q, k): the best mixture found without splitting a question, or None where there was none in time.
    """

    pattern: Integers
    split: Integers
    bound: float
    nu: Floats
    feasible: bool
    whole: Integers | None = None


class _Columns:
    """Distinct patterns of every question with their relevance and summed bias vectors."""

    def __init__(self, problem: MultigroupProblem) -> None:
        self.problem = problem
        self.question: Integers = np.empty(0, dtype=np.int64)
        self.pattern: Integers = np.empty((0, problem.k), dtype=np.int64)
        self.relevance: Floats = np.empty(0)
        self.bias: Floats = np.empty((0, problem.vectors.shape[1]))

    def add(self, pattern: Integers, questions: Integers) -> None:
        """Take in new patterns, one a question of ``questions``."""
        problem = self.problem
        stacked = np.vstack((self.pattern, pattern[questions]))
        owner = np.concatenate((self.question, questions))
        _, first = np.unique(np.column_stack((owner, stacked)), axis=0, return_index=True)
        first.sort()
        fresh = first[first >= self.question.size] - self.question.size
        chosen = questions[fresh]
        shown = pattern[chosen]
        self.question = np.concatenate((self.question, chosen))
        self.pattern = np.vstack((self.pattern, shown))
        bias = np.einsum("p,cpd->cd", problem.weights, problem.vectors[shown])
        self.bias = np.vstack((self.bias, bias))
        total = np.zeros(chosen.size)
        prefix = np.concatenate(
            (np.zeros((*problem.best.shape[:2], 1)), np.cumsum(problem.best, axis=2)), axis=2
        )
        for t in range(problem.vectors.shape[0]):
            total += prefix[chosen, t, (shown == t).sum(axis=1)]
        self.relevance = np.concatenate((self.relevance, total))


def relax_by_columns(
    problem: MultigroupProblem, low: Floats, high: Floats, time_limit: float = 2.0
) -> ColumnSolution:
    """Solve the relaxation with ``low <= sum_q S_q <= high``, S_q the summed bias vector of question q.

    ``time_limit`` holds for the mixture without split questions, in seconds.
    """
    everyone = np.arange(problem.questions)
    columns = _Columns(problem)
    columns.add(problem.natural_pattern, everyone)
    nu, bound = _bundle(problem, columns, low, high)
    if bound < _least_relevance(problem):
        return ColumnSolution(problem.natural_pattern, everyone[:0], -np.inf, nu, False)
    scale = max(float(np.abs(nu).max()), 1e-4)
    for g in range(nu.size):
        for step in STEPS:
            other = nu.copy()
            other[g] += step * scale
            columns.add(oracle(problem, other).pattern, everyone)
    merit = columns.relevance - columns.bias @ nu
    order = np.lexsort((-merit, columns.question))
    best = order[np.searchsorted(columns.question[order], everyone)]
    regret = merit[best][columns.question] - merit
    regret[best] = np.inf
    cheapest = np.argsort(regret, kind="stable")[: columns.question.size - problem.questions]
    pattern, split = columns.pattern[best], everyone[:0]
    if not cheapest.size:  # every question has one pattern: there is nothing to mix
        total = columns.bias.sum(axis=0)
        met = bool(((total >= low - _MET) & (total <= high + _MET)).all())
        return ColumnSolution(pattern, split, bound, nu, met, pattern if met else None)
    free, feasible = FREE, False
    while True:
        chosen = cheapest[:free]
        share, value, missed = _mix(columns, best, chosen, low, high)
        feasible = missed <= _MET
        if (feasible and bound - value <= MIXED * abs(bound)) or free >= cheapest.size:
            break
        free *= 4
    members = np.concatenate((best[np.unique(columns.question[chosen])], chosen))
    by_question = np.lexsort((-share, columns.question[members]))
    owners = columns.question[members][by_question]
    first = by_question[np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))]
    pattern[columns.question[members[first]]] = columns.pattern[members[first]]
    split = columns.question[members[first]][share[first] < 1 - 1e-6]
    whole = _mix_whole(columns, best, chosen, low, high, time_limit) if feasible else None
    return ColumnSolution(pattern, split, bound, nu, feasible, whole)


def _bundle(problem: MultigroupProblem, columns: _Columns, low: Floats, high: Floats) -> tuple[Floats, float]:
    """Minimise D by block cutting planes in a box around the best price; offers every answer to ``columns``."""
    from scipy.optimize import linprog

    d, Q = low.size, problem.questions
    least = _least_relevance(problem)
    everyone = np.arange(Q)
    block = everyone * min(BLOCKS, Q) // Q
    B = int(block[-1]) + 1
    centre, radius, best = np.zeros(d), 0.05, np.inf
    slopes: list[Floats] = []
    heights: list[Floats] = []
    price = centre
    for _ in range(MAX_ROUNDS):
        answer = oracle(problem, price)
        columns.add(answer.pattern, everyone)
        shown = np.einsum("p,qpd->qd", problem.weights, problem.vectors[answer.pattern])
        slope = np.zeros((B, d))
        np.add.at(slope, block, shown)
        height = np.asarray(np.bincount(block, weights=answer.value + shown @ price), dtype=np.float64)
        slopes.append(slope)
        heights.append(height)
        bound = dual_bound(answer.value, price, low, high)
        if bound < least:
            return price, bound
        on_edge = bool((np.abs(price - centre) >= radius * (1 - 1e-9)).any())
        if bound < best - 1e-12 * abs(best if np.isfinite(best) else 0.0):
            centre, best = price, bound
            radius = min(radius * (2.0 if on_edge else 1.0), FAR)
        else:
            radius *= 0.5
        # Variables: theta of each block, then the positive and the negative part of nu, which where the window is a
        # point could grow together at no cost.
        up, down = np.maximum(centre + radius, 0.0), np.maximum(radius - centre, 0.0)
        C = len(slopes)
        planes = np.zeros((C * B, B + 2 * d))
        planes[:, :B] = -np.tile(np.eye(B), (C, 1))
        planes[:, B : B + d] = -np.concatenate(slopes)
        planes[:, B + d :] = np.concatenate(slopes)
        box = np.hstack((np.zeros((d, B)), np.eye(d), -np.eye(d)))
        model = linprog(
            np.concatenate((np.ones(B), high, -low)),
            A_ub=np.vstack((planes, box, -box)),
            b_ub=np.concatenate((-np.concatenate(heights), centre + radius, radius - centre)),
            bounds=[(None, None)] * B + [(0, most) for most in (*up, *down)],
            method="highs",
            options={"time_limit": 5.0},
        )
        if model.x is None:
            break
        price = model.x[B : B + d] - model.x[B + d :]
        if best - model.fun <= CLOSE * abs(best):
            # Where the targets leave a direction free (shares that sum to one), the edge tells nothing.
            if radius >= FAR or (np.abs(price - centre) < radius * (1 - 1e-9)).all():
                break
            radius = min(radius * 4.0, FAR)
    return centre, best


def _least_relevance(problem: MultigroupProblem) -> float:
    """Relevance of the k least relevant candidates: an upper bound below it means that nothing is feasible."""
    low = np.where(problem.present, problem.relevance, np.inf)
    worst = float(np.partition(low, problem.k - 1, axis=1)[:, : problem.k].sum())
    return worst - 1e-6 * (1.0 + abs(worst))


def dual_bound(value: Floats, nu: Floats, low: Floats, high: Floats) -> float:
    """``D(nu)``: the questions' optima plus the most that the window lets a price be worth."""
    return float(value.sum() + np.where(nu > 0, high, low) @ nu)


def _mix(
    columns: _Columns, best: Integers, chosen: Integers, low: Floats, high: Floats
) -> tuple[Floats, float, float]:
    """Mix the chosen alternatives with the best column of their questions; all other questions keep their best.

    Returns the shares (best columns of the touched questions first), the value, and how far the window was missed.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    d = low.size
    members, fixed, choose, rows = _programme(columns, best, chosen)
    M, touched = members.size, choose.shape[0]
    # A dear excess keeps the programme feasible while too few columns are free.
    penalty = 10.0 * max(1.0, float(np.abs(columns.relevance).max()))
    result = linprog(
        np.concatenate((-columns.relevance[members], np.full(2 * d, penalty))),
        A_ub=sparse.hstack((sparse.vstack((rows, -rows)), sparse.csr_array(-np.eye(2 * d)))).tocsr(),
        b_ub=np.concatenate((high - fixed[1:], fixed[1:] - low)),
        A_eq=sparse.hstack((choose, sparse.csr_array((touched, 2 * d)))).tocsr(),
        b_eq=np.ones(touched),
        bounds=(0, None),
        method="highs",
    )
    if result.x is None:
        raise RuntimeError(f"HiGHS failed on the mixture of columns: {result.message}")
    return result.x[:M], float(fixed[0] - result.fun), float(result.x[M:].sum())


def _mix_whole(
    columns: _Columns, best: Integers, chosen: Integers, low: Floats, high: Floats, time_limit: float
) -> Integers | None:
    """Mix as :func:`_mix` does, but give each question one pattern; None where none was found in time."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    members, fixed, choose, rows = _programme(columns, best, chosen)
    # HiGHS meets rows to about 1e-6 only.
    tighten = 2e-6 * best.size
    if (high - low <= 2 * tighten).any():
        return None
    result = milp(
        -FINE * columns.relevance[members],
        constraints=[
            LinearConstraint(choose, 1, 1),
            LinearConstraint(rows, low - fixed[1:] + tighten, high - fixed[1:] - tighten),
        ],
        integrality=np.ones(members.size),
        bounds=Bounds(0, 1),
        options={"time_limit": time_limit, "mip_rel_gap": 1e-5},
    )
    if result.x is None:
        return None
    pattern = columns.pattern[best].copy()
    taken = members[result.x > 0.5]
    pattern[columns.question[taken]] = columns.pattern[taken]
    return pattern


def _programme(columns: _Columns, best: Integers, chosen: Integers) -> tuple[Integers, Floats, Any, Any]:
    """Columns of a mixture, what the other questions add (relevance, then the bias vector), and its two matrices.

    The columns are the best of the touched questions, then the chosen alternatives; the matrices say whose each is,
    and what it adds to each component.
    """
    from scipy import sparse

    touched, place = np.unique(columns.question[chosen], return_inverse=True)
    members = np.concatenate((best[touched], chosen))
    owner = np.concatenate((np.arange(touched.size), place))
    rest = np.ones(best.size, dtype=bool)
    rest[touched] = False
    others = best[rest]
    fixed = np.append(columns.relevance[others].sum(), columns.bias[others].sum(axis=0))
    M = members.size
    choose = sparse.csr_array((np.ones(M), (owner, np.arange(M))), shape=(touched.size, M))
    return members, fixed, choose, sparse.csr_array(columns.bias[members].T)


__all__ = ["ColumnSolution", "dual_bound", "relax_by_columns"]
