"""The conversations of a workspace: resume, rename, delete, export."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Footer, Static

from app.tui.base import BaseScreen
from app.tui.screens.dialogs import ConfirmDialog, LineDialog
from app.tui.streaming import failure_words
from app.views.layout import cut
from app.views.safe import line

if TYPE_CHECKING:
    from app.conversations import Conversation


class SessionsScreen(BaseScreen[str | None]):
    """Returns the conversation to resume, empty for a new one, None to stay.

    Parameters
    ----------
    current
        The conversation that is open.
    """

    HELP_WORDS = "Conversations are stored as they happen. Deleting one deletes its answers too."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", id="sessions.back"),
        Binding("enter", "resume", "Resume", id="sessions.resume", priority=True),
        Binding("n", "fresh", "New", id="sessions.new", show=False),
        Binding("r", "rename", "Rename", id="sessions.rename"),
        Binding("d,delete", "delete", "Delete", id="sessions.delete"),
        Binding("e", "export", "Export", id="sessions.export"),
    ]

    def __init__(self, current: str = "") -> None:
        super().__init__()
        self._open = current
        self.rows: list[Conversation] = []
        self._gone: set[str] = set()

    def compose(self) -> ComposeResult:
        """Title, the table, keys."""
        yield Static("Conversations", id="sessions-title", markup=False)
        yield DataTable(id="sessions", cursor_type="row", zebra_stripes=True)
        yield Static("", id="sessions-words", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Read them."""
        self.query_one(DataTable).focus()
        self.load()

    def on_resize(self) -> None:
        """Fit the titles to the new width."""
        self._draw()

    @work(exclusive=True, exit_on_error=False)
    async def load(self) -> None:
        """Read the conversations in a thread."""
        try:
            self.rows = await self.desk.backstage.call(self.desk.conversations.all)
        except Exception as error:  # noqa: BLE001 - shown to the person
            self.query_one("#sessions-words", Static).update(f"! {line(failure_words(error), limit=600)}")
            return
        self._draw()

    def _draw(self) -> None:
        table = self.query_one(DataTable)
        place = table.cursor_row
        ascii = self.desk.ascii
        table.clear(columns=True)
        names = min(16, max((cell_len(line(each.corpus, ascii=ascii)) for each in self.rows), default=6))
        names = max(names, 6)
        room = max(16, self.size.width - 2 - 9 - names - 2 - 18 - 6)
        # Widths are given: those that the table finds by itself are of the rows that were there before.
        table.add_column("  title", width=room + 2)
        table.add_column(Text("answers", justify="right"), width=7)
        table.add_column("corpus", width=names)
        table.add_column("last used (UTC)", width=16)
        for each in self.rows:
            mark = "* " if each.id == self._open else "  "
            table.add_row(
                Text(mark + cut(line(each.title or "(untitled)", ascii=ascii), room, ascii=ascii)),
                Text(f"{each.answers:,}", justify="right"),
                Text(cut(line(each.corpus, ascii=ascii), 16, ascii=ascii)),
                Text(f"{each.updated_at:%Y-%m-%d %H:%M}"),
                key=each.id,
            )
        table.move_cursor(row=min(place, max(0, len(self.rows) - 1)))
        words = "* is open now." if any(each.id == self._open for each in self.rows) else ""
        self.query_one("#sessions-words", Static).update(
            words if self.rows else "No conversations yet: each begins with its first question."
        )

    @property
    def _chosen(self) -> Conversation | None:
        row = self.query_one(DataTable).cursor_row
        return self.rows[row] if 0 <= row < len(self.rows) else None

    @on(DataTable.RowSelected)
    def action_resume(self) -> None:
        """Go on with the chosen conversation."""
        if (chosen := self._chosen) is not None:
            self.dismiss(chosen.id)

    def action_fresh(self) -> None:
        """Start a new one."""
        self.dismiss("")

    def action_leave(self) -> None:
        """Stay with the one that is open; where that is gone, start anew."""
        self.dismiss("" if self._open in self._gone else self._open or None)

    @work(exit_on_error=False)
    async def action_rename(self) -> None:
        """Give the chosen conversation another title."""
        if (chosen := self._chosen) is None:
            return
        title = await self.desk.push_screen_wait(LineDialog("Rename to", chosen.title))
        if title is not None:
            await self._change(self.desk.conversations.rename, chosen.id, title)

    @work(exit_on_error=False)
    async def action_delete(self) -> None:
        """Delete the chosen conversation, when asked twice."""
        if (chosen := self._chosen) is None:
            return
        sure = await self.desk.push_screen_wait(
            ConfirmDialog(
                "Delete this conversation?",
                f"{line(chosen.title, limit=200)}\n{chosen.answers:,} answers and their receipts are deleted too.",
            )
        )
        if sure and await self._change(self.desk.conversations.delete, chosen.id):
            self._gone.add(chosen.id)

    @work(exit_on_error=False)
    async def action_export(self) -> None:
        """Write the chosen conversation to a file."""
        from app.tui.saving import save_conversation

        if (chosen := self._chosen) is not None:
            await save_conversation(self.desk, chosen.id)

    async def _change(self, change: Callable[..., None], *arguments: str) -> bool:
        try:
            await self.desk.backstage.call(change, *arguments)
        except Exception as error:  # noqa: BLE001 - shown to the person
            self.notify(line(failure_words(error), limit=600), severity="error", markup=False)
            return False
        self.load()
        return True


__all__ = ["SessionsScreen"]
