"""Our selection methods as ``method(pool, k, rng, **options) -> Choice``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.fairness.balanced import balanced_sample
from agents.fairness.distance import BINS, FloatArray, wasserstein_p
from agents.fairness.faro_question import solve_question
from agents.fairness.group_bounds import largest_gap
from agents.fairness.multi_attribute import select_multi
from agents.fairness.opinion import check_weight, recommended_weights, select_exact, select_weighted
from agents.fairness.opinion_w2 import select_w2
from agents.fairness.pool import Choice, Pool
from agents.fairness.sampling import random_sample, stratified_sample

#: Most documents whose order ``exact-weighted`` chooses: its programme runs over all subsets of the positions.
MOST_WEIGHTED = 12


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
    unknown = set(attributes or ()) - set(pool.groups)
    if unknown:
        raise ValueError(f"attributes: the pool has no {', '.join(sorted(unknown))}")
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
    names = list(pool.groups if attributes is None else attributes)
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
    if len(pool.groups) > 1:
        raise ValueError(f"groups: exact-w2 balances one attribute, got {', '.join(pool.groups)}")
    frame = pool.entity_documents()
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    default_lam, default_beta = recommended_weights(size)
    name = next(iter(pool.groups), None)
    beta = default_beta if beta is None else beta
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


def exact_weighted(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    weights: FloatArray | None = None,
    lam: float | None = None,
) -> Choice:
    """Find documents and their order together: relevance and W1 of the distribution as position weights count it.

    Shape of ``weights``: (k,), negative ones clipped to 0 (and said); default 1/k, with which the choice is that of
    ``exact`` without author groups. At most :data:`MOST_WEIGHTED` documents.
    """
    if k > MOST_WEIGHTED:
        raise ValueError(f"k: exact-weighted orders at most {MOST_WEIGHTED} documents, got {k}")
    frame = pool.entity_documents()
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    given = np.full(size, 1 / size) if weights is None else np.asarray(weights, np.float64)[:size]
    counted, notes = np.maximum(given, 0.0), []
    if not counted.sum() > 0:
        counted = np.full(size, 1 / size)
        notes.append("no position weight is positive: every rank counts alike")
    elif (given < 0).any():
        notes.append(
            f"negative position weights count 0 in the distance ({int((given < 0).sum())} of {size})"
        )
    # Ties go to the lower id, as everywhere: the programme takes the first of equals.
    rows = frame[np.argsort(pool.tie_breaks[frame], kind="stable")]
    lam = recommended_weights(size)[0] if lam is None else lam
    result = select_weighted(pool.relevance[rows], pool.score[rows], pool.population, counted, lam=lam)
    ranking = rows[result.indices]
    for weight in np.unique(counted):  # ranks that count alike are free: the more relevant first
        alike = counted == weight
        ranking[alike] = pool.by_relevance(ranking[alike])
    return Choice(
        ranking, frame, objective=result.objective, exact=result.optimal, ranked=True, notes=tuple(notes)
    )


def faro(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    weights: FloatArray | None = None,
    intercept: float = 0.0,
    target: float | None = None,
    tau: float = 0.1,
) -> Choice:
    """Take the most relevant documents that some order brings within ``tau`` of the target Rb: FARO for one question.

    It sees no more than the polarity of each document. ``weights`` (k,) default to 1/k, with which Rb is the mean
    polarity shown; ``target`` to the population's polarity times their sum.
    """
    frame = pool.entity_documents()
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    given = np.full(size, 1 / size) if weights is None else np.asarray(weights, np.float64)[:size]
    lean = float(np.sign(BINS) @ pool.population)
    goal = lean * float(given.sum()) if target is None else target
    rows = pool.by_relevance(frame)
    polarity = np.sign(pool.score[rows]).astype(np.int64)
    solved = solve_question(pool.relevance[rows], polarity, given, intercept, target=goal, tau=tau)
    low, high = solved.reachable
    unmet = f"no ranking brings the predicted Rb within {tau:g} of {goal:+.2f} (reachable {low:+.2f} to {high:+.2f})"
    return Choice(
        rows[solved.ranking],
        frame,
        exact=solved.feasible and solved.status != "certified",
        ranked=True,
        notes=() if solved.feasible else (unmet,),
    )


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


__all__ = [
    "MOST_WEIGHTED",
    "balanced",
    "exact",
    "exact_w2",
    "exact_weighted",
    "faro",
    "random_entity",
    "stratified",
]
