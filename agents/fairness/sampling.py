"""Probability samples of documents: random and stratified, with their inclusion probabilities.

A probability sample is fair also to what no label sees: each document of the frame has a known chance. The balanced
(cube) sample lives in :mod:`agents.fairness.cube`.

References
----------
Saerndal, Swensson, Wretman, Model Assisted Survey Sampling (1992); Madow (1949) for systematic rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.checks import codes_of, counts_of, instance, non_negative, shares_of, whole
from agents.fairness.distance import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Positions drawn, shape (k,), ascending, and the inclusion probability of every document, shape (N,)."""

    indices: IntArray
    inclusion: FloatArray


def random_sample(count: int, k: int, rng: np.random.Generator) -> Sample:
    """Draw a simple random sample of k of ``count`` documents: every inclusion is k / count."""
    _check(whole("count", count, 1), k)
    instance("rng", rng, np.random.Generator)
    return Sample(np.sort(rng.permutation(count)[:k]), np.full(count, k / count))


def allocate(shares: ArrayLike, supply: ArrayLike, k: int) -> FloatArray:
    """Expect ``k * share`` documents of each stratum where the supply allows; the others take what is missing.

    Parameters
    ----------
    shares
        Shape (B,): the population's shares, sum 1.
    supply
        Shape (B,): documents of each stratum, sum at least k.

    Returns
    -------
    array (B,)
        ``0 <= n_b <= supply_b`` with sum k. A capped stratum is full; the rest keep the proportions of their
        shares, and strata of share 0 are used only when nothing else is left.
    """
    share = shares_of("shares", shares)
    room = counts_of("supply", supply, length=share.size)
    if room.sum() < whole("k", k, 1):
        raise ValueError(f"k: {k} documents asked for, {room.sum():.0f} candidates given")
    size = np.zeros(share.size)
    full = room <= 0
    while True:
        left = k - size[full].sum()
        weight = np.where(full, 0.0, share)
        if weight.sum() <= 0:
            weight = np.where(full, 0.0, room)
        if left <= 1e-12 or weight.sum() <= 0:
            break
        size = np.where(full, size, left * weight / weight.sum())
        over = ~full & (size > room)
        if not over.any():
            break
        size = np.where(over, room, size)
        full = full | over
    return size


def systematic_counts(expected: ArrayLike, rng: np.random.Generator) -> IntArray:
    """Round expected counts to integers, unbiasedly, with every partial sum less than 1 off (Madow).

    ``E[n_b]`` is the expected count, ``|n_b - E n_b| < 1``, and so is the error of every cumulative sum, which keeps
    W1 of an ordered variable low. The sum of ``expected`` must be an integer.

    Raises
    ------
    ValueError
        An argument is empty, negative or not finite, or the sum is no integer (within 1e-6); begins with its name.
    """
    size = non_negative("expected", expected)
    instance("rng", rng, np.random.Generator)
    if not size.size:
        raise ValueError("expected: expected at least one count")
    total = np.cumsum(size)
    if abs(float(total[-1]) - round(float(total[-1]))) > 1e-6:
        raise ValueError(f"expected: expected counts with an integer sum, got {total[-1]:.6g}")
    total[-1] = round(float(total[-1]))
    steps = np.floor(total + rng.random() + 1e-12).astype(np.intp)
    steps[-1] = int(total[-1])
    return np.diff(steps, prepend=0)


def stratified_sample(stratum: ArrayLike, shares: ArrayLike, k: int, rng: np.random.Generator) -> Sample:
    """Sample with the population's counts in each stratum (systematically rounded) and random choice within.

    Parameters
    ----------
    stratum
        Shape (N,): stratum of each document, 0..B-1 (the opinion bin).
    shares
        Shape (B,): the population's shares.
    k
        Documents to draw, 1 <= k <= N.

    Returns
    -------
    Sample
        With inclusion ``n_b / N_b`` for a document of stratum b, n_b the expected count of :func:`allocate`.
    """
    share = shares_of("shares", shares)
    strata = codes_of("stratum", stratum, 0, share.size - 1)
    _check(strata.size, k)
    instance("rng", rng, np.random.Generator)
    supply = np.bincount(strata, minlength=share.size)
    expected = allocate(share, supply, k)
    counts = systematic_counts(expected, rng)
    order = rng.permutation(strata.size)
    order = order[np.argsort(strata[order], kind="stable")]
    place = np.arange(strata.size) - (np.cumsum(supply) - supply)[strata[order]]
    chosen = order[place < counts[strata[order]]]
    inclusion = (expected / np.maximum(supply, 1))[strata]
    return Sample(np.sort(chosen), inclusion)


def _check(count: int, k: int) -> None:
    if whole("k", k, 1) > count:
        raise ValueError(f"k: expected 1 <= k <= {count}, got {k}")


__all__ = ["Sample", "allocate", "random_sample", "stratified_sample", "systematic_counts"]
