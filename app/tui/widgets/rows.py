"""A list of rows drawn as one aligned table: its head stays in view, a cursor moves over the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from app.tui.widgets.lines import LinesPane
from app.views.marked_text import MarkedLine

#: ``table(width)`` returns the two lines of a head and one line a row.
DrawTable = Callable[[int], list[str]]

#: Lines of a table's head: names and rule.
HEAD = 2


class RowsPane(LinesPane, inherit_bindings=False):
    """Shows a table of ``app.views.tables`` with a cursor; Enter chooses a row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(0)", "First", show=False),
        Binding("end,G", "edge(1)", "Last", show=False),
        Binding("enter", "choose", "Open"),
    ]

    @dataclass
    class Moved(Message):
        """The cursor stands on another row (-1: there is none)."""

        pane: RowsPane
        index: int

        @property
        def control(self) -> RowsPane:
            """The pane it happened in."""
            return self.pane

    @dataclass
    class Chosen(Message):
        """A row was chosen."""

        pane: RowsPane
        index: int

        @property
        def control(self) -> RowsPane:
            """The pane it happened in."""
            return self.pane

    cursor: reactive[int] = reactive(0, init=False)

    def __init__(self, *, id: str | None = None, classes: str | None = None, empty: str = "nothing") -> None:
        super().__init__(id=id, classes=classes)
        self._empty = empty

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return max(0, len(self._lines) - HEAD)

    def show_table(self, draw: DrawTable, cursor: int = 0) -> None:
        """Show a table, the cursor on the row of that index or the nearest there is."""
        self.show(draw, keep_place=True)
        cursor = max(0, min(cursor, self.row_count - 1))
        if cursor == self.cursor:
            self.watch_cursor(cursor, cursor)
        else:
            self.cursor = cursor

    def validate_cursor(self, value: int) -> int:
        """Keep the cursor on the rows."""
        return max(0, min(value, self.row_count - 1))

    def watch_cursor(self, _old: int, new: int) -> None:
        """Keep the row in view and tell."""
        body = max(1, self.scrollable_content_region.height - HEAD)
        top = self.scroll_offset.y
        if new < top:
            self.scroll_to(y=new, animate=False, immediate=True, force=True)
        elif new >= top + body:
            self.scroll_to(y=new - body + 1, animate=False, immediate=True, force=True)
        self.refresh()
        self.post_message(self.Moved(self, new if self.row_count else -1))

    def _set(self, lines: list[str | MarkedLine]) -> None:
        before = self.row_count
        super()._set(lines)
        if self.row_count == 0:
            self.virtual_size = Size(self._width, 1)
        elif before == 0:
            # Shown for the first time: a pane without a place has no rows to stand on.
            self.post_message(self.Moved(self, self.cursor))

    def render_line(self, y: int) -> Strip:
        """Draw the head, or a row below it."""
        width = self.scrollable_content_region.width
        if not self.row_count:
            return self._strip(self._empty[:width] if y == 0 else "", width)
        if y < HEAD:
            strip = self._strip(self._lines[y], width)
            return (
                strip.apply_style(self.get_component_rich_style("lines--head", partial=True))
                if y == 0
                else strip
            )
        row = self.scroll_offset.y + y - HEAD
        if row >= self.row_count:
            return Strip.blank(width, self.rich_style)
        over = self.get_component_rich_style("lines--cursor", partial=True) if row == self.cursor else None
        return self._strip(self._lines[row + HEAD], width, over)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is; a second click there chooses."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < HEAD:
            return
        row = self.scroll_offset.y + offset.y - HEAD
        if row >= self.row_count:
            return
        if event.chain > 1:
            self.action_choose()
        self.cursor = row

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by a page."""
        self.cursor += by * max(1, self.scrollable_content_region.height - HEAD - 1)

    def action_edge(self, end: int) -> None:
        """Move the cursor to the first or the last row."""
        self.cursor = self.row_count - 1 if end else 0

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.row_count:
            self.post_message(self.Chosen(self, self.cursor))


__all__ = ["HEAD", "RowsPane"]
