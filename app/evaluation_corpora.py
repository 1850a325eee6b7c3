"""The corpora that evaluations build and keep in the cache: hotel reviews of a data folder, or the bundled lounges."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final, cast

from app.bootstrap import Parts
from app.events import Finished, Progress
from app.service import Service
from store.errors import UsageError

#: Corpora by name.
HOTELS, LOUNGES = "hotels", "lounges"
#: The author's own ratings of a lounge, whose mean is the rating of the visit.
_ASPECTS: Final = (
    "comfort_rating",
    "cleanliness_rating",
    "bar_beverages_rating",
    "catering_rating",
    "washrooms_rating",
    "wifi_connectivity_rating",
    "staff_service_rating",
)
Tell = Callable[[str, int, int, str], None]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CorpusRequest:
    """What to build.

    Attributes
    ----------
    data
        Folder of the data sets, for the hotel reviews; None for the bundled lounge reviews.
    reviews
        Draw so many; None for all.
    split
        With the split-only knowledge base.
    extractor
        ``lexical`` or ``llm``.
    """

    data: Path | None
    cache: Path
    reviews: int | None = None
    seed: int = 0
    split: bool = False
    extractor: str = "lexical"


async def build_corpus(parts: Parts, request: CorpusRequest, tell: Tell, say: Say) -> Parts:
    """Return the parts of a workspace in the cache that holds the corpus, built or continued where it is not whole.

    Raises
    ------
    UsageError
        The set is missing.
    """
    name = LOUNGES if request.data is None else HOTELS
    rows = lounge_rows if request.data is None else hotel_rows
    text, count = rows(request.data, request.reviews, request.seed)
    drawn = request.reviews == count
    folder = request.cache / f"{name}-{count}-{request.seed if drawn else 'all'}"
    corpus = name if request.extractor == "lexical" else f"{name}-{request.extractor}"
    own = workspace_parts(parts, folder, corpus)
    own.create()
    whole = folder / f"built-{corpus}.json"
    wanted = {"labels": own.extractor(request.extractor).version, "embedder": own.embedder.fingerprint}
    held = json.loads(whole.read_text("utf-8")) if whole.exists() else {}
    if (
        all(held.get(key) == value for key, value in wanted.items())
        and bool(held.get("split")) >= request.split
    ):
        return own
    say(f"building the corpus of {count:,} reviews in {folder}")
    source = folder / f"{name}.csv"
    source.write_text(text, encoding="utf-8")
    service = Service(own)
    # Continues where an earlier run was interrupted: unchanged rows cost nothing.
    await _follow(service.ingest(source, corpus, overrides=_options(name)), tell)
    jobs = service.enrich(corpus, extractor=request.extractor, split=request.split, index=request.split)
    await _follow(jobs, tell)
    whole.write_text(json.dumps({**wanted, "split": request.split}), encoding="utf-8")
    own.close()
    return workspace_parts(parts, folder, corpus)


def workspace_parts(parts: Parts, folder: Path, corpus: str) -> Parts:
    """Return parts over a workspace of their own: nothing that an evaluation builds reaches the user's database."""
    settings = parts.settings
    store = settings.store.model_copy(update={"database_url": "", "chroma_url": ""})
    return Parts(
        settings.model_copy(update={"workspace": str(folder), "corpus": corpus, "store": store}),
        parts.project,
    )


def mini_data(cache: Path) -> Path:
    """Return a folder of the small open sets that come with the package, laid out as a data folder."""
    folder = cache / "mini-data"
    with as_file(files("agents.evaluation").joinpath("data/mini")) as bundled:
        shutil.copytree(bundled, folder, dirs_exist_ok=True)
    (folder / "skytrax").mkdir(exist_ok=True)
    (folder / "skytrax" / "lounge.csv.gz").write_bytes(_bundled_lounges())
    return folder


def hotel_rows(data: Path | None, limit: int | None, seed: int) -> tuple[str, int]:
    """Return the hotel reviews as CSV, and how many.

    Ratings other than 1 to 5 (the set mixes scales) and empty texts are left out; ``limit`` draws that many reviews.

    Raises
    ------
    UsageError
        The set is missing.
    """
    from agents.evaluation.report import need, read_text

    assert data is not None, "the hotel reviews are in a data folder"
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
    return _drawn(columns, rows, limit, seed)


def lounge_rows(data: Path | None, limit: int | None, seed: int) -> tuple[str, int]:
    """Return the bundled lounge reviews as CSV, and how many; the rating is the mean of the author's aspect ratings."""
    text = gzip.decompress(_bundled_lounges()).decode("utf-8")
    columns = ("airline_name", "author_id", "author_country", "date", "content", "title", "rating")
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        given = [float(row[name]) for name in _ASPECTS if row[name] and float(row[name]) > 0]
        rating = str(int(sum(given) / len(given) + 0.5)) if given else ""
        rows.append({**{name: row[name] for name in columns[:-1]}, "rating": rating})
    return _drawn(columns, rows, limit, seed)


def whole_set(data: Path | None) -> int:
    """Return the reviews of the set that a corpus is built from: hotels of a data folder, or all lounge reviews."""
    from agents.evaluation.wholes import WHOLE

    return WHOLE["skytrax"] if data is None else hotel_rows(data, None, 0)[1]


def _drawn(
    columns: Sequence[str], rows: list[dict[str, str]], limit: int | None, seed: int
) -> tuple[str, int]:
    import numpy as np

    if limit is not None and limit < len(rows):
        chosen = np.sort(np.random.default_rng(seed).choice(len(rows), limit, replace=False))
        rows = [rows[i] for i in chosen]
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue(), len(rows)


def _options(name: str) -> Any:
    from store.ingest.overrides import parse_overrides

    if name == HOTELS:
        return parse_overrides(["text=text", "subject=name", "rating=rating"], ["province=userProvince"])
    maps = ["text=content", "subject=airline_name", "author=author_id", "date=date", "title=title"]
    return parse_overrides([*maps, "rating=rating"], ["country=author_country"])


def _bundled_lounges() -> bytes:
    return files("app.demo").joinpath("lounges.csv.gz").read_bytes()


async def _follow(events: AsyncIterator[Progress | Finished], tell: Tell) -> None:
    # A job that is told to stop is closed: it keeps what it has done.
    async with aclosing(cast(AsyncGenerator[Progress | Finished], events)) as open_events:
        async for event in open_events:
            if isinstance(event, Progress):
                tell(event.stage, event.done, event.total or 0, event.note)


__all__ = [
    "HOTELS",
    "LOUNGES",
    "CorpusRequest",
    "build_corpus",
    "hotel_rows",
    "lounge_rows",
    "mini_data",
    "whole_set",
    "workspace_parts",
]
