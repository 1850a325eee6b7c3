"""What is kept of an answer under way: its text so far, and the state of its conversation."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store.errors import ApplicationError, StoreError

if TYPE_CHECKING:
    from app.events import AnswerReady
    from store.answers import AnswerStore

logger = logging.getLogger(__name__)

#: Seconds between two writes of an answer under way.
KEEP_SECONDS = 1.0


class AnswerKeeper:
    """Stores the text of an answer under way, one write at a time and never in its way."""

    def __init__(self, answers: AnswerStore, answer_id: str) -> None:
        self._answers, self._answer_id = answers, answer_id
        self._last = time.monotonic()
        self._writing: asyncio.Future[None] | None = None

    def so_far(self, text: Sequence[str]) -> None:
        """Write what there is, unless that was done a moment ago or is still under way."""
        if time.monotonic() - self._last < KEEP_SECONDS or (self._writing and not self._writing.done()):
            return
        self._last = time.monotonic()
        self._writing = asyncio.get_running_loop().run_in_executor(None, self._write, "".join(text))

    def _write(self, text: str) -> None:
        try:
            self._answers.keep(self._answer_id, text)
        except ApplicationError as error:
            # The whole text is stored at the end; this was only for the case that there is none.
            logger.warning("the text so far of answer %s is not stored: %s", self._answer_id, error)

    async def settle(self) -> None:
        """Wait for a write under way, so that it cannot come after the last one."""
        if self._writing is not None:
            await asyncio.wait({self._writing})


def marked_unstored(ready: AnswerReady, answers: AnswerStore) -> AnswerReady:
    """Return a finished answer, marked as degraded where it could not be stored."""
    from store.receipt import Degradation

    if not answers.unstored:
        return ready
    why = f"not stored: the workspace cannot be written ({answers.unstored})"
    mark = Degradation(stage="store", reason=why)
    marked = (*ready.receipt.degradations, mark)
    return replace(ready, receipt=ready.receipt.model_copy(update={"degradations": marked}))


@asynccontextmanager
async def checkpointer(path: Path, thread: str | None) -> AsyncIterator[Any]:
    """Yield what keeps the state of a conversation in the file ``path``, or None where there is no conversation.

    Raises
    ------
    StoreError
        The file is no database.
    """
    # Only a conversation needs one, and loading it costs half a second.
    if thread is None:
        yield None
        return
    import sqlite3

    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"the file of conversations {path} cannot be used ({error})",
            "delete it: answers are kept in the database, follow-ups start anew",
        ) from error
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        await saver.conn.execute("PRAGMA journal_mode=WAL")
        await saver.conn.execute("PRAGMA busy_timeout=30000")
        yield saver


__all__ = ["KEEP_SECONDS", "AnswerKeeper", "checkpointer", "marked_unstored"]
