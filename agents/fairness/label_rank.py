"""How well opinion labels order documents, from labels that a person reviewed: what the choice of a method turns on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.fairness.checks import instance
from agents.fairness.quality import NOT_ABOUT, Reviews

Floats = NDArray[np.float64]


def rank_correlation(reviews: Reviews) -> float | None:
    """Return Spearman's correlation of label and finding over the corpus, in [-1, 1]; None where either is constant.

    Each review counts for the stances that it stands for; ties take the middle of their ranks. A label that is not
    about its entity was found to hold no view (0).
    """
    if not len(instance("reviews", reviews, Reviews)):
        return None
    truth = np.where(reviews.truths == NOT_ABOUT, 0, reviews.truths - 1).astype(np.float64)
    weights = reviews.weights
    x, y = _mid_ranks(reviews.bins.astype(np.float64), weights), _mid_ranks(truth, weights)
    share = weights / weights.sum()
    x, y = x - share @ x, y - share @ y
    spread = float(np.sqrt((share @ x**2) * (share @ y**2)))
    return float(share @ (x * y)) / spread if spread > 1e-12 else None


def _mid_ranks(values: Floats, weights: Floats) -> Floats:
    """Weight of all smaller values and half of the equal ones, shape (n,)."""
    levels, place = np.unique(values, return_inverse=True)
    mass = np.bincount(place, weights=weights, minlength=levels.size)
    return np.asarray((np.cumsum(mass) - mass / 2)[place])


__all__ = ["rank_correlation"]
