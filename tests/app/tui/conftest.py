"""A real workspace with a scripted service: what is stored is real, what is written is known beforehand."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from app.backstage import Backstage
from app.bootstrap import Parts
from app.events import AnswerBegun, AnswerReady, StageFinished, StageStarted, TokenReceived
from app.service import Service
from app.settings import Settings
from app.tui.app import EvenhandApp
from store.answers import AnswerStore
from store.database import Database
from store.receipt import AuditReceipt
from store.tables import Answer, Corpus, Document, Source, Thread
from tests.app.tui.hosts import settle
from tests.fakes.receipts import opinion_receipt

#: When the first stored answer was asked; every later one a minute after the one before.
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
TEXT = (
    "Of 54 reviewers who speak of the food, 26 praise it and 22 complain [1][3].\n\n"
    "- “Warm dishes *all day*, and good ones.” [1]\n- “Crackers and carrots; we are all to eat like rabbits.” [2]\n"
)


@dataclass
class Script:
    """What the service says to the next questions."""

    pieces: Sequence[str] = (TEXT,)
    gap: float = 0.0
    error: Exception | None = None
    #: Set when the last piece was said; the answer ends when ``release`` is set.
    hold: bool = False
    asked: list[tuple[str, str | None, dict[str, Any]]] = field(default_factory=list)


class ScriptedService(Service):
    """Says what the script says, and stores it as the real one does."""

    def __init__(self, parts: Parts, script: Script) -> None:
        super().__init__(parts)
        self.script = script

    async def ask(
        self,
        question: str,
        corpus: str = "",
        *,
        thread: str | None = None,
        options: dict[str, Any] | None = None,
    ) -> AsyncGenerator[Any]:
        script, answers = self.script, self.parts.answers
        script.asked.append((question, thread, dict(options or {})))
        found = self.parts.repository.corpus(corpus)
        if thread is not None:
            answers.ensure_thread(found.id, thread, question)
        answer_id = answers.begin(found.id, question, thread)
        said: list[str] = []
        outcome = "stopped"
        try:
            yield AnswerBegun(answer_id)
            for stage, detail in (("route", "opinion"), ("link", "food"), ("rerank", "exact, 20 documents")):
                yield StageStarted(stage)
                yield StageFinished(stage, 0.0, detail)
            yield StageStarted("generate")
            for piece in script.pieces:
                said.append(piece)
                yield TokenReceived(piece)
                await asyncio.sleep(script.gap)
            if script.error is not None:
                raise script.error
            while script.hold:
                await asyncio.sleep(0.01)
            receipt = receipt_of(answer_id, question, "".join(said), (options or {}).get("method", "exact"))
            answers.finish(answer_id, receipt.answer, receipt)
            outcome = "done"
            yield AnswerReady(answer_id, receipt.answer, receipt)
        except Exception:
            outcome = "failed"
            raise
        finally:
            if outcome != "done":
                answers.interrupt(answer_id, "".join(said), outcome)


def receipt_of(answer_id: str, question: str, text: str, method: str = "exact") -> AuditReceipt:
    """A realistic receipt of this answer."""
    made = opinion_receipt()
    chosen = made.selection
    assert chosen is not None
    return made.model_copy(
        update={
            "answer_id": answer_id,
            "question": question,
            "standalone_question": question,
            "answer": text,
            "selection": chosen.model_copy(update={"method": method}),
        }
    )


class ScriptedBackstage(Backstage):
    """A backstage whose service is scripted and whose model is never loaded."""

    def __init__(self, make: Callable[[], Parts], script: Script) -> None:
        super().__init__(make)
        self.script = script

    def open(self) -> bool:
        self.__dict__["service"] = ScriptedService(self.parts, self.script)
        return super().open()

    def warm(self) -> None:
        return


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TEXTUAL_THEME", "COLORTERM", "TEXTUAL_FILTERS", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("app.tui.clipboard.native_copy", lambda _text: "")
    # A cursor that blinks never comes to rest.
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _field: None)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def desk_folder(tmp_path: Path, sqlite_template: Path) -> Path:
    """A workspace with one small corpus and no answers."""
    folder = tmp_path / "desk"
    folder.mkdir()
    shutil.copy(sqlite_template, folder / "evenhand.db")
    database = Database(f"sqlite:///{folder / 'evenhand.db'}")
    with database.session() as session:
        corpus = Corpus(name="lounges", extractor="lexical")
        session.add(corpus)
        session.flush()
        source = Source(corpus_id=corpus.id, name="reviews.csv")
        session.add(source)
        session.flush()
        for n in range(3):
            text = f"Review {n}: warm dishes *all day*, and good ones."
            session.add(
                Document(
                    corpus_id=corpus.id,
                    source_id=source.id,
                    external_id=f"r{n}",
                    text=text,
                    content_hash=f"{n}",
                )
            )
    database.close()
    return folder


@pytest.fixture
def backstage(desk_folder: Path, script: Script) -> Iterator[ScriptedBackstage]:
    made = ScriptedBackstage(lambda: Parts(Settings(workspace=str(desk_folder))), script)
    yield made
    made.close()


@pytest.fixture
def desk(backstage: ScriptedBackstage) -> EvenhandApp:
    return EvenhandApp(backstage)


@pytest.fixture
def store(desk_folder: Path) -> Iterator[AnswerStore]:
    """The answers of the workspace, seen from another connection."""
    database = Database(f"sqlite:///{desk_folder / 'evenhand.db'}")
    yield AnswerStore(database)
    database.close()


def add_answers(folder: Path, thread: str, count: int, title: str = "About the food") -> None:
    """Store a conversation of so many answers."""
    database = Database(f"sqlite:///{folder / 'evenhand.db'}")
    receipt = receipt_of("x", "What about the food?", TEXT).model_dump(mode="json")
    with database.session() as session:
        session.add(
            Thread(
                id=thread,
                corpus_id=1,
                title=title,
                created_at=START,
                updated_at=START + timedelta(minutes=count),
            )
        )
        session.flush()
        for n in range(count):
            answer_id, question = f"{thread}-{n:05d}", f"Question {n}: what about the food?"
            session.add(
                Answer(
                    id=answer_id,
                    corpus_id=1,
                    thread_id=thread,
                    question=question,
                    text=TEXT,
                    state="done",
                    receipt={**receipt, "answer_id": answer_id, "question": question},
                    created_at=START + timedelta(minutes=n),
                )
            )
    database.close()


async def until(condition: Callable[[], Any], pilot: Any, seconds: float = 20.0) -> None:
    """Wait until something is so; fails when it does not come."""
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        await pilot.pause(0.02)
    raise AssertionError("it did not happen in time")


async def opened(desk: EvenhandApp, pilot: Any) -> None:
    """Wait until the chat can be used."""
    await until(lambda: desk.chat.opened and desk.chat.query("#head"), pilot)
    await settle(pilot)


@pytest.fixture
def snap_compare(snap_compare: Callable[..., bool]) -> Callable[..., bool]:
    """Compare pictures of a screen at rest."""

    def compare(
        app: Any, *, run_before: Callable[[Any], Awaitable[None]], terminal_size: tuple[int, int]
    ) -> bool:
        async def run(pilot: Any) -> None:
            await run_before(pilot)
            await settle(pilot)

        return snap_compare(app, terminal_size=terminal_size, run_before=run)

    return compare
