"""Reads for looking around: documents under filters a page at a time, one document with its opinions, corpora."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVarTuple

from sqlalchemy import Select, distinct, func, literal, or_, select
from sqlalchemy.orm import Session

from store.database import Database
from store.errors import UsageError
from store.opinions import DocumentFilter, restrict
from store.tables import Author, Corpus, Document, Entity, Opinion, Source, Stance

_Columns = TypeVarTuple("_Columns")

#: Characters of a text that a listing holds.
SNIPPET = 400


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """Which documents to list: every condition must hold, empty ones restrict nothing.

    Attributes
    ----------
    words
        Each must occur in text, title, subject or id, whatever its case.
    where
        Subjects, dates, author attributes.
    author
        The author's key.
    entity
        Id of an entity that the document must hold a view on; ``side`` (-1, 0, 1) says which view.
    """

    words: tuple[str, ...] = ()
    where: DocumentFilter = field(default_factory=DocumentFilter)
    author: str = ""
    entity: int | None = None
    side: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One document as listed: ``text`` is its beginning, ``score`` its stance on the entity asked for."""

    id: int
    external_id: str
    title: str
    text: str
    subject: str
    date: str
    rating: float | None
    author: str
    score: int | None


@dataclass(frozen=True, slots=True)
class DocumentOpinion:
    """One opinion unit of a document."""

    entity: str
    quote: str
    start: int
    end: int
    score: int
    evidence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class CorpusLine:
    """One corpus as listed: how much of it is enriched, and what was found."""

    name: str
    documents: int
    enriched: int
    entities: int
    opinions: int
    embedder: str


class Browser:
    """Looks around in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def documents(
        self, corpus_id: int, query: DocumentQuery, extractor: str, limit: int, offset: int = 0
    ) -> tuple[int, list[DocumentLine]]:
        """Return how many documents match, and one page of them, in order of their ids."""
        score: Any = Stance.score if query.entity is not None else literal(None)
        columns = select(
            Document.id,
            Document.external_id,
            func.substr(Document.title, 1, SNIPPET),
            func.substr(Document.text, 1, SNIPPET),
            Document.subject,
            Document.date,
            Document.rating,
            func.coalesce(Author.key, ""),
            score,
        )
        listed = self._matching(columns, corpus_id, query, extractor)
        counted = self._matching(select(func.count()).select_from(Document), corpus_id, query, extractor)
        with self._database.session() as session:
            total = session.execute(counted).scalar_one()
            rows = session.execute(listed.order_by(Document.id).limit(limit).offset(offset)).all()
        return total, [DocumentLine(*row) for row in rows]

    def opinions(self, document_id: int, extractor: str) -> list[DocumentOpinion]:
        """Return the opinion units of a document by their place."""
        with self._database.session() as session:
            rows = session.execute(
                select(
                    Entity.name,
                    Opinion.quote,
                    Opinion.start,
                    Opinion.end,
                    Opinion.score,
                    Opinion.evidence,
                    Opinion.confidence,
                )
                .join(Entity, Entity.id == Opinion.entity_id)
                .where(Opinion.document_id == document_id, Opinion.extractor == extractor)
                .order_by(Opinion.start, Entity.name)
            ).all()
        return [DocumentOpinion(*row) for row in rows]

    def source(self, document_id: int) -> str:
        """Return the name of the source that a document came from.

        Raises
        ------
        UsageError
            There is no such document.
        """
        with self._database.session() as session:
            name = session.scalar(
                select(Source.name)
                .join(Document, Document.source_id == Source.id)
                .where(Document.id == document_id)
            )
        if name is None:
            raise UsageError(f"there is no document {document_id}", "it was removed or erased meanwhile")
        return name

    def corpora(self) -> list[CorpusLine]:
        """Return every corpus by name, counted with the labels that its answers use."""
        with self._database.session() as session:
            found = session.scalars(select(Corpus).order_by(Corpus.name)).all()
            lines = []
            for corpus in found:
                extractor = corpus.extractor or "lexical"
                mine = (Opinion.corpus_id == corpus.id, Opinion.extractor == extractor)
                lines.append(
                    CorpusLine(
                        corpus.name,
                        _count(session, select(func.count()).where(Document.corpus_id == corpus.id)),
                        _count(session, select(func.count(distinct(Opinion.document_id))).where(*mine)),
                        _count(
                            session,
                            select(func.count()).where(
                                Entity.corpus_id == corpus.id, Entity.state == "active"
                            ),
                        ),
                        _count(session, select(func.count()).select_from(Opinion).where(*mine)),
                        corpus.embedder,
                    )
                )
        return lines

    def _matching(
        self, statement: Select[*_Columns], corpus_id: int, query: DocumentQuery, extractor: str
    ) -> Select[*_Columns]:
        statement = statement.outerjoin(Author, Author.id == Document.author_id)
        if query.entity is not None:
            statement = statement.join(Stance, Stance.document_id == Document.id).where(
                Stance.entity_id == query.entity, Stance.extractor == extractor
            )
            if query.side is not None:
                statement = statement.where(_SIDES[query.side])
        statement = restrict(statement.where(Document.corpus_id == corpus_id), query.where)
        if query.author:
            statement = statement.where(Author.key == query.author)
        for word in query.words:
            places = (Document.text, Document.title, Document.subject, Document.external_id)
            statement = statement.where(
                or_(*(func.lower(place).contains(word.lower(), autoescape=True) for place in places))
            )
        return statement


_SIDES = {-1: Stance.score < 0, 0: Stance.score == 0, 1: Stance.score > 0}


def _count(session: Session, statement: Select[int]) -> int:
    return int(session.execute(statement).scalar_one())


__all__ = ["SNIPPET", "Browser", "CorpusLine", "DocumentLine", "DocumentOpinion", "DocumentQuery"]
