"""The two lines of one row: what is talked to, and what is going on."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from app.tui.turns import Turn
from app.views.layout import cut
from app.views.safe import line

if TYPE_CHECKING:
    from agents.models.chat import Attempt
    from app.tui.app import EvenhandApp


def head_line(desk: EvenhandApp, title: str, method: str, last: Turn | None = None) -> str:
    """Return corpus, writer, method and conversation in one line; ``last`` tells who wrote the newest answer."""
    from app.views.formats import plural

    record = desk.corpus_record
    size = f" ({plural(record.documents, 'document')})" if record is not None else ""
    parts = ["evenhand", f"{line(desk.corpus, limit=40)}{size}" if desk.corpus else "no corpus"]
    fell = desk.ready and _fell_back(desk, last)
    if desk.ready:
        settings = desk.backstage.parts.settings.agent
        parts += [
            _writer(desk) if fell else line(desk.writer, limit=40),
            f"{method or settings.method}, k {settings.k}",
        ]
    if title:
        parts.append(line(title, limit=100))
    room = max(20, desk.size.width - 2)
    if fell:
        # That another than the one who is configured wrote the answer matters more than what follows.
        parts = parts[:3] if len(" · ".join(parts)) > room else parts
        title = title if len(parts) > 3 else ""
    # What matters least goes first where there is no room.
    while len(parts) > 2 and len(" · ".join(parts)) > room + (len(parts[-1]) - 12 if title else 0):
        parts.pop(-2 if title else -1)
    shown = (" | " if desk.ascii else " · ").join(parts)
    return cut(line(shown, ascii=desk.ascii), room, ascii=desk.ascii)


def _fell_back(desk: EvenhandApp, last: Turn | None) -> bool:
    """Whether the embedded writer wrote the newest answer in the place of the model that is configured."""
    if not desk.model or last is None or last.receipt is None:
        return False
    wrote = [each.name for each in last.receipt.models if each.role == "generator"]
    return bool(wrote) and wrote[-1].startswith("extractive")


def _writer(desk: EvenhandApp) -> str:
    return f"embedded writer ({line(desk.model, limit=20)} failed)"


def activity_line(
    turn: Turn | None, seconds: int, ascii: bool = False, waiting: Attempt | None = None
) -> str:
    """Return what the agent is doing and for how long, empty when it does nothing.

    Parameters
    ----------
    waiting
        The call of a model that nothing has come of yet.
    """
    if turn is None:
        return ""
    gap = " | " if ascii else " · "
    if waiting is not None:
        long = int(monotonic() - waiting.since)
        tries = f", try {waiting.number} of up to {waiting.most}" if waiting.number > 1 or long >= 5 else ""
        return gap.join([f"waiting for the model, {long} s{tries}", "Esc stops"])
    stage = line(turn.stage or "starting", limit=200, ascii=ascii)
    parts = [stage, f"{len(turn.text.split()):,} words"] if turn.text else [stage]
    return gap.join([*parts, f"{seconds} s", "Esc stops"])


__all__ = ["activity_line", "head_line"]
