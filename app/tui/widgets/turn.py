"""A question with its answer: live while it is written, one cheap renderable afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.console import Group
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Markdown, Static

from app.tui.markdown import LONGEST_DRAWN, AnswerRenderable, Reader, answer_markdown, answer_parser
from app.tui.turns import Turn, foot
from app.views.safe import visible

#: Characters of a question that are drawn.
LONGEST_QUESTION_DRAWN = 4_000


class TurnView(Vertical):
    """Draws one ``Turn``."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(-1)", "Answer before", show=False),
        Binding("down", "go(1)", "Answer after", show=False),
        Binding("escape", "to_box", "Back to the question", show=False),
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
        self._reader = Reader(ascii)
        self._live: Markdown | None = None
        self._drawn = 0

    def compose(self) -> ComposeResult:
        """Question, answer, receipt line; as one widget where the turn is over."""
        self._mark()
        if not self.turn.busy:
            yield self._settled()
            return
        yield Static(self._question(), classes="question")
        yield Static("", classes="foot", markup=False)

    def on_mount(self) -> None:
        """Follow changes of the theme: a settled turn has its colours in itself."""
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._recolour())

    def _recolour(self) -> None:
        for whole in self.query(".whole").results(Static):
            whole.update(self._whole())

    def _question(self) -> Text:
        asked = visible((self._heading or self.turn.question)[:LONGEST_QUESTION_DRAWN], ascii=self._ascii)
        colour = Color.parse(self.app.current_theme.primary).rich_color
        return Text(asked if self._heading else f"> {asked}", Style(color=colour, bold=True))

    def _whole(self) -> Group:
        under = Text(foot(self.turn, self._ascii), Style(dim=not self._weak, bold=self._weak))
        return Group(self._question(), AnswerRenderable(self.turn.text, self._ascii), Text(""), under)

    @property
    def live(self) -> Markdown | None:
        """The widget that the answer streams into, while there is one."""
        return self._live

    def _settled(self) -> Static:
        # One widget a turn: laying out forty answers of four widgets each is felt while the next one streams.
        return Static(self._whole(), classes="whole")

    @property
    def _weak(self) -> bool:
        receipt = self.turn.receipt
        over = not self.turn.busy and self.turn.state != "done"
        return over or (receipt is not None and bool(receipt.degradations))

    def _mark(self) -> None:
        self.set_class(self._weak, "-weak")

    async def add(self, text: str) -> None:
        """Append text that was just written."""
        text = text[: max(0, LONGEST_DRAWN - self._drawn)]
        if not text:
            return
        self._drawn += len(text)
        if self._live is None:
            self._live = Markdown(parser_factory=answer_parser, open_links=False, classes="answer")
            await self.mount(self._live, before=self.query_one(".foot"))
        # Awaited, not streamed: who sends the pieces learns how long drawing takes, and sends larger ones.
        await self._live.append(self._reader.feed(text))

    async def again(self) -> None:
        """Withdraw what is shown: the answer is written anew."""
        self._reader, self._drawn = Reader(self._ascii), 0
        if self._live is not None:
            await self._live.update("")

    async def finish(self) -> None:
        """Show the answer as it is stored, and its receipt line."""
        if not self.is_attached:
            return
        if self._live is not None and self.turn.state == "done":
            final = answer_markdown(self.turn.text, self._ascii)
            if final != self._live.source:
                await self._live.update(final)
        elif self._live is None:
            await self._swap()
            return
        self.query_one(".foot", Static).update(foot(self.turn, self._ascii))
        self._mark()

    async def blank(self) -> None:
        """Take the answer off the screen: it was erased."""
        self.turn.erase()
        self._live = None
        if self.is_attached:
            await self._swap()

    async def settle(self) -> None:
        """Swap the live widgets for one renderable; a newer question is being asked."""
        if self._live is None or self.turn.busy:
            return
        self._live = None
        await self._swap()

    async def _swap(self) -> None:
        self._mark()
        async with self.batch():
            await self.remove_children()
            await self.mount(self._settled())

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
            self.screen.set_focus(views[place])
        elif older := self.screen.query(Older):
            older.first().focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc goes back where there is a question box, and stops while an answer is written."""
        if action == "to_box":
            return bool(self.screen.query("#prompt")) and not getattr(self.screen, "streaming", False)
        return True

    def action_to_box(self) -> None:
        """Go back to the question box."""
        self.screen.query_one("#prompt").focus()

    def action_source(self, number: int) -> None:
        """Open the source of this number."""
        self.post_message(self.SourceWanted(self.turn, number))


class Older(Static):
    """The row above the oldest answer on screen: loads those before it."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "load", "Load older answers"),
        Binding("down", "down", "Answer after", show=False),
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
