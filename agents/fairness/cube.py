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

from agents.fairness.checks import finite_vector, instance, numbers
from agents.fairness.distance import FloatArray, IntArray
from agents.fairness.sampling import Sample

_ZERO = 1e-9
#: Units of a block of the flight, in multiples of the number of variables.
_BLOCK = 2


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
    columns = numbers("balance", balance)
    if columns.ndim != 2 or len(columns) != chances.size or not np.isfinite(columns).all():
        raise ValueError(
            f"balance: expected finite numbers of shape ({chances.size}, c), got {columns.shape}"
        )
    instance("rng", rng, np.random.Generator)
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
    cell = _equal_rows(np.column_stack([chances, variables[:, 1:]]))
    order = rng.permutation(chances.size)
    order = order[np.argsort(cell[order], kind="stable")]
    sizes = np.bincount(cell)
    place = np.arange(chances.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    total = np.bincount(cell, weights=chances)[cell[order]]
    state = np.empty(chances.size)
    state[order] = np.clip(total - place, 0.0, 1.0)
    return _snap(state)


def flight(state: FloatArray, variables: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Walk until no direction keeps every total: at most as many units stay undecided as there are variables.

    Many units fly in disjoint blocks, all at once; what each block leaves undecided flies again.
    """
    state = state.copy()
    count = variables.shape[1]
    length = _BLOCK * count
    while (undecided := _undecided(state)).size > length:
        units = rng.permutation(undecided)
        blocks = units[: units.size // length * length].reshape(-1, length)
        kernel = np.linalg.qr(variables[blocks], mode="complete")[0][:, :, count:]
        state[blocks] = _walk(state[blocks], kernel, rng)
    if undecided.size:
        basis, rank = _ordered_basis(variables[undecided])
        state[undecided] = _walk(state[undecided][None], basis[None, :, rank:], rng)[0]
    return state


def landing(state: FloatArray, variables: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Decide the last units, giving up the variables from the last to the first; the size is kept."""
    state = state.copy()
    work = _undecided(state)
    if work.size:
        basis, _rank = _ordered_basis(variables[work])
        state[work] = _walk(state[work][None], basis[None, :, :0:-1], rng)[0]
    return np.round(state)


def _ordered_basis(rows: FloatArray) -> tuple[FloatArray, int]:
    """Orthogonal basis whose j-th vector is orthogonal to the first j-1 independent columns, and their number."""
    leading = rows[:, : len(rows)]
    basis, upper = np.linalg.qr(leading, mode="complete")
    diagonal = np.abs(np.diagonal(upper))
    if diagonal.min() > 1e-6 * diagonal.max():
        return basis, leading.shape[1]
    found = np.zeros((len(rows), 0))
    for column in rows.T:
        rest = column - found @ (found.T @ column)
        rest -= found @ (found.T @ rest)
        length = float(np.sqrt(rest @ rest))
        if length > 1e-9 * float(np.sqrt(column @ column)) and found.shape[1] < len(rows):
            found = np.column_stack([found, rest / length])
    return np.linalg.qr(found, mode="complete")[0], found.shape[1]


def _walk(now: FloatArray, directions: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Spend the directions of each block in turn; each decides a unit, which is swept from those that follow.

    Sweeping adds multiples of a spent direction to a later one, so a direction stays orthogonal to what all the
    directions from it backwards are orthogonal to.

    Parameters
    ----------
    now
        Shape (B, m): the chances of the units of B blocks.
    directions
        Shape (B, m, d), d < m.

    Returns
    -------
    array (B, m): the new chances.
    """
    blocks, width = now.shape
    live = now.copy()
    flat = live.reshape(-1)
    vectors = np.ascontiguousarray(directions.transpose(2, 0, 1))
    offset = np.arange(blocks) * width
    chance = rng.random((len(vectors), blocks))
    with np.errstate(divide="ignore", invalid="ignore"):
        for step, vector in enumerate(vectors):
            size = np.abs(vector)
            still = size < 1e-9 * size.max(axis=1, keepdims=True)
            vector[still] = 0.0
            to_one, to_zero = (1 - live) / vector, live / vector
            up, down = np.maximum(to_one, -to_zero), np.maximum(to_zero, -to_one)
            up[still] = down[still] = np.inf
            up_unit, down_unit = up.argmin(axis=1) + offset, down.argmin(axis=1) + offset
            up_length, down_length = up.take(up_unit), down.take(down_unit)
            rise = chance[step] * (up_length + down_length) < down_length
            unit = np.where(rise, up_unit, down_unit)
            live += np.where(rise, up_length, -down_length)[:, None] * vector
            flat[unit] = np.rint(flat[unit])
            later = vectors[step + 1 :].reshape(-1, blocks * width)
            pivot = later[:, unit] / vector.take(unit)
            vectors[step + 1 :] -= pivot[:, :, None] * vector
            later[:, unit] = 0.0
    return _snap(live)


def _equal_rows(rows: FloatArray) -> IntArray:
    """Code each row so that equal rows share a code: by a projection, checked, else by sorting whole rows."""
    rounded = np.round(rows, 12)
    mix = np.sqrt(np.arange(2.0, 2.0 + rows.shape[1]))
    _values, first, code = np.unique(rounded @ mix, return_index=True, return_inverse=True)
    if not np.array_equal(rounded[first[code]], rounded):
        _values, code = np.unique(rounded, axis=0, return_inverse=True)
    return code


def _undecided(state: FloatArray) -> IntArray:
    return np.flatnonzero((state > 0) & (state < 1))


def _snap(state: FloatArray) -> FloatArray:
    """Make chances within rounding of 0 or 1 exact."""
    return np.where(state < _ZERO, 0.0, np.where(state > 1 - _ZERO, 1.0, state))


__all__ = ["cube_sample", "flight", "landing", "merge_equals"]
