"""The two lines of one row: what is talked to, and what is going on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.turns import Turn
from app.views.layout import cut
from app.views.safe import line

if TYPE_CHECKING:
    from app.tui.app import EvenhandApp


def head_line(desk: EvenhandApp, title: str, method: str) -> str:
    """Return corpus, writer, method and conversation in one line."""
    from app.views.formats import plural

    record = desk.corpus_record
    size = f" ({plural(record.documents, 'document')})" if record is not None else ""
    parts = ["evenhand", f"{line(desk.corpus, limit=40)}{size}" if desk.corpus else "no corpus"]
    if desk.ready:
        settings = desk.backstage.parts.settings.agent
        parts += [line(desk.writer, limit=40), f"{method or settings.method}, k {settings.k}"]
    if title:
        parts.append(line(title, limit=100))
    room = max(20, desk.size.width - 2)
    # What matters least goes first where there is no room.
    while len(parts) > 2 and len(" · ".join(parts)) > room + (len(parts[-1]) - 12 if title else 0):
        parts.pop(-2 if title else -1)
    shown = (" | " if desk.ascii else " · ").join(parts)
    return cut(line(shown, ascii=desk.ascii), room, ascii=desk.ascii)


def activity_line(turn: Turn | None, seconds: int, ascii: bool = False) -> str:
    """Return what the agent is doing and for how long, empty when it does nothing."""
    if turn is None:
        return ""
    gap = " | " if ascii else " · "
    stage = line(turn.stage or "starting", limit=200, ascii=ascii)
    parts = [stage, f"{len(turn.text.split()):,} words"] if turn.text else [stage]
    return gap.join([*parts, f"{seconds} s", "Esc stops"])


__all__ = ["activity_line", "head_line"]
