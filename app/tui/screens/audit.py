"""The audit of an answer: four panels that can be read without colour, one at a time or beside each other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Vertical
from textual.reactive import reactive
from textual.widgets import Static
from textual.worker import Worker

from app.tui.base import BaseScreen
from app.tui.screens.dialogs import ConfirmDialog, LineDialog
from app.tui.widgets.faults import fault_words
from app.tui.widgets.keys import KeysFooter
from app.tui.widgets.lines import LinesPane
from app.tui.widgets.rows import RowsPane
from app.views.safe import line

if TYPE_CHECKING:
    from agents.reranking import AnswerFrontier
    from store.receipt import AuditReceipt

PANELS = ("Opinions", "Authors", "Trade-off", "Sources", "Receipt")


class AuditScreen(BaseScreen[None]):
    """Shows the receipt of one answer, and what other points of its frontier would have chosen.

    Parameters
    ----------
    answer_id
        The answer to show.
    answer_ids
        The answers that ``[`` and ``]`` go through, in order.
    """

    HELP_WORDS = (
        "Bars compare the opinions of the population with those of the answer. In panel 3, left and right look at "
        "other choices: what would enter, leave and move, and what it would cost. A ! behind a number marks a share "
        "that is off by as much as the legend says: a mark, not a warning of the answer."
    )
    CSS_PATH = "audit.tcss"
    ROOMY = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="audit.back"),
        *(
            Binding(str(n), f"panel({n})", PANELS[n - 1], show=False, id=f"audit.panel{n}")
            for n in range(1, len(PANELS) + 1)
        ),
        Binding("left,h", "point(-1)", "Nearer", id="audit.nearer"),
        Binding("right,l", "point(1)", "More relevant", id="audit.relevant"),
        Binding("s", "compare", "Compare", id="audit.set", tooltip="Compare the population with another set"),
        Binding("z", "zoom", "Zoom", id="audit.zoom"),
        Binding("left_square_bracket", "answer(-1)", "Previous answer", False, "[", id="audit.previous"),
        Binding("right_square_bracket", "answer(1)", "Next answer", False, "]", id="audit.next"),
        Binding("e", "export", "Export", id="audit.export"),
    ]

    panel: reactive[int] = reactive(1, init=False)
    zoomed: reactive[bool] = reactive(False, init=False)

    def __init__(self, answer_id: str, answer_ids: Sequence[str] = ()) -> None:
        super().__init__()
        self.answer_id = answer_id
        self._answers = list(answer_ids) or [answer_id]
        self.receipt: AuditReceipt | None = None
        self.frontier: AnswerFrontier | None = None
        self.point = 0
        self._compared = ""
        self._why = ""

    @property
    def ascii(self) -> bool:
        """Whether to draw with ASCII only."""
        return self.desk.ascii

    # -- what is on screen

    def compose(self) -> ComposeResult:
        """Title, warnings, tabs, panels, keys."""
        yield Static("Audit", id="audit-title", markup=False)
        yield Static("", id="audit-warnings", markup=False)
        yield Static("", id="audit-tabs", markup=False)
        with Grid(id="audit-panels"):
            yield LinesPane(id="panel-1", classes="panel")
            yield LinesPane(id="panel-2", classes="panel")
            yield LinesPane(id="panel-3", classes="panel")
            with Vertical(id="panel-4", classes="panel"):
                yield RowsPane(id="ranks", empty="no documents: the answer rests on none")
                yield LinesPane(id="source")
            yield LinesPane(id="panel-5", classes="panel")
        yield KeysFooter()

    def on_mount(self) -> None:
        """Read the receipt."""
        for number, name in enumerate(PANELS, 1):
            self.query_one(f"#panel-{number}").border_title = f"{number} {name}"
        self._arrange()
        self.load()

    def on_resize(self) -> None:
        """Lay out for another size."""
        self.call_after_refresh(self._draw)

    def watch_panel(self) -> None:
        """Show another panel."""
        self._arrange()
        self._draw()
        self._focus_panel()

    def watch_zoomed(self) -> None:
        """Give one panel all the room, or none."""
        self._arrange()
        self.call_after_refresh(self._draw)

    def _arrange(self) -> None:
        self.set_class(self.zoomed, "-zoomed")
        for number in range(1, len(PANELS) + 1):
            self.query_one(f"#panel-{number}").set_class(number == self.panel, "-shown")
        self.set_class(self.panel == len(PANELS), "-whole")
        tabs = "  ".join(
            f"[{number}] {name}" if number == self.panel else f"{number} {name}"
            for number, name in enumerate(PANELS, 1)
        )
        self.query_one("#audit-tabs", Static).update(tabs)

    def _focus_panel(self) -> None:
        self.query_one("#ranks" if self.panel == 4 else f"#panel-{self.panel}").focus()

    # -- reading

    @work(exclusive=True, group="audit", exit_on_error=False)
    async def load(self) -> None:
        """Read the receipt, show it, then rank again at every point of its frontier."""
        from app.catalog import Catalog
        from app.frontiers import Frontiers
        from store.errors import ApplicationError

        parts = self.desk.service.parts
        self.receipt = self.frontier = None
        self._why = ""
        try:
            self.receipt = await asyncio.to_thread(Catalog(parts).receipt, self.answer_id)
        except ApplicationError as error:
            self._why = str(error)
            self._draw()
            return
        self._compared = self._compared or "retrieved"
        self._draw()
        self._focus_panel()
        self.refresh_bindings()
        if self.receipt.opinion is None or not self.receipt.ranking:
            return
        try:
            frontier = await asyncio.to_thread(Frontiers(parts).of, self.answer_id)
            self.frontier, self.point = frontier, frontier.chosen
        except ApplicationError as error:
            self._why = str(error)
        self._draw_tradeoff()
        self.refresh_bindings()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say what nobody foresaw."""
        words = fault_words(event)
        if not words:
            return
        self._why = words
        if self.receipt is None:
            self._draw()
        elif event.worker.group == "audit":
            self._draw_tradeoff()
        else:
            self.notify(line(words), severity="error", markup=False)

    # -- drawing

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        receipt = self.receipt
        if receipt is None:
            self._draw_nothing()
            return
        from app.views import audit_panels as views
        from app.views.receipt_text import receipt_text

        ascii, width = self.ascii, self.size.width
        place = self._answers.index(self.answer_id) + 1 if self.answer_id in self._answers else 0
        where = f"answer {place} of {len(self._answers)}" if place and len(self._answers) > 1 else ""
        self.query_one("#audit-title", Static).update(views.title_line(receipt, where, width, ascii=ascii))
        self._draw_warnings(receipt)
        self._pane(2).show(lambda w: views.group_panel(receipt, w, ascii=ascii))
        self._pane(5).show(lambda w: receipt_text(receipt, width=w, ascii=ascii).splitlines())
        self._draw_tradeoff()
        ranks = self.query_one("#ranks", RowsPane)
        ranks.show_table(lambda w: views.rank_table(receipt, w, ascii=ascii), ranks.cursor)

    def _draw_warnings(self, receipt: AuditReceipt) -> None:
        """Say what weakens the answer above the panels, or in panel 1 where that is what is shown."""
        from app.views.audit_panels import opinion_panel, warning_lines
        from app.views.words import warnings

        most = (6 if self.grid else 3) if self.size.height >= 20 else 1
        found = warning_lines(receipt, self.size.width - 2, most, ascii=self.ascii)
        strip = self.query_one("#audit-warnings", Static)
        strip.update("\n".join(f"! {each}" for each in found))
        strip.display = bool(found) and (self.grid or self.panel != 1)
        inside = not self.grid or len(warnings(receipt)) > most
        self._pane(1).show(
            lambda w: opinion_panel(receipt, self._compared, w, ascii=self.ascii, warned=inside)
        )

    def _draw_nothing(self) -> None:
        text = f"! {line(self._why)}" if self._why else "reading the receipt ..."
        self.query_one("#audit-title", Static).update(line(f"Audit · {self.answer_id}", ascii=self.ascii))
        self.query_one("#audit-warnings", Static).display = False
        from app.views.layout import wrap

        for number in (1, 2, 3, 5):
            self._pane(number).show(lambda w: wrap(text, w, ascii=self.ascii))
        self.query_one("#ranks", RowsPane).show_table(lambda w: [])
        self.query_one("#source", LinesPane).show(lambda w: [])

    def _draw_tradeoff(self) -> None:
        receipt, pane = self.receipt, self._pane(3)
        if receipt is None:
            return
        from app.views.audit_panels import tradeoff_panel

        pane.show(
            lambda w: tradeoff_panel(
                receipt,
                self.frontier,
                self.point,
                w,
                max(8, pane.scrollable_content_region.height),
                ascii=self.ascii,
                why=self._why,
            ),
            keep_place=True,
        )

    def _pane(self, number: int) -> LinesPane:
        return self.query_one(f"#panel-{number}", LinesPane)

    @on(RowsPane.Moved, "#ranks")
    def _look(self, event: RowsPane.Moved) -> None:
        from app.views.audit_panels import rank_words, source_lines

        receipt = self.receipt
        if receipt is None or event.index < 0:
            return
        document = receipt.ranking[event.index]
        self.query_one("#source", LinesPane).show(
            lambda w: [
                *source_lines(receipt, document, w, ascii=self.ascii),
                "",
                *rank_words(receipt, w, ascii=self.ascii),
            ]
        )

    @on(RowsPane.Chosen, "#ranks")
    def _open(self, event: RowsPane.Chosen) -> None:
        from app.tui.screens.source import SourceScreen
        from app.views.audit_panels import quote_spans

        if self.receipt is None:
            return
        document = self.receipt.ranking[event.index].document_id
        self.app.push_screen(SourceScreen(document, quote_spans(self.receipt, document)))

    # -- actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer moving the point where there is one to move."""
        if action == "point":
            return self.frontier is not None and (self.panel == 3 or self.grid)
        if action == "compare":
            return self.receipt is not None and self.receipt.opinion is not None
        return self.receipt is not None if action == "export" else True

    @property
    def grid(self) -> bool:
        """Whether several panels stand beside each other."""
        return self.has_class("-wide") and not self.zoomed and self.panel != len(PANELS)

    def action_back(self) -> None:
        """Leave."""
        self.dismiss()

    def action_panel(self, number: int) -> None:
        """Show a panel, or go to it."""
        if self.panel == number:
            self._focus_panel()
        self.panel = number
        self.refresh_bindings()

    def action_zoom(self) -> None:
        """Give the panel all the room, and back."""
        self._follow_focus()
        self.zoomed = not self.zoomed
        self.refresh_bindings()

    def _follow_focus(self) -> None:
        focused = self.focused
        while focused is not None and not focused.has_class("panel"):
            focused = focused.parent if focused.parent is not self else None  # type: ignore[assignment]
        if focused is not None and focused.id:
            self.panel = int(focused.id.rpartition("-")[2])

    def action_point(self, by: int) -> None:
        """Look at the next choice on the frontier."""
        if self.frontier is None:
            return
        point = max(0, min(self.point + by, len(self.frontier.points) - 1))
        if point != self.point:
            self.point = point
            self._draw_tradeoff()

    def action_compare(self) -> None:
        """Compare the population with another set of documents."""
        from app.views.audit_panels import COMPARED

        self._compared = COMPARED[(COMPARED.index(self._compared or "all") + 1) % len(COMPARED)]
        self._draw()

    def action_answer(self, by: int) -> None:
        """Show the next answer of the conversation."""
        if self.answer_id not in self._answers:
            return
        place = self._answers.index(self.answer_id) + by
        if 0 <= place < len(self._answers):
            self.answer_id = self._answers[place]
            self.load()

    @work(exclusive=True, group="export", exit_on_error=False)
    async def action_export(self) -> None:
        """Write the receipt to a file."""
        from app.exporting import ENDINGS, save_receipt
        from store.errors import ApplicationError

        receipt = self.receipt
        if receipt is None:
            return
        words = f"The ending says the form: {', '.join(ENDINGS)}"
        name = await self.app.push_screen_wait(
            LineDialog("Write this receipt to", f"answer-{receipt.answer_id}.md", words)
        )
        if name is None:
            return
        from pathlib import Path

        force = False
        if Path(name.strip()).expanduser().is_file():
            force = await self.app.push_screen_wait(
                ConfirmDialog("Write over it?", f"{line(name)} exists already.")
            )
            if not force:
                return
        try:
            written = await asyncio.to_thread(save_receipt, receipt, name, force=force)
        except ApplicationError as error:
            self.notify(line(str(error)), severity="error", markup=False)
            return
        self.notify(f"written to {line(str(written))}", markup=False)


__all__ = ["PANELS", "AuditScreen"]
