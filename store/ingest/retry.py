"""Tries quarantined rows again, with another mapping or encoding if wished."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import monotonic
from typing import Any

from sqlalchemy import select

from store.database import Database
from store.errors import UsageError
from store.ingest.chunking import Spans, chunker
from store.ingest.columns import Mapping
from store.ingest.delimited import reread
from store.ingest.encoding import given, redecode
from store.ingest.guessing import guess
from store.ingest.json_rows import json_row
from store.ingest.ledger import Ledger, Rejected, raw_fields
from store.ingest.overrides import Overrides
from store.ingest.prepare import Prepared, Preparer
from store.ingest.report import IngestReport, general
from store.ingest.rows import BadRow, Row
from store.tables import QuarantinedRow, Source

_BATCH = 500


def retry(
    database: Database,
    corpus_id: int,
    *,
    source: str | None = None,
    overrides: Overrides | None = None,
    encoding: str | None = None,
    embedder_spans: Spans | None,
    max_tokens: int = 256,
    overlap: float = 0.15,
    cancelled: Callable[[], bool] | None = None,
) -> list[IngestReport]:
    """Try the quarantined rows of a corpus, or of one source, again; they are read from the quarantine, not the file.

    Rows that succeed move in the books from quarantined to new, updated or unchanged; the others count one more
    attempt. ``overrides`` and ``encoding`` hold for these rows only.

    Raises
    ------
    UsageError
        No such source, column, field or encoding.
    """
    if encoding is not None:
        given(encoding)
    with database.session() as session:
        query = select(Source).where(Source.corpus_id == corpus_id).order_by(Source.id)
        sources = list(session.scalars(query))
    if source is not None:
        names = [item.name for item in sources]
        sources = [item for item in sources if item.name == source]
        if not sources:
            raise UsageError(
                f"the corpus has no source {source!r}", f"its sources are {', '.join(names) or 'none'}"
            )
    reports = []
    for item in sources:
        cut = chunker(embedder_spans, max_tokens, overlap)
        ledger = Ledger(corpus_id, item.id, item.generation, cut, again=True)
        reports.append(_retry_source(database, item, ledger, overrides, encoding, cancelled))
    return [report for report in reports if report.counts.read]


def _retry_source(
    database: Database,
    source: Source,
    ledger: Ledger,
    overrides: Overrides | None,
    encoding: str | None,
    cancelled: Callable[[], bool] | None,
) -> IngestReport:
    started = monotonic()
    last = 0
    report: IngestReport | None = None
    while True:
        with database.session() as session:
            held = list(
                session.scalars(
                    select(QuarantinedRow)
                    .where(QuarantinedRow.source_id == source.id, QuarantinedRow.row_number > last)
                    .order_by(QuarantinedRow.row_number)
                    .limit(_BATCH)
                )
            )
            read = [_read(row, source, encoding) for row in held]
            if report is None:
                mapping = _mapping(source, read, overrides)
                report = IngestReport(
                    source.name, source.id, mapping, source.kind, encoding or source.encoding
                )
            if not held:
                break
            preparer = Preparer(report.mapping, report.notes)
            rows: list[Prepared] = []
            rejected: list[Rejected] = []
            for row, kept in zip(read, held, strict=True):
                result = row.reason if isinstance(row, BadRow) else preparer.prepare(row)
                if isinstance(result, Prepared):
                    rows.append(result)
                else:
                    raw = kept.raw if isinstance(row, BadRow) else raw_fields(row.fields)
                    rejected.append(Rejected(kept.row_number, result, raw))
            last = held[-1].row_number
            session.expunge_all()
            counts, refused = ledger.write(session, rows, rejected)
        report.counts.add(counts)
        report.reasons.update(general(item.reason) for item in refused)
        if cancelled is not None and cancelled():
            report.interrupted = True
            break
    report.seconds = monotonic() - started
    return report


def _read(kept: QuarantinedRow, source: Source, encoding: str | None) -> Row | BadRow:
    """Return a quarantined row as its reader would have given it."""
    number, raw = kept.row_number, kept.raw
    layout: dict[str, Any] = source.mapping.get("layout", {})
    if encoding is not None:
        try:
            raw = redecode(raw, source.encoding or "utf-8", encoding)
        except UnicodeError as error:
            return BadRow(number, f"not valid {encoding}: {error}", kept.raw)
    fields = _fields(raw)
    if fields is not None:
        return Row(number, fields)
    if source.kind in ("csv", "tsv") and layout and raw:
        found = reread(raw, layout, number)
    elif source.kind in ("json", "jsonl") and raw:
        found = json_row(raw, number)
    elif source.kind in ("text", "markdown") and raw and encoding is not None:
        named = {"id": source.name, "title": ""} if layout.get("split") == "file" else {}
        found = Row(number, {**named, "text": raw})
    else:
        return BadRow(number, kept.reason, kept.raw)
    return BadRow(number, found.reason, kept.raw) if isinstance(found, BadRow) else found


def _fields(raw: str) -> dict[str, str] | None:
    """Return the fields of a row that was read but not accepted, which the quarantine keeps as JSON."""
    if not raw.startswith("{"):
        return None
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    plain = isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    return value if plain else None


def _mapping(source: Source, rows: list[Row | BadRow], overrides: Overrides | None) -> Mapping:
    stored = Mapping.from_json(source.mapping)
    if not overrides or not rows:
        return stored
    sample = [row.fields for row in rows if isinstance(row, Row)]
    layout = source.mapping.get("layout", {})
    columns = layout.get("columns") or list(dict.fromkeys(name for fields in sample for name in fields))
    fields = {
        name: getattr(stored, name) for name in ("title", "id", "url", "author", "rating", "date", "subject")
    }
    known = {name: column for name, column in fields.items() if column in columns}
    base = Overrides(
        {"text": "+".join(stored.text), **known, **overrides.fields},
        overrides.rating_scale or stored.rating_scale,
        overrides.date_order or stored.date_order,
        stored.extra if overrides.extra is None else overrides.extra,
        {**stored.attributes, **overrides.attributes},
        {**{name: bands.edges for name, bands in stored.bands.items()}, **overrides.bands},
    )
    return guess(columns, sample, base)


__all__ = ["retry"]
