"""Brings the rebuildable indexes (Chroma, BM25) to what SQL says, and compares the three.

Every step can be killed and repeated: embeddings are committed first, vectors are upserted by id, a unit is marked
indexed last; a unit that left SQL leaves a tombstone until its vector is gone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Select, delete, func, insert, select, update
from sqlalchemy.orm import Session

from store.database import Database
from store.errors import EmbedderMismatch, IndexReadOnly, IndexUnavailable
from store.lexical import BM25Index
from store.ports import Embedder, FloatMatrix
from store.tables import Corpus, Document, Embedding, Unit, UnitTombstone
from store.vectors import ChromaIndex, ChromaStore
from store.workspace import Workspace

#: Units embedded between two commits: the piece that Ctrl-C waits for, some seconds on a slow machine.
WINDOW = 512
KINDS = ("raw", "enriched", "split")


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far indexing is: units done of units pending at the start."""

    kind: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What ``Indexer.bring_up`` did."""

    indexed: int
    embedded: int
    removed: int
    embed_seconds: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """SQL against the two caches, for one kind of unit.

    Attributes
    ----------
    error
        Why the vectors cannot be used.
    unread
        Why they could not be looked at, though nothing need be wrong with them.
    """

    kind: str
    sql: int
    vectors: int
    missing_vectors: int
    orphan_vectors: int
    bm25_current: bool
    error: str = ""
    unread: str = ""

    @property
    def consistent(self) -> bool:
        """Whether SQL = Chroma = BM25, as far as these could be looked at."""
        return not (self.error or self.missing_vectors or self.orphan_vectors) and self.bm25_current


class Indexer:
    """Embeds pending units once and keeps Chroma and BM25 equal to SQL."""

    def __init__(
        self, database: Database, workspace: Workspace, chroma: ChromaStore, embedder: Embedder
    ) -> None:
        self._database = database
        self._workspace = workspace
        self._chroma = chroma
        self._embedder = embedder

    def bring_up(
        self,
        corpus_id: int,
        progress: Callable[[IndexProgress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> IndexReport:
        """Index everything pending of one corpus and drop what left it.

        A collection that lost vectors (its folder was deleted, say) is made anew from the stored embeddings.

        Raises
        ------
        EmbedderMismatch
            The corpus was built with another embedder.
        IndexUnavailable
            The vector index is damaged.
        """
        started = time.perf_counter()
        self._claim(corpus_id)
        removed = self._bury(corpus_id)
        indexed = embedded = 0
        embed_seconds = 0.0
        for kind in KINDS:
            self._heal(corpus_id, kind)
            total = self._count(corpus_id, kind, pending=True)
            done = 0
            while total and not cancelled():
                batch = self._pending(corpus_id, kind)
                if not batch:
                    break
                new, seconds = self._index(corpus_id, kind, batch)
                embedded += new
                embed_seconds += seconds
                done += len(batch)
                progress(IndexProgress(kind, done, max(total, done)))
            indexed += done
            if not cancelled():
                self._refresh_bm25(corpus_id, kind)
        return IndexReport(indexed, embedded, removed, embed_seconds, time.perf_counter() - started)

    def compare(self, corpus_id: int) -> list[Comparison]:
        """Compare SQL, Chroma and BM25 for every kind of unit that the corpus has."""
        return [
            self._compare(corpus_id, kind)
            for kind in KINDS
            if kind == "raw" or self._count(corpus_id, kind, pending=False)
        ]

    def forget_indexes(self) -> None:
        """Delete both caches of every corpus, bytes and all; ``bring_up`` makes them anew from SQL."""
        # Marked first: a call that is killed half-way leaves nothing marked as indexed that is not.
        with self._database.session() as session:
            session.execute(update(Unit).values(indexed=False))
            session.execute(delete(UnitTombstone))
        self._chroma.erase()
        for file in self._workspace.bm25_path(0, "raw").parent.glob("*.npz"):
            file.unlink(missing_ok=True)

    def _claim(self, corpus_id: int) -> None:
        with self._database.session() as session:
            corpus = session.get_one(Corpus, corpus_id)
            if corpus.embedder_fingerprint and corpus.embedder_fingerprint != self._embedder.fingerprint:
                raise EmbedderMismatch(
                    f"the corpus `{corpus.name}` was built with the embedder `{corpus.embedder}`, "
                    f"not with `{self._embedder.name}`",
                    "set `store.embedder` back, or run `evenhand doctor --rebuild --re-embed`",
                )
            corpus.embedder = self._embedder.name
            corpus.embedder_fingerprint = self._embedder.fingerprint

    def _heal(self, corpus_id: int, kind: str) -> None:
        """Mark a kind's units as pending again where the collection holds fewer vectors than SQL believes."""
        marked = self._count(corpus_id, kind, pending=False) - self._count(corpus_id, kind, pending=True)
        if marked and self._collection(corpus_id, kind).count() < marked:
            with self._database.session() as session:
                session.execute(
                    update(Unit)
                    .where(Unit.corpus_id == corpus_id, Unit.kind == kind)
                    .values(indexed=False)
                    .execution_options(synchronize_session=False)
                )

    def _bury(self, corpus_id: int) -> int:
        with self._database.session() as session:
            dead = session.execute(
                select(UnitTombstone.unit_id, UnitTombstone.kind).where(UnitTombstone.corpus_id == corpus_id)
            ).all()
        for kind in {kind for _, kind in dead}:
            ids = [unit for unit, other in dead if other == kind]
            self._collection(corpus_id, kind).delete(ids)
            with self._database.session() as session:
                for first in range(0, len(ids), WINDOW):
                    part = ids[first : first + WINDOW]
                    session.execute(delete(UnitTombstone).where(UnitTombstone.unit_id.in_(part)))
        return len(dead)

    def _pending(self, corpus_id: int, kind: str) -> list[tuple[int, str, str]]:
        with self._database.session() as session:
            statement = (
                _unit_texts(corpus_id, kind).where(Unit.indexed.is_(False)).order_by(Unit.id).limit(WINDOW)
            )
            return [
                (unit_id, key, own or whole[start:end])
                for unit_id, key, own, start, end, whole in session.execute(statement)
            ]

    def _index(self, corpus_id: int, kind: str, batch: list[tuple[int, str, str]]) -> tuple[int, float]:
        texts = {key: text for _, key, text in batch}
        with self._database.session() as session:
            vectors = _stored(session, self._embedder.fingerprint, list(texts))
            missing = [key for key in texts if key not in vectors]
            started = time.perf_counter()
            fresh = self._embedder.embed([texts[key] for key in missing])
            seconds = time.perf_counter() - started
            if missing:
                session.execute(
                    insert(Embedding),
                    [
                        {"fingerprint": self._embedder.fingerprint, "text_hash": key, "vector": row.tobytes()}
                        for key, row in zip(missing, fresh.astype("<f4"), strict=True)
                    ],
                )
        vectors.update(zip(missing, fresh, strict=True))
        matrix: FloatMatrix = np.stack([vectors[key] for _, key, _ in batch])
        ids = [unit_id for unit_id, _, _ in batch]
        self._collection(corpus_id, kind).add(ids, matrix)
        with self._database.session() as session:
            session.execute(update(Unit).where(Unit.id.in_(ids)).values(indexed=True))
        return len(missing), seconds

    def _refresh_bm25(self, corpus_id: int, kind: str) -> None:
        index = BM25Index(self._workspace.bm25_path(corpus_id, kind))
        stamp = self._stamp(corpus_id, kind)
        if kind != "raw" and stamp == "0/0/0":
            index.remove_file()
        elif index.stamp != stamp:
            index.build(self._texts(corpus_id, kind), stamp)

    def _texts(self, corpus_id: int, kind: str) -> Iterator[tuple[int, str]]:
        with self._database.session() as session:
            statement = _unit_texts(corpus_id, kind).order_by(Unit.id).execution_options(yield_per=1000)
            for unit_id, _key, own, start, end, whole in session.execute(statement):
                yield unit_id, own or whole[start:end]

    def _stamp(self, corpus_id: int, kind: str) -> str:
        with self._database.session() as session:
            return unit_stamp(session, corpus_id, kind)

    def _count(self, corpus_id: int, kind: str, *, pending: bool) -> int:
        statement = (
            select(func.count()).select_from(Unit).where(Unit.corpus_id == corpus_id, Unit.kind == kind)
        )
        if pending:
            statement = statement.where(Unit.indexed.is_(False))
        with self._database.session() as session:
            return session.execute(statement).scalar_one()

    def _compare(self, corpus_id: int, kind: str) -> Comparison:
        with self._database.session() as session:
            wanted = set(
                session.scalars(select(Unit.id).where(Unit.corpus_id == corpus_id, Unit.kind == kind)).all()
            )
        stamp = self._stamp(corpus_id, kind)
        bm25 = BM25Index(self._workspace.bm25_path(corpus_id, kind)).stamp == stamp or not wanted
        try:
            held = self._collection(corpus_id, kind).ids()
        except IndexReadOnly as error:
            return Comparison(kind, len(wanted), 0, 0, 0, bm25, unread=error.message)
        except (IndexUnavailable, EmbedderMismatch) as error:
            return Comparison(kind, len(wanted), 0, len(wanted), 0, bm25, error.message)
        return Comparison(kind, len(wanted), len(held), len(wanted - held), len(held - wanted), bm25)

    def _collection(self, corpus_id: int, kind: str) -> ChromaIndex:
        return self._chroma.collection(corpus_id, kind, self._embedder.fingerprint, self._embedder.dimension)


