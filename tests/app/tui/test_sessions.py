"""Conversations: the screen, the seam under it, and files of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import DataTable, Input

from app.bootstrap import Parts
from app.conversations import FORMATS, Conversations
from app.settings import Settings
from app.tui.app import EvenhandApp
from app.tui.screens.dialogs import ConfirmDialog, LineDialog
from app.tui.screens.sessions import SessionsScreen
from store.errors import UsageError
from tests.app.tui.conftest import TEXT, add_answers, opened, until
from tests.app.tui.hosts import seen, settle
from tests.app.tui.test_chat import ask
from tests.fakes.receipts import HOSTILE


@pytest.fixture
def kept(desk_folder: Path):
    add_answers(desk_folder, "aaa", 3, title="About the food")
    add_answers(desk_folder, "abb", 5, title="About the staff")
    parts = Parts(Settings(workspace=str(desk_folder)))
    yield Conversations(parts)
    parts.close()


async def test_resume_rename_export_and_delete(backstage, kept, tmp_path: Path) -> None:
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await pilot.press("f2")
        await until(lambda: isinstance(desk.screen, SessionsScreen) and desk.screen.rows, pilot)
        screen = desk.screen
        assert [each.id for each in screen.rows] == ["abb", "aaa"]
        await pilot.press("down", "enter")
        await until(lambda: desk.screen is desk.chat and len(desk.chat.turns) == 3, pilot)
        await ask(desk, pilot, "One more?")
        assert kept.get("aaa").answers == 4

        await pilot.press("f2")
        await until(lambda: isinstance(desk.screen, SessionsScreen) and desk.screen.rows, pilot)
        screen = desk.screen
        assert screen.rows[0].id == "aaa"
        await settle(pilot)
        table = screen.query_one(DataTable)
        widths = [column.get_render_width(table) for column in table.ordered_columns]
        assert sum(widths) <= 80
        await pilot.press("r")
        await until(lambda: isinstance(desk.screen, LineDialog), pilot)
        desk.screen.query_one(Input).value = "Food [/] 手机"
        await pilot.press("enter")
        await until(lambda: desk.screen is screen and screen.rows[0].title == "Food [/] 手机", pilot)

        await pilot.press("e")
        await until(lambda: isinstance(desk.screen, LineDialog), pilot)
        desk.screen.query_one(Input).value = str(tmp_path / "talk.json")
        await pilot.press("enter")
        await until((tmp_path / "talk.json").exists, pilot)
        await until(lambda: desk.screen is screen, pilot)

        await pilot.press("d")
        await until(lambda: isinstance(desk.screen, ConfirmDialog), pilot)
        await pilot.press("enter")
        await until(lambda: desk.screen is screen, pilot)
        assert kept.get("aaa").answers == 4
        await pilot.press("d")
        await until(lambda: isinstance(desk.screen, ConfirmDialog), pilot)
        await pilot.press("y")
        await until(lambda: desk.screen is screen and len(screen.rows) == 1, pilot)
        table = desk.screen.query_one(DataTable)
        assert table.row_count == 1
        await settle(pilot)
        assert [column.get_render_width(table) for column in table.ordered_columns] == widths
        assert "About the staff" in seen(pilot)
        await pilot.press("escape")
        # The conversation that was open is gone: a new one begins.
        await until(
            lambda: desk.screen is desk.chat and desk.chat.thread == "" and not desk.chat.turns, pilot
        )
    told = json.loads((tmp_path / "talk.json").read_text())
    assert told["title"] == "Food [/] 手机"
    assert len(told["answers"]) == 4


def test_conversations_are_found_by_the_beginning_of_their_id(kept: Conversations) -> None:
    assert kept.get("last").id == kept.all()[0].id
    assert kept.get("aa").id == "aaa"
    with pytest.raises(UsageError, match="several"):
        kept.get("a")
    with pytest.raises(UsageError, match="no conversation"):
        kept.get("x")
    with pytest.raises(UsageError, match="needs a title"):
        kept.rename("aaa", " \0\n")


def test_pages_go_back_to_the_first_answer_once_each(kept: Conversations) -> None:
    seen: list[str] = []
    before = ""
    while page := kept.page("abb", 2, before):
        seen = [each.id for each in page] + seen
        before = page[0].id
    assert seen == [f"abb-{n:05d}" for n in range(5)]
    with pytest.raises(UsageError, match="no answer"):
        kept.page("abb", 2, "none")


def test_deleting_forgets_what_follow_ups_were_understood_from(
    kept: Conversations, desk_folder: Path
) -> None:
    import sqlite3

    path = desk_folder / "checkpoints.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
        connection.execute("CREATE TABLE writes (thread_id TEXT)")
        connection.executemany("INSERT INTO checkpoints VALUES (?)", [("aaa",), ("abb",)])
    kept.delete("aaa")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT thread_id FROM checkpoints").fetchall() == [("abb",)]
    assert [each.id for each in kept.all()] == ["abb"]


@pytest.mark.parametrize("kind", FORMATS)
def test_every_form_holds_question_answer_and_receipt(
    kept: Conversations, desk_folder: Path, kind: str
) -> None:
    from store.answers import AnswerStore
    from store.database import Database

    database = Database(f"sqlite:///{desk_folder / 'evenhand.db'}")
    answers = AnswerStore(database)
    answers.interrupt(answers.begin(1, f"Evil {HOSTILE}", "aaa"), f"half {HOSTILE}", "stopped")
    database.close()
    text = kept.text("aaa", kind)
    assert "Question 0: what about the food?" in text
    assert "Crackers and carrots" in text
    assert ("receipt" if kind == ".json" else "AUDIT RECEIPT") in (text if kind == ".json" else text.upper())
    assert "stopped" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<script>" not in text or kind != ".html"
    single = kept.answer_text("aaa-00000", kind)
    assert TEXT.split(" [1]")[0][:20] in single or kind == ".html"
    with pytest.raises(UsageError, match="end the name"):
        kept.text("aaa", ".pdf")
