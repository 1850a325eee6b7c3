from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from agents.models.cache import FolderCache, MemoryCache, request_key
from agents.models.chat import OpenAIChat
from agents.models.limits import RateLimiter
from agents.models.settings import EndpointSettings, Limits, Price
from agents.models.translate import redact, retry_after
from agents.models.usage import estimate_tokens
from store.ports import ChatMessage, ChatModel, ChatRequest, Usage
from tests.fakes.misbehaving import MisbehavingServer, says


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


async def starts(limits: Limits, tokens: list[int]) -> list[float]:
    clock = Clock()
    limiter = RateLimiter(limits, clock=clock, sleep=clock.sleep)
    times = []
    for size in tokens:
        async with limiter.slot(size):
            times.append(clock.now)
    return times


async def test_requests_a_minute() -> None:
    times = await starts(Limits(requests_per_minute=3), [1] * 7)
    assert times == pytest.approx([0, 0, 0, 60, 60, 60, 120], abs=0.1)


async def test_tokens_a_minute() -> None:
    times = await starts(Limits(tokens_per_minute=100), [60, 40, 50, 60, 500, 1])
    assert times == pytest.approx([0, 0, 60, 120, 180, 240], abs=0.1)


async def test_no_limit_no_wait() -> None:
    assert await starts(Limits(), [10**9] * 5) == [0] * 5


async def test_the_estimate_is_replaced_by_what_was_used() -> None:
    clock = Clock()
    limiter = RateLimiter(Limits(tokens_per_minute=100), clock=clock, sleep=clock.sleep)
    async with limiter.slot(90) as reservation:
        reservation.settle(10)
    async with limiter.slot(90):
        assert clock.now == 0


async def test_concurrency(server: MisbehavingServer) -> None:
    server.default = says("Hello.", delay=0.05)
    chat = OpenAIChat(EndpointSettings(base_url=server.base_url, model="m", limits=Limits(concurrency=3)))
    request = ChatRequest((ChatMessage("user", "Hi"),))
    await asyncio.gather(*(chat.complete(request) for _ in range(12)))
    await chat.aclose()
    assert server.most_open == 3


async def test_use_is_counted_by_role(server: MisbehavingServer) -> None:
    price = Price(prompt_per_million=1000, completion_per_million=2000)
    chat = OpenAIChat(EndpointSettings(base_url=server.base_url, model="m", price=price))
    assert isinstance(chat, ChatModel)
    await chat.complete(ChatRequest((ChatMessage("user", "Hi"),), role="router"))
    await chat.complete(ChatRequest((ChatMessage("user", "Hi"),), role="router"))
    await chat.complete(ChatRequest((ChatMessage("user", "Hi"),), role="generator"))
    await chat.aclose()
    used = chat.meter.by_role()
    assert (used["router"].calls, used["router"].prompt_tokens, used["router"].completion_tokens) == (
        2,
        20,
        10,
    )
    assert used["router"].cost == pytest.approx(0.04)
    assert used["router"].seconds > 0
    assert chat.meter.total().calls == 3


@pytest.mark.parametrize("kind", ["memory", "folder"])
async def test_the_same_question_is_paid_for_once(server: MisbehavingServer, kind: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    cache = MemoryCache() if kind == "memory" else FolderCache(tmp_path)
    chat = OpenAIChat(EndpointSettings(base_url=server.base_url, model="m", api_key="sk-x1y2z3"), cache=cache)  # type: ignore[arg-type]
    request = ChatRequest((ChatMessage("user", "Hi"),), prompt_sha="a")
    first = await chat.complete(request)
    again = await chat.complete(request)
    assert again.text == first.text
    assert again.usage == Usage(cached=1)
    assert len(server.requests) == 1
    for other in (
        ChatRequest((ChatMessage("user", "Hi"),), prompt_sha="b"),
        ChatRequest((ChatMessage("user", "Hi"),), prompt_sha="a", max_tokens=7),
        ChatRequest((ChatMessage("user", "Hi"),), prompt_sha="a", temperature=0.5),
    ):
        await chat.complete(other)
    assert len(server.requests) == 4
    await chat.complete(other)
    assert len(server.requests) == 5, "a temperature above 0 is never kept"
    await chat.aclose()
    assert not any("sk-x1y2z3" in file.read_text() for file in tmp_path.rglob("*.json"))


async def test_half_answers_and_refusals_are_not_kept(server: MisbehavingServer) -> None:
    server.default = says("half", "length")
    server.then(says(None, refusal="no"))
    chat = OpenAIChat(EndpointSettings(base_url=server.base_url, model="m"), cache=MemoryCache())
    request = ChatRequest((ChatMessage("user", "Hi"),))
    for _ in range(3):
        await chat.complete(request)
    await chat.aclose()
    assert len(server.requests) == 3


def test_damaged_cache_files_are_misses(tmp_path) -> None:  # type: ignore[no-untyped-def]
    cache = FolderCache(tmp_path / "cache")
    assert cache.get("ab12") is None
    cache.put("ab12", {"a": 1})
    assert cache.get("ab12") == {"a": 1}
    next((tmp_path / "cache").rglob("*.json")).write_text('{"a": ')
    assert cache.get("ab12") is None
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    FolderCache(blocked).put("ab12", {"a": 1})


def test_the_memory_cache_is_bounded() -> None:
    cache = MemoryCache(2)
    for key in "abc":
        cache.put(key, {})
    assert [cache.get(key) for key in "abc"] == [None, {}, {}]


def test_cache_keys_differ_by_server_and_model() -> None:
    request = ChatRequest((ChatMessage("user", "Hi"),))
    assert len({request_key(url, model, request) for url in "ab" for model in "ab"}) == 4


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 29 Nov 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, datetime(2026, 11, 29, 12, tzinfo=UTC)) == seconds


def test_redaction() -> None:
    text = redact("Wrong key sk-abc123 \x1b[31m given: Bearer sk-other456\n" + "x" * 500, "sk-abc123")
    assert "sk-" not in text
    assert "\x1b" not in text
    assert len(text) == 240


def test_token_estimates() -> None:
    assert estimate_tokens("") == 1
    assert estimate_tokens("a" * 400) == 100
