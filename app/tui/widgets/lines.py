"""A pane of text lines: laid out anew for every width, drawn a line at a time, never taken for markup.

Only what is seen is drawn, so a text of a megabyte costs what a page costs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from app.views.marked_text import MarkedLine

Draw = Callable[[int], Sequence[str | MarkedLine]]

#: What a stretch of a line is, for its colour; the words and glyphs say the same without one.
_PARTS: Final = re.compile(
    r"(?P<spark>(?=[▁▂▃▄▅▆▇█·]*[▁▂▃▄▅▆▇])[▁▂▃▄▅▆▇█·]{7})|(?P<population>░+)|(?P<retrieved>[█▏▎▍▌▋▊▉]+)|(?P<cited>▓+)|(?P<plain>▒+)"
    r"|(?P<alarm>[+-]\d+!|MISSED|NOT FOUND|\bOUT\b)|(?P<good>\bNEW\b|◆|◈|○)"
)


# Left and right belong to the screen, so the bindings of a scroll view are not inherited.
class LinesPane(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows what a function draws for a width.

    Parameters
    ----------
    draw
        ``draw(width)`` returns lines no wider than that many cells; None shows nothing yet.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lines--population",
        "lines--retrieved",
        "lines--spark",
        "lines--cited",
        "lines--plain",
        "lines--alarm",
        "lines--good",
        "lines--mark",
        "lines--current",
        "lines--cursor",
        "lines--head",
    }
    DEFAULT_CSS = """
    LinesPane {
        border: round $foreground 40%;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        scrollbar-gutter: stable;
        & .lines--population { color: $text-muted; }
        & .lines--retrieved { color: $primary; }
        & .lines--spark { color: $primary; }
        & .lines--cited { color: $secondary; }
        & .lines--plain { color: $success; }
        & .lines--alarm { color: $warning; text-style: bold; }
        & .lines--good { color: $secondary; text-style: bold; }
        & .lines--mark { text-style: underline; color: $secondary; }
        & .lines--current { text-style: reverse; }
        & .lines--cursor { text-style: reverse; }
        & .lines--head { text-style: bold; }
    }
    LinesPane:focus { border: heavy $accent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", show=False),
        Binding("home,g", "scroll_home", "Top", show=False),
        Binding("end,G", "scroll_end", "End", show=False),
    ]

    def __init__(
        self, draw: Draw | None = None, *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._draw = draw
        self._lines: list[str | MarkedLine] = []
        self._width = 0
        self._laid_out = Size(0, 0)
        #: Mark that is drawn as the current one.
        self.current_mark = -1

    @property
    def lines(self) -> list[str]:
        """The lines as text."""
        return [each if isinstance(each, str) else each.text for each in self._lines]

    def show(self, draw: Draw, *, keep_place: bool = False) -> None:
        """Show what another function draws."""
        self._draw = draw
        self.relay()
        if not keep_place:
            self.scroll_home(animate=False)

    def on_resize(self, event: Resize) -> None:
        """Lay the lines out for another size: what is drawn may fill the height as well."""
        if self.scrollable_content_region.size != self._laid_out:
            self.relay()

    def relay(self) -> None:
        """Lay the lines out again."""
        self._laid_out = self.scrollable_content_region.size
        self._width = self._laid_out.width
        self._set([] if self._draw is None or self._width < 4 else list(self._draw(self._width)))

    def _set(self, lines: list[str | MarkedLine]) -> None:
        self._lines = lines
        self.virtual_size = Size(self._width, len(lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        row = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if not 0 <= row < len(self._lines):
            return Strip.blank(width, self.rich_style)
        return self._strip(self._lines[row], width)

    def _strip(self, line: str | MarkedLine, width: int, over: Style | None = None) -> Strip:
        base = self.rich_style
        text = line if isinstance(line, str) else line.text
        pieces = self._coloured(text, base) if isinstance(line, str) else self._marked(line, base)
        if over is not None:
            pieces = [Segment(text, base + over)]
            pieces.append(Segment(" " * max(0, width - cell_len(text)), base + over))
        return Strip(pieces).adjust_cell_length(width, base)

    def _coloured(self, text: str, base: Style) -> list[Segment]:
        if text.startswith("! ") and not text.startswith("! = "):
            return [Segment(text, base + self.get_component_rich_style("lines--alarm", partial=True))]
        pieces, at = [], 0
        for found in _PARTS.finditer(text):
            style = self.get_component_rich_style(f"lines--{found.lastgroup}", partial=True)
            pieces += [Segment(text[at : found.start()], base), Segment(found.group(), base + style)]
            at = found.end()
        return [*pieces, Segment(text[at:], base)]

    def _marked(self, line: MarkedLine, base: Style) -> list[Segment]:
        pieces, at = [], 0
        for start, end, index in line.marks:
            if end <= at:
                continue
            name = "lines--current" if index == self.current_mark else "lines--mark"
            style = self.get_component_rich_style(name, partial=True)
            start = max(start, at)
            pieces += [Segment(line.text[at:start], base), Segment(line.text[start:end], base + style)]
            at = end
        return [*pieces, Segment(line.text[at:], base)]


__all__ = ["Draw", "LinesPane"]
