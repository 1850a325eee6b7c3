"""What the user says about columns: ``--map text=Review``, ``--attribute country=author_country``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final

from store.errors import UsageError
from store.ingest.columns import FIELDS
from store.ingest.names import normalised

_SCALE: Final = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|\.\.|:|to)\s*(-?\d+(?:\.\d+)?)\Z")
_BANDS: Final = re.compile(r"(.+):(\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)+)\Z")
_SETTINGS: Final = ("rating_scale", "date_order", "extra")


@dataclass(frozen=True, slots=True)
class Overrides:
    """The user's part of a mapping. A field mapped to the empty text is left out of the mapping."""

    fields: dict[str, str] = field(default_factory=dict)
    rating_scale: tuple[float, float] | None = None
    date_order: str = ""
    extra: tuple[str, ...] | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    bands: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self != Overrides()


def parse_overrides(maps: Sequence[str] = (), attributes: Sequence[str] = ()) -> Overrides:
    """Read the values of ``--map`` and ``--attribute``.

    ``--map`` takes ``FIELD=COLUMN`` (``text=Pros+Cons`` joins two; ``title=`` leaves it out), ``rating_scale=1-5``,
    ``date_order=dmy`` or ``mdy``, and ``extra=COLUMN,COLUMN``. ``--attribute`` takes ``NAME=COLUMN``, with the lower
    edges of bands if wished (``age=Age:18,35,65``); ``NAME=`` leaves a guessed one out.

    Raises
    ------
    UsageError
        A value is not of that form, or names an unknown field.
    """
    fields: dict[str, str] = {}
    scale: tuple[float, float] | None = None
    order = ""
    extra: tuple[str, ...] | None = None
    for given in maps:
        name, column = _pair(given, "--map", "text=Review")
        if name == "rating_scale":
            scale = _scale(column)
        elif name == "date_order":
            if column not in ("dmy", "mdy"):
                raise UsageError(f"date_order is dmy or mdy, not {column!r}")
            order = column
        elif name == "extra":
            extra = tuple(part.strip() for part in column.split(",") if part.strip())
        elif name in FIELDS:
            fields[name] = column
        else:
            near = get_close_matches(name, [*FIELDS, *_SETTINGS], n=1, cutoff=0.5)
            raise UsageError(
                f"--map {given}: there is no field {name!r}",
                f"did you mean {near[0]!r}?" if near else f"fields are {', '.join(FIELDS)}",
            )
    named: dict[str, str] = {}
    bands: dict[str, tuple[float, ...]] = {}
    for given in attributes:
        name, column = _pair(given, "--attribute", "country=author_country")
        if match := _BANDS.match(column):
            column, edges = match[1], tuple(float(edge) for edge in match[2].split(","))
            if list(edges) != sorted(set(edges)):
                raise UsageError(f"--attribute {given}: the edges of bands must rise")
            bands[name] = edges
        named[name] = column
    return Overrides(fields, scale, order, extra, named, bands)


def resolve(column: str, header: Sequence[str], option: str) -> str:
    """Return the header's own spelling of a column that the user named.

    Raises
    ------
    UsageError
        There is no such column; the message names the nearest.
    """
    if column in header:
        return column
    alike = [name for name in header if normalised(name) == normalised(column)]
    if len(alike) == 1:
        return alike[0]
    lowered = {name.lower(): name for name in header}
    near = get_close_matches(column.lower(), list(lowered), n=1, cutoff=0.4)
    hint = f"did you mean {lowered[near[0]]!r}?" if near else f"columns are {', '.join(header[:20])}"
    raise UsageError(f"{option}: there is no column {column!r}", hint)


def resolve_texts(columns: str, header: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of the text: one, or several joined by ``+``."""
    if columns in header or "+" not in columns:
        return (resolve(columns, header, f"--map text={columns}"),)
    return tuple(resolve(part.strip(), header, f"--map text={columns}") for part in columns.split("+"))


def _pair(given: str, option: str, example: str) -> tuple[str, str]:
    name, equals, column = given.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"{option} {given}: NAME=COLUMN was expected", f"for example {option} {example}")
    return name.strip(), column.strip()


def _scale(text: str) -> tuple[float, float]:
    match = _SCALE.match(text)
    if match is None or float(match[1]) >= float(match[2]):
        raise UsageError(
            f"rating_scale is LOWEST-HIGHEST, not {text!r}", "for example --map rating_scale=1-5"
        )
    return float(match[1]), float(match[2])


__all__ = ["Overrides", "parse_overrides", "resolve", "resolve_texts"]
