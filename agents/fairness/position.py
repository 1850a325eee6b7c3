"""Order a chosen set of documents so that the predicted output bias meets its target.

The documents are given; only their positions are free. With polarities a in {-1, 0, +1} the prediction is
``Rb = sum_p w_p a_p + b`` (FARO, eq. 8, for one question). Within a polarity the more relevant document always
stands first, so an order is a sequence of polarities. Among the orders that meet the target the one that is most
relevant first is taken: at the earliest rank where two orders differ it shows the more relevant document (ties by
the given order).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import finite_vector, number, numbers
from agents.fairness.position_sums import MAX_POSITIONS, Assignment, SumTable, nearest_sum, suffix_tables

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Slack, in units of Rb, with which the target counts as met.
SLACK = 1e-9
#: Most nodes of the search for the most relevant order; beyond them an order of least distance stands in. The first
#: try, without the tables of the last positions, nearly always succeeds where the tolerance is not tiny.
MAX_NODES, QUICK_NODES = 20_000, 300


@dataclass(frozen=True, eq=False)
class PositionOrder:
    """An order of the chosen documents.

    Attributes
    ----------
    order
        Shape (k,): index of the document at each position, rank 1 first.
    predicted
        Predicted Rb of the order.
    distance
        ``max(0, |Rb - target| - tolerance)``; 0 when met.
    reachable
        Lowest and highest predicted Rb of any order of these documents.
    unchanged
        Whether the relevance order met the target and was kept.
    exact
        Whether the distance is proven least (to 1e-9). Only sets beyond about 24 documents with unrelated weights
        and a target that no order found meets may be False.
    """

    order: Integers
    predicted: float
    distance: float
    reachable: tuple[float, float]
    unchanged: bool
    exact: bool

    @property
    def met(self) -> bool:
        """Whether the predicted Rb lies within the tolerance of the target."""
        return self.distance <= SLACK


def order_for_target(
    relevance: ArrayLike,
    polarity: ArrayLike,
    weights: ArrayLike,
    intercept: float = 0.0,
    *,
    target: float = 0.0,
    tolerance: float = 0.0,
) -> PositionOrder:
    """Order k documents so that ``|Rb - target| <= tolerance``, or as near as any order comes.

    Parameters
    ----------
    relevance
        Shape (k,), finite, k <= 78.
    polarity
        Shape (k,): -1, 0 (neutral) or +1.
    weights
        Shape (k,): position weights of the calibration, any sign, rank 1 first.
    intercept, target, tolerance
        ``b``, the wanted Rb, and how far from it is still right (>= 0).

    Raises
    ------
    ValueError
        Naming the argument that is empty, of the wrong length, not finite or out of range.
    """
    r, a, w = _checked(relevance, polarity, weights)
    number("intercept", intercept)
    number("target", target)
    number("tolerance", tolerance, 0.0)
    by_relevance = np.argsort(-r, kind="stable")
    wanted = target - intercept
    search = _Search(r, a, w, by_relevance)
    low, high = search.extremes(0, search.counts)
    reachable = (low + intercept, high + intercept)

    def finish(order: Integers, exact: bool) -> PositionOrder:
        predicted = float(a[order] @ w) + intercept
        distance = max(0.0, abs(predicted - target) - tolerance)
        unchanged = bool((order == by_relevance).all())
        return PositionOrder(order, predicted, distance, reachable, unchanged, exact or distance <= SLACK)

    if abs(float(a[by_relevance] @ w) - wanted) <= tolerance + SLACK:
        return finish(by_relevance, True)
    if wanted - tolerance > high or wanted + tolerance < low:
        edge = high if wanted > high else low
        found, _ = search.first(edge - SLACK, edge + SLACK)
        assert found is not None
        return finish(found, True)
    found, _ = search.first(wanted - tolerance - SLACK, wanted + tolerance + SLACK)
    if found is not None:
        return finish(found, True)
    nearest = nearest_sum(w, search.counts, wanted)
    distance = abs(nearest.total - wanted)
    better, _ = search.first(wanted - distance - 1e-12, wanted + distance + 1e-12)
    if better is None:
        better = search.documents(nearest)
    return finish(better, nearest.exact)


class _Search:
    """Depth-first search over the polarities of the positions, most relevant document first."""

    def __init__(self, r: Floats, a: Integers, w: Floats, by_relevance: Integers) -> None:
        self.w = w
        self.queues = {g: by_relevance[a[by_relevance] == g] for g in (1, 0, -1)}
        self.rank = {int(d): i for i, d in enumerate(by_relevance)}
        self.counts = (self.queues[1].size, self.queues[-1].size)
        k = w.size
        self._prefix = [np.concatenate(([0.0], np.cumsum(np.sort(w[p:])[::-1]))) for p in range(k + 1)]
        self._tables: dict[int, SumTable] = {}

    def extremes(self, p: int, counts: tuple[int, int]) -> tuple[float, float]:
        """Lowest and highest sum of the positions from p on, with this many +1 and -1 left to place."""
        prefix = self._prefix[p]
        plus, minus = counts
        whole, n = float(prefix[-1]), prefix.size - 1
        high = float(prefix[plus]) - (whole - float(prefix[n - minus]))
        low = (whole - float(prefix[n - plus])) - float(prefix[minus])
        return low, high

    def first(self, low: float, high: float) -> tuple[Integers | None, bool]:
        """First order, most relevant first, with its sum in [low, high]; and whether the search was complete."""
        found, complete = self._walk(low, high, QUICK_NODES)
        if found is None and not complete:
            if not self._tables:
                self._tables = suffix_tables(self.w, self.counts)
            found, complete = self._walk(low, high, MAX_NODES)
        return found, complete

    def _walk(self, low: float, high: float, limit: int) -> tuple[Integers | None, bool]:
        k = self.w.size
        chosen: list[int] = []
        left = dict.fromkeys((1, 0, -1), 0)
        sums = [0.0]
        stack = [self._children(left)]
        nodes = 0
        while stack:
            if len(chosen) == k:
                return self._as_order(chosen), True
            if not stack[-1]:
                stack.pop()
                if chosen:
                    left[chosen.pop()] -= 1
                    sums.pop()
                continue
            group = stack[-1].pop()
            nodes += 1
            if nodes > limit:
                return None, False
            total = sums[-1] + group * float(self.w[len(chosen)])
            rest = (
                self.queues[1].size - left[1] - (group == 1),
                self.queues[-1].size - left[-1] - (group == -1),
            )
            if self._possible(len(chosen) + 1, rest, low - total, high - total):
                chosen.append(group)
                left[group] += 1
                sums.append(total)
                stack.append(self._children(left))
        return None, True

    def _possible(self, p: int, rest: tuple[int, int], low: float, high: float) -> bool:
        least, most = self.extremes(p, rest)
        if least > high + 1e-12 or most < low - 1e-12:
            return False
        table = self._tables.get(p)
        return table is None or table.any_in(rest, low, high)

    def _children(self, used: dict[int, int]) -> list[int]:
        """Polarities that are left, the one with the most relevant next document last (to be popped first)."""
        open_ = [g for g in (1, 0, -1) if used[g] < self.queues[g].size]
        return sorted(open_, key=lambda g: -self.rank[int(self.queues[g][used[g]])])

    def _as_order(self, groups: list[int]) -> Integers:
        taken = {g: iter(self.queues[g]) for g in (1, 0, -1)}
        return np.array([next(taken[g]) for g in groups], dtype=np.int64)

    def documents(self, assignment: Assignment) -> Integers:
        """Order of the documents for an assignment of polarities to positions."""
        return self._as_order(assignment.groups.tolist())


def _checked(
    relevance: ArrayLike, polarity: ArrayLike, weights: ArrayLike
) -> tuple[Floats, Integers, Floats]:
    r, a = finite_vector("relevance", relevance), numbers("polarity", polarity)
    if not 1 <= r.size <= MAX_POSITIONS:
        raise ValueError(f"relevance: from 1 to {MAX_POSITIONS} documents can be ordered, got {r.size}")
    if a.shape != r.shape or not np.isin(a, (-1, 0, 1)).all():
        raise ValueError("polarity must hold -1, 0 or +1 and have the shape of relevance")
    return r, a.astype(np.int64), finite_vector("weights", weights, length=r.size)


__all__ = ["PositionOrder", "order_for_target"]
