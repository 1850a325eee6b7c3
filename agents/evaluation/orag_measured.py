"""What was measured of a corpus, by method, k, measure and type of question: what O-RAG's tables are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.orag import Found, OragSettings, Progressed, measure
from agents.evaluation.orag_data import OragCorpus
from agents.evaluation.orag_tests import cluster_bootstrap
from agents.evaluation.report_kept import Kept

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measured:
    """All questions of one corpus: the measure of every method, and the entity and type of each question."""

    found: list[Found]
    clusters: NDArray[np.int64]
    kinds: tuple[str, ...]
    seed: int

    def values(self, method: str, k: int, name: str) -> Floats:
        """Return one measure of one method, shape (Q,)."""
        return np.array([row[name] for entity in self.found for row in entity[method][k]], dtype=np.float64)

    def mean(self, method: str, k: int, name: str, kind: str = "") -> float:
        """Return its mean over the questions (of one type), NaN where nothing was measured."""
        values = self.values(method, k, name)
        if kind:
            values = values[np.array([each == kind for each in self.kinds])]
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else float("nan")

    def interval(self, method: str, k: int, name: str) -> tuple[float, float, float]:
        """Return its mean with a 95 % interval, entities drawn with replacement."""
        values = self.values(method, k, name)
        known = ~np.isnan(values)
        if not known.any():
            return (float("nan"),) * 3
        low, high, _ = cluster_bootstrap(values[known], self.clusters[known], self.seed)
        return float(values[known].mean()), low, high


def measured(corpus: OragCorpus, settings: OragSettings, kept: Kept | None, progress: Progressed) -> Measured:
    """Measure a corpus."""
    found = measure(corpus, settings, kept, progress)
    kinds = tuple(question.kind for entity in corpus.entities for question in entity.questions)
    clusters = [place for place, entity in enumerate(corpus.entities) for _ in entity.questions]
    return Measured(found, np.array(clusters), kinds, settings.seed)


__all__ = ["Measured", "measured"]
