"""A row becomes what the ledger stores: fields cleaned and parsed, identity and content hashed."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from store.hashing import fields_hash
from store.ingest.cleaning import MAX_SHORT, clean_text, clean_value, says_nothing, shortened
from store.ingest.columns import Mapping
from store.ingest.dates import parse_date
from store.ingest.ratings import parse_rating
from store.ingest.rows import Row

NO_TEXT: Final = "no text"


@dataclass(slots=True)
class Prepared:
    """A row ready to be stored.

    ``external_id`` is the row's own id, or ``row-`` and the hash of its values; ``content_hash`` covers every mapped
    field; ``attributes`` are the author's.
    """

    number: int
    external_id: str
    content_hash: str
    text: str
    title: str
    url: str
    subject: str
    date: str
    rating: float | None
    rating_min: float | None
    rating_max: float | None
    author: str
    attributes: tuple[tuple[str, str], ...]
    extra: dict[str, str]
    fields: dict[str, str]


class Preparer:
    """Applies one mapping to rows; ``notes`` counts what was dropped or changed in them."""

    def __init__(self, mapping: Mapping, notes: Counter[str]) -> None:
        self.mapping = mapping
        self.notes = notes
        self._banded = [
            (name, column, mapping.bands.get(name)) for name, column in mapping.attributes.items()
        ]

    def prepare(self, row: Row) -> Prepared | str:
        """Return the prepared row, or the reason why it cannot become a document."""
        mapping, fields, notes = self.mapping, row.fields, self.notes
        missing = [column for column in mapping.text if column not in fields]
        if len(missing) == len(mapping.text):
            return f"the row has no field {missing[0]!r}"
        parts = [clean_text(fields.get(column, ""), notes) for column in mapping.text]
        parts = [part for part in parts if not says_nothing(part)]
        if not parts:
            return NO_TEXT
        text = "\n\n".join(parts)
        own_id = clean_value(fields.get(mapping.id, ""), notes) if mapping.id else ""
        title = clean_value(fields.get(mapping.title, ""), notes) if mapping.title else ""
        url = clean_value(fields.get(mapping.url, ""), notes) if mapping.url else ""
        subject = self._short(mapping.subject, fields, "subjects")
        author = self._short(mapping.author, fields, "author names")
        date = self._date(fields)
        rating, low, high = self._rating(fields)
        attributes = self._attributes(fields)
        extra = {
            column: value
            for column in mapping.extra
            if (value := clean_value(fields.get(column, ""), notes)) != ""
        }
        content = fields_hash(
            [
                text,
                title,
                url,
                subject,
                date,
                author,
                "" if rating is None else f"{rating:g}/{low:g}/{high:g}",
                *(part for pair in attributes for part in pair),
                *(part for pair in extra.items() for part in pair),
            ]
        )
        return Prepared(
            row.number,
            _bounded(own_id) if own_id else row_id(fields),
            content,
            text,
            title,
            url,
            subject,
            date,
            rating,
            low,
            high,
            author,
            attributes,
            extra,
            fields,
        )

    def _short(self, column: str, fields: dict[str, str], what: str) -> str:
        if not column:
            return ""
        return shortened(clean_value(fields.get(column, ""), self.notes), self.notes, what)

    def _date(self, fields: dict[str, str]) -> str:
        if not self.mapping.date:
            return ""
        written = clean_value(fields.get(self.mapping.date, ""), self.notes)
        date = parse_date(written, self.mapping.date_order)
        if written and not date:
            self.notes["dates that could not be read, left empty"] += 1
        return date

    def _rating(self, fields: dict[str, str]) -> tuple[float | None, float | None, float | None]:
        scale = self.mapping.rating_scale
        if not self.mapping.rating or scale is None:
            return None, None, None
        written = clean_value(fields.get(self.mapping.rating, ""), self.notes)
        if not written:
            return None, None, None
        parsed = parse_rating(written)
        if parsed is None or not math.isfinite(parsed[0]):
            self.notes["ratings that are no number, dropped"] += 1
            return None, None, None
        low, high = scale
        value, top = parsed
        high = top if top is not None and top > low else high
        if not low <= value <= high:
            self.notes[f"ratings outside {low:g}-{high:g}, dropped"] += 1
            return None, None, None
        return value, low, high

    def _attributes(self, fields: dict[str, str]) -> tuple[tuple[str, str], ...]:
        found = []
        for name, column, bands in self._banded:
            value = clean_value(fields.get(column, ""), self.notes)
            if value:
                value = bands.label(value) if bands else value
                found.append((name, shortened(value, self.notes, f"values of {name}")))
        return tuple(sorted(found))


def row_id(fields: dict[str, str]) -> str:
    """Return an id made of a row's values as the file has them: the same whatever the mapping."""
    filled = sorted((name, value) for name, value in fields.items() if value)
    return "row-" + fields_hash(_storable(part) for pair in filled for part in pair)


def _storable(value: str) -> str:
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()


def _bounded(external_id: str) -> str:
    if len(external_id) <= MAX_SHORT:
        return external_id
    return f"{external_id[: MAX_SHORT - 33]}~{fields_hash([external_id])}"


def document_values(prepared: Prepared) -> dict[str, Any]:
    """Return the columns of a document that come from its row."""
    return {
        "row_number": prepared.number,
        "title": prepared.title,
        "text": prepared.text,
        "url": prepared.url,
        "subject": prepared.subject,
        "date": prepared.date,
        "rating": prepared.rating,
        "rating_min": prepared.rating_min,
        "rating_max": prepared.rating_max,
        "content_hash": prepared.content_hash,
        "extra": prepared.extra,
    }


__all__ = ["NO_TEXT", "Prepared", "Preparer", "document_values", "row_id"]
