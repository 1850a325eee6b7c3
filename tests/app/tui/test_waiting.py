"""A model that does not answer: the line says how long it is waited for, and which try it is."""

from __future__ import annotations

import time

from agents.models.chat import Attempt
from app.tui.turns import Turn
from app.tui.widgets.status import activity_line
from tests.app.tui.conftest import opened, until
from tests.app.tui.test_chat import ask, shown


def test_seconds_and_tries() -> None:
    turn = Turn("q", state="running", stage="writing")
    first = Attempt(1, 4, time.monotonic() - 35)
    assert (
        activity_line(turn, 40, waiting=first) == "waiting for the model, 35 s, try 1 of up to 4 · Esc stops"
    )
    assert "try" not in activity_line(turn, 1, waiting=Attempt(1, 4, time.monotonic()))
    assert "try 2 of up to 4" in activity_line(turn, 1, True, Attempt(2, 4, time.monotonic()))
    assert activity_line(None, 1, waiting=first) == ""


async def test_the_line_counts_while_nothing_comes(desk, script, monkeypatch) -> None:
    script.pieces, script.hold = (), True
    attempt = Attempt(2, 3, time.monotonic() - 60)
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        monkeypatch.setattr(type(desk.backstage.parts), "waiting", property(lambda _: attempt))
        await ask(desk, pilot, "What about the food?", wait=False)
        await until(lambda: "waiting for the model, 6" in shown(desk, "#activity"), pilot)
        assert "try 2 of up to 3" in shown(desk, "#activity")
        await pilot.press("escape")
        await until(lambda: not desk.chat.streaming, pilot)
        assert shown(desk, "#activity") == ""
