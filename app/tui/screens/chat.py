"""The chat: questions, streamed answers, a receipt line under each. Everything else is one key away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.reactive import reactive
from textual.widgets import Static
from textual.worker import Worker

from app.tui import doors
from app.tui.reading import show_beginning
from app.tui.screens.chat_actions import ChatActions
from app.tui.streaming import play
from app.tui.turns import Turn
from app.tui.unsaved import Unsaved
from app.tui.widgets.keys import KeysFooter
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.status import activity_line, head_line
from app.tui.widgets.turn import Older, TurnView
from app.views.safe import line

#: Turns that are mounted when a conversation is opened, and with each step back.
PAGE = 20
#: Turns that stay mounted; older ones go back behind the row that loads them.
MOUNTED = 60


class ChatScreen(ChatActions):
    """One conversation."""

    HELP_WORDS = (
        "Type a question and press Enter. Under each answer stands its receipt in one line; F3 opens it whole. "
        "Esc stops an answer and keeps what was written. Tab goes from the question box to the newest answer: then "
        "the arrow keys go from answer to answer, keys 1 to 9 open the source of that number, and Esc or any letter "
        "goes back to the question."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", id="chat.stop"),
        Binding("tab", "newest", "To the newest answer, and back", show=False, id="chat.newest"),
        Binding(
            "f3,ctrl+g", "audit", "Audit", id="chat.audit", tooltip="Audit the answer: its whole receipt"
        ),
        Binding(
            "f5", "again", "Again", id="chat.again", tooltip="Ask again with another method, side by side"
        ),
        Binding(
            "f2", "sessions", "Sessions", id="chat.sessions", tooltip="Conversations: resume, rename, delete"
        ),
        Binding(
            "f4", "explore", "Explore", id="chat.explore", tooltip="Explore entities, documents, quarantine"
        ),
        Binding(
            "ctrl+y", "copy", "Copy", id="chat.copy", priority=True, show=False, tooltip="Copy the answer"
        ),
        Binding("f8", "save", "Save", id="chat.save", show=False, tooltip="Save the answer or conversation"),
        Binding("f9", "ingest", "Read a file", id="chat.ingest", show=False),
        Binding("ctrl+n", "new", "New conversation", id="chat.new", show=False),
        Binding("ctrl+r", "retry", "Try again", id="chat.retry"),
        Binding("shift+up", "scroll_log(-1)", "Scroll up", show=False, id="chat.up"),
        Binding("shift+down", "scroll_log(1)", "Scroll down", show=False, id="chat.down"),
        Binding("pageup", "scroll_log(-10)", "Page up", show=False, priority=True, id="chat.pageup"),
        Binding("pagedown", "scroll_log(10)", "Page down", show=False, priority=True, id="chat.pagedown"),
    ]

    streaming: reactive[bool] = reactive(False, bindings=True)
    opened: reactive[bool] = reactive(False, bindings=True)
    fault: reactive[str] = reactive("", bindings=True)

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[Turn] = []
        self.thread = ""
        self.title_text = ""
        self.method = ""
        self._current: TurnView | None = None
        self._worker: Worker[None] | None = None
        self._held = ""
        self._unsaved = Unsaved()
        self._ticks = 0

    # -- what is on screen

    def compose(self) -> ComposeResult:
        """Head, log and panel, activity, prompt, keys."""
        yield Static("evenhand", id="head", markup=False)
        with Horizontal(id="body"):
            with VerticalScroll(id="log", can_focus=False):
                yield Static("", id="blank", markup=False)
            with VerticalScroll(id="panel", can_focus=False):
                yield Static("", id="panel-text", markup=False)
        yield Static("opening ...", id="activity", markup=False)
        yield Prompt("Ask about the corpus ...  Enter sends, Ctrl+J new line")
        yield KeysFooter(show_command_palette=True)

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Prompt).focus()
        self.set_interval(1.0, self._tick)

    def on_screen_resume(self) -> None:
        """Show what changed on another screen."""
        if self.opened:
            self._draw_head()
            self.refresh_soon()

    def on_resize(self) -> None:
        """Cut the lines of one row to the new width."""
        self.call_after_refresh(self._draw_head)

    def _tick(self) -> None:
        if self.streaming:
            self._ticks += 1
            self._draw_activity()

    def _draw_head(self) -> None:
        last = next((turn for turn in reversed(self.turns) if turn.receipt is not None), None)
        self.query_one("#head", Static).update(head_line(self.desk, self.title_text, self.method, last))
        self._draw_panel()

    def _draw_activity(self) -> None:
        turn = self._current.turn if self._current is not None and self.streaming else None
        waiting = self.desk.backstage.parts.waiting if turn is not None else None
        told = activity_line(turn, self._ticks, self.desk.ascii, waiting)
        self.query_one("#activity", Static).update(told)

    def _draw_panel(self) -> None:
        view = self.selected
        receipt = view.turn.receipt if view is not None else None
        panel = self.query_one("#panel")
        panel.set_class(receipt is not None, "-filled")
        if receipt is None or not self.has_class("-wide"):
            return
        from app.views.panel import answer_panel

        self.query_one("#panel-text", Static).update(answer_panel(receipt, 44, ascii=self.desk.ascii))

    # -- opening and changing the conversation

    async def enter(self, thread: str) -> None:
        """Start to talk: with a new conversation, or with the one that is named."""
        if thread:
            await self.resume(thread)
        else:
            await self.new()
        self.fault, self.opened = "", True
        self._draw_head()
        if self._held:
            held, self._held = self._held, ""
            self._worker = self.ask(held)

    async def new(self) -> None:
        """Start a new conversation; it is stored with its first question."""
        self.thread, self.title_text, self.turns = "", "", []
        await self._show_turns([], more=False)
        await self._remember()
        await self._suggest()

    async def resume(self, thread: str) -> None:
        """Show a stored conversation from its end."""
        desk = self.desk
        found = await desk.backstage.call(desk.conversations.get, thread)
        records = await desk.backstage.call(desk.conversations.page, found.id, PAGE + 1)
        desk.corpus = found.corpus
        self.thread, self.title_text = found.id, found.title
        turns = [Turn.from_record(record) for record in records]
        self.turns = turns[-PAGE:]
        self.query_one("#blank", Static).display = False
        await self._show_turns(self.turns, more=len(turns) > PAGE)
        await self._remember()

    async def _show_turns(self, turns: Sequence[Turn], *, more: bool) -> None:
        log = self.query_one("#log", VerticalScroll)
        async with self.batch():
            await log.query("TurnView, Older").remove()
            ascii = self.desk.ascii
            views = [TurnView(turn, ascii) for turn in turns]
            await log.mount_all([Older(), *views] if more else views)
        self._current = None
        log.anchor()
        self._draw_activity()
        self._draw_head()
        self.refresh_bindings()

    async def _remember(self) -> None:
        desk = self.desk
        questions = await desk.backstage.call(desk.conversations.questions, desk.corpus)
        self.query_one(Prompt).remember(questions)

    async def _suggest(self) -> None:
        from app.onboarding import suggestions

        desk = self.desk
        examples = await desk.backstage.call(suggestions, desk.catalog, desk.corpus)
        lines = [
            "Ask what people think, how many of them do, or what they say about something. For example:",
            "",
        ]
        lines += [f"  {line(each, ascii=desk.ascii)}" for each in examples]
        lines += ["", "F1 shows the keys."]
        blank = self.query_one("#blank", Static)
        blank.update("\n".join(lines))
        blank.display = not self.turns

    @on(Older.Wanted)
    async def _load_older(self) -> None:
        desk, first = self.desk, self.turns[0]
        records = await desk.backstage.call(desk.conversations.page, self.thread, PAGE + 1, first.answer_id)
        turns = [Turn.from_record(record) for record in records][-PAGE:]
        log = self.query_one("#log", VerticalScroll)
        older = self.query_one(Older)
        log.anchor(False)
        await log.mount_all([TurnView(turn, desk.ascii) for turn in turns], after=older)
        self.turns[:0] = turns
        if len(records) <= PAGE:
            await older.remove()

    def show_fault(self, message: str) -> None:
        """Show why there is nothing to chat with."""
        self.fault = message
        blank = self.query_one("#blank", Static)
        blank.display = True
        blank.update(f"! {line(message)}\n\nMend it and press Ctrl+R, or Ctrl+Q to leave.")
        self.query_one("#activity", Static).update("not opened")

    # -- asking

    @on(Prompt.Submitted)
    def _asked(self, event: Prompt.Submitted) -> None:
        if self.streaming:
            self.notify("An answer is being written. Esc stops it.", markup=False)
            return
        if not self.opened:
            if not self.fault:
                self._held = event.text
                self.query_one(Prompt).take()
                self.query_one("#activity", Static).update("opening ...; your question is asked then")
            return
        self.query_one(Prompt).take()
        self._worker = self.ask(event.text)

    @work(exclusive=True, group="answer", exit_on_error=False)
    async def ask(self, question: str) -> None:
        """Ask a question in this conversation."""
        from store.answers import new_id

        desk = self.desk
        question = question.strip()
        self.thread = self.thread or new_id()
        self.title_text = self.title_text or line(question, limit=100)
        turn = Turn(question, options={"method": self.method} if self.method else {})
        view = TurnView(turn, desk.ascii)
        self.turns.append(turn)
        # Who draws the activity line is told by identity: a stopped answer must not end a newer one's.
        self._current, self._ticks, self.streaming = view, 0, True
        try:
            await self._mount_newest(view)
            await play(desk, view, thread=self.thread, on_change=self._draw_activity)
        finally:
            if self._current is view:
                self.streaming = False
                self._draw_activity()
                self._draw_head()
        await self._after(turn)
        self.call_after_refresh(show_beginning, self.query_one("#log", VerticalScroll), view)
        await self.refresh_facts()

    async def _mount_newest(self, view: TurnView) -> None:
        log = self.query_one("#log", VerticalScroll)
        self.query_one("#blank", Static).display = False
        for old in self.query(TurnView):
            await old.settle()
        await log.mount(view)
        log.anchor()
        if len(self.query(TurnView)) > MOUNTED:
            await self._forget_oldest()

    async def _forget_oldest(self) -> None:
        gone = list(self.query(TurnView))[:PAGE]
        self.turns = self.turns[len(gone) :]
        for view in gone:
            await view.remove()
        if not self.query(Older):
            await self.query_one("#log").mount(Older(), before=0)

    async def _after(self, turn: Turn) -> None:
        if turn.state == "failed" and turn.unasked:
            # The question goes back into an empty box, and nothing is lost.
            prompt = self.query_one(Prompt)
            if not prompt.text:
                prompt.text = turn.question
                prompt.move_cursor(prompt.document.end)
        if turn.state == "failed" and turn.answer_id:
            self._unsaved.add(turn)
        await self._unsaved.store(self.desk)

    @work(exclusive=True, group="facts", exit_on_error=False)
    async def refresh_soon(self) -> None:
        """Read again, beside what is going on."""
        await self.refresh_facts()

    async def refresh_facts(self) -> None:
        """Read again what another process may have changed: the corpora, and whether the answers are still kept."""
        from store.errors import ApplicationError

        try:
            await self.desk.refresh_corpora()
            await self.drop_erased()
        except ApplicationError as error:
            # What is asked next says the same, where it can be read.
            self.desk.log.warning("not refreshed:", str(error))
        self._draw_head()

    async def stop_and_store(self) -> None:
        """Stop the answer under way and wait until it is stored."""
        if self.streaming and self._worker is not None:
            worker = self._worker
            worker.cancel()
            await self.desk.finished(worker)
        await self._unsaved.store(self.desk)

    @on(TurnView.Chosen)
    def _chosen(self) -> None:
        self._draw_panel()
        self.refresh_soon()

    @on(TurnView.SourceWanted)
    def _source_wanted(self, event: TurnView.SourceWanted) -> None:
        self.while_kept(event.turn, lambda: doors.open_source(self.desk, event.turn, event.number))

    # -- actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done now."""
        if action == "stop":
            return self.streaming
        if action == "retry":
            return bool(self.fault)
        if action in ("audit", "again"):
            found = self.selected if self.is_mounted else None
            if found is not None and found.turn.receipt is not None:
                return True
            # The footer has room for six keys: what opens later gives way, the audit stays to be seen.
            return None if action == "audit" else False
        if action in ("sessions", "explore", "ingest", "new", "save", "corpus", "model", "method"):
            return True if self.opened else None
        return True

    def on_key(self, event: events.Key) -> None:
        """Letters typed among the answers belong to the question."""
        prompt = self.query_one(Prompt)
        source = isinstance(self.focused, TurnView) and event.character in set("123456789")
        if not event.is_printable or event.character is None or source:
            return
        event.stop()
        # At once: the next letter may be on its way. One that came to an answer meanwhile arrives here, too.
        self.set_focus(prompt)
        prompt.insert(event.character)

    def action_newest(self) -> None:
        """Go from the question to the newest answer, else to what comes next."""
        views = self.query(TurnView)
        if views and isinstance(self.focused, Prompt):
            self.set_focus(views.last())
        else:
            self.focus_next()

    def action_stop(self) -> None:
        """Stop the answer under way."""
        self.workers.cancel_group(self, "answer")

    def action_retry(self) -> None:
        """Open again what could not be opened."""
        self.desk.reopen()


__all__ = ["MOUNTED", "PAGE", "ChatScreen"]
