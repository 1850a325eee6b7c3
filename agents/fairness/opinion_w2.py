"""The exact choice for W2 itself, with its square root (O-RAG eq. 8): relevance, W2 and author groups (D3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.distance import BINS, finite_vector
from agents.fairness.opinion import ExactChoice, check_weight, select_exact


def select_w2(
    relevance: ArrayLike,
    score: ArrayLike,
    population: ArrayLike,
    k: int,
    *,
    lam: float,
    beta: float = 0.0,
    values: ArrayLike = BINS,
    groups: ArrayLike | None = None,
    group_shares: ArrayLike | None = None,
    ids: ArrayLike | None = None,
) -> ExactChoice:
    """Choose k documents to maximise ``sum r - lam * W2 - beta * gap``; ``distance`` of the result is W2.

    With u = sum r - beta * gap and z = W2^2 the objective ``u - lam * sqrt(z)`` is convex in (u, z), so the best choice
    lies on the supported frontier of (u, z), which a dichotomy over linear trade-offs walks; each of its points is a
    :func:`agents.fairness.opinion.select_exact`. A segment is left when even its best corner is no better than a choice
    already seen.

    Parameters
    ----------
    relevance, score, population, values, k, lam, beta, groups, group_shares, ids
        As in :func:`agents.fairness.opinion.select_exact`.
    """
    check_weight("lam", lam)

    def supported(trade_off: float) -> ExactChoice:
        return select_exact(
            relevance,
            score,
            population,
            k,
            lam=trade_off,
            beta=beta,
            p=2.0,
            values=values,
            groups=groups,
            group_shares=group_shares,
            ids=ids,
        )

    def worth(point: ExactChoice) -> float:
        return point.relevance - beta * point.gap

    def value(point: ExactChoice) -> float:
        return worth(point) - lam * float(np.sqrt(point.distance))

    r = finite_vector("relevance", relevance)
    right = supported(0.0)
    left = supported(1e6 * max(1.0, float(np.ptp(r)) * k + beta))
    best = max(right, left, key=value)
    proven = right.optimal and left.optimal
    segments = [(left, right)] if right.distance - left.distance > 1e-12 else []
    while segments:
        near, far = segments.pop()
        if worth(far) - lam * np.sqrt(near.distance) <= value(best):
            continue
        trade_off = max(0.0, (worth(far) - worth(near)) / (far.distance - near.distance))
        middle = supported(trade_off)
        proven = proven and middle.optimal
        gain = (worth(middle) - trade_off * middle.distance) - (worth(near) - trade_off * near.distance)
        if gain <= 1e-12 * max(1.0, abs(worth(near))):
            continue
        best = max(best, middle, key=value)
        segments += [(near, middle), (middle, far)]
    top = value(best)
    bound = top if proven else float("inf")
    return ExactChoice(
        best.indices, top, best.relevance, float(np.sqrt(best.distance)), best.gap, bound, proven
    )


__all__ = ["select_w2"]
