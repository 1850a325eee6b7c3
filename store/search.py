"""Finds documents for a question: Chroma and BM25 fused by rank, and exact similarities for a given pool."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select

from store.database import Database
from store.errors import IndexUnavailable
from store.fusion import reciprocal_rank_fusion
from store.indexing import unit_stamp
from store.lexical import BM25Index
from store.ports import Embedder, FloatMatrix, FloatVector
from store.repository import IN_LIMIT
from store.tables import Embedding, Unit
from store.vectors import ChromaStore
from store.workspace import Workspace

#: How long the stamp of a corpus' units is taken for current.
STAMP_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked documents: ids best first, the cosine of each one's best unit, and what was degraded on the way."""

    document_ids: tuple[int, ...]
    relevance: tuple[float, ...]
    degradations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnitVectors:
    """All vectors of one kind of unit: rows sorted by document, with each document's first row."""

    stamp: str
    document_ids: NDArray[np.int64]
    first_row: NDArray[np.int64]
    unit_documents: NDArray[np.int64]
    matrix: FloatMatrix = field(repr=False)

    def similarities(self, query: FloatVector) -> NDArray[np.float32]:
        """Return each document's best cosine with the query, aligned with ``document_ids``."""
        if not len(self.document_ids):
            return np.zeros(0, dtype=np.float32)
        return np.asarray(np.maximum.reduceat(self.matrix @ query, self.first_row), dtype=np.float32)


