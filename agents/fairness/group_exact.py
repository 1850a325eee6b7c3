"""The exact choice with author groups: a dynamic programme over group counts, pruned by Lagrangian bounds.

A state is the vector of group counts after some of the (level, group) cells. With prices ``mu`` the best completion of
a state is known but for the coupling of the groups:

    best(state) <= value - mu . counts + completion(cell, documents so far) + max_n (mu . n - beta * gap(n)),

so a state whose bound falls below a known choice is dropped. What survives is few, and the best of it is optimal.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from agents.fairness.cells import Cells
from agents.fairness.distance import FloatArray, IntArray
from agents.fairness.group_bounds import PriceSearch, largest_gap


def best_with_groups(
    cells: Cells, shares: FloatArray, beta: float, search: PriceSearch, limit: int
) -> tuple[float, IntArray] | None:
    """Return the best choice above ``search.value``, or that choice itself when there is none better.

    Returns
    -------
    value and rows of ``cells``; None when more than ``limit`` states would have to be kept.
    """
    k = cells.k
    starts = cells.starts()
    psi = cells.boundary()
    completion = _completions(cells, starts, psi, search.price)
    lower, upper = search.levels.lower.min(axis=0), search.levels.upper.max(axis=0)
    stride = (k + 1) ** np.arange(upper.size, dtype=np.int64)
    least = search.value - search.tolerance - search.outer

    counts = np.zeros((1, upper.size), np.intp)
    total = np.zeros(1, np.intp)
    value = np.zeros(1)
    bound_value = np.zeros(1)  # value less the prices of the counts
    history: list[tuple[IntArray, IntArray]] = []
    for cell, (begin, end) in enumerate(pairwise(starts.tolist())):
        group = int(cells.group[begin])
        closes = cell + 2 == len(starts) or cells.level[end] != cells.level[begin]
        gains = np.append(0.0, np.cumsum(cells.relevance[begin:end]))
        priced = gains - search.price[group] * np.arange(gains.size)
        taken = np.arange(gains.size)
        ahead = np.append(completion[cell + 1], np.full(gains.size, -np.inf))
        possible = bound_value[:, None] + priced + ahead[total[:, None] + taken] >= least
        possible &= counts[:, group, None] + taken <= upper[group]
        parent, take = np.nonzero(possible)
        if parent.size > limit:
            return None
        counts = counts[parent]
        counts[:, group] += take
        total = total[parent] + take
        value = value[parent] + gains[take]
        bound_value = bound_value[parent] + priced[take]
        if closes:
            level = int(cells.level[begin])
            value = value + psi[level, total]
            bound_value = bound_value + psi[level, total]
            fits = np.flatnonzero(np.maximum(lower - counts, 0).sum(axis=1) <= k - total)
            keep = fits[_best_of_each(counts[fits] @ stride, value[fits])]
            parent, take = parent[keep], take[keep]
            counts, total, value, bound_value = counts[keep], total[keep], value[keep], bound_value[keep]
        history.append((parent, take))

    if not value.size:
        return search.value, search.rows
    final = value - beta * largest_gap(counts[:, :-1], shares)
    position = int(final.argmax())
    best = float(final[position])
    if best <= search.value + search.tolerance:
        return search.value, search.rows
    chosen: list[IntArray] = []
    for cell in range(len(history) - 1, -1, -1):
        parent, take = history[cell]
        chosen.append(starts[cell] + np.arange(take[position]))
        position = int(parent[position])
    return best, np.concatenate(chosen[::-1])


def _completions(cells: Cells, starts: IntArray, psi: FloatArray, price: FloatArray) -> FloatArray:
    """Best priced value of the cells from each one on, for every number of documents taken before it."""
    k = cells.k
    result = np.full((len(starts), k + 1), -np.inf)
    ahead = np.full(k + 1, -np.inf)
    ahead[k] = 0.0
    result[-1] = ahead
    level = -1
    for cell in range(len(starts) - 2, -1, -1):
        begin, end = int(starts[cell]), int(starts[cell + 1])
        if cells.level[begin] != level:
            level = int(cells.level[begin])
            ahead = ahead + psi[level]
            result[cell + 1] = ahead  # from the end of the level before: its distance is to come
        gains = np.append(0.0, np.cumsum(cells.relevance[begin:end] - price[cells.group[begin]]))
        padded = np.append(ahead, np.full(gains.size, -np.inf))
        ahead = (padded[np.arange(k + 1)[:, None] + np.arange(gains.size)] + gains).max(axis=1)
        result[cell] = ahead
    return result


def _best_of_each(key: IntArray, value: FloatArray) -> IntArray:
    """Position of the largest value of each distinct key."""
    order = np.lexsort((-value, key))
    ordered = key[order]
    return order[np.append(True, ordered[1:] != ordered[:-1])] if order.size else order


__all__ = ["best_with_groups"]
