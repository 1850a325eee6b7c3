"""What went wrong in a worker, in one line: nothing that fails may look as if it went on."""

from __future__ import annotations

from textual.worker import Worker, WorkerState

from app.tui.streaming import failure_words


def fault_words(event: Worker.StateChanged) -> str:
    """Return why a worker failed; empty where it did not."""
    error = event.worker.error
    return failure_words(error) if event.state is WorkerState.ERROR and isinstance(error, Exception) else ""


__all__ = ["fault_words"]
