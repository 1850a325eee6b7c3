"""What the keys of the chat do to the answer that is meant: everything but asking."""

from __future__ import annotations

from collections.abc import Callable

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

    async def drop_erased(self) -> set[str]:
        """Blank the answers that are kept no longer; returns their ids."""
        desk = self.desk
        views = {
            view.turn.answer_id: view
            for view in self.query(TurnView)
            if view.turn.answer_id and not view.turn.busy and view.turn.state != "erased"
        }
        if not views:
            return set()
        gone = set(views) - await desk.backstage.call(desk.conversations.kept, list(views))
        for answer_id in gone:
            await views[answer_id].blank()
        if gone:
            self.refresh_bindings()
        return gone

    def while_kept(self, turn: Turn, then: Callable[[], object]) -> None:
        """Do something with an answer, once it is sure that it was not erased meanwhile."""

        async def check() -> None:
            await self.drop_erased()
            if turn.state == "erased":
                self.notify("This answer was erased.", severity="warning", markup=False)
            else:
                then()

        doors.in_worker(self.desk, check)

    def action_scroll_log(self, lines: int) -> None:
        """Scroll the answers while the cursor stays in the question box."""
        log = self.query_one("#log", VerticalScroll)
        page = max(1, log.size.height - 2)
        log.scroll_relative(y=(page if lines > 0 else -page) if abs(lines) > 1 else lines, animate=False)

    def action_audit(self) -> None:
        """Audit the selected answer."""
        if (view := self.selected) is not None:
            turn = view.turn
            self.while_kept(turn, lambda: doors.open_audit(self.desk, turn, self._ids()))

    def _ids(self) -> list[str]:
        return [turn.answer_id for turn in self.turns if turn.receipt is not None]

    def action_sources(self) -> None:
        """Open the first source of the selected answer."""
        if (view := self.selected) is not None:
            turn = view.turn
            self.while_kept(turn, lambda: doors.open_source(self.desk, turn, 0))

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
            turn = view.turn
            self.while_kept(turn, lambda: doors.ask_again(self.desk, turn))

    def action_unfair(self) -> None:
        """Ask the selected question again without fairness."""
        if (view := self.selected) is not None:
            turn = view.turn
            self.while_kept(turn, lambda: doors.ask_again(self.desk, turn, "relevance"))

    def action_copy(self) -> None:
        """Copy what is selected on the screen, else the answer."""
        if text := self.get_selected_text():
            doors.copy(self.desk, text)
        elif (view := self.selected) is not None and view.turn.text:
            turn = view.turn
            self.while_kept(turn, lambda: doors.copy(self.desk, visible(turn.text)))

    def action_save(self) -> None:
        """Save the answer or the conversation to a file."""
        turn = self.selected.turn if self.selected else None
        if turn is None:
            doors.save(self.desk, None, self.thread)
        else:
            self.while_kept(turn, lambda: doors.save(self.desk, turn, self.thread))

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
