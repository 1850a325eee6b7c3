"""The exact opinion selection: relevance, distance to the population and author groups in one optimum.

Choose k of N documents to maximise

    sum_i r_i  -  lambda * W_p^p(chosen scores, population)  -  beta * max_g |share_g - population share_g|

(O-RAG eq. 8 without the reader's term, relevance added). Proven optimal for one attribute; see ``multi_attribute``
for several at once. The design and its proofs: Evenhand's numerics study, sections D1 to D4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.cells import (
    Cells,
    best_by_level,
    make_cells,
    slice_costs,
)
from agents.fairness.checks import (
    codes_of,
    finite_vector,
    integers,
    non_negative,
    number,
    probabilities,
    whole,
)
from agents.fairness.distance import BINS, FloatArray, IntArray, wasserstein_p
from agents.fairness.group_bounds import gap_levels, largest_gap, search_prices
from agents.fairness.group_exact import best_with_groups

#: More group-count states than this and the choice is left to the integer programme.
STATE_LIMIT = 400_000


@dataclass(frozen=True, slots=True, eq=False)
class ExactChoice:
    """An optimal choice of k documents.

    Attributes
    ----------
    indices
        Positions of the chosen documents, most relevant first.
    objective, relevance, distance, gap
        Value of the objective and its parts: sum of relevance, W_p^p, largest group gap (0 without groups).
    bound
        Proven upper bound of the objective; equal to it (to 1e-9) when ``optimal``.
    optimal
        Whether optimality is proven.
    """

    indices: IntArray
    objective: float
    relevance: float
    distance: float
    gap: float
    bound: float
    optimal: bool


def recommended_weights(k: int) -> tuple[float, float]:
    """Weights ``(lambda, beta) = (0.03 k, 0.5 k)`` for cosine-like relevance.

    Relevance is a sum over k documents while W1 and gaps are averages, so the weights grow with k. On three corpora of
    reviews at k = 5, 10 and 20 (``tests/benchmarks/bench_independent_target.py``, the product's labels) W1 to labels
    lay 0.2 to 3.9 % above the least possible, for 2 to 6 % of relevance; with 0.02 k two of the nine lay 5.1 and 5.5 %
    above it, at .002 more relevance.
    """
    whole("k", k, 1)
    return 0.03 * k, 0.5 * k


def select_exact(
    relevance: ArrayLike,
    score: ArrayLike,
    population: ArrayLike,
    k: int,
    *,
    lam: float,
    beta: float = 0.0,
    p: float = 1.0,
    values: ArrayLike = BINS,
    groups: ArrayLike | None = None,
    group_shares: ArrayLike | None = None,
    ids: ArrayLike | None = None,
) -> ExactChoice:
    """Choose the k documents with the largest objective.

    Parameters
    ----------
    relevance, score
        Shape (N,), finite.
    population, values
        Masses and support of the population's scores; the support defaults to the seven bins.
    k
        1 <= k <= N.
    lam, beta
        Non-negative weights of W_p^p and of the largest author-group gap; see :func:`recommended_weights`.
    p
        Order of the distance, at least 1. ``p=2`` penalises W2 squared.
    groups, group_shares
        Group codes (N,), -1 for unknown, and the population's shares of groups 0..G-1. Unknown authors are left
        out of both shares. Needed when ``beta > 0``.
    ids
        Distinct tie-breaks, lower first.

    Raises
    ------
    ValueError
        Naming the argument that is wrong.
    """
    r = finite_vector("relevance", relevance, least=1)
    s = finite_vector("score", score, length=r.size)
    support, masses = _population(values, population)
    check_k(k, r.size)
    check_weight("lam", lam)
    check_weight("beta", beta)
    number("p", p, 1.0)
    ties = np.arange(r.size) if ids is None else integers("ids", ids)
    if ties.shape != r.shape or np.unique(ties).size != r.size:
        raise ValueError("ids: expected one distinct id for each document")
    if groups is None or group_shares is None:
        if beta > 0 or groups is not None or group_shares is not None:
            raise ValueError("groups, group_shares: both are needed, and always when beta > 0")
        codes, shares = np.zeros(r.size, np.intp), None
    else:
        shares = probabilities("group_shares", group_shares)
        codes = _group_codes(groups, r.size, shares.size)

    cells = make_cells(r, s, codes, ties, (support, masses), k, lam, p)
    if shares is None or beta == 0:
        value, rows = best_by_level(cells, np.zeros(cells.groups))
        bound, optimal = value, True
    else:
        value, rows, bound, optimal = _with_groups(cells, shares, beta)
    chosen = cells.index[rows]
    order = np.lexsort((ties[chosen], -r[chosen]))
    chosen = chosen[order]
    gap = 0.0
    if shares is not None:
        counts = np.bincount(codes[chosen], minlength=shares.size + 1)[:-1]
        gap = float(largest_gap(counts, shares))
    distance = wasserstein_p(s[chosen], support, None, masses, p)
    return ExactChoice(chosen, value, float(r[chosen].sum()), distance, gap, bound, optimal)


def least_distance(
    score: ArrayLike, population: ArrayLike, k: int, *, values: ArrayLike = BINS, p: float = 1.0
) -> float:
    """Least W_p^p to the population that any k of these documents can reach: the floor that no method passes."""
    s = finite_vector("score", score, least=1)
    support, masses = _population(values, population)
    check_k(k, s.size)
    number("p", p, 1.0)
    nothing = np.zeros(s.size)
    cells = make_cells(nothing, s, np.zeros(s.size, np.intp), np.arange(s.size), (support, masses), k, 1.0, p)
    value, _rows = best_by_level(cells, np.zeros(1))
    return max(0.0, -value)


def least_gap(groups: ArrayLike, group_shares: ArrayLike, k: int) -> float:
    """Least largest group gap that any k of these documents can reach."""
    shares = probabilities("group_shares", group_shares)
    codes = _group_codes(groups, None, shares.size)
    check_k(k, codes.size)
    return float(gap_levels(shares, np.bincount(codes, minlength=shares.size + 1), k).gap.min())


def select_weighted(
    relevance: ArrayLike,
    score: ArrayLike,
    population: ArrayLike,
    weights: ArrayLike,
    *,
    lam: float,
    p: float = 1.0,
    values: ArrayLike = BINS,
) -> ExactChoice:
    """Choose and order k documents so that the position-weighted distribution is near the population (D4).

    Maximises ``sum r - lam * W_p^p(sum_p (w_p / sum w) delta_{s_p}, population)``. Exact, by a programme over
    subsets of positions in O(N k 2^k); k = len(weights) <= 12. ``indices`` is the ranking, position 1 first.
    ``gap`` is 0.

    Raises
    ------
    ValueError
        For negative weights too: they define no distribution (clip them, and say so).
    """
    r = finite_vector("relevance", relevance, least=1)
    s = finite_vector("score", score, length=r.size)
    support, masses = _population(values, population)
    w = non_negative("weights", weights)
    k = w.size
    if k > 12:
        raise ValueError(f"weights: at most 12 positions, got {k}")
    if k > r.size:
        raise ValueError(f"weights: {k} positions to fill, {r.size} candidates given")
    if not w.sum() > 0:
        raise ValueError("weights: expected a positive sum")
    check_weight("lam", lam)
    number("p", p, 1.0)
    members = (np.arange(1 << k)[:, None] >> np.arange(k)) & 1
    cuts = np.minimum(members @ (w / w.sum()), 1.0)
    cuts[-1] = 1.0
    levels, level = np.unique(s, return_inverse=True)
    order = np.lexsort((np.arange(r.size), -r, level))
    rank = np.zeros(r.size, np.intp)
    run = np.concatenate([[True], level[order][1:] != level[order][:-1]])
    starts = np.flatnonzero(run)
    rank[order] = np.arange(r.size) - np.repeat(starts, np.diff(np.append(starts, r.size)))
    order = order[rank[order] < k]
    potential = lam * slice_costs(levels, support, masses, cuts, p)

    state = np.full(1 << k, -np.inf)
    state[0] = 0.0
    table = np.zeros((len(order), 1 << k), np.int8)
    with_bit = [np.flatnonzero(members[:, bit]) for bit in range(k)]
    now = np.zeros(1 << k)
    for step, row in enumerate(order):
        state += potential[level[row]] - now
        now = potential[level[row]]
        before = state.copy()
        for bit, having in enumerate(with_bit):
            trial = before[having - (1 << bit)] + r[row]
            better = trial > state[having]
            state[having[better]] = trial[better]
            table[step, having[better]] = bit + 1
    state -= now
    value = float(state[-1])
    ranking = np.zeros(k, np.intp)
    left = (1 << k) - 1
    for step in range(len(order) - 1, -1, -1):
        bit = int(table[step, left])
        if bit:
            ranking[bit - 1] = order[step]
            left -= 1 << (bit - 1)
    distance = wasserstein_p(s[ranking], support, w, masses, p)
    return ExactChoice(ranking, value, float(r[ranking].sum()), distance, 0.0, value, True)


def check_k(k: int, count: int) -> None:
    """Raise ValueError unless 1 <= k <= count."""
    if whole("k", k, 1) > count:
        raise ValueError(f"k: {k} documents asked for, {count} candidates given")


def check_weight(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is a finite number of at least 0."""
    number(name, value, 0.0)


def _with_groups(cells: Cells, shares: FloatArray, beta: float) -> tuple[float, IntArray, float, bool]:
    search = search_prices(cells, shares, beta)
    if search.settled:
        return search.value, search.rows, search.value, True
    found = best_with_groups(cells, shares, beta, search, STATE_LIMIT)
    if found is None:
        return search.value, search.rows, search.bound, False
    return *found, found[0], True


def _group_codes(groups: ArrayLike, length: int | None, count: int) -> IntArray:
    """Group codes with unknown authors (-1) coded as ``count``."""
    codes = codes_of("groups", groups, -1, count - 1, length=length)
    return np.where(codes < 0, count, codes)


def _population(values: ArrayLike, population: ArrayLike) -> tuple[FloatArray, FloatArray]:
    support = finite_vector("values", values, least=1)
    masses = probabilities("population", population, length=support.size)
    order = np.argsort(support, kind="stable")
    return support[order], masses[order]


__all__ = [
    "ExactChoice",
    "check_k",
    "check_weight",
    "least_distance",
    "least_gap",
    "recommended_weights",
    "select_exact",
    "select_weighted",
]
