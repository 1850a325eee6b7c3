"""The evaluations as jobs: which data, which model, where what they computed is kept."""

from __future__ import annotations

import asyncio
import csv
import io
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.bootstrap import Parts
from app.calibration import Calibrations
from app.events import Finished, Progress
from app.jobs import Cancelled, Report, stream_job
from store.errors import UsageError

if TYPE_CHECKING:
    from agents.evaluation.faro import FaroSettings
    from agents.evaluation.report import EvaluationReport
    from agents.evaluation.warp import WarpSettings

#: The evaluations by name, and what each measures.
EVALUATIONS = {
    "extraction": "opinions, targets and features against labels and ratings that others gave",
    "router": "facts, views, both and counts told apart",
    "faro": "output bias, refusal, relevance and time under |Rb| <= tau (FARO, tables 2 to 4)",
    "warp": "coverage of opinions by selection method (WARP, table 1)",
}
#: Corpus that ``warp`` builds from the data.
HOTELS = "hotels"


class Evaluations:
    """Runs one evaluation at a time; each is an iterator whose last event is ``Finished(EvaluationReport)``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def labels(self, name: str, data: Path, seed: int) -> AsyncIterator[Progress | Finished]:
        """Measure extraction or the router."""

        def job(report: Report, cancelled: Cancelled) -> EvaluationReport:
            from agents.evaluation.labels import extraction_report, router_report

            return extraction_report(data, seed) if name == "extraction" else router_report(data, seed)

        return stream_job(job)

    async def faro(
        self, data: Path, settings: FaroSettings, sets: Sequence[str], cache: Path
    ) -> AsyncGenerator[Progress | Finished]:
        """Measure FARO with the configured generator, or the embedded chooser."""
        from agents.evaluation.embedding_cache import CachedEmbedder
        from agents.evaluation.faro import faro_report

        embedder = self._parts.embedder
        cached = CachedEmbedder(embedder.embed, embedder.fingerprint, cache)
        chooser = Calibrations(self._parts).chooser()
        queue: asyncio.Queue[Progress | None] = asyncio.Queue()

        def progress(what: str, done: int, total: int) -> None:
            queue.put_nowait(Progress(what, done, total, done / total))

        task = asyncio.create_task(faro_report(data, chooser, cached, settings, sets=sets, progress=progress))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            yield Finished(task.result())
        finally:
            task.cancel()
            await asyncio.wait({task})

    def warp(
        self, corpus: str, settings: WarpSettings, mentions: int, entities: int
    ) -> AsyncIterator[Progress | Finished]:
        """Measure WARP's table on an enriched corpus of the workspace."""

        def job(report: Report, cancelled: Cancelled) -> EvaluationReport:
            from agents.evaluation.warp import warp_report
            from agents.evaluation.warp_data import warp_corpus

            found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
            if not found.extractor:
                raise UsageError(f"the corpus `{found.name}` has no opinions yet", "run `evenhand enrich`")
            read = warp_corpus(self._parts.context(found), least_mentions=mentions, most=entities)
            return warp_report(
                read, settings, progress=lambda what, n, of: report(Progress(what, n, of, n / of))
            )

        return stream_job(job)

    @property
    def workers(self) -> int:
        """Calls that the configured generator takes at once."""
        generator = self._parts.settings.models.for_role("generator")
        return generator.limits.concurrency if generator else 1


def hotel_rows(data: Path, limit: int | None, seed: int) -> tuple[str, int]:
    """Return the hotel reviews that ``warp`` is measured on as CSV, and how many.

    Ratings other than 1 to 5 (the set mixes scales) and empty texts are left out; ``limit`` draws that many reviews.

    Raises
    ------
    UsageError
        The set is missing.
    """
    import numpy as np

    from agents.evaluation.report import need, read_text

    reader = csv.DictReader(io.StringIO(read_text(need(data, "datafiniti_hotels", "hotel_reviews.csv"))))
    columns = ("name", "rating", "text", "userProvince")
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        raise UsageError(f"the hotel reviews have no column {', '.join(missing)}", "see the set's SOURCE.md")
    rows = [
        {name: row[name] or "" for name in columns}
        for row in reader
        if (row["text"] or "").strip() and row["rating"] in ("1", "2", "3", "4", "5")
    ]
    if limit is not None and limit < len(rows):
        chosen = np.sort(np.random.default_rng(seed).choice(len(rows), limit, replace=False))
        rows = [rows[i] for i in chosen]
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue(), len(rows)


def ingest_options() -> Any:
    """Return the mapping of the hotel reviews."""
    from store.ingest.overrides import parse_overrides

    return parse_overrides(["text=text", "subject=name", "rating=rating"], ["province=userProvince"])


def cache_folder(cache: Path | None) -> Path:
    """Return the folder for what an evaluation computes: the one given, or one that the system may clear."""
    return cache or Path(tempfile.gettempdir()) / "evenhand-evaluate"


__all__ = ["EVALUATIONS", "HOTELS", "Evaluations", "cache_folder", "hotel_rows", "ingest_options"]
