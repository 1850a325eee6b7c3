"""A question with its answer: live while it is written, one cheap renderable afterwards."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownStream

from app.tui.markdown import AnswerRenderable, Reader, answer_markdown, answer_parser
from app.tui.turns import Turn, foot
from app.views.safe import visible


class TurnView(Vertical):
    """Draws one ``Turn``."""

    can_focus = True

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
        asked = self._heading or self.turn.question
        yield Static(visible(asked[:4000], ascii=self._ascii), classes="question", markup=False)
        if self.turn.busy:
            yield Static("", classes="stage", markup=False)
        else:
            yield self._settled()
        yield Static(foot(self.turn, self._ascii), classes="foot", markup=False)

    def _settled(self) -> Static:
        return Static(AnswerRenderable(self.turn.text, self._ascii), classes="answer")

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

    def show_stage(self) -> None:
        """Show what the agent is doing."""
        for stage in self.query(".stage").results(Static):
            stage.update(visible(self.turn.stage, ascii=self._ascii))

    async def finish(self) -> None:
        """Show the answer as it is stored, and its receipt line."""
        await self._stop_stream()
        await self.query(".stage").remove()
        if self._live is not None and self.turn.state == "done":
            final = answer_markdown(self.turn.text, self._ascii)
            if final != self._live.source:
                await self._live.update(final)
        elif self._live is None and self.turn.text:
            await self.mount(self._settled(), before=self.query_one(".foot"))
        self.query_one(".foot", Static).update(foot(self.turn, self._ascii))
        self.set_class(bool(self.turn.error) or self.turn.state != "done", "-weak")

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


__all__ = ["TurnView"]
