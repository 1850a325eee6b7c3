"""The app: what all screens share. Its first frame needs nothing but Textual; the rest opens behind it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.worker import Worker, WorkerError

from app.backstage import Backstage
from app.tui.filters import AsciiFilter, SafeFilter
from app.tui.screens.chat import ChatScreen
from app.tui.theme import DARK, LIGHT

if TYPE_CHECKING:
    from app.catalog import Catalog
    from app.conversations import Conversations
    from app.service import Service
    from store.repository import CorpusRecord

#: What the palette offers in the chat: title, words, action.
PALETTE = (
    ("Audit", "The whole receipt of the answer", "audit"),
    ("Sources", "Open what the answer cites", "sources"),
    ("Ask again without fairness", "By relevance alone, side by side", "unfair"),
    ("Ask again with method ...", "Choose a method; side by side", "again"),
    ("Choose method ...", "How documents are chosen from now on", "method"),
    ("Choose corpus ...", "Talk to another corpus", "corpus"),
    ("Choose model ...", "Who writes the answers", "model"),
    ("Sessions", "Conversations: resume, rename, delete, export", "sessions"),
    ("New conversation", "Start anew", "new"),
    ("Explore", "Entities, documents, quarantine", "explore"),
    ("Read a file", "Ingest a file and find the opinions in it", "ingest"),
    ("Save", "Write the answer or the conversation to a file", "save"),
    ("Copy", "Copy the answer", "copy"),
    ("Stop", "Stop the answer; what was written is kept", "stop"),
)
#: Exit code of a process that a signal ended.
SIGNALLED = 128


class EvenhandApp(App[int]):
    """Chat with a corpus, see that the answers are not skewed.

    Parameters
    ----------
    backstage
        Builds the service when it is first needed.
    corpus
        Corpus to start with; empty: the only one, or the one last used.
    thread
        Conversation to resume: an id, the beginning of one, ``last``, or empty for a new one.
    ascii
        Draw with ASCII characters only.
    theme
        Name of a theme; empty for ours.
    demo_reviews
        Reviews of the bundled corpus that the first-run screen reads; None for all.
    """

    TITLE = "evenhand"
    CSS_PATH = "evenhand.tcss"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", id="app.help"),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", priority=True),
    ]

    def __init__(
        self,
        backstage: Backstage,
        *,
        corpus: str = "",
        thread: str = "",
        ascii: bool = False,
        theme: str = "",
        demo_reviews: int | None = None,
    ) -> None:
        # With NO_COLOR, Textual's own themes only turn grey; its ANSI theme leaves bold, dim and nothing else.
        plain = os.environ.get("NO_COLOR") is not None
        super().__init__(ansi_color=True if plain else None)
        self.backstage = backstage
        self.corpus = corpus
        self.ascii = ascii
        self.ready = False
        self.corpora: list[CorpusRecord] = []
        self.demo_reviews = demo_reviews
        self._thread_wanted = thread
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = "ansi-dark" if plain else theme or DARK.name
        self._filters.append(SafeFilter())
        if ascii:
            self._filters.append(AsciiFilter())
        self.chat = ChatScreen()

    # -- what screens find here

    @property
    def service(self) -> Service:
        """The use cases; there once ``ready``."""
        return self.backstage.service

    @property
    def catalog(self) -> Catalog:
        """Reads and curation; there once ``ready``."""
        return self.backstage.catalog

    @property
    def conversations(self) -> Conversations:
        """Conversations; there once ``ready``."""
        return self.backstage.conversations

    # -- life

    def get_default_screen(self) -> Screen[Any]:
        """Start with the chat."""
        return self.chat

    def on_mount(self) -> None:
        """Listen for signals and open the service once the first frame is drawn."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None), signal.SIGINT):
            if number is None:
                continue  # Windows has no hang-up
            try:
                loop.add_signal_handler(number, self._on_signal, number)
            except (NotImplementedError, RuntimeError, ValueError) as error:
                # A loop without signals (Windows), or not the main thread (an embedding program).
                self.log(f"no handler for {number.name}: {error!r}")
        self.call_after_refresh(self.reopen)

    def reopen(self) -> None:
        """Open the service, or try again after it could not be opened."""
        self.run_worker(self._open(), group="open", exclusive=True, exit_on_error=False)

    async def _open(self) -> None:
        from app.tui.streaming import failure_words

        try:
            exists = await self.backstage.call(self.backstage.open)
            self.ready = True
            await self.refresh_corpora()
            if exists and self.corpora:
                await self.enter()
                return
        except Exception as error:  # noqa: BLE001 - shown to the person, who can try again
            self.chat.show_fault(failure_words(error))
            return
        from app.tui.screens.welcome import WelcomeScreen

        self.push_screen(WelcomeScreen())

    async def enter(self) -> None:
        """Start to chat with the corpus in use; load what the first answer needs meanwhile."""
        thread, self._thread_wanted = self._thread_wanted, ""
        await self.chat.enter(thread)
        self.run_worker(self.backstage.call(self.backstage.warm), group="warm", exit_on_error=False)

    async def refresh_corpora(self) -> None:
        """Read which corpora there are; settle on one."""
        parts = self.backstage.parts
        if not parts.workspace.exists():
            self.corpora = []
            return
        self.corpora = await self.backstage.call(parts.repository.corpora)
        self.corpus = self.corpus or parts.settings.corpus
        names = [each.name for each in self.corpora]
        if self.corpus and names and self.corpus not in names:
            # Says which there are.
            await self.backstage.call(parts.repository.corpus, self.corpus)
        if not self.corpus and names:
            recent = await self.backstage.call(self.conversations.all)
            self.corpus = next((each.corpus for each in recent if each.corpus in names), names[0])

    @property
    def model(self) -> str:
        """Name of the model that writes answers, empty for the embedded writer."""
        endpoint = self.backstage.parts.settings.models.for_role("generator")
        return "" if endpoint is None else endpoint.model

    @property
    def writer(self) -> str:
        """Who writes the answers, in words."""
        return self.model or "embedded writer"

    async def finished(self, worker: Worker[Any]) -> None:
        """Wait until a worker that was stopped has ended."""
        try:
            await worker.wait()
        except WorkerError:
            # Cancelled, as it was asked to be, or failed, which is shown where it happened.
            self.log(f"ended: {worker.name}")

    async def use_corpus(self, name: str) -> None:
        """Take another corpus into use: what is asked next begins a new conversation."""
        await self.refresh_corpora()
        if name == self.corpus:
            return
        if self.chat.opened:
            await self.chat.stop_and_store()
        self.corpus = name
        if self.chat.opened:
            await self.chat.new()

    @property
    def corpus_record(self) -> CorpusRecord | None:
        """The corpus in use."""
        return next((each for each in self.corpora if each.name == self.corpus), None)

    def _on_signal(self, number: signal.Signals) -> None:
        self.run_worker(self._leave(SIGNALLED + number), group="leave", exit_on_error=False)

    async def _leave(self, code: int) -> None:
        await self.chat.stop_and_store()
        self.exit(code, return_code=code)

    async def action_quit(self) -> None:
        """Store what is under way and leave."""
        await self._leave(0)

    # -- actions of every screen

    def action_help(self) -> None:
        """Show the keys that work here."""
        from app.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen.of(self.screen))

    def get_key_display(self, binding: Binding) -> str:
        """Return what a key is called; the sign of Enter has no likeness in ASCII."""
        shown = super().get_key_display(binding)
        return shown.replace("⏎", "enter") if self.ascii else shown

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Fill the command palette: our own first, then what Textual offers."""
        if screen is self.chat:
            for title, text, action in PALETTE:
                if self.chat.check_action(action, ()) is True:
                    yield SystemCommand(title, text, getattr(self.chat, f"action_{action}"))
        yield SystemCommand("Help", "The keys that work here", self.action_help)
        for command in super().get_system_commands(screen):
            if command.title in ("Theme", "Quit"):
                yield command


__all__ = ["SIGNALLED", "EvenhandApp"]
