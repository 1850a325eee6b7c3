"""Several groups or several attributes at once: types of documents and the exact answer to one vector of prices.

A type is a combination of attribute values; its vector says how a document of that type moves each component of
the output bias. ``Rb_g = (1/Q) sum_q sum_p w_p v[type(x_q(p)), g] + b_g`` (eq. 8 for each component g). One-hot
vectors serve G groups, -1 / +1 binary attributes, (-1, 0, +1) polarity with a neutral type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import (
    booleans,
    finite_vector,
    instance,
    numbers,
    one_of,
    pairs,
    shares_of,
)
from agents.fairness.faro_problem import distinct

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MultigroupProblem:
    """A checked batch of questions with typed candidates. Build it with :func:`prepare_types`.

    Attributes
    ----------
    relevance, types, present
        Shape (Q, N): relevances, types in 0 .. T - 1, and False where a row is padded or a duplicate was dropped.
    vectors
        Shape (T, d): what one document of a type adds to each component.
    weights, intercept
        Shapes (k,) and (d,).
    best, best_index
        Shape (Q, T, k): relevances and candidates of each type, best first (-inf and -1 where there are fewer).
    natural
        Shape (Q, k): the most relevant candidates.
    """

    relevance: Floats
    types: Integers
    present: Booleans
    vectors: Floats
    weights: Floats
    intercept: Floats
    best: Floats
    best_index: Integers
    natural: Integers
    collapsed: int

    @property
    def questions(self) -> int:
        """Number of questions Q."""
        return int(self.relevance.shape[0])

    @property
    def k(self) -> int:
        """Number of positions."""
        return int(self.weights.size)

    @cached_property
    def levels(self) -> tuple[Floats, Integers, Integers]:
        """Distinct weights (L,), the level of each position (k,), and how many positions each level has (L,)."""
        weights, level, many = np.unique(self.weights, return_inverse=True, return_counts=True)
        return weights, np.asarray(level, dtype=np.int64), np.asarray(many, dtype=np.int64)

    @cached_property
    def natural_pattern(self) -> Integers:
        """Types that the relevance ranking shows, shape (Q, k)."""
        return np.take_along_axis(self.types, self.natural, axis=1)

    @cached_property
    def top_relevance(self) -> float:
        """Relevance of the k most relevant candidates of every question, summed."""
        return float(np.take_along_axis(self.relevance, self.natural, axis=1).sum())

    def bias_of(self, pattern: Integers) -> Floats:
        """Predicted Rb of types by position, shape (Q, k) to (d,)."""
        shown = self.vectors[pattern]
        return np.asarray(np.einsum("p,qpd->d", self.weights, shown) / self.questions + self.intercept)

    def ranking(self, pattern: Integers) -> Integers:
        """Documents for a pattern of types, shape (Q, k).

        Within a type the more relevant one stands first, and then among the positions of one weight, of whatever type.
        """
        ranking = np.empty(pattern.shape, dtype=np.int64)
        for t in range(self.vectors.shape[0]):
            here = pattern == t
            rank = np.cumsum(here, axis=1) - 1
            rows, columns = np.nonzero(here)
            ranking[rows, columns] = self.best_index[rows, t, rank[rows, columns]]
        shown = np.take_along_axis(self.relevance, ranking, axis=1)
        _, level, many = self.levels
        for index in np.flatnonzero(many > 1):
            places = np.flatnonzero(level == index)
            order = np.argsort(-shown[:, places], axis=1, kind="stable")
            ranking[:, places] = np.take_along_axis(ranking[:, places], order, axis=1)
        return ranking

    def relevance_of(self, ranking: Integers) -> float:
        """Sum the relevance of a ranking."""
        return float(np.take_along_axis(self.relevance, ranking, axis=1).sum())


class OracleAnswer(NamedTuple):
    """Optimum of every question for one price.

    Attributes
    ----------
    value
        Shape (Q,): ``max sum Rel - nu . S`` with S the question's summed bias vector.
    counts
        Shape (Q, T): documents of each type.
    pattern
        Shape (Q, k): types by position.
    """

    value: Floats
    counts: Integers
    pattern: Integers


def prepare_types(
    relevance: ArrayLike,
    types: ArrayLike,
    vectors: ArrayLike,
    weights: ArrayLike,
    intercept: ArrayLike = 0.0,
    *,
    present: ArrayLike | None = None,
    documents: ArrayLike | None = None,
) -> MultigroupProblem:
    """Check a batch and sort the candidates of each type.

    Parameters are those of :func:`agents.fairness.faro_problem.prepare`, with ``types`` (Q, N) of integers
    below T and ``vectors`` (T, d) in place of the binary group; ``intercept`` is a number or of shape (d,).

    Raises
    ------
    ValueError
        Naming the argument that is empty, of the wrong shape, not finite or out of range, or if a question has
        fewer than k distinct candidates.
    """
    R, w = np.atleast_2d(numbers("relevance", relevance)), numbers("weights", weights)
    V, t = numbers("vectors", vectors), np.atleast_2d(numbers("types", types))
    if w.ndim != 1 or w.size == 0 or not np.isfinite(w).all():
        raise ValueError(f"weights must be finite of shape (k,) with k >= 1, got shape {w.shape}")
    if V.ndim != 2 or V.size == 0 or not np.isfinite(V).all():
        raise ValueError(f"vectors must be finite of shape (T, d), got shape {V.shape}")
    if R.ndim != 2 or R.size == 0:
        raise ValueError(f"relevance must have shape (Q, N) with Q, N >= 1, got {R.shape}")
    if t.shape != R.shape:
        raise ValueError(f"types must have the shape of relevance {R.shape}, got {t.shape}")
    mask = np.ones(R.shape, dtype=bool) if present is None else np.atleast_2d(booleans("present", present))
    if mask.shape != R.shape:
        raise ValueError(f"present must have the shape of relevance {R.shape}, got {mask.shape}")
    if not np.isfinite(R[mask]).all():
        raise ValueError("relevance must be finite (no NaN, no infinity)")
    if not ((t >= 0) & (t < V.shape[0]) & (t == np.floor(t)) | ~mask).all():
        raise ValueError(f"types must be integers in 0 .. {V.shape[0] - 1}")
    codes = np.where(mask, t, 0).astype(np.int64)
    b = numbers("intercept", intercept)
    if b.shape not in ((), (V.shape[1],)) or not np.isfinite(b).all():
        raise ValueError(f"intercept must be a finite number or of shape {(V.shape[1],)}, got {b.shape}")
    collapsed = 0
    if documents is not None:
        keep = distinct(R, codes, mask, documents)
        collapsed = int(mask.sum() - keep.sum())
        mask = keep
    k, Q = w.size, R.shape[0]
    if (mask.sum(axis=1) < k).any():
        raise ValueError(f"relevance: every question needs at least k = {k} distinct candidates")
    order = np.argsort(-np.where(mask, R, -np.inf), axis=1, kind="stable")
    ordered = np.take_along_axis(np.where(mask, R, -np.inf), order, axis=1)
    ordered_type = np.take_along_axis(codes, order, axis=1)
    best = np.full((Q, V.shape[0], k), -np.inf)
    index = np.full((Q, V.shape[0], k), -1, dtype=np.int64)
    for kind in range(V.shape[0]):
        member = (ordered_type == kind) & (ordered > -np.inf)
        place = np.cumsum(member, axis=1) - 1
        rows, columns = np.nonzero(member & (place < k))
        best[rows, kind, place[rows, columns]] = ordered[rows, columns]
        index[rows, kind, place[rows, columns]] = order[rows, columns]
    b = np.broadcast_to(b, (V.shape[1],)).astype(np.float64)
    return MultigroupProblem(R, codes, mask, V, w, b, best, index, order[:, :k], collapsed)


def oracle(problem: MultigroupProblem, price: ArrayLike) -> OracleAnswer:
    """Maximise ``Rel - nu . S`` for every question, exactly; ``price`` is ``nu = mu / Q`` of shape (d,).

    With ``c_t = nu . v_t`` the types in ascending order of c take the positions in descending order of weight
    (rearrangement inequality), so a dynamic programme over types and counts suffices.
    """
    instance("problem", problem, MultigroupProblem)
    nu = finite_vector("price", price)
    if nu.shape != (problem.vectors.shape[1],):
        raise ValueError(f"price must have shape {(problem.vectors.shape[1],)}, got {nu.shape}")
    Q, T, k = problem.best.shape
    cost = problem.vectors @ nu
    sequence = np.argsort(cost, kind="stable")
    heaviest = np.argsort(-problem.weights, kind="stable")
    WD = np.concatenate(([0.0], np.cumsum(problem.weights[heaviest])))
    prefix = np.concatenate((np.zeros((Q, T, 1)), np.cumsum(problem.best, axis=2)), axis=2)
    f = np.full((Q, k + 1), -np.inf)
    f[:, 0] = 0.0
    choice = np.zeros((T, Q, k + 1), dtype=np.int64)
    most = np.isfinite(problem.best).sum(axis=2).max(axis=0)
    for step, t in enumerate(sequence):
        new = f.copy()
        for m in range(1, most[t] + 1):
            value = f[:, : k + 1 - m] + prefix[:, t, m, None] - cost[t] * (WD[m:] - WD[: k + 1 - m])
            better = value > new[:, m:]
            new[:, m:][better] = value[better]
            choice[step, :, m:][better] = m
        f = new
    counts = np.zeros((Q, T), dtype=np.int64)
    pattern = np.zeros((Q, k), dtype=np.int64)
    rows, filled = np.arange(Q), np.full(Q, k)
    for step in range(T - 1, -1, -1):
        taken_now = choice[step, rows, filled]
        kind = int(sequence[step])
        counts[:, kind] = taken_now
        place = np.arange(k)[None, :]
        q, at = np.nonzero((place < filled[:, None]) & (place >= (filled - taken_now)[:, None]))
        pattern[q, heaviest[at]] = kind
        filled = filled - taken_now
    return OracleAnswer(f[:, k], counts, pattern)


def combine(parts: Sequence[tuple[ArrayLike, ArrayLike]]) -> tuple[Integers, Floats]:
    """Join attributes: each part is (codes (Q, N), vectors (T, d)); returns product codes and joined vectors."""
    if not pairs("parts", parts):
        raise ValueError("parts must not be empty")
    codes: Integers | None = None
    vectors = np.zeros((1, 0))
    for part_codes, part_vectors in parts:
        given, v = np.atleast_2d(numbers("parts", part_codes)), numbers("parts", part_vectors)
        if v.ndim != 2 or not np.isfinite(v).all():
            raise ValueError(f"parts: vectors must be finite of shape (T, d), got shape {v.shape}")
        if not ((given >= 0) & (given < v.shape[0]) & (given == np.floor(given))).all():
            raise ValueError(f"parts: codes must be integers in 0 .. {v.shape[0] - 1}")
        c = given.astype(np.int64)
        if codes is not None and c.shape != codes.shape:
            raise ValueError(f"parts: codes must share one shape, got {codes.shape} and {c.shape}")
        codes = c if codes is None else codes * v.shape[0] + c
        vectors = np.hstack((np.repeat(vectors, v.shape[0], axis=0), np.tile(v, (vectors.shape[0], 1))))
    assert codes is not None
    return codes, vectors


def group_target(kind: Literal["parity", "proportional"], weights: ArrayLike, shares: ArrayLike) -> Floats:
    """Target of one-hot groups, shape (G,): equal shares or the population's, times the sum of the weights.

    ``shares`` of shape (G,) sum to 1; for ``parity`` only their number counts.
    """
    p, w = shares_of("shares", shares), finite_vector("weights", weights, least=1)
    if one_of("kind", kind, ("parity", "proportional")) == "parity":
        p = np.full(p.size, 1.0 / p.size)
    return np.asarray(p * float(w.sum()))


__all__ = ["MultigroupProblem", "OracleAnswer", "combine", "group_target", "oracle", "prepare_types"]
