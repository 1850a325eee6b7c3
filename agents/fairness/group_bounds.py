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
#: Most swaps for each document to choose; a choice takes a few, and the search for prices does without the rest.
_SWAPS = 50


def resolution(cells: Cells, penalty: float) -> float:
    """Difference of two objectives that rounding alone can make: it grows with their parts, not with their sum.

    An absolute threshold lets swaps at large weights go round for ever and hides small relevances altogether.
    ``penalty`` is the largest that the gap can cost.
    """
    largest = float(np.abs(cells.relevance).max() * cells.k + np.abs(cells.potential).max() + penalty)
    return 64 * float(np.finfo(np.float64).eps) * (len(cells.potential) + cells.k) * largest


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
    """What the search for prices found.

    Attributes
    ----------
    value, rows
        Best choice seen, as rows of the cells, and its objective.
    bound
        Proven upper bound of every choice.
    price
        Prices of the bound, shape (G+1,).
    outer
        ``max_n price . n - beta * gap(n)`` at these prices.
    levels
        Gap levels that may still hold a better choice.
    tolerance
        Objectives no further apart than this are equal; see :func:`resolution`.
    """

    value: float
    rows: IntArray
    bound: float
    price: FloatArray
    outer: float
    levels: GapLevels
    tolerance: float

    @property
    def settled(self) -> bool:
        """Whether the bound leaves no room above the best choice seen."""
        return self.bound - self.value <= self.tolerance


def search_prices(cells: Cells, shares: FloatArray, beta: float, steps: int = 12) -> PriceSearch:
    """Minimise the Lagrangian bound by Polyak subgradient steps, against a choice polished by swaps.

    ``cells.group`` must code unknown authors as ``shares.size``.
    """
    groups = shares.size + 1
    k = cells.k
    levels = gap_levels(shares, np.bincount(cells.group, minlength=groups), k)
    tolerance = resolution(cells, beta * float(levels.gap.max()))
    price = np.zeros(groups)
    value, rows = -np.inf, np.empty(0, np.intp)
    bound, best_price, best_outer = np.inf, price, 0.0
    seen: list[tuple[float, FloatArray]] = []
    for step in range(steps):
        inner, trial = best_by_level(cells, price)
        counts = np.bincount(cells.group[trial], minlength=groups)
        trial_value = inner + float(price @ counts) - beta * float(largest_gap(counts[:-1], shares))
        if step % 3 == 0 or trial_value > value:
            trial_value, trial = polish(cells, trial, trial_value, shares, beta, tolerance)
        if trial_value > value:
            value, rows = trial_value, trial
        linear, points = levels.best(price, k)
        outer = linear - beta * levels.gap
        seen.append((inner, price))
        top = int(outer.argmax())
        here = inner + float(outer[top])
        if here < bound:
            bound, best_price, best_outer = here, price, float(outer[top])
        direction = points[top] - counts
        norm = float(direction @ direction)
        if bound - value <= tolerance or norm == 0:
            break
        levels = levels.keep(inner + outer >= value - tolerance)
        price = price - (here - value) / norm * direction
    for inner, tried in seen:
        linear, _points = levels.best(tried, k)
        levels = levels.keep(inner + linear - beta * levels.gap >= value - tolerance)
    return PriceSearch(value, rows, bound, best_price, best_outer, levels, tolerance)


def polish(
    cells: Cells, rows: IntArray, value: float, shares: FloatArray, beta: float, tolerance: float
) -> tuple[float, IntArray]:
    """Improve a choice by single swaps between cells until none gains more than ``tolerance``.

    A choice is a count for each cell. Moving one document from level a to b changes the cumulative counts between
    them by one, so all swaps are priced from three small tables: relevance, distance, gap.
    """
    starts = cells.starts()
    first = starts[:-1]
    size = np.diff(starts)
    level, group = cells.level[first], cells.group[first]
    cell_of = np.cumsum(cells.rank == 0) - 1
    taken = np.bincount(cell_of[rows], minlength=first.size)
    psi = cells.boundary()[:-1]
    steps = np.arange(len(psi))
    eye = np.eye(shares.size + 1, dtype=np.intp)
    moves = eye[None, :, :] - eye[:, None, :]
    for _ in range(_SWAPS * cells.k):
        counts = np.bincount(group, weights=taken, minlength=shares.size + 1).astype(np.intp)
        gap = largest_gap(counts[:-1], shares)
        penalty = beta * (largest_gap((counts + moves)[:, :, :-1], shares) - gap)
        reach = np.cumsum(np.bincount(level, weights=taken, minlength=len(psi) + 1)).astype(np.intp)[:-1]
        now = psi[steps, reach]
        fewer = np.append(0.0, np.cumsum(psi[steps, np.maximum(reach - 1, 0)] - now))
        more = np.append(0.0, np.cumsum(psi[steps, np.minimum(reach + 1, cells.k)] - now))
        out = np.flatnonzero(taken > 0)
        into = np.flatnonzero(taken < size)
        a, b = level[out][:, None], level[into][None, :]
        gain = np.where(a <= b, fewer[b] - fewer[a], more[a] - more[b])
        gain -= cells.relevance[first[out] + taken[out] - 1][:, None]
        gain += cells.relevance[first[into] + taken[into]][None, :]
        gain -= penalty[group[out][:, None], group[into][None, :]]
        gain[out[:, None] == into[None, :]] = -np.inf
        if not gain.size or (best := int(gain.argmax())) < 0 or gain.flat[best] <= tolerance:
            break
        value += float(gain.flat[best])
        taken[out[best // into.size]] -= 1
        taken[into[best % into.size]] += 1
    return value, np.flatnonzero(cells.rank < taken[cell_of])


__all__ = ["GapLevels", "PriceSearch", "gap_levels", "largest_gap", "polish", "resolution", "search_prices"]
