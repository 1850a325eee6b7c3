"""Our selection methods as ``method(pool, k, rng, **options) -> Choice``."""

from __future__ import annotations

import numpy as np

from agents.fairness.balanced import balanced_sample
from agents.fairness.opinion import recommended_weights, select_exact
from agents.fairness.pool import Choice, Pool
from agents.fairness.sampling import random_sample, stratified_sample


def exact(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    lam: float | None = None,
    beta: float | None = None,
    p: float = 1.0,
) -> Choice:
    """Find the joint optimum of relevance, W_p^p and the largest author-group gap over the entity's documents.

    ``lam`` and ``beta`` default to :func:`recommended_weights`. Deterministic: no margins of error.
    """
    frame = pool.entity_documents()
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    default_lam, default_beta = recommended_weights(size)
    lam = default_lam if lam is None else lam
    beta = default_beta if beta is None else beta
    name = next(iter(pool.groups), None)
    result = select_exact(
        pool.relevance[frame],
        pool.score[frame],
        pool.population,
        size,
        lam=lam,
        beta=beta if name is not None else 0.0,
        p=p,
        groups=None if name is None else pool.groups[name][frame],
        group_shares=None if name is None else pool.group_shares[name],
        ids=pool.tie_breaks[frame],
    )
    return Choice(frame[result.indices], frame, objective=result.objective, exact=result.optimal)


def balanced(pool: Pool, k: int, rng: np.random.Generator, *, relevance_quantile: float = 0.5) -> Choice:
    """Draw a cube sample of the entity's more relevant documents, balanced on bins, groups and covariates."""
    frame = pool.sampling_frame(k, relevance_quantile)
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    groups = {name: (codes[frame], pool.group_shares[name]) for name, codes in pool.groups.items()}
    covariates = None if pool.covariates is None else pool.covariates[frame]
    sample = balanced_sample(pool.bins[frame], pool.population, groups, covariates, size, rng)
    return Choice(frame[sample.indices], frame, frame_inclusion=sample.inclusion)


def random_entity(pool: Pool, k: int, rng: np.random.Generator, *, relevance_quantile: float = 0.0) -> Choice:
    """Draw a simple random sample of the entity's documents."""
    frame = pool.sampling_frame(k, relevance_quantile)
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    sample = random_sample(frame.size, size, rng)
    return Choice(frame[sample.indices], frame, frame_inclusion=sample.inclusion)


def stratified(pool: Pool, k: int, rng: np.random.Generator, *, relevance_quantile: float = 0.0) -> Choice:
    """Draw a random sample of the entity's documents with the population's count in every opinion bin."""
    frame = pool.sampling_frame(k, relevance_quantile)
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    sample = stratified_sample(pool.bins[frame], pool.population, size, rng)
    return Choice(frame[sample.indices], frame, frame_inclusion=sample.inclusion)


__all__ = ["balanced", "exact", "random_entity", "stratified"]
