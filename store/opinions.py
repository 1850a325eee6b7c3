"""Populations and pools of opinions in SQL: who said what about an entity, restricted by what the question states."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVarTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from store.breakdowns import Axis, Breakdown, row_of, statement
from store.database import Database
from store.records import BINS
from store.repository import CorpusRecord
from store.tables import Author, AuthorAttribute, Document, Opinion, Stance

_Columns = TypeVarTuple("_Columns")
_COMPARE: dict[str, Callable[[Any, float], Any]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_QUOTED = re.compile(r"('(?:[^']|'')*')")


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Restrictions on documents; an empty filter restricts nothing.

    ``attributes`` maps an author attribute to the values allowed; dates are ISO, both ends included. ``rating`` holds
    comparisons with the document's own rating, such as ``(">=", 4.0)``; documents without one meet none.
    """

    subjects: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rating: tuple[tuple[str, float], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.subjects or self.since or self.until or self.attributes or self.rating)


@dataclass(frozen=True, slots=True)
class StancePool:
    """The documents with an opinion on the entities asked for: aligned arrays of length n, by document id."""

    document_ids: NDArray[np.int64]
    scores: NDArray[np.int64]
    impacts: NDArray[np.int64]
    confidences: NDArray[np.float64]
    dates: tuple[str, ...]
    ratings: NDArray[np.float64]
    lengths: NDArray[np.int64]
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: Ratings on their own scales, 0 the lowest that can be given and 1 the highest; nan without one.
    levels: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.document_ids)

    @property
    def counts(self) -> tuple[int, ...]:
        """Documents by bin, -30 ... +30."""
        return tuple(int(n) for n in np.bincount((self.scores + 30) // 10, minlength=len(BINS)))


@dataclass(frozen=True, slots=True)
class Quote:
    """One opinion unit of a document, as it is cited."""

    document_id: int
    entity_id: int
    quote: str
    start: int
    end: int
    score: int
    confidence: float
    markers: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class Counted:
    """A number from SQL: documents that hold, of all documents asked about, with the statement that counted them."""

    value: int
    total: int
    sql: str


class OpinionStore:
    """Reads opinions; all counting that an answer states is done here."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cached_attributes: tuple[tuple[int, int], dict[str, dict[int, str]]] | None = None

    def pool(
        self,
        corpus: CorpusRecord,
        entity_ids: Sequence[int],
        extractor: str,
        where: DocumentFilter | None = None,
    ) -> StancePool:
        """Return every document with a stance on any of the entities (several: its mean stance, in bins)."""
        statement = (
            select(
                Stance.document_id,
                Stance.score,
                Stance.impact,
                Stance.confidence,
                Document.date,
                Document.rating,
                func.length(Document.text),
                Document.author_id,
                Document.rating_min,
                Document.rating_max,
            )
            .join(Document, Document.id == Stance.document_id)
            .where(
                Stance.corpus_id == corpus.id,
                Stance.extractor == extractor,
                Stance.entity_id.in_(list(entity_ids)),
            )
            .order_by(Stance.document_id)
        )
        if where:
            statement = restrict(statement, where)
        with self._database.session() as session:
            rows = session.execute(statement).all()
            attributes = self._attributes(session, corpus) if rows else {}
        return _pool(rows, attributes, merge=len(entity_ids) > 1)

    def stance_details(
        self, document_ids: Sequence[int], entity_ids: Sequence[int], extractor: str
    ) -> list[tuple[list[str], str]]:
        """Return the emotional markers and the evidence type of these documents' stances on the entities."""
        with self._database.session() as session:
            rows = session.execute(
                select(Stance.markers, Stance.evidence).where(
                    Stance.document_id.in_([int(i) for i in document_ids]),
                    Stance.entity_id.in_(list(entity_ids)),
                    Stance.extractor == extractor,
                )
            )
            return list(rows.all())

    def quotes(self, document_ids: Sequence[int], entity_ids: Sequence[int], extractor: str) -> list[Quote]:
        """Return the opinion units of these documents on these entities, by document and place."""
        with self._database.session() as session:
            rows = session.scalars(
                select(Opinion)
                .where(
                    Opinion.document_id.in_([int(i) for i in document_ids]),
                    Opinion.entity_id.in_(list(entity_ids)),
                    Opinion.extractor == extractor,
                )
                .order_by(Opinion.document_id, Opinion.start)
            ).all()
        return [
            Quote(
                o.document_id,
                o.entity_id,
                o.quote,
                o.start,
                o.end,
                o.score,
                o.confidence,
                tuple(o.markers),
                o.evidence,
            )
            for o in rows
        ]

    def samples(self, entity_id: int, extractor: str, each: int) -> list[tuple[str, str, int]]:
        """Return the surest quotes of each side of an entity as (document's external id, quote, score)."""
        found: list[tuple[str, str, int]] = []
        with self._database.session() as session:
            for side in (Opinion.score > 0, Opinion.score == 0, Opinion.score < 0):
                rows = session.execute(
                    select(Document.external_id, Opinion.quote, Opinion.score)
                    .join(Document, Document.id == Opinion.document_id)
                    .where(Opinion.entity_id == entity_id, Opinion.extractor == extractor, side)
                    .order_by(Opinion.confidence.desc(), Opinion.id)
                    .limit(each)
                )
                found.extend(rows.all())
        return found

    def count(
        self,
        corpus_id: int,
        entity_ids: Sequence[int],
        extractor: str,
        where: DocumentFilter,
        side: str | None,
    ) -> Counted:
        """Count documents: with a view on the entities, or of a side on them, among those the filter lets through.

        With a side the total is the documents that hold any view on the entities; without one, the documents that the
        filter lets through (of any rating, where a rating is asked about: "how many 5 star reviews"), and all documents
        where nothing else is asked about: "how many reviews are from Lisbon".
        Several stances of one document count once, by the bin of their mean, as in ``pool``.
        """
        documents = select(func.count()).select_from(Document).where(Document.corpus_id == corpus_id)
        everything = restrict(documents, where)
        views = (
            select(Document.id, func.avg(Stance.score).label("score"))
            .join(Stance, Stance.document_id == Document.id)
            .where(Document.corpus_id == corpus_id)
            .group_by(Document.id)
        )
        if extractor:
            views = views.where(Stance.extractor == extractor)
        if entity_ids:
            views = views.where(Stance.entity_id.in_(list(entity_ids)))
        held = restrict(views, where).subquery("views")
        holding = select(func.count()).select_from(held)
        if side is None:
            asked, of = (holding, everything) if entity_ids else (everything, everything)
            if where.rating and not entity_ids:
                of = restrict(documents, replace(where, rating=()))
            elif not entity_ids:
                of = documents
        else:
            # A mean halfway to the next bin belongs to the one nearer to neutral (``to_bin``).
            asked = holding.where(held.c.score > 5 if side == "positive" else held.c.score < -5)
            of = holding
        with self._database.session() as session:
            value = session.execute(asked).scalar_one()
            total = session.execute(of).scalar_one()
        return Counted(value, total, self._shown(asked))

    def count_authors(self, corpus_id: int, where: DocumentFilter) -> Counted:
        """Count the distinct authors of the documents that the filter lets through, of all authors with documents.

        Documents that do not name their author add none. A name with two sets of attributes is one author.
        """
        authors = (
            select(func.count(Author.key.distinct()))
            .select_from(Document)
            .join(Author, Author.id == Document.author_id)
            .where(Document.corpus_id == corpus_id, Author.key != "")
        )
        asked = restrict(authors, where)
        with self._database.session() as session:
            value = session.execute(asked).scalar_one()
            total = session.execute(authors).scalar_one()
        return Counted(value, total, self._shown(asked))

    def mean_rating(
        self, corpus_id: int, entity_ids: Sequence[int], extractor: str, where: DocumentFilter
    ) -> tuple[float, Counted]:
        """Return the mean of the documents' own ratings (nan without any), and how many carry one, of how many.

        With entities only documents with a view on any of them are taken.
        """
        documents = (
            select(func.count(Document.id), func.count(Document.rating), func.avg(Document.rating))
            .select_from(Document)
            .where(Document.corpus_id == corpus_id)
        )
        if entity_ids:
            held = select(Stance.document_id).where(
                Stance.entity_id.in_(list(entity_ids)), Stance.extractor == extractor
            )
            documents = documents.where(Document.id.in_(held))
        asked = restrict(documents, where)
        with self._database.session() as session:
            total, rated, mean = session.execute(asked).one()
        return float("nan") if mean is None else float(mean), Counted(rated, total, self._shown(asked))

    def breakdown(
        self,
        corpus_id: int,
        axis: Axis,
        entity_ids: Sequence[int] | None,
        extractor: str,
        where: DocumentFilter,
    ) -> Breakdown:
        """Count the documents that the filter lets through by the values of one column, in one statement.

        ``entity_ids`` are those whose views are counted: all where it is empty, none where it is None.
        """
        asked = restrict(statement(axis, corpus_id, entity_ids, extractor), where)
        with self._database.session() as session:
            rows = session.execute(asked).mappings().all()
        return Breakdown(tuple(row_of(row) for row in rows), self._shown(asked))

    def rated(self, corpus_id: int) -> bool:
        """Return whether any document of the corpus carries a rating."""
        statement = select(Document.id).where(Document.corpus_id == corpus_id, Document.rating.is_not(None))
        with self._database.session() as session:
            return session.execute(statement.limit(1)).first() is not None

    def matching(self, corpus_id: int, where: DocumentFilter) -> NDArray[np.int64]:
        """Return the ids of the documents that a filter lets through, in order."""
        statement = select(Document.id).where(Document.corpus_id == corpus_id).order_by(Document.id)
        with self._database.session() as session:
            ids = session.scalars(restrict(statement, where)).all()
        return np.asarray(ids, dtype=np.int64)

    def _shown(self, statement: Select[*_Columns]) -> str:
        """Return a statement on one line with its values in it, fit to be pasted; what is executed binds them."""
        # Drivers that write parameters with `%` would have it doubled in texts.
        kind: Any = type(self._database.engine.dialect)
        dialect = kind(paramstyle="named")
        sql = str(statement.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
        # Quoted texts, at the odd places, keep their spaces.
        parts = _QUOTED.split(sql)
        parts[::2] = [re.sub(r"\s+", " ", part) for part in parts[::2]]
        return "".join(parts).strip()

    def _attributes(self, session: Session, corpus: CorpusRecord) -> dict[str, dict[int, str]]:
        key = (corpus.id, corpus.revision)
        if self._cached_attributes is not None and self._cached_attributes[0] == key:
            return self._cached_attributes[1]
        found: dict[str, dict[int, str]] = {}
        rows = session.execute(
            select(AuthorAttribute.author_id, AuthorAttribute.name, AuthorAttribute.value)
            .join(Author, Author.id == AuthorAttribute.author_id)
            .where(Author.corpus_id == corpus.id)
        )
        for author_id, name, value in rows:
            found.setdefault(name, {})[author_id] = value
        self._cached_attributes = (key, found)
        return found


def restrict(statement: Select[*_Columns], where: DocumentFilter) -> Select[*_Columns]:
    """Add a filter's conditions to a statement that selects from ``documents``."""
    if where.subjects:
        statement = statement.where(Document.subject.in_(where.subjects))
    if where.since:
        statement = statement.where(Document.date != "", Document.date >= where.since)
    if where.until:
        statement = statement.where(Document.date != "", Document.date <= where.until)
    for sign, bound in where.rating:
        statement = statement.where(_COMPARE[sign](Document.rating, bound))
    for name, values in where.attributes:
        statement = statement.where(
            select(AuthorAttribute.author_id)
            .where(
                and_(
                    AuthorAttribute.author_id == Document.author_id,
                    AuthorAttribute.name == name,
                    AuthorAttribute.value.in_(values),
                )
            )
            .exists()
        )
    return statement


def to_bin(value: float) -> int:
    """Return the opinion bin nearest to a mean score; halfway goes towards neutral."""
    magnitude = int(np.ceil(abs(value) / 10 - 0.5)) * 10
    return int(np.sign(value)) * min(magnitude, 30)


def _pool(rows: Sequence[Any], attributes: dict[str, dict[int, str]], *, merge: bool) -> StancePool:
    if merge:
        rows = _merged(rows)
    authors = [row[7] for row in rows]
    return StancePool(
        document_ids=np.asarray([row[0] for row in rows], dtype=np.int64),
        scores=np.asarray([row[1] for row in rows], dtype=np.int64),
        impacts=np.asarray([row[2] for row in rows], dtype=np.int64),
        confidences=np.asarray([row[3] for row in rows], dtype=np.float64),
        dates=tuple(row[4] for row in rows),
        ratings=np.asarray([np.nan if row[5] is None else row[5] for row in rows], dtype=np.float64),
        lengths=np.asarray([row[6] for row in rows], dtype=np.int64),
        groups={
            name: tuple(values.get(author, "") for author in authors)
            for name, values in sorted(attributes.items())
        },
        levels=np.asarray([_level(row[5], row[8], row[9]) for row in rows], dtype=np.float64),
    )


def _level(rating: float | None, low: float | None, high: float | None) -> float:
    if rating is None or low is None or high is None or high <= low:
        return float("nan")
    return (rating - low) / (high - low)


def _merged(rows: Sequence[Any]) -> list[Any]:
    by_document: dict[int, list[Any]] = {}
    for row in rows:
        by_document.setdefault(row[0], []).append(row)
    return [
        (
            document_id,
            to_bin(sum(r[1] for r in found) / len(found)),
            max(r[2] for r in found),
            min(r[3] for r in found),
            *found[0][4:],
        )
        for document_id, found in by_document.items()
    ]


__all__ = ["Counted", "DocumentFilter", "OpinionStore", "Quote", "StancePool", "restrict", "to_bin"]
