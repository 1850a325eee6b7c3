"""What the keys of the chat do to the answer that is meant: everything but asking."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.css.query import NoMatches

from app.tui import doors
from app.tui.base import BaseScreen
from app.tui.turns import Turn
from app.tui.widgets.turn import TurnView
from app.views.safe import visible


class ChatActions(BaseScreen[None]):
    """Actions on the selected answer and on the conversation."""

    turns: list[Turn]
    thread: str

    @property
    def selected(self) -> TurnView | None:
        """The answer that has the focus, else the newest."""
        if isinstance(self.focused, TurnView):
            return self.focused
        try:
            return self.query(TurnView).last()
        except NoMatches:
            return None

    def action_scroll_log(self, lines: int) -> None:
        """Scroll the answers while the cursor stays in the question box."""
        log = self.query_one("#log", VerticalScroll)
        page = max(1, log.size.height - 2)
        log.scroll_relative(y=(page if lines > 0 else -page) if abs(lines) > 1 else lines, animate=False)

    def action_audit(self) -> None:
        """Audit the selected answer."""
        if (view := self.selected) is not None:
            ids = [turn.answer_id for turn in self.turns if turn.receipt is not None]
            doors.open_audit(self.desk, view.turn, ids)

    def action_sources(self) -> None:
        """Open the first source of the selected answer."""
        if (view := self.selected) is not None:
            doors.open_source(self.desk, view.turn, 0)

    def action_explore(self) -> None:
        """Explore the corpus."""
        doors.open_explore(self.desk)

    def action_ingest(self) -> None:
        """Read a file into a corpus."""
        doors.open_ingest(self.desk)

    def action_sessions(self) -> None:
        """Show the conversations."""
        doors.open_sessions(self.desk)

    def action_again(self) -> None:
        """Ask the selected question again with a method that is chosen from a list."""
        if (view := self.selected) is not None:
            doors.ask_again(self.desk, view.turn)

    def action_unfair(self) -> None:
        """Ask the selected question again without fairness."""
        if (view := self.selected) is not None:
            doors.ask_again(self.desk, view.turn, "relevance")

    def action_copy(self) -> None:
        """Copy what is selected on the screen, else the answer."""
        text = self.get_selected_text()
        if not text and (view := self.selected) is not None:
            text = visible(view.turn.text)
        if text:
            doors.copy(self.desk, text)

    def action_save(self) -> None:
        """Save the answer or the conversation to a file."""
        doors.save(self.desk, self.selected.turn if self.selected else None, self.thread)

    def action_new(self) -> None:
        """Start a new conversation."""
        doors.new_conversation(self.desk)

    def action_corpus(self) -> None:
        """Talk to another corpus."""
        doors.switch_corpus(self.desk)

    def action_model(self) -> None:
        """Let another model write the answers."""
        doors.switch_model(self.desk)

    def action_method(self) -> None:
        """Choose documents by another method from now on."""
        doors.switch_method(self.desk)


__all__ = ["ChatActions"]
