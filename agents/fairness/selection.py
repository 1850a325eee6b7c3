"""Choose documents by a named method: the one door that the agent and the evaluation use.

    selection = select("exact", pool, k=20, rng=np.random.default_rng(7))

Every method takes the same :class:`Pool` and returns the same :class:`Selection`. ``METHODS`` names them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from agents.fairness.distance import BINS, FloatArray, IntArray, histogram, w1_bins
from agents.fairness.group_bounds import largest_gap
from agents.fairness.opinion import least_distance, recommended_weights, select_exact
from agents.fairness.pool import Pool, Selection, SelectionParts
from agents.fairness.sampling import Sample, random_sample, stratified_sample


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What a method hands back: positions in the pool, and what only the method knows."""

    indices: IntArray
    frame: IntArray
    frame_inclusion: FloatArray | None = None
    objective: float | None = None
    exact: bool = False
    notes: tuple[str, ...] = ()


#: ``method(pool, k, rng, **its own options)``: chooses k documents, fewer only where its candidates are fewer.
Method = Callable[..., Choice]


def select(
    method: str, pool: Pool, k: int, rng: np.random.Generator | None = None, **options: Any
) -> Selection:
    """Select k documents of the pool by the method of this name.

    Parameters
    ----------
    method
        A name in :data:`METHODS`.
    pool
        The candidates and the population.
    k
        Documents to select, at least 1. With fewer candidates than k all are taken and a note says so.
    rng
        Source of chance; required by the random methods, unused by the others.
    options
        The method's own: ``lam, beta, p`` (exact), ``trade_off`` (mmr ...), ``relevance_quantile`` (samples).

    Returns
    -------
    Selection
        Most relevant first.

    Raises
    ------
    ValueError
        Unknown method or option, k < 1, or a random method without ``rng``.
    """
    try:
        chosen = METHODS[method]
    except KeyError:
        raise ValueError(f"method: no selection method {method!r}; known are {', '.join(METHODS)}") from None
    if k < 1:
        raise ValueError(f"k: expected at least 1, got {k}")
    if rng is None:
        if method in RANDOM_METHODS:
            raise ValueError(f"rng: {method} is a random method and needs a generator")
        rng = np.random.default_rng(0)
    try:
        choice = chosen(pool, k, rng, **options)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        raise ValueError(f"options: {method} takes no such option ({error})") from error
    return _finish(method, pool, k, choice)


def relevance_only(pool: Pool, k: int, rng: np.random.Generator) -> Choice:
    """Take the plain top-k of the whole pool."""
    everything = np.arange(len(pool))
    return Choice(pool.by_relevance()[:k], everything, objective=None)


def exact(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    lam: float | None = None,
    beta: float | None = None,
    p: float = 1.0,
) -> Choice:
    """Find the joint optimum of relevance, W_p^p and the largest author-group gap over the entity's documents."""
    frame = matched_frame(pool)
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


def random_entity(pool: Pool, k: int, rng: np.random.Generator, *, relevance_quantile: float = 0.0) -> Choice:
    """Draw a simple random sample of the entity's documents."""
    frame = sampling_frame(pool, k, relevance_quantile)
    return _sampled(pool, frame, k, lambda size: random_sample(frame.size, size, rng))


def stratified(pool: Pool, k: int, rng: np.random.Generator, *, relevance_quantile: float = 0.0) -> Choice:
    """Draw a random sample of the entity's documents with the population's count in every opinion bin."""
    frame = sampling_frame(pool, k, relevance_quantile)
    return _sampled(
        pool, frame, k, lambda size: stratified_sample(pool.bins[frame], pool.population, size, rng)
    )


def matched_frame(pool: Pool) -> IntArray:
    """List the documents that speak of the entity."""
    return np.flatnonzero(pool.match_mask)


def sampling_frame(pool: Pool, k: int, relevance_quantile: float) -> IntArray:
    """List the entity's documents at or above a quantile of their relevance, at least k where they exist."""
    if not 0 <= relevance_quantile < 1:
        raise ValueError(f"relevance_quantile: expected a number in [0, 1), got {relevance_quantile}")
    frame = matched_frame(pool)
    keep = max(frame.size - int(relevance_quantile * frame.size), min(k, frame.size))
    return np.sort(pool.by_relevance(frame)[:keep])


