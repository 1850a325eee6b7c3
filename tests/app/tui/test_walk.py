"""From nothing to an exported receipt without a mouse: by Pilot, and in a real terminal through tmux, 80x24.

First run -> demo corpus -> question -> streamed answer -> audit -> frontier moved -> source opened -> export -> quit.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Input

from app.backstage import Backstage
from app.bootstrap import Parts
from app.settings import Settings
from app.tui.app import EvenhandApp
from app.tui.screens.audit import AuditScreen
from app.tui.screens.dialogs import LineDialog
from app.tui.screens.ingest import IngestScreen
from app.tui.screens.source import SourceScreen
from app.tui.screens.welcome import WelcomeScreen
from app.tui.widgets.prompt import Prompt
from tests.app.tui.conftest import until
from tests.app.tui.hosts import settle

REVIEWS = 40
QUESTION = "What do people think of the food?"


async def test_the_walk_by_pilot(tmp_path: Path) -> None:
    backstage = Backstage(lambda: Parts(Settings(workspace=str(tmp_path / "new"))))
    desk = EvenhandApp(backstage, demo_reviews=REVIEWS)
    async with desk.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(desk.screen, WelcomeScreen), pilot)
        await pilot.press("enter")
        await until(lambda: desk.chat.opened and desk.screen is desk.chat, pilot, 120)
        desk.chat.query_one(Prompt).text = QUESTION
        await pilot.press("enter")
        await until(lambda: desk.chat.turns and desk.chat.turns[0].state == "done", pilot, 60)
        await until(lambda: not desk.chat.streaming, pilot)
        await pilot.press("f3")
        await until(lambda: isinstance(desk.screen, AuditScreen) and desk.screen.receipt is not None, pilot)
        audit = desk.screen
        await pilot.press("3")
        await until(lambda: audit.frontier is not None, pilot, 60)
        before = audit.point
        moved = "right" if before < len(audit.frontier.points) - 1 else "left"
        await pilot.press(moved)
        await until(lambda: audit.point != before, pilot)
        await pilot.press("4")
        await settle(pilot)
        await pilot.press("enter")
        await until(lambda: isinstance(desk.screen, SourceScreen) and desk.screen.view is not None, pilot)
        await pilot.press("escape")
        await until(lambda: desk.screen is audit, pilot)
        await pilot.press("e")
        await until(lambda: isinstance(desk.screen, LineDialog), pilot)
        target = tmp_path / "receipt.md"
        desk.screen.query_one(Input).value = str(target)
        await pilot.press("enter")
        await until(target.exists, pilot)
        await until(lambda: desk.screen is audit, pilot)
        await pilot.press("escape")
        await until(lambda: desk.screen is desk.chat, pilot)
        await pilot.press("ctrl+q")
    backstage.close()
    assert desk.return_code == 0
    assert QUESTION in target.read_text()


async def test_the_first_run_leads_to_a_file_of_ones_own_and_back(tmp_path: Path) -> None:
    backstage = Backstage(lambda: Parts(Settings(workspace=str(tmp_path / "new"))))
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(desk.screen, WelcomeScreen), pilot)
        await pilot.press("down", "enter")
        await until(lambda: isinstance(desk.screen, IngestScreen), pilot)
        await pilot.press("escape")
        await until(lambda: isinstance(desk.screen, WelcomeScreen), pilot)
        assert not (tmp_path / "new" / "evenhand.db").exists()
        # Nothing to go back to: Esc stays here.
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(desk.screen, WelcomeScreen)
        await pilot.press("end", "enter")
        await pilot.pause(0.1)
    backstage.close()
    assert desk.return_code == 0


class Tmux:
    """A tmux server of its own with one window of 80x24."""

    def __init__(self, command: str) -> None:
        self.socket = f"evenhand-{uuid.uuid4().hex[:8]}"
        self.call("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", command)
        self.call("set-option", "-g", "remain-on-exit", "on")

    def call(self, *arguments: str) -> str:
        """Run a tmux command; returns what it prints."""
        done = subprocess.run(
            ["tmux", "-L", self.socket, *arguments], capture_output=True, text=True, check=True, timeout=30
        )
        return done.stdout

    def screen(self) -> str:
        """What is on the screen."""
        return self.call("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        """Press keys, by tmux's names."""
        self.call("send-keys", *keys)

    def wait_for(self, text: str, seconds: float = 120.0) -> str:
        """Wait until a text is on the screen."""
        end = time.monotonic() + seconds
        while text not in (screen := self.screen()):
            assert time.monotonic() < end, f"{text!r} did not come:\n{screen}"
            time.sleep(0.1)
        return screen

    def close(self) -> None:
        """End the server and what runs in it."""
        subprocess.run(
            ["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False, timeout=30
        )


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed: this walk needs a real terminal (the same one by Pilot ran)")
    root = Path(__file__).parents[3]
    # The shell keeps the exit code in a file: tmux does not always learn of it.
    command = (
        f"cd {root}; {sys.executable} -m tests.app.tui.small_demo {tmp_path / 'new'} {REVIEWS}; "
        f"echo $? > {tmp_path / 'code'}"
    )
    found = Tmux(command)
    yield found
    found.close()


def test_the_walk_in_a_terminal(tmux: Tmux, tmp_path: Path) -> None:
    target = tmp_path / "r.md"
    tmux.wait_for("Welcome to Evenhand")
    tmux.press("Enter")
    tmux.wait_for("For example")
    tmux.press("-l", QUESTION)
    tmux.press("Enter")
    tmux.wait_for("hold a view")
    # A long answer shows its beginning: the receipt line is below.
    end = time.monotonic() + 60
    while "top-k" not in tmux.screen():
        assert time.monotonic() < end, tmux.screen()
        tmux.press("PageDown")
        time.sleep(0.3)
    tmux.press("F3")
    tmux.wait_for("Opinions")
    tmux.press("3")
    tmux.wait_for("Trade-off")
    time.sleep(1.0)
    before = tmux.screen()
    tmux.press("Right")
    time.sleep(0.5)
    if tmux.screen() == before:
        tmux.press("Left")
    end = time.monotonic() + 60
    while tmux.screen() == before:
        assert time.monotonic() < end, f"the point did not move:\n{before}"
        time.sleep(0.1)
    tmux.press("4")
    time.sleep(0.5)
    tmux.press("Enter")
    tmux.wait_for("Next quote")
    tmux.press("Escape")
    tmux.wait_for("Export")
    tmux.press("e")
    tmux.wait_for("Cancel")
    tmux.press("C-u")
    tmux.press("-l", str(target))
    tmux.press("Enter")
    end = time.monotonic() + 60
    while not target.exists():
        assert time.monotonic() < end, tmux.screen()
        time.sleep(0.1)
    assert QUESTION in target.read_text()
    tmux.press("C-q")
    code = tmp_path / "code"
    end = time.monotonic() + 60
    while not code.exists() or not code.read_text():
        assert time.monotonic() < end, tmux.screen()
        time.sleep(0.1)
    assert code.read_text().strip() == "0"
    # The alternate screen is left: nothing of the app stays.
    assert "Evenhand" not in tmux.screen()
    assert "Audit" not in tmux.screen()
    assert (tmp_path / "new" / "evenhand.db").is_file()
