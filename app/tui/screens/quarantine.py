"""Rows that were not ingested, each with its reason and its raw text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import on, work

from app.tui.screens.explore_view import ExploreView
from app.tui.widgets.rows import RowsPane
from app.views.formats import plural
from app.views.layout import wrap
from app.views.safe import line

if TYPE_CHECKING:
    from store.repository import QuarantineRecord

#: Characters of a raw row that the detail shows.
SHOWN = 20_000


class QuarantineView(ExploreView):
    """Lists quarantined rows; the one under the cursor is shown whole."""

    EMPTY = "nothing in quarantine"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.listed: list[QuarantineRecord] = []

    @work(exclusive=True, group="quarantine", exit_on_error=False)
    async def reload(self) -> None:
        """Read the quarantine."""
        from app.documents import MOST_QUARANTINED, Documents
        from app.views.tables import QuarantineRow, quarantine_table
        from store.errors import ApplicationError

        try:
            self.listed = await asyncio.to_thread(Documents(self.parts).quarantine, self.corpus)
        except ApplicationError as error:
            self.say(str(error), wrong=True)
            return
        rows = [QuarantineRow(q.source, q.row, q.reason, q.attempts, q.raw) for q in self.listed]
        self.rows.show_table(lambda w: quarantine_table(rows, w, ascii=self.ascii) if rows else [])
        more = (
            " (the first; `evenhand export quarantine` writes all)" if len(rows) == MOST_QUARANTINED else ""
        )
        self.say(f"{len(rows):,} rows in quarantine{more}")

    @on(RowsPane.Moved)
    def _look(self, event: RowsPane.Moved) -> None:
        if not 0 <= event.index < len(self.listed):
            self.detail.show(lambda w: [])
            return
        row = self.listed[event.index]
        tried = plural(row.attempts, "time")
        head = f"{line(row.source, limit=200)}, row {row.row:,}, tried {tried}: {line(row.reason)}"
        raw = row.raw[:SHOWN] + (" …" if len(row.raw) > SHOWN else "")
        self.detail.show(lambda w: [*wrap(head, w, ascii=self.ascii), "", *wrap(raw, w, ascii=self.ascii)])


__all__ = ["QuarantineView"]
