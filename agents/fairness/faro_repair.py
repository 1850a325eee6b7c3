"""From the relaxed optimum to an integer ranking: cheap exchanges, a two-sided window, tiny cases by enumeration.

The relaxed optimum (the event path of :mod:`agents.fairness.faro`) splits at most one event. Everything here looks
for whole changes of questions whose gains add up to a value inside a window and whose loss of relevance is least.
A change with reduced cost ``rho = loss - lam * gain`` at or above the proven gap can never improve the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.fairness.faro_problem import Booleans, Floats, Integers, RerankProblem, Side
from agents.fairness.scale import FINE, zero_and_unit

#: Most changes considered at once, and how many of the cheapest are paired (more where a narrow window must be hit).
MAX_MOVES, MAX_PAIRED, WINDOW_PAIRED = 2000, 40, 160
#: Instances with at most this many positions in all (Q * k) are enumerated.
MAX_BITS = 17


class Moves(NamedTuple):
    """Changes of whole questions: new pattern of plus positions, gain towards the target, loss of relevance."""

    question: Integers
    pattern: Booleans
    gain: Floats
    loss: Floats


@dataclass(frozen=True, eq=False)
class Combination:
    """Moves of different questions, chosen together."""

    moves: tuple[int, ...]
    gain: float
    loss: float


def count_moves(
    problem: RerankProblem, counts: Integers, side: Side, lam: float, gap: float
) -> tuple[Integers, Integers, Floats, Floats]:
    """List changes of the number of plus documents with reduced cost below ``gap``.

    Returns the question, the new count, the gain and the loss of each, at most ``MAX_MOVES`` (the cheapest).
    """
    table = problem.highest_bias if side == "up" else -problem.lowest_bias
    relevance = problem.relevance_by_count
    width = table.size
    now = np.arange(problem.questions) * width + counts
    rho = relevance + lam * table
    rho = rho.ravel()[now][:, None] - rho
    rho.ravel()[now] = np.inf
    at = np.flatnonzero(rho < gap)
    if at.size > MAX_MOVES:
        at = at[np.argpartition(rho.ravel()[at], MAX_MOVES)[:MAX_MOVES]]
    question, count = np.divmod(at, width)
    gain = table[count] - table[counts[question]]
    loss = relevance.ravel()[now[question]] - relevance.ravel()[at]
    return question, count, gain, loss


def pattern_moves(problem: RerankProblem, base: Booleans, sign: float, lam: float) -> Moves:
    """List changes to any pattern of plus positions (for k > 8: exchanges around the extremes), the cheapest kept.

    ``sign`` is +1 when a higher Rb is wanted. Only the questions whose changes look cheapest are expanded.
    """
    Q = base.shape[0]
    n_now = base.sum(axis=1)
    bias_now = problem.bias_of(base)
    table = problem.relevance_by_count
    options = patterns(problem.weights)
    counts = options.sum(axis=1)
    option_bias = (2.0 * options - 1.0) @ problem.weights
    limit = max(1, 40_000 // options.shape[0])
    chosen = np.arange(Q)
    if limit < Q:
        chosen = np.argpartition(_cheapest_change(problem, n_now), limit - 1)[:limit]
    loss = table[chosen, n_now[chosen]][:, None] - table[chosen][:, counts]
    gain = sign * (option_bias[None, :] - bias_now[chosen][:, None])
    rho = loss - lam * gain
    row, option = np.nonzero(np.isfinite(rho) & (np.abs(gain) > 1e-12))
    if row.size > MAX_MOVES:
        spread = np.arange(row.size) * 0.6180339887498949 % 1.0
        keep = np.lexsort((spread, rho[row, option]))[:MAX_MOVES]
        row, option = row[keep], option[keep]
    return Moves(chosen[row], options[option], gain[row, option], loss[row, option])


def _cheapest_change(problem: RerankProblem, counts: Integers) -> Floats:
    """Least loss of relevance of one more or one fewer plus document, shape (Q,)."""
    table = problem.relevance_by_count
    rows = np.arange(problem.questions)
    now = table[rows, counts]
    more = now - table[rows, np.minimum(counts + 1, problem.k)]
    less = now - table[rows, np.maximum(counts - 1, 0)]
    more[counts == problem.k] = np.inf
    less[counts == 0] = np.inf
    return np.asarray(np.minimum(more, less))


def patterns(weights: Floats) -> Booleans:
    """Every pattern of plus positions for k <= 8; beyond, the extreme ones with each single exchange."""
    k = weights.size
    if k <= 8:
        return np.asarray((np.arange(1 << k)[:, None] >> np.arange(k)[None, :]) & 1, dtype=bool)
    place = np.empty(k, dtype=np.int64)
    place[np.argsort(-weights, kind="stable")] = np.arange(k)
    steps = np.arange(k + 1)[:, None]
    base = np.concatenate((place[None, :] < steps, place[None, :] >= steps))
    rows = [base]
    for i in range(k):
        for j in range(i + 1, k):
            swapped = base.copy()
            swapped[:, [i, j]] = base[:, [j, i]]
            rows.append(swapped)
    return np.unique(np.concatenate(rows), axis=0)


def best_combination(
    question: Integers,
    gain: Floats,
    loss: Floats,
    rho: Floats,
    low: float,
    high: float,
    best: float = np.inf,
    enough: float = -np.inf,
    paired: int = MAX_PAIRED,
) -> Combination | None:
    """Cheapest one to four changes of different questions with total gain in ``[low, high]``.

    Singles and pairs among all given, triples and quadruples among the ``paired`` of lowest reduced cost;
    None if nothing costs less than ``best``; the search stops once the cost is at most ``enough``.
    """
    if question.size == 0:
        return None
    if high - low > 4 * float(np.abs(gain).max()):
        high = np.inf  # no combination that is not far too dear reaches the far side
    found: Combination | None = None
    fitting = np.flatnonzero((gain >= low) & (gain <= high) & (loss < best))
    if fitting.size:
        single = int(fitting[np.argmin(loss[fitting])])
        found, best = Combination((single,), float(gain[single]), float(loss[single])), float(loss[single])
    if best <= enough:
        return found
    singles = _Sums(np.arange(question.size)[:, None], gain, loss)
    better = _join(singles, singles, question, low, high, best)
    if better is not None:
        found, best = better, better.loss
    if best <= enough or question.size < 3:
        return found
    # Among equal costs an even spread over the questions (golden ratio sequence) gives more different sums.
    order = np.lexsort((np.arange(rho.size) * 0.6180339887498949 % 1.0, rho))[:paired]
    i, j = np.triu_indices(order.size, 1)
    i, j = order[i], order[j]
    other = question[i] != question[j]
    i, j = i[other], j[other]
    pairs = _Sums(np.column_stack((i, j)), gain[i] + gain[j], loss[i] + loss[j])
    for right in (singles, pairs):
        better = _join(pairs, right, question, low, high, best) if best > enough else None
        if better is not None:
            found, best = better, better.loss
    return found


class _Sums:
    """Sets of moves sorted by gain, with the cheapest of every range (sparse table)."""

    def __init__(self, members: Integers, gain: Floats, loss: Floats) -> None:
        order = np.argsort(gain, kind="stable")
        self.members, self.gain, self.loss = members[order], gain[order], loss[order]
        self._levels: list[Integers] = []
        self._suffix: Integers | None = None

    def cheapest(self, start: Integers, stop: Integers) -> Integers:
        """Index of the least loss in each non-empty range [start, stop)."""
        if not self._levels:
            level = np.arange(self.gain.size)
            self._levels.append(level)
            width = 1
            while 2 * width <= self.gain.size:
                a, b = level[:-width], level[width:]
                level = np.where(self.loss[a] <= self.loss[b], a, b)
                self._levels.append(level)
                width *= 2
        power = np.frexp(stop - start)[1] - 1
        result = np.empty(start.size, dtype=np.int64)
        for p in np.unique(power):
            here = power == p
            a = self._levels[p][start[here]]
            b = self._levels[p][stop[here] - (1 << int(p))]
            result[here] = np.where(self.loss[a] <= self.loss[b], a, b)
        return result

    def cheapest_from(self, start: Integers) -> Integers:
        """Index of the least loss at or after each start."""
        if self._suffix is None:
            backwards = self.loss[::-1]
            lowest = np.minimum.accumulate(backwards)
            fresh = np.ones(lowest.size, dtype=bool)
            fresh[1:] = lowest[1:] < lowest[:-1]
            latest = np.maximum.accumulate(np.where(fresh, np.arange(lowest.size), 0))
            self._suffix = (lowest.size - 1 - latest)[::-1]
        return self._suffix[start]


def _join(
    left: _Sums, right: _Sums, question: Integers, low: float, high: float, best: float
) -> Combination | None:
    start = np.searchsorted(right.gain, low - left.gain, side="left")
    if high == np.inf:
        rows = np.flatnonzero(start < right.gain.size)
        partner = right.cheapest_from(start[rows])
    else:
        stop = np.searchsorted(right.gain, high - left.gain, side="right")
        rows = np.flatnonzero(stop > start)
        partner = right.cheapest(start[rows], stop[rows])
    loss = left.loss[rows] + right.loss[partner]
    better = np.flatnonzero(loss < best)
    for at in better[np.argsort(loss[better], kind="stable")]:
        members = np.concatenate((left.members[rows[at]], right.members[partner[at]]))
        owners = question[members].tolist()
        if len(set(owners)) == len(owners):
            gain = left.gain[rows[at]] + right.gain[partner[at]]
            return Combination(tuple(int(m) for m in members), float(gain), float(loss[at]))
    return None


def enumerable(problem: RerankProblem) -> bool:
    """Whether the whole instance is small enough for :func:`enumerate_exact`."""
    return problem.questions * problem.k <= MAX_BITS


def enumerate_exact(problem: RerankProblem, low: float, high: float) -> Booleans | None:
    """Most relevant pattern with ``sum_q bias_q`` in ``[low, high]`` by merging all patterns, or None if none exists.

    States with equal bias (to 1e-12 of the largest weight sum) keep the most relevant; states that cannot reach
    the window any more are dropped.
    """
    k = problem.k
    bits = np.zeros(1, dtype=np.int64)
    bias = np.array([-problem.weights.sum()])
    for p, weight in enumerate(problem.weights):
        bits = np.concatenate((bits, bits | (1 << p)))
        bias = np.concatenate((bias, bias + 2.0 * weight))
    counts = np.array([int(x).bit_count() for x in bits])
    scale = max(1.0, float(np.abs(problem.weights).sum())) * 1e-12
    state_bias, state_rel = np.zeros(1), np.zeros(1)
    trail: list[tuple[Integers, Integers]] = []
    per_question: list[tuple[Floats, Floats, Integers]] = []
    for q in range(problem.questions):
        rel = problem.relevance_by_count[q, counts]
        keep = _merge(bias, rel, scale)
        per_question.append((bias[keep], rel[keep], bits[keep]))
    rest_low = np.concatenate((np.cumsum([o[0].min() for o in per_question][::-1])[::-1], [0.0]))
    rest_high = np.concatenate((np.cumsum([o[0].max() for o in per_question][::-1])[::-1], [0.0]))
    for q, (option_bias, option_rel, option_bits) in enumerate(per_question):
        total = (state_bias[:, None] + option_bias[None, :]).ravel()
        rel = (state_rel[:, None] + option_rel[None, :]).ravel()
        alive = (total + rest_high[q + 1] >= low) & (total + rest_low[q + 1] <= high)
        index = np.flatnonzero(alive)
        index = index[_merge(total[index], rel[index], scale)]
        if index.size == 0:
            return None
        trail.append((index // option_bits.size, option_bits[index % option_bits.size]))
        state_bias, state_rel = total[index], rel[index]
    at = int(np.argmax(state_rel))
    chosen = np.empty(problem.questions, dtype=np.int64)
    for q in range(problem.questions - 1, -1, -1):
        parent, option = trail[q]
        chosen[q] = option[at]
        at = int(parent[at])
    return np.asarray((chosen[:, None] >> np.arange(k)[None, :]) & 1, dtype=bool)


def _merge(bias: Floats, rel: Floats, scale: float) -> NDArray[np.int64]:
    """Keep the most relevant state of each distinct bias (indices); impossible states are left out."""
    possible = np.flatnonzero(rel > -np.inf)
    key = np.rint(bias[possible] / scale)
    order = np.lexsort((-rel[possible], key))
    first = np.ones(order.size, dtype=bool)
    first[1:] = key[order][1:] != key[order][:-1]
    return np.asarray(possible[order[first]])


def window_milp(
    problem: RerankProblem, low: float, high: float, time_limit: float
) -> tuple[Booleans | None, bool]:
    """Solve the whole integer problem with HiGHS: (pattern or None, whether the verdict is proven).

    Per question, ``y[p]`` says that position p shows a plus document and ``z[n]`` that n do; the relevance is a
    function of n alone.
    """
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    Q, k = problem.questions, problem.k
    width = 2 * k + 1
    reward = np.zeros((Q, width))
    upper = np.ones((Q, width))
    impossible = ~np.isfinite(problem.relevance_by_count)
    zero, unit = zero_and_unit(problem.relevance, problem.present)
    reward[:, k:] = np.where(impossible, 0.0, (problem.relevance_by_count - k * zero) / unit)
    upper[:, k:][impossible] = 0.0
    one = np.concatenate((np.zeros(k), np.ones(k + 1)))
    link = np.concatenate((np.ones(k), -np.arange(k + 1)))
    bias = np.tile(np.concatenate((2.0 * problem.weights, np.zeros(k + 1))), Q)
    eye = sparse.eye_array(Q)
    shift = Q * float(problem.weights.sum())
    result = milp(
        -FINE * reward.ravel(),
        constraints=[
            LinearConstraint(sparse.kron(eye, one[None, :]).tocsr(), 1.0, 1.0),
            LinearConstraint(sparse.kron(eye, link[None, :]).tocsr(), 0.0, 0.0),
            LinearConstraint(bias[None, :], low + shift, high + shift),
        ],
        integrality=np.ones(Q * width),
        bounds=Bounds(np.zeros(Q * width), upper.ravel()),
        options={"time_limit": time_limit, "mip_rel_gap": 0.0},
    )
    if result.x is None:
        return None, result.status == 2
    pattern = np.asarray(result.x.reshape(Q, width)[:, :k] > 0.5)
    return pattern, result.status == 0


__all__ = [
    "Combination",
    "Moves",
    "best_combination",
    "count_moves",
    "enumerable",
    "enumerate_exact",
    "pattern_moves",
    "patterns",
    "window_milp",
]
