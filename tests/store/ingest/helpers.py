"""What the ingest tests share."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import func, select

from store.database import Database
from store.ingest.pipeline import IngestReport, ingest
from store.tables import Document, QuarantinedRow, Unit

WORD = re.compile(r"\w+|[^\w\s]")


def spans(text: str) -> list[tuple[int, int]]:
    """Words and marks as tokens."""
    return [match.span() for match in WORD.finditer(text)]


def run(database: Database, corpus: int, path: Any, **options: Any) -> IngestReport:
    """Ingest with the word tokens."""
    return ingest(database, corpus, path, **{"embedder_spans": spans, **options})


def books(report: IngestReport) -> tuple[int, int, int, int, int]:
    """Read, new, updated, unchanged, quarantined."""
    c = report.counts
    return c.read, c.new, c.updated, c.unchanged, c.quarantined


def documents(database: Database) -> list[Document]:
    with database.session() as session:
        return list(session.scalars(select(Document).order_by(Document.id)))


def texts(database: Database) -> list[str]:
    return [document.text for document in documents(database)]


def quarantine(database: Database) -> list[QuarantinedRow]:
    with database.session() as session:
        return list(session.scalars(select(QuarantinedRow).order_by(QuarantinedRow.row_number)))


def count(database: Database, table: Any) -> int:
    with database.session() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def raw_units(database: Database) -> list[Unit]:
    with database.session() as session:
        return list(session.scalars(select(Unit).order_by(Unit.document_id, Unit.ordinal)))
