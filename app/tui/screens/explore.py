"""Looking around: corpora, entities, documents, quarantine."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widgets import ContentSwitcher, Input, Static

from app.tui.base import BaseScreen
from app.tui.screens.corpora import CorporaView
from app.tui.screens.documents import DocumentsView
from app.tui.screens.explore_entities import EntitiesView
from app.tui.screens.explore_view import ExploreView, Said
from app.tui.screens.quarantine import QuarantineView
from app.tui.widgets.keys import KeysFooter
from app.views.safe import line

VIEWS = ("corpora", "entities", "documents", "quarantine")


class ExploreScreen(BaseScreen[None]):
    """Four views of what the workspace holds.

    Parameters
    ----------
    view
        The view to start with.
    """

    HELP_WORDS = (
        "Enter goes deeper: a corpus is taken into use, an entity shows its documents, a document opens. "
        "Decisions on entities are kept and applied again after every enrichment."
    )
    CSS_PATH = "explore.tcss"
    ROOMY = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="explore.back"),
        *(
            Binding(str(n), f"view({n})", VIEWS[n - 1].title(), show=False, id=f"explore.view{n}")
            for n in range(1, len(VIEWS) + 1)
        ),
        Binding("slash", "filter", "Filter", id="explore.filter", key_display="/"),
        Binding("i", "ingest", "Ingest, enrich", id="explore.ingest"),
    ]

    view: reactive[int] = reactive(2, init=False)

    def __init__(self, view: str = "entities") -> None:
        super().__init__()
        self.set_reactive(ExploreScreen.view, VIEWS.index(view) + 1)

    def compose(self) -> ComposeResult:
        """Title, tabs, one view, what happened, keys."""
        yield Static("", id="explore-title", markup=False)
        yield Static("", id="explore-tabs", markup=False)
        with ContentSwitcher(initial=VIEWS[self.view - 1], id="explore-views"):
            yield CorporaView(id="corpora")
            yield EntitiesView(id="entities")
            yield DocumentsView(id="documents")
            yield QuarantineView(id="quarantine")
        yield Static("", id="explore-said", markup=False)
        yield KeysFooter()

    def on_mount(self) -> None:
        """Show the first view."""
        self._show()

    @property
    def current(self) -> ExploreView:
        """The view that is shown."""
        return self.query_one(f"#{VIEWS[self.view - 1]}", ExploreView)

    def watch_view(self) -> None:
        """Show another view."""
        self._show()

    def _show(self) -> None:
        name = VIEWS[self.view - 1]
        self.query_one(ContentSwitcher).current = name
        ascii = self.desk.ascii
        title = f"Explore {'|' if ascii else '·'} corpus {self.desk.corpus or '(none)'}"
        self.query_one("#explore-title", Static).update(line(title, ascii=ascii))
        tabs = "  ".join(
            f"[{n}] {each.title()}" if n == self.view else f"{n} {each.title()}"
            for n, each in enumerate(VIEWS, 1)
        )
        self.query_one("#explore-tabs", Static).update(tabs)
        self._say("")
        self.current.rows.focus()
        self.current.reload()
        self.refresh_bindings()

    def _say(self, text: str, wrong: bool = False) -> None:
        said = self.query_one("#explore-said", Static)
        said.update(f"{'! ' if wrong else ''}{line(text, limit=600, ascii=self.desk.ascii)}")
        said.set_class(wrong, "-wrong")

    @on(Said)
    def _heard(self, event: Said) -> None:
        self._say(event.text, event.wrong)

    @on(CorporaView.Used)
    def _used(self) -> None:
        self.view = 2

    @on(EntitiesView.Opened)
    def _documents_on(self, event: EntitiesView.Opened) -> None:
        self.view = 3
        self.query_one(DocumentsView).look_for(f'entity:"{event.key}"')

    # -- actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the filter where there is one."""
        return self.current.filter is not None if action == "filter" and self.is_mounted else True

    def action_view(self, number: int) -> None:
        """Show another view."""
        self.view = number

    def action_filter(self) -> None:
        """Type a filter."""
        if self.current.filter is not None:
            self.current.filter.focus()

    def action_ingest(self) -> None:
        """Read a file, or enrich the corpus."""
        from app.tui.screens.ingest import IngestScreen

        self.app.push_screen(IngestScreen(), lambda _: self._show())

    def action_back(self) -> None:
        """Leave the filter, else the screen."""
        if isinstance(self.focused, Input):
            self.current.rows.focus()
            return
        self.dismiss()


__all__ = ["VIEWS", "ExploreScreen"]
