"""The candidates of an opinion selection as opinion levels, and the exact choice without groups.

On the line k equally weighted points are matched best in order: the j-th smallest score takes the quantile slice
``[(j-1)/k, j/k]`` of the population. Inside one opinion level the cost of taking the slices ``i+1..j`` is therefore
``H[j] - H[i]`` with ``H[j]`` the cost of sending all quantiles below ``j/k`` to that level, and a choice is no more
than a count for each level, filled with its most relevant documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.fairness.distance import FloatArray, IntArray


def slice_costs(
    levels: FloatArray, values: FloatArray, probs: FloatArray, cuts: FloatArray, p: float
) -> FloatArray:
    """Cost ``H[s, j]`` of sending the population's quantiles below ``cuts[j]`` to each level.

    Parameters
    ----------
    levels
        Shape (L,): the distinct scores of the candidates.
    values, probs
        Support (ascending) and masses of the population.
    cuts
        Shape (J,), in [0, 1].
    p
        Order of the distance; H sums ``|level - value|^p * mass``.

    Returns
    -------
    array of shape (L, J)
    """
    upper = np.cumsum(probs)
    lower = upper - probs
    upper[-1] = 1.0
    mass = np.clip(cuts[None, :] - lower[:, None], 0.0, (upper - lower)[:, None])
    return np.abs(levels[:, None] - values[None, :]) ** p @ mass


@dataclass(frozen=True, slots=True)
class Cells:
    """Candidates that can matter, in a canonical order: level, group, falling relevance, id.

    Only the k most relevant of each (level, group) cell are kept: any choice can swap to them at no loss.

    Attributes
    ----------
    index, level, group, relevance
        Of each kept document; ``index`` refers to the caller's arrays, ``group`` is in 0..G-1.
    rank
        Place of the document in its cell, 0 for the most relevant.
    potential
        Shape (L, k+1): lambda times :func:`slice_costs`.
    k
        Documents to choose.
    """

    index: IntArray
    level: IntArray
    group: IntArray
    relevance: FloatArray
    rank: IntArray
    potential: FloatArray
    k: int

    @property
    def groups(self) -> int:
        """Number of group codes in use."""
        return int(self.group.max()) + 1

    def starts(self) -> IntArray:
        """Row where each cell begins, and the number of rows, shape (cells + 1,)."""
        return np.append(np.flatnonzero(self.rank == 0), self.rank.size)

    def boundary(self) -> FloatArray:
        """Minus the transport cost as terms ``psi[s, j]`` of the count j up to level s, shape (L, k+1).

        ``sum_s psi[s, j_s]`` over the levels is minus lambda W_p^p, because the costs telescope.
        """
        terms: FloatArray = -self.potential
        terms[:-1] += self.potential[1:]
        return terms


def make_cells(
    relevance: FloatArray,
    score: FloatArray,
    group: IntArray,
    ids: IntArray,
    population: tuple[FloatArray, FloatArray],
    k: int,
    lam: float,
    p: float,
) -> Cells:
    """Sort, reduce to the best k of each cell and tabulate the transport costs."""
    levels, level = np.unique(score, return_inverse=True)
    order = np.lexsort((ids, -relevance, group, level))
    rank = _rank_in_run(level[order] * (int(group.max()) + 1) + group[order])
    keep = rank < k
    order, rank = order[keep], rank[keep]
    potential = lam * slice_costs(levels, *population, np.arange(k + 1) / k, p)
    return Cells(order, level[order], group[order], relevance[order], rank, potential, k)


def best_by_level(cells: Cells, price: FloatArray) -> tuple[float, IntArray]:
    """Maximise ``sum (relevance - price[group]) - lambda * W_p^p`` over all choices of k documents (D1).

    A dynamic programme over the levels, each step a (max, +) product with the prefix sums of the level's best
    documents: O(N k) additions.

    Returns
    -------
    value and the chosen rows of ``cells``, ascending.
    """
    k = cells.k
    adjusted = cells.relevance - price[cells.group]
    order = np.lexsort((-adjusted, cells.level))  # stable: equal values keep the canonical order
    level = cells.level[order]
    place = _rank_in_run(level)
    width = min(k, int(place.max()) + 1)
    keep = place < width
    gains = np.full((len(cells.potential), width + 1), -np.inf)
    gains[:, 0] = 0.0
    gains[level[keep], place[keep] + 1] = adjusted[order][keep]
    prefix = np.cumsum(gains, axis=1)

    source = np.arange(k + 1)[:, None] - np.arange(width + 1)[None, :] + width
    state = np.full(width + k + 1, -np.inf)  # the first `width` entries stand for a negative count
    state[width] = 0.0
    counts = np.empty((len(prefix), k + 1), np.intp)
    rows = np.arange(k + 1)
    for step, (gain, cost) in enumerate(zip(prefix, cells.potential, strict=True)):
        state[width:] += cost
        options = state[source]
        options += gain
        best = options.argmax(axis=1)
        counts[step] = best
        state[width:] = options[rows, best] - cost
    value = float(state[-1])

    left = k
    taken = np.zeros(len(prefix), np.intp)
    for step in range(len(prefix) - 1, -1, -1):
        taken[step] = counts[step, left]
        left -= int(taken[step])
    return value, np.sort(order[place < taken[level]])


def _rank_in_run(sorted_keys: IntArray) -> IntArray:
    """Place of each element within its run of equal keys."""
    count = len(sorted_keys)
    starts = np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]]))
    lengths = np.diff(np.append(starts, count))
    ranks: IntArray = np.arange(count) - np.repeat(starts, lengths)
    return ranks


__all__ = ["Cells", "best_by_level", "make_cells", "slice_costs"]
