"""Fair reranking for several groups or attributes: reduced linear programme, integer rounding, certificate.

The relaxation needs only how many documents of each type stand at the positions of each weight (``z[q, l, t]``, with
``m_l`` positions of weight l: all k where every rank counts 1/k) and how many of each type are used (``u[q, t, j]``,
the best first): ``sum_t z[q, l, t] = m_l``, ``sum_l z[q, l, t] = sum_j u[q, t, j]``. Its optimum equals that of the
paper's programme over documents. A vertex splits at most d questions; those, and the questions that can be changed
most cheaply, are then solved in integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.checks import instance, numbers, seconds
from agents.fairness.faro_problem import SLACK
from agents.fairness.multigroup_columns import dual_bound, relax_by_columns
from agents.fairness.multigroup_problem import (
    Floats,
    Integers,
    MultigroupProblem,
    combine,
    group_target,
    oracle,
    prepare_types,
)
from agents.fairness.multigroup_programme import fill, least_excess, normalised, pieces, shares_of
from agents.fairness.scale import FINE

Status = Literal["natural", "optimal", "certified", "infeasible", "infeasible_integer", "unresolved"]

#: Instances with at most this many binary variables are solved in integers as a whole.
WHOLE = 240
#: Beyond this many, the bundle of :mod:`agents.fairness.multigroup_columns` replaces the reduced programme.
LARGE = 2000
#: A core with more variables for types than this is too slow to be worth it where a ranking is known already.
CORE = 20_000
#: Seconds for each step of the search for the nearest rankings of a small instance.
NEAREST_LIMIT = 1.0
#: What all excesses together count beside the largest, where nothing meets the constraints.
SECOND = 1e-3

#: Types by position, questions split between patterns, value of the relaxation, mu of each component, and types by
#: position that split no question (or None).
_Relaxed = tuple[Integers, Integers, float, Floats, Integers | None]


@dataclass(frozen=True, eq=False)
class MultigroupSolution:
    """A ranking of every question under one constraint for each component.

    Attributes
    ----------
    status
        As in :class:`agents.fairness.faro.FaroSolution`, without ``reordered``.
    ranking, pattern
        Shape (Q, k): candidate indices, and their types, by position.
    bias
        Shape (d,): predicted Rb of each component.
    relevance, bound
        Summed relevance, and the relaxation's optimum (NaN if infeasible).
    price
        Shape (d,): ``mu`` of each component at the relaxation's optimum.
    violation
        Largest excess of ``|Rb_g - target_g|`` over its tolerance; at most 1e-9 when feasible. Otherwise, for
        small instances (up to :data:`WHOLE` variables), the least that any ranking reaches, if a few seconds are enough
        to find it; for larger ones that are ``infeasible``, near the least of the relaxation.
    """

    status: Status
    ranking: Integers
    pattern: Integers
    bias: Floats
    relevance: float
    bound: float
    price: Floats
    target: Floats
    tau: Floats
    violation: float
    top_relevance: float
    collapsed: int = 0

    @property
    def feasible(self) -> bool:
        """Whether every component meets its constraint."""
        return self.status in ("natural", "optimal", "certified")

    @property
    def gap(self) -> float:
        """Relevance that the optimum could at most add; NaN if infeasible."""
        if not self.feasible:
            return float("nan")
        return max(0.0, self.bound - self.relevance) if self.status == "certified" else 0.0


def solve_multigroup(
    problem: MultigroupProblem, tau: ArrayLike, target: ArrayLike = 0.0, *, time_limit: float = 2.0
) -> MultigroupSolution:
    """Most relevant rankings with ``|Rb_g - target_g| <= tau_g`` for every component g.

    Parameters
    ----------
    tau, target
        Numbers or shape (d,); tau >= 0. For one-hot groups see :func:`group_target`.
    time_limit
        Seconds for each integer programme; after ten times as many no further one is begun.

    Raises
    ------
    ValueError
        If tau is negative or a shape is wrong; names the argument.
    """
    instance("problem", problem, MultigroupProblem)
    seconds("time_limit", time_limit)
    d = problem.vectors.shape[1]
    limits, goal = _vector(tau, d, "tau"), _vector(target, d, "target")
    if (limits < 0).any():
        raise ValueError("tau must be >= 0")
    finish = _Finish(problem, limits, goal)
    if finish.violation(problem.natural_pattern) <= SLACK:
        return finish("natural", problem.natural_pattern, problem.top_relevance, np.zeros(d))
    scaled, unit, offset = normalised(problem)
    found = _solve(scaled, limits, goal, time_limit)
    return finish(found.status, found.pattern, offset + unit * found.bound, unit * found.price)


def _solve(problem: MultigroupProblem, limits: Floats, goal: Floats, time_limit: float) -> MultigroupSolution:
    """Solve a problem with relevances of about 0 to 1 whose natural ranking does not meet the constraints."""
    Q, d = problem.questions, goal.size
    finish = _Finish(problem, limits, goal)
    low, high = Q * (goal - limits - problem.intercept), Q * (goal + limits - problem.intercept)
    variables = Q * problem.k * problem.vectors.shape[0]
    large = variables > LARGE
    relaxed = _relax_large(problem, low, high, time_limit) if large else _relax(problem, low, high)
    if relaxed is None:
        nearest = _nearest_whole if variables <= WHOLE else _nearest
        return finish("infeasible", nearest(problem, low, high), float("nan"), np.full(d, np.nan))
    pattern, split, bound, price, whole = relaxed
    if variables <= WHOLE:
        solved, proven = _integer(problem, np.arange(Q), pattern, low, high, 10 * time_limit, 0.0)
        if solved is not None and finish.violation(solved) <= SLACK:
            return finish("optimal" if proven else "certified", solved, bound, price)
        if solved is None and proven:
            return finish("infeasible_integer", _nearest_whole(problem, low, high), bound, price)
    cheap = _cheap(problem, price / Q)
    deadline = monotonic() + 10 * time_limit
    best: MultigroupSolution | None = None
    if whole is not None and finish.violation(whole) <= SLACK:
        best = finish("certified", whole, bound, price)
    for extra in (12, 40, 160, 640):
        chosen = np.unique(np.concatenate((split, cheap[:extra])))
        dear = chosen.size * problem.levels[0].size * problem.vectors.shape[0] > CORE
        if (dear and best is not None) or monotonic() > deadline:
            break
        solved, _ = _integer(problem, chosen, pattern, low, high, time_limit, 1e-5)
        if solved is not None and finish.violation(solved) <= SLACK:
            result = finish("certified", solved, bound, price)
            if best is None or result.relevance > best.relevance:
                best = result
        # The small core is quick, the next one better; larger ones only serve to find any ranking at all.
        if chosen.size >= Q or (best is not None and (extra >= 40 or best.gap <= 1e-5 * abs(bound))):
            break
    if best is None:
        return finish("unresolved", pattern, bound, price)
    return best if best.gap > 1e-9 else finish("optimal", best.pattern, bound, price)


def _vector(value: ArrayLike, d: int, name: str) -> Floats:
    v = numbers(name, value)
    if v.shape not in ((), (d,)) or not np.isfinite(v).all():
        raise ValueError(f"{name} must be a finite number or of shape {(d,)}, got shape {v.shape}")
    return np.broadcast_to(v, (d,)).astype(np.float64)


class _Finish:
    """Turns a pattern into a solution."""

    def __init__(self, problem: MultigroupProblem, tau: Floats, target: Floats) -> None:
        self.problem, self.tau, self.target = problem, tau, target

    def violation(self, pattern: Integers) -> float:
        return float((np.abs(self.problem.bias_of(pattern) - self.target) - self.tau).max())

    def __call__(self, status: Status, pattern: Integers, bound: float, price: Floats) -> MultigroupSolution:
        problem = self.problem
        ranking = problem.natural if status == "natural" else problem.ranking(pattern)
        return MultigroupSolution(
            status,
            ranking,
            np.take_along_axis(problem.types, ranking, axis=1),
            problem.bias_of(pattern),
            problem.relevance_of(ranking),
            bound,
            price,
            self.target,
            self.tau,
            self.violation(pattern),
            problem.top_relevance,
            problem.collapsed,
        )


def _relax_large(problem: MultigroupProblem, low: Floats, high: Floats, time_limit: float) -> _Relaxed | None:
    """Relax by bundle and columns, and by the reduced programme where they settle nothing; None if infeasible."""
    found = relax_by_columns(problem, low, high, time_limit)
    if found.feasible:
        return found.pattern, found.split, found.bound, problem.questions * found.nu, found.whole
    return None if found.bound == -np.inf else _relax(problem, low, high)


def _relax(problem: MultigroupProblem, low: Floats, high: Floats) -> _Relaxed | None:
    """Relax by the reduced programme over all questions; None if infeasible."""
    from scipy import sparse
    from scipy.optimize import linprog

    Q = problem.questions
    cost, upper, equal, right, coupling = pieces(problem, np.arange(Q))
    result = linprog(
        cost,
        A_ub=sparse.vstack((coupling, -coupling)).tocsr(),
        b_ub=np.concatenate((high, -low)),
        A_eq=equal,
        b_eq=right,
        bounds=np.column_stack((np.zeros(cost.size), upper)),
        method="highs",
    )
    if result.status != 0:
        return None
    z = shares_of(problem, result.x)
    d = low.size
    nu = result.ineqlin.marginals[d:] - result.ineqlin.marginals[:d]
    split = np.flatnonzero((np.abs(z - np.rint(z)) > 1e-6).any(axis=(1, 2)))
    # The oracle's bound at these prices holds whatever HiGHS took for met.
    return (
        _repair_counts(problem, z),
        split,
        dual_bound(oracle(problem, nu).value, nu, low, high),
        Q * nu,
        None,
    )


def _nearest(problem: MultigroupProblem, low: Floats, high: Floats) -> Integers:
    """Types by position that come nearest to all windows, rounded.

    The largest excess counts first, then the others', so that what can be met still is, and then relevance.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    d = low.size
    cost, upper, equal, right, coupling = pieces(problem, np.arange(problem.questions))
    # Variables: those of the reduced programme, the excess of each component, and the largest of them.
    own = sparse.hstack((sparse.eye_array(d), sparse.csr_array((d, 1))))
    most = sparse.hstack((sparse.csr_array((d, cost.size)), sparse.eye_array(d), -np.ones((d, 1))))
    rows = (sparse.hstack((coupling, -own)), sparse.hstack((-coupling, -own)), most)
    result = linprog(
        np.concatenate((np.zeros(cost.size), np.full(d, SECOND / d), [1.0])),
        A_ub=sparse.vstack(rows).tocsr(),
        b_ub=np.concatenate((high, -low, np.zeros(d))),
        A_eq=sparse.hstack((equal, sparse.csr_array((equal.shape[0], d + 1)))).tocsr(),
        b_eq=right,
        bounds=np.column_stack((np.zeros(cost.size + d + 1), np.append(upper, np.full(d + 1, np.inf)))),
        method="highs",
    )
    excess = result.x[cost.size : -1] + 1e-7 * problem.questions
    relaxed = _relax(problem, low - excess, high + excess)
    return (
        _repair_counts(problem, shares_of(problem, result.x[: cost.size])) if relaxed is None else relaxed[0]
    )


