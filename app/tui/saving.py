"""Saving to a file from any screen: which name, whether to write over one, and one line on how it went."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.tui.screens.dialogs import ConfirmDialog, LineDialog

if TYPE_CHECKING:
    from app.tui.app import EvenhandApp

#: As in ``app.conversations``, which is not loaded before it is needed.
ENDINGS = ".md .txt .json .html"


async def save_answer(desk: EvenhandApp, answer_id: str) -> None:
    """Ask for a file and write an answer with its receipt. Call it in a worker."""
    await _save(
        desk, f"evenhand-{answer_id[:8]}.md", lambda kind: desk.conversations.answer_text(answer_id, kind)
    )


async def save_conversation(desk: EvenhandApp, thread: str) -> None:
    """Ask for a file and write a conversation with its receipts. Call it in a worker."""
    await _save(desk, f"evenhand-{thread[:8]}.md", lambda kind: desk.conversations.text(thread, kind))


async def _save(desk: EvenhandApp, name: str, write: Callable[[str], str]) -> None:
    from app.files import write_whole
    from app.views.safe import line
    from store.errors import ApplicationError

    given = await desk.push_screen_wait(
        LineDialog("Save to which file?", name, words=f"The ending decides the form: {ENDINGS}")
    )
    if given is None or not given.strip():
        return
    path = Path(given.strip()).expanduser()
    try:
        text = await desk.backstage.call(write, path.suffix)
        over = path.exists() and await desk.push_screen_wait(
            ConfirmDialog("Write over the file?", f"{line(str(path))} exists already.")
        )
        if path.exists() and not over:
            return
        await desk.backstage.call(write_whole, path, text, over)
    except (ApplicationError, OSError) as error:
        desk.notify(line(str(error)), title="Not saved", severity="error", markup=False)
        return
    desk.notify(line(str(path.resolve())), title="Saved", markup=False)


__all__ = ["ENDINGS", "save_answer", "save_conversation"]
