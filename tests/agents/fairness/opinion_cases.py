"""Random opinion pools and the brute-force optimum, shared by the tests of selection."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.pool import Pool


def random_pool(
    rng: np.random.Generator, count: int = 60, groups: int = 3, *, unknown: float = 0.0, matched: float = 1.0
) -> Pool:
    """Draw a pool whose population is its own matched documents, relevance correlated with opinion."""
    score = rng.choice(BINS, count, p=rng.dirichlet(np.full(7, 2.0)))
    relevance = np.round(0.5 + 0.004 * score + 0.08 * rng.normal(size=count), 4)
    codes = rng.integers(0, groups, count)
    codes = np.where(rng.random(count) < unknown, -1, codes)
    known = codes[codes >= 0]
    return Pool(
        relevance=relevance,
        score=score,
        population=np.bincount(((score + 30) / 10).astype(int), minlength=7) / count,
        matched=rng.random(count) < matched,
        vectors=rng.normal(size=(count, 8)),
        groups={"region": codes},
        group_shares={"region": np.bincount(known, minlength=groups) / max(known.size, 1)},
        ids=rng.permutation(count) + 100,
    )


def largest_gap(codes: np.ndarray, shares: np.ndarray) -> float:
    """Largest gap by its definition: unknowns (-1) left out, nobody known counts as all shares zero."""
    known = codes[codes >= 0]
    counts = np.bincount(known, minlength=len(shares))
    return float(np.abs(counts / max(len(known), 1) - shares).max())


def brute_force(
    r: np.ndarray,
    s: np.ndarray,
    population: np.ndarray,
    k: int,
    lam: float,
    beta: float = 0.0,
    p: float = 1.0,
    codes: np.ndarray | None = None,
    shares: np.ndarray | None = None,
    values: tuple[float, ...] = BINS,
) -> float:
    """Largest objective over all choices of k documents, by looking at each."""
    best = -np.inf
    for chosen in combinations(range(len(r)), k):
        rows = list(chosen)
        value = r[rows].sum() - lam * wasserstein_p(s[rows], values, None, population, p)
        if beta and codes is not None and shares is not None:
            value -= beta * largest_gap(codes[rows], shares)
        best = max(best, float(value))
    return best
