"""The question box: Enter sends, Ctrl+J starts a new line, up and down go through what was asked before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.widgets import TextArea

#: Keys that start a new line; terminals differ in which of them arrive.
NEW_LINE = frozenset({"ctrl+j", "shift+enter", "alt+enter", "ctrl+enter"})


class Prompt(TextArea):
    """A multi-line question box with a history."""

    HELP_KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("enter", "Send the question"),
        ("^j", "New line (also shift+enter, alt+enter)"),
        ("up down", "Questions asked before"),
    )

    @dataclass
    class Submitted(Message):
        """A question was sent."""

        text: str

    def __init__(self, placeholder: str, id: str = "prompt") -> None:
        super().__init__(placeholder=placeholder, id=id, compact=True, highlight_cursor_line=False)
        self._history: list[str] = []
        self._place = 0
        self._draft = ""
        self.cursor_blink = False

    def remember(self, questions: Sequence[str]) -> None:
        """Set what up and down go through, oldest first."""
        self._history = list(questions)
        self._place = len(self._history)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.submit()
        elif event.key in NEW_LINE:
            event.stop()
            event.prevent_default()
            self.insert("\n")
        else:
            await super()._on_key(event)

    def submit(self) -> None:
        """Send what is in the box."""
        if self.text.strip():
            self.post_message(self.Submitted(self.text))

    def take(self) -> None:
        """Empty the box after its question was taken, and remember it."""
        question = self.text.strip()
        if not self._history or self._history[-1] != question:
            self._history.append(question)
        self._place, self._draft = len(self._history), ""
        self.text = ""

    def action_cursor_up(self, select: bool = False) -> None:
        """Go up a line, or to the question before."""
        if select or self.cursor_location[0] > 0 or not self._history:
            super().action_cursor_up(select)
            return
        if self._place == len(self._history):
            self._draft = self.text
        self._show(max(0, self._place - 1))

    def action_cursor_down(self, select: bool = False) -> None:
        """Go down a line, or to the question after."""
        if (
            select
            or self.cursor_location[0] < self.document.line_count - 1
            or self._place >= len(self._history)
        ):
            super().action_cursor_down(select)
            return
        self._show(self._place + 1)

    def _show(self, place: int) -> None:
        self._place = place
        self.text = self._draft if place == len(self._history) else self._history[place]
        self.move_cursor(self.document.end)


__all__ = ["NEW_LINE", "Prompt"]
