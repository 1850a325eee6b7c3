"""FARO for one question with a neutral third type: which k documents, and in which order.

Within a polarity the most relevant documents are used, so a choice is a pair of counts (how many +1, how many -1).
Counts are tried from the most relevant choice downwards; the rearrangement inequality says at once which Rb a
choice can span, and :func:`agents.fairness.position.order_for_target` finds the order. The first choice that meets
the target is the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import finite_vector, number, numbers
from agents.fairness.position import SLACK, PositionOrder, order_for_target

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Status = Literal["natural", "reordered", "optimal", "certified", "infeasible", "unresolved"]

#: Most choices whose orders are searched; every one of them can span the target.
MAX_CHOICES = 60


@dataclass(frozen=True, eq=False)
class QuestionSolution:
    """The documents shown for one question.

    Attributes
    ----------
    status
        ``natural``: the relevance ranking met the target. ``reordered``: the most relevant documents, in another
        order. ``optimal``: other documents, proven most relevant. ``certified``: feasible, though a more relevant
        choice could not be excluded. ``infeasible``: proven that no ranking meets the
        target; the nearest is returned. ``unresolved``: none was found among those searched.
    ranking
        Shape (k,): candidate indices by position.
    relevance, top_relevance
        Summed relevance of the ranking, and of the k most relevant candidates.
    predicted, target, tau
        Predicted Rb and the constraint ``|Rb - target| <= tau``.
    reachable
        Lowest and highest predicted Rb of any k candidates in any order.
    """

    status: Status
    ranking: Integers
    relevance: float
    top_relevance: float
    predicted: float
    target: float
    tau: float
    reachable: tuple[float, float]

    @property
    def feasible(self) -> bool:
        """Whether the predicted Rb meets the constraint."""
        return self.status in ("natural", "reordered", "optimal", "certified")


def solve_question(
    relevance: ArrayLike,
    polarity: ArrayLike,
    weights: ArrayLike,
    intercept: float = 0.0,
    *,
    target: float = 0.0,
    tau: float = 0.1,
) -> QuestionSolution:
    """Most relevant k candidates, k = len(weights), in an order with ``|Rb - target| <= tau``.

    Parameters
    ----------
    relevance, polarity
        Shape (N,): finite relevances, and -1, 0 (neutral) or +1. Collapse duplicates before.
    weights, intercept
        Position weights of shape (k,), rank 1 first, and ``b``, from the calibration.
    target, tau
        The constraint, in units of Rb; tau >= 0.

    Raises
    ------
    ValueError
        Naming the argument that is empty, of the wrong length, not finite or out of range, or if N < k.
    """
    r, a = finite_vector("relevance", relevance, least=1), numbers("polarity", polarity)
    w = finite_vector("weights", weights, least=1)
    if a.shape != r.shape or not np.isin(a, (-1, 0, 1)).all():
        raise ValueError("polarity must hold -1, 0 or +1 and have the shape of relevance")
    if r.size < w.size:
        raise ValueError(f"relevance: {r.size} candidates are fewer than k = {w.size}")
    number("intercept", intercept)
    number("target", target)
    number("tau", tau, 0.0)
    k = w.size
    by_relevance = np.argsort(-r, kind="stable")
    queues = {g: by_relevance[a[by_relevance] == g] for g in (1, 0, -1)}
    plus, minus = (m.ravel() for m in np.meshgrid(np.arange(k + 1), np.arange(k + 1), indexing="ij"))
    neutral = k - plus - minus
    possible = (
        (plus <= queues[1].size) & (minus <= queues[-1].size) & (neutral >= 0) & (neutral <= queues[0].size)
    )
    plus, minus, neutral = plus[possible], minus[possible], neutral[possible]
    gain = {g: np.append(0.0, np.cumsum(r[queue][:k])) for g, queue in queues.items()}
    value = gain[1][plus] + gain[-1][minus] + gain[0][neutral]
    prefix = np.append(0.0, np.cumsum(np.sort(w)[::-1]))
    high = prefix[plus] - (prefix[k] - prefix[k - minus]) + intercept
    low = (prefix[k] - prefix[k - plus]) - prefix[minus] + intercept
    reachable = (float(low.min()), float(high.max()))
    outside = np.maximum(np.maximum(low - target, target - high) - tau, 0.0)

    # The relevance ranking's own counts come first among ties, so that it is kept whenever it will do.
    top = by_relevance[:k]
    own = (plus == (a[top] == 1).sum()) & (minus == (a[top] == -1).sum())
    value = np.where(own, value.max(), value)
    order = np.lexsort((~own, -value))
    spanning = [int(c) for c in order if outside[c] <= SLACK]

    def attempt(choice: int) -> tuple[Integers, PositionOrder]:
        counts = {1: plus[choice], -1: minus[choice], 0: neutral[choice]}
        chosen = np.sort(np.concatenate([queues[g][: counts[g]] for g in (1, 0, -1)]))
        placed = order_for_target(r[chosen], a[chosen], w, intercept, target=target, tolerance=tau)
        return chosen[placed.order], placed

    def finish(status: Status, ranking: Integers, placed: PositionOrder) -> QuestionSolution:
        return QuestionSolution(
            status,
            ranking,
            float(r[ranking].sum()),
            float(r[top].sum()),
            placed.predicted,
            float(target),
            float(tau),
            reachable,
        )

    nearest: tuple[float, Integers, PositionOrder] | None = None
    proven = True
    for choice in spanning[:MAX_CHOICES]:
        ranking, placed = attempt(choice)
        if placed.met:
            # A more relevant choice that was skipped without proof would make this one merely feasible.
            status: Status = "optimal" if proven else "certified"
            if own[choice]:
                status = "natural" if (ranking == top).all() else "reordered"
            return finish(status, ranking, placed)
        proven = proven and placed.exact
        if nearest is None or placed.distance < nearest[0]:
            nearest = (placed.distance, ranking, placed)
    for choice in np.lexsort((-value, outside)):
        if outside[choice] > SLACK:
            if nearest is None or outside[choice] < nearest[0] - SLACK:
                ranking, placed = attempt(int(choice))
                nearest = (placed.distance, ranking, placed)
            break
    assert nearest is not None
    return finish(
        "infeasible" if proven and len(spanning) <= MAX_CHOICES else "unresolved", nearest[1], nearest[2]
    )


__all__ = ["QuestionSolution", "solve_question"]
