"""Our methods that choose a set of documents, as ``method(pool, k, rng, **options) -> Choice``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from agents.fairness.balanced import balanced_sample
from agents.fairness.checks import instance, number
from agents.fairness.checks import seconds as time_limit
from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.group_bounds import largest_gap
from agents.fairness.multi_attribute import select_multi
from agents.fairness.opinion import check_weight, recommended_weights, select_exact
from agents.fairness.opinion_w2 import select_w2
from agents.fairness.pool import Choice, Pool, check_call
from agents.fairness.sampling import random_sample, stratified_sample


def exact(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    lam: float | None = None,
    beta: float | None = None,
    p: float = 1.0,
    attributes: Sequence[str] | None = None,
    seconds: float = 2.0,
) -> Choice:
    """Find the joint optimum of relevance, W_p^p and the largest author-group gap over the entity's documents.

    Deterministic: no margins of error. With several attributes the penalty is ``beta`` times the sum of their largest
    gaps, solved by an integer programme within ``seconds``; ``attributes`` limits which count (default: all of the
    pool). ``lam`` and ``beta`` default to :func:`recommended_weights`.
    """
    check_call(pool, k)
    number("p", p, 1.0)
    time_limit("seconds", seconds)
    names = list(pool.groups) if attributes is None else _known(attributes, pool)
    frame = pool.entity_documents()
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    default_lam, default_beta = recommended_weights(size)
    lam = default_lam if lam is None else lam
    beta = default_beta if beta is None else beta
    check_weight("lam", lam)
    check_weight("beta", beta)
    relevance, score, ids = pool.relevance[frame], pool.score[frame], pool.tie_breaks[frame]
    if len(names) > 1 and beta > 0:
        chosen = {name: (pool.groups[name][frame], pool.group_shares[name]) for name in names}
        population = np.asarray(BINS), np.asarray(pool.population)
        multi = select_multi(
            relevance, score, population, chosen, size, lam=lam, beta=beta, p=p, ids=ids, seconds=seconds
        )
        notes = () if multi.optimal else ("several author attributes: the choice is not proven optimal",)
        rows = multi.indices
        gaps = [
            float(largest_gap(np.bincount(codes[rows][codes[rows] >= 0], minlength=shares.size), shares))
            for codes, shares in chosen.values()
        ]
        distance = wasserstein_p(score[rows], population[0], None, population[1], p)
        objective = float(relevance[rows].sum()) - lam * distance - beta * sum(gaps)
        return Choice(frame[rows], frame, objective=objective, exact=multi.optimal, notes=notes)
    grouped = bool(names) and beta > 0
    result = select_exact(
        relevance,
        score,
        pool.population,
        size,
        lam=lam,
        beta=beta if grouped else 0.0,
        p=p,
        groups=pool.groups[names[0]][frame] if grouped else None,
        group_shares=pool.group_shares[names[0]] if grouped else None,
        ids=ids,
    )
    notes = () if result.optimal else ("many author groups: the choice is not proven optimal",)
    return Choice(frame[result.indices], frame, objective=result.objective, exact=result.optimal, notes=notes)


def exact_w2(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    lam: float | None = None,
    beta: float | None = None,
) -> Choice:
    """Find the joint optimum of relevance, W2 (O-RAG's distance, eq. 8) and the largest author-group gap.

    As ``exact``, but W2 punishes a few far opinions that are missing more than many near ones. One attribute at most.
    """
    check_call(pool, k)
    if len(pool.groups) > 1:
        raise ValueError(f"groups: exact-w2 balances one attribute, got {', '.join(pool.groups)}")
    frame = pool.entity_documents()
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    default_lam, default_beta = recommended_weights(size)
    name = next(iter(pool.groups), None)
    beta = default_beta if beta is None else beta
    check_weight("beta", beta)
    grouped = name is not None and beta > 0
    result = select_w2(
        pool.relevance[frame],
        pool.score[frame],
        pool.population,
        size,
        lam=default_lam if lam is None else lam,
        beta=beta if grouped else 0.0,
        groups=pool.groups[name][frame] if name is not None and grouped else None,
        group_shares=pool.group_shares[name] if name is not None and grouped else None,
        ids=pool.tie_breaks[frame],
    )
    notes = () if result.optimal else ("many author groups: the choice is not proven optimal",)
    return Choice(frame[result.indices], frame, objective=result.objective, exact=result.optimal, notes=notes)


def balanced(pool: Pool, k: int, rng: np.random.Generator, *, relevance_quantile: float = 0.5) -> Choice:
    """Draw a cube sample of the entity's more relevant documents, balanced on bins, groups and covariates."""
    _check_sample(pool, k, rng)
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
    _check_sample(pool, k, rng)
    frame = pool.sampling_frame(k, relevance_quantile)
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    sample = random_sample(frame.size, size, rng)
    return Choice(frame[sample.indices], frame, frame_inclusion=sample.inclusion)


def stratified(pool: Pool, k: int, rng: np.random.Generator, *, relevance_quantile: float = 0.0) -> Choice:
    """Draw a random sample of the entity's documents with the population's count in every opinion bin."""
    _check_sample(pool, k, rng)
    frame = pool.sampling_frame(k, relevance_quantile)
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    sample = stratified_sample(pool.bins[frame], pool.population, size, rng)
    return Choice(frame[sample.indices], frame, frame_inclusion=sample.inclusion)


def _check_sample(pool: Pool, k: int, rng: np.random.Generator) -> None:
    check_call(pool, k)
    instance("rng", rng, np.random.Generator)


def _known(attributes: Sequence[str], pool: Pool) -> list[str]:
    """Return the attributes, each once, that are to be balanced."""
    if isinstance(attributes, str) or not isinstance(attributes, Iterable):
        raise ValueError(f"attributes: expected a list of names, got {attributes!r}")
    names = list(dict.fromkeys(attributes))
    unknown = [str(name) for name in names if name not in pool.groups]
    if unknown:
        raise ValueError(f"attributes: the pool has no {', '.join(sorted(unknown))}")
    return names


__all__ = [
    "balanced",
    "exact",
    "exact_w2",
    "random_entity",
    "stratified",
]
