"""What hangs on a document (units, opinions, stances, enrichment work): made with it, and taken away with it."""

from __future__ import annotations

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from store.hashing import text_hash
from store.ingest.chunking import Chunker
from store.tables import (
    Corpus,
    Document,
    EnrichmentWork,
    LabelReview,
    Opinion,
    Source,
    Stance,
    Unit,
    UnitTombstone,
)


def add_units(session: Session, corpus_id: int, documents: list[tuple[int, str]], chunker: Chunker) -> int:
    """Chunk documents into raw units that wait to be indexed; return how many."""
    values = [
        {
            "corpus_id": corpus_id,
            "document_id": document_id,
            "kind": "raw",
            "ordinal": ordinal,
            "start": start,
            "end": end,
            "text": "",
            "text_hash": text_hash(text[start:end]),
            "indexed": False,
        }
        for document_id, text in documents
        for ordinal, (start, end) in enumerate(chunker(text))
    ]
    session.connection().execute(insert(Unit.__table__), values)  # type: ignore[arg-type]
    return len(values)


def withdraw(session: Session, document_ids: list[int]) -> None:
    """Take away what was derived from documents' texts: units (with tombstones), opinions, stances, work."""
    if not document_ids:
        return
    units = select(Unit.id, Unit.corpus_id, Unit.kind).where(Unit.document_id.in_(document_ids))
    session.execute(insert(UnitTombstone).from_select(["unit_id", "corpus_id", "kind"], units))
    for table in (Unit, Opinion, Stance, EnrichmentWork, LabelReview):
        session.execute(
            delete(table).where(table.document_id.in_(document_ids)),
            execution_options={"synchronize_session": False},
        )


def bump(session: Session, corpus_id: int) -> None:
    """Raise the corpus's revision, so that caches know of the change."""
    session.execute(
        update(Corpus).where(Corpus.id == corpus_id).values(revision=Corpus.revision + 1),
        execution_options={"synchronize_session": False},
    )


def remove_gone(session: Session, source: Source, limit: int) -> int:
    """Delete up to ``limit`` documents that the source's last run did not see; return how many."""
    gone = list(
        session.scalars(
            select(Document.id)
            .where(Document.source_id == source.id, Document.generation != source.generation)
            .limit(limit)
        )
    )
    if gone:
        withdraw(session, gone)
        session.execute(delete(Document).where(Document.id.in_(gone)))
        bump(session, source.corpus_id)
        session.execute(
            update(Source).where(Source.id == source.id).values(rows_removed=Source.rows_removed + len(gone)),
            execution_options={"synchronize_session": False},
        )
    return len(gone)


__all__ = ["add_units", "bump", "remove_gone", "withdraw"]
