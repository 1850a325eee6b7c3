"""The first run: from nothing to a corpus that can be asked, without leaving the app."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Footer, OptionList, ProgressBar, Static
from textual.widgets.option_list import Option

from app.tui.base import BaseScreen
from app.tui.streaming import failure_words
from app.views.safe import line

_WORDS = """Evenhand answers questions about what people said: reviews, posts, survey answers. Its answers stand on
documents in the proportions of everybody who wrote, and each has a receipt that shows how far it is from them.

There is nothing to ask yet. What shall it read?"""


class WelcomeScreen(BaseScreen[None]):
    """Offers the demo corpus or a file of one's own, and prepares it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="welcome.back"),
        Binding("f9", "file", "Read a file", id="welcome.file"),
    ]

    @property
    def HELP_WORDS(self) -> str:  # noqa: N802 - the name that every screen gives it
        """What this screen is for, and what leaves the machine."""
        from urllib.parse import urlsplit

        words = "Choose with the arrow keys and Enter."
        models = self.desk.backstage.parts.settings.models
        hosts = {
            urlsplit(endpoint.base_url).netloc
            for role in ("generator", "router", "extractor")
            if (endpoint := models.for_role(role)) is not None
        }
        if not hosts:
            return f"{words} Everything stays on this machine."
        return (
            f"{words} A model server is configured ({', '.join(sorted(hosts))}): it is sent questions and the "
            "texts of documents; everything else stays on this machine."
        )

    def compose(self) -> ComposeResult:
        """Words, the choices, progress."""
        with Vertical(id="welcome"):
            yield Static("Welcome to Evenhand", classes="dialog-title")
            yield Static(" ".join(_WORDS.replace("\n\n", "\0").split()).replace("\0", "\n\n"), markup=False)
            yield OptionList(
                Option(Text("Try it: 400 reviews of airport lounges (bundled, a minute)"), id="demo"),
                Option(Text("Read a file of my own (CSV, JSON, Excel, Parquet, text ...)"), id="file"),
                Option(Text("Quit"), id="quit"),
            )
            yield Static("", id="welcome-stage", markup=False)
            yield ProgressBar(id="welcome-bar", show_eta=True)
        yield Footer()

    def on_mount(self) -> None:
        """Choose at once."""
        self.query_one("#welcome-bar").display = False
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        if event.option_id == "demo":
            self.prepare_demo()
        elif event.option_id == "file":
            self._own_file()
        else:
            self.desk.exit(0)

    @work(exclusive=True, group="prepare", exit_on_error=False)
    async def prepare_demo(self) -> None:
        """Make the workspace and read the bundled corpus."""
        from app.onboarding import DEMO_CORPUS, prepare_demo

        desk = self.desk
        self._busy(True)
        try:
            async for batch in desk.backstage.stream(
                lambda: prepare_demo(desk.backstage.parts, desk.service, desk.demo_reviews)
            ):
                self._show(batch[-1])
        except Exception as error:  # noqa: BLE001 - shown to the person, who can try again
            self._busy(False)
            self.query_one("#welcome-stage", Static).update(f"! {line(failure_words(error), limit=600)}")
            self.query_one("#welcome-stage").set_class(True, "-error")
            return
        desk.corpus = DEMO_CORPUS
        await self._done()

    def _busy(self, busy: bool) -> None:
        self.query_one(OptionList).disabled = busy
        self.query_one("#welcome-bar").display = busy
        self.query_one("#welcome-stage").set_class(False, "-error")
        self.refresh_bindings()
        if busy:
            self.query_one("#welcome-stage", Static).update("making the workspace ...")
        else:
            self.query_one(OptionList).focus()

    def _show(self, event: object) -> None:
        from app.events import Progress

        if not isinstance(event, Progress):
            return
        bar = self.query_one("#welcome-bar", ProgressBar)
        bar.update(total=1.0 if event.fraction is not None else None, progress=event.fraction or 0.0)
        rows = f"{event.done:,}" + (f" of {event.total:,}" if event.total else "")
        note = f" ({event.note})" if event.note else ""
        self.query_one("#welcome-stage", Static).update(
            line(f"{event.stage}: {rows}{note}", ascii=self.desk.ascii)
        )

    def _own_file(self) -> None:
        if find_spec("app.tui.screens.ingest") is not None:
            screen = import_module("app.tui.screens.ingest").IngestScreen()
            self.desk.push_screen(screen, self._after_ingest)
            return
        self._ask_path()

    @work(exit_on_error=False)
    async def _ask_path(self) -> None:
        from app.tui.screens.dialogs import LineDialog

        given = await self.desk.push_screen_wait(
            LineDialog("Which file or folder?", words="One row is one document; columns are guessed.")
        )
        if given and given.strip():
            self.prepare_file(Path(given.strip()).expanduser())

    @work(exclusive=True, group="prepare", exit_on_error=False)
    async def prepare_file(self, path: Path) -> None:
        """Read a file, find the opinions in it."""
        from app.onboarding import prepare_file

        desk = self.desk
        self._busy(True)
        try:
            stream = desk.backstage.stream(lambda: prepare_file(desk.backstage.parts, desk.service, path))
            async for batch in stream:
                self._show(batch[-1])
        except Exception as error:  # noqa: BLE001 - shown to the person, who can try again
            self._busy(False)
            self.query_one("#welcome-stage", Static).update(f"! {line(failure_words(error), limit=600)}")
            self.query_one("#welcome-stage").set_class(True, "-error")
            return
        await self._done()

    def _after_ingest(self, _result: object) -> None:
        self.run_worker(self._done(), exit_on_error=False)

    async def _done(self) -> None:
        await self.desk.refresh_corpora()
        if not self.desk.corpora:
            self._busy(False)
            return
        desk = self.desk
        self.dismiss(None)
        desk.run_worker(desk.enter(), group="open", exit_on_error=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the way back only where there is one."""
        busy = self.is_mounted and self.query_one(OptionList).disabled
        return busy or bool(self.desk.corpora) if action == "leave" else True

    def action_file(self) -> None:
        """Read a file of one's own."""
        if not self.query_one(OptionList).disabled:
            self._own_file()

    def action_leave(self) -> None:
        """Stop what is being prepared, or go back to the chat where there is a corpus."""
        if self.query_one(OptionList).disabled:
            self.workers.cancel_group(self, "prepare")
            self._busy(False)
        elif self.desk.corpora:
            self.dismiss(None)


__all__ = ["WelcomeScreen"]
