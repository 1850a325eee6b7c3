"""The cube method: random samples with given inclusion probabilities, balanced on many variables at once.

A random walk from the vector of inclusion probabilities to a corner of the cube [0, 1]^N that never leaves the
hyperplane of the balancing equations (flight); when no direction is left, equations are given up from the last to
the first (landing). The size comes first and is never given up.

References
----------
Deville and Tille, Biometrika 91 (2004): the method. Chauvet and Tille, Computational Statistics 21 (2006): the fast
flight, which looks for each direction among a few undecided units only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.distance import FloatArray, IntArray, finite_vector
from agents.fairness.sampling import Sample

_ZERO = 1e-9
#: Above this many undecided units the flight starts in blocks, all blocks in step.
_BLOCK_FROM = 120


def cube_sample(inclusion: ArrayLike, balance: ArrayLike, rng: np.random.Generator) -> Sample:
    """Draw a balanced sample of fixed size.

    Parameters
    ----------
    inclusion
        Shape (N,), in [0, 1], with an integer sum k >= 1.
    balance
        Shape (N, c): variables z whose sample total should equal ``sum_i inclusion_i z_i``, the most important
        first. Linearly dependent columns do no harm.
    rng
        Source of chance.

    Returns
    -------
    Sample
        Exactly k documents; document i is in it with probability ``inclusion_i``. Totals are exact up to the
        landing, in which at most c units are decided.
    """
    chances = finite_vector("inclusion", inclusion)
    size = float(chances.sum())
    if bool((chances < -_ZERO).any()) or bool((chances > 1 + _ZERO).any()):
        raise ValueError("inclusion: expected probabilities in [0, 1]")
    if round(size) < 1 or abs(size - round(size)) > 1e-6:
        raise ValueError(f"inclusion: expected a sum that is an integer of at least 1, got {size:.6g}")
    columns = np.asarray(balance, dtype=np.float64)
    if columns.ndim != 2 or len(columns) != chances.size or not np.isfinite(columns).all():
        raise ValueError(
            f"balance: expected finite numbers of shape ({chances.size}, c), got {columns.shape}"
        )
    chances = chances.clip(0.0, 1.0)
    variables = np.column_stack([np.ones(chances.size), columns])
    state = merge_equals(chances, variables, rng)
    state = flight(state, variables, rng)
    state = landing(state, variables, rng)
    return Sample(np.flatnonzero(state > 0.5), chances)


def merge_equals(chances: FloatArray, variables: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Decide all but one unit of every set with equal variables and equal chances: an exact first flight.

    Among n equal units with chances summing to t, ``floor(t)`` random ones are taken, one random other keeps the
    chance ``t - floor(t)``, the rest are left out. No total changes, and every chance is kept on average.
    """
    key = np.round(np.column_stack([chances, variables[:, 1:]]), 12)
    _unique, cell = np.unique(key, axis=0, return_inverse=True)
    order = rng.permutation(chances.size)
    order = order[np.argsort(cell[order], kind="stable")]
    sizes = np.bincount(cell)
    place = np.arange(chances.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    total = np.bincount(cell, weights=chances)[cell[order]]
    state = np.empty(chances.size)
    state[order] = np.clip(total - place, 0.0, 1.0)
    return _snap(state)


def flight(state: FloatArray, variables: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Walk until no direction keeps every total: at most as many units stay undecided as there are variables."""
    state = state.copy()
    width = variables.shape[1] + 1
    while (undecided := _undecided(state)).size > max(_BLOCK_FROM, 4 * width):
        _block_flight(state, variables, rng.permutation(undecided), width, rng)
    undecided = rng.permutation(_undecided(state))
    work, queue = undecided[:width], undecided[width:]
    while work.size == width:
        _step(state, work, _null_vector(variables[work]), rng)
        work = work[(state[work] > 0) & (state[work] < 1)]
        fill = width - work.size
        work, queue = np.concatenate([work, queue[:fill]]), queue[fill:]
    while work.size:
        left, singular, _right = np.linalg.svd(variables[work])
        rank = int((singular > 1e-9 * singular[0]).sum())
        if rank >= work.size:
            break
        _step(state, work, left[:, -1], rng)
        work = work[(state[work] > 0) & (state[work] < 1)]
    return state


def landing(state: FloatArray, variables: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Decide the last units, giving up the variables from the last to the first; the size is kept."""
    state = state.copy()
    while (work := _undecided(state)).size > 1:
        kept = variables[work, : work.size - 1]
        _step(state, work, _null_vector(kept), rng)
    return np.round(state)


def _block_flight(
    state: FloatArray, variables: FloatArray, units: IntArray, width: int, rng: np.random.Generator
) -> None:
    """Fly in disjoint blocks of units at once; each ends with fewer than ``width`` undecided."""
    length = 3 * width
    blocks = units[: units.size // length * length].reshape(-1, length)
    slots = blocks[:, :width].copy()
    following = np.full(len(blocks), width)
    while len(slots):
        vectors = np.linalg.qr(variables[slots], mode="complete")[0][:, :, -1]
        vectors[np.abs(vectors) < 1e-12] = 0.0
        now = state[slots]
        up, down = _reach(now, vectors)
        rise = rng.random(len(slots)) * (up + down) < down
        now = _snap(now + np.where(rise, up, -down)[:, None] * vectors)
        state[slots] = now
        decided = (now <= 0) | (now >= 1)
        need = following + decided.sum(axis=1)
        on = need <= length
        slots, blocks, decided, following, need = slots[on], blocks[on], decided[on], following[on], need[on]
        place = following[:, None] + np.cumsum(decided, axis=1) - 1
        rows, columns = np.nonzero(decided)
        slots[rows, columns] = blocks[rows, place[rows, columns]]
        following = need


def _step(state: FloatArray, work: IntArray, vector: FloatArray, rng: np.random.Generator) -> None:
    """Move along ``vector`` to one of the two faces of the cube, so that the mean stays."""
    up, down = _reach(state[work][None, :], vector[None, :])
    length = up[0] if rng.random() * (up[0] + down[0]) < down[0] else -down[0]
    state[work] = _snap(state[work] + length * vector)


def _reach(now: FloatArray, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far each row can move up and down its vector inside the cube."""
    with np.errstate(divide="ignore", invalid="ignore"):
        to_one, to_zero = (1 - now) / vectors, -now / vectors
    still = vectors == 0
    up = np.where(still, np.inf, np.maximum(to_one, to_zero)).min(axis=1)
    down = np.where(still, np.inf, np.maximum(-to_one, -to_zero)).min(axis=1)
    return up, down


def _null_vector(rows: FloatArray) -> FloatArray:
    """Return a unit vector orthogonal to every column of ``rows``, shape (m, c) with m > c."""
    vector: FloatArray = np.linalg.qr(rows, mode="complete")[0][:, -1]
    return np.where(np.abs(vector) < 1e-12, 0.0, vector)


def _undecided(state: FloatArray) -> IntArray:
    return np.flatnonzero((state > 0) & (state < 1))


def _snap(state: FloatArray) -> FloatArray:
    """Make chances within rounding of 0 or 1 exact, so that each step decides a unit."""
    return np.where(state < _ZERO, 0.0, np.where(state > 1 - _ZERO, 1.0, state))


__all__ = ["cube_sample", "flight", "landing", "merge_equals"]
