"""Reading in the chat: warnings in words, the newest answer first, a question that is never lost, answers erased."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.widgets import Static

from app.backstage import Backstage
from app.bootstrap import Parts
from app.settings import Settings
from app.tui.app import EvenhandApp
from app.tui.screens.audit import AuditScreen
from app.tui.screens.ingest import IngestScreen
from app.tui.screens.welcome import WelcomeScreen
from app.tui.turns import Turn, foot
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.turn import TurnView
from store.answers import AnswerStore
from store.database import Database
from store.tables import Answer, Document
from tests.app.tui.conftest import add_answers, opened, until
from tests.app.tui.hosts import seen, settle
from tests.app.tui.test_chat import ask
from tests.fakes.receipts import degraded_receipt, opinion_receipt


def test_the_first_warning_stands_in_words_under_the_answer() -> None:
    from app.views.words import warnings

    told = warnings(degraded_receipt())
    assert len(told) > 1
    under = foot(Turn("q", "a", "text", "done", receipt=degraded_receipt())).splitlines()
    assert under[1] == f"! {told[0]} ({len(told) - 1} more: F3)"
    sound = opinion_receipt().model_copy(update={"degradations": (), "unmet": ()})
    assert warnings(sound) or "\n" not in foot(Turn("q", "a", "text", "done", receipt=sound))


async def test_tab_goes_to_the_newest_answer_and_letters_come_back(backstage, desk_folder: Path) -> None:
    add_answers(desk_folder, "talk", 5)
    desk = EvenhandApp(backstage, thread="talk")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        prompt = desk.chat.query_one(Prompt)
        await pilot.press("w", "tab")
        assert desk.focused is desk.chat.query(TurnView).last()
        await pilot.press("up")
        assert desk.focused is desk.chat.query(TurnView)[-2]
        await pilot.press("j", "k", "space", "x")
        assert desk.focused is prompt
        assert prompt.text == "wjk x"
        await pilot.press("tab", "escape")
        assert desk.focused is prompt
        await pilot.press("tab", "tab")
        assert desk.focused is prompt


async def test_a_long_answer_is_read_from_its_start(desk, script) -> None:
    script.pieces = tuple(f"Line {n}.\n\n" for n in range(40))
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        log, view = desk.chat.query_one("#log"), desk.chat.query(TurnView).last()
        await until(lambda: log.scroll_y == view.virtual_region.y, pilot)
        assert view.virtual_region.height > log.size.height
        # The next one follows its end again while it is written.
        script.hold = True
        await ask(desk, pilot, "And now?", wait=False)
        await until(lambda: "Line 39" in desk.chat.turns[-1].text, pilot)
        await until(lambda: log.is_vertical_scroll_end, pilot)
        await pilot.press("escape")


async def test_an_answer_erased_elsewhere_is_blanked_and_not_opened(desk, script, store: AnswerStore) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        turn = desk.chat.turns[0]
        await pilot.press("f3")
        await until(lambda: isinstance(desk.screen, AuditScreen), pilot)
        await pilot.press("escape")
        await until(lambda: desk.screen is desk.chat, pilot)
        _delete(store, turn.answer_id)
        for key in ("f3", "f8", "ctrl+y", "f5"):
            await pilot.press(key)
            await until(lambda: turn.state == "erased", pilot)
            await settle(pilot)
            assert desk.screen is desk.chat
        assert turn.text == ""
        assert turn.receipt is None
        assert "this answer was erased" in seen(pilot)
        assert "warm dishes" not in seen(pilot).lower()
        assert desk.clipboard == ""


def _delete(store: AnswerStore, answer_id: str) -> None:
    with store._database.session() as session:
        session.delete(session.get(Answer, answer_id))


async def test_a_workspace_that_is_deleted_is_said_and_the_question_kept(
    desk, script, desk_folder: Path
) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        shutil.rmtree(desk_folder)
        await ask(desk, pilot, "And the staff?")
        turn = desk.chat.turns[-1]
        assert turn.state == "failed"
        assert "is gone" in turn.error
        assert "delete" not in turn.error
        assert desk.chat.query_one(Prompt).text == "And the staff?"


@pytest.mark.parametrize("pieces", [(), ("Half of it",)])
async def test_an_unexpected_error_gives_the_question_back(desk, script, pieces: tuple[str, ...]) -> None:
    script.pieces, script.error = pieces, RuntimeError("nobody thought of it")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        assert "nobody thought of it" in desk.chat.turns[0].error
        await until(lambda: desk.chat.query_one(Prompt).text == "What about the food?", pilot)


async def test_the_head_counts_documents_that_came_from_outside(desk, script, desk_folder: Path) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        assert "(3 documents)" in str(desk.chat.query_one("#head", Static).render())
        database = Database(f"sqlite:///{desk_folder / 'evenhand.db'}")
        with database.session() as session:
            session.add(Document(corpus_id=1, source_id=1, external_id="r9", text="new", content_hash="9"))
        database.close()
        await ask(desk, pilot, "What about the food?")
        await until(lambda: "(4 documents)" in str(desk.chat.query_one("#head", Static).render()), pilot)


async def test_without_an_answer_the_keys_offer_none(backstage, desk_folder: Path) -> None:
    add_answers(desk_folder, "talk", 2)
    desk = EvenhandApp(backstage, thread="talk")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await until(lambda: "Again" in shown_keys(desk), pilot)
        await pilot.press("ctrl+n")
        await until(lambda: "Again" not in shown_keys(desk), pilot)


def shown_keys(desk: EvenhandApp) -> str:
    return " ".join(each.description for each in desk.screen.query("FooterKey"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [60, 70, 80, 140])
async def test_help_and_quit_are_always_among_the_keys(desk, script, width: int) -> None:
    async with desk.run_test(size=(width, 16)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        await settle(pilot)
        last = seen(pilot).splitlines()[-1]
        assert "Help" in last
        assert "Quit" in last
        assert ("Explore" in last) is (width >= 80)


async def test_enter_is_a_word_in_ascii(backstage) -> None:
    desk = EvenhandApp(backstage, ascii=True)
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await pilot.press("f2")
        await until(lambda: "Resume" in seen(pilot), pilot)
        assert "enter" in seen(pilot).splitlines()[-1]
        await pilot.press("f1")
        await until(lambda: "U0001f355" in seen(pilot), pilot)


@pytest.mark.parametrize("endpoint", [True, False])
async def test_the_first_run_reads_a_file_by_key_and_says_what_leaves(tmp_path: Path, endpoint: bool) -> None:
    model = {"base_url": "http://models.example:8000/v1", "model": "m"}
    models = {"models": {"generator": model}} if endpoint else {}
    settings = Settings.model_validate({"workspace": str(tmp_path / "new"), **models})
    backstage = Backstage(lambda: Parts(settings))
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(desk.screen, WelcomeScreen), pilot)
        words = desk.screen.HELP_WORDS  # type: ignore[attr-defined]
        assert ("models.example:8000" in words) is endpoint
        assert ("Everything stays on this machine" in words) is not endpoint
        await pilot.press("f9")
        await until(lambda: isinstance(desk.screen, IngestScreen), pilot)
        await pilot.resize_terminal(40, 10)
        await until(lambda: "too small: at least 60x16" in seen(pilot), pilot)
        await pilot.resize_terminal(80, 24)
        await until(lambda: "too small" not in seen(pilot), pilot)
    backstage.close()
