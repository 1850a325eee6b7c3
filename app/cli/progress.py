"""The progress bar: on stderr, only on a terminal, only for what takes longer than a second."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self

from app.events import Progress


class ProgressBar:
    """Shows stage, share, rate and time left. Without a terminal it writes nothing at all."""

    def __init__(self, enabled: bool = True) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Draw this state."""
        if not self._enabled:
            return
        if self._bar is None:
            self._bar = _make_bar()
            self._bar.start()
        task = self._tasks.get(progress.stage)
        if task is None:
            task = self._tasks[progress.stage] = self._bar.add_task(
                progress.stage, total=1000, note="", rows=""
            )
        share = progress.fraction if progress.fraction is not None else 0.0
        rows = f"{progress.done:,}" + (f"/{progress.total:,}" if progress.total else "")
        self._bar.update(task, completed=1000 * share, note=progress.note, rows=rows)


def _make_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[rows]}", markup=False),
        TextColumn("{task.fields[note]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


__all__ = ["ProgressBar"]
