"""Published ways to choose documents, to stand beside ours: relevance, MMR, DPP, KL and JS, opinion-MMR.

Each is ``method(pool, k, rng, **options) -> Choice``. WARP's three live in :mod:`agents.fairness.warp`. Where a
paper leaves a detail open, the docstring says what was taken.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.fairness.checks import number
from agents.fairness.distance import BINS, FloatArray, IntArray
from agents.fairness.pool import Choice, Pool, check_call


def relevance(pool: Pool, k: int, rng: np.random.Generator) -> Choice:
    """Take the plain top-k of the whole pool."""
    check_call(pool, k)
    return Choice(pool.by_relevance()[:k], np.arange(len(pool)))


def mmr(pool: Pool, k: int, rng: np.random.Generator, *, trade_off: float = 0.5) -> Choice:
    """Choose by maximal marginal relevance (Carbonell and Goldstein 1998) with cosine similarity.

    Greedily maximises ``trade_off * r - (1 - trade_off) * max cosine to the chosen``. Needs ``pool.vectors``.
    """
    check_call(pool, k)
    if pool.vectors is None:
        raise ValueError("vectors: mmr needs the documents' embeddings")
    norms = np.linalg.norm(pool.vectors, axis=1, keepdims=True)
    unit = pool.vectors / np.where(norms > 0, norms, 1.0)
    return _marginal(pool, k, trade_off, lambda chosen: unit @ unit[chosen])


def opinion_mmr(pool: Pool, k: int, rng: np.random.Generator, *, trade_off: float = 0.5) -> Choice:
    """Choose by MMR whose similarity is that of opinions: ``1 - |s_i - s_j| / 60`` (WARP's baseline)."""
    check_call(pool, k)
    return _marginal(pool, k, trade_off, lambda chosen: 1 - np.abs(pool.score - pool.score[chosen]) / 60.0)


def dpp(
    pool: Pool, k: int, rng: np.random.Generator, *, bandwidth: float = 10.0, ridge: float = 0.1
) -> Choice:
    """Choose by greedy MAP of a determinantal point process on the one-dimensional score (Chen et al. 2018).

    Kernel ``q_i q_j (exp(-(s_i - s_j)^2 / (2 bandwidth^2)) + ridge [i = j])`` with quality ``q = exp(r)``. Seven
    opinion bins give a kernel of rank seven; the ridge, our choice, lets more than seven be chosen.
    """
    check_call(pool, k)
    number("bandwidth", bandwidth, 0.0, ends="()")
    number("ridge", ridge, 0.0)
    order = pool.by_relevance()
    score = pool.score[order]
    log_quality = 2 * pool.relevance[order]
    residual = np.full(order.size, 1.0 + ridge)
    factors = np.zeros((0, order.size))
    free = np.ones(order.size, bool)
    chosen: list[int] = []
    for _ in range(min(k, order.size)):
        gain = np.where(free, np.log(np.maximum(residual, 1e-12)) + log_quality, -np.inf)
        best = int(gain.argmax())
        chosen.append(best)
        free[best] = False
        kernel = np.exp(-((score - score[best]) ** 2) / (2 * bandwidth**2))
        kernel[best] += ridge
        row = (kernel - factors[:, best] @ factors) / np.sqrt(max(float(residual[best]), 1e-12))
        factors = np.vstack([factors, row])
        residual = residual - row**2
    return Choice(order[chosen], np.arange(len(pool)))


def kl(pool: Pool, k: int, rng: np.random.Generator, *, smoothing: float = 0.01) -> Choice:
    """Greedily minimise ``KL(population || chosen)`` over the entity's documents, ties by relevance.

    Both distributions are mixed with ``smoothing`` of the uniform one, or an empty bin would cost infinity.
    """
    check_call(pool, k)
    number("smoothing", smoothing, 0.0, 1.0, ends="(]")

    def divergence(shares: FloatArray) -> FloatArray:
        p = (1 - smoothing) * pool.population + smoothing / len(BINS)
        q = (1 - smoothing) * shares + smoothing / len(BINS)
        result: FloatArray = (p * np.log(p / q)).sum(axis=-1)
        return result

    return greedy_bins(pool, k, divergence)


def js(pool: Pool, k: int, rng: np.random.Generator) -> Choice:
    """Greedily minimise the Jensen-Shannon divergence over the entity's documents, ties by relevance (WARP)."""
    check_call(pool, k)

    def divergence(shares: FloatArray) -> FloatArray:
        middle = (pool.population + shares) / 2
        return _plogq(pool.population, middle) / 2 + _plogq(shares, middle) / 2

    return greedy_bins(pool, k, divergence)


def greedy_bins(pool: Pool, k: int, divergence: Callable[[FloatArray], FloatArray]) -> Choice:
    """Add, one at a time, the entity's document whose bin gives the least divergence, ties by relevance.

    ``divergence`` maps shares of the bins, shape (7, 7), one candidate bin a row, to values of shape (7,).
    """
    check_call(pool, k)
    frame = pool.entity_documents()
    queues = _by_bin(pool, frame)
    taken = np.zeros(len(BINS), np.intp)
    chosen: list[int] = []
    for step in range(min(k, frame.size)):
        value = divergence((taken + np.eye(len(BINS))) / (step + 1))
        best = min(
            (b for b in range(len(BINS)) if taken[b] < queues[b].size),
            key=lambda b: _rank(pool, float(value[b]), int(queues[b][taken[b]])),
        )
        chosen.append(int(queues[best][taken[best]]))
        taken[best] += 1
    return Choice(np.array(chosen, np.intp), frame)


def _rank(pool: Pool, value: float, document: int) -> tuple[float, float, int]:
    """Least divergence first (equal to 12 digits is a tie), then relevance, then id."""
    return round(value, 12), -float(pool.relevance[document]), int(pool.tie_breaks[document])


def _by_bin(pool: Pool, frame: IntArray) -> list[IntArray]:
    """List each bin's documents of the frame, most relevant first."""
    order = pool.by_relevance(frame)
    bins = pool.bins[order]
    return [order[bins == b] for b in range(len(BINS))]


def _marginal(pool: Pool, k: int, trade_off: float, similarity: Callable[[int], FloatArray]) -> Choice:
    number("trade_off", trade_off, 0.0, 1.0)
    order = pool.by_relevance()
    nearest = np.full(len(pool), -np.inf)
    free = np.ones(len(pool), bool)
    chosen: list[int] = []
    for step in range(min(k, len(pool))):
        penalty = nearest if step else np.zeros(len(pool))
        gain = np.where(free, trade_off * pool.relevance - (1 - trade_off) * penalty, -np.inf)
        best = int(order[gain[order].argmax()])
        chosen.append(best)
        free[best] = False
        nearest = np.maximum(nearest, similarity(best))
    return Choice(np.array(chosen, np.intp), np.arange(len(pool)))


def _plogq(p: FloatArray, middle: FloatArray) -> FloatArray:
    ratio = np.divide(
        p, middle, out=np.ones(np.broadcast_shapes(p.shape, middle.shape)), where=(p > 0) & (middle > 0)
    )
    result: FloatArray = (p * np.log(ratio)).sum(axis=-1)
    return result


__all__ = ["dpp", "greedy_bins", "js", "kl", "mmr", "opinion_mmr", "relevance"]
