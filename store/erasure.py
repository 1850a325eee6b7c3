"""Erases documents so that not a byte of them stays: rows, orphaned vectors and authors, free pages, conversations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import delete, exists, select, text
from sqlalchemy.exc import DatabaseError

from store.database import Database, translate
from store.errors import WorkspaceBusy
from store.repository import Repository, in_parts
from store.tables import Author, Document, Embedding, ModelCall, QuarantinedRow, Unit


def erase(database: Database, document_ids: Sequence[int], checkpoints: Path | None = None) -> None:
    """Delete the documents, the vectors of texts and the authors that nothing else holds, and compact the file.

    Quarantined rows of the same sources are raw text that may be the person's: those with the same author or id are
    not told apart, so the quarantine of the sources concerned is emptied. Cached model replies may quote any text and
    are dropped. The caller deletes the answers that cite the documents (``AnswerStore.delete_citing``) before, and
    rebuilds the indexes after (``Indexer.forget_indexes`` and ``bring_up``).

    Parameters
    ----------
    checkpoints
        SQLite file of the conversations' checkpoints. They hold answers with their quotes, so it is deleted whole;
        None where there is none.

    Raises
    ------
    WorkspaceBusy
        Another process is reading the database, so its bytes could not be released; nothing was deleted.
    """
    _empty_log(database)
    with database.session() as session:
        sources: set[int] = set()
        for part in in_parts(document_ids):
            sources.update(
                session.scalars(select(Document.source_id).where(Document.id.in_(part)).distinct())
            )
        session.execute(delete(QuarantinedRow).where(QuarantinedRow.source_id.in_(sources)))
        session.execute(delete(ModelCall))
    Repository(database).delete_documents(document_ids)
    with database.session() as session:
        session.execute(delete(Embedding).where(~exists().where(Unit.text_hash == Embedding.text_hash)))
        session.execute(delete(Author).where(~exists().where(Document.author_id == Author.id)))
    _compact(database)
    if checkpoints is not None:
        for suffix in ("", "-wal", "-shm"):
            checkpoints.with_name(checkpoints.name + suffix).unlink(missing_ok=True)


def _compact(database: Database) -> None:
    """Rewrite the file without its free pages, and empty the write-ahead log."""
    try:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM"))
    except DatabaseError as error:
        raise translate(error, database.shown_url) from error
    _empty_log(database)


def _empty_log(database: Database) -> None:
    if not database.is_sqlite:
        return
    try:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            busy = connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)")).one()[0]
    except DatabaseError as error:
        raise translate(error, database.shown_url) from error
    if busy:
        raise WorkspaceBusy(
            f"another process reads the database {database.shown_url}, so its log cannot be emptied",
            "close it and run again",
        )


__all__ = ["erase"]
