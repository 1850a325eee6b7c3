"""How far a job is, in one line: stage, bar, rows, rate, time left."""

from __future__ import annotations

from app.events import Progress
from app.views.formats import count, percent
from app.views.layout import cut
from app.views.safe import line


def progress_line(progress: Progress, seconds: float, width: int = 80, *, ascii: bool = False) -> str:
    """Return a job's progress as one line.

    Parameters
    ----------
    seconds
        How long the stage runs already.
    """
    full, empty = ("#", "-") if ascii else ("█", "░")
    parts = [line(progress.stage, limit=40, ascii=ascii)]
    if progress.fraction is not None:
        room = max(4, min(24, width - 50))
        done = round(max(0.0, min(1.0, progress.fraction)) * room)
        parts.append(f"{full * done}{empty * (room - done)} {percent(progress.fraction):>4}")
    parts.append(count(progress.done) + (f"/{count(progress.total)}" if progress.total else ""))
    if seconds >= 1 and progress.done:
        rate = progress.done / seconds
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
    if progress.fraction and 0.01 <= progress.fraction < 1 and seconds >= 1:
        left = round(seconds * (1 - progress.fraction) / progress.fraction)
        parts.append(f"{left // 60}:{left % 60:02d} left")
    if progress.note:
        parts.append(line(progress.note, limit=80, ascii=ascii))
    return cut("  ".join(parts), width, ascii=ascii)


__all__ = ["progress_line"]
