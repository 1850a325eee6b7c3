"""The mode ``balanced``: a cube sample of the entity's documents; :mod:`agents.fairness.margins` has its margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from agents.fairness.checks import codes_of, finite, mapping, pairs, shares_of, whole
from agents.fairness.cube import cube_sample
from agents.fairness.distance import FloatArray, IntArray
from agents.fairness.sampling import Sample, allocate


def calibrated_inclusion(
    bins: IntArray,
    population: FloatArray,
    groups: Sequence[tuple[IntArray, FloatArray]],
    k: int,
    *,
    rounds: int = 50,
) -> FloatArray:
    """Inclusion probabilities whose expected counts follow the population's bins and author groups.

    Raking (iterative proportional fitting) of ``k * share`` over the bins and over the known authors of each
    attribute, capped at 1; the bins are fitted last, so the sum is k. Where frame and population agree, every
    document gets k / N.

    Parameters
    ----------
    bins, population
        Bin of each document (N,) and the population's shares (7,).
    groups
        Pairs of codes (N,), -1 for unknown, and population shares (G,).
    k
        Documents to draw, 1 <= k <= N.

    Returns
    -------
    array (N,), in [0, 1], sum k.

    Raises
    ------
    ValueError
        An argument has the wrong shape or range; the message begins with its name.
    """
    shares_of("population", population)
    codes_of("bins", bins, 0, population.size - 1)
    for codes, shares in pairs("groups", groups):
        codes_of("groups", codes, -1, shares_of("groups", shares).size - 1, length=bins.size)
    whole("rounds", rounds, 0)
    if whole("k", k, 1) > bins.size:
        raise ValueError(f"k: expected 1 <= k <= {bins.size}, got {k}")
    supply = np.bincount(bins, minlength=population.size)
    target = allocate(population, supply, k)
    start = (target / np.maximum(supply, 1))[bins]
    chances = start.copy()
    for _ in range(rounds if groups else 0):
        before = chances
        for codes, shares in groups:
            known = codes >= 0
            have = np.bincount(np.where(known, codes, 0), np.where(known, chances, 0.0), shares.size)
            reachable = np.where(have > 0, shares, 0.0)
            if reachable.sum() <= 0:
                continue
            want = have.sum() * reachable / reachable.sum()
            factor = np.divide(want, have, out=np.ones_like(want), where=have > 0)
            chances = np.where(known, chances * factor[np.where(known, codes, 0)], chances)
        chances = _fit_bins(chances, bins, target)
        if float(np.abs(chances - before).max()) < 1e-10:
            break
    if abs(float(chances.sum()) - k) > 1e-9:
        chances = _refit_bins(chances, bins, target, start)
    return chances


def _fit_bins(chances: FloatArray, bins: IntArray, target: FloatArray) -> FloatArray:
    """Scale each bin to its target, nobody above 1 (what is cut goes to the others of the bin)."""
    for _ in range(20):
        full = chances >= 1
        chances = np.minimum(chances, 1.0)
        free = np.bincount(bins, weights=np.where(full, 0.0, chances), minlength=target.size)
        want = target - np.bincount(bins[full], minlength=target.size)
        factor = np.divide(want, free, out=np.ones_like(free), where=free > 0).clip(0)
        chances = np.where(full, chances, chances * factor[bins])
        if not (chances > 1 + 1e-12).any():
            break
    return np.minimum(chances, 1.0)


def _refit_bins(chances: FloatArray, bins: IntArray, target: FloatArray, start: FloatArray) -> FloatArray:
    """Scale each bin to its target exactly, nobody above 1.

    Author groups that go with the opinion can lift so many documents of a bin to 1, or lower so many to 0, that
    :func:`_fit_bins` misses the target. Where too few keep a chance, ``start`` stands in for the bin.
    """
    result = chances.copy()
    for bin_, want in enumerate(target):
        rows = np.flatnonzero(bins == bin_)
        if not rows.size:
            continue
        weight = result[rows]
        if np.count_nonzero(weight > 1e-12) < want:
            weight = start[rows]
        capped = np.zeros(rows.size, bool)
        while True:
            free = float(weight[~capped].sum())
            factor = (want - capped.sum()) / free if free > 0 else 0.0
            over = ~capped & (weight * factor > 1)
            if not over.any():
                break
            capped |= over
        result[rows] = np.where(capped, 1.0, weight * factor)
    return result


def balance_columns(
    bins: IntArray,
    groups: Sequence[tuple[IntArray, int]],
    covariates: FloatArray | None = None,
    *,
    count: int = 7,
) -> FloatArray:
    """Balancing variables, most important first: cumulative bins and author groups in turn, then covariates.

    Cumulative indicators ``bin <= b`` span the same space as the bins, and when one is given up in the landing only
    that step of the distribution function is off: the middle steps come first. Groups come by falling size,
    covariates are standardised.

    Raises
    ------
    ValueError
        An argument has the wrong shape or range; the message begins with its name.
    """
    codes_of("bins", bins, 0, whole("count", count, 1) - 1)
    for codes, size in pairs("groups", groups):
        codes_of("groups", codes, -1, whole("groups", size, 1) - 1, length=bins.size)
    if covariates is not None and (finite("covariates", covariates).shape[:-1] != bins.shape):
        raise ValueError(f"covariates: expected shape ({bins.size}, c), got {np.shape(covariates)}")
    steps = [bins <= b for b in _middle_first(count - 1)]
    members = [
        codes == group
        for codes, size in groups
        for group in np.argsort(-np.bincount(codes[codes >= 0], minlength=size), kind="stable")
    ]
    columns = [np.asarray(column, np.float64) for column in _interleave(steps, members)]
    if covariates is not None:
        spread = covariates.std(axis=0)
        columns += list(((covariates - covariates.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).T)
    matrix = np.column_stack(columns)
    varies = np.ptp(matrix, axis=0) > 0
    return matrix[:, varies]


def balanced_sample(
    bins: IntArray,
    population: FloatArray,
    groups: Mapping[str, tuple[IntArray, FloatArray]],
    covariates: FloatArray | None,
    k: int,
    rng: np.random.Generator,
) -> Sample:
    """Draw a cube sample balanced on the opinion bins, the author groups and the covariates."""
    mapping("groups", groups)
    chances = calibrated_inclusion(bins, population, list(groups.values()), k)
    sizes = [(codes, np.size(shares)) for codes, shares in groups.values()]
    return cube_sample(chances, balance_columns(bins, sizes, covariates), rng)


T = TypeVar("T")


def _middle_first(count: int) -> list[int]:
    return sorted(range(count), key=lambda b: (abs(b - (count - 1) / 2), b))


def _interleave(first: Sequence[T], second: Sequence[T]) -> list[T]:
    mixed: list[T] = []
    for place in range(max(len(first), len(second))):
        mixed += [*first[place : place + 1], *second[place : place + 1]]
    return mixed


__all__ = [
    "balance_columns",
    "balanced_sample",
    "calibrated_inclusion",
]
