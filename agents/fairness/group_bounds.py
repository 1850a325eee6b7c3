"""Which author-group counts can still belong to the best choice: Lagrangian bounds on the gap penalty.

With a price ``mu_g`` for each document of group g, any choice x with group counts n satisfies

    objective(x) <= L1(mu) + mu . n - beta * gap(n),      L1(mu) = max_x sum (r - mu_g) - lambda W_p^p,

and L1 is one run of the programme without groups. Counts whose right side falls below a known objective cannot be
optimal. The set {n : gap(n) <= t} is a box with a fixed sum, so the best count of every gap level comes greedily.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.fairness.cells import Cells, best_by_level
from agents.fairness.distance import FloatArray, IntArray

_SLACK = 1e-9


def largest_gap(counts: IntArray, shares: FloatArray) -> FloatArray:
    """``max_g |n_g / n - share_g|`` of count vectors (..., G); with n = 0 the largest share (nobody is seen)."""
    known = counts.sum(axis=-1, keepdims=True)
    gaps: FloatArray = np.abs(counts / np.maximum(known, 1) - shares).max(axis=-1)
    return gaps


@dataclass(frozen=True, slots=True)
class GapLevels:
    """Boxes of counts, one a row: all n with ``lower <= n <= upper``, ``sum n = k`` have a gap of at most ``gap``.

    The last column counts documents of unknown authors, which is constant within a row.
    """

    lower: IntArray
    upper: IntArray
    gap: FloatArray

    def best(self, price: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        """Largest ``price . n`` in each box and the count vector that reaches it."""
        order = np.argsort(-price, kind="stable")
        room = (self.upper - self.lower)[:, order]
        left = k - self.lower.sum(axis=1, keepdims=True)
        extra = np.clip(left - (np.cumsum(room, axis=1) - room), 0, room)
        counts = self.lower.copy()
        counts[:, order] += extra
        return counts @ price, counts

    def keep(self, mask: np.ndarray) -> GapLevels:
        """Rows where ``mask`` holds."""
        return GapLevels(self.lower[mask], self.upper[mask], self.gap[mask])


def gap_levels(shares: FloatArray, supply: IntArray, k: int) -> GapLevels:
    """Every attainable gap level, for every number of unknown authors.

    Parameters
    ----------
    shares
        Shape (G,): the population's group shares.
    supply
        Shape (G+1,): candidates of each group; the last entry is the unknown authors.
    k
        Documents to choose.
    """
    lower_rows, upper_rows, gaps = [], [], []
    known_supply = int(supply[:-1].sum())
    for unknown in range(max(0, k - known_supply), min(k, int(supply[-1])) + 1):
        known = k - unknown
        if known == 0:
            level = np.array([shares.max()])
            low = high = np.zeros((1, shares.size), np.intp)
        else:
            level = np.unique(np.abs(np.arange(known + 1)[:, None] / known - shares).ravel())
            low = np.ceil(known * (shares - level[:, None]) - _SLACK).astype(np.intp).clip(0)
            high = np.floor(known * (shares + level[:, None]) + _SLACK).astype(np.intp)
            high = np.minimum(high, supply[:-1])
            fits = (low <= high).all(axis=1) & (low.sum(axis=1) <= known) & (high.sum(axis=1) >= known)
            low, high, level = low[fits], high[fits], level[fits]
        last = np.full((len(level), 1), unknown, np.intp)
        lower_rows.append(np.hstack([low, last]))
        upper_rows.append(np.hstack([high, last]))
        gaps.append(level)
    return GapLevels(np.vstack(lower_rows), np.vstack(upper_rows), np.concatenate(gaps))


@dataclass(frozen=True, slots=True)
class PriceSearch:
    """Best choice seen while searching prices, and what is left to examine."""

    value: float
    rows: IntArray
    bound: float
    levels: GapLevels


def search_prices(cells: Cells, shares: FloatArray, beta: float, steps: int = 24) -> PriceSearch:
    """Minimise the Lagrangian bound by Polyak subgradient steps; discard gap levels as they fall below the best.

    ``cells.group`` must code unknown authors as ``shares.size``. ``bound == value`` (to rounding) proves the best
    choice optimal; otherwise the windows of ``levels`` hold every better one.
    """
    groups = shares.size + 1
    k = cells.k
    supply = np.bincount(cells.group, minlength=groups)
    levels = gap_levels(shares, supply, k)
    price = np.zeros(groups)
    best_value, best_rows, best_bound = -np.inf, np.empty(0, np.intp), np.inf
    seen: list[tuple[float, FloatArray]] = []
    for _ in range(steps):
        inner, rows = best_by_level(cells, price)
        counts = np.bincount(cells.group[rows], minlength=groups)
        value = inner + float(price @ counts) - beta * float(largest_gap(counts[:-1], shares))
        if value > best_value:
            best_value, best_rows = value, rows
        linear, points = levels.best(price, k)
        outer = linear - beta * levels.gap
        seen.append((inner, price.copy()))
        top = int(outer.argmax())
        bound = inner + float(outer[top])
        best_bound = min(best_bound, bound)
        tolerance = _SLACK * max(1.0, abs(best_value))
        direction = points[top] - counts
        norm = float(direction @ direction)
        if best_bound - best_value <= tolerance or norm == 0:
            break
        levels = levels.keep(inner + outer >= best_value - tolerance)
        price = price - (bound - best_value) / norm * direction
    for inner, tried in seen:
        linear, _points = levels.best(tried, k)
        levels = levels.keep(
            inner + linear - beta * levels.gap >= best_value - _SLACK * max(1.0, abs(best_value))
        )
    return PriceSearch(best_value, best_rows, best_bound, levels)


__all__ = ["GapLevels", "PriceSearch", "gap_levels", "largest_gap", "search_prices"]
