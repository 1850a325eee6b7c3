"""Other corpora, other models, other methods."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList

from agents.fairness.selection import METHODS as SELECTIONS
from app.backstage import Backstage
from app.bootstrap import Parts
from app.settings import Settings
from app.tui.app import EvenhandApp
from app.tui.doors import METHODS
from app.tui.screens.dialogs import ChooseDialog
from store.database import Database
from store.errors import UsageError
from store.tables import Corpus, Document, Source
from tests.app.tui.conftest import add_answers, opened, until
from tests.app.tui.hosts import settle
from tests.app.tui.test_chat import ask, shown
from tests.fakes.misbehaving import MisbehavingServer, replies


def test_every_method_of_the_agent_is_offered() -> None:
    assert {name for name, _ in METHODS} == set(SELECTIONS)


@pytest.fixture
def two_corpora(desk_folder: Path) -> Path:
    database = Database(f"sqlite:///{desk_folder / 'evenhand.db'}")
    with database.session() as session:
        corpus = Corpus(name="phones [/]")
        session.add(corpus)
        session.flush()
        source = Source(corpus_id=corpus.id, name="p")
        session.add(source)
        session.flush()
        session.add(
            Document(corpus_id=corpus.id, source_id=source.id, external_id="p", text="x", content_hash="p")
        )
    database.close()
    return desk_folder


async def test_another_corpus_starts_another_conversation(backstage, script, two_corpora: Path) -> None:
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        assert desk.corpus == "lounges"
        await ask(desk, pilot, "What about the food?")
        first = desk.chat.thread
        desk.chat.action_corpus()
        await until(lambda: isinstance(desk.screen, ChooseDialog), pilot)
        await pilot.press("down", "enter")
        await until(lambda: desk.corpus == "phones [/]" and not desk.chat.turns, pilot)
        await settle(pilot)
        assert "phones [/] (1 document)" in shown(desk, "#head")
        await ask(desk, pilot, "And the battery?")
        assert desk.chat.thread != first
        assert desk.conversations.get(desk.chat.thread).corpus == "phones [/]"


async def test_the_corpus_that_was_last_talked_to_is_taken(backstage, two_corpora: Path) -> None:
    add_answers(two_corpora, "talk", 1)
    desk = EvenhandApp(backstage, thread="last")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        assert (desk.corpus, desk.chat.thread) == ("lounges", "talk")


async def test_a_conversation_that_is_not_there_is_said(backstage) -> None:
    desk = EvenhandApp(backstage, thread="nope")
    async with desk.run_test(size=(80, 24)) as pilot:
        await until(lambda: desk.chat.fault, pilot)
        assert "no conversation `nope`" in desk.chat.fault
        await pilot.press("ctrl+r")
        await opened(desk, pilot)
        assert desk.chat.thread == ""


async def test_models_of_the_server_can_be_chosen_and_left(desk_folder: Path) -> None:
    offered = replies({"object": "list", "data": [{"id": "small"}, {"id": "large"}]})
    with MisbehavingServer(default=offered) as server:
        settings = Settings.model_validate(
            {"workspace": str(desk_folder), "models": {"base_url": server.base_url, "model": "small"}}
        )
        backstage = Backstage(lambda: Parts(settings))
        backstage.warm = lambda: None  # type: ignore[method-assign]
        desk = EvenhandApp(backstage)
        async with desk.run_test(size=(80, 24)) as pilot:
            await opened(desk, pilot)
            assert desk.model == "small"
            for presses, model in ((2, "large"), (0, ""), (1, "small")):
                desk.chat.action_model()
                await until(lambda: isinstance(desk.screen, ChooseDialog), pilot)
                await settle(pilot)
                await pilot.press("home", *["down"] * presses)
                assert desk.screen.query_one(OptionList).highlighted == presses
                await pilot.press("enter")
                await until(lambda model=model: desk.model == model, pilot)
                assert (backstage.parts.chat("generator") is None) is (model == "")
                assert (model or "embedded writer") == desk.writer
        backstage.close()


async def test_without_a_server_only_the_embedded_writer_is_offered(desk, desk_folder: Path) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        desk.chat.action_model()
        await until(lambda: isinstance(desk.screen, ChooseDialog), pilot)
        assert desk.screen.query_one(OptionList).option_count == 1
        with pytest.raises(UsageError, match="no model server"):
            await desk.backstage.use_model("any")
