"""One line that shows how a job goes."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, cast

from textual.widgets import Static

from app.events import Finished, JobEvent, Progress
from app.views.progress import progress_line

#: Seconds between two drawings of the line.
DRAW_SECONDS = 0.1


class JobLine(Static):
    """Runs a job of the service and shows its progress; cancelling the worker that runs it asks the job to stop."""

    DEFAULT_CSS = "JobLine { height: 1; padding: 0 1; text-wrap: nowrap; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False)
        self._stage = ""
        self._since = 0.0
        self._drawn = 0.0

    async def run(self, events: AsyncIterator[JobEvent], *, ascii: bool = False) -> Any:
        """Follow a job to its end; returns its result."""
        self._stage = ""
        result = None
        async with aclosing(cast("Any", events)):
            async for event in events:
                if isinstance(event, Finished):
                    result = event.result
                else:
                    self._show(event, ascii)
        self.update("")
        return result

    def _show(self, progress: Progress, ascii: bool) -> None:
        now = time.monotonic()
        if progress.stage != self._stage:
            self._stage, self._since, self._drawn = progress.stage, now, 0.0
        if now - self._drawn < DRAW_SECONDS and progress.fraction != 1:
            return
        self._drawn = now
        width = max(20, self.content_size.width)
        self.update(progress_line(progress, now - self._since, width, ascii=ascii))


__all__ = ["JobLine"]
