"""The chat: questions, streamed answers, a receipt line under each."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.reactive import reactive
from textual.widgets import Footer, Static

from app.tui.base import BaseScreen
from app.tui.streaming import play
from app.tui.turns import Turn
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.turn import TurnView
from app.views.safe import line

#: Turns that are mounted when a conversation is opened, and with each step back.
PAGE = 20


class ChatScreen(BaseScreen[None]):
    """One conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", id="chat.stop"),
    ]
    #: Palette entries: title, help, action.
    PALETTE: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("Stop", "Stop the answer; what was written is kept", "stop"),
    )

    streaming: reactive[bool] = reactive(False, bindings=True)

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[Turn] = []
        self.thread = ""
        self.title_text = ""
        self._current: TurnView | None = None
        self._opened = False

    def compose(self) -> ComposeResult:
        """Head, log and panel, activity, prompt, keys."""
        yield Static("evenhand", id="head", markup=False)
        with Horizontal(id="body"):
            yield VerticalScroll(Static("", id="blank", markup=False), id="log", can_focus=False)
            with VerticalScroll(id="panel"):
                yield Static("", id="panel-text", markup=False)
        yield Static("opening…", id="activity", markup=False)
        yield Prompt("Ask about the corpus…  Enter sends, Ctrl+J new line")
        yield Footer()

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Prompt).focus()

    async def opened(self, thread: str = "") -> None:
        """Show which corpus and conversation this is."""
        self._opened = True
        self.query_one("#activity", Static).update("")
        self.query_one("#head", Static).update(line(f"evenhand · corpus {self.desk.corpus}"))
        self.query_one("#log", VerticalScroll).anchor()

    def show_fault(self, message: str) -> None:
        """Show why there is nothing to chat with."""
        self.query_one("#blank", Static).update(f"! {line(message)}")
        self.query_one("#activity", Static).update("")

    @on(Prompt.Submitted)
    def _asked(self, event: Prompt.Submitted) -> None:
        if not self._opened or self.streaming:
            return
        self.query_one(Prompt).take()
        self.ask(event.text)

    @work(exclusive=True, group="answer", exit_on_error=False)
    async def ask(self, question: str, options: dict[str, Any] | None = None) -> None:
        """Ask a question in this conversation."""
        from store.answers import new_id

        self.thread = self.thread or new_id()
        view = TurnView(Turn(question.strip(), options=options or {}), self.desk.ascii)
        self.turns.append(view.turn)
        self._current, self.streaming = view, True
        try:
            await self.query_one("#log").mount(view)
            await play(self.desk, view, thread=self.thread)
        finally:
            if self._current is view:
                self.streaming = False

    async def stop_and_store(self) -> None:
        """Stop the answer under way and wait until it is stored."""
        self.workers.cancel_group(self, "answer")

    def action_stop(self) -> None:
        """Stop the answer under way."""
        self.workers.cancel_group(self, "answer")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done now."""
        return self.streaming if action == "stop" else True


__all__ = ["PAGE", "ChatScreen"]