class Searcher:
    """Dense, lexical and fused search over one workspace.

    Vectors are read from SQL once a process and kept (a pool's similarities are exact, and the vector index may be
    missing); Chroma answers the nearest-neighbour queries over the whole corpus.
    """

    def __init__(
        self,
        database: Database,
        workspace: Workspace,
        chroma: ChromaStore,
        embedder: Embedder,
        memory_limit_mb: int = 512,
        exact_below: int = 0,
    ) -> None:
        #: Up to so many passages exact search over the stored vectors is faster than opening the vector index.
        self.exact_below = exact_below
        self._database = database
        self._workspace = workspace
        self._chroma = chroma
        self._embedder = embedder
        self._limit = memory_limit_mb * 2**20
        self._vectors: dict[tuple[int, str], UnitVectors] = {}
        self._bm25: dict[tuple[int, str], BM25Index] = {}
        self._queries: dict[str, FloatVector] = {}
        self._stamps: dict[tuple[int, str], tuple[float, str]] = {}
        self._cosines: dict[tuple[int, str], tuple[UnitVectors, bytes, NDArray[np.float32]]] = {}

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the embedder."""
        return self._embedder.fingerprint

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts."""
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> FloatVector:
        """Embed a question; the last few are remembered."""
        if text not in self._queries:
            if len(self._queries) >= 64:
                self._queries.clear()
            self._queries[text] = self._embedder.embed_query(text)
        return self._queries[text]

    def dense(self, corpus_id: int, query: FloatVector, n: int, kind: str = "raw") -> Found:
        """Return the n documents nearest to the query vector, from Chroma; from SQL, marked, without it."""
        if self._count(corpus_id, kind) <= self.exact_below:
            return self.exact(corpus_id, query, n, kind=kind)
        if self._workspace.is_being_written():
            found = self.exact(corpus_id, query, n, kind=kind)
            reason = "the vector index is being written: exact search over the stored vectors instead"
            return Found(found.document_ids, found.relevance, (reason,))
        index = self._chroma.collection(corpus_id, kind, self._embedder.fingerprint, self._embedder.dimension)
        try:
            if (held := index.count()) < (indexed := self._indexed(corpus_id, kind)):
                raise IndexUnavailable(
                    f"the vector index {index.name} holds {held:,} of {indexed:,} vectors",
                    "run `evenhand doctor --rebuild`",
                )
            best = self._documents(lambda take: index.search(query, take), n)
        except IndexUnavailable as error:
            found = self.exact(corpus_id, query, n, kind=kind)
            return Found(found.document_ids, found.relevance, (f"{error}: exact search over SQL instead",))
        return Found(tuple(best), tuple(best.values()))

    def exact(
        self,
        corpus_id: int,
        query: FloatVector,
        n: int,
        within: NDArray[np.int64] | None = None,
        kind: str = "raw",
    ) -> Found:
        """Return the n nearest documents by exact cosine over the stored vectors, among ``within`` if given."""
        vectors = self.vectors(corpus_id, kind)
        similarity = self._similarities(corpus_id, kind, vectors, query)
        rows = np.arange(len(vectors.document_ids))
        if within is not None:
            rows = rows[np.isin(vectors.document_ids, within)]
        order = rows[np.lexsort((vectors.document_ids[rows], -similarity[rows]))][:n]
        return Found(
            tuple(int(i) for i in vectors.document_ids[order]), tuple(float(s) for s in similarity[order])
        )

    def lexical(
        self,
        corpus_id: int,
        question: str,
        n: int,
        kind: str = "raw",
        within: NDArray[np.int64] | None = None,
    ) -> Found:
        """Return the n best documents by BM25, among ``within`` if given.

        Empty and marked when the index is missing, marked when it is older than the corpus.
        """
        index = self._bm25.setdefault(
            (corpus_id, kind), BM25Index(self._workspace.bm25_path(corpus_id, kind))
        )
        allowed = None if within is None else set(within.tolist())
        try:
            best = self._documents(lambda take: index.search(question, take), n, allowed)
        except IndexUnavailable as error:
            return Found((), (), (f"{error}: answered without keyword search",))
        with self._database.session() as session:
            current = unit_stamp(session, corpus_id, kind)
        stale = () if index.stamp == current else ("the keyword index is older than the corpus",)
        return Found(tuple(best), tuple(best.values()), stale)

    def hybrid(
        self,
        corpus_id: int,
        question: str,
        queries: Sequence[FloatVector],
        n: int,
        within: NDArray[np.int64] | None = None,
        kind: str = "raw",
    ) -> Found:
        """Fuse BM25 on the question with dense search on each query vector, by reciprocal rank.

        Parameters
        ----------
        within
            Document ids that the question's filters let through; None for all. A filtered dense search is exact.

        Returns
        -------
        Found
            At most n documents in fused order, with cosines to the first query vector.
        """
        rankings: list[Sequence[int]] = []
        notes: list[str] = []
        for query in queries:
            found = (
                self.dense(corpus_id, query, n, kind)
                if within is None
                else self.exact(corpus_id, query, n, within, kind)
            )
            rankings.append(found.document_ids)
            notes.extend(found.degradations)
        by_words = self.lexical(corpus_id, question, n, kind, within)
        notes.extend(by_words.degradations)
        rankings.append(by_words.document_ids)
        fused = [document for document, _ in reciprocal_rank_fusion(rankings)][:n]
        cosines = self.similarities(corpus_id, queries[0], fused, kind)
        return Found(tuple(fused), tuple(float(c) for c in cosines), tuple(dict.fromkeys(notes)))

    def similarities(
        self,
        corpus_id: int,
        query: FloatVector,
        document_ids: Sequence[int] | NDArray[np.int64],
        kind: str = "raw",
    ) -> NDArray[np.float64]:
        """Return the exact cosine of each document's best unit with the query; 0 for one without a vector."""
        vectors = self.vectors(corpus_id, kind)
        wanted = np.asarray(document_ids, dtype=np.int64)
        result = np.zeros(len(wanted))
        if len(vectors.document_ids) and len(wanted):
            rows = np.searchsorted(vectors.document_ids, wanted).clip(max=len(vectors.document_ids) - 1)
            known = vectors.document_ids[rows] == wanted
            result[known] = self._similarities(corpus_id, kind, vectors, query)[rows[known]]
        return result

    def _similarities(
        self, corpus_id: int, kind: str, vectors: UnitVectors, query: FloatVector
    ) -> NDArray[np.float32]:
        """Return each document's best cosine; one question asks for them several times, so the last are kept."""
        held = self._cosines.get((corpus_id, kind))
        asked = query.tobytes()
        if held is not None and held[0] is vectors and held[1] == asked:
            return held[2]
        found = vectors.similarities(query)
        self._cosines[corpus_id, kind] = (vectors, asked, found)
        return found

    def best_vectors(
        self, corpus_id: int, query: FloatVector, document_ids: NDArray[np.int64], kind: str = "raw"
    ) -> FloatMatrix:
        """Return, for each document, the vector of its unit nearest to the query: shape (n, dimension)."""
        vectors = self.vectors(corpus_id, kind)
        scores = vectors.matrix @ query
        result = np.zeros((len(document_ids), self._embedder.dimension), dtype=np.float32)
        ends = np.append(vectors.first_row[1:], len(vectors.matrix))
        rows = np.searchsorted(vectors.document_ids, document_ids)
        for position, row in enumerate(rows):
            if row < len(vectors.document_ids) and vectors.document_ids[row] == document_ids[position]:
                first, end = vectors.first_row[row], ends[row]
                result[position] = vectors.matrix[first + int(np.argmax(scores[first:end]))]
        return result

    def vectors(self, corpus_id: int, kind: str = "raw") -> UnitVectors:
        """Return all vectors of one kind, read from SQL once and again only when the units change."""
        stamp = self._stamp(corpus_id, kind)
        cached = self._vectors.get((corpus_id, kind))
        if cached is not None and cached.stamp == stamp and len(cached.unit_documents) == _size(stamp):
            return cached
        with self._database.session() as session:
            rows = session.execute(
                select(Unit.document_id, Embedding.vector)
                .join(Embedding, Embedding.text_hash == Unit.text_hash)
                .where(
                    Unit.corpus_id == corpus_id,
                    Unit.kind == kind,
                    Embedding.fingerprint == self._embedder.fingerprint,
                )
                .order_by(Unit.document_id, Unit.ordinal, Unit.id)
            ).all()
        documents = np.asarray([d for d, _ in rows], dtype=np.int64)
        matrix = np.frombuffer(b"".join(v for _, v in rows), dtype="<f4").reshape(
            len(rows), self._embedder.dimension
        )
        ids, first = np.unique(documents, return_index=True)
        found = UnitVectors(stamp, ids, first.astype(np.int64), documents, matrix)
        if matrix.nbytes <= self._limit:
            self._vectors[corpus_id, kind] = found
        return found

    def _documents(
        self,
        search: Callable[[int], list[tuple[int, float]]],
        n: int,
        allowed: set[int] | None = None,
    ) -> dict[int, float]:
        """Return the n best documents with their best unit's score, asking for more units until there are n.

        A document may hold several of the best units, and a filter may let few of them through.
        """
        take = 2 * n
        while True:
            units = search(take)
            owners = self._owners([unit for unit, _ in units])
            best: dict[int, float] = {}
            for unit, score in units:
                document = owners.get(unit)
                if document is None or (allowed is not None and document not in allowed):
                    continue
                if document in best or len(best) < n:
                    best.setdefault(document, score)
            if len(best) >= n or len(units) < take:
                return best
            take *= 4

    def _count(self, corpus_id: int, kind: str) -> int:
        return _size(self._stamp(corpus_id, kind))

    def _stamp(self, corpus_id: int, kind: str) -> str:
        """Return the units' stamp; it costs milliseconds and one question asks often, so it is read every 0.2 s."""
        now = time.monotonic()
        read_at, stamp = self._stamps.get((corpus_id, kind), (-1.0, ""))
        if now - read_at > STAMP_SECONDS:
            with self._database.session() as session:
                stamp = unit_stamp(session, corpus_id, kind)
            self._stamps[corpus_id, kind] = (now, stamp)
        return stamp

    def _owners(self, unit_ids: Sequence[int]) -> dict[int, int]:
        found: dict[int, int] = {}
        with self._database.session() as session:
            for first in range(0, len(unit_ids), IN_LIMIT):
                part = unit_ids[first : first + IN_LIMIT]
                rows = session.execute(select(Unit.id, Unit.document_id).where(Unit.id.in_(part)))
                found.update(rows.all())
        return found

    def _indexed(self, corpus_id: int, kind: str) -> int:
        with self._database.session() as session:
            return session.execute(
                select(func.count())
                .select_from(Unit)
                .where(Unit.corpus_id == corpus_id, Unit.kind == kind, Unit.indexed.is_(True))
            ).scalar_one()


def _size(stamp: str) -> int:
    return int(stamp.split("/")[0])


__all__ = ["Found", "Searcher", "UnitVectors"]
