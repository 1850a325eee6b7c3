"""Is embedded enrichment faster than embedding? ``python -m tests.benchmarks.bench_extraction_speed [FILE] [N]``.

FILE is a CSV (may be gzipped) with a column ``text``; without it the hotel reviews under ``EVENHAND_DATA`` are read.
Both run on one thread over the same texts; times are CPU seconds of this process, so that other load matters less.
Exit status 1 if extraction is the slower one.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
import time
from pathlib import Path

from store.embedders import BundledMiniLM
from store.enrich.lexical import LexicalExtractor
from store.records import RegistryEntity
from tests.benchmarks.bars import Bars

NAMES = [
    "room",
    "staff",
    "breakfast",
    "location",
    "bed",
    "bathroom",
    "pool",
    "parking",
    "price",
    "wifi",
    "service",
    "hotel",
    "lobby",
    "elevator",
    "noise",
    "food",
    "view",
    "shower",
    "desk",
    "area",
    "night",
    "place",
    "restaurant",
    "bar",
    "coffee",
    "water",
    "door",
    "floor",
    "carpet",
    "towel",
]


def read_texts(path: Path, limit: int) -> list[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as stream:
        return [row["text"] for _, row in zip(range(limit), csv.DictReader(stream), strict=False)]


def main() -> int:
    data = Path(os.environ.get("EVENHAND_DATA", "../shared/data"))
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else data / "datafiniti_hotels" / "hotel_reviews.csv.gz"
    texts = read_texts(path, int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
    registry = [RegistryEntity(name, name, None, (name,)) for name in NAMES]
    extractor = LexicalExtractor()
    list(extractor.extract([(0, "The room was clean.")], registry))
    start = time.process_time()
    units = sum(len(found.opinions) for found in extractor.extract(list(enumerate(texts)), registry))
    extraction = time.process_time() - start
    embedder = BundledMiniLM(threads=1)
    embedder.embed(["warm up"])
    some = texts[: max(1, len(texts) // 5)]
    start = time.process_time()
    embedder.embed(some)
    embedding = (time.process_time() - start) * len(texts) / len(some)
    print(f"{len(texts)} texts, {units} units")
    print(f"extraction {len(texts) / extraction:8.1f} texts a CPU second")
    print(f"embedding  {len(texts) / embedding:8.1f} texts a CPU second")
    bars = Bars()
    bars.judge("texts extracted a CPU second over texts embedded", embedding / extraction, ">", 1.0)
    return bars.end()


if __name__ == "__main__":
    sys.exit(main())
