"""What goes wrong around the app: hostile text, resizing, locked databases, servers that die. Nothing is lost."""

from __future__ import annotations

import random
import re
import sqlite3
from pathlib import Path

import pytest
from textual.widgets import Markdown, Static

from app.backstage import Backstage
from app.bootstrap import Parts
from app.settings import Settings
from app.tui.app import EvenhandApp
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.turn import TurnView
from tests.app.tui.conftest import TEXT, add_answers, opened, until
from tests.app.tui.hosts import settle
from tests.app.tui.test_chat import ask, shown
from tests.fakes.misbehaving import MisbehavingServer, streams
from tests.fakes.receipts import HOSTILE

#: Nothing of this may ever be in a drawn line.
ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029]")


def drawn(desk: EvenhandApp) -> list[str]:
    """Every line of the screen as it goes to the terminal, with the links it carries."""
    lines = []
    for strip in desk.screen._compositor.render_strips():
        lines += [f"{segment.text}{(segment.style and segment.style.link) or ''}" for segment in strip]
    return lines


async def test_hostile_text_is_only_ever_text(backstage, script, desk_folder: Path) -> None:
    add_answers(desk_folder, "evil", 1, title=HOSTILE[:400])
    script.pieces = tuple(HOSTILE[n : n + 7] for n in range(0, len(HOSTILE), 7))
    desk = EvenhandApp(backstage, thread="evil")
    async with desk.run_test(size=(140, 40)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, HOSTILE)
        live = drawn(desk)
        await ask(desk, pilot, "next")
        settled = drawn(desk)
        await pilot.press("f2")
        await until(lambda: desk.screen is not desk.chat, pilot)
        await settle(pilot)
        listed = drawn(desk)
        await pilot.press("escape")
        await until(lambda: desk.screen is desk.chat, pilot)
        desk.chat.query_one(Prompt).text = HOSTILE
        await settle(pilot)
        for lines in (live, settled, listed, drawn(desk)):
            assert "".join(lines).strip()
            assert not [text for text in lines if ACTING.search(text)]
            assert not [text for text in lines if "javascript:" in text and "[l](" not in text]
        assert "[/]" in "".join(live)
        assert "<script>" in "".join(live)


async def test_an_answer_of_a_megabyte_is_drawn_in_part_and_stored_whole(desk, script, store) -> None:
    script.pieces = ["a word of many, " * 640] * 100
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "Everything?")
        turn = desk.chat.turns[0]
        assert turn.state == "done"
        assert len(turn.text) > 1_000_000
        assert store.get(turn.answer_id).text == turn.text
        assert "the screen ends here" in desk.chat.query_one(Markdown).source


async def test_a_storm_of_resizes_while_text_arrives(backstage, script, desk_folder: Path) -> None:
    add_answers(desk_folder, "talk", 5)
    script.pieces, script.gap = ("word " * 10 + "\n\n",) * 30, 0.005
    desk = EvenhandApp(backstage, thread="talk")
    rng = random.Random(5)
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "More?", wait=False)
        for _ in range(12):
            await pilot.resize_terminal(rng.randint(20, 180), rng.randint(5, 50))
        await pilot.resize_terminal(140, 40)
        await until(lambda: not desk.chat.streaming, pilot)
        await settle(pilot)
        assert desk.chat.turns[-1].text == "".join(script.pieces)
        panel = desk.chat.query_one("#panel-text")
        assert panel.size.height > 10
        assert desk.chat.query_one("#panel").region.right <= 140