def unit_stamp(session: Session, corpus_id: int, kind: str) -> str:
    """Return a stamp of a kind's units: count, largest and sum of ids (ids are never used twice)."""
    count, largest, total = session.execute(
        select(func.count(), func.coalesce(func.max(Unit.id), 0), func.coalesce(func.sum(Unit.id), 0)).where(
            Unit.corpus_id == corpus_id, Unit.kind == kind
        )
    ).one()
    return f"{count}/{largest}/{total}"


def _unit_texts(corpus_id: int, kind: str) -> Select[int, str, str, int, int, str]:
    return (
        select(Unit.id, Unit.text_hash, Unit.text, Unit.start, Unit.end, Document.text)
        .join(Document, Document.id == Unit.document_id)
        .where(Unit.corpus_id == corpus_id, Unit.kind == kind)
    )


def _stored(session: Session, fingerprint: str, keys: list[str]) -> dict[str, FloatMatrix]:
    found: dict[str, FloatMatrix] = {}
    for first in range(0, len(keys), WINDOW):
        rows = session.execute(
            select(Embedding.text_hash, Embedding.vector).where(
                Embedding.fingerprint == fingerprint, Embedding.text_hash.in_(keys[first : first + WINDOW])
            )
        )
        found.update((key, np.frombuffer(vector, dtype="<f4")) for key, vector in rows)
    return found


__all__ = ["KINDS", "Comparison", "IndexProgress", "IndexReport", "Indexer", "unit_stamp"]
