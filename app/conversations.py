"""Conversations: list, resume, rename, delete, export. Beside ``service.py`` for what is kept of questions asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from app.bootstrap import Parts
from store.errors import StoreError, UsageError

if TYPE_CHECKING:
    from store.answers import AnswerRecord

#: Endings of a file that an answer or a conversation is exported to.
FORMATS = (".md", ".txt", ".json", ".html")


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation, as a list shows it."""

    id: str
    corpus: str
    title: str
    answers: int
    created_at: datetime
    updated_at: datetime


class Conversations:
    """What was asked and answered in one workspace."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def all(self, corpus: str = "") -> list[Conversation]:
        """Return the conversations, last used first; of every corpus without a name."""
        names = {each.id: each.name for each in self._parts.repository.corpora()}
        wanted = self._parts.repository.corpus(corpus).id if corpus else None
        return [
            Conversation(t.id, names.get(t.corpus_id, ""), t.title, t.answers, t.created_at, t.updated_at)
            for t in self._parts.answers.threads(wanted)
        ]

    def get(self, thread: str) -> Conversation:
        """Return a conversation by its id, by the beginning of it, or ``last``.

        Raises
        ------
        UsageError
            There is no such conversation, or several.
        """
        every = self.all()
        found = every[:1] if thread == "last" else [each for each in every if each.id == thread]
        found = found or [each for each in every if thread and each.id.startswith(thread)]
        if not found:
            raise UsageError(f"there is no conversation `{thread}`", "`evenhand chat` starts one")
        if len(found) > 1:
            raise UsageError(f"several conversations begin with `{thread}`", "give more of the id")
        return found[0]

    def page(self, thread: str, limit: int = 20, before: str = "") -> list[AnswerRecord]:
        """Return the last answers of a conversation, oldest first; ``before`` pages back from an answer."""
        return self._parts.answers.page(thread, limit, before)

    def kept(self, answer_ids: Sequence[str]) -> set[str]:
        """Return those of the answers that are stored: ``forget`` in another process may have erased some."""
        return self._parts.answers.present(answer_ids)

    def questions(self, corpus: str = "", limit: int = 100) -> list[str]:
        """Return the last questions asked of a corpus, oldest first."""
        return self._parts.answers.questions(self._parts.repository.corpus(corpus).id, limit)

    def rename(self, thread: str, title: str) -> None:
        """Give a conversation another title.

        Raises
        ------
        UsageError
            The title is empty.
        """
        title = " ".join(title.replace("\0", "").split())
        if not title:
            raise UsageError("a conversation needs a title")
        self._parts.answers.rename_thread(thread, title)

    def delete(self, thread: str) -> None:
        """Delete a conversation with its answers and what follow-ups were understood from."""
        self._parts.answers.delete_thread(thread)
        path = self._parts.workspace.checkpoints_path
        if not path.is_file():
            return
        try:
            with closing(sqlite3.connect(path, timeout=30)) as connection, connection:
                for table in ("writes", "checkpoints"):
                    if connection.execute(
                        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
                    ).fetchone():
                        connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread,))
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the conversation is deleted, and not what follow-ups need, in {path} ({error})",
                "close other windows and delete it again",
            ) from error

    def keep(self, answer_id: str, text: str, state: str) -> None:
        """Store what there is of an answer that could not be stored when it ended."""
        record = self._parts.answers.get(answer_id)
        if record.state != "done":
            self._parts.answers.interrupt(answer_id, text, state)

    # -- export

    def answer_text(self, answer_id: str, kind: str) -> str:
        """Return an answer and its receipt as the text of a file that ends in ``kind`` (one of ``FORMATS``).

        Raises
        ------
        UsageError
            Unknown ending, or no such answer.
        """
        return self._written([self._parts.answers.get(answer_id)], kind, "")

    def text(self, thread: str, kind: str) -> str:
        """Return a whole conversation with its receipts as the text of a file that ends in ``kind``.

        Raises
        ------
        UsageError
            Unknown ending, no such conversation, or one without answers.
        """
        found = self.get(thread)
        records = self._parts.answers.page(found.id, limit=100_000)
        if not records:
            raise UsageError("this conversation has no answers yet", "ask something first")
        return self._written(records, kind, found.title)

    @staticmethod
    def _written(records: Sequence[AnswerRecord], kind: str, title: str) -> str:
        from app.views.conversation import WRITERS

        writer = WRITERS.get(kind.lower())
        if writer is None:
            raise UsageError(f"cannot export to `{kind}`", f"end the name with {', '.join(FORMATS)}")
        return writer(records, title)


__all__ = ["FORMATS", "Conversation", "Conversations"]
