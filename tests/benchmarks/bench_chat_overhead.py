"""What our chat layer adds to a bare openai call, against a local server that answers at once.

``python -m tests.benchmarks.bench_chat_overhead [calls]``. The two are called in turn, so that the machine's other
work meets both alike. The bar is 5 ms at the median; CPU time is shown too, since it does not depend on the load.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

from agents.models.cache import MemoryCache
from agents.models.chat import OpenAIChat
from agents.models.client import open_client
from agents.models.settings import EndpointSettings, Limits
from store.ports import ChatMessage, ChatRequest
from tests.fakes.misbehaving import MisbehavingServer

BAR_MS = 5.0


async def measure(server: MisbehavingServer, calls: int) -> float:
    """Return the difference of the medians in milliseconds."""
    settings = EndpointSettings(
        base_url=server.base_url,
        model="m",
        limits=Limits(requests_per_minute=1_000_000, tokens_per_minute=10**9),
    )
    chat = OpenAIChat(settings, cache=MemoryCache())
    client = open_client(settings)
    prompt = "word " * 2000
    numbers = iter(range(10**9))

    async def bare() -> None:
        await client.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": f"{prompt}{next(numbers)}"}],
            max_tokens=100,
            temperature=0,
        )

    async def ours() -> None:
        await chat.complete(ChatRequest((ChatMessage("user", f"{prompt}{next(numbers)}"),), max_tokens=100))

    async def timed(call: Callable[[], Awaitable[None]]) -> tuple[float, float]:
        wall, cpu = time.perf_counter(), time.thread_time()
        await call()
        return 1000 * (time.perf_counter() - wall), 1000 * (time.thread_time() - cpu)

    for call in (bare, ours) * 5:
        await call()
    rows = [(await timed(bare), await timed(ours)) for _ in range(calls)]
    await chat.aclose()
    await client.close()
    result = 0.0
    for name, index in (("wall", 0), ("CPU", 1)):
        before = statistics.median(row[0][index] for row in rows)
        after = statistics.median(row[1][index] for row in rows)
        print(
            f"{name}: bare {before:.2f} ms, ours {after:.2f} ms, added {after - before:+.2f} ms (p50 of {calls})"
        )
        result = result if index else after - before
    return result


def main() -> None:
    """Measure, print, and exit 1 when over the bar."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with MisbehavingServer() as server:
        added = asyncio.run(measure(server, calls))
    raise SystemExit(added > BAR_MS)


if __name__ == "__main__":
    main()
