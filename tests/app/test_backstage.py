"""Work on a loop of its own: batches, errors, stopping."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

import pytest

from app.backstage import Backstage


@pytest.fixture
def backstage() -> Iterator[Backstage]:
    made = Backstage(lambda: pytest.fail("nothing here needs the adapters"))
    yield made
    made.close()


async def test_events_arrive_whole_in_order_and_from_another_thread(backstage: Backstage) -> None:
    threads = set()

    async def count() -> AsyncGenerator[int]:
        for n in range(1000):
            threads.add(threading.get_ident())
            if n % 100 == 0:
                await asyncio.sleep(0.01)
            yield n

    batches = [batch async for batch in backstage.stream(count)]
    assert [n for batch in batches for n in batch] == list(range(1000))
    assert len(batches) < 100
    assert threads.isdisjoint({threading.get_ident()})


async def test_an_error_comes_after_what_came_before_it(backstage: Backstage) -> None:
    async def fail() -> AsyncGenerator[str]:
        yield "before"
        raise ValueError("no")

    seen: list[str] = []

    async def take() -> None:
        async for batch in backstage.stream(fail):
            seen.extend(batch)

    with pytest.raises(ValueError, match="no"):
        await take()
    assert seen == ["before"]


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_stopping_waits_until_the_other_side_has_stored_what_it_has(
    backstage: Backstage, how: str
) -> None:
    stored = threading.Event()

    async def endless() -> AsyncGenerator[int]:
        try:
            while True:
                yield 1
                await asyncio.sleep(0.01)
        finally:
            await asyncio.sleep(0.2)
            stored.set()

    async def take() -> None:
        async with aclosing(backstage.stream(endless)) as batches:
            async for _ in batches:
                if how == "close":
                    break

    task = asyncio.ensure_future(take())
    if how == "cancel":
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        await task
    assert stored.is_set()
