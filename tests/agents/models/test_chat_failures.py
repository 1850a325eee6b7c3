"""Every way that a server fails, against a real one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from agents.models import errors
from agents.models.chat import OpenAIChat
from agents.models.settings import Retries, Timeouts
from store.errors import ServiceUnreachable
from store.ports import ChatMessage, ChatReply, ChatRequest
from tests.fakes.misbehaving import (
    MisbehavingServer,
    blank_body,
    blank_stream,
    completion,
    fails,
    replies,
    resets,
    says,
    silent,
    streams,
)

Connect = Callable[..., OpenAIChat]
HELLO = ChatRequest((ChatMessage("system", "Be brief."), ChatMessage("user", "Hello?")), max_tokens=50)


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait for something that the server's thread does."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def gather(chat: OpenAIChat, request: ChatRequest = HELLO) -> tuple[list[str], ChatReply]:
    pieces = [piece async for piece in chat.stream(request)]
    assert isinstance(pieces[-1], ChatReply)
    return [piece for piece in pieces[:-1] if isinstance(piece, str)], pieces[-1]


async def test_an_answer(server: MisbehavingServer, connect: Connect) -> None:
    server.then(says("Hello."))
    reply = await connect().complete(HELLO)
    assert (reply.text, reply.finish_reason, reply.model) == ("Hello.", "stop", "fake")
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 10, 5)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert request.body["max_tokens"] == 50
    assert "tools" not in request.body


@pytest.mark.parametrize("status", [401, 403])
async def test_a_wrong_key_is_not_tried_again(
    server: MisbehavingServer, connect: Connect, status: int
) -> None:
    server.default = fails(status, "Incorrect API key")
    with pytest.raises(errors.AuthenticationFailed, match="Incorrect API key") as caught:
        await connect().complete(HELLO)
    assert caught.value.exit_code == 2
    assert "models.api_key" in caught.value.hint
    assert len(server.requests) == 1


async def test_an_unknown_model(server: MisbehavingServer, connect: Connect) -> None:
    server.default = fails(404, "The model `fake` does not exist.")
    with pytest.raises(errors.ModelNotFound, match="does not exist") as caught:
        await connect().complete(HELLO)
    assert "models.model" in str(caught.value)
    assert len(server.requests) == 1


async def test_too_many_requests_with_retry_after(server: MisbehavingServer, connect: Connect) -> None:
    started = time.monotonic()
    server.then(fails(429, "slow down", {"Retry-After": "0.7"}), says("Hello."))
    reply = await connect().complete(HELLO)
    assert reply.text == "Hello."
    assert time.monotonic() - started >= 0.7


async def test_a_pause_that_the_server_asks_for_holds_every_task(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.then(fails(429, "slow down", {"Retry-After": "0.5"}))
    chat = connect()
    first = asyncio.create_task(chat.complete(HELLO))
    await eventually(lambda: len(server.requests) == 1)
    await asyncio.sleep(0.1)
    await asyncio.gather(first, *(chat.complete(HELLO) for _ in range(5)))
    assert len(server.requests) == 7, "none of the others was refused as well"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "upstream is down", "code": 502}, errors.ServerFault),
        ({"message": "no credit", "code": 402}, errors.QuotaExhausted),
        ("upstream is down", errors.ServerFault),
    ],
)
async def test_an_error_with_status_200(
    server: MisbehavingServer, connect: Connect, error: object, kind: type[Exception]
) -> None:
    server.default = replies({"error": error})
    with pytest.raises(kind):
        await connect().complete(HELLO)


async def test_bad_replies_are_paid_for_too(server: MisbehavingServer, connect: Connect) -> None:
    server.default = says(None)
    chat = connect()
    with pytest.raises(errors.BrokenReply):
        await chat.complete(HELLO)
    assert chat.meter.total().calls == 2
    assert chat.meter.total().completion_tokens > 0
    server.default = fails(500)
    with pytest.raises(errors.ServerFault):
        await gather(chat)
    assert chat.meter.total().calls == 5


async def test_too_many_requests_without_retry_after(server: MisbehavingServer, connect: Connect) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    server.default = fails(429, "slow down")
    with pytest.raises(errors.RateLimited) as caught:
        await connect(sleep=sleep, retries=Retries(attempts=4, backoff=1, longest_wait=60)).complete(HELLO)
    assert caught.value.exit_code == 3
    assert len(server.requests) == 4
    assert all(low <= wait <= high for wait, low, high in zip(waits, (0.5, 1, 2), (1, 2, 4), strict=True))


async def test_a_retry_after_beyond_patience_is_not_waited_for(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.default = fails(429, "tomorrow", {"Retry-After": "86400"})
    with pytest.raises(errors.RateLimited) as caught:
        await connect().complete(HELLO)
    assert caught.value.retry_after == 86400
    assert len(server.requests) == 1


async def test_an_empty_account_is_not_a_rate_limit(server: MisbehavingServer, connect: Connect) -> None:
    server.default = fails(429, "You exceeded your current quota", code="insufficient_quota")
    with pytest.raises(errors.QuotaExhausted):
        await connect().complete(HELLO)
    assert len(server.requests) == 1


async def test_a_fault_and_then_an_answer(server: MisbehavingServer, connect: Connect) -> None:
    server.then(fails(500), fails(503, "Loading model"), says("Hello."))
    assert (await connect().complete(HELLO)).text == "Hello."
    assert len(server.requests) == 3


async def test_nothing_but_faults(server: MisbehavingServer, connect: Connect) -> None:
    server.default = fails(502, "bad gateway")
    with pytest.raises(errors.ServerFault) as caught:
        await connect().complete(HELLO)
    assert isinstance(caught.value, ServiceUnreachable)
    assert (caught.value.exit_code, caught.value.status, len(server.requests)) == (3, 502, 3)


async def test_nobody_listens(connect: Connect) -> None:
    chat = connect(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(errors.ModelUnreachable) as caught:
        await chat.complete(HELLO)
    assert caught.value.exit_code == 3
    assert "models.base_url" in str(caught.value)


async def test_no_such_host(connect: Connect) -> None:
    with pytest.raises(errors.ModelUnreachable):
        await connect(base_url="http://no-such-host.invalid/v1").complete(HELLO)


async def test_a_reset_before_the_answer_is_retried(server: MisbehavingServer, connect: Connect) -> None:
    server.then(resets(), says("Hello."))
    assert (await connect().complete(HELLO)).text == "Hello."


async def test_a_request_lost_on_a_connection_of_before_is_no_try(
    server: MisbehavingServer, connect: Connect
) -> None:
    """Servers give up connections that they promised to keep: llama.cpp after a stream, others after five seconds."""
    chat = connect(retries=Retries(attempts=1))
    server.then(says("One."), resets(), says("Two."))
    assert [(await chat.complete(HELLO)).text for _ in range(2)] == ["One.", "Two."]
    server.then(resets(), streams("Three."))
    assert (await gather(chat))[0] == ["Three."]
    assert len(server.requests) == 5


async def test_a_request_lost_on_its_own_connection_is_a_try(
    server: MisbehavingServer, connect: Connect
) -> None:
    chat = connect(retries=Retries(attempts=1))
    server.then(resets())
    with pytest.raises(errors.ModelUnreachable):
        await chat.complete(HELLO)
    assert len(server.requests) == 1
    server.then(says("One."), resets("Two, "))
    assert (await chat.complete(HELLO)).text == "One."
    with pytest.raises(errors.ModelUnreachable, match="broke off"):
        await gather(chat)
    assert len(server.requests) == 3, "what was begun is not sent again"


async def test_silence(server: MisbehavingServer, connect: Connect) -> None:
    server.default = silent()
    started = time.monotonic()
    with pytest.raises(errors.ModelTimeout) as caught:
        await connect(timeouts=Timeouts(connect=1, first_token=0.2, total=0.3)).complete(HELLO)
    assert caught.value.phase == "whole call"
    assert "models.timeouts.total" in caught.value.hint
    assert len(server.requests) == 2  # a slow server is asked twice, whatever the retries
    assert time.monotonic() - started < 20


async def test_silence_in_a_stream_is_a_missing_first_token(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.default = silent()
    with pytest.raises(errors.ModelTimeout) as caught:
        await gather(connect(timeouts=Timeouts(connect=1, first_token=0.2, total=5)))
    assert caught.value.phase == "first token"
    assert "models.timeouts.first_token" in caught.value.hint


async def test_a_stream_that_stands_still(server: MisbehavingServer, connect: Connect) -> None:
    server.default = streams("Hel", "lo", gap=5)
    with pytest.raises(errors.ModelTimeout, match="stood still"):
        await gather(connect(timeouts=Timeouts(connect=1, first_token=0.2, total=5)))
    assert len(server.requests) == 1  # something was shown: asking again would show it twice


async def test_a_stream_that_drips_for_ever_meets_the_limit_of_the_whole_call(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.default = streams(*["x"] * 1000, gap=0.05)
    with pytest.raises(errors.ModelTimeout) as caught:
        await gather(connect(timeouts=Timeouts(connect=1, first_token=0.3, total=0.5)))
    assert caught.value.phase == "whole call"


@pytest.mark.parametrize(
    "payload",
    [
        {**completion("x"), "choices": []},
        {**completion("x"), "choices": None},
        {"hello": "world"},
        completion(None),
        completion(""),
        {**completion("x"), "choices": [{"index": 0, "finish_reason": "stop"}]},
        b'{"id": "x", "object": "chat.completion", "choices": [{"index"',
    ],
    ids=[
        "empty choices",
        "choices null",
        "other shape",
        "content null",
        "content empty",
        "no message",
        "cut JSON body",
    ],
)
async def test_no_answer_in_the_reply(server: MisbehavingServer, connect: Connect, payload: object) -> None:
    server.then(replies(payload))
    assert (await connect().complete(HELLO)).text == "fine", "one more try may do"
    server.default = replies(payload)
    with pytest.raises(errors.BrokenReply):
        await connect().complete(HELLO)
    assert len(server.requests) == 4


async def test_a_web_page(server: MisbehavingServer, connect: Connect) -> None:
    server.default = replies(b"<html><body>Welcome</body></html>", kind="text/html")
    with pytest.raises(errors.NotAnApi, match=r"ends in /v1"):
        await connect().complete(HELLO)
    with pytest.raises(errors.NotAnApi):
        await gather(connect())
    assert len(server.requests) == 2


async def test_a_plain_answer_to_a_request_for_a_stream(server: MisbehavingServer, connect: Connect) -> None:
    server.default = says("not a stream")
    with pytest.raises(errors.NotAnApi, match="application/json"):
        await gather(connect())


async def test_a_body_of_endless_white_space(server: MisbehavingServer, connect: Connect) -> None:
    server.default = blank_body()
    with pytest.raises(errors.ModelTimeout):
        await connect(timeouts=Timeouts(connect=1, first_token=0.2, total=0.3)).complete(HELLO)


async def test_a_stream_of_endless_white_space(server: MisbehavingServer, connect: Connect) -> None:
    server.default = blank_stream()
    with pytest.raises(errors.MalformedOutput, match="white space"):
        await gather(connect(timeouts=Timeouts(connect=1, first_token=5, total=20)))
    await eventually(lambda: server.hung_up == 1)


async def test_white_space_up_to_the_limit(server: MisbehavingServer, connect: Connect) -> None:
    server.default = says(" \n" * 100, "length")
    with pytest.raises(errors.TruncatedOutput):
        await connect().complete(HELLO)


async def test_a_refusal_is_a_reply(server: MisbehavingServer, connect: Connect) -> None:
    server.then(says(None, refusal="I will not."), says("", "content_filter"))
    assert (await connect().complete(HELLO)).refusal == "I will not."
    assert "content_filter" in (await connect().complete(HELLO)).refusal


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "This model's maximum context length is 2048 tokens. However, you requested 4000 tokens", {}),
        (400, "the request exceeds the available context size (2048 tokens), try increasing it", {}),
        (413, "prompt is too long", {}),
        (400, "too big", {"code": "context_length_exceeded"}),
    ],
    ids=["vLLM", "llama.cpp", "others", "OpenAI"],
)
async def test_context_overflow(
    server: MisbehavingServer, connect: Connect, status: int, message: str, kind: dict[str, str]
) -> None:
    server.default = fails(status, message, **kind)
    chat = connect()
    with pytest.raises(errors.ContextTooLong) as caught:
        await chat.complete(HELLO)
    assert len(server.requests) == 1
    if "2048" in message:
        assert caught.value.limit == chat.context_tokens == 2048


async def test_another_bad_request(server: MisbehavingServer, connect: Connect) -> None:
    server.default = fails(400, "top_k must be positive")
    with pytest.raises(errors.RequestRejected, match="top_k"):
        await connect().complete(HELLO)
    assert len(server.requests) == 1


async def test_a_filter_on_the_prompt_is_a_refusal(server: MisbehavingServer, connect: Connect) -> None:
    server.default = fails(400, "filtered", code="content_filter")
    with pytest.raises(errors.Refusal):
        await connect().complete(HELLO)


async def test_a_stream(server: MisbehavingServer, connect: Connect) -> None:
    server.default = streams("Hel", "lo", ".")
    pieces, reply = await gather(connect())
    assert pieces == ["Hel", "lo", "."]
    assert (reply.text, reply.finish_reason) == ("Hello.", "stop")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (7, 3)


async def test_a_reset_in_mid_stream_is_not_an_answer(server: MisbehavingServer, connect: Connect) -> None:
    server.default = resets("The guests are ", "mostly ")
    stream = connect().stream(HELLO)
    assert [await anext(stream), await anext(stream)] == ["The guests are ", "mostly "]
    with pytest.raises(errors.ModelUnreachable):
        await anext(stream)
    assert len(server.requests) == 1


async def test_a_stream_that_just_ends_is_not_an_answer(server: MisbehavingServer, connect: Connect) -> None:
    server.default = streams("The guests are ", finish_reason=None, done=False)
    with pytest.raises(errors.ModelUnreachable, match="broke off"):
        await gather(connect())


async def test_a_stream_that_fails_before_its_first_word_is_tried_again(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.then(fails(500), resets(), streams("Hello."))
    pieces, _ = await gather(connect())
    assert pieces == ["Hello."]


async def test_an_error_event_inside_a_stream(server: MisbehavingServer, connect: Connect) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

    async def behave(request: object, writer: asyncio.StreamWriter) -> bool:
        writer.write(head + b'data: {"error": {"message": "out of memory", "code": 500}}\n\n')
        return False

    server.default = behave
    with pytest.raises(errors.ServerFault, match="out of memory"):
        await gather(connect())


async def test_cancelling_stops_the_request(server: MisbehavingServer, connect: Connect) -> None:
    server.default = silent()
    task = asyncio.create_task(connect(timeouts=Timeouts(total=30)).complete(HELLO))
    await eventually(lambda: server.open_now == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await eventually(lambda: server.hung_up == 1)


async def test_leaving_a_stream_stops_the_server(server: MisbehavingServer, connect: Connect) -> None:
    server.default = streams(*["word "] * 200, gap=0.02)
    chat = connect(timeouts=Timeouts(total=30))
    stream = chat.stream(HELLO)
    assert await anext(stream) == "word "
    await stream.aclose()
    await eventually(lambda: server.hung_up == 1)
    usage = chat.meter.total()
    assert usage.calls == 1
    assert usage.completion_tokens > 0, "tokens that arrived are paid for, so they count"


async def test_reasoning_that_ate_the_limit(server: MisbehavingServer, connect: Connect) -> None:
    server.then(says(None, "length", reasoning_content="Let me think ..."), says("<think>hmm", "length"))
    for _ in range(2):
        with pytest.raises(errors.TruncatedOutput, match="reasoning"):
            await connect().complete(HELLO)


async def test_reasoning_is_no_part_of_the_answer(server: MisbehavingServer, connect: Connect) -> None:
    server.then(
        says("Hello.", reasoning_content="I should greet."), says("<think>I should greet.</think>\n\nHello.")
    )
    chat = connect()
    assert (await chat.complete(HELLO)).text == "Hello."
    assert (await chat.complete(HELLO)).text == "Hello."
    assert chat.quirks.reasoning
    server.then(streams("<th", "ink>I should", " greet.</thi", "nk>\n", "Hel", "lo."))
    pieces, reply = await gather(chat)
    assert "".join(pieces) == reply.text == "Hello."


async def test_what_is_waited_for_is_told(server: MisbehavingServer, connect: Connect) -> None:
    server.then(fails(503), says("Hello."))
    seen: list[tuple[int, int]] = []
    chat = connect(retries=Retries(attempts=3, backoff=0.01))

    async def sleep(_seconds: float) -> None:
        assert chat.waiting is not None
        seen.append((chat.waiting.number, chat.waiting.most))

    chat._sleep = sleep
    await chat.complete(HELLO)
    assert seen == [(1, 3)]
    assert chat.waiting is None
    server.then(streams("Hel", "lo"))
    async for piece in chat.stream(HELLO):
        assert piece
        assert chat.waiting is None
