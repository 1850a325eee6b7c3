"""Small questions: one line of text, yes or no, one of a list."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option


class LineDialog(ModalScreen[str | None]):
    """Asks for one line of text; None when it was left with Esc.

    Parameters
    ----------
    attempt
        Tries what was typed and returns what is wrong with it, empty where it is done: until then the dialog
        stays open.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="dialog.cancel")]

    def __init__(
        self,
        title: str,
        value: str = "",
        words: str = "",
        placeholder: str = "",
        attempt: Callable[[str], Awaitable[str]] | None = None,
    ) -> None:
        super().__init__()
        self._title, self._value, self._words, self._placeholder = title, value, words, placeholder
        self._attempt = attempt

    def compose(self) -> ComposeResult:
        """Title, words, the line."""
        with Vertical(classes="dialog"):
            yield Static(self._title, classes="dialog-title", markup=False)
            if self._words:
                yield Static(self._words, classes="dialog-words", markup=False)
            yield Input(self._value, placeholder=self._placeholder, select_on_focus=False)
            yield Static("", classes="dialog-fault", markup=False)
        yield Footer()

    @on(Input.Submitted)
    @work(exclusive=True, exit_on_error=False)
    async def _submitted(self, event: Input.Submitted) -> None:
        wrong = "" if self._attempt is None else await self._attempt(event.value)
        if not wrong:
            self.dismiss(event.value)
            return
        fault = self.query_one(".dialog-fault", Static)
        fault.update(f"! {wrong}")
        fault.display = True

    def on_mount(self) -> None:
        """Say nothing before something is wrong."""
        self.query_one(".dialog-fault").display = False

    def action_cancel(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)


class ConfirmDialog(ModalScreen[bool]):
    """Asks yes or no; nothing happens on Enter by mistake: the first choice is no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "No", id="dialog.no"),
        Binding("y", "answer(True)", "Yes", id="dialog.yes"),
    ]

    def __init__(self, title: str, words: str = "") -> None:
        super().__init__()
        self._title, self._words = title, words

    def compose(self) -> ComposeResult:
        """Title, words, the two choices."""
        with Vertical(classes="dialog"):
            yield Static(self._title, classes="dialog-title", markup=False)
            if self._words:
                yield Static(self._words, classes="dialog-words", markup=False)
            yield OptionList("No", "Yes")
        yield Footer()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index == 1)

    def action_answer(self, yes: bool) -> None:
        """Answer by key."""
        self.dismiss(yes)


class ChooseDialog(ModalScreen[str | None]):
    """Lets one of a list be chosen; None when it was left with Esc.

    Parameters
    ----------
    choices
        ``(value, text)`` in order.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="dialog.cancel")]

    def __init__(
        self, title: str, choices: Sequence[tuple[str, str]], words: str = "", current: str = ""
    ) -> None:
        super().__init__()
        self._title, self._choices, self._words, self._current = title, list(choices), words, current

    def compose(self) -> ComposeResult:
        """Title, words, the list."""
        from rich.text import Text

        with Vertical(classes="dialog"):
            yield Static(self._title, classes="dialog-title", markup=False)
            if self._words:
                yield Static(self._words, classes="dialog-words", markup=False)
            yield OptionList(*(Option(Text(text)) for _, text in self._choices))
        yield Footer()

    def on_mount(self) -> None:
        """Point to the one in use."""
        values = [value for value, _ in self._choices]
        if self._current in values:
            self.query_one(OptionList).highlighted = values.index(self._current)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index][0])

    def action_cancel(self) -> None:
        """Leave without a choice."""
        self.dismiss(None)


__all__ = ["ChooseDialog", "ConfirmDialog", "LineDialog"]
