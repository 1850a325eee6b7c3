"""Processes that work for another one."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Let processes that are started within never hear Ctrl-C, from their first moment on.

    A terminal sends it to every process of a command; the one that they work for ends them in order. On Windows,
    which has no signal masks, they hear it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Processes inherit the mask of the thread that starts them.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


__all__ = ["deaf_to_interrupts"]
