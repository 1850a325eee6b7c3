"""One document in full: its quotes marked, its author's attributes, control characters shown and never obeyed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Footer, Static
from textual.worker import Worker

from app.tui.base import BaseModal
from app.tui.widgets.faults import fault_words
from app.tui.widgets.lines import LinesPane
from app.views.marked_text import MarkedLine, marked_lines
from app.views.safe import line

if TYPE_CHECKING:
    from app.documents import DocumentView

#: Characters that are laid out at once; what is longer is laid out in a thread, a page of it first.
AT_ONCE = 20_000


class SourceScreen(BaseModal[None]):
    """Shows one document.

    Parameters
    ----------
    document_id
        Its id in the database.
    spans
        ``(start, end)`` of the quotes to mark; none: the opinions that were found in it.
    """

    HELP_WORDS = "The whole text as it is stored. Quotes are underlined, the one you are at is reversed."
    CSS_PATH = "source.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="source.back"),
        Binding("n", "mark(1)", "Next quote", id="source.next"),
        Binding("p", "mark(-1)", "Previous", id="source.previous"),
        Binding("o", "opinions", "All opinions", id="source.opinions"),
    ]

    mark: reactive[int] = reactive(-1, init=False)

    def __init__(self, document_id: int, spans: Sequence[tuple[int, int]] = ()) -> None:
        super().__init__()
        self.document_id = document_id
        self._given = tuple(spans)
        self.spans = self._given
        self.view: DocumentView | None = None
        self.complete = False
        self._lines: list[MarkedLine] = []

    def compose(self) -> ComposeResult:
        """Facts, text, state, keys."""
        with Vertical(id="source-page"):
            yield Static("reading ...", id="source-facts", markup=False)
            yield LinesPane(id="source-text")
            yield Static("", id="source-state", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Read the document."""
        self.query_one("#source-text").focus()
        self.load()

    def on_resize(self) -> None:
        """Lay out for another width."""
        if self.view is not None:
            self.call_after_refresh(self.lay_out)

    @work(exclusive=True, group="source", exit_on_error=False)
    async def load(self) -> None:
        """Read the document and lay it out."""
        from app.documents import Documents
        from store.errors import ApplicationError

        try:
            view = await asyncio.to_thread(Documents(self.desk.service.parts).one, self.document_id)
        except ApplicationError as error:
            self._gone(str(error))
            return
        self.view = view
        if not self.spans:
            self._mark_opinions()
        self.call_after_refresh(self.lay_out)

    def _gone(self, words: str) -> None:
        from app.views.layout import wrap

        ascii = self.desk.ascii
        told = [
            f"! {line(words, ascii=ascii)}",
            "",
            "The document was deleted after the answer was written. What was quoted of it stands in the receipt.",
        ]
        self.query_one("#source-facts", Static).update("not there")
        pane = self.query_one("#source-text", LinesPane)
        pane.show(
            lambda w: [each for text in told for each in (wrap(text, w, ascii=ascii) if text else [""])]
        )

    def _mark_opinions(self) -> None:
        assert self.view is not None, "called once it is read"
        self.spans = tuple((each.start, each.end) for each in self.view.opinions)

    @work(exclusive=True, group="layout", exit_on_error=False)
    async def lay_out(self) -> None:
        """Lay the text out: at once where it is short, else its first page and then the rest in a thread."""
        from app.views.document_words import document_facts

        view, ascii = self.view, self.desk.ascii
        if view is None:
            return
        facts = self.query_one("#source-facts", Static)
        facts.update("\n".join(document_facts(view, max(20, facts.content_size.width), ascii=ascii)))
        pane = self.query_one("#source-text", LinesPane)
        width = pane.scrollable_content_region.width
        text, spans = view.record.text, self.spans
        self.complete = len(text) <= AT_ONCE
        lines = list(marked_lines(text[:AT_ONCE], spans, width, ascii=ascii))
        pane.show(lambda _: lines)
        if not self.complete:
            self._say("laying out the rest ...")
            lines = await asyncio.to_thread(lambda: list(marked_lines(text, spans, width, ascii=ascii)))
            pane.show(lambda _: lines, keep_place=True)
            self.complete = True
        self._lines = lines
        self.mark = -1
        if spans:
            self.mark = 0
        else:
            self._say("")

    def watch_mark(self) -> None:
        """Go to a quote, once the facts above have taken their lines: the pane is what they leave."""
        self.call_after_refresh(self._go_to_mark)

    def _go_to_mark(self) -> None:
        if self.view is None or self.mark < 0:
            return
        pane = self.query_one("#source-text", LinesPane)
        pane.current_mark = self.mark
        row = next((i for i, each in enumerate(self._lines) if _holds(each, self.mark)), None)
        if row is not None:
            height = pane.scrollable_content_region.height
            # By force: a pane just filled has no scrollbar yet, and without one it would stay at its top.
            pane.scroll_to(y=max(0, row - height // 3), animate=False, immediate=True, force=True)
        pane.refresh()
        self._say("" if row is not None else "the quote is not in the text")

    def _say(self, text: str) -> None:
        from app.views.document_words import opinion_words, size_words

        view = self.view
        if view is None:
            return
        parts = [size_words(view)]
        if self.spans is not self._given and self.spans and self.mark >= 0:
            parts.append(opinion_words(view, self.mark))
        elif self.spans and self.mark >= 0:
            parts.append(f"quote {self.mark + 1} of {len(self.spans)}")
        parts += [text] if text else []
        told = (" | " if self.desk.ascii else " · ").join(parts)
        self.query_one("#source-state", Static).update(line(told, ascii=self.desk.ascii))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say what nobody foresaw."""
        if words := fault_words(event):
            self.query_one("#source-facts", Static).update(f"! {line(words, ascii=self.desk.ascii)}")

    def action_mark(self, by: int) -> None:
        """Go to the next quote."""
        if self.spans and self.complete:
            self.mark = (self.mark + by) % len(self.spans)

    def action_opinions(self) -> None:
        """Mark every opinion found in the document, or the answer's quotes again."""
        if self.view is None or not self._given:
            return
        if self.spans is self._given:
            self._mark_opinions()
        else:
            self.spans = self._given
        self.lay_out()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the switch only where the answer quotes the document."""
        return bool(self._given) if action == "opinions" else True

    def action_back(self) -> None:
        """Close."""
        self.dismiss()


def _holds(each: MarkedLine, mark: int) -> bool:
    return any(index == mark for _, _, index in each.marks)


__all__ = ["AT_ONCE", "SourceScreen"]
