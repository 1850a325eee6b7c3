"""Ctrl-C: said at once, in one line, with what is kept; a second one does not wait for the piece under way."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

INTERRUPTED = 130
#: Seconds until somebody who waits for the end is told why it takes so long.
PATIENCE = 2.0

_CONTINUES = "what was finished is kept; run the same command again to continue"
_KEPT = dict.fromkeys(("ingest", "enrich", "calibrate", "probe", "doctor"), _CONTINUES) | {
    "evaluate": "embeddings and finished parts are kept; run the same command again to continue",
    "forget": "erasing is carried to its end",
}


class Interrupted(Exception):
    """Ctrl-C ended the command; what there is to say was said."""


def kept_by(command: str) -> str:
    """Return what an interrupted command leaves, in words; empty for one that leaves nothing."""
    return _KEPT.get(command, "")


def say_interrupted(kept: str = "") -> None:
    """Write the one line of an interruption to stderr."""
    # A terminal has just shown ^C.
    start = "\n" if sys.stderr.isatty() else ""
    _say(f"{start}evenhand: interrupted" + (f"; {kept}" if kept else ""))


@contextmanager
def interruptible(kept: Callable[[], str]) -> Iterator[None]:
    """Let Ctrl-C say what is kept and cancel the running task; a second one ends the process as it stands.

    That is as safe as a killed process: what was finished is stored, what was not is done again by the next run.
    Where SIGINT is ignored (``nohup``, a background job) it stays so.
    """
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "inside of a coroutine"
    pressed = False

    def stop() -> None:
        say_interrupted(kept())
        loop.call_later(PATIENCE, _say, "the piece under way is being finished; Ctrl-C again ends at once")
        task.cancel()

    def on_interrupt(*_: object) -> None:
        nonlocal pressed
        if pressed:
            _end_now()
        pressed = True
        loop.call_soon_threadsafe(stop)

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        if not pressed:
            # After the first one, threads may still be waited for: the second must end that too.
            signal.signal(signal.SIGINT, before)


def _end_now() -> None:
    from multiprocessing import active_children

    for worker in active_children():
        worker.kill()
    os._exit(INTERRUPTED)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


__all__ = ["INTERRUPTED", "Interrupted", "interruptible", "kept_by", "say_interrupted"]
