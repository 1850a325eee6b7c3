"""Pastes with escape characters in them."""

from __future__ import annotations

import pytest
from textual import events

from app.tui.paste import END, START, PasteParser


def read(*chunks: str) -> list[events.Event]:
    parser = PasteParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]  # type: ignore[misc]


@pytest.mark.parametrize(
    "text", ["a\x1b[31mred", "end\x1b", "\x1b\x1b[20", "two\nlines\x1b]52;c;eA==\x07", "plain"]
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_paste_is_one_text_however_it_arrives(text: str, size: int) -> None:
    sent = f"{START}{text}{END}x"
    found = read(*(sent[n : n + size] for n in range(0, len(sent), size)))
    assert [type(event) for event in found] == [events.Paste, events.Key]
    paste, key = found
    assert isinstance(paste, events.Paste)
    assert paste.text == text.replace("\x1b", "␛")
    assert isinstance(key, events.Key)
    assert key.key == "x"


def test_keys_outside_pastes_are_as_they_were() -> None:
    assert [getattr(event, "key", "") for event in read("\x1b[A", "a\x1b[B")] == ["up", "a", "down"]
