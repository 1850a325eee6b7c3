"""One document in full: its quote marked where it stands, whatever is in the text and however long it is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from textual.widgets import Static

from app.tui.screens.source import SourceScreen
from app.tui.widgets.lines import LinesPane
from app.views.marked_text import marked_lines
from tests.app.tui.hosts import Host, press, seed, seen, settle
from tests.fakes.receipts import HOSTILE


def marked(pilot, index: int) -> str:
    lines = pilot.app.screen.query_one(LinesPane)._lines
    return " ".join(line.text[a:b] for line in lines for a, b, i in line.marks if i == index)


async def test_quote_author_groups_and_opinions(tmp_path: Path, sqlite_template: Path) -> None:
    folder = seed(sqlite_template, tmp_path / "w")
    body = "Review 3. I must say the food was number 3, and the crew knew it."
    span = (body.index("the crew"), body.index(" it."))
    async with Host(folder, SourceScreen(4, [span])).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = seen(pilot)
        assert all(
            part in text for part in ("Lounge 3", "south pier", "country Japan", "r03 from reviews.csv")
        )
        assert marked(pilot, 0) == "the crew knew"
        await press(pilot, "o")
        assert marked(pilot, 0) == "the food was number 3"
        assert "opinion 1 of 4: coffee +10" in seen(pilot)
        await press(pilot, "n")
        assert "opinion 2 of 4: food +10" in seen(pilot)
        await press(pilot, "p", "p")
        assert "opinion 4 of 4" in seen(pilot)
        await pilot.resize_terminal(60, 16)
        await settle(pilot)
        assert marked(pilot, 0) == "the food was number 3"


async def test_a_document_that_is_gone_says_so(tmp_path: Path, sqlite_template: Path) -> None:
    folder = seed(sqlite_template, tmp_path / "w")
    async with Host(folder, SourceScreen(999)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "there is no document 999" in seen(pilot)
        assert "The document was deleted" in " ".join(pilot.app.screen.query_one(LinesPane).lines)
        await press(pilot, "n", "o", "escape")
        assert not isinstance(pilot.app.screen, SourceScreen)


@pytest.mark.parametrize("ascii", [False, True])
async def test_hostile_text_is_shown_not_obeyed(tmp_path: Path, sqlite_template: Path, ascii: bool) -> None:
    text = f"before {HOSTILE} the quote itself {HOSTILE} after"
    folder = seed(sqlite_template, tmp_path / "w", text=text, title=HOSTILE)
    span = (text.index("the quote"), text.index("the quote") + len("the quote itself"))
    async with Host(folder, SourceScreen(1, [span]), ascii=ascii).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert marked(pilot, 0) == "the quote itself"
        for _ in range(4):
            shown = seen(pilot)
            assert not any(c in shown for c in "\x1b\x07\x9b\u202e\u200b\u2066\ufeff")
            assert not ascii or shown.isascii()
            await press(pilot, "pageup")
        whole = "\n".join(pilot.app.screen.query_one(LinesPane).lines)
        assert "[/] [bold red]x[/bold red]" in whole.replace("\n", " ")
        assert ("^[[31mred" if ascii else "␛[31mred") in whole
        assert "<U+202E>" in whole


async def test_a_megabyte_opens_at_once_and_is_all_there(tmp_path: Path, sqlite_template: Path) -> None:
    text = "The food was fine, they said in the lounge. " * 23_000 + "At last the soup came cold. The end."
    start = text.index("the soup")
    folder = seed(sqlite_template, tmp_path / "w", text=text)
    screen = SourceScreen(1, [(start, start + len("the soup came cold"))])
    async with Host(folder, screen).run_test(size=(80, 24)) as pilot:
        worst, last = 0.0, time.perf_counter()
        while not screen.complete:
            await pilot.pause(0.01)
            now = time.perf_counter()
            worst, last = max(worst, now - last), now
        await settle(pilot)
        assert worst < 1.0, f"the loop was held for {worst:.2f} s"
        assert marked(pilot, 0) == "the soup came cold"
        assert "soup came cold" in seen(pilot)
        pane = screen.query_one(LinesPane)
        assert " ".join(" ".join(pane.lines).split()) == " ".join(text.split())
        await press(pilot, "home")
        assert "The food was fine" in seen(pilot)
        assert "1,012" in str(screen.query_one("#source-state", Static).render())


@pytest.mark.parametrize("width", [4, 11, 76])
@pytest.mark.parametrize(
    "text", [HOSTILE * 3, "手机很好 " * 40, "x" * 300, "👩‍👩‍👧" * 50, "a\r\n\r\nb\rc\n" * 9, ""]
)
def test_lines_lose_nothing_and_never_overflow(width: int, text: str) -> None:
    from app.views.layout import width_of
    from app.views.safe import visible

    lines = list(marked_lines(text, [(0, len(text))], width))
    # A grapheme of two cells has to stand somewhere.
    assert max(width_of(line.text) for line in lines) <= width
    assert "".join("".join(line.text.split()) for line in lines) == "".join(visible(text).split())
    for line in lines:
        assert not line.text or line.marks == ((0, len(line.text), 0),)


def test_marks_stand_on_the_same_words_after_escapes_and_line_ends() -> None:
    text = "\x1b[0m" * 40_000 + "\r\n" * 3 + "here it is\r\nand on" + " tail" * 9
    start = text.index("it is")
    lines = list(marked_lines(text, [(start, start + len("it is\r\nand")), (-5, 3), (10**9, 10**9 + 4)], 60))
    assert [line.text[a:b] for line in lines for a, b, i in line.marks if i == 0] == ["it is", "and"]
    assert [line.text[a:b] for line in lines for a, b, i in line.marks if i == 1] == ["␛[0"]
