"""Distances between opinion distributions, and the summaries reported beside them.

A distribution over the seven ordered opinion bins is a probability vector of shape (7,) in the order of
:data:`BINS`; a set of documents is a vector of sentiment-intensity scores in [-30, 30].

References
----------
O-RAG = "Retrieval-Augmented Generation must represent diverse opinions", sections 3.3 and 5.1;
WARP = arXiv 2608.22859; POT = Flamary et al., JMLR 22 (2021).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import (
    finite,
    finite_vector,
    instance,
    non_negative,
    number,
    probabilities,
    whole,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: The seven ordered opinion bins (O-RAG section 4): negative high ... positive high.
BINS: Final[tuple[float, ...]] = (-30.0, -20.0, -10.0, 0.0, 10.0, 20.0, 30.0)


def _middles(values: ArrayLike) -> FloatArray:
    edges = finite_vector("values", values, least=1)
    if bool((np.diff(edges) <= 0).any()):
        raise ValueError("values: expected each to be larger than the one before")
    middles: FloatArray = (edges[1:] + edges[:-1]) / 2
    return middles


_MIDDLES: Final = _middles(BINS)


def bin_index(score: ArrayLike, values: ArrayLike = BINS) -> IntArray:
    """Index of the bin nearest to each score (ties to the lower bin), shape of ``score``."""
    middles = _MIDDLES if values is BINS else _middles(values)
    return np.searchsorted(middles, finite("score", score), side="left")


def histogram(score: ArrayLike, weights: ArrayLike | None = None) -> FloatArray:
    """Shares of the seven bins among ``score``, shape (7,), sum 1; all zero for no documents."""
    values = finite_vector("score", score)
    mass = None if weights is None else non_negative("weights", weights, length=values.size)
    counts = np.bincount(bin_index(values), weights=mass, minlength=len(BINS)).astype(np.float64)
    total = counts.sum()
    return counts / total if total > 0 else counts


def w1_bins(first: ArrayLike, second: ArrayLike, spacing: float = 10.0) -> float:
    """W1 between two distributions on equally spaced bins: ``sum_i |CDF_1 - CDF_2| * spacing`` (WARP).

    Returns a value in [0, spacing * (bins - 1)]; 0 means equal distributions.
    """
    p = probabilities("first", first)
    q = probabilities("second", second, length=p.size)
    number("spacing", spacing, 0.0, ends="()")
    return float(np.abs(np.cumsum(p - q)[:-1]).sum() * spacing)


def wasserstein_p(
    first: ArrayLike,
    second: ArrayLike,
    first_weights: ArrayLike | None = None,
    second_weights: ArrayLike | None = None,
    p: float = 1.0,
) -> float:
    """W_p^p between two weighted sets of points on the line (O-RAG section 3.3, to the power p).

    Couples equal quantiles, which is optimal on the line for every p >= 1. Weights are normalised; the default
    is uniform. 0 means equal distributions.
    """
    number("p", p, 1.0)
    x, x_mass = _sorted_mass("first", first, first_weights)
    y, y_mass = _sorted_mass("second", second, second_weights)
    x_cdf, y_cdf = np.cumsum(x_mass), np.cumsum(y_mass)
    x_cdf[-1] = y_cdf[-1] = 1.0
    levels = np.union1d(x_cdf, y_cdf)
    width = np.diff(levels, prepend=0.0)
    middle = levels - width / 2
    gap = x[np.searchsorted(x_cdf, middle)] - y[np.searchsorted(y_cdf, middle)]
    return float(width @ np.abs(gap) ** p)


def w1(first: ArrayLike, second: ArrayLike) -> float:
    """W1 between two unweighted samples of scores; 0 means equal distributions."""
    return wasserstein_p(first, second, p=1.0)


def w2(first: ArrayLike, second: ArrayLike) -> float:
    """W2 (with the square root) between two unweighted samples of scores."""
    return float(np.sqrt(wasserstein_p(first, second, p=2.0)))


def w2_multivariate(
    first: ArrayLike,
    second: ArrayLike,
    first_weights: ArrayLike | None = None,
    second_weights: ArrayLike | None = None,
) -> float:
    """W2 between two sets of points in several opinion dimensions, by POT's exact solver (O-RAG eq. 8).

    Parameters
    ----------
    first, second
        Points, shapes (n, m) and (l, m): for example sentiment-intensity, impact and evidence of a document.
        Scale the columns beforehand; the cost is the squared Euclidean distance.
    first_weights, second_weights
        Masses, normalised; uniform by default.
    """
    x, y = np.atleast_2d(finite("first", first)), np.atleast_2d(finite("second", second))
    for name, points in (("first", x), ("second", y)):
        if points.ndim != 2 or not points.size:
            raise ValueError(f"{name}: expected shape (documents, dimensions), got {points.shape}")
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"first, second: expected (n, m) and (l, m), got {x.shape} and {y.shape}")
    import ot  # POT takes seconds to import and is needed here alone

    cost = ot.dist(x, y, metric="sqeuclidean")
    masses = _mass("first_weights", first_weights, len(x)), _mass("second_weights", second_weights, len(y))
    return float(np.sqrt(max(ot.emd2(*masses, cost), 0.0)))


def sigma(score: ArrayLike) -> float:
    """Return the population standard deviation of the scores (O-RAG section 5.1); 0 for one document, NaN for none."""
    values = finite_vector("score", score)
    return float(values.std()) if values.size else float("nan")


def entropy(shares: ArrayLike, *, normalised: bool = True) -> float:
    """Shannon entropy of a distribution: divided by ``log(categories)`` (range [0, 1]) or in bits."""
    p = probabilities("shares", shares)
    bits = float(-(p[p > 0] * np.log2(p[p > 0])).sum())
    return bits / float(np.log2(p.size)) if normalised and p.size > 1 else bits


def sentiment_entropy(score: ArrayLike) -> float:
    """H(e): normalised entropy of negative / neutral / positive among an entity's opinions, in [0, 1].

    O-RAG and WARP evaluate entities with H(e) >= 0.6. NaN for no documents.
    """
    values = finite_vector("score", score)
    if not values.size:
        return float("nan")
    counts = np.bincount((np.sign(values) + 1).astype(np.intp), minlength=3)
    return entropy(counts / counts.sum())


def bootstrap_w1(
    score: ArrayLike,
    population: ArrayLike,
    rng: np.random.Generator,
    *,
    draws: int = 1000,
    level: float = 0.95,
) -> tuple[float, float]:
    """Percentile bootstrap interval of W1 on the seven bins between a set of documents and a population.

    Resamples the documents with replacement (all draws at once, as multinomial bin counts). W1 is non-negative,
    so the interval of a perfect match lies above 0: read it as the spread, not as a test of W1 = 0.

    Returns
    -------
    tuple of float
        Lower and upper end; both NaN for no documents.
    """
    shares = histogram(score)
    target = probabilities("population", population, length=len(BINS))
    instance("rng", rng, np.random.Generator)
    whole("draws", draws, 1)
    number("level", level, 0.0, 1.0, ends="()")
    count = int(np.asarray(score).size)
    if count == 0:
        return float("nan"), float("nan")
    resampled = rng.multinomial(count, shares, size=draws) / count
    distances = np.abs(np.cumsum(resampled - target, axis=1)[:, :-1]).sum(axis=1) * 10.0
    low, high = np.quantile(distances, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _mass(name: str, weights: ArrayLike | None, count: int) -> FloatArray:
    if weights is None:
        return np.full(count, 1.0 / count)
    mass = non_negative(name, weights, length=count)
    total = mass.sum()
    if total <= 0:
        raise ValueError(f"{name}: expected a positive sum")
    normalised: FloatArray = mass / total
    return normalised


def _sorted_mass(name: str, points: ArrayLike, weights: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    values = finite_vector(name, points)
    if not values.size:
        raise ValueError(f"{name}: expected at least one point")
    mass = _mass(f"{name}_weights", weights, values.size)
    order = np.argsort(values, kind="stable")
    order = order[mass[order] > 0]
    return values[order], mass[order]


__all__ = [
    "BINS",
    "bin_index",
    "bootstrap_w1",
    "entropy",
    "finite_vector",
    "histogram",
    "probabilities",
    "sentiment_entropy",
    "sigma",
    "w1",
    "w1_bins",
    "w2",
    "w2_multivariate",
    "wasserstein_p",
]
