"""One line that shows how a job goes."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, cast

from textual.widgets import Static

from app.events import Finished, JobEvent, Progress
from app.views.progress import progress_line
from app.views.safe import line

#: Seconds between two drawings of the line.
DRAW_SECONDS = 0.1
#: Seconds without a report after which the line says what is done instead of how far it is.
QUIET_SECONDS = 2.0
#: What is done in a stage that reports at its beginning only, and after one that is over.
DOING = {"registry": "registry: finding what people write about and naming it"}
AFTERWARDS = {
    "ingest": "storing what was read and preparing its passages",
    "registry": "registry is made; reading the first documents for opinions",
    "opinions": "counting stances and links",
}


class JobLine(Static):
    """Runs a job of the service and shows its progress; cancelling the worker that runs it asks the job to stop."""

    DEFAULT_CSS = "JobLine { height: 1; padding: 0 1; text-wrap: nowrap; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False)
        self._stage = ""
        self._since = 0.0
        self._drawn = 0.0
        self._last: Progress | None = None
        self._ascii = False
        self._stopping = False

    def on_mount(self) -> None:
        """Look every second whether a step takes its time."""
        self.set_interval(1.0, self._beat)

    async def run(self, events: AsyncIterator[JobEvent], *, ascii: bool = False) -> Any:
        """Follow a job to its end; returns its result."""
        self._stage, self._last, self._ascii, self._stopping = "", None, ascii, False
        self._drawn = time.monotonic()
        result = None
        try:
            async with aclosing(cast("Any", events)):
                async for event in events:
                    if isinstance(event, Finished):
                        result = event.result
                    else:
                        self._show(event)
        finally:
            self._last = None
        self.update("")
        return result

    def stopping(self) -> None:
        """Say that the job was asked to stop: it does so after the step that it is at."""
        self._stopping = True
        self.update(f"stopping after this step{f' ({self._stage})' if self._stage else ''} ...")

    def _show(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.stage != self._stage:
            self._stage, self._since, self._drawn = progress.stage, now, 0.0
        self._last = progress
        if self._stopping or (now - self._drawn < DRAW_SECONDS and progress.fraction != 1):
            return
        self._drawn = now
        width = max(20, self.content_size.width)
        self.update(progress_line(progress, now - self._since, width, ascii=self._ascii))

    def _beat(self) -> None:
        """Where nothing was reported for a while, say what is done and for how long: a full bar looks like the end."""
        last, now = self._last, time.monotonic()
        if last is None or self._stopping or now - self._drawn < QUIET_SECONDS:
            return
        over = last.fraction == 1
        doing = (
            AFTERWARDS.get(last.stage, f"after {last.stage}: the next step")
            if over
            else DOING.get(last.stage, last.stage)
        )
        self.update(line(f"{doing} ... {now - self._drawn:.0f} s", limit=200, ascii=self._ascii))


__all__ = ["JobLine"]