def _nearest_whole(problem: MultigroupProblem, low: Floats, high: Floats) -> Integers:
    """Types by position of a small instance that come nearest to all windows, and then the most relevant of them."""
    pattern = least_excess(problem, low, high, NEAREST_LIMIT)
    if pattern is None:
        return _nearest(problem, low, high)
    total = (problem.bias_of(pattern) - problem.intercept) * problem.questions
    excess = np.maximum(np.maximum(low - total, total - high), 0.0)
    everyone = np.arange(problem.questions)
    better, _ = _integer(problem, everyone, pattern, low - excess, high + excess, NEAREST_LIMIT, 0.0)
    return pattern if better is None else better


def _repair_counts(problem: MultigroupProblem, z: Floats) -> Integers:
    """Types by position from fractional z, never asking for more documents of a type than there are."""
    pattern = fill(problem, z)
    level = problem.levels[1]
    available = np.isfinite(problem.best).sum(axis=2)
    used = np.stack([(pattern == t).sum(axis=1) for t in range(problem.vectors.shape[0])], axis=1)
    for q in np.flatnonzero((used > available).any(axis=1)):
        left = available[q].copy()
        for p in np.argsort(-z[q, level, pattern[q]], kind="stable"):
            if not left[pattern[q, p]]:
                pattern[q, p] = np.argmax(np.where(left > 0, z[q, level[p]], -1.0))
            left[pattern[q, p]] -= 1
    return pattern


