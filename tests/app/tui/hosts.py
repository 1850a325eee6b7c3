"""A small app around one screen, and a workspace written by hand: twelve documents, four entities, two bad rows."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from pytest_textual_snapshot import normalize_svg
from textual.app import App
from textual.screen import Screen

import app.tui.app
from agents.reranking import AnswerFrontier, Reranking
from app.bootstrap import Parts
from app.service import Service
from app.settings import Settings
from app.tui.filters import AsciiFilter, SafeFilter
from app.tui.theme import DARK
from store.answers import AnswerStore
from store.database import Database
from store.receipt import AuditReceipt, FrontierPoint, PositionAudit
from store.tables import (
    Author,
    AuthorAttribute,
    Corpus,
    Document,
    Entity,
    EntityAlias,
    Opinion,
    QuarantinedRow,
    Source,
    Stance,
)
from tests.fakes.receipts import opinion_receipt

SCORES = (30, 20, 20, 10, 10, 0, -10, -20, -20, -30, 20, 10)


class Host(App[None]):
    """Shows one screen over a real service, with the app's styles and filters."""

    CSS_PATH = str(Path(app.tui.app.__file__).parent / "evenhand.tcss")

    def __init__(
        self, folder: Path, first: Screen[Any], corpus: str = "lounges", *, ascii: bool = False
    ) -> None:
        plain = "NO_COLOR" in os.environ
        super().__init__(ansi_color=True if plain else None)
        self.service = Service(Parts(Settings(workspace=str(folder))))
        self.corpus, self.ascii, self.first = corpus, ascii, first
        self.result: Any = None
        self.register_theme(DARK)
        self.theme = "ansi-dark" if plain else DARK.name
        self._filters.append(SafeFilter())
        if ascii:
            self._filters.append(AsciiFilter())

    def on_mount(self) -> None:
        self.push_screen(self.first, lambda result: setattr(self, "result", result))

    async def use_corpus(self, name: str) -> None:
        self.corpus = name

    async def on_unmount(self) -> None:
        await self.service.parts.aclose()


async def settle(pilot: Any) -> None:
    """Wait until nothing is under way: no worker runs, and three looks in a row see the same.

    One pause is no proof: on a busy machine a process that waits for its turn looks idle. A worker that waits for a
    person, or for a script that holds it, ends the wait when the screen has stood still for half a second.
    """
    looks: list[str] = []
    for _ in range(1000):
        await pilot.pause(0.01)
        look = normalize_svg(pilot.app.export_screenshot())
        looks = [*looks, look] if look in looks[-1:] else [look]
        if len(looks) >= (25 if any(not worker.is_finished for worker in pilot.app.workers) else 3):
            return
    raise AssertionError("the screen did not come to rest")


