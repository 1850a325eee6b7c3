"""The exact choice for W2 itself, with its square root (O-RAG eq. 8): relevance, W2 and author groups (D3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.checks import finite_vector
from agents.fairness.distance import BINS
from agents.fairness.opinion import ExactChoice, check_weight, select_exact

#: Relative difference that rounding alone can make.
_ROUNDING = 1e-12


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

    right = supported(0.0)
    left = supported(_steepest(score, values, lam))
    best = max(right, left, key=value)
    proven = right.optimal and left.optimal
    seen = {frozenset(point.indices.tolist()) for point in (right, left)}
    segments = [(left, right)]
    while segments:
        near, far = segments.pop()
        width = far.distance - near.distance
        if width <= _ROUNDING * far.distance or worth(far) - lam * np.sqrt(near.distance) <= value(best):
            continue
        trade_off = (worth(far) - worth(near)) / width
        if trade_off <= 0:
            continue
        middle = supported(trade_off)
        proven = proven and middle.optimal
        gain = (worth(middle) - worth(near)) - trade_off * (middle.distance - near.distance)
        penalty = beta * max(near.gap, far.gap, middle.gap)
        size = abs(near.relevance) + abs(far.relevance) + penalty + trade_off * far.distance
        if gain <= _ROUNDING * size:
            continue
        # Above the straight line, so neither of its ends; rounding alone could bring back an earlier choice.
        choice = frozenset(middle.indices.tolist())
        if choice in seen:
            proven = False
            continue
        seen.add(choice)
        best = max(best, middle, key=value)
        segments += [(near, middle), (middle, far)]
    top = value(best)
    bound = top if proven else float("inf")
    return ExactChoice(
        best.indices, top, best.relevance, float(np.sqrt(best.distance)), best.gap, bound, proven
    )


def _steepest(score: ArrayLike, values: ArrayLike, lam: float) -> float:
    """Trade-off at the nearest end: what only a steeper one supports has a W2 below a millionth of the spread.

    ``lam * sqrt(z)`` falls no faster than ``lam / (sqrt(z) + sqrt(y)) * (z - y)`` between two distances z > y.
    """
    points = np.concatenate((finite_vector("score", score), finite_vector("values", values)))
    spread = float(np.ptp(points))
    return 1e6 * lam / spread if spread > 0 else 0.0


__all__ = ["select_w2"]