def _cheap(problem: MultigroupProblem, nu: Floats) -> Integers:
    """Questions in the order of what it costs to change them, judged by prices close to ``nu``."""
    base = oracle(problem, nu)
    shown = np.einsum("p,qpd->qd", problem.weights, problem.vectors[base.pattern])
    rel = base.value + shown @ nu
    cheapest = np.full(problem.questions, np.inf)
    scale = max(float(np.abs(nu).max()), 1e-3)
    for g in range(nu.size):
        for step in (-0.3, -0.03, -0.003, 0.003, 0.03, 0.3):
            other_price = nu.copy()
            other_price[g] += step * scale
            other = oracle(problem, other_price)
            other_shown = np.einsum("p,qpd->qd", problem.weights, problem.vectors[other.pattern])
            other_rel = other.value + other_shown @ other_price
            moved = np.abs(other_shown - shown).max(axis=1) > 1e-12
            regret = rel - shown @ nu - (other_rel - other_shown @ nu)
            cheapest = np.where(moved, np.minimum(cheapest, regret), cheapest)
    return np.argsort(cheapest, kind="stable")


def _integer(
    problem: MultigroupProblem,
    chosen: Integers,
    pattern: Integers,
    low: Floats,
    high: Floats,
    time_limit: float,
    relative_gap: float,
) -> tuple[Integers | None, bool]:
    """Integer optimum over ``chosen`` with the other questions fixed: (pattern or None, proven)."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    T, L = problem.vectors.shape[0], problem.levels[0].size
    rest = np.ones(problem.questions, dtype=bool)
    rest[chosen] = False
    fixed = np.einsum("p,qpd->d", problem.weights, problem.vectors[pattern[rest]])
    cost, upper, equal, right, coupling = pieces(problem, chosen)
    integral = np.tile(np.concatenate((np.ones(L * T), np.zeros(T * problem.k))), chosen.size)
    slack = problem.questions * SLACK / 2
    # HiGHS meets rows to about 1e-6 only: where that was used up, ask again for a little more.
    for tighten in (-slack, problem.questions * 2e-6):
        if (high - low <= 2 * tighten).any():
            break
        result = milp(
            FINE * cost,
            constraints=[
                LinearConstraint(equal, right, right),
                LinearConstraint(coupling, low - fixed + tighten, high - fixed - tighten),
            ],
            integrality=integral,
            bounds=Bounds(np.zeros(cost.size), upper),
            options={"time_limit": time_limit, "mip_rel_gap": relative_gap},
        )
        if result.x is None:
            return None, result.status == 2 and tighten < 0
        solved = pattern.copy()
        solved[chosen] = fill(problem, np.rint(shares_of(problem, result.x)))
        total = (problem.bias_of(solved) - problem.intercept) * problem.questions
        if (total >= low - 2 * slack).all() and (total <= high + 2 * slack).all():
            return solved, result.status == 0 and tighten < 0
    return None, False


__all__ = [
    "MultigroupProblem",
    "MultigroupSolution",
    "combine",
    "group_target",
    "oracle",
    "prepare_types",
    "solve_multigroup",
]
