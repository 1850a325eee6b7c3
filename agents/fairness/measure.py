"""Measure any choice from a pool, and say what no choice could meet."""

from __future__ import annotations

import numpy as np

from agents.fairness.checks import instance, whole
from agents.fairness.distance import BINS, IntArray, histogram, w1_bins
from agents.fairness.group_bounds import largest_gap
from agents.fairness.opinion import least_distance, least_gap
from agents.fairness.pool import Pool, SelectionParts


def measure(pool: Pool, indices: IntArray, frame: IntArray | None = None) -> SelectionParts:
    """Measure the parts of any choice from the pool; ``frame`` limits the candidates of the floor."""
    instance("pool", pool, Pool)
    indices = pool.rows("indices", indices)
    candidates = np.arange(len(pool)) if frame is None else pool.rows("frame", frame)
    size = int(indices.size)
    if size == 0:
        nothing = dict.fromkeys(pool.groups, float("nan"))
        return SelectionParts(0.0, 0.0, float("nan"), float("nan"), nothing, float("nan"), nothing)
    bins = np.asarray(BINS)[pool.bins]
    return SelectionParts(
        relevance=float(pool.relevance[indices].sum()),
        relevance_top=float(pool.relevance[pool.by_relevance()[:size]].sum()),
        w1=w1_bins(histogram(bins[indices]), pool.population),
        floor=least_distance(bins[candidates], pool.population, size),
        gaps={name: _gap(pool, name, indices) for name in pool.groups},
        matched=float(pool.match_mask[indices].mean()),
        gap_floors={
            name: least_gap(codes[candidates], pool.group_shares[name], size)
            for name, codes in pool.groups.items()
        },
    )


def shortfalls(pool: Pool, k: int, indices: IntArray, frame: IntArray) -> tuple[str, ...]:
    """Say what no choice from these candidates could meet, one line each."""
    instance("pool", pool, Pool)
    whole("k", k, 1)
    indices, frame = pool.rows("indices", indices), pool.rows("frame", frame)
    notes = []
    size = int(indices.size)
    if size < k:
        one = frame.size == 1
        entity, pooled = ("speaks", "is") if one else ("speak", "are")
        which = f"{entity} of the entity" if frame.size < len(pool) else f"{pooled} in the pool"
        documents = "1 document" if one else f"{frame.size} documents"
        notes.append(f"only {documents} {which}, {k} were asked for; all were taken")
    supply = np.bincount(pool.bins[frame], minlength=len(BINS))
    for value, share, have in zip(BINS, pool.population, supply, strict=True):
        notes += _scarce(f"of bin {value:+.0f}", int(have), float(share), size)
    for name, codes in pool.groups.items():
        shares = pool.group_shares[name]
        known = codes[frame][codes[frame] >= 0]
        for group, have in enumerate(np.bincount(known, minlength=shares.size)):
            notes += _scarce(f"of {name} group {group}", int(have), float(shares[group]), size)
    return tuple(notes)


def _scarce(what: str, have: int, share: float, size: int) -> list[str]:
    need = int(np.floor(size * share + 1e-9))
    return (
        [f"only {have} documents {what} exist, {need} of {size} would be proportional"] if have < need else []
    )


def _gap(pool: Pool, name: str, indices: IntArray) -> float:
    codes = pool.groups[name][indices]
    counts = np.bincount(codes[codes >= 0], minlength=pool.group_shares[name].size)
    return float(largest_gap(counts, pool.group_shares[name])) if counts.sum() else float("nan")


__all__ = ["measure", "shortfalls"]
