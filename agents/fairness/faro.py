"""Fairness-aware retrieval optimisation, exactly: the supported frontier by sorted events, then an integer ranking.

The paper (FARO, section 5) enumerates 81 prices ``mu`` and solves one assignment problem per question and price.
For a fixed price the answer has a closed form in the number of plus documents, and between two prices at which
some question changes nothing happens. Sorting those events gives the whole frontier of relevance against output
bias, its exact linear-programming bound, and the ranking for any tolerance and target.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.checks import finite, finite_vector, instance, number, one_of
from agents.fairness.faro_problem import SLACK, Booleans, Floats, RerankProblem, Side, prepare
from agents.fairness.faro_repair import (
    WINDOW_PAIRED,
    best_combination,
    count_moves,
    enumerable,
    enumerate_exact,
    pattern_moves,
    window_milp,
)
from agents.fairness.faro_solution import FaroSolution, SolutionBuilder, Status, apply_events

Target = float | Literal["parity", "proportional"]

#: A certified gap, relative to the bound of 200 questions, that is not improved any further in the fast mode.
RELATIVE_GAP = 5e-5


def resolve_target(target: Target, problem: RerankProblem, population: float | None = None) -> float:
    """Return the wanted Rb: 0 for ``parity``; for ``proportional`` the population's bias score.

    Without ``population`` (in [-1, 1]) the mean group of all candidates stands for it.
    """
    instance("problem", problem, RerankProblem)
    if population is not None:
        number("population", population, -1.0, 1.0)
    if not isinstance(target, str):
        return number("target", target)
    if one_of("target", target, ("parity", "proportional")) == "parity":
        return 0.0
    if population is not None:
        return float(population)
    return float(problem.attribute[problem.present].mean())


def solve(
    problem: RerankProblem,
    tau: float = 0.1,
    *,
    target: Target = "parity",
    population: float | None = None,
    covariance: ArrayLike | None = None,
    z: float = 0.0,
    effort: Literal["fast", "exact"] = "fast",
) -> FaroSolution:
    """Most relevant rankings with ``|Rb - target| <= tau``.

    Parameters
    ----------
    problem
        From :func:`agents.fairness.faro_problem.prepare`; its sorted events are reused between calls.
    tau
        Tolerance >= 0, in units of Rb (0.1 in the paper).
    target
        ``parity`` (0), ``proportional`` (see :func:`resolve_target`) or any value.
    covariance, z
        Covariance of ``(w_1 .. w_k, b)``, shape (k + 1, k + 1), and how many standard errors of the predicted Rb
        the tolerance is shrunk by, so that the real system stays inside. The error depends on the ranking, so a
        few rounds are made; if the error alone exceeds the tolerance a tenth of it is kept and ``margin`` shows
        what was wanted.
    effort
        ``exact`` also tries to prove integer optimality with HiGHS (60 s at most).

    Raises
    ------
    ValueError
        If tau, z, target, population, covariance or effort is out of range; begins with the argument's name.
    """
    number("tau", tau, 0.0)
    number("z", z, 0.0)
    one_of("effort", effort, ("fast", "exact"))
    goal = resolve_target(target, problem, population)
    if covariance is None:
        return _solve(problem, tau, goal, effort)
    cov = _covariance(covariance, problem.k + 1)
    margin = 0.0
    for _ in range(8):
        solution = _solve(problem, max(tau - margin, 0.1 * tau), goal, effort)
        error = bias_error(solution.embedding_bias, cov)
        if z * error <= margin * (1 + 1e-6) + 1e-12:
            break
        margin = max(margin, z * error)
    return replace(solution, margin=z * error, standard_error=error, asked=tau)


def bias_error(embedding_bias: Floats, covariance: Floats) -> float:
    """Return the standard error of the predicted Rb: ``sqrt([Eb, 1] Cov [Eb, 1]')`` with Cov of ``(w, b)``."""
    x = np.append(finite_vector("embedding_bias", embedding_bias), 1.0)
    return float(np.sqrt(max(0.0, float(x @ _covariance(covariance, x.size) @ x))))


def _covariance(covariance: ArrayLike, size: int) -> Floats:
    cov = finite("covariance", covariance)
    if cov.shape != (size, size):
        raise ValueError(f"covariance: expected shape {(size, size)}, got {cov.shape}")
    if bool((np.diag(cov) < 0).any()):
        raise ValueError("covariance: holds a negative variance")
    return cov


def _solve(problem: RerankProblem, tau: float, target: float, effort: str) -> FaroSolution:
    Q = problem.questions
    natural = problem.natural_pattern
    low = Q * (target - tau - problem.intercept)
    high = Q * (target + tau - problem.intercept)
    slack = Q * SLACK
    build = SolutionBuilder(problem, tau, target)
    now = float((2.0 * natural.sum(axis=0) - Q) @ problem.weights)
    if low - slack <= now <= high + slack:
        return build.natural()
    counts = problem.top_count
    flat_low = float(problem.lowest_bias[counts].sum())
    flat_high = float(problem.highest_bias[counts].sum())
    if flat_low <= high + slack and flat_high >= low - slack:
        pattern = _reorder(problem, now, low - slack, high + slack)
        if build.meets(pattern):
            return build.solution("reordered", pattern, problem.top_relevance, 0.0)
        side: Side = "up" if now < low else "down"
        return _window(problem, build, pattern, side, 0.0, low, high, problem.top_relevance)
    return _trade(problem, build, "up" if flat_high < low else "down", low, high, effort)


def _trade(
    problem: RerankProblem, build: SolutionBuilder, side: Side, low: float, high: float, effort: str
) -> FaroSolution:
    """Give up relevance along the events of one side until the window is reached, then round the split event."""
    Q, slack, width = problem.questions, problem.questions * SLACK, high - low
    counts = problem.top_count
    edge = (problem.highest_bias if side == "up" else problem.lowest_bias)[counts].sum()
    need = float(low - edge if side == "up" else edge - high)
    events = problem.events(side)
    if not events.gain.size or events.cumulative_gain[-1] < need - slack:
        return build.infeasible(side)
    j = min(int(np.searchsorted(events.cumulative_gain, need - slack)), events.gain.size - 1)
    before = float(events.cumulative_gain[j - 1]) if j else 0.0
    lost = float(events.cumulative_loss[j - 1]) if j else 0.0
    lam, delta = float(events.rate[j]), need - before
    bound = problem.top_relevance - lost - lam * delta
    counts = apply_events(problem, side, j)
    # Taking event j whole is the first integer answer, unless it overshoots the far side.
    loss, question, step = float(events.loss[j]), int(events.question[j]), int(events.step[j])
    whole = float(events.gain[j]) <= delta + width + 2 * slack
    gap = loss - lam * delta if whole else np.inf
    chosen: list[tuple[int, int]] = [(question, int(counts[question]) + step)] if whole else []
    good = RELATIVE_GAP * abs(bound) * min(1.0, 200 / Q)
    if gap > good:
        moved, count, gain, cost = count_moves(
            problem, counts, side, lam, gap if whole else 2.0 * loss + 1e5 * rounding(problem)
        )
        found = best_combination(
            moved,
            gain,
            cost,
            cost - lam * gain,
            delta - slack,
            delta + width + slack,
            loss if whole else np.inf,
            lam * delta + good,
        )
        if found is not None:
            gap = found.loss - lam * delta
            chosen = [(int(moved[m]), int(count[m])) for m in found.moves]
    if not chosen:
        base = problem.extreme_pattern(counts, side)
        return _window(problem, build, base, side, lam, low, high, bound)
    for q, n in chosen:
        counts[q] = n
    pattern = problem.extreme_pattern(counts, side)
    price = Q * lam * (1.0 if side == "down" else -1.0)
    solution = build.solution("certified" if gap > rounding(problem) else "optimal", pattern, bound, price)
    if solution.status == "certified" and (enumerable(problem) or effort == "exact"):
        return _prove(problem, build, solution, low, high)
    return solution


def rounding(problem: RerankProblem) -> float:
    """Difference of two summed relevances that rounding alone can make: it goes with their size, and is above 0."""
    size = max(abs(problem.top_relevance), abs(problem.bottom_relevance))
    return max(1e-14 * size, float(np.finfo(np.float64).tiny))


def _reorder(problem: RerankProblem, now: float, low: float, high: float) -> Booleans:
    """Reorder the fewest questions, at no loss of relevance, towards a bias in [low, high].

    Documents change only where two are equally relevant. Where every further step would overshoot the far side
    the state before that step is returned.
    """
    side: Side = "up" if now < low else "down"
    natural = problem.natural_pattern
    counts = problem.top_count
    extreme = problem.extreme_pattern(counts, side)
    table = problem.highest_bias if side == "up" else -problem.lowest_bias
    sign = 1.0 if side == "up" else -1.0
    potential = np.maximum(table[counts] - sign * problem.bias_of(natural), 0.0)
    need = low - now if side == "up" else now - high
    order = np.argsort(-potential, kind="stable")
    reached = np.cumsum(potential[order])
    last = int(np.searchsorted(reached, need))
    pattern = natural.copy()
    pattern[order[:last]] = extreme[order[:last]]
    if last < order.size:
        # Any one of the remaining questions whose step fits will do.
        rest = need - (float(reached[last - 1]) if last else 0.0)
        step = potential[order[last:]]
        fitting = order[last:][(step >= rest) & (step <= rest + high - low)]
        if fitting.size:
            pattern[fitting[0]] = extreme[fitting[0]]
    return pattern


def _window(
    problem: RerankProblem,
    build: SolutionBuilder,
    base: Booleans,
    side: Side,
    lam: float,
    low: float,
    high: float,
    bound: float,
) -> FaroSolution:
    """Whole changes overshoot the far side: look for patterns whose bias falls inside the narrow window."""
    Q = problem.questions
    slack = Q * SLACK
    price = Q * lam * (1.0 if side == "down" else -1.0)
    if enumerable(problem):
        pattern = enumerate_exact(problem, low - slack, high + slack)
        if pattern is None:
            return build.nearest(bound, price)
        return build.solution("optimal", pattern, bound, price)
    sign = 1.0 if side == "up" else -1.0
    now = float(problem.bias_of(base).sum())
    start, stop = (low - now, high - now) if side == "up" else (now - high, now - low)
    moves = pattern_moves(problem, base, sign, lam)
    found = best_combination(
        moves.question,
        moves.gain,
        moves.loss,
        moves.loss - lam * moves.gain,
        start - slack,
        stop + slack,
        enough=lam * (start - slack) + RELATIVE_GAP * abs(bound),
        paired=WINDOW_PAIRED,
    )
    if found is not None:
        pattern = base.copy()
        members = list(found.moves)
        pattern[moves.question[members]] = moves.pattern[members]
        solution = build.solution("certified", pattern, bound, price)
        if bound - solution.relevance <= rounding(problem):
            same = solution.relevance >= problem.top_relevance - rounding(problem)
            return replace(solution, status="reordered" if same else "optimal")
        return solution
    if Q * problem.k <= 4000:
        found_pattern, proven = window_milp(problem, low - slack / 2, high + slack / 2, 5.0)
        if found_pattern is not None and build.meets(found_pattern):
            return build.solution("optimal" if proven else "certified", found_pattern, bound, price)
        if found_pattern is None and proven:
            return build.nearest(bound, price)
    return replace(build.nearest(bound, price), status="unresolved")


def _prove(
    problem: RerankProblem,
    build: SolutionBuilder,
    solution: FaroSolution,
    low: float,
    high: float,
) -> FaroSolution:
    """Replace a certified answer by the proven optimum where the instance allows it."""
    slack = problem.questions * SLACK
    if enumerable(problem):
        pattern, proven = enumerate_exact(problem, low - slack, high + slack), True
    else:
        pattern, proven = window_milp(problem, low - slack / 2, high + slack / 2, 60.0)
    if pattern is None or not build.meets(pattern):
        return solution
    better = build.solution("optimal" if proven else "certified", pattern, solution.bound, solution.price)
    if better.relevance >= solution.relevance - rounding(problem):
        return better
    return replace(solution, status="optimal") if proven else solution


__all__ = [
    "FaroSolution",
    "RerankProblem",
    "Status",
    "Target",
    "bias_error",
    "prepare",
    "resolve_target",
    "solve",
]
