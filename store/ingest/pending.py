"""Chunks documents that were stored without units, before they are indexed."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import exists, select

from store.database import Database
from store.ingest.chunking import Spans, chunker
from store.ingest.derived import add_units
from store.tables import Document, Unit

_BATCH = 500


def chunk_pending(
    database: Database,
    corpus_id: int,
    *,
    embedder_spans: Spans,
    max_tokens: int = 256,
    overlap: float = 0.15,
    progress: Callable[[int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> int:
    """Give every document of a corpus that has no raw unit its chunks; return how many documents got them.

    Each batch is one transaction, so an interrupted call goes on where it stopped. ``progress`` receives the number
    of documents done so far.
    """
    cut = chunker(embedder_spans, max_tokens, overlap)
    assert cut is not None
    done = last = 0
    without = ~exists().where(Unit.document_id == Document.id, Unit.kind == "raw")
    while not (cancelled is not None and cancelled()):
        with database.session() as session:
            query = (
                select(Document.id, Document.text)
                .where(Document.corpus_id == corpus_id, Document.id > last, without)
                .order_by(Document.id)
                .limit(_BATCH)
            )
            found = [(row.id, row.text) for row in session.execute(query)]
            if not found:
                break
            add_units(session, corpus_id, found, cut)
        last = found[-1][0]
        done += len(found)
        if progress is not None:
            progress(done)
    return done


__all__ = ["chunk_pending"]
