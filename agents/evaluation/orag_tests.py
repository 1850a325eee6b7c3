"""Paired comparisons over questions: Wilcoxon as in the paper, a bootstrap over entities, false discoveries corrected.

Questions on one entity are not independent: Wilcoxon's p takes them as if they were (the paper's choice), the
bootstrap draws entities. Both are shown; the verdict follows the bootstrap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

RESAMPLES: Final = 5_000
#: Share of false discoveries that is let through.
LEVEL: Final = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """A mean difference over questions with its 95 % interval and p values; NaN where nothing can be compared."""

    difference: float
    low: float
    high: float
    wilcoxon: float
    bootstrap: float
    pairs: int


def compare(first: ArrayLike, second: ArrayLike, clusters: ArrayLike, seed: int = 0) -> Comparison:
    """Compare two measures of the same questions.

    Parameters
    ----------
    first, second
        Shape (Q,): values; a pair with a NaN is left out.
    clusters
        Shape (Q,): entity of each question; entities are drawn with all their questions.
    """
    a, b, groups = np.asarray(first, float), np.asarray(second, float), np.asarray(clusters)
    if not a.shape == b.shape == groups.shape:
        raise ValueError(
            f"first, second, clusters: expected equal shapes, got {a.shape}, {b.shape}, {groups.shape}"
        )
    known = ~(np.isnan(a) | np.isnan(b))
    gaps, groups = (a - b)[known], groups[known]
    if not gaps.size:
        return Comparison(*(float("nan"),) * 5, 0)
    low, high, chance = cluster_bootstrap(gaps, groups, seed)
    return Comparison(float(gaps.mean()), low, high, _wilcoxon(gaps), chance, int(gaps.size))


def cluster_bootstrap(values: Floats, clusters: NDArray[np.generic], seed: int) -> tuple[float, float, float]:
    """Return the 95 % percentile interval of the mean, and the two-sided p of a mean of zero, over drawn clusters."""
    _, codes = np.unique(clusters, return_inverse=True)
    sums, sizes = np.bincount(codes, weights=values), np.bincount(codes)
    drawn = np.random.default_rng(seed).integers(0, sums.size, (RESAMPLES, sums.size))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    # One is added to both counts: no finite number of draws proves a chance of zero.
    below = (np.sum(means <= 0) + 1) / (RESAMPLES + 1)
    above = (np.sum(means >= 0) + 1) / (RESAMPLES + 1)
    return float(low), float(high), float(min(1.0, 2 * min(below, above)))


def false_discovery(p: ArrayLike) -> Floats:
    """Return the q values of Benjamini and Hochberg (1995), shape of ``p``; NaN stays NaN and is not counted."""
    values = np.asarray(p, dtype=np.float64)
    found = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    scaled = values[order] * order.size / np.arange(1, order.size + 1)
    found[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return found


def verdict(difference: float, q: float, *, lower_is_better: bool) -> str:
    """Say which is better, or that the two are not told apart."""
    if np.isnan(q) or q > LEVEL or difference == 0:
        return "not told apart"
    return "better" if (difference < 0) == lower_is_better else "worse"


def _wilcoxon(gaps: Floats) -> float:
    if not gaps.any():
        return 1.0
    from scipy.stats import wilcoxon

    return float(wilcoxon(gaps, method="approx").pvalue)


__all__ = ["LEVEL", "RESAMPLES", "Comparison", "cluster_bootstrap", "compare", "false_discovery", "verdict"]
