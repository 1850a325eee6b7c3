"""Counts by the values of one column, in one SQL statement: who complains most, how ratings spread, what changed when.

The columns are an author attribute, the reviewed thing, the entity, the date (by year, quarter, month or day) and the
document's own rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import Integer, Select, String, case, cast, func, select
from sqlalchemy.orm import aliased

from store.tables import AuthorAttribute, Document, Entity, Stance

AxisKind: TypeAlias = Literal["attribute", "subject", "entity", "date", "rating"]
#: Under a name of its own: a filter on the same attribute asks the table by itself.
_TOLD: Final = aliased(AuthorAttribute, name="told")
#: Characters of an ISO date that tell a unit apart; a quarter is made of its month.
_CUT: Final = {"year": 4, "month": 7, "day": 10}


@dataclass(frozen=True, slots=True)
class Axis:
    """What tells the rows apart; ``name`` is an attribute's name, or a date's unit: year, quarter, month, day."""

    kind: AxisKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The documents of one value.

    Attributes
    ----------
    value
        As the corpus spells it; ``2014-03``, ``2014-Q1`` for dates, ``4.5`` for ratings.
    documents
        Documents that the filter lets through.
    held, positive, negative
        Those with a view on the entities asked for (0 where views were not asked for), and those of a side.
    rated, mean, variance
        Documents with a rating, its mean and its variance over them (n in the denominator); 0.0 without ratings.
    """

    value: str
    documents: int
    held: int = 0
    positive: int = 0
    negative: int = 0
    rated: int = 0
    mean: float = 0.0
    variance: float = 0.0


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The rows by value, in the order of the values, and the statement that counted them."""

    rows: tuple[Row, ...]
    sql: str


def statement(
    axis: Axis, corpus_id: int, entity_ids: Sequence[int] | None, extractor: str
) -> Select[*tuple[Any, ...]]:
    """Return the statement that counts documents by the values of ``axis``, one row a value, not yet restricted.

    Parameters
    ----------
    entity_ids
        Whose views are counted; all entities where it is empty; None where no views are asked for. Several stances of
        one document count once, by the bin of their mean, as in ``OpinionStore.count``. By entity each is by itself.
    """
    if axis.kind == "entity":
        return _by_entity(corpus_id, entity_ids, extractor)
    value = _value(axis)
    counted: Select[*tuple[Any, ...]] = select(
        value.label("value"),
        func.count(Document.id).label("documents"),
        func.count(Document.rating).label("rated"),
        func.avg(Document.rating).label("mean"),
        func.avg(Document.rating * Document.rating).label("square"),
    ).where(Document.corpus_id == corpus_id)
    counted = _joined(counted, axis)
    if entity_ids is not None:
        views = _views(corpus_id, entity_ids, extractor)
        counted = counted.outerjoin(views, views.c.document_id == Document.id)
        counted = counted.add_columns(func.count(views.c.score).label("held"), *_sides(views.c.score))
    return counted.group_by(value).order_by(value)


def row_of(found: Any) -> Row:
    """Return a row of the statement as a ``Row``."""
    values = dict(found)
    mean = float(values["mean"] or 0.0)
    value = values["value"]
    return Row(
        value=f"{value:g}" if isinstance(value, float) else str(value),
        documents=values["documents"],
        held=values.get("held", 0),
        positive=int(values.get("positive", 0) or 0),
        negative=int(values.get("negative", 0) or 0),
        rated=values["rated"],
        mean=mean,
        # Rounding may put it below zero where all ratings are equal.
        variance=max(0.0, float(values["square"] or 0.0) - mean * mean),
    )


def _value(axis: Axis) -> Any:
    if axis.kind == "attribute":
        return _TOLD.value
    if axis.kind == "subject":
        return Document.subject
    if axis.kind == "rating":
        return Document.rating
    if axis.name == "quarter":
        quarter = (cast(func.substr(Document.date, 6, 2), Integer) + 2) // 3
        return func.substr(Document.date, 1, 4, type_=String) + "-Q" + cast(quarter, String)
    return func.substr(Document.date, 1, _CUT[axis.name])


def _joined(counted: Select[*tuple[Any, ...]], axis: Axis) -> Select[*tuple[Any, ...]]:
    """Join what the values come from, and leave out documents without one."""
    if axis.kind == "attribute":
        return (
            counted.select_from(Document)
            .join(_TOLD, _TOLD.author_id == Document.author_id)
            .where(_TOLD.name == axis.name, _TOLD.value != "")
        )
    if axis.kind == "subject":
        return counted.where(Document.subject != "")
    if axis.kind == "rating":
        return counted.where(Document.rating.is_not(None))
    return counted.where(Document.date != "")


def _views(corpus_id: int, entity_ids: Sequence[int], extractor: str) -> Any:
    """Return each document's mean score on the entities, as a subquery of (document_id, score)."""
    views = (
        select(Stance.document_id, func.avg(Stance.score).label("score"))
        .where(Stance.extractor == extractor)
        .group_by(Stance.document_id)
    )
    # Entities are of one corpus: its index would only keep the better one of the entities from being used.
    asked = Stance.entity_id.in_(list(entity_ids)) if entity_ids else Stance.corpus_id == corpus_id
    return views.where(asked).subquery("views")


def _sides(score: Any) -> tuple[Any, Any]:
    # A mean halfway to the next bin belongs to the one nearer to neutral, as in ``OpinionStore.count``.
    return (
        func.sum(case((score > 5, 1), else_=0)).label("positive"),
        func.sum(case((score < -5, 1), else_=0)).label("negative"),
    )


def _by_entity(corpus_id: int, entity_ids: Sequence[int] | None, extractor: str) -> Select[*tuple[Any, ...]]:
    counted: Select[*tuple[Any, ...]] = (
        select(
            Entity.name.label("value"),
            func.count(Document.id).label("documents"),
            func.count(Document.rating).label("rated"),
            func.avg(Document.rating).label("mean"),
            func.avg(Document.rating * Document.rating).label("square"),
            func.count(Stance.score).label("held"),
            *_sides(Stance.score),
        )
        .select_from(Stance)
        .join(Entity, Entity.id == Stance.entity_id)
        .join(Document, Document.id == Stance.document_id)
        .where(Stance.corpus_id == corpus_id, Stance.extractor == extractor, Entity.state == "active")
    )
    if entity_ids:
        counted = counted.where(Stance.entity_id.in_(list(entity_ids)))
    return counted.group_by(Entity.id, Entity.name).order_by(Entity.name)


__all__ = ["Axis", "AxisKind", "Breakdown", "Row", "row_of", "statement"]
