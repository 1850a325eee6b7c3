"""Peak memory and speed of ingesting generated reviews without units (``--no-index``).

Run: ``python -m tests.benchmarks.bench_ingest_memory --rows 1000000``. Fails when the peak is 600 MB or more.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import sys
import tempfile
from pathlib import Path
from time import monotonic, process_time

from store.database import Database
from store.ingest.pipeline import IngestProgress, ingest
from store.tables import Corpus

LIMIT_MB = 600
WORDS = [f"word{number}" for number in range(3000)]


def write_reviews(path: Path, rows: int) -> None:
    """Write reviews of 5 to 40 words with rating, date, author, country and hotel; every tenth is quoted."""
    chance = random.Random(1)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["review_id", "text", "rating", "date", "author", "country", "hotel"])
        for number in range(rows):
            text = " ".join(chance.choices(WORDS, k=chance.randint(5, 40)))
            writer.writerow(
                [
                    number,
                    f'{text}, "really"' if number % 10 == 0 else text,
                    chance.randint(1, 5),
                    f"20{chance.randint(10, 20)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}",
                    f"author {chance.randint(1, max(1, rows // 3))}",
                    chance.choice(("US", "UK", "DE", "FR")),
                    f"Hotel {chance.randint(1, 500)}",
                ]
            )


def main() -> None:
    """Parse the command line, run, print, check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reviews.csv"
        write_reviews(path, options.rows)
        database = Database(f"sqlite:///{folder}/bench.db")
        database.upgrade()
        with database.session() as session:
            corpus = Corpus(name="bench")
            session.add(corpus)
            session.flush()
            corpus_id = corpus.id

        def tell(progress: IngestProgress) -> None:
            if progress.rows % 100_000 == 0:
                print(
                    f"{progress.rows:,} rows, {progress.rate:,.0f} rows/s, {peak_mb():.0f} MB",
                    file=sys.stderr,
                    flush=True,
                )

        cpu, wall = process_time(), monotonic()
        report = ingest(database, corpus_id, path, embedder_spans=None, progress=tell)
        cpu, wall = process_time() - cpu, monotonic() - wall
        database.close()
        size = (Path(folder) / "bench.db").stat().st_size / 1e6
    print(report.balance())
    print(f"{options.rows / wall:,.0f} rows/s by the clock, {options.rows / cpu:,.0f} rows/s of CPU time")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; database {size:,.0f} MB")
    print(f"peak memory {peak_mb():.0f} MB (limit {LIMIT_MB} MB)")
    if peak_mb() >= LIMIT_MB:
        sys.exit(1)


def peak_mb() -> float:
    """Largest resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
