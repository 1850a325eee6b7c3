"""The documents of a corpus under filters, a page at a time; one opens in full."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.widgets import Input

from app.tui.screens.explore_view import ExploreView
from app.tui.widgets.rows import RowsPane
from app.views.layout import wrap

if TYPE_CHECKING:
    from store.browse import DocumentLine

#: Documents on a page.
PAGE = 200


class DocumentsView(ExploreView):
    """Lists documents; Enter opens one."""

    PLACEHOLDER = "words  subject:… author:… since:2014 until:… entity:… side:negative country:…"
    EMPTY = "no documents match"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "turn(1)", "Next page", id="documents.next"),
        Binding("p", "turn(-1)", "Previous page", show=False, id="documents.previous"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.listed: list[DocumentLine] = []
        self.total = 0
        self.first = 0

    def look_for(self, filters: str) -> None:
        """Type a filter and apply it."""
        if self.filter is not None:
            self.filter.value = filters
        self.first = 0
        self.reload()

    @work(exclusive=True, group="documents", exit_on_error=False)
    async def reload(self) -> None:
        """Read a page."""
        from functools import partial

        from app.documents import Documents
        from app.views.tables import DocumentRow, documents_table
        from store.errors import ApplicationError

        typed = self.filter.value if self.filter else ""
        page = partial(Documents(self.parts).page, typed, self.corpus, limit=PAGE, offset=self.first)
        try:
            self.total, self.listed = await asyncio.to_thread(page)
            if self.first >= self.total > 0:
                # Another corpus, or a filter, left fewer pages than there were.
                self.first = 0
                self.total, self.listed = await asyncio.to_thread(partial(page, offset=0))
        except ApplicationError as error:
            self.say(str(error), wrong=True)
            return
        rows = [
            DocumentRow(
                each.external_id, each.title, each.date, each.rating, each.author, each.text, each.score
            )
            for each in self.listed
        ]
        self.rows.show_table(lambda w: documents_table(rows, w, ascii=self.ascii) if rows else [])
        last = self.first + len(rows)
        self.say(f"{self.first + 1:,} to {last:,} of {self.total:,} documents" if rows else self.EMPTY)

    @on(Input.Submitted)
    def _typed(self) -> None:
        self.first = 0
        self.rows.focus()
        self.reload()

    @on(RowsPane.Moved)
    def _look(self, event: RowsPane.Moved) -> None:
        if not 0 <= event.index < len(self.listed):
            self.detail.show(lambda w: [])
            return
        each = self.listed[event.index]
        facts = ", ".join(part for part in (each.title, each.subject, each.date, each.author) if part)
        more = " …" if len(each.text) >= 400 else ""
        self.detail.show(
            lambda w: [*wrap(facts, w, ascii=self.ascii), *wrap(each.text + more, w, ascii=self.ascii)]
        )

    @on(RowsPane.Chosen)
    def _open(self, event: RowsPane.Chosen) -> None:
        from app.tui.screens.source import SourceScreen

        self.app.push_screen(SourceScreen(self.listed[event.index].id))

    def action_turn(self, by: int) -> None:
        """Turn the page."""
        first = self.first + by * PAGE
        if 0 <= first < self.total:
            self.first = first
            self.rows.cursor = 0
            self.reload()


__all__ = ["PAGE", "DocumentsView"]