async def press(pilot: Any, *keys: str) -> None:
    """Press keys, each when what the one before began is over."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def seen(pilot: Any) -> str:
    """What is on the screen, as text."""
    width, height = pilot.app.size
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.crop(0, width).text for strip in lines[:height])


def seed(template: Path, folder: Path, *, text: str = "", title: str = "") -> Path:
    """Write the workspace; ``text`` and ``title`` take the place of the first document's."""
    folder.mkdir(parents=True)
    shutil.copy(template, folder / "evenhand.db")
    database = Database(f"sqlite:///{folder / 'evenhand.db'}")
    with database.session() as session:
        corpus = Corpus(name="lounges", extractor="lexical", embedder="all-MiniLM-L6-v2")
        session.add_all([corpus, Corpus(name="phones")])
        session.flush()
        source = Source(
            corpus_id=corpus.id,
            name="reviews.csv",
            state="done",
            rows_read=14,
            rows_new=12,
            rows_quarantined=2,
        )
        session.add(source)
        session.flush()
        entities = [
            Entity(corpus_id=corpus.id, key=key, name=key) for key in ("food", "coffee", "staff", "wifi")
        ]
        session.add_all(entities)
        session.flush()
        entities[1].parent_id = entities[0].id
        forms = ("meals", "espresso", "crew", "internet")
        session.add_all(EntityAlias(entity_id=e.id, form=f) for e, f in zip(entities, forms, strict=True))
        for n, score in enumerate(SCORES):
            author = Author(corpus_id=corpus.id, key=f"author-{n % 5}", profile_hash=f"p{n}")
            session.add(author)
            session.flush()
            session.add(
                AuthorAttribute(author_id=author.id, name="country", value=("Japan", "Chile", "Kenya")[n % 3])
            )
            quote = f"the food was number {n}"
            body = text if text and n == 0 else f"Review {n}. I must say {quote}, and the crew knew it."
            document = Document(
                corpus_id=corpus.id,
                source_id=source.id,
                external_id=f"r{n:02d}",
                title=title if title and n == 0 else f"Lounge {n}",
                text=body,
                subject=("north pier", "south pier")[n % 2],
                date=f"20{10 + n}-03-0{1 + n % 9}",
                rating=float(1 + n % 5),
                author_id=author.id,
                content_hash=f"{n}",
            )
            session.add(document)
            session.flush()
            start = max(0, body.find(quote))
            for entity in entities[: 1 + n % 4]:
                common = {
                    "corpus_id": corpus.id,
                    "document_id": document.id,
                    "entity_id": entity.id,
                    "extractor": "lexical",
                    "score": score,
                    "impact": 10,
                    "markers": [],
                    "evidence": "personal",
                    "confidence": 0.9,
                }
                end = start + len(quote)
                session.add(Stance(**common, opinions=1))
                session.add(
                    Opinion(
                        **common,
                        sentiment="positive",
                        intensity="low",
                        quote=body[start:end],
                        start=start,
                        end=end,
                    )
                )
        for row, raw in ((7, ",,,"), (9, "\x1b[31mbad\x1b[0m [/] row")):
            session.add(
                QuarantinedRow(
                    corpus_id=corpus.id,
                    source_id=source.id,
                    row_number=row,
                    reason="the text is empty",
                    raw=raw,
                )
            )
    database.close()
    return folder


def add_answer(folder: Path, receipt: AuditReceipt) -> str:
    """Store an answer with this receipt; returns its id."""
    database = Database(f"sqlite:///{folder / 'evenhand.db'}")
    store = AnswerStore(database)
    answer_id = store.begin(1, receipt.question)
    store.finish(
        answer_id, receipt.answer, receipt.model_copy(update={"answer_id": answer_id, "citations": ()})
    )
    database.close()
    return answer_id


def canned_frontier(receipt: AuditReceipt | None = None) -> AnswerFrontier:
    """Four points; the third is the choice made, every other one swaps two documents for others."""
    receipt = receipt or opinion_receipt()
    made = receipt.ranking
    points = []
    figures = ((2.0, 0.91, 0.8), (0.55, 0.962, 0.84), (0.1, 0.98, 4.0), (0.0, 1.0, 11.06))
    for n, (lam, kept, w1) in enumerate(figures):
        chosen = n == 1
        point = FrontierPoint(lam=lam, relevance_kept=kept, w1=w1, largest_gap=0.05, chosen=chosen)
        position = PositionAudit(
            calibrated=True,
            note="reordered to meet the target",
            model="qwen3-4b",
            predicted=0.2 + n / 10,
            standard_error=0.04,
            target=0.26,
            natural=0.5,
        )
        swapped = [
            each.model_copy(
                update={"document_id": 900 + each.rank + 10 * n, "title": f"Another review {each.rank}"}
            )
            if each.rank in (2, 5)
            else each
            for each in made
        ]
        ranking = made if chosen else tuple(swapped)
        points.append(Reranking(point, ranking, receipt.position if chosen else position, 0.25))
    return AnswerFrontier(tuple(points), "region")
