"""The corpora of the workspace, with the books of their sources."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message

from app.tui.screens.explore_view import ExploreView
from app.tui.widgets.rows import RowsPane

if TYPE_CHECKING:
    from store.browse import CorpusLine


class CorporaView(ExploreView):
    """Lists the corpora; Enter makes one the corpus in use."""

    EMPTY = "no corpus yet: press i to read a file"

    class Used(Message):
        """Another corpus is in use."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.corpora: list[CorpusLine] = []

    @work(exclusive=True, group="corpora", exit_on_error=False)
    async def reload(self) -> None:
        """Read the corpora."""
        from app.documents import Documents
        from app.views.tables import CorpusRow, corpora_table
        from store.errors import ApplicationError

        try:
            self.corpora = await asyncio.to_thread(Documents(self.parts).corpora)
        except ApplicationError as error:
            self.say(str(error), wrong=True)
            return
        rows = [
            CorpusRow(
                f"{each.name} (in use)" if each.name == self.corpus else each.name,
                each.documents,
                each.enriched,
                each.entities,
                each.opinions,
                each.embedder,
            )
            for each in self.corpora
        ]
        names = [each.name for each in self.corpora]
        self.rows.show_table(
            lambda w: corpora_table(rows, w, ascii=self.ascii) if rows else [],
            names.index(self.corpus) if self.corpus in names else 0,
        )

    @on(RowsPane.Moved)
    @work(exclusive=True, group="sources", exit_on_error=False)
    async def _look(self, event: RowsPane.Moved) -> None:
        from app.documents import Documents
        from app.views.tables import SourceRow, sources_table
        from store.errors import ApplicationError

        if not 0 <= event.index < len(self.corpora):
            self.detail.show(lambda w: [])
            return
        try:
            found = await asyncio.to_thread(Documents(self.parts).sources, self.corpora[event.index].name)
        except ApplicationError as error:
            self.say(str(error), wrong=True)
            return
        rows = [
            SourceRow(
                each.name,
                each.rows_read,
                each.rows_new,
                each.rows_updated,
                each.rows_unchanged,
                each.rows_quarantined,
                "" if each.state == "done" else each.state,
            )
            for each in found
        ]
        self.detail.show(lambda w: sources_table(rows, w, ascii=self.ascii) if rows else ["no sources"])

    @on(RowsPane.Chosen)
    @work(exclusive=True, group="use", exit_on_error=False)
    async def _use(self, event: RowsPane.Chosen) -> None:
        await self.desk.use_corpus(self.corpora[event.index].name)
        self.post_message(self.Used())


__all__ = ["CorporaView"]
