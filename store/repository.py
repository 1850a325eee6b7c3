"""Corpora, documents, authors and sources in SQL: everything that is read about what was ingested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from store.database import Database
from store.errors import UsageError
from store.records import DocumentRecord
from store.tables import (
    Author,
    AuthorAttribute,
    Corpus,
    Document,
    EnrichmentWork,
    QuarantinedRow,
    Source,
    Unit,
    UnitTombstone,
)

#: Ids in one `IN (...)`.
IN_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class CorpusRecord:
    """One corpus and how far it is."""

    id: int
    name: str
    documents: int
    embedder: str
    extractor: str
    revision: int


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """One source with its books."""

    name: str
    location: str
    kind: str
    state: str
    rows_read: int
    rows_new: int
    rows_updated: int
    rows_unchanged: int
    rows_quarantined: int
    rows_removed: int


@dataclass(frozen=True, slots=True)
class QuarantineRecord:
    """One row that could not become a document."""

    source: str
    row: int
    reason: str
    raw: str
    attempts: int


class Repository:
    """Reads and small writes on corpora, documents and authors."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- corpora

    def create_corpus(self, name: str) -> int:
        """Return the id of the corpus of that name, creating it if need be."""
        if not name.strip() or len(name) > 200:
            raise UsageError("a corpus needs a name of 1 to 200 characters")
        with self._database.session() as session:
            found = session.scalar(select(Corpus.id).where(Corpus.name == name))
            if found is None:
                corpus = Corpus(name=name)
                session.add(corpus)
                session.flush()
                found = corpus.id
            return found

    def corpora(self) -> list[CorpusRecord]:
        """All corpora, by name."""
        counts = select(Document.corpus_id, func.count().label("n")).group_by(Document.corpus_id).subquery()
        with self._database.session() as session:
            rows = session.execute(
                select(Corpus, func.coalesce(counts.c.n, 0))
                .outerjoin(counts, counts.c.corpus_id == Corpus.id)
                .order_by(Corpus.name)
            ).all()
        return [CorpusRecord(c.id, c.name, n, c.embedder, c.extractor, c.revision) for c, n in rows]

    def corpus(self, name: str = "") -> CorpusRecord:
        """Return the corpus of that name; without a name, the only one.

        Raises
        ------
        UsageError
            There is no such corpus, or the name is needed because there are several.
        """
        found = self.corpora()
        if not name:
            if len(found) == 1:
                return found[0]
            if not found:
                raise UsageError("there is no corpus yet", "run `evenhand ingest FILE`")
            names = ", ".join(f"`{c.name}`" for c in found[:8])
            raise UsageError(f"there are {len(found)} corpora", f"choose one with --corpus: {names}")
        for corpus in found:
            if corpus.name == name:
                return corpus
        from difflib import get_close_matches

        near = get_close_matches(name, [c.name for c in found], 1)
        hint = f"did you mean `{near[0]}`?" if near else "`evenhand doctor` lists the corpora"
        raise UsageError(f"there is no corpus `{name}`", hint)

    def touch(self, corpus_id: int, *, extractor: str | None = None) -> None:
        """Raise the corpus' revision: something that answers depend on has changed."""
        values: dict[str, object] = {"revision": Corpus.revision + 1}
        if extractor is not None:
            values["extractor"] = extractor
        with self._database.session() as session:
            session.execute(update(Corpus).where(Corpus.id == corpus_id).values(values))

    @contextmanager
    def dropped_if_empty(self, corpus_id: int) -> Iterator[None]:
        """Delete the corpus again when the block fails and left no document in it."""
        try:
            yield
        except Exception:
            if not self.count_documents(corpus_id):
                self.delete_corpus(corpus_id)
            raise

    def delete_corpus(self, corpus_id: int) -> None:
        """Delete a corpus with everything in it (the caller removes its indexes)."""
        with self._database.session() as session:
            session.execute(delete(Corpus).where(Corpus.id == corpus_id))

    # -- documents

    def documents(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Return documents with their author attributes, by id; unknown ids are left out."""
        found: dict[int, DocumentRecord] = {}
        attributes = self.attributes_of(ids)
        with self._database.session() as session:
            for part in in_parts(ids):
                rows = session.execute(
                    select(Document, Author.key)
                    .outerjoin(Author, Author.id == Document.author_id)
                    .where(Document.id.in_(part))
                )
                for document, author in rows:
                    found[document.id] = DocumentRecord(
                        id=document.id,
                        corpus_id=document.corpus_id,
                        external_id=document.external_id,
                        text=document.text,
                        title=document.title,
                        url=document.url,
                        subject=document.subject,
                        date=document.date,
                        rating=document.rating,
                        author=author or "",
                        attributes=attributes.get(document.id, {}),
                    )
        return found

    def attributes_of(self, ids: Sequence[int]) -> dict[int, dict[str, str]]:
        """Return the author attributes of documents, by document id."""
        with self._database.session() as session:
            return attributes_of(session, ids)

    def count_enriched(self, corpus_id: int, extractor: str) -> int:
        """Return how many documents the extractor has read as they are now, those it set aside included.

        A document that changes loses its entry: the index alone is counted.
        """
        statement = (
            select(func.count())
            .select_from(EnrichmentWork)
            .where(
                EnrichmentWork.corpus_id == corpus_id,
                EnrichmentWork.extractor == extractor,
                EnrichmentWork.state.in_(("done", "set-aside")),
            )
        )
        with self._database.session() as session:
            return session.execute(statement).scalar_one()

    def count_documents(self, corpus_id: int) -> int:
        """Return the number of documents of a corpus."""
        with self._database.session() as session:
            return session.execute(
                select(func.count()).select_from(Document).where(Document.corpus_id == corpus_id)
            ).scalar_one()

    def attribute_values(self, corpus_id: int, limit: int = 500) -> dict[str, list[str]]:
        """Return each author attribute's values, most frequent first (at most ``limit`` each)."""
        values: dict[str, list[str]] = {}
        with self._database.session() as session:
            rows = session.execute(
                select(AuthorAttribute.name, AuthorAttribute.value, func.count().label("n"))
                .join(Author, Author.id == AuthorAttribute.author_id)
                .where(Author.corpus_id == corpus_id)
                .group_by(AuthorAttribute.name, AuthorAttribute.value)
                .order_by(AuthorAttribute.name, func.count().desc(), AuthorAttribute.value)
            )
            for name, value, _ in rows:
                found = values.setdefault(name, [])
                if len(found) < limit:
                    found.append(value)
        return values

    def subjects(self, corpus_id: int) -> list[str]:
        """Return the reviewed things, most reviewed first."""
        with self._database.session() as session:
            rows = session.execute(
                select(Document.subject)
                .where(Document.corpus_id == corpus_id, Document.subject != "")
                .group_by(Document.subject)
                .order_by(func.count().desc(), Document.subject)
            )
            return [subject for (subject,) in rows]

    def subject_columns(self, corpus_id: int) -> list[str]:
        """Return what the sources call the column of the reviewed things."""
        with self._database.session() as session:
            mappings = session.scalars(
                select(Source.mapping).where(Source.corpus_id == corpus_id).order_by(Source.id)
            ).all()
        return list(dict.fromkeys(name for each in mappings if (name := str(each.get("subject") or ""))))

    def find_documents(self, corpus_id: int, *, external_id: str = "", author: str = "") -> list[int]:
        """Return the ids of documents with that external id, or of that author; of both, where both are given.

        Raises
        ------
        UsageError
            Neither is given.
        """
        if not external_id and not author:
            raise UsageError("nothing to look for", "name a document or an author")
        statement = select(Document.id).where(Document.corpus_id == corpus_id)
        if external_id:
            statement = statement.where(Document.external_id == external_id)
        if author:
            statement = statement.join(Author, Author.id == Document.author_id).where(Author.key == author)
        with self._database.session() as session:
            return list(session.scalars(statement.order_by(Document.id)).all())

    def delete_documents(self, ids: Sequence[int]) -> int:
        """Delete documents with all that hangs on them; their units leave tombstones for the indexer.

        Returns
        -------
        int
            How many of them there were.
        """
        deleted = 0
        with self._database.session() as session:
            for part in in_parts(ids):
                units = session.execute(
                    select(Unit.id, Unit.corpus_id, Unit.kind).where(Unit.document_id.in_(part))
                ).all()
                session.add_all(UnitTombstone(unit_id=u, corpus_id=c, kind=k) for u, c, k in units)
                session.flush()
                gone = session.execute(delete(Document).where(Document.id.in_(part)).returning(Document.id))
                deleted += len(gone.all())
        return deleted

    def mentioning(self, corpus_id: int, words: Sequence[str], limit: int) -> list[int]:
        """Return the ids of documents whose text holds every word, somewhere, whatever its case; at most ``limit``."""
        statement = select(Document.id).where(Document.corpus_id == corpus_id)
        for word in words:
            statement = statement.where(func.lower(Document.text).contains(word.lower(), autoescape=True))
        with self._database.session() as session:
            return list(session.scalars(statement.order_by(Document.id).limit(limit)).all())

    # -- sources

    def sources(self, corpus_id: int) -> list[SourceRecord]:
        """Return the sources of a corpus with their books."""
        with self._database.session() as session:
            rows = session.scalars(
                select(Source).where(Source.corpus_id == corpus_id).order_by(Source.id)
            ).all()
        return [
            SourceRecord(
                s.name,
                s.location,
                s.kind,
                s.state,
                s.rows_read,
                s.rows_new,
                s.rows_updated,
                s.rows_unchanged,
                s.rows_quarantined,
                s.rows_removed,
            )
            for s in rows
        ]

    def quarantine(self, corpus_id: int, limit: int = 1000) -> list[QuarantineRecord]:
        """Return quarantined rows, oldest first."""
        with self._database.session() as session:
            rows = session.execute(
                select(Source.name, QuarantinedRow)
                .join(Source, Source.id == QuarantinedRow.source_id)
                .where(QuarantinedRow.corpus_id == corpus_id)
                .order_by(QuarantinedRow.id)
                .limit(limit)
            ).all()
        return [QuarantineRecord(name, q.row_number, q.reason, q.raw, q.attempts) for name, q in rows]


def attributes_of(session: Session, ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """Return the author attributes of documents, by document id."""
    found: dict[int, dict[str, str]] = {}
    for part in in_parts(ids):
        rows = session.execute(
            select(Document.id, AuthorAttribute.name, AuthorAttribute.value)
            .join(AuthorAttribute, AuthorAttribute.author_id == Document.author_id)
            .where(Document.id.in_(part))
        )
        for document_id, name, value in rows:
            found.setdefault(document_id, {})[name] = value
    return found


def in_parts(ids: Sequence[int]) -> list[list[int]]:
    """Cut ids into lists that fit one statement: databases limit its parameters."""
    return [[int(i) for i in ids[first : first + IN_LIMIT]] for first in range(0, len(ids), IN_LIMIT)]


__all__ = ["CorpusRecord", "QuarantineRecord", "Repository", "SourceRecord", "attributes_of", "in_parts"]
