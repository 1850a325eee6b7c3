"""WARP's three selections and its two ways to widen the pool (arXiv 2608.22859), from its text: no code is public.

What its text leaves open and was taken here: the trade-off of W1-MMR and of WassRank OT (0.5), relevance scaled to
[0, 1] over the pool in WassRank OT, largest-remainder slots.
"""

from __future__ import annotations

import numpy as np

from agents.fairness.baselines import greedy_bins
from agents.fairness.checks import instance, number, shares_of, whole
from agents.fairness.distance import BINS, FloatArray, IntArray
from agents.fairness.pool import Choice, Pool, check_call

_WIDEST = 60.0  # W1 of the empty set, by the paper


def w1_greedy(pool: Pool, k: int, rng: np.random.Generator) -> Choice:
    """W1 Minimizer: add the entity's document that gives the smallest W1, ties by relevance."""
    check_call(pool, k)
    return greedy_bins(pool, k, lambda shares: _w1(shares, pool.population))


def w1_mmr(pool: Pool, k: int, rng: np.random.Generator, *, trade_off: float = 0.5) -> Choice:
    """W1-MMR: greedily maximise ``trade_off * r + (1 - trade_off) * fall of W1 / W1 now``, all candidates."""
    check_call(pool, k)
    number("trade_off", trade_off, 0.0, 1.0)
    order = pool.by_relevance()
    bins = pool.bins[order]
    gain_of_relevance = trade_off * pool.relevance[order]
    free = np.ones(order.size, bool)
    taken = np.zeros(len(BINS))
    current = _WIDEST
    chosen: list[int] = []
    for step in range(min(k, order.size)):
        after = _w1((taken + np.eye(len(BINS))) / (step + 1), pool.population)
        fall = (current - after) / max(current, 1e-9)
        best = int(np.where(free, gain_of_relevance + (1 - trade_off) * fall[bins], -np.inf).argmax())
        chosen.append(best)
        free[best] = False
        taken[bins[best]] += 1
        current = float(after[bins[best]])
    return Choice(order[chosen], np.arange(len(pool)))


def wassrank_ot(pool: Pool, k: int, rng: np.random.Generator, *, trade_off: float = 0.5) -> Choice:
    """WassRank OT: share k slots among the bins as in the population, then assign candidates to slots.

    Cost of a candidate in a slot: ``(1 - trade_off) |s - slot| / 60 + trade_off (1 - scaled relevance)``; solved by
    the rectangular assignment of SciPy.
    """
    check_call(pool, k)
    number("trade_off", trade_off, 0.0, 1.0)
    from scipy.optimize import linear_sum_assignment

    size = min(k, len(pool))
    slots = np.repeat(np.asarray(BINS), slot_counts(pool.population, size))
    order = pool.by_relevance()
    r = pool.relevance[order]
    scaled = (r - r.min()) / max(float(np.ptp(r)), 1e-12)
    cost = (1 - trade_off) * np.abs(pool.score[order][None, :] - slots[:, None]) / _WIDEST
    _rows, columns = linear_sum_assignment(cost + trade_off * (1 - scaled)[None, :])
    return Choice(order[columns], np.arange(len(pool)))


def slot_counts(shares: FloatArray, k: int) -> IntArray:
    """Round ``k * shares`` to integers of sum k by largest remainder, ties to the lower bin."""
    exact = shares_of("shares", shares) * whole("k", k, 0)
    counts = np.floor(exact + 1e-12).astype(np.intp)
    order = np.argsort(-(exact - counts), kind="stable")
    counts[order[: k - int(counts.sum())]] += 1
    return counts


def entity_gated(pool: Pool, cut: int, extra: int) -> IntArray:
    """Widen the top ``cut`` by up to ``extra`` of the entity's documents below it, most extreme opinion first.

    Returns positions in ``pool``, the larger pool, ascending: ``pool.take`` them and select from there.
    """
    inside, below = _split(pool, cut)
    whole("extra", extra, 0)
    order = np.lexsort((pool.tie_breaks[below], -pool.relevance[below], -np.abs(pool.score[below])))
    return np.sort(np.concatenate([inside, below[order[:extra]]]))


def adaptive_expansion(pool: Pool, cut: int, per_bin: int, *, delta: float = 0.05) -> IntArray:
    """Widen the top ``cut`` in each bin whose share among its matched documents is ``delta`` under the population's.

    Each such bin gains its ``per_bin`` most relevant matched documents from below the cut: what one targeted query a
    bin would bring. Returns positions in ``pool``, ascending.
    """
    inside, below = _split(pool, cut)
    whole("per_bin", per_bin, 0)
    number("delta", delta, 0.0, 1.0)
    matched = inside[pool.match_mask[inside]]
    have = np.bincount(pool.bins[matched], minlength=len(BINS)) / max(matched.size, 1)
    bins = pool.bins[below]
    added = [below[bins == b][:per_bin] for b in np.flatnonzero(have < pool.population - delta)]
    return np.sort(np.concatenate([inside, *added]))


def _split(pool: Pool, cut: int) -> tuple[IntArray, IntArray]:
    instance("pool", pool, Pool)
    whole("cut", cut, 1)
    order = pool.by_relevance()
    below = order[cut:]
    return order[:cut], below[pool.match_mask[below]]


def _w1(shares: FloatArray, population: FloatArray) -> FloatArray:
    result: FloatArray = np.abs(np.cumsum(shares - population, axis=-1)[..., :-1]).sum(axis=-1) * 10.0
    return result


__all__ = ["adaptive_expansion", "entity_gated", "slot_counts", "w1_greedy", "w1_mmr", "wassrank_ot"]
