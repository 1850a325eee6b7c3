"""Runs a blocking job beside the event loop and hands its progress over as an async iterator."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from app.events import Finished, Progress

T = TypeVar("T")
Report = Callable[[Progress], None]
Cancelled = Callable[[], bool]
#: Seconds between two looks at whether a job is asked to stop.
LOOK_SECONDS = 0.2


async def stream_job(job: Callable[[Report, Cancelled], T]) -> AsyncIterator[Progress | Finished]:
    """Yield the job's progress and, last, its result; closing the iterator asks the job to stop and waits for it.

    Parameters
    ----------
    job
        ``job(report, cancelled)``: runs in a thread, calls ``report`` as it goes and returns early, with what it has,
        once ``cancelled()`` is true.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Progress | None] = asyncio.Queue()
    stop = threading.Event()

    def report(progress: Progress) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, progress)

    task = asyncio.ensure_future(asyncio.to_thread(job, report, stop.is_set))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        yield Finished(task.result())
    finally:
        stop.set()
        if not task.done():
            await asyncio.wait({task})


async def until_cancelled(work: Coroutine[Any, Any, T], cancelled: Cancelled) -> T:
    """Run a coroutine, for a job that runs one on a loop of its own, and cancel it once the job is asked to stop.

    Raises
    ------
    asyncio.CancelledError
        The job was asked to stop.
    """
    task = asyncio.ensure_future(work)
    while not task.done() and not cancelled():
        await asyncio.wait({task}, timeout=LOOK_SECONDS)
    task.cancel()
    return await task


async def stream_coroutine(work: Callable[[Report], Awaitable[T]]) -> AsyncGenerator[Progress | Finished]:
    """Yield the progress of ``work(report)``, which runs on this loop, and its result; closing cancels it."""
    queue: asyncio.Queue[Progress | None] = asyncio.Queue()
    task = asyncio.ensure_future(work(queue.put_nowait))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        yield Finished(task.result())
    finally:
        task.cancel()
        await asyncio.wait({task})


__all__ = ["Cancelled", "Report", "stream_coroutine", "stream_job", "until_cancelled"]
