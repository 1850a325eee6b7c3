"""A service that works behind a face: opened late, in a thread, with an event loop of its own.

Answering is arithmetic, SQL and imports; on the loop that draws and reads keys each of them would be felt. So all of it
runs on a second loop, and what happens is handed over in batches.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from app.bootstrap import Parts
    from app.catalog import Catalog
    from app.conversations import Conversations
    from app.service import Service

T = TypeVar("T")
E = TypeVar("E")

#: Seconds between two batches: 20 a second are enough for eyes, and cost a third of drawing each piece.
BATCH_SECONDS = 0.05
LONGEST_PAUSE = 0.4
#: Seconds that a stopped stream may take to store what it has.
STOP_SECONDS = 10.0


class Backstage:
    """The use cases, opened on first need.

    Parameters
    ----------
    make
        Builds the live adapters; called once, in a thread.
    """

    def __init__(self, make: Callable[[], Parts]) -> None:
        self._make = make
        self._parts: Parts | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    @property
    def opened(self) -> bool:
        """Whether the adapters are built."""
        return self._parts is not None

    @property
    def parts(self) -> Parts:
        """The live adapters; builds them on first use."""
        with self._lock:
            if self._parts is None:
                self._parts = self._make()
            return self._parts

    @cached_property
    def service(self) -> Service:
        """The use cases."""
        from app.service import Service

        return Service(self.parts)

    @cached_property
    def catalog(self) -> Catalog:
        """Reads and curation."""
        from app.catalog import Catalog

        return Catalog(self.parts)

    @cached_property
    def conversations(self) -> Conversations:
        """Conversations and their answers."""
        from app.conversations import Conversations

        return Conversations(self.parts)

    def open(self) -> bool:
        """Build the adapters and open the database where there is a workspace; returns whether there is one.

        Blocks: call it in a thread. Building them here, once, keeps two threads from building them twice.

        Raises
        ------
        ApplicationError
            Wrong settings, or a database that cannot be used.
        """
        parts = self.parts
        _ = self.service, self.catalog, self.conversations
        if not parts.workspace.exists():
            return False
        _ = parts.database, parts.repository, parts.registry, parts.opinions, parts.reviews, parts.answers
        return True

    def warm(self) -> None:
        """Load what the first answer needs, beside a person who is still typing. Blocks: call it in a thread."""
        import agents.graph  # noqa: F401

        _ = self.parts.embedder, self.parts.searcher

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Run a blocking function in a thread and return what it returns."""
        return await asyncio.to_thread(function, *arguments)

    async def stream(self, make: Callable[[], AsyncGenerator[E]]) -> AsyncGenerator[list[E]]:
        """Yield what an async generator yields, run on the backstage loop, in batches.

        Closing this generator stops the other one and waits until it has stored what it had. An exception of the
        other one is raised here, after the last batch.
        """
        here, there = asyncio.get_running_loop(), self._started()
        arrived: deque[E] = deque()
        wake, ended = asyncio.Event(), asyncio.Event()
        failure: list[BaseException] = []
        running: list[asyncio.Task[None]] = []

        def tell(event: asyncio.Event) -> None:
            # The face may be gone already.
            with suppress(RuntimeError):
                here.call_soon_threadsafe(event.set)

        async def pump() -> None:
            async with aclosing(make()) as events:
                async for event in events:
                    arrived.append(event)
                    tell(wake)

        def finished(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                failure.append(error)
            tell(ended)
            tell(wake)

        def begin() -> None:
            task = there.create_task(pump())
            task.add_done_callback(finished)
            running.append(task)

        there.call_soon_threadsafe(begin)
        try:
            while True:
                await wake.wait()
                wake.clear()
                over = ended.is_set()
                batch = [arrived.popleft() for _ in range(len(arrived))]
                begun = time.monotonic()
                if batch:
                    yield batch
                # Drawing may take at most a quarter of the loop's time: what draws slowly is drawn less often.
                pause = min(LONGEST_PAUSE, max(BATCH_SECONDS, 3 * (time.monotonic() - begun)))
                if over and not arrived:
                    break
                if not over:
                    await asyncio.sleep(pause)
            if failure:
                raise failure[0]
        finally:
            if not ended.is_set():
                there.call_soon_threadsafe(lambda: running and running[0].cancel())
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), STOP_SECONDS)

    async def use_model(self, model: str) -> None:
        """Let another model of the configured server answer; an empty name, none: the embedded writer.

        Raises
        ------
        UsageError
            No server is configured.
        """
        parts = self.parts
        loop = self._started()
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(parts.use_model(model), loop))

    async def models(self) -> list[str]:
        """Return the models that the configured server offers, none without one.

        Raises
        ------
        ApplicationError
            The server does not answer.
        """
        loop = self._started()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self.parts.offered_models(), loop))

    def close(self) -> None:
        """Stop the loop and close what was opened."""
        if self._loop is not None and self._thread is not None:
            if self._parts is not None:
                closing = asyncio.run_coroutine_threadsafe(self._parts.aclose(), self._loop)
                with suppress(TimeoutError):
                    closing.result(STOP_SECONDS)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(STOP_SECONDS)
            self._loop = self._thread = None
        elif self._parts is not None:
            self._parts.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=self._run, args=(self._loop,), name="backstage", daemon=True
            )
            self._thread.start()
        return self._loop

    @staticmethod
    def _run(loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


__all__ = ["BATCH_SECONDS", "Backstage"]