async def test_a_database_that_is_locked_from_the_start_gives_the_question_back(
    backstage, script, desk_folder: Path, monkeypatch: pytest.MonkeyPatch, store
) -> None:
    monkeypatch.setattr("store.database.BUSY_TIMEOUT_SECONDS", 0.2)
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        other = sqlite3.connect(desk_folder / "evenhand.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await ask(desk, pilot, "What about the food?")
        assert "locked by another process" in shown(desk, ".whole") or desk.chat.turns[0].error
        assert desk.chat.turns[0].state == "failed"
        assert desk.chat.query_one(Prompt).text == "What about the food?"
        other.execute("ROLLBACK")
        other.close()
        await pilot.press("enter")
        await until(lambda: len(desk.chat.turns) == 2 and desk.chat.turns[1].state == "done", pilot)
        assert store.get(desk.chat.turns[1].answer_id).text == TEXT


async def test_an_answer_that_cannot_be_stored_is_stored_later(
    backstage, script, desk_folder: Path, monkeypatch: pytest.MonkeyPatch, store
) -> None:
    monkeypatch.setattr("store.database.BUSY_TIMEOUT_SECONDS", 0.2)
    script.hold = True
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?", wait=False)
        turn = desk.chat.turns[0]
        await until(lambda: turn.text == TEXT, pilot)
        other = sqlite3.connect(desk_folder / "evenhand.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        script.hold = False
        await until(lambda: turn.state == "failed" and not desk.chat.streaming, pilot)
        await settle(pilot)
        assert turn.text == TEXT
        assert "locked" in turn.error
        assert len(desk.chat._unsaved) == 1
        other.execute("ROLLBACK")
        other.close()
        await pilot.press("ctrl+q")
    stored = store.get(turn.answer_id)
    assert (stored.state, stored.text) == ("failed", TEXT)


async def test_an_unexpected_error_ends_the_answer_and_not_the_app(desk, script) -> None:
    script.error = RuntimeError("no [/] such \x1b[31mthing")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        assert desk.chat.turns[0].state == "failed"
        assert desk.chat.turns[0].text == TEXT
        script.error = None
        await ask(desk, pilot, "And now?")
        assert desk.chat.turns[1].state == "done"


async def test_a_database_that_cannot_be_opened_is_said_and_tried_again(
    tmp_path: Path, desk_folder: Path
) -> None:
    good = (desk_folder / "evenhand.db").read_bytes()
    (desk_folder / "evenhand.db").write_bytes(b"no database" * 1000)
    backstage = Backstage(lambda: Parts(Settings(workspace=str(desk_folder))))
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await until(lambda: desk.chat.fault, pilot)
        await settle(pilot)
        assert "damaged" in shown(desk, "#blank")
        (desk_folder / "evenhand.db").write_bytes(good)
        desk.backstage = Backstage(lambda: Parts(Settings(workspace=str(desk_folder))))
        desk.backstage.warm = lambda: None  # type: ignore[method-assign]
        await pilot.press("ctrl+r")
        await opened(desk, pilot)
        assert not desk.chat.fault
    backstage.close()
    desk.backstage.close()


async def test_interrupted_answers_of_a_dead_process_are_shown_as_such(
    backstage, desk_folder: Path, store
) -> None:
    add_answers(desk_folder, "talk", 1)
    answer_id = store.begin(1, "Was it stored?", "talk")
    store.keep(answer_id, "Half of ")
    desk = EvenhandApp(backstage, thread="talk")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        turn = desk.chat.turns[-1]
        assert (turn.text, turn.state) == ("Half of ", "interrupted")
        assert desk.chat.query(TurnView).last().has_class("-weak")
        assert "not finished" in "".join(drawn(desk))


async def test_a_server_that_dies_in_mid_answer_is_replaced_and_marked(library: Path) -> None:
    with MisbehavingServer(default=streams("Most people ", "say ", finish_reason=None, done=False)) as server:
        models = {"base_url": server.base_url, "model": "fake", "retries": {"attempts": 1}}
        settings = Settings.model_validate({"workspace": str(library), "models": {"generator": models}})
        backstage = Backstage(lambda: Parts(settings))
        desk = EvenhandApp(backstage)
        async with desk.run_test(size=(80, 24)) as pilot:
            await opened(desk, pilot)
            await ask(desk, pilot, "What do people think of the food?", wait=False)
            await until(lambda: not desk.chat.streaming, pilot, 60)
            turn = desk.chat.turns[0]
            assert turn.state == "done"
            assert turn.receipt is not None
            assert any("embedded writer instead" in each.reason for each in turn.receipt.degradations)
            assert "warning" in shown(desk, ".foot")
            head = str(desk.chat.query_one("#head", Static).render())
            assert "embedded writer (fake failed)" in head
        backstage.close()
