"""Signals, Ctrl-C and a closed terminal, in a real pseudo-terminal: the terminal is restored, nothing is lost."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.main import main

LEFT_ALTERNATE_SCREEN = b"\x1b[?1049l"
SHOWN_CURSOR = b"\x1b[?25h"


class Terminal:
    """A program in a pseudo-terminal of 80x24."""

    def __init__(self, *command: str) -> None:
        self.leader, self.follower = pty.openpty()
        self.before = termios.tcgetattr(self.follower)
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=self.follower,
            stdout=self.follower,
            stderr=self.follower,
            env=environment,
            start_new_session=True,
        )
        self.seen = b""

    def wait_for(self, text: bytes, seconds: float = 60.0) -> None:
        """Read until a text was written."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            left = end - time.monotonic()
            assert left > 0, f"{text!r} did not come: {self.seen[-2000:]!r}"
            self.read(left)

    def read(self, seconds: float) -> bool:
        """Read what there is; returns whether there may be more."""
        if not select.select([self.leader], [], [], seconds)[0]:
            return False
        try:
            got = os.read(self.leader, 65536)
        except OSError:
            return False
        self.seen += got
        return bool(got)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.leader, text.encode())

    def ended(self, seconds: float = 60.0) -> int:
        """Wait for the end; returns the exit code."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, "the program did not end"
            self.read(0.05)
        while self.read(0.05):
            pass
        return self.process.returncode

    def close(self) -> None:
        """End what is left."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.leader, self.follower):
            try:
                os.close(descriptor)
            except OSError:
                continue


@pytest.fixture
def chat(desk_folder: Path) -> Iterator[Terminal]:
    """The app, writing an answer slowly."""
    terminal = Terminal("-m", "tests.app.tui.scripted_main", str(desk_folder), "0.05")
    yield terminal
    terminal.close()


def begin_answer(chat: Terminal) -> None:
    chat.wait_for(b"Enter sends")
    chat.wait_for(b"For example")
    chat.type("Food?\r")
    chat.wait_for(b"praise")


def restored(chat: Terminal) -> bool:
    return (
        LEFT_ALTERNATE_SCREEN in chat.seen
        and SHOWN_CURSOR in chat.seen.rsplit(b"\x1b[?25l", 1)[-1]
        and termios.tcgetattr(chat.follower)[:4] == chat.before[:4]
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stores_the_answer_and_restores_the_terminal(
    chat: Terminal, store, number: signal.Signals
) -> None:
    begin_answer(chat)
    chat.process.send_signal(number)
    assert chat.ended() == 128 + number
    assert restored(chat)
    stored = store.newest()[0]
    assert stored.state == "stopped"
    assert "26 praise" in stored.text


def test_ctrl_c_does_not_end_the_chat_and_ctrl_q_does(chat: Terminal, store) -> None:
    begin_answer(chat)
    chat.type("\x03")
    chat.wait_for(b"quit")
    assert chat.process.poll() is None
    chat.type("\x11")
    assert chat.ended() == 0
    assert restored(chat)
    assert store.newest()[0].state == "stopped"


def test_a_terminal_that_is_closed_loses_nothing(chat: Terminal, store) -> None:
    begin_answer(chat)
    os.close(chat.leader)
    os.close(chat.follower)
    # Without a controlling terminal nobody sends SIGHUP for us; the shell or tmux would.
    chat.process.send_signal(signal.SIGHUP)
    chat.process.wait(60)
    stored = store.newest()[0]
    assert stored.state == "stopped"
    assert "26 praise" in stored.text


def test_kill_9_keeps_what_was_written_until_a_moment_before(
    chat: Terminal, store, desk_folder: Path
) -> None:
    from app.bootstrap import Parts
    from app.conversations import Conversations
    from app.settings import Settings

    chat.wait_for(b"For example")
    chat.type("Food?\r")
    chat.wait_for(b"praise")
    chat.process.kill()
    chat.process.wait()
    parts = Parts(Settings(workspace=str(desk_folder)))
    kept = Conversations(parts)
    found = kept.all()
    assert [each.answers for each in found] == [1]
    assert kept.page(found[0].id)[0].question == "Food?"
    parts.close()


def test_chat_needs_a_terminal_or_the_line_mode(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chat"]) == 2
    assert "--plain" in capsys.readouterr().err
