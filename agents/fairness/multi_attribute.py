"""The exact opinion choice with several author attributes at once: an integer programme over cell counts.

A cell is an opinion level and a combination of groups; a choice is a count for each cell, filled with its most
relevant documents. The distance is a sum of convex functions of the cumulative counts, so it enters by its tangents
at the integers, where they are exact; gaps are absolute values. Solved by HiGHS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agents.fairness.cells import make_cells
from agents.fairness.checks import (
    codes_of,
    finite_vector,
    integers,
    mapping,
    number,
    one_of,
    pairs,
    probabilities,
    whole,
)
from agents.fairness.checks import seconds as time_limit
from agents.fairness.distance import FloatArray, IntArray
from agents.fairness.scale import FINE


@dataclass(frozen=True, slots=True, eq=False)
class MultiChoice:
    """Chosen positions (unordered), the solver's bound, and whether optimality is proven."""

    indices: IntArray
    bound: float
    optimal: bool


def select_multi(
    relevance: FloatArray,
    score: FloatArray,
    population: tuple[FloatArray, FloatArray],
    attributes: Mapping[str, tuple[IntArray, FloatArray]],
    k: int,
    *,
    lam: float,
    beta: float,
    p: float = 1.0,
    combine: Literal["sum", "max"] = "sum",
    ids: IntArray | None = None,
    seconds: float = 2.0,
) -> MultiChoice:
    """Maximise relevance - lam W_p^p - beta * (sum or max over attributes of the largest group gap).

    Parameters
    ----------
    relevance, score
        Shape (N,), finite.
    population
        Support and masses of the population's scores, ascending.
    attributes
        For each name, group codes (N,) with -1 for unknown, and population shares (G,).
    k, lam, beta, p
        As in :func:`agents.fairness.opinion.select_exact`.
    combine
        How the attributes' largest gaps are joined.
    seconds
        Time limit of the solver; past it the best choice found is returned, not ``optimal``.

    Notes
    -----
    A gap divides by the number of known authors chosen, which is not linear. The programme divides by k instead, a
    lower bound of the gap: exact where every chosen author is known; otherwise ``optimal`` is False.

    Raises
    ------
    ValueError
        An argument has the wrong shape or range; the message begins with its name.
    """
    _check(relevance, score, population, attributes, k, ids)
    for name, value, least in (("lam", lam, 0.0), ("beta", beta, 0.0), ("p", p, 1.0)):
        number(name, value, least)
    one_of("combine", combine, ("sum", "max"))
    time_limit("seconds", seconds)
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    ties = np.arange(relevance.size) if ids is None else ids
    kind = _combinations([codes for codes, _shares in attributes.values()], relevance.size)
    factor = _factor(relevance, score, population[0], lam, beta, p)
    cells = make_cells(relevance * factor, score, kind, ties, population, k, lam * factor, p)
    psi = cells.boundary()
    documents, levels = cells.index.size, len(psi)
    names = list(attributes)
    penalties = len(names) if combine == "sum" else 1
    steps = documents + np.arange(levels - 1)
    gaps = documents + levels - 1 + np.arange(penalties)
    width = documents + levels - 1 + penalties
    rows: list[IntArray] = []
    columns: list[IntArray] = []
    entries: list[FloatArray] = []
    upper: list[float] = []

    def constrain(where: IntArray, factors: FloatArray, limit: float) -> None:
        rows.append(np.full(where.size, len(upper)))
        columns.append(where)
        entries.append(factors)
        upper.append(limit)

    for level in range(levels - 1):
        below = np.flatnonzero(cells.level <= level)
        cost = -psi[level]
        for count in range(k):  # cost >= tangent through (count, count + 1)
            slope = float(cost[count + 1] - cost[count])
            factors = np.append(np.full(below.size, slope), -1.0)
            constrain(np.append(below, steps[level]), factors, slope * count - float(cost[count]))
    for place, name in enumerate(names):
        codes, shares = attributes[name]
        known = (codes[cells.index] >= 0).astype(float)
        for group, share in enumerate(shares):
            difference = ((codes[cells.index] == group) - share * known) / k
            penalty = gaps[place if combine == "sum" else 0]
            where = np.append(np.arange(documents), penalty)
            constrain(where, np.append(difference, -1.0), 0.0)
            constrain(where, np.append(-difference, -1.0), 0.0)
    for row in np.flatnonzero(cells.rank > 0):  # within a cell the more relevant goes first
        constrain(np.array([row, row - 1]), np.array([1.0, -1.0]), 0.0)

    matrix = coo_array(
        (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=(len(upper), width)
    ).tocsr()
    objective = np.concatenate([-cells.relevance, np.ones(levels - 1), np.full(penalties, beta * factor)])
    size = coo_array((np.ones(documents), (np.zeros(documents, int), np.arange(documents))), shape=(1, width))
    result = milp(
        objective,
        integrality=np.concatenate([np.ones(documents), np.zeros(width - documents)]),
        bounds=Bounds(
            np.concatenate([np.zeros(documents), np.full(levels - 1, -np.inf), np.zeros(penalties)]),
            np.concatenate([np.ones(documents), np.full(width - documents, np.inf)]),
        ),
        constraints=[
            LinearConstraint(matrix, -np.inf, np.array(upper)),
            LinearConstraint(size.tocsr(), k, k),
        ],
        options={"time_limit": seconds, "mip_rel_gap": 1e-9},
    )
    last = float(psi[-1][k])
    if result.x is None:
        top = np.lexsort((ties, -relevance))[:k]
        return MultiChoice(top, np.inf, False)
    chosen = cells.index[result.x[:documents] > 0.5]
    everyone_known = all(bool((codes[chosen] >= 0).all()) for codes, _shares in attributes.values())
    bound = (-float(result.mip_dual_bound) + last) / factor
    return MultiChoice(chosen, bound, bool(result.status == 0 and everyone_known))


def _factor(
    relevance: FloatArray, score: FloatArray, support: FloatArray, lam: float, beta: float, p: float
) -> float:
    """Return what to multiply the objective by, so that the absolute tolerances of HiGHS are small beside its parts."""
    points = np.concatenate((score, support))
    largest = max(float(np.ptp(relevance)), lam * float(np.ptp(points)) ** p, beta)
    return FINE / largest if largest > 0 else 1.0


def _check(
    relevance: FloatArray,
    score: FloatArray,
    population: tuple[FloatArray, FloatArray],
    attributes: Mapping[str, tuple[IntArray, FloatArray]],
    k: int,
    ids: IntArray | None,
) -> None:
    count = finite_vector("relevance", relevance, least=1).size
    finite_vector("score", score, length=count)
    support, masses = pairs("population", [population])[0]
    if bool((np.diff(finite_vector("population", support, least=1)) <= 0).any()):
        raise ValueError("population: expected an ascending support and its masses")
    probabilities("population", masses, length=len(support))
    for codes, shares in pairs("attributes", mapping("attributes", attributes).values()):
        codes_of("attributes", codes, -1, probabilities("attributes", shares).size - 1, length=count)
    if whole("k", k, 1) > count:
        raise ValueError(f"k: {k} documents asked for, {count} candidates given")
    if ids is not None and np.unique(integers("ids", ids, length=count)).size != count:
        raise ValueError("ids: expected one distinct id for each document")


def _combinations(codes: list[IntArray], count: int) -> IntArray:
    """Code the distinct combinations of groups."""
    if not codes:
        return np.zeros(count, np.intp)
    _unique, kind = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    result: IntArray = kind.reshape(-1).astype(np.intp)
    return result


__all__ = ["MultiChoice", "select_multi"]
