"""How the results of ingest and enrichment are said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.views.safe import line

if TYPE_CHECKING:
    from app.service import Enriched, Ingested
    from store.indexing import IndexReport
    from store.ingest.columns import Mapping
    from store.ingest.report import IngestReport


def ingest_lines(done: Ingested) -> list[str]:
    """Return the books of an ingest as lines."""
    lines = books_lines(done.books)
    if done.index is not None:
        lines.append(index_line(done.index))
    else:
        lines.append("not indexed yet: `evenhand doctor --rebuild` or the next ingest does it")
    return lines


def books_lines(books: IngestReport) -> list[str]:
    """Return one source's books as lines: what was read as what, what balanced, what was set right."""
    lines = [f"{line(books.source)}: {books.kind}" + (f", {books.encoding}" if books.encoding else "")]
    lines += mapping_lines(books.mapping)
    lines.append(books.balance())
    lines += [f"  {n:,} x {line(reason)}" for reason, n in books.reasons.most_common(8)]
    lines += [f"  note: {n:,} x {line(text)}" for text, n in books.notes.most_common(8)]
    if not books.complete:
        lines.append("  the source could not be read to its end; what was read is kept")
    return lines


def mapping_lines(mapping: Mapping) -> list[str]:
    """Return which column became what, one line each."""
    return [f"  {line(field)} = {line(column)}" for field, column in mapping.describe()]


def index_line(index: IndexReport) -> str:
    """Return what was indexed in one line."""
    return (
        f"indexed {index.indexed:,} passages ({index.embedded:,} distinct texts embedded, {index.removed:,} removed)"
        f" in {index.seconds:.1f} s"
    )


def ingest_document(done: Ingested) -> dict[str, Any]:
    """Return the books as a JSON document."""
    return books_document(done.books) | {"index": None if done.index is None else index_document(done.index)}


def books_document(books: IngestReport) -> dict[str, Any]:
    """Return one source's books as a JSON document."""
    counts = books.counts
    names = ("read", "new", "updated", "unchanged", "quarantined", "removed", "duplicates")
    return {
        "source": books.source,
        "kind": books.kind,
        "encoding": books.encoding,
        "mapping": books.mapping.to_json(),
        "rows": {name: getattr(counts, name) for name in names},
        "reasons": dict(books.reasons),
        "notes": dict(books.notes),
        "complete": books.complete,
        "fault": books.fault,
        "interrupted": books.interrupted,
        "seconds": books.seconds,
    }


def index_document(index: IndexReport) -> dict[str, Any]:
    """Return what was indexed as a JSON document."""
    return {
        "indexed": index.indexed,
        "embedded": index.embedded,
        "removed": index.removed,
        "embed_seconds": index.embed_seconds,
        "seconds": index.seconds,
    }


def enrich_lines(done: Enriched, extractor: str) -> list[str]:
    """Return what enrichment found as lines."""
    r = done.report
    lines = [
        f"documents {r.documents:,} = enriched {r.enriched:,} + set aside {r.set_aside:,} + failed {r.failed:,}"
        + (f" + waiting {r.pending:,}" if r.pending else "")
        + f" + unchanged {r.unchanged:,}",
        f"{r.entities} entities, {r.opinions:,} new opinions ({extractor} labels) in {r.seconds:.1f} s",
    ]
    if r.languages:
        by = ", ".join(f"{code} {n:,}" for code, n in sorted(r.languages.items(), key=lambda p: -p[1]))
        lines.append(f"  set aside, not English: {by}")
    if r.pending:
        lines.append(
            f"  {r.pending:,} wait for the next run, through no fault of theirs: {line(r.pending_reason)}"
        )
    if r.failed:
        lines.append("  `evenhand enrich --failed` lists what failed and why; --retry tries it again")
    if r.doubtful:
        lines.append(f"  {len(r.doubtful)} doubtful merges: `evenhand entities review` lists them")
    lines += [f"  a decision no longer fits: {line(text)}" for text in r.refused_decisions]
    if done.index is not None:
        lines.append(index_line(done.index))
    return lines


def enrich_document(done: Enriched, extractor: str) -> dict[str, Any]:
    """Return what enrichment found as a JSON document."""
    r = done.report
    names = (
        "documents",
        "enriched",
        "set_aside",
        "failed",
        "pending",
        "unchanged",
        "opinions",
        "entities",
        "languages",
        "seconds",
    )
    return {
        "extractor": extractor,
        **{name: getattr(r, name) for name in names},
        "doubtful": len(r.doubtful),
        "interrupted": r.interrupted,
        "index": None if done.index is None else index_document(done.index),
    }


__all__ = [
    "books_document",
    "books_lines",
    "enrich_document",
    "enrich_lines",
    "index_document",
    "index_line",
    "ingest_document",
    "ingest_lines",
    "mapping_lines",
]
