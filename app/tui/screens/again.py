"""One question, two methods, side by side: the answer that is there and the one asked for again."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.reactive import reactive
from textual.widgets import Footer, Static

from app.tui import doors
from app.tui.base import BaseScreen
from app.tui.streaming import play
from app.tui.turns import Turn
from app.tui.widgets.status import activity_line
from app.tui.widgets.turn import TurnView
from app.views.safe import line


class AgainScreen(BaseScreen[None]):
    """Asks the question of a turn again by another method; both answers and what differs between their receipts."""

    HELP_WORDS = "The second answer is stored as an answer of its own, outside the conversation."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="again.back"),
        Binding("f3,ctrl+g", "audit", "Audit", id="again.audit"),
        Binding("d", "difference", "Differs", id="again.difference"),
        Binding("ctrl+y", "copy", "Copy", id="again.copy", priority=True, show=False),
        Binding("f8", "save", "Save", id="again.save"),
    ]

    streaming: reactive[bool] = reactive(True, bindings=True)

    def __init__(self, turn: Turn, method: str) -> None:
        super().__init__()
        self._first = turn
        self.second = Turn(turn.question, options={**turn.options, "method": method})
        self._seconds = 0

    def compose(self) -> ComposeResult:
        """Question, two columns, what differs, keys."""
        ascii = self.desk.ascii
        yield Static(line(self._first.question, limit=300, ascii=ascii), id="again-title", markup=False)
        with Container(id="again"):
            with VerticalScroll(can_focus=False):
                yield TurnView(self._first, ascii, heading=f"first: {_method(self._first)}")
            with VerticalScroll(can_focus=False):
                yield TurnView(self.second, ascii, heading=f"second: {self.second.options['method']}")
        with VerticalScroll(id="difference"):
            yield Static("", id="difference-text", markup=False)
        yield Static("", id="activity", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Ask."""
        self.query_one("#difference").display = False
        self.query(TurnView).last().focus()
        self.set_interval(1.0, self._tick)
        self.ask()

    def _tick(self) -> None:
        if self.streaming:
            self._seconds += 1
            self._draw_activity()

    def _draw_activity(self) -> None:
        turn = self.second if self.streaming else None
        waiting = self.desk.backstage.parts.waiting if turn is not None else None
        told = activity_line(turn, self._seconds, self.desk.ascii, waiting)
        self.query_one("#activity", Static).update(told)

    @work(exclusive=True, group="answer", exit_on_error=False)
    async def ask(self) -> None:
        """Ask again, outside the conversation: a follow-up is asked as it was understood."""
        receipt = self._first.receipt
        question = receipt.standalone_question if receipt is not None else self._first.question
        view = self.query(TurnView).last()
        try:
            await play(self.desk, view, thread=None, question=question, on_change=self._draw_activity)
        finally:
            self.streaming = False
            self._draw_activity()
        self._compare()

    def _compare(self) -> None:
        first, second = self._first.receipt, self.second.receipt
        if first is None or second is None:
            return
        from app.views.compare import compare, comparison_words

        words = comparison_words(compare(first, second))
        shown = "\n".join(f"- {line(each, limit=400, ascii=self.desk.ascii)}" for each in words)
        self.query_one("#difference-text", Static).update(shown)
        self.query_one("#difference").display = True

    @property
    def _meant(self) -> Turn:
        return self.focused.turn if isinstance(self.focused, TurnView) else self.second

    @on(TurnView.SourceWanted)
    def _source_wanted(self, event: TurnView.SourceWanted) -> None:
        doors.open_source(self.desk, event.turn, event.number)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done now."""
        if action == "difference":
            return self.second.receipt is not None
        return None if action == "audit" and self._meant.receipt is None else True

    def action_leave(self) -> None:
        """Stop the answer under way, else go back."""
        if self.streaming:
            self.workers.cancel_group(self, "answer")
        else:
            self.dismiss(None)

    def action_audit(self) -> None:
        """Audit the answer that has the focus."""
        ids = [turn.answer_id for turn in (self._first, self.second) if turn.receipt is not None]
        doors.open_audit(self.desk, self._meant, ids)

    def action_difference(self) -> None:
        """Show or hide what differs."""
        box = self.query_one("#difference")
        box.display = not box.display

    def action_copy(self) -> None:
        """Copy the answer that has the focus."""
        doors.copy(self.desk, self.get_selected_text() or self._meant.text)

    def action_save(self) -> None:
        """Save the answer that has the focus."""
        from app.tui.saving import save_answer

        if self._meant.answer_id:
            self.desk.run_worker(save_answer(self.desk, self._meant.answer_id), exit_on_error=False)


def _method(turn: Turn) -> str:
    chosen = turn.receipt.selection if turn.receipt is not None else None
    return chosen.method if chosen is not None else str(turn.options.get("method", "as set"))


__all__ = ["AgainScreen"]
