"""Ingest as one call: read, map, store in batches, and close the books.

Every batch is one transaction that holds its documents, units, quarantined rows and counts: whatever interrupts a run,
the database is right, and running again stores only what is missing (rows already stored are unchanged).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Final

from sqlalchemy import delete, select, update

from store.database import Database
from store.errors import ApplicationError, IngestError, UsageError
from store.ingest.chunking import Chunker, Spans, chunker
from store.ingest.cleaning import MAX_SHORT
from store.ingest.derived import remove_gone
from store.ingest.encoding import storable
from store.ingest.ledger import Ledger, Rejected, audit, raw_fields
from store.ingest.overrides import Overrides
from store.ingest.pending import chunk_pending
from store.ingest.plan import Plan, plan
from store.ingest.prepare import Prepared, Preparer
from store.ingest.report import IngestProgress, IngestReport, general
from store.ingest.retry import retry
from store.ingest.rows import BadRow, Row
from store.tables import Corpus, Document, QuarantinedRow, Source, now

logger = logging.getLogger(__name__)

#: A batch ends at whichever comes first.
BATCH_ROWS: Final = 1000
BATCH_CHARS: Final = 8_000_000

Batch = list[Prepared | Rejected]


def ingest(
    database: Database,
    corpus_id: int,
    path: str | Path,
    *,
    overrides: Overrides | None = None,
    source_name: str | None = None,
    embedder_spans: Spans | None,
    max_tokens: int = 256,
    overlap: float = 0.15,
    sync: bool = False,
    planned: Callable[[Plan], None] | None = None,
    progress: Callable[[IngestProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    **options: Any,
) -> IngestReport:
    """Store the rows of a file or folder as documents of a corpus.

    Running again is safe: a row whose content is known is unchanged, a changed row with a known id updates its
    document (what was derived from the old text goes), two rows with one id and different contents quarantine the
    second. A row without an id is known by all its values.

    Parameters
    ----------
    source_name
        Identity of the source in the corpus; the file's name unless given.
    embedder_spans
        The embedder's tokens as character offsets; None stores documents without units (``chunk_pending`` makes them
        before indexing).
    max_tokens, overlap
        Of chunks.
    sync
        Also remove the documents of this source that it no longer yields; only after reading it to its end.
    planned
        Called with the open source and its mapping before anything is stored, to show them; may raise to stop.
    progress, cancelled
        Called after every batch; a run that ``cancelled`` stops keeps what it stored.
    options
        For ``readers.open_source``: format, encoding, sheet, delimiter, header, split.

    Raises
    ------
    UsageError
        Wrong path, option, column, or a source whose rows would be stored twice.
    IngestError
        No row of the source can be read, or the books do not balance. A source that breaks off later is not
        ``complete``: the rows before the fault are kept, and the report says where it is.
    """
    name = storable(source_name or Path(path).name or Path(path).resolve().name)
    if len(name) > MAX_SHORT:
        raise UsageError(
            f"a source's name has at most {MAX_SHORT} characters", "give a shorter one with --source"
        )
    with database.session() as session:
        if session.get(Corpus, corpus_id) is None:
            raise UsageError(f"there is no corpus with id {corpus_id}")
        known = session.scalar(select(Source).where(Source.corpus_id == corpus_id, Source.name == name))
        stored = dict(known.mapping) if known is not None else None
    source = plan(path, overrides=overrides, stored=stored, **options)
    if planned is not None:
        planned(source)
    run = _Run(database, corpus_id, source, sync, progress, cancelled)
    run.open(name, Path(path), stored)
    return run.execute(chunker(embedder_spans, max_tokens, overlap))


class _Run:
    """One run of one source, from the opening of its books to their closing."""

    def __init__(
        self,
        database: Database,
        corpus_id: int,
        planned: Plan,
        sync: bool,
        progress: Callable[[IngestProgress], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self.database = database
        self.corpus_id = corpus_id
        self.plan = planned
        self.sync = sync
        self.progress = progress
        self.cancelled = cancelled
        self.started = monotonic()
        self.generation = 0
        self.report = IngestReport("", 0, planned.mapping, planned.reader.kind, planned.reader.encoding)

    def open(self, name: str, path: Path, stored: dict[str, Any] | None) -> None:
        """Make or renew the source's record: a new generation, empty books.

        Raises
        ------
        UsageError
            Rows are told apart otherwise than at the run before, so that all would be stored a second time.
        """
        with self.database.session() as session:
            source = session.scalar(
                select(Source).where(Source.corpus_id == self.corpus_id, Source.name == name)
            )
            if source is None:
                source = Source(corpus_id=self.corpus_id, name=name, generation=0)
                session.add(source)
            else:
                before = (stored or {}).get("identity", self.plan.identity)
                if before != self.plan.identity and not self.sync:
                    held = session.scalar(select(Document.id).where(Document.source_id == source.id).limit(1))
                    if held is not None:
                        raise UsageError(
                            f"rows of {name} were told apart by {before!r}, now by {self.plan.identity!r}: "
                            "all would be stored twice",
                            "--sync replaces the old ones, --source NAME stores these beside them",
                        )
            source.location = storable(str(path.resolve()))
            source.kind = self.plan.reader.kind
            source.encoding = self.plan.reader.encoding
            source.mapping = self.plan.record()
            source.state = "running"
            source.generation += 1
            source.started_at = now()
            source.finished_at = None
            for column in ("read", "new", "updated", "unchanged", "quarantined", "removed"):
                setattr(source, f"rows_{column}", 0)
            session.flush()
            self.generation = source.generation
            self.report.source, self.report.source_id = name, source.id

    def execute(self, chunker: Chunker | None) -> IngestReport:
        """Read, store, close the books."""
        ledger = Ledger(self.corpus_id, self.report.source_id, self.generation, chunker)
        try:
            for batch in self._batches():
                self._store(ledger, batch)
                if self.cancelled is not None and self.cancelled():
                    self.report.interrupted = True
                    self.report.complete = False
                    break
            if self.report.complete:
                self._close()
        except BaseException as error:
            # What stopped the run may also stop this note of it: then the record says "running" until the next run.
            with suppress(ApplicationError):
                self._finish("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
            raise
        self._finish(
            "interrupted" if self.report.interrupted else "done" if self.report.complete else "partial"
        )
        self._check()
        return self.report

    def _batches(self) -> Iterator[Batch]:
        """Yield prepared rows in batches, those before a fault of the source too; one before any row is raised."""
        preparer = Preparer(self.plan.mapping, self.report.notes)
        batch: Batch = []
        size = 0
        try:
            for row in self.plan.rows:
                item, length = self._prepare(preparer, row)
                batch.append(item)
                size += length
                if len(batch) >= BATCH_ROWS or size >= BATCH_CHARS:
                    yield batch
                    batch, size = [], 0
        except IngestError as error:
            if batch:
                yield batch
            if not self.report.counts.read:
                raise
            self.report.break_off(error.message)
            return
        if batch:
            yield batch

    def _prepare(self, preparer: Preparer, row: Row | BadRow) -> tuple[Prepared | Rejected, int]:
        where = f"{storable(row.where)}: " if row.where else ""
        if isinstance(row, BadRow):
            if row.fatal:
                self.report.complete = False
            return self._reject(row.number, row.reason, where, row.raw)
        prepared = preparer.prepare(row)
        if isinstance(prepared, str):
            return self._reject(row.number, prepared, where, raw_fields(row.fields))
        return prepared, len(prepared.text)

    def _reject(self, number: int, reason: str, where: str, raw: str) -> tuple[Rejected, int]:
        return Rejected(number, where + reason, raw), len(raw)

    def _store(self, ledger: Ledger, batch: Batch) -> None:
        rows = [item for item in batch if isinstance(item, Prepared)]
        rejected = [item for item in batch if isinstance(item, Rejected)]
        with self.database.session() as session:
            counts, refused = ledger.write(session, rows, rejected)
        total = self.report.counts
        total.add(counts)
        self.report.reasons.update(general(item.reason) for item in refused)
        if self.progress is not None:
            self.progress(
                IngestProgress(
                    total.read,
                    total.new,
                    total.updated,
                    total.unchanged,
                    total.quarantined,
                    self.plan.reader.fraction(),
                    monotonic() - self.started,
                )
            )

    def _close(self) -> None:
        """After a complete read: forget quarantined rows that are no more, and with ``sync`` what left the source."""
        source_id = self.report.source_id
        with self.database.session() as session:
            session.execute(
                delete(QuarantinedRow).where(
                    QuarantinedRow.source_id == source_id, QuarantinedRow.generation != self.generation
                )
            )
        if not self.sync:
            return
        counts = self.report.counts
        if counts.new + counts.updated + counts.unchanged == 0:
            self.report.notes["no row became a document, so --sync removed nothing"] += 1
            return
        while True:
            with self.database.session() as session:
                source = session.get_one(Source, source_id)
                removed = remove_gone(session, source, BATCH_ROWS)
            if not removed:
                return
            counts.removed += removed

    def _finish(self, state: str) -> None:
        self.report.notes.update(self.plan.reader.notes)
        self.report.seconds = monotonic() - self.started
        with self.database.session() as session:
            session.execute(
                update(Source)
                .where(Source.id == self.report.source_id)
                .values(state=state, finished_at=now())
            )

    def _check(self) -> None:
        """Compare the books with what the database holds.

        Raises
        ------
        IngestError
            They differ.
        """
        counts, report = self.report.counts, self.report
        with self.database.session() as session:
            documents, quarantined = audit(session, report.source_id, self.generation)
            source = session.get_one(Source, report.source_id)
            kept = (source.rows_read, source.rows_new, source.rows_updated, source.rows_unchanged)
        distinct = counts.new + counts.updated + counts.unchanged - counts.duplicates
        booked = (counts.read, counts.new, counts.updated, counts.unchanged)
        if (
            not counts.balanced()
            or documents != distinct
            or quarantined != counts.quarantined
            or kept != booked
        ):
            raise IngestError(
                f"the books of {report.source} do not balance: {report.balance()}; the database holds "
                f"{documents:,} documents and {quarantined:,} quarantined rows of this run",
                "another process may have written to this source; run again",
            )


__all__ = [
    "BATCH_ROWS",
    "IngestProgress",
    "IngestReport",
    "Spans",
    "chunk_pending",
    "general",
    "ingest",
    "retry",
]
