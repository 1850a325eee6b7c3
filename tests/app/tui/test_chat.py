"""The chat, driven by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, Markdown, OptionList, Static

from app.tui.app import EvenhandApp
from app.tui.screens.again import AgainScreen
from app.tui.screens.dialogs import ChooseDialog, LineDialog
from app.tui.screens.help import HelpScreen
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.turn import Older, TurnView
from tests.app.tui.conftest import TEXT, add_answers, opened, until
from tests.app.tui.hosts import settle


def shown(desk: EvenhandApp, selector: str) -> str:
    return "\n".join(str(found.render()) for found in desk.screen.query(selector).results(Static))


async def ask(desk: EvenhandApp, pilot, question: str, *, wait: bool = True) -> None:
    desk.chat.query_one(Prompt).text = question
    before = len(desk.chat.turns)
    await pilot.press("enter")
    await until(lambda: len(desk.chat.turns) > before, pilot)
    if wait:
        await until(lambda: not desk.chat.streaming, pilot)
        await settle(pilot)


async def test_a_question_is_answered_stored_and_gets_its_receipt_line(desk, script, store) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await pilot.press(*"What about the food?")
        await pilot.press("enter")
        await until(lambda: desk.chat.turns and desk.chat.turns[0].state == "done", pilot)
        await settle(pilot)
        turn = desk.chat.turns[0]
        assert turn.text == TEXT
        assert desk.chat.query_one(Markdown).source.replace("\\", "") == TEXT
        foot = shown(desk, ".foot")
        assert "opinion" in foot
        assert "W1" in foot
        assert "author gap" in foot
        assert desk.chat.query_one(Prompt).text == ""
        stored = store.get(turn.answer_id)
        assert (stored.state, stored.text, stored.thread_id) == ("done", TEXT, desk.chat.thread)


async def test_follow_ups_stay_in_the_conversation_and_a_new_one_does_not(desk, script) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        await ask(desk, pilot, "And the staff?")
        first = desk.chat.thread
        await pilot.press("ctrl+n")
        await until(lambda: desk.chat.thread == "", pilot)
        assert not desk.chat.query(TurnView)
        await ask(desk, pilot, "Showers?")
        threads = [thread for _, thread, _ in script.asked]
        assert threads[0] == threads[1] == first
        assert threads[2] not in (None, first)


async def test_escape_stops_and_keeps_what_was_written(desk, script, store) -> None:
    script.pieces, script.hold = ("Half of the ", "answer"), True
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?", wait=False)
        turn = desk.chat.turns[0]
        await until(lambda: turn.text == "Half of the answer", pilot)
        await pilot.press("escape")
        await until(lambda: turn.state == "stopped", pilot)
        await until(lambda: not desk.chat.streaming, pilot)
        stored = store.get(turn.answer_id)
        assert (stored.state, stored.text) == ("stopped", "Half of the answer")
        assert "stopped" in shown(desk, ".foot")
        assert desk.chat.query_one(Markdown).source == "Half of the answer"
        # The next question can be stopped as well: the old worker does not end the new one's state.
        await ask(desk, pilot, "Again?", wait=False)
        await until(lambda: desk.chat.turns[1].text != "", pilot)
        assert desk.chat.streaming
        await pilot.press("escape")
        await until(lambda: desk.chat.turns[1].state == "stopped", pilot)


async def test_lines_history_and_sending_while_an_answer_is_written(desk, script, desk_folder: Path) -> None:
    add_answers(desk_folder, "old", 2)
    script.hold = True
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        prompt = desk.chat.query_one(Prompt)
        await pilot.press("a", "ctrl+j", "b")
        assert prompt.text == "a\nb"
        await pilot.press("up", "up")
        assert prompt.text == "Question 1: what about the food?"
        await pilot.press("up", "up", "up")
        assert prompt.text == "Question 0: what about the food?"
        await pilot.press("down", "down")
        assert prompt.text == "a\nb"
        await pilot.press("enter")
        await until(lambda: desk.chat.streaming, pilot)
        await pilot.press("c", "enter")
        assert prompt.text == "c"
        assert len(desk.chat.turns) == 1
        assert desk.chat.turns[0].question == "a\nb"
        script.hold = False
        await until(lambda: not desk.chat.streaming, pilot)


async def test_a_question_typed_before_the_service_is_open_is_asked_then(backstage, script) -> None:
    import threading

    gate = threading.Event()
    make = backstage._make
    backstage._make = lambda: (gate.wait(10), make())[1]
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"Early?", "enter")
        assert "opening" in shown(desk, "#activity")
        gate.set()
        await until(lambda: desk.chat.turns and desk.chat.turns[0].state == "done", pilot)
        assert script.asked[0][0] == "Early?"


async def test_long_conversations_show_their_end_and_load_older_answers(backstage, desk_folder: Path) -> None:
    add_answers(desk_folder, "long", 45)
    desk = EvenhandApp(backstage, thread="long")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await until(lambda: len(desk.chat.query(TurnView)) == 20, pilot)
        assert desk.chat.turns[-1].question.startswith("Question 44")
        assert len(desk.chat.query(Markdown)) == 0
        desk.chat.query_one(Older).focus()
        await pilot.press("enter")
        await until(lambda: len(desk.chat.query(TurnView)) == 40, pilot)
        desk.chat.query_one(Older).focus()
        await pilot.press("enter")
        await until(lambda: len(desk.chat.query(TurnView)) == 45, pilot)
        await settle(pilot)
        assert [turn.question.split(":")[0] for turn in desk.chat.turns] == [
            f"Question {n}" for n in range(45)
        ]
        assert not desk.chat.query(Older)


async def test_scrolling_up_while_text_arrives_keeps_the_place(backstage, script, desk_folder: Path) -> None:
    add_answers(desk_folder, "long", 20)
    script.pieces, script.gap = ["word " * 20 + "\n\n"] * 40, 0.01
    desk = EvenhandApp(backstage, thread="long")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "More?", wait=False)
        await until(lambda: len(desk.chat.turns[-1].text) > 500, pilot)
        await pilot.press("pageup", "pageup")
        await pilot.pause()
        log = desk.chat.query_one("#log")
        place = log.scroll_y
        await until(lambda: not desk.chat.streaming, pilot)
        assert log.scroll_y == place
        assert log.max_scroll_y > place + 10


async def test_asking_again_without_fairness_shows_both_answers(desk, script, store) -> None:
    async with desk.run_test(size=(140, 40)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        script.pieces = ("By relevance alone.",)
        await pilot.press("f5")
        await until(lambda: isinstance(desk.screen, ChooseDialog), pilot)
        await pilot.press("enter")
        await until(lambda: isinstance(desk.screen, AgainScreen), pilot)
        screen = desk.screen
        await until(lambda: screen.second.state == "done" and not screen.streaming, pilot)
        await settle(pilot)
        assert script.asked[1] == ("What about the food?", None, {"method": "relevance"})
        views = list(screen.query(TurnView))
        assert views[0].region.x < views[1].region.x
        assert views[0].region.y == views[1].region.y
        assert "By relevance alone." in screen.second.text
        assert str(screen.query_one("#difference-text", Static).render()).strip()
        await pilot.press("escape")
        await until(lambda: desk.screen is desk.chat, pilot)
        assert len(desk.chat.turns) == 1


async def test_saving_writes_the_answer_and_asks_before_writing_over(desk, script, tmp_path: Path) -> None:
    target = tmp_path / "answer.md"
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        for over in (False, True):
            await pilot.press("f8")
            await until(lambda: isinstance(desk.screen, ChooseDialog), pilot)
            await pilot.press("enter")
            await until(lambda: isinstance(desk.screen, LineDialog), pilot)
            desk.screen.query_one(Input).value = str(target)
            await pilot.press("enter")
            if over:
                await until(lambda: desk.screen.query(OptionList), pilot)
                target.write_text("mine")
                await pilot.press("n")
            await until(lambda: desk.screen is desk.chat, pilot)
            await until(target.exists, pilot)
        assert target.read_text() == "mine"


async def test_copy_takes_the_answer_as_it_is(desk, script) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "What about the food?")
        await pilot.press("ctrl+y")
        await until(lambda: desk.clipboard, pilot)
        assert desk.clipboard == TEXT


async def test_ctrl_c_never_quits_and_help_lists_live_keys(desk, script) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        await pilot.press("ctrl+c")
        await settle(pilot)
        assert desk.is_running
        await pilot.press("f1")
        await until(lambda: isinstance(desk.screen, HelpScreen), pilot)
        text = shown(desk, ".dialog-body Static")
        assert "f3" in text
        assert "Conversations" in text
        assert "Stop" not in text.split("Type a question")[0]
        await pilot.press("escape")
        await until(lambda: desk.screen is desk.chat, pilot)


async def test_the_palette_does_by_name_what_keys_do(desk, script) -> None:
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        titles = [command.title for command in desk.get_system_commands(desk.chat)]
        assert "Audit" not in titles
        await ask(desk, pilot, "What about the food?")
        titles = [command.title for command in desk.get_system_commands(desk.chat)]
        assert {
            "Audit",
            "Choose corpus ...",
            "Choose model ...",
            "Choose method ...",
            "Sessions",
            "Theme",
            "Quit",
        } <= set(titles)
        await pilot.press("ctrl+p", *"Choose me", "enter")
        await until(lambda: isinstance(desk.screen, ChooseDialog), pilot)
        await pilot.press("down", "down", "enter")
        await until(lambda: desk.screen is desk.chat, pilot)
        await ask(desk, pilot, "And now?")
        assert script.asked[1][2] == {"method": "exact"}


@pytest.mark.parametrize("size", [(60, 16), (40, 12), (200, 60)])
async def test_every_size_shows_prompt_answer_and_status(desk, script, size) -> None:
    async with desk.run_test(size=size) as pilot:
        await opened(desk, pilot)
        await ask(desk, pilot, "手机怎么样？ 👩‍👩‍👧")
        assert desk.chat.query_one(Prompt).region.height >= 3
        assert desk.chat.query_one("#log").region.height >= 3
        assert desk.chat.query_one(Prompt).region.bottom <= size[1]
        panel = desk.chat.query_one("#panel")
        assert bool(panel.region) is (size[0] >= 120)
