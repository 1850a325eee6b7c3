"""The entities of a corpus as a tree, and their curation: merge, rename, move, drop, alias."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from app.tui.screens.dialogs import ConfirmDialog, LineDialog
from app.tui.screens.explore_view import ExploreView
from app.tui.widgets.rows import RowsPane
from app.views.safe import line

if TYPE_CHECKING:
    from store.registry import EntityRecord

#: What is asked for a decision: title and words.
_ASKED = {
    "merge": (
        "Merge {name} into",
        "Key, name or alias of the entity that stays; its aliases and opinions move there.",
    ),
    "rename": ("Rename {name} to", "Its key stays."),
    "move": ("Move {name} under", "Key, name or alias of the parent; empty for the top tier."),
    "alias": ("Another form of {name}", "Words that mean it too."),
}


CURATE = Binding.Group("Merge, rename, move, drop, alias", compact=True)


class EntitiesView(ExploreView):
    """Lists the entities with counts and distribution; Enter shows the documents on one."""

    PLACEHOLDER = "name or alias"
    EMPTY = "no entities: press i, then enrich"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus,minus,x", "fold", "Fold", show=False, id="entities.fold"),
        Binding("m", "decide('merge')", "Merge", group=CURATE, id="entities.merge"),
        Binding("r", "decide('rename')", "Rename", group=CURATE, id="entities.rename"),
        Binding("v", "decide('move')", "Move", group=CURATE, id="entities.move"),
        Binding("d", "drop", "Drop", group=CURATE, id="entities.drop"),
        Binding("a", "decide('alias')", "Alias", group=CURATE, id="entities.alias"),
        Binding("f7", "apply", "Apply", id="entities.apply", tooltip="Apply the decisions to the opinions"),
    ]

    class Opened(Message):
        """The documents on an entity are wanted."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.records: list[EntityRecord] = []
        self.shown: list[str] = []
        self.collapsed: set[str] = set()
        #: Whether something was decided that no enrichment has applied yet.
        self.undone = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to apply decisions where there are some."""
        return self.undone if action == "apply" else True

    def action_apply(self) -> None:
        """Enrich: what was decided is applied to the opinions."""
        from app.tui.screens.ingest import IngestScreen

        self.undone = False
        self.app.push_screen(IngestScreen(enrich=True), self._applied)

    def _applied(self, _stored: bool | None) -> None:
        self.reload()

    @property
    def selected(self) -> str:
        """Key of the entity under the cursor, empty where there is none."""
        return self.shown[self.rows.cursor] if self.rows.cursor < len(self.shown) else ""

    @work(exclusive=True, group="entities", exit_on_error=False)
    async def reload(self, keep: str = "") -> None:
        """Read the registry; the cursor goes to the entity of that key, or stays."""
        from app.catalog import Catalog
        from store.errors import ApplicationError

        keep = keep or self.selected
        try:
            self.records = await asyncio.to_thread(Catalog(self.parts).entities, self.corpus)
        except ApplicationError as error:
            self.records = []
            self.say(str(error), wrong=True)
        self._draw(keep)

    def _draw(self, keep: str = "") -> None:
        from app.views.tables import EntityRow, entities_tree, tree_order

        wanted = self._wanted()
        rows = [
            EntityRow(each.key, each.name, each.parent, each.documents, each.counts, each.aliases)
            for each in self.records
            if each.key in wanted
        ]
        self.shown = [row.key for row, _ in tree_order(rows, collapsed=self.collapsed)]
        folded = frozenset(self.collapsed)
        self.rows.show_table(
            lambda w: entities_tree(rows, w, ascii=self.ascii, collapsed=folded) if rows else [],
            self.shown.index(keep) if keep in self.shown else self.rows.cursor,
        )

    def _wanted(self) -> set[str]:
        """Return the keys that the filter lets through, and those above them."""
        typed = self.filter.value.strip().casefold() if self.filter else ""
        parents = {each.key: each.parent for each in self.records}
        wanted: set[str] = set()
        for each in self.records:
            if typed in each.name.casefold() or any(typed in form.casefold() for form in each.aliases):
                key: str | None = each.key
                while key is not None and key not in wanted:
                    wanted.add(key)
                    key = parents.get(key)
        return wanted

    @on(Input.Changed)
    def _typed(self) -> None:
        self._draw(self.selected)

    @on(Input.Submitted)
    def _found(self) -> None:
        self.rows.focus()

    @on(RowsPane.Moved)
    @work(exclusive=True, group="entity", exit_on_error=False)
    async def _look(self, event: RowsPane.Moved) -> None:
        from app.catalog import Catalog
        from app.views.entities import entity_lines
        from store.errors import ApplicationError

        key = self.selected
        if event.index < 0 or not key:
            self.detail.show(lambda w: [])
            return
        try:
            record, quotes = await asyncio.to_thread(Catalog(self.parts).entity, key, self.corpus)
        except ApplicationError as error:
            self.say(str(error), wrong=True)
            return
        self.detail.show(lambda w: entity_lines(record, quotes, min(w, 100), ascii=self.ascii))

    @on(RowsPane.Chosen)
    def _open(self) -> None:
        if self.selected:
            self.post_message(self.Opened(self.selected))

    def action_fold(self) -> None:
        """Hide what stands below the entity, or show it again."""
        key = self.selected
        if any(each.parent == key for each in self.records):
            self.collapsed ^= {key}
            self._draw(key)

    @work(exclusive=True, group="decide", exit_on_error=False)
    async def action_decide(self, action: str) -> None:
        """Ask for what the decision needs, and make it."""
        record = self._record()
        if record is None:
            return
        title, words = _ASKED[action]
        value = record.name if action == "rename" else ""
        name = line(record.name, limit=60)

        async def attempt(given: str) -> str:
            return await self._decide(action, record.key, given.strip())

        title = title.format(name=f"“{name}”")
        await self.app.push_screen_wait(LineDialog(title, value, words, attempt=attempt))

    @work(exclusive=True, group="decide", exit_on_error=False)
    async def action_drop(self) -> None:
        """Drop the entity, once it is confirmed."""
        record = self._record()
        if record is None:
            return
        words = f"{record.documents:,} documents hold a view on it. It is no thing that people hold views on?"
        sure = await self.app.push_screen_wait(ConfirmDialog(f"Drop “{line(record.name, limit=60)}”?", words))
        wrong = await self._decide("drop", record.key, "") if sure else ""
        if wrong:
            self.say(wrong, wrong=True)

    async def _decide(self, action: str, key: str, value: str) -> str:
        """Make a decision; returns what is wrong with it."""
        from app.catalog import Catalog
        from store.errors import ApplicationError

        try:
            done = await asyncio.to_thread(Catalog(self.parts).curate, action, key, value, self.corpus)
        except ApplicationError as error:
            # A hint that names a command of the command line helps nobody here.
            hint = "" if "evenhand " in error.hint else error.hint
            return line(
                "; ".join(part for part in (error.message, hint) if part), limit=400, ascii=self.ascii
            )
        self.undone = True
        self.say(f"{done}; F7 applies it to the opinions")
        self.reload("" if action in ("merge", "drop") else key)
        return ""

    def _record(self) -> EntityRecord | None:
        key = self.selected
        return next((each for each in self.records if each.key == key), None)


__all__ = ["EntitiesView"]
