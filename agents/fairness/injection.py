"""Controlled bias injection: the probabilistic reranker, position by position (FARO, stage 1, eq. 2).

Position p takes the best unused document of group g1 with probability ``m_p = (Eb_p + 1) / 2``, otherwise the best
unused one of g2. Each group keeps its own relevance order and no document is used twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import finite_vector, instance, numbers

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Injection(NamedTuple):
    """What the reranker showed for one question.

    Attributes
    ----------
    order
        Shape (k,): candidate indices by position.
    groups
        Shape (k,): realised group, -1 or +1; this, not the intended one, is what a fit must use.
    forced
        Positions (0-based) that had to take the other group because one had run out.
    """

    order: Integers
    groups: Integers
    forced: tuple[int, ...]


def probability(embedding_bias: ArrayLike) -> Floats:
    """``m_p = (Eb_p + 1) / 2`` (eq. 2); Eb in [-1, 1] gives m in [0, 1]."""
    eb = numbers("embedding_bias", embedding_bias)
    if not (np.abs(eb) <= 1.0).all():
        raise ValueError("embedding_bias must lie in [-1, 1]")
    return (eb + 1.0) / 2.0


def inject(
    relevance: ArrayLike, attribute: ArrayLike, probabilities: ArrayLike, rng: np.random.Generator
) -> Injection:
    """Draw one ranking of k documents, k = len(probabilities).

    Parameters
    ----------
    relevance, attribute
        Shape (N,): finite relevances, and groups -1 or +1.
    probabilities
        Shape (k,): chance in [0, 1] that a position takes group +1.
    rng
        Source of the draws; one draw a position, always, so that equal seeds give equal rankings.

    Raises
    ------
    ValueError
        Naming the argument that is empty, of the wrong shape or out of range, or if N < k.
    """
    m = numbers("probabilities", probabilities)
    if m.ndim != 1 or m.size == 0:
        raise ValueError(f"probabilities must have shape (k,) with k >= 1, got {m.shape}")
    if not ((m >= 0) & (m <= 1)).all():
        raise ValueError("probabilities must lie in [0, 1]")
    instance("rng", rng, np.random.Generator)
    return arrange(relevance, attribute, np.where(rng.random(m.size) < m, 1, -1))


def arrange(relevance: ArrayLike, attribute: ArrayLike, groups: ArrayLike) -> Injection:
    """Fill the positions with the wanted groups (-1 or +1), the most relevant unused document first."""
    r, a = finite_vector("relevance", relevance, least=1), numbers("attribute", attribute)
    wanted = numbers("groups", groups)
    if a.shape != r.shape or not np.isin(a, (-1, 1)).all():
        raise ValueError("attribute must hold -1 or +1 and have the shape of relevance")
    if wanted.ndim != 1 or wanted.size == 0 or not np.isin(wanted, (-1, 1)).all():
        raise ValueError("groups must hold -1 or +1 and have shape (k,) with k >= 1")
    if r.size < wanted.size:
        raise ValueError(f"relevance: {r.size} candidates are fewer than k = {wanted.size}")
    by_relevance = np.argsort(-r, kind="stable")
    queues = {g: list(by_relevance[a[by_relevance] == g][::-1]) for g in (-1, 1)}
    order, realised, forced = [], [], []
    for p, want in enumerate(wanted.tolist()):
        group = int(want)
        if not queues[group]:
            group = -group
            forced.append(p)
        order.append(queues[group].pop())
        realised.append(group)
    return Injection(np.asarray(order, dtype=np.int64), np.asarray(realised, dtype=np.int64), tuple(forced))


__all__ = ["Injection", "arrange", "inject", "probability"]
