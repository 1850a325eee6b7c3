"""From nothing to a corpus that can be asked: workspace, ingest, enrichment, as one stream of progress."""

from __future__ import annotations

import csv
import gzip
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

from app.bootstrap import Parts
from app.catalog import Catalog
from app.events import Finished, Progress
from app.service import Service

#: Name of the bundled corpus.
DEMO_CORPUS = "lounges"


async def prepare_demo(
    parts: Parts, service: Service, reviews: int | None = None
) -> AsyncGenerator[Progress | Finished]:
    """Make the workspace where there is none, read the bundled reviews and find the opinions in them.

    Parameters
    ----------
    reviews
        Read only the first of them; None for all.
    """
    from app.demo import ATTRIBUTES, MAPS, corpus_file
    from store.ingest.overrides import parse_overrides

    parts.create()
    with corpus_file() as bundled, tempfile.TemporaryDirectory() as folder:
        path = bundled if reviews is None else _beginning(bundled, Path(folder), reviews)
        overrides = parse_overrides(MAPS, ATTRIBUTES)
        async for event in service.ingest(path, DEMO_CORPUS, overrides=overrides):
            yield event
    async for event in service.enrich(DEMO_CORPUS):
        yield event


async def prepare_file(
    parts: Parts, service: Service, path: Path, corpus: str = ""
) -> AsyncGenerator[Progress | Finished]:
    """Make the workspace where there is none, read a file or folder and find the opinions in it."""
    parts.create()
    async for event in service.ingest(path, corpus):
        yield event
    async for event in service.enrich(corpus):
        yield event


def suggestions(catalog: Catalog, corpus: str) -> list[str]:
    """Return questions that a corpus can answer, made from what most people in it write about."""
    entities = sorted(catalog.entities(corpus), key=lambda each: -each.documents)
    names = [each.name for each in entities if each.documents][:3]
    if not names:
        return ["What do people complain about?"]
    forms = (
        "What do people think of the {}?",
        "How many people are unhappy with the {}?",
        "What do they like about the {}?",
    )
    return [form.format(name) for form, name in zip(forms, names, strict=False)]


def _beginning(bundled: Path, folder: Path, reviews: int) -> Path:
    path = folder / "lounges.csv"
    with gzip.open(bundled, "rt", encoding="utf-8", newline="") as source:
        rows = csv.reader(source)
        with path.open("w", encoding="utf-8", newline="") as target:
            csv.writer(target).writerows(row for row, _ in zip(rows, range(reviews + 1), strict=False))
    return path


__all__ = ["DEMO_CORPUS", "prepare_demo", "prepare_file", "suggestions"]