def _sampled(pool: Pool, frame: IntArray, k: int, draw: Any) -> Choice:
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    sample: Sample = draw(size)
    return Choice(frame[sample.indices], frame, frame_inclusion=sample.inclusion)


def _finish(method: str, pool: Pool, k: int, choice: Choice) -> Selection:
    indices = pool.by_relevance(choice.indices)
    inclusion = None
    if choice.frame_inclusion is not None:
        inclusion = choice.frame_inclusion[np.searchsorted(choice.frame, indices)]
    return Selection(
        indices=indices,
        method=method,
        parts=measure(pool, indices, choice.frame),
        inclusion=inclusion,
        notes=choice.notes + shortfalls(pool, k, indices, choice.frame),
        objective=choice.objective,
        exact=choice.exact,
        frame=choice.frame,
        frame_inclusion=choice.frame_inclusion,
    )


def measure(pool: Pool, indices: IntArray, frame: IntArray | None = None) -> SelectionParts:
    """Measure the parts of any choice from the pool; ``frame`` limits the candidates of the floor."""
    candidates = np.arange(len(pool)) if frame is None else frame
    size = int(indices.size)
    if size == 0:
        nothing = dict.fromkeys(pool.groups, float("nan"))
        return SelectionParts(0.0, 0.0, float("nan"), float("nan"), nothing, float("nan"))
    bins = np.asarray(BINS)[pool.bins]
    gaps = {}
    for name, codes in pool.groups.items():
        shares = pool.group_shares[name]
        known = codes[indices][codes[indices] >= 0]
        counts = np.bincount(known, minlength=shares.size)
        gaps[name] = float(largest_gap(counts, shares)) if known.size else float("nan")
    return SelectionParts(
        relevance=float(pool.relevance[indices].sum()),
        relevance_top=float(pool.relevance[pool.by_relevance()[:size]].sum()),
        w1=w1_bins(histogram(bins[indices]), pool.population),
        floor=least_distance(bins[candidates], pool.population, size),
        gaps=gaps,
        matched=float(pool.match_mask[indices].mean()),
    )


def shortfalls(pool: Pool, k: int, indices: IntArray, frame: IntArray) -> tuple[str, ...]:
    """Say what no choice from these candidates could meet, one line each."""
    notes = []
    if indices.size < k:
        which = "speak of the entity" if frame.size < len(pool) else "are in the pool"
        notes.append(f"only {frame.size} documents {which}, {k} were asked for; all were taken")
    supply = np.bincount(pool.bins[frame], minlength=len(BINS))
    for value, share, have in zip(BINS, pool.population, supply, strict=True):
        need = int(np.floor(indices.size * share + 1e-9))
        if have < need:
            notes.append(
                f"only {have} documents of bin {value:+.0f} exist, {need} of {indices.size} would be proportional"
            )
    for name, codes in pool.groups.items():
        known = codes[frame][codes[frame] >= 0]
        have_groups = np.bincount(known, minlength=pool.group_shares[name].size)
        for group, (share, have) in enumerate(zip(pool.group_shares[name], have_groups, strict=True)):
            need = int(np.floor(indices.size * share + 1e-9))
            if have < need:
                notes.append(
                    f"only {have} documents of {name} group {group} exist, "
                    f"{need} of {indices.size} would be proportional"
                )
    return tuple(notes)


#: Methods that draw at random: they need a generator, and only they have inclusion probabilities.
RANDOM_METHODS: Final = frozenset({"balanced", "random", "stratified"})

#: Every selection method by name.
METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "exact": exact,
        "relevance": relevance_only,
        "random": random_entity,
        "stratified": stratified,
    }
)

__all__ = [
    "METHODS",
    "RANDOM_METHODS",
    "Choice",
    "Method",
    "Pool",
    "Selection",
    "SelectionParts",
    "measure",
    "select",
]
