"""Pictures of chat, conversations, first run and dialogs; looked at, and kept as they pleased."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from app.backstage import Backstage
from app.bootstrap import Parts
from app.settings import Settings
from app.tui.app import EvenhandApp
from app.tui.screens.again import AgainScreen
from app.tui.screens.dialogs import ChooseDialog, LineDialog
from app.tui.screens.help import HelpScreen
from app.tui.screens.sessions import SessionsScreen
from app.tui.screens.welcome import WelcomeScreen
from tests.app.tui.conftest import ScriptedBackstage, add_answers, opened, until
from tests.app.tui.hosts import settle
from tests.app.tui.pictures import pictured
from tests.app.tui.test_chat import ask

pytestmark = pictured

SMALL, WIDE = (80, 24), (140, 40)
QUESTION = "What do people think of the food?"
Run = Callable[..., Awaitable[None]]


@pytest.fixture
def answered(script) -> Run:
    async def run(pilot: Any) -> None:
        await opened(pilot.app, pilot)
        await ask(pilot.app, pilot, QUESTION)

    return run


@pytest.mark.parametrize("size", [SMALL, WIDE, (60, 16)], ids=["small", "wide", "smallest"])
def test_chat(snap_compare, desk, answered: Run, size) -> None:
    assert snap_compare(desk, terminal_size=size, run_before=answered)


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=["small", "wide"])
def test_chat_without_colour(
    snap_compare, backstage: ScriptedBackstage, answered: Run, size, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(EvenhandApp(backstage), terminal_size=size, run_before=answered)


def test_chat_in_ascii(snap_compare, backstage: ScriptedBackstage, answered: Run) -> None:
    assert snap_compare(EvenhandApp(backstage, ascii=True), terminal_size=WIDE, run_before=answered)


def test_chat_on_light(snap_compare, backstage: ScriptedBackstage, answered: Run) -> None:
    assert snap_compare(
        EvenhandApp(backstage, theme="evenhand-light"), terminal_size=SMALL, run_before=answered
    )


def test_chat_before_the_first_question(snap_compare, desk) -> None:
    async def run(pilot: Any) -> None:
        await opened(desk, pilot)

    assert snap_compare(desk, terminal_size=SMALL, run_before=run)


def test_chat_while_an_answer_is_written(snap_compare, desk, script, monkeypatch: pytest.MonkeyPatch) -> None:
    script.hold = True
    # On the class, before the screen hands it to its timer: a second that passes must not be in the picture.
    monkeypatch.setattr("app.tui.screens.chat.ChatScreen._tick", lambda screen: None)

    async def run(pilot: Any) -> None:
        await opened(desk, pilot)
        await ask(desk, pilot, QUESTION, wait=False)
        await until(lambda: desk.chat.turns[0].text == "".join(script.pieces), pilot)
        await settle(pilot)
        desk.chat._ticks = 3
        desk.chat._draw_activity()

    assert snap_compare(desk, terminal_size=SMALL, run_before=run)


def test_chat_resumed_with_an_old_answer_selected(snap_compare, backstage, desk_folder: Path) -> None:
    add_answers(desk_folder, "talk", 30, title="手机 and the food 👩‍👩‍👧")
    desk = EvenhandApp(backstage, thread="talk")

    async def run(pilot: Any) -> None:
        await opened(desk, pilot)
        await until(lambda: len(desk.chat.turns) == 20, pilot)
        await pilot.press("shift+tab")

    assert snap_compare(desk, terminal_size=WIDE, run_before=run)


def test_chat_stopped_and_failed(snap_compare, desk, script) -> None:
    async def run(pilot: Any) -> None:
        await opened(desk, pilot)
        script.error = RuntimeError("the model [/] went away")
        await ask(desk, pilot, QUESTION)

    assert snap_compare(desk, terminal_size=SMALL, run_before=run)


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=["small", "wide"])
def test_again(snap_compare, desk, script, answered: Run, size) -> None:
    async def run(pilot: Any) -> None:
        await answered(pilot)
        script.pieces = ("By relevance alone: crackers [1].",)
        desk.chat.action_unfair()
        await until(
            lambda: isinstance(desk.screen, AgainScreen) and desk.screen.second.state == "done", pilot
        )
        await until(lambda: not desk.screen.streaming, pilot)

    assert snap_compare(desk, terminal_size=size, run_before=run)


def test_sessions(snap_compare, desk, desk_folder: Path) -> None:
    add_answers(desk_folder, "one", 3)
    add_answers(
        desk_folder,
        "two",
        12,
        title="手机 Xiaomi 15: what do people say of its battery after a whole year of use?",
    )

    async def run(pilot: Any) -> None:
        await opened(desk, pilot)
        await pilot.press("f2")
        await until(lambda: isinstance(desk.screen, SessionsScreen) and desk.screen.rows, pilot)

    assert snap_compare(desk, terminal_size=SMALL, run_before=run)


def test_help(snap_compare, desk) -> None:
    async def run(pilot: Any) -> None:
        await opened(desk, pilot)
        await pilot.press("f1")
        await until(lambda: isinstance(desk.screen, HelpScreen), pilot)

    assert snap_compare(desk, terminal_size=SMALL, run_before=run)


def test_methods(snap_compare, desk, answered: Run) -> None:
    async def run(pilot: Any) -> None:
        await answered(pilot)
        await pilot.press("f5")
        await until(lambda: isinstance(desk.screen, ChooseDialog), pilot)

    assert snap_compare(desk, terminal_size=SMALL, run_before=run)


def test_saving(snap_compare, desk, answered: Run) -> None:
    async def run(pilot: Any) -> None:
        await answered(pilot)
        await pilot.press("f8")
        await until(lambda: isinstance(desk.screen, ChooseDialog), pilot)
        await pilot.press("enter")
        await until(lambda: isinstance(desk.screen, LineDialog), pilot)
        field = desk.screen.query_one(Input)
        field.value = "food.md"

    assert snap_compare(desk, terminal_size=SMALL, run_before=run)


def test_first_run(snap_compare, tmp_path: Path) -> None:
    backstage = Backstage(lambda: Parts(Settings(workspace=str(tmp_path / "none"))))
    desk = EvenhandApp(backstage)

    async def run(pilot: Any) -> None:
        await until(lambda: isinstance(desk.screen, WelcomeScreen), pilot)

    assert snap_compare(desk, terminal_size=SMALL, run_before=run)
    backstage.close()
