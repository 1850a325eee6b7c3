"""The line mode of ``chat``: one question a line, linear text, no cursor movement."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.console import FAILED, Shell, note, out, run_async, width

if TYPE_CHECKING:
    from app.events import AnswerReady

HELP = """A line is a question. Commands:
/audit            the receipt of the last answer
/sources          the documents that the last answer cites
/unfair           the last question again without fairness, by relevance alone
/method NAME      the last question again with another method
/sessions         conversations of this workspace
/resume ID        go on with one of them (its id, or the beginning of it)
/new              start a new conversation
/rename TITLE     give this conversation a title
/export FILE      this conversation as .md, .txt, .json or .html
/corpus [NAME]    the corpora, or take another one
/help             this list
/quit             leave (so does the end of the input)"""


class PlainChat:
    """One conversation over two streams."""

    def __init__(self, shell: Shell, thread: str) -> None:
        from app.backstage import Backstage
        from store.answers import new_id

        self._shell = shell
        self._back = Backstage(lambda: shell.parts)
        self._service = self._back.service
        self._kept = self._back.conversations
        self._corpus = shell.parts.repository.corpus(shell.corpus or self._recent_corpus()).name
        self._thread = new_id()
        self._answer = ""
        self._failed = False
        if thread:
            self._resume(thread)

    def _recent_corpus(self) -> str:
        if self._shell.parts.settings.corpus:
            return ""
        return next((each.corpus for each in self._kept.all()), "")

    async def run(self) -> int:
        """Read lines to the end of the input; returns the exit code."""
        import asyncio

        talking = sys.stdin.isatty()
        if isinstance(sys.stdin, io.TextIOWrapper):
            # What is no UTF-8 comes as surrogates: one line is refused, and the talk goes on.
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
        if not self._shell.quiet:
            note(f"corpus {self._corpus}; /help lists the commands, /quit leaves")
        while True:
            if talking:
                sys.stderr.write("> ")
                sys.stderr.flush()
            given = await asyncio.to_thread(sys.stdin.readline)
            if any("\ud800" <= character <= "\udfff" for character in given):
                self._failed = True
                note("evenhand: error: a line is not valid UTF-8 and was not asked; send UTF-8")
                continue
            if not given or given.strip() == "/quit":
                return FAILED if self._failed and not talking else 0
            if given.strip():
                await self._line(given.strip())

    async def _line(self, given: str) -> None:
        from app.views.safe import line
        from store.errors import ApplicationError, UsageError

        name, _, rest = given.partition(" ")
        try:
            if not given.startswith("/"):
                await self._ask(given, self._thread)
            elif name in ("/unfair", "/method"):
                await self._again("relevance" if name == "/unfair" else rest.strip())
            elif name in self._commands:
                self._commands[name](rest.strip())
            else:
                raise UsageError(f"there is no command `{name}`", "/help lists them")
        except ApplicationError as error:
            self._failed = True
            note(f"evenhand: error: {line(str(error))}")

    async def _ask(self, question: str, thread: str | None, method: str = "") -> None:
        from app.events import AnswerReady, AnswerRevised, TokenReceived
        from app.tui.turns import first_warning
        from app.views.safe import visible
        from app.views.words import receipt_line

        options = {"method": method} if method else {}
        ready: AnswerReady | None = None
        live = sys.stdout.isatty()
        stream = self._service.ask(question, self._corpus, thread=thread, options=options)
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, TokenReceived) and live:
                    sys.stdout.write(visible(event.text, ascii=self._shell.ascii))
                    sys.stdout.flush()
                elif isinstance(event, AnswerRevised) and live:
                    out(f"\n\n[written again: {event.reason}]\n")
                elif isinstance(event, AnswerReady):
                    ready = event
        assert ready is not None, "the stream ends with the answer"
        out("" if live else visible(ready.text, ascii=self._shell.ascii))
        out(f"[{receipt_line(ready.receipt, ascii=self._shell.ascii)}]")
        if found := first_warning(ready.receipt, "/audit", ascii=self._shell.ascii):
            out(found)
        out("")
        sys.stdout.flush()
        self._answer = ready.answer_id

    async def _again(self, method: str) -> None:
        receipt = self._back.catalog.receipt(self._last())
        await self._ask(receipt.standalone_question, None, method)

    def _last(self) -> str:
        from store.errors import UsageError

        if not self._answer:
            raise UsageError("there is no answer yet", "ask a question first")
        return self._answer

    @property
    def _commands(self) -> dict[str, Callable[[str], None]]:
        return {
            "/help": lambda _: out(HELP),
            "/audit": lambda _: self._audit(),
            "/sources": lambda _: self._sources(),
            "/sessions": lambda _: self._sessions(),
            "/resume": self._resume,
            "/new": lambda _: self._new(),
            "/rename": self._rename,
            "/export": self._export,
            "/corpus": self._take_corpus,
        }

    def _audit(self) -> None:
        from app.views.receipt_text import receipt_text

        out(receipt_text(self._back.catalog.receipt(self._last()), width(), self._shell.ascii))

    def _sources(self) -> None:
        from app.views.safe import line, visible

        receipt = self._back.catalog.receipt(self._last())
        texts = self._shell.parts.repository.documents([each.document_id for each in receipt.citations])
        for each in receipt.citations:
            document = texts.get(each.document_id)
            title = (
                "(deleted)" if document is None else line(document.title or document.external_id, limit=200)
            )
            out(f"[{each.number}] {title}")
            if document is not None:
                out(visible(document.text, ascii=self._shell.ascii))
            out("")

    def _sessions(self) -> None:
        from app.views.safe import line

        for each in self._kept.all():
            mark = "*" if each.id == self._thread else " "
            out(
                f"{mark} {each.id}  {each.updated_at:%Y-%m-%d %H:%M}  {each.answers:>4}  {line(each.title, limit=60)}"
            )

    def _resume(self, thread: str) -> None:
        found = self._kept.get(thread)
        self._thread, self._corpus = found.id, found.corpus
        last = self._kept.page(found.id, 1)
        self._answer = last[0].id if last else ""
        from app.views.safe import line

        note(f"conversation {found.id}: {line(found.title, limit=80)} ({found.answers} answers)")

    def _new(self) -> None:
        from store.answers import new_id

        self._thread, self._answer = new_id(), ""

    def _rename(self, title: str) -> None:
        self._kept.get(self._thread)
        self._kept.rename(self._thread, title)

    def _export(self, name: str) -> None:
        from app.files import write_whole
        from store.errors import UsageError

        if not name:
            raise UsageError("/export needs a file", "as in: /export talk.md")
        path = Path(name).expanduser()
        write_whole(path, self._kept.text(self._thread, path.suffix))
        note(f"written to {path}")

    def _take_corpus(self, name: str) -> None:
        if not name:
            for each in self._shell.parts.repository.corpora():
                out(f"{'*' if each.name == self._corpus else ' '} {each.name} ({each.documents:,} documents)")
            return
        self._corpus = self._shell.parts.repository.corpus(name).name
        self._new()


def chat_plain(shell: Shell, thread: str) -> int:
    """Talk in lines; returns the exit code."""
    chat = PlainChat(shell, thread)
    return run_async(chat.run(), shell.parts)


__all__ = ["HELP", "PlainChat", "chat_plain"]
