"""What the views of the explore screen share: the corpus, a line to say what happened, a filter to type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker

from app.tui.widgets.faults import fault_words
from app.tui.widgets.lines import LinesPane
from app.tui.widgets.rows import RowsPane

if TYPE_CHECKING:
    from app.bootstrap import Parts
    from app.tui.app import EvenhandApp


class Said(Message):
    """Something to be said in the status line; ``wrong`` where it could not be done."""

    def __init__(self, text: str, wrong: bool = False) -> None:
        super().__init__()
        self.text, self.wrong = text, wrong


class ExploreView(Vertical):
    """A list with the detail of the row under the cursor, and a filter where ``PLACEHOLDER`` says what to type."""

    PLACEHOLDER = ""
    EMPTY = "nothing here"

    def compose(self) -> ComposeResult:
        """Filter, list, detail."""
        if self.PLACEHOLDER:
            yield Input(placeholder=self.PLACEHOLDER, classes="explore-filter", compact=True)
        yield RowsPane(classes="explore-list", empty=self.EMPTY)
        yield LinesPane(classes="explore-detail")

    @property
    def desk(self) -> EvenhandApp:
        """The app."""
        return cast("EvenhandApp", self.app)

    @property
    def parts(self) -> Parts:
        """The live adapters, for use cases."""
        return self.desk.service.parts

    @property
    def corpus(self) -> str:
        """Name of the corpus in use."""
        return self.desk.corpus

    @property
    def ascii(self) -> bool:
        """Whether to draw with ASCII only."""
        return self.desk.ascii

    @property
    def rows(self) -> RowsPane:
        """The list."""
        return self.query_one(RowsPane)

    @property
    def detail(self) -> LinesPane:
        """The detail."""
        return self.query_one(".explore-detail", LinesPane)

    @property
    def filter(self) -> Input | None:
        """Where the filter is typed."""
        found = self.query(Input)
        return found.first() if found else None

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show a line of text."""
        self.post_message(Said(text, wrong))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say what nobody foresaw."""
        if words := fault_words(event):
            self.say(words, wrong=True)

    def reload(self, *_arguments: Any, **_named: Any) -> Any:
        """Read again what is shown; abstract: each of the four views has its own."""
        raise NotImplementedError(f"{type(self).__name__} must say how it is read")


__all__ = ["ExploreView", "Said"]
