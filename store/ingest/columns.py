"""The mapping: which column of a source is which field of a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from store.ingest.bands import Bands
from store.ingest.dates import DateOrder

#: Fields that one column gives (``text`` may be given by several, joined).
FIELDS: Final = ("text", "title", "id", "url", "author", "rating", "date", "subject")


@dataclass(frozen=True, slots=True)
class Mapping:
    """Which columns become what.

    Attributes
    ----------
    text
        Columns whose contents, joined by an empty line, are the document's text.
    title, id, url, author, rating, date, subject
        A column's name, or empty when the source has none.
    rating_scale
        Lowest and highest rating; None when there is no rating.
    date_order
        How all-numeric dates are read.
    attributes
        Attribute of the author to column.
    bands
        Attribute to the bands that its numbers are put into.
    extra
        Columns kept with the document as they are.
    notes
        What the guess is unsure of, for people.
    """

    text: tuple[str, ...]
    title: str = ""
    id: str = ""
    url: str = ""
    author: str = ""
    rating: str = ""
    rating_scale: tuple[float, float] | None = None
    date: str = ""
    date_order: DateOrder = "mdy"
    subject: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    bands: dict[str, Bands] = field(default_factory=dict)
    extra: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def describe(self) -> list[tuple[str, str]]:
        """Return (field, where it comes from) pairs to show, fields without a column left out."""
        shown = [("text", " + ".join(self.text))]
        for name in FIELDS[1:]:
            column = getattr(self, name)
            if not column:
                continue
            if name == "rating" and self.rating_scale:
                low, high = self.rating_scale
                column = f"{column} (scale {low:g}-{high:g})"
            shown.append((name, column))
        for name, column in self.attributes.items():
            bands = self.bands.get(name)
            shown.append(
                (f"attribute {name}", f"{column} ({', '.join(bands.labels())})" if bands else column)
            )
        if self.extra:
            shown.append(("kept as it is", ", ".join(self.extra)))
        return shown

    def columns(self) -> list[str]:
        """Return every column the mapping reads, in the order of fields."""
        single = [getattr(self, name) for name in FIELDS[1:]]
        return [*self.text, *(c for c in single if c), *self.attributes.values(), *self.extra]

    def to_json(self) -> dict[str, Any]:
        """Return the mapping as JSON values, for the source's record."""
        return {
            "text": list(self.text),
            **{name: getattr(self, name) for name in FIELDS[1:]},
            "rating_scale": list(self.rating_scale) if self.rating_scale else None,
            "date_order": self.date_order,
            "attributes": self.attributes,
            "bands": {name: bands.to_json() for name, bands in self.bands.items()},
            "extra": list(self.extra),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Mapping:
        """Return the mapping that ``to_json`` wrote."""
        scale = value.get("rating_scale")
        return cls(
            text=tuple(value["text"]),
            **{name: value.get(name, "") for name in FIELDS[1:]},
            rating_scale=(float(scale[0]), float(scale[1])) if scale else None,
            date_order=value.get("date_order", "mdy"),
            attributes=dict(value.get("attributes", {})),
            bands={name: Bands.from_json(item) for name, item in value.get("bands", {}).items()},
            extra=tuple(value.get("extra", ())),
        )


__all__ = ["FIELDS", "Mapping"]
