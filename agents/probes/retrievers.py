"""The retrievers that can be diagnosed, behind one port: a matrix of scores, queries by documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from agents.evaluation.embedding_cache import CachedEmbedder
from agents.probes.statistics import Floats
from store.fusion import RRF_K
from store.hashing import fields_hash
from store.lexical import tokenize
from store.ports import Embedder


@dataclass(frozen=True, slots=True)
class ProbeQuery:
    """What is searched with for one question.

    Attributes
    ----------
    texts
        Never empty; several (multi-query) are searched for one by one.
    lexical
        What keyword search beside a dense one takes; the question where the enhancement has nothing of its own.
    weighted
        What keyword search alone takes where it differs from ``texts`` (Query2Doc repeats the question), else empty.
    """

    texts: tuple[str, ...]
    lexical: str
    weighted: str = ""

    @property
    def text(self) -> str:
        """All that is searched with, as one text: what features of a query are taken of."""
        return " ".join(self.texts)


class Retriever(Protocol):
    """Scores documents for queries. Late interaction fits behind it as well."""

    @property
    def name(self) -> str:
        """What it is called in reports."""
        ...

    @property
    def key(self) -> str:
        """What its diagnosis is stored under; changes when its scores may."""
        ...

    def scores(self, queries: Sequence[ProbeQuery], documents: Sequence[str]) -> Floats:
        """Return float64 of shape (len(queries), len(documents)), higher for what is ranked higher."""
        ...


class DenseRetriever:
    """Cosines of an embedder; several texts of a query count with their mean.

    Parameters
    ----------
    embedder
        The default one or any sentence-transformers model.
    cache
        Folder where vectors are kept by the hash of their text; None keeps them in memory.
    """

    def __init__(self, embedder: Embedder, cache: Path | None = None) -> None:
        self.name = embedder.name
        self.key = embedder.fingerprint
        self._documents = CachedEmbedder(embedder.embed, embedder.fingerprint, cache)
        # Queries may be embedded differently (a prefix), so they are kept apart.
        self._queries = CachedEmbedder(
            lambda texts: np.stack([embedder.embed_query(text) for text in texts]),
            f"{embedder.fingerprint}/query",
            cache,
        )

    def scores(self, queries: Sequence[ProbeQuery], documents: Sequence[str]) -> Floats:
        """Return mean cosines."""
        return np.stack([rows.mean(axis=0) for rows in self.rows(queries, documents)])

    def rows(self, queries: Sequence[ProbeQuery], documents: Sequence[str]) -> list[Floats]:
        """Return, for each query, the cosines of each of its texts: shape (texts, documents)."""
        held = self._documents(documents).astype(np.float64)
        texts = self._queries([text for query in queries for text in query.texts]).astype(np.float64)
        cosines = texts @ held.T
        ends = np.cumsum([len(query.texts) for query in queries])[:-1]
        return [np.asarray(rows) for rows in np.split(cosines, ends)]


class BM25Retriever:
    """BM25 (rank-bm25's Okapi, as the keyword index) with the statistics of the probed documents.

    It takes the enhancement's words themselves.
    """

    name = "BM25"
    key = "bm25"

    def __init__(self) -> None:
        self._sha = ""
        self._index: Any = None
        self._rows: dict[str, Floats] = {}

    def scores(self, queries: Sequence[ProbeQuery], documents: Sequence[str]) -> Floats:
        """Return BM25 scores, the mean of several texts'."""
        found = []
        for query in queries:
            texts = (query.weighted,) if query.weighted else query.texts
            found.append(np.mean([self.row(text, documents) for text in texts], axis=0))
        return np.stack(found)

    def row(self, text: str, documents: Sequence[str]) -> Floats:
        """Return the BM25 scores of one text, shape (documents,)."""
        sha = fields_hash(documents)
        if self._sha != sha:
            from rank_bm25 import BM25Okapi

            self._sha, self._rows = sha, {}
            self._index = BM25Okapi([tokenize(document) for document in documents])
        if text not in self._rows:
            self._rows[text] = np.asarray(self._index.get_scores(tokenize(text)), dtype=np.float64)
        return self._rows[text]


class HybridRetriever:
    """Reciprocal rank fusion of the dense rankings and BM25's among the probed documents, as answers search."""

    def __init__(self, dense: DenseRetriever, lexical: BM25Retriever) -> None:
        self._dense, self._lexical = dense, lexical
        self.name = f"hybrid ({dense.name}, BM25)"
        self.key = hybrid_key(dense.key)

    def scores(self, queries: Sequence[ProbeQuery], documents: Sequence[str]) -> Floats:
        """Return fused scores: the sum of 1 / (60 + rank) over the rankings."""
        found = []
        for query, rows in zip(queries, self._dense.rows(queries, documents), strict=True):
            rankings = [*rows, self._lexical.row(query.lexical, documents)]
            found.append(np.sum([1 / (RRF_K + _ranks(row)) for row in rankings], axis=0))
        return np.stack(found)


def hybrid_key(fingerprint: str) -> str:
    """Return the key of hybrid search with the embedder of that fingerprint."""
    return f"hybrid/{fingerprint}"


def _ranks(scores: Floats) -> Floats:
    """Return ranks from 1, best first; equal scores share their mean rank, so that no tie is a preference."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-scores), dtype=np.float64)


__all__ = ["BM25Retriever", "DenseRetriever", "HybridRetriever", "ProbeQuery", "Retriever", "hybrid_key"]
