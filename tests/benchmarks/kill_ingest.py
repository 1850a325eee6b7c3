"""Kills ingest (SIGKILL) at random moments, runs it again, and checks that nothing is lost, doubled or misbooked.

Run: ``python -m tests.benchmarks.kill_ingest --kills 20`` (SQLite; ``--database URL`` for an empty PostgreSQL one).
"""

from __future__ import annotations

import argparse
import csv
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import func, select

from store.database import Database
from store.ingest import pipeline
from store.ingest.pipeline import IngestProgress, IngestReport
from store.tables import Corpus, Document, QuarantinedRow, Source, Unit

#: Of 50 rows one has no text, one repeats the row before it, one uses an id again.
PERIOD = 50


def write_rows(path: Path, rows: int) -> None:
    """Write a file whose books are known: see ``expected``."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "rating", "country"])
        for number in range(rows):
            kind = number % PERIOD
            if kind == 10:
                writer.writerow([number, "", 3, "US"])
            elif kind == 20:
                writer.writerow(row_of(number - 1))
            elif kind == 30:
                writer.writerow([number - 1, "another text under a used id", 3, "US"])
            else:
                writer.writerow(row_of(number))


def row_of(number: int) -> list[object]:
    """One good row; its text is long enough for two chunks."""
    words = " ".join(f"word{(number * 31 + n) % 977}" for n in range(12))
    return [number, f"Review {number}. {words}.", number % 5 + 1, ("US", "UK", "DE")[number % 3]]


def expected(rows: int) -> tuple[int, int]:
    """Distinct documents, and quarantined rows, of ``write_rows`` (rows a multiple of PERIOD)."""
    periods = rows // PERIOD
    return rows - 3 * periods, 2 * periods


def child(url: str, path: Path) -> None:
    """Ingest in small batches, telling each on standard output."""
    pipeline.BATCH_ROWS = 50  # type: ignore[misc]
    database = Database(url)

    def tell(progress: IngestProgress) -> None:
        print(progress.rows, flush=True)

    report = ingest(database, path, tell)
    print(report.balance(), flush=True)


def ingest(database: Database, path: Path, progress: object = None) -> IngestReport:
    """Ingest into the first corpus."""
    with database.session() as session:
        corpus = session.scalars(select(Corpus.id)).first()
        assert corpus is not None

    def spans(text: str) -> list[tuple[int, int]]:
        return [(start, start + 10) for start in range(0, len(text) - 9, 10)]

    return pipeline.ingest(
        database,
        corpus,
        path,
        embedder_spans=spans,
        max_tokens=8,
        progress=progress,  # type: ignore[arg-type]
    )


def torture(url: str, folder: Path, *, rows: int, kills: int, seed: int) -> list[int]:
    """Kill ``kills`` runs at random moments, then finish and check; return the rows stored at each kill.

    Raises
    ------
    AssertionError
        A row was lost or doubled, or the books are wrong.
    """
    path = folder / "rows.csv"
    write_rows(path, rows)
    database = Database(url)
    try:
        return _torture(database, path, rows, kills, random.Random(seed))
    finally:
        database.close()


def _torture(database: Database, path: Path, rows: int, kills: int, chance: random.Random) -> list[int]:
    url = database.engine.url.render_as_string(hide_password=False)
    with database.session() as session:
        session.add(Corpus(name="killed"))
    stored: list[int] = []
    for _ in range(kills):
        command = [sys.executable, "-m", "tests.benchmarks.kill_ingest", "--child", url, str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        # Whichever comes first: a random batch, or the end of the file.
        for _ in range(chance.randint(1, max(1, rows // 50))):
            if not process.stdout.readline()[:1].isdigit():
                break
        time.sleep(chance.random() * 0.05)
        process.kill()
        process.wait()
        process.stdout.close()
        stored.append(check_parts(database))
    report = ingest(database, path)
    documents, quarantined = expected(rows)
    assert report.counts.balanced(), report.balance()
    assert report.counts.read == rows, report.balance()
    assert report.counts.quarantined == quarantined, report.balance()
    assert check_parts(database) == documents
    with database.session() as session:
        source = session.scalars(select(Source)).one()
        assert source.state == "done"
        assert session.scalar(select(func.count()).select_from(QuarantinedRow)) == quarantined
        assert session.scalar(select(func.count(func.distinct(Document.external_id)))) == documents
    return stored


def check_parts(database: Database) -> int:
    """Check what must hold at any moment: books balanced, each document with its units, no unit without; count."""
    with database.session() as session:
        for source in session.scalars(select(Source)):
            parts = source.rows_new + source.rows_updated + source.rows_unchanged + source.rows_quarantined
            assert source.rows_read == parts, "the books do not balance"
        documents = session.scalar(select(func.count()).select_from(Document)) or 0
        chunked = session.scalar(select(func.count(func.distinct(Unit.document_id)))) or 0
        assert documents == chunked, f"{documents} documents, {chunked} of them with units"
        doubled = session.execute(
            select(Unit.document_id, Unit.ordinal)
            .group_by(Unit.document_id, Unit.ordinal)
            .having(func.count() > 1)
        ).first()
        assert doubled is None, "a document has a chunk twice"
    return documents


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", nargs=2, metavar=("URL", "PATH"), help=argparse.SUPPRESS)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", help="URL of an empty database; a new SQLite file unless given")
    options = parser.parse_args()
    if options.child:
        child(options.child[0], Path(options.child[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        url = options.database or f"sqlite:///{folder}/killed.db"
        database = Database(url)
        database.upgrade()
        database.close()
        stored = torture(url, Path(folder), rows=options.rows, kills=options.kills, seed=options.seed)
    print(f"killed {options.kills} times, with {stored} documents stored; no loss, no double, books balanced")


if __name__ == "__main__":
    main()
