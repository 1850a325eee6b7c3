"""Streams tables out of SQL for export, one row at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Select, select

from store.database import Database
from store.repository import attributes_of
from store.tables import (
    Answer,
    Author,
    AuthorAttribute,
    Document,
    Entity,
    Opinion,
    QuarantinedRow,
    Source,
    Stance,
)

_STATEMENTS: dict[str, Select[*tuple[Any, ...]]] = {
    "documents": select(
        Document.external_id.label("id"),
        Source.name.label("source"),
        Document.title,
        Document.text,
        Document.url,
        Document.subject,
        Document.date,
        Document.rating,
        Author.key.label("author"),
    )
    .join(Source, Source.id == Document.source_id)
    .outerjoin(Author, Author.id == Document.author_id)
    .order_by(Document.id),
    "opinions": select(
        Document.external_id.label("document"),
        Entity.key.label("entity"),
        Opinion.sentiment,
        Opinion.intensity,
        Opinion.score,
        Opinion.impact,
        Opinion.markers,
        Opinion.evidence,
        Opinion.quote,
        Opinion.start,
        Opinion.end,
        Opinion.confidence,
        Opinion.extractor,
    )
    .join(Document, Document.id == Opinion.document_id)
    .join(Entity, Entity.id == Opinion.entity_id)
    .order_by(Opinion.id),
    "stances": select(
        Document.external_id.label("document"),
        Entity.key.label("entity"),
        Stance.score,
        Stance.impact,
        Stance.markers,
        Stance.evidence,
        Stance.opinions,
        Stance.confidence,
        Stance.extractor,
    )
    .join(Document, Document.id == Stance.document_id)
    .join(Entity, Entity.id == Stance.entity_id)
    .order_by(Stance.document_id, Stance.entity_id),
    "answers": select(Answer.id, Answer.created_at, Answer.state, Answer.question, Answer.text).order_by(
        Answer.created_at, Answer.id
    ),
    "quarantine": select(
        Source.name.label("source"),
        QuarantinedRow.row_number.label("row"),
        QuarantinedRow.reason,
        QuarantinedRow.attempts,
        QuarantinedRow.raw,
    )
    .join(Source, Source.id == QuarantinedRow.source_id)
    .order_by(QuarantinedRow.id),
}
_OWNERS = {
    "documents": Document.corpus_id,
    "opinions": Opinion.corpus_id,
    "stances": Stance.corpus_id,
    "answers": Answer.corpus_id,
    "quarantine": QuarantinedRow.corpus_id,
}


def rows_of(database: Database, corpus_id: int, what: str) -> tuple[Sequence[str], Iterator[Sequence[Any]]]:
    """Return the columns of a table, and its rows as they come from the database.

    Documents have further columns: ``author.NAME`` of every author attribute, ``kept.NAME`` of every column kept as
    it was.
    """
    if what == "documents":
        return _documents(database, corpus_id)
    statement = _STATEMENTS[what].where(_OWNERS[what] == corpus_id)
    columns = _names(statement)

    def rows() -> Iterator[Sequence[Any]]:
        with database.session() as session:
            for row in session.execute(statement.execution_options(yield_per=1000)):
                yield [", ".join(value) if isinstance(value, list) else value for value in row]

    return columns, rows()


def _documents(database: Database, corpus_id: int) -> tuple[Sequence[str], Iterator[Sequence[Any]]]:
    with database.session() as session:
        attributes = session.scalars(
            select(AuthorAttribute.name)
            .join(Author, Author.id == AuthorAttribute.author_id)
            .where(Author.corpus_id == corpus_id)
            .distinct()
            .order_by(AuthorAttribute.name)
        ).all()
        kept: dict[str, None] = {}
        extras = select(Document.extra).where(Document.corpus_id == corpus_id)
        for extra in session.scalars(extras.execution_options(yield_per=1000)):
            kept.update(dict.fromkeys(extra or {}))
    base = _STATEMENTS["documents"].where(Document.corpus_id == corpus_id)
    columns = [*_names(base), *(f"author.{name}" for name in attributes), *(f"kept.{name}" for name in kept)]

    def rows() -> Iterator[Sequence[Any]]:
        statement = base.add_columns(Document.id, Document.extra).execution_options(yield_per=500)
        with database.session() as session:
            for part in session.execute(statement).partitions():
                known = attributes_of(session, [row[-2] for row in part])
                for *cells, document_id, extra in part:
                    of_author = known.get(document_id, {})
                    yield [
                        *cells,
                        *(of_author.get(name, "") for name in attributes),
                        *((extra or {}).get(name, "") for name in kept),
                    ]

    return columns, rows()


def _names(statement: Select[*tuple[Any, ...]]) -> list[str]:
    return [str(column.key) for column in statement.selected_columns]


__all__ = ["rows_of"]
