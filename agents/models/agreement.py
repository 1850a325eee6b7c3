"""How far two extractors agree on the same documents: lexical against a language model, or one model against another.

Compared on (document, entity) pairs, by the mean score of the pair's opinions. Neither side is taken for the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.records import OpinionUnit

SIGNS = ("negative", "neutral", "positive")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The report.

    Attributes
    ----------
    documents
        Documents that both extractors worked on.
    left_pairs, right_pairs, shared_pairs
        (document, entity) pairs with an opinion by the left, by the right, by both.
    overlap
        F1 of the pairs in [0, 1]: ``2 shared / (left + right)``; 1 when neither found any.
    same_sign
        Share of shared pairs with equal sign, in [0, 1]; 0 when none is shared.
    kappa
        Cohen's kappa of the signs on shared pairs: 1 perfect, 0 as good as chance; 0 when it is undefined.
    mean_difference
        Mean of |left score - right score| on shared pairs, in score units (0 to 60).
    shift
        Mean of (right score - left score) on shared pairs: above 0, the right is the more positive.
    table
        Shared pairs by sign, rows left and columns right, in the order of ``SIGNS``.
    differing
        Entities with the most shared pairs of opposite sign: key, opposite pairs, shared pairs.
    """

    documents: int
    left_pairs: int
    right_pairs: int
    shared_pairs: int
    overlap: float
    same_sign: float
    kappa: float
    mean_difference: float
    shift: float
    table: tuple[tuple[int, ...], ...]
    differing: tuple[tuple[str, int, int], ...]

    def text(self, left: str, right: str) -> str:
        """Return the report in plain lines."""
        lines = [
            f"{self.documents} documents; opinions on (document, entity): {left} {self.left_pairs}, "
            f"{right} {self.right_pairs}, both {self.shared_pairs} (F1 {self.overlap:.2f})",
            f"where both have one: same sign {100 * self.same_sign:.1f} %, kappa {self.kappa:.2f}, "
            f"mean difference {self.mean_difference:.1f} points, {right} {self.shift:+.1f} points",
            f"{left} \\ {right}: " + "  ".join(SIGNS),
        ]
        lines += [
            f"  {sign}: {'  '.join(map(str, row))}" for sign, row in zip(SIGNS, self.table, strict=True)
        ]
        lines += [f"opposite on {key}: {opposite} of {shared}" for key, opposite, shared in self.differing]
        return "\n".join(lines)


def agreement(
    left: Mapping[int, Sequence[OpinionUnit]], right: Mapping[int, Sequence[OpinionUnit]], *, most: int = 10
) -> Agreement:
    """Compare two labellings, each by document id; documents that only one side has are left out."""
    common = left.keys() & right.keys()
    ours, theirs = _pairs(left, common), _pairs(right, common)
    shared = sorted(ours.keys() & theirs.keys())
    cells: Counter[tuple[int, int]] = Counter()
    opposite: Counter[str] = Counter()
    by_entity: Counter[str] = Counter()
    for pair in shared:
        signs = _sign(ours[pair]), _sign(theirs[pair])
        cells[signs] += 1
        by_entity[pair[1]] += 1
        opposite[pair[1]] += signs[0] * signs[1] == -1
    n = len(shared)
    total = len(ours) + len(theirs)
    equal = sum(cells[sign, sign] for sign in (-1, 0, 1)) / n if n else 0.0
    differences = [theirs[pair] - ours[pair] for pair in shared]
    worst = sorted((key for key in opposite if opposite[key]), key=lambda key: (-opposite[key], key))[:most]
    return Agreement(
        documents=len(common),
        left_pairs=len(ours),
        right_pairs=len(theirs),
        shared_pairs=n,
        overlap=2 * n / total if total else 1.0,
        same_sign=equal,
        kappa=_kappa(cells, n, equal),
        mean_difference=sum(map(abs, differences)) / n if n else 0.0,
        shift=sum(differences) / n if n else 0.0,
        table=tuple(tuple(cells[row, column] for column in (-1, 0, 1)) for row in (-1, 0, 1)),
        differing=tuple((key, opposite[key], by_entity[key]) for key in worst),
    )


def _pairs(labels: Mapping[int, Sequence[OpinionUnit]], documents: set[int]) -> dict[tuple[int, str], float]:
    scores: dict[tuple[int, str], list[int]] = {}
    for document in documents:
        for unit in labels[document]:
            scores.setdefault((document, unit.entity), []).append(unit.score)
    return {pair: sum(values) / len(values) for pair, values in scores.items()}


def _sign(score: float) -> int:
    return (score > 0) - (score < 0)


def _kappa(cells: Counter[tuple[int, int]], n: int, equal: float) -> float:
    if not n:
        return 0.0
    rows: Counter[int] = Counter()
    columns: Counter[int] = Counter()
    for (row, column), count in cells.items():
        rows[row] += count
        columns[column] += count
    chance = sum(rows[sign] * columns[sign] for sign in (-1, 0, 1)) / n**2
    return (equal - chance) / (1 - chance) if chance < 1 else 0.0


__all__ = ["SIGNS", "Agreement", "agreement"]
