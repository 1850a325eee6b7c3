"""Input of the binary reranking problem, checked once and laid out for vectorised algorithms.

Notation (FARO, table 1): question ``q`` of Q, candidate ``i`` of N, position ``p`` of k, relevance ``Rel[q, i]``,
group ``a[q, i]`` in {-1, +1}, position weights ``w``, intercept ``b``. The predicted output bias is
``Rb = (1/Q) sum_q sum_p w_p a[q, x_q(p)] + b`` (eqs. 7 and 8).

Relevance does not depend on the position, so all that matters about a question is how many documents of the
plus group it shows (n) and which positions they take.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import booleans, identifiers, number, numbers

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Side = Literal["up", "down"]

#: Slack, in units of Rb, with which a constraint counts as met.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Events:
    """Every step that buys bias with relevance on one side of the flat top, cheapest first.

    Attributes
    ----------
    side
        ``up`` raises Rb, ``down`` lowers it.
    question, step
        Shape (M,): which question changes, and by how many plus documents (+1 or -1).
    gain, loss
        Shape (M,): gain in the wanted direction, in units of Q * Rb (> 0); relevance lost (>= 0).
    rate
        Shape (M,): loss / gain = ``|mu| / Q``, non-decreasing.
    cumulative_gain, cumulative_loss
        Shape (M,): running sums; the exact supported frontier.
    """

    side: Side
    question: Integers
    step: Integers
    gain: Floats
    loss: Floats
    rate: Floats
    cumulative_gain: Floats = field(repr=False)
    cumulative_loss: Floats = field(repr=False)


@dataclass(frozen=True, eq=False)
class RerankProblem:
    """A checked batch of questions with binary groups. Build it with :func:`prepare`.

    Attributes
    ----------
    relevance
        Shape (Q, N), finite where ``present``.
    attribute
        Shape (Q, N), -1 or +1 where ``present``.
    weights
        Shape (k,), any sign.
    intercept
        ``b`` of eq. 8.
    present
        Shape (Q, N): False where a row is padded or a duplicate was set aside.
    collapsed
        How many duplicate documents were set aside.
    natural
        Shape (Q, k): the k most relevant candidates, best first (stable).
    ordered, ordered_plus
        Shape (Q, N): relevances in descending order (-inf where absent), and whether each is of the plus group.
    plus_index, minus_index
        Shape (Q, k): candidates of each group, best first (-1 where there are fewer).
    plus_relevance, minus_relevance
        Shape (Q, k): their relevances (-inf where there are fewer).
    """

    relevance: Floats
    attribute: Integers
    weights: Floats
    intercept: float
    present: Booleans
    collapsed: int
    natural: Integers
    ordered: Floats
    ordered_plus: Booleans
    plus_index: Integers
    minus_index: Integers
    plus_relevance: Floats
    minus_relevance: Floats

    @property
    def questions(self) -> int:
        """Number of questions Q."""
        return int(self.relevance.shape[0])

    @property
    def k(self) -> int:
        """Number of positions."""
        return int(self.weights.size)

    @cached_property
    def marginal(self) -> Floats:
        """Gain in relevance of the n-th plus document, shape (Q, k), non-increasing along n; may be infinite."""
        return self.plus_relevance - self.minus_relevance[:, ::-1]

    @cached_property
    def top_count(self) -> Integers:
        """Plus documents in the most relevant set (ties leave the plus document out), shape (Q,)."""
        return np.asarray((self.marginal > 0).sum(axis=1))

    @cached_property
    def relevance_by_count(self) -> Floats:
        """Most relevance with n plus documents, shape (Q, k + 1), -inf where impossible."""
        Q, k = self.plus_relevance.shape
        table = np.zeros((Q, k + 1))
        table[:, 1:] = np.cumsum(self.plus_relevance, axis=1)
        table[:, :-1] += np.cumsum(self.minus_relevance, axis=1)[:, ::-1]
        return table

    @cached_property
    def weights_down(self) -> Floats:
        """Weights in descending order."""
        return np.sort(self.weights)[::-1]

    @cached_property
    def lowest_bias(self) -> Floats:
        """Lowest ``sum_p w_p a`` of a question with n plus documents, shape (k + 1,): L_n."""
        return -self.highest_bias[::-1]

    @cached_property
    def highest_bias(self) -> Floats:
        """Highest ``sum_p w_p a`` of a question with n plus documents, shape (k + 1,): U_n."""
        return np.asarray(np.append(0.0, 2.0 * np.cumsum(self.weights_down)) - self.weights_down.sum())

    @cached_property
    def top_relevance(self) -> float:
        """Relevance of the k most relevant candidates of every question, summed."""
        return float(self.ordered[:, : self.k].sum())

    @cached_property
    def bottom_relevance(self) -> float:
        """Relevance of the k least relevant candidates of every question, summed (eq. 18)."""
        if self.present.all():
            return float(self.ordered[:, -self.k :].sum())
        low = np.where(self.present, self.relevance, np.inf)
        return float(np.partition(low, self.k - 1, axis=1)[:, : self.k].sum())

    @cached_property
    def natural_pattern(self) -> Booleans:
        """Shape (Q, k): True where the natural ranking shows a plus document."""
        return self.ordered_plus[:, : self.k]

    @cached_property
    def up(self) -> Events:
        """Events that raise Rb."""
        return _events(self, "up")

    @cached_property
    def down(self) -> Events:
        """Events that lower Rb."""
        return _events(self, "down")

    @cached_property
    def reachable(self) -> tuple[float, float]:
        """Lowest and highest predicted Rb of any ranking (L_n is convex in n, U_n concave)."""
        fewest = self.k - np.count_nonzero(self.minus_index >= 0, axis=1)
        most = np.count_nonzero(self.plus_index >= 0, axis=1)
        low = self.lowest_bias[np.clip(np.count_nonzero(self.weights < 0), fewest, most)].sum()
        high = self.highest_bias[np.clip(np.count_nonzero(self.weights > 0), fewest, most)].sum()
        return float(low / self.questions + self.intercept), float(high / self.questions + self.intercept)

    def events(self, side: Side) -> Events:
        """Events of one side."""
        return self.up if side == "up" else self.down

    def extreme_pattern(self, counts: Integers, side: Side) -> Booleans:
        """Positions of the plus documents that give the highest (``up``) or lowest Rb, shape (Q, k)."""
        return self._extreme_patterns[side][counts]

    @cached_property
    def _extreme_patterns(self) -> dict[Side, Booleans]:
        k = self.k
        place = np.empty((2, k), dtype=np.int64)
        place[0, np.argsort(-self.weights, kind="stable")] = np.arange(k)
        place[1, np.argsort(self.weights, kind="stable")] = np.arange(k)
        taken = place[:, None, :] < np.arange(k + 1)[None, :, None]
        return {"up": taken[0], "down": taken[1]}

    def bias_of(self, pattern: Booleans) -> Floats:
        """``sum_p w_p a`` of each row of a pattern (True = plus document), shape (Q,)."""
        return np.asarray((2.0 * pattern - 1.0) @ self.weights)

    def predicted_bias(self, pattern: Booleans) -> float:
        """Predicted Rb of a pattern of all questions (eq. 8)."""
        return float(self.bias_of(pattern).sum() / self.questions + self.intercept)

    def ranking(self, pattern: Booleans) -> Integers:
        """Documents for a pattern: within a group the more relevant one stands first, shape (Q, k)."""
        rank = np.cumsum(pattern, axis=1)
        place = np.where(pattern, rank - 1, np.arange(self.k)[None, :] - rank)
        place += (np.arange(pattern.shape[0]) * self.k)[:, None]
        return np.where(pattern, self.plus_index.ravel()[place], self.minus_index.ravel()[place])


def prepare(
    relevance: ArrayLike,
    attribute: ArrayLike,
    weights: ArrayLike,
    intercept: float = 0.0,
    *,
    present: ArrayLike | None = None,
    documents: ArrayLike | None = None,
) -> RerankProblem:
    """Check a batch of questions and sort its candidates.

    Parameters
    ----------
    relevance
        Shape (Q, N), finite; one question may be given as (N,).
    attribute
        Same shape, -1 or +1.
    weights
        Shape (k,), k >= 1, finite; the position weights of the calibration, rank 1 first.
    intercept
        ``b`` of eq. 8.
    present
        Same shape, bool: False marks padding of rows with fewer than N candidates.
    documents
        Same shape: document ids. Repeated ids in a row are collapsed to the most relevant copy.

    Raises
    ------
    ValueError
        If an argument is empty, of the wrong shape, not finite, not -1 or +1, if a question has fewer than k
        distinct candidates, or if copies of one document disagree on its group; names the argument.
    """
    R = np.atleast_2d(numbers("relevance", relevance))
    w = numbers("weights", weights)
    if w.ndim != 1 or w.size == 0:
        raise ValueError(f"weights must have shape (k,) with k >= 1, got {w.shape}")
    if not np.isfinite(w).all():
        raise ValueError("weights must be finite")
    number("intercept", intercept)
    if R.ndim != 2 or R.size == 0:
        raise ValueError(f"relevance must have shape (Q, N) with Q, N >= 1, got {R.shape}")
    a_raw = np.atleast_2d(numbers("attribute", attribute))
    if a_raw.shape != R.shape:
        raise ValueError(f"attribute must have the shape of relevance {R.shape}, got {a_raw.shape}")
    mask = np.ones(R.shape, dtype=bool) if present is None else _mask(present, R.shape)
    if not np.isfinite(R).all() and not np.isfinite(R[mask]).all():
        raise ValueError("relevance must be finite (no NaN, no infinity)")
    whole = present is None
    valid = (a_raw == 1) | (a_raw == -1)
    if not valid.all() and (whole or not valid[mask].all()):
        raise ValueError("attribute must be -1 or +1")
    a = a_raw.astype(np.int64) if whole else np.where(mask, a_raw, -1).astype(np.int64)
    collapsed = 0
    if documents is not None:
        keep = distinct(R, a, mask, documents)
        collapsed = int(mask.sum() - keep.sum())
        mask = keep
    k = w.size
    partial = not whole or documents is not None
    if R.shape[1] < k or (partial and (mask.sum(axis=1) < k).any()):
        raise ValueError(f"relevance: every question needs at least k = {k} distinct candidates")
    filled = np.where(mask, R, -np.inf) if partial else R
    order = np.argsort(-filled, axis=1, kind="stable")
    flat = order + (np.arange(R.shape[0]) * R.shape[1])[:, None]
    ordered, plus = filled.ravel()[flat], a.ravel()[flat] > 0
    groups = _split(order, ordered, plus, k)
    return RerankProblem(R, a, w, float(intercept), mask, collapsed, order[:, :k], ordered, plus, *groups)


def distinct(R: Floats, a: Integers, mask: Booleans, documents: ArrayLike) -> Booleans:
    """Mask that keeps the most relevant copy of each document of a question, shape (Q, N)."""
    ids = np.atleast_2d(identifiers("documents", documents))
    if ids.shape != R.shape:
        raise ValueError(f"documents must have the shape of relevance {R.shape}, got {ids.shape}")
    keep = mask.copy()
    for q in range(R.shape[0]):
        columns = np.flatnonzero(mask[q])
        by_relevance = columns[np.argsort(-R[q, columns], kind="stable")]
        _, first, inverse = np.unique(ids[q, by_relevance], return_index=True, return_inverse=True)
        best = by_relevance[first]
        if (a[q, by_relevance] != a[q, best][inverse]).any():
            raise ValueError(f"documents: copies of one document of question {q} carry different groups")
        keep[q] = False
        keep[q, best] = True
    return keep


def _mask(present: ArrayLike, shape: tuple[int, ...]) -> Booleans:
    mask = np.atleast_2d(booleans("present", present))
    if mask.shape != shape:
        raise ValueError(f"present must have the shape of relevance {shape}, got {mask.shape}")
    return mask


def _split(
    order: Integers, ordered: Floats, plus: Booleans, k: int
) -> tuple[Integers, Integers, Floats, Floats]:
    """Find the k best candidates of each group, in one pass over the common order."""
    Q, N = order.shape
    rank = np.cumsum(plus, axis=1)
    # Plus documents go to the first N columns of a row of 2 N, the others to the second, each in order.
    target = np.where(plus, rank - 1, np.arange(N, 2 * N) - rank)
    target += (np.arange(Q) * (2 * N))[:, None]
    index: Any = np.full(2 * Q * N, -1, dtype=np.int64)
    value: Any = np.full(2 * Q * N, -np.inf)
    index[target] = order
    value[target] = ordered
    index, value = index.reshape(Q, 2, N), value.reshape(Q, 2, N)
    if ordered[:, -1].min() == -np.inf:
        index[value == -np.inf] = -1
    return index[:, 0, :k].copy(), index[:, 1, :k].copy(), value[:, 0, :k].copy(), value[:, 1, :k].copy()


def _events(problem: RerankProblem, side: Side) -> Events:
    """All events of one side, sorted by rate (stable, so that a question's own events stay nested)."""
    w = problem.weights_down if side == "up" else -problem.weights_down[::-1]
    # A question adds documents over the positive columns or drops them, last first, over the negative ones.
    adds, drops = np.flatnonzero(w > 0), np.flatnonzero(w < 0)[::-1]
    columns = np.concatenate((adds, drops))
    sign = np.where(np.arange(columns.size) < adds.size, 1, -1)
    d = problem.marginal[:, columns]
    usable = np.isfinite(d)
    usable[:, : adds.size] &= d[:, : adds.size] <= 0
    usable[:, adds.size :] &= d[:, adds.size :] > 0
    at = np.flatnonzero(usable)
    question, column = np.divmod(at, max(columns.size, 1))
    loss = np.abs(d.ravel()[at])
    gain = 2.0 * np.abs(w[columns])[column]
    rate = loss / gain
    order = np.argsort(rate, kind="stable")
    gain, loss = gain[order], loss[order]
    return Events(
        side, question[order], sign[column[order]], gain, loss, rate[order], np.cumsum(gain), np.cumsum(loss)
    )


__all__ = ["SLACK", "Events", "RerankProblem", "Side", "distinct", "prepare"]
