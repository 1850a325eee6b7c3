"""Plain indexes in memory: what the contract suites compare the real ones with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from store.lexical import tokenize
from store.ports import FloatMatrix, FloatVector


class ExactVectorIndex:
    """Every vector, compared with every query."""

    def __init__(self) -> None:
        self._vectors: dict[int, FloatVector] = {}

    def add(self, ids: Sequence[int], vectors: FloatMatrix) -> None:
        self._vectors.update(zip(ids, vectors, strict=True))

    def delete(self, ids: Sequence[int]) -> None:
        for item in ids:
            self._vectors.pop(item, None)

    def search(self, vector: FloatVector, n: int) -> list[tuple[int, float]]:
        found = [(item, float(held @ vector)) for item, held in self._vectors.items()]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:n]

    def ids(self) -> set[int]:
        return set(self._vectors)

    def count(self) -> int:
        return len(self._vectors)


class RankBM25Index:
    """rank-bm25 itself, over the same words."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._words: list[list[str]] = []

    def build(self, items: Iterable[tuple[int, str]]) -> None:
        held = list(items)
        self._ids, self._words = [item for item, _ in held], [tokenize(text) for _, text in held]

    def scores(self, query: str) -> dict[int, float]:
        from rank_bm25 import BM25Okapi

        if not any(self._words):
            return dict.fromkeys(self._ids, 0.0)
        values = BM25Okapi(self._words).get_scores(tokenize(query))
        return dict(zip(self._ids, np.asarray(values, dtype=float).tolist(), strict=True))

    def search(self, query: str, n: int) -> list[tuple[int, float]]:
        found = [pair for pair in self.scores(query).items() if pair[1] > 0]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:n]

    def ids(self) -> set[int]:
        return set(self._ids)
