"""All sums that a set of signed positions can take, by how many +1 and -1 are used.

Each of n positions carries -1, 0 or +1; a table maps (number of +1, number of -1) to the sorted sums of the
weights so signed. Equal sums are merged, so weights on a lattice stay small; a table that grows too large is
thinned evenly and remembers that it is no longer complete.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Counts = tuple[int, int]

#: Sums closer than this are one.
MERGE = 1e-13
#: Most positions: the signs of half of them fit one 64-bit number in base three.
MAX_POSITIONS = 78
#: Most sums in the suffix tables, and in each half when looking for the nearest sum.
SUFFIX_LIMIT, HALF_LIMIT = 40_000, 150_000


@dataclass(frozen=True, eq=False)
class Assignment:
    """Polarity of each position, its sum, and whether it is proven nearest."""

    groups: Integers
    total: float
    exact: bool


class SumTable:
    """Sorted sums, and their signs in base three, of some positions by the counts of +1 and -1."""

    def __init__(self, cells: dict[Counts, tuple[Floats, Integers]], positions: int, complete: bool) -> None:
        self.cells, self.positions, self.complete = cells, positions, complete

    @property
    def size(self) -> int:
        """How many sums are held."""
        return sum(values.size for values, _ in self.cells.values())

    def any_in(self, counts: Counts, low: float, high: float) -> bool:
        """Whether some sum with exactly these counts lies in [low, high]."""
        cell = self.cells.get(counts)
        if cell is None:
            return False
        at = int(np.searchsorted(cell[0], low))
        return at < cell[0].size and float(cell[0][at]) <= high

    def extended(self, weight: float, most: Counts, neutral: int, limit: int | None) -> SumTable:
        """Table with one more position, in front; at most ``most`` of each sign and ``neutral`` zeros.

        Above ``limit`` sums in all, cells are thinned evenly. Without a limit nothing is thinned, and the signs
        are not kept: such a table only answers whether a sum exists.
        """
        power = 0 if limit is None else 3**self.positions
        parts: dict[Counts, list[tuple[Floats, Integers]]] = {}
        for (plus, minus), (values, codes) in self.cells.items():
            if self.positions - plus - minus < neutral:
                parts.setdefault((plus, minus), []).append((values, codes))
            if plus < most[0]:
                parts.setdefault((plus + 1, minus), []).append((values + weight, codes + power))
            if minus < most[1]:
                parts.setdefault((plus, minus + 1), []).append((values - weight, codes + 2 * power))
        cells = {counts: _merged(pieces) for counts, pieces in parts.items()}
        complete = self.complete
        if limit is not None and sum(v.size for v, _ in cells.values()) > limit:
            share = max(limit // len(cells), 2)
            for counts, (values, codes) in cells.items():
                if values.size > share:
                    keep = np.unique(np.linspace(0, values.size - 1, share).astype(np.int64))
                    cells[counts] = (values[keep], codes[keep])
                    complete = False
        return SumTable(cells, self.positions + 1, complete)


def empty_table() -> SumTable:
    """Return the table of no positions: one sum, 0."""
    return SumTable({(0, 0): (np.zeros(1), np.zeros(1, dtype=np.int64))}, 0, True)


def suffix_tables(weights: Floats, counts: Counts) -> dict[int, SumTable]:
    """Complete tables of the last positions, by first position, as far back as they stay small."""
    k = weights.size
    neutral = k - counts[0] - counts[1]
    tables = {k: empty_table()}
    for p in range(k - 1, -1, -1):
        if 3 * tables[p + 1].size > SUFFIX_LIMIT:
            break
        tables[p] = tables[p + 1].extended(float(weights[p]), counts, neutral, None)
    return tables


def nearest_sum(weights: Floats, counts: Counts, wanted: float) -> Assignment:
    """Signs of all positions, ``counts`` of +1 and -1, with the sum nearest to ``wanted``.

    Meets in the middle: the positions are dealt to two halves by size of weight, and each sum of one half looks
    for its complement in the other. Proven nearest unless a half had to be thinned.
    """
    k = weights.size
    neutral = k - counts[0] - counts[1]
    deal = np.argsort(-np.abs(weights), kind="stable")
    halves = [deal[0::2], deal[1::2]]
    tables = []
    for half in halves:
        table = empty_table()
        for p in half:
            table = table.extended(float(weights[p]), counts, neutral, HALF_LIMIT)
        tables.append(table)
    left, right = tables
    best, codes = np.inf, (0, 0)
    for (plus, minus), (values, signs) in left.cells.items():
        other = right.cells.get((counts[0] - plus, counts[1] - minus))
        if other is None:
            continue
        at = np.searchsorted(other[0], wanted - values)
        for shift in (0, -1):
            near = np.clip(at + shift, 0, other[0].size - 1)
            distance = np.abs(values + other[0][near] - wanted)
            i = int(np.argmin(distance))
            if distance[i] < best:
                best, codes = float(distance[i]), (int(signs[i]), int(other[1][near[i]]))
    groups = np.zeros(k, dtype=np.int64)
    for half, code in zip(halves, codes, strict=True):
        for p in half:
            code, sign = divmod(code, 3)
            groups[p] = (0, 1, -1)[sign]
    return Assignment(groups, float(groups @ weights), left.complete and right.complete)


def _merged(pieces: list[tuple[Floats, Integers]]) -> tuple[Floats, Integers]:
    values = np.concatenate([v for v, _ in pieces])
    codes = np.concatenate([c for _, c in pieces])
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    fresh = np.ones(values.size, dtype=bool)
    fresh[1:] = np.diff(values) > MERGE
    return values[fresh], codes[fresh]


__all__ = ["MAX_POSITIONS", "Assignment", "SumTable", "empty_table", "nearest_sum", "suffix_tables"]
