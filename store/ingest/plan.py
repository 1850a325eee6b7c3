"""Before anything is stored: the source is opened, its first rows looked at, its mapping decided."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from store.errors import IngestError
from store.ingest.columns import Mapping
from store.ingest.guessing import guess
from store.ingest.overrides import Overrides
from store.ingest.readers import open_source
from store.ingest.rows import BadRow, Reader, Row

SAMPLE_ROWS: Final = 1000
_SAMPLE_CHARS: Final = 4_000_000


@dataclass(slots=True)
class Plan:
    """A source ready to be read.

    Attributes
    ----------
    reader
        The open source.
    rows
        All its rows, the sampled ones first; can be iterated once.
    columns
        Column names in order.
    filled
        Columns that at least half of the sampled rows fill: by these, rows without an id are told apart.
    mapping
        Which column becomes what.
    overrides
        What the user said about columns.
    """

    reader: Reader
    rows: Iterator[Row | BadRow]
    columns: list[str]
    filled: list[str]
    mapping: Mapping
    overrides: Overrides
    sample: list[dict[str, str]] = field(default_factory=list)

    @property
    def identity(self) -> str:
        """What tells rows apart: the id column, or the filled columns."""
        return self.mapping.id or ", ".join(sorted(self.filled))

    def record(self) -> dict[str, Any]:
        """Return what the source's record keeps: the mapping, and how to read one raw row again."""
        return {
            **self.mapping.to_json(),
            "identity": self.identity,
            "layout": self.reader.layout(),
            "given": _as_json(self.overrides),
        }


def plan(
    path: str | Path,
    *,
    overrides: Overrides | None = None,
    stored: dict[str, Any] | None = None,
    **options: Any,
) -> Plan:
    """Open a source and decide its mapping.

    Parameters
    ----------
    overrides
        What the user says about columns.
    stored
        The record of an earlier run: its mapping is used again while its columns exist, unless the overrides are new;
        then its bands, scale and date order are kept for columns that stay. So unchanged rows stay unchanged.
    options
        For ``readers.open_source``.

    Raises
    ------
    UsageError
        Wrong path, option, column or field.
    IngestError
        The source cannot be read, or has no rows.
    """
    reader = open_source(path, **options)
    rows = iter(reader)
    seen: list[Row | BadRow] = []
    sample: list[dict[str, str]] = []
    size = 0
    try:
        for row in rows:
            seen.append(row)
            if isinstance(row, Row):
                sample.append(row.fields)
                size += sum(map(len, row.fields.values()))
            if len(seen) >= SAMPLE_ROWS or size >= _SAMPLE_CHARS:
                break
    except IngestError as error:
        if not sample:
            raise
        rows = _raising(error)
    if not seen:
        raise IngestError(f"{path} has no rows", "nothing was stored")
    columns = list(reader.columns) or list(dict.fromkeys(name for fields in sample for name in fields))
    if not columns:
        first = seen[0]
        reason = first.reason if isinstance(first, BadRow) else "no columns"
        raise IngestError(f"no row of {path} can be read ({reason})", "check its --format and --encoding")
    half = len(sample) / 2
    filled = [c for c in columns if sum(1 for fields in sample if fields.get(c, "").strip()) >= half > 0]
    mapping = _mapping(columns, sample, overrides, stored)
    return Plan(reader, chain(seen, rows), columns, filled, mapping, overrides or Overrides(), sample)


def _raising(error: IngestError) -> Iterator[Row | BadRow]:
    """Raise a fault of the source where reading met it: after the rows before it."""
    raise error
    yield


def _mapping(
    columns: list[str],
    sample: list[dict[str, str]],
    overrides: Overrides | None,
    stored: dict[str, Any] | None,
) -> Mapping:
    earlier = Mapping.from_json(stored) if stored and stored.get("text") else None
    if earlier is not None and stored is not None:
        asked_before = not overrides or _as_json(overrides) == stored.get("given")
        if asked_before and set(earlier.columns()) <= set(columns):
            return earlier
    found = guess(columns, sample, overrides)
    if earlier is None:
        return found
    given = overrides or Overrides()
    kept = {
        name: bands
        for name, bands in earlier.bands.items()
        if name not in given.bands and found.attributes.get(name) == earlier.attributes.get(name)
    }
    same_rating = found.rating == earlier.rating and given.rating_scale is None
    same_date = found.date == earlier.date and not given.date_order
    return replace(
        found,
        bands={**found.bands, **kept},
        rating_scale=earlier.rating_scale if same_rating else found.rating_scale,
        date_order=earlier.date_order if same_date else found.date_order,
    )


def _as_json(overrides: Overrides) -> Any:
    return json.loads(json.dumps(asdict(overrides)))


__all__ = ["SAMPLE_ROWS", "Plan", "plan"]
