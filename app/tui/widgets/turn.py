"""A question with its answer: live while it is written, one cheap renderable afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownStream

from app.tui.markdown import AnswerRenderable, Reader, answer_markdown, answer_parser
from app.tui.turns import Turn, foot
from app.views.safe import visible

#: Characters of a question that are drawn.
LONGEST_QUESTION_DRAWN = 4_000


class TurnView(Vertical):
    """Draws one ``Turn``."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "go(-1)", "Answer before", show=False),
        Binding("down,j", "go(1)", "Answer after", show=False),
        *(Binding(str(n), f"source({n})", f"Source [{n}]", show=False) for n in range(1, 10)),
    ]

    class Chosen(Message):
        """The turn has the focus now."""

    @dataclass
    class SourceWanted(Message):
        """The source of this number shall be opened."""

        turn: Turn
        number: int

    def __init__(self, turn: Turn, ascii: bool = False, *, heading: str = "") -> None:
        super().__init__(classes="turn")
        self.turn = turn
        self._ascii = ascii
        self._heading = heading
        self._stream: MarkdownStream | None = None
        self._reader = Reader(ascii)
        self._live: Markdown | None = None

    def compose(self) -> ComposeResult:
        """Question, answer, receipt line."""
        asked = (self._heading or self.turn.question)[:LONGEST_QUESTION_DRAWN]
        mark = "" if self._heading else "> "
        yield Static(mark + visible(asked, ascii=self._ascii), classes="question", markup=False)
        if not self.turn.busy:
            yield self._settled()
        yield Static(foot(self.turn, self._ascii), classes="foot", markup=False)
        self._mark()

    @property
    def live(self) -> Markdown | None:
        """The widget that the answer streams into, while there is one."""
        return self._live

    def _settled(self) -> Static:
        return Static(AnswerRenderable(self.turn.text, self._ascii), classes="answer")

    def _mark(self) -> None:
        weak = not self.turn.busy and self.turn.state != "done"
        self.set_class(
            weak or (self.turn.receipt is not None and bool(self.turn.receipt.degradations)), "-weak"
        )

    async def add(self, text: str) -> None:
        """Append text that was just written."""
        if not text:
            return
        if self._live is None:
            self._live = Markdown(parser_factory=answer_parser, open_links=False, classes="answer")
            await self.mount(self._live, before=self.query_one(".foot"))
        if self._stream is None:
            # A stream that is stopped before its first write raises, so it is made here.
            self._stream = Markdown.get_stream(self._live)
        await self._stream.write(self._reader.feed(text))

    async def again(self) -> None:
        """Withdraw what is shown: the answer is written anew."""
        await self._stop_stream()
        self._reader = Reader(self._ascii)
        if self._live is not None:
            await self._live.update("")

    async def finish(self) -> None:
        """Show the answer as it is stored, and its receipt line."""
        await self._stop_stream()
        if not self.is_attached:
            return
        if self._live is not None and self.turn.state == "done":
            final = answer_markdown(self.turn.text, self._ascii)
            if final != self._live.source:
                await self._live.update(final)
        elif self._live is None and self.turn.text:
            await self.mount(self._settled(), before=self.query_one(".foot"))
        self.query_one(".foot", Static).update(foot(self.turn, self._ascii))
        self._mark()

    async def settle(self) -> None:
        """Swap the live widgets for one renderable; a newer question is being asked."""
        if self._live is None or self.turn.busy:
            return
        live, self._live = self._live, None
        await self.mount(self._settled(), before=live)
        await live.remove()

    async def _stop_stream(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await stream.stop()

    def on_focus(self, _event: events.Focus) -> None:
        """Tell the screen which answer is meant."""
        self.post_message(self.Chosen())

    def action_go(self, step: int) -> None:
        """Go to the answer before or after; after the last one, back to the question box."""
        views = list(self.screen.query(TurnView))
        place = views.index(self) + step
        if place >= len(views):
            self.screen.query_one("#prompt").focus()
        elif place >= 0:
            views[place].focus()
        elif older := self.screen.query(Older):
            older.first().focus()

    def action_source(self, number: int) -> None:
        """Open the source of this number."""
        self.post_message(self.SourceWanted(self.turn, number))


class Older(Static):
    """The row above the oldest answer on screen: loads those before it."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "load", "Load older answers"),
        Binding("down,j", "down", "Answer after", show=False),
    ]

    class Wanted(Message):
        """Older answers shall be shown."""

    def __init__(self) -> None:
        super().__init__("^ older answers: Enter loads them", id="older", markup=False)

    def on_click(self) -> None:
        """Load by mouse."""
        self.post_message(self.Wanted())

    def action_load(self) -> None:
        """Load by key."""
        self.post_message(self.Wanted())

    def action_down(self) -> None:
        """Go to the oldest answer on screen."""
        if views := self.screen.query(TurnView):
            views.first().focus()


__all__ = ["LONGEST_QUESTION_DRAWN", "Older", "TurnView"]
