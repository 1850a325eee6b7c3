"""Ingest and enrichment from within: the mapping shown before anything is stored, progress, and a way to stop."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Button, Footer, Input, Static
from textual.worker import Worker

from app.tui.base import BaseScreen
from app.tui.widgets.faults import fault_words
from app.tui.widgets.job import JobLine
from app.tui.widgets.lines import LinesPane
from app.views.layout import wrap

if TYPE_CHECKING:
    from app.intake import Preview


#: Seconds between two looks at whether another process still writes.
WRITER_SECONDS = 0.5


class IngestScreen(BaseScreen[bool]):
    """Reads a file into a corpus and enriches it; dismissed with whether anything was stored.

    Parameters
    ----------
    path
        File or folder to start with.
    enrich
        Enrich the corpus in use at once.
    """

    HELP_WORDS = (
        "Enter in a field looks at the file and shows what its columns become; nothing is stored before you say so. "
        "What is stopped keeps what it did, and goes on where it stopped when it is started again."
    )
    CSS_PATH = "ingest.tcss"
    ROOMY = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Stop or back", id="ingest.back"),
        Binding("f5", "start(True)", "Read and enrich", id="ingest.start"),
        Binding("f6", "start(False)", "Read only", id="ingest.read"),
        Binding("f7", "enrich", "Enrich", id="ingest.enrich"),
    ]

    busy: reactive[bool] = reactive(False, init=False, bindings=True)

    def __init__(self, path: str | Path | None = None, *, enrich: bool = False) -> None:
        super().__init__()
        self._enrich_at_once = enrich
        self._path = "" if path is None else str(path)
        self.preview: Preview | None = None
        self.stored = False
        self._looked = ("", "", "")

    def compose(self) -> ComposeResult:
        """Fields, buttons, what is known of the file, progress, keys."""
        yield Static("Read a file into a corpus", id="ingest-title", markup=False)
        for name, label, holder in (
            ("path", "file or folder", "reviews.csv (CSV, JSON, XLSX, Parquet, text, .gz)"),
            ("corpus", "corpus", "name of the corpus"),
            ("map", "columns", "guessed; as in text=Review rating=Stars title="),
            ("attributes", "author groups", "guessed; as in country=author_country"),
        ):
            with Horizontal(classes="ingest-field"):
                yield Static(label, classes="ingest-label", markup=False)
                yield Input(
                    self._path if name == "path" else "",
                    placeholder=holder,
                    id=f"ingest-{name}",
                    compact=True,
                )
        with Horizontal(id="ingest-buttons"):
            yield Button("Read and enrich", id="ingest-start", compact=True)
            yield Button("Read only", id="ingest-read", compact=True)
            yield Button("Enrich", id="ingest-enrich", compact=True)
        yield LinesPane(id="ingest-lines")
        yield JobLine(id="ingest-job")
        yield Footer()

    def on_mount(self) -> None:
        """Look at the file where one was given."""
        from app.service import DEFAULT_CORPUS

        self.query_one("#ingest-corpus", Input).value = self.desk.corpus or DEFAULT_CORPUS
        self.query_one("#ingest-path").focus()
        self._say([])
        if self._path:
            self.look()
        elif self._enrich_at_once:
            self.action_enrich()

    def _field(self, name: str) -> str:
        return self.query_one(f"#ingest-{name}", Input).value.strip()

    def _say(self, lines: list[str], wrong: bool = False) -> None:
        ascii = self.desk.ascii
        mark = "! " if wrong else ""

        def draw(width: int) -> list[str]:
            out: list[str] = []
            for text in lines:
                indent = " " * (len(text) - len(text.lstrip()))
                out += wrap(text, width, first=mark + indent, rest=f"{indent}  ", ascii=ascii)
            return out

        self.query_one("#ingest-lines", LinesPane).show(draw)

    # -- the file

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.look()

    @work(exclusive=True, group="look", exit_on_error=False)
    async def look(self) -> None:
        """Look at the file and show its mapping."""
        if not self.busy and await self._look():
            self.query_one("#ingest-start").focus()

    async def _look(self) -> bool:
        from app.intake import preview
        from app.views.books import mapping_lines
        from store.errors import ApplicationError

        typed = (self._field("path"), self._field("map"), self._field("attributes"))
        self.preview = None
        try:
            found = await asyncio.to_thread(preview, *typed)
        except ApplicationError as error:
            self._say([str(error)], wrong=True)
            return False
        self.preview, self._looked = found, typed
        sample = [f"  {name}: {value[:200]}" for name, value in found.sample.items() if value.strip()]
        self._say(
            [
                f"{found.path.name}: its columns become",
                *mapping_lines(found.mapping),
                *(f"  note: {note}" for note in found.mapping.notes),
                "",
                "its first row",
                *sample,
            ]
        )
        return True

    # -- the jobs

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "ingest-enrich":
            self.action_enrich()
        else:
            self.action_start(event.button.id == "ingest-start")

    @work(exclusive=True, group="job", exit_on_error=False)
    async def action_start(self, enrich: bool) -> None:
        """Read the file; enrich what was read where that is wanted."""
        typed = (self._field("path"), self._field("map"), self._field("attributes"))
        if (self.preview is None or typed != self._looked) and not await self._look():
            return
        found = self.preview
        assert found is not None, "looking at it was right"
        corpus = self._field("corpus")

        async def job() -> list[str]:
            from app.intake import ensure_workspace
            from app.views.books import ingest_lines

            await asyncio.to_thread(ensure_workspace, self.desk.service.parts)
            await self._turn_to_write()
            events = self.desk.service.ingest(found.path, corpus, overrides=found.overrides)
            done = await self._job.run(events, ascii=self.desk.ascii)
            self.stored = True
            lines = ingest_lines(done)
            self._say(lines)
            if enrich and not done.books.interrupted:
                lines += ["", *await self._enriched(corpus)]
            return lines

        await self._run(job, corpus)

    @work(exclusive=True, group="job", exit_on_error=False)
    async def action_enrich(self) -> None:
        """Find entities and opinions in what the corpus holds."""
        corpus = self._field("corpus")
        await self._run(lambda: self._enriched(corpus), corpus)

    async def _enriched(self, corpus: str) -> list[str]:
        from app.views.books import enrich_lines

        await self._turn_to_write()
        done = await self._job.run(self.desk.service.enrich(corpus), ascii=self.desk.ascii)
        self.stored = True
        return enrich_lines(done, self.desk.service.parts.settings.enrich.extractor)

    async def _turn_to_write(self) -> None:
        """Wait until no other process writes, and say for which one; Esc ends it at once."""
        from app.intake import other_writer

        self._job.update("starting ...")
        while writer := await asyncio.to_thread(other_writer, self.desk.service.parts):
            self._job.update(f"waiting for another writer (pid {writer}) to finish; Esc gives up")
            await asyncio.sleep(WRITER_SECONDS)

    @property
    def _job(self) -> JobLine:
        return self.query_one(JobLine)

    async def _run(self, job, corpus: str) -> None:  # type: ignore[no-untyped-def]
        from store.errors import ApplicationError

        self.busy = True
        try:
            lines = await job()
        except asyncio.CancelledError:
            self._say(
                ["stopped; what was done is kept, and goes on from there when it is started again"],
                wrong=True,
            )
            self._job.update("")
            raise
        except ApplicationError as error:
            self._say([str(error)], wrong=True)
            self._job.update("")
        else:
            await self.desk.use_corpus(corpus)
            self._say([*lines, "", "Esc goes back; ask about it in the chat"])
        finally:
            self.busy = False

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say what nobody foresaw."""
        if words := fault_words(event):
            self._say([words], wrong=True)
            self._job.update("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Start nothing while a job runs."""
        return not self.busy if action in ("start", "enrich") else True

    def watch_busy(self, busy: bool) -> None:
        """Lock the fields while a job runs."""
        for widget in self.query("Input, Button"):
            widget.disabled = busy
        if busy:
            self.query_one("#ingest-lines").focus()

    def action_back(self) -> None:
        """Stop the job under way, else leave."""
        if self.busy:
            self._job.stopping()
            self.workers.cancel_group(self, "job")
        else:
            self.dismiss(self.stored)


__all__ = ["IngestScreen"]
