"""The exact choice for W2 itself, with its square root (O-RAG eq. 8), without author groups (D3)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.cells import best_by_level, make_cells
from agents.fairness.distance import BINS, IntArray, finite_vector, probabilities, wasserstein_p
from agents.fairness.opinion import ExactChoice, check_k, check_weight


def select_w2(
    relevance: ArrayLike,
    score: ArrayLike,
    population: ArrayLike,
    k: int,
    *,
    lam: float,
    values: ArrayLike = BINS,
    ids: ArrayLike | None = None,
) -> ExactChoice:
    """Choose k documents to maximise ``sum r - lam * W2``; ``distance`` of the result is W2.

    ``r - lam * sqrt(z)`` is convex in (r, z = W2^2), so the best choice lies on the supported frontier of (r, z), which
    a dichotomy over linear trade-offs walks; a segment is left when even its best corner is no better than a choice
    already seen.

    Parameters
    ----------
    relevance, score, population, values, k, lam, ids
        As in :func:`agents.fairness.opinion.select_exact`.
    """
    r = finite_vector("relevance", relevance)
    s = finite_vector("score", score, length=r.size)
    support = finite_vector("values", values)
    masses = probabilities("population", population, length=support.size)
    check_k(k, r.size)
    check_weight("lam", lam)
    ties = np.arange(r.size) if ids is None else np.asarray(ids)
    if ties.shape != r.shape or np.unique(ties).size != r.size:
        raise ValueError("ids: expected one distinct id for each document")
    ascending = np.argsort(support, kind="stable")
    target = support[ascending], masses[ascending]
    cells = make_cells(r, s, np.zeros(r.size, np.intp), ties, target, k, 1.0, 2.0)
    nothing = np.zeros(1)

    def supported(trade_off: float) -> tuple[float, float, IntArray]:
        _value, rows = best_by_level(replace(cells, potential=trade_off * cells.potential), nothing)
        chosen = cells.index[rows]
        return float(r[chosen].sum()), wasserstein_p(s[chosen], target[0], None, target[1], 2.0), chosen

    def value(point: tuple[float, float, IntArray]) -> float:
        return point[0] - lam * float(np.sqrt(max(point[1], 0.0)))

    steepest = 1e6 * max(1.0, float(np.ptp(r)) * k)
    right, left = supported(0.0), supported(steepest)
    best = max(right, left, key=value)
    segments = [(left, right)] if right[1] - left[1] > 1e-12 else []
    while segments:
        near, far = segments.pop()
        if far[0] - lam * np.sqrt(max(near[1], 0.0)) <= value(best):
            continue
        trade_off = (far[0] - near[0]) / (far[1] - near[1])
        middle = supported(trade_off)
        gain = (middle[0] - trade_off * middle[1]) - (near[0] - trade_off * near[1])
        if gain <= 1e-12 * max(1.0, abs(near[0])):
            continue
        best = max(best, middle, key=value)
        segments += [(near, middle), (middle, far)]
    chosen = best[2][np.lexsort((ties[best[2]], -r[best[2]]))]
    top = value(best)
    return ExactChoice(chosen, top, best[0], float(np.sqrt(max(best[1], 0.0))), 0.0, top, True)


__all__ = ["select_w2"]
