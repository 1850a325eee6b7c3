"""What every ``ChatModel`` must do, run on a fake, on the client with a scripted server, and on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from agents.models.chat import OpenAIChat
from agents.models.settings import EndpointSettings
from store.ports import ChatMessage, ChatModel, ChatReply, ChatRequest
from tests.agents.models.conftest import llm_endpoint as llm_endpoint
from tests.fakes.chat import FakeChatModel
from tests.fakes.misbehaving import MisbehavingServer, Request, says, streams

REQUEST = ChatRequest((ChatMessage("system", "Be brief."), ChatMessage("user", "Say hello.")), max_tokens=8)


async def _either(request: Request, writer: asyncio.StreamWriter) -> bool | None:
    behaviour = streams("Hel", "lo.") if request.body.get("stream") else says("Hello.")
    return await behaviour(request, writer)


@pytest.fixture(params=["fake", "scripted", pytest.param("real", marks=[pytest.mark.llm, pytest.mark.slow])])
async def chat(request: pytest.FixtureRequest) -> AsyncIterator[ChatModel]:
    if request.param == "fake":
        yield FakeChatModel(*["Hello."] * 10)
    elif request.param == "scripted":
        with MisbehavingServer(default=_either) as server:
            client = OpenAIChat(EndpointSettings(base_url=server.base_url, model="m"))
            yield client
            await client.aclose()
    else:
        client = OpenAIChat(request.getfixturevalue("llm_endpoint"))
        yield client
        await client.aclose()


async def test_it_is_a_chat_model(chat: ChatModel) -> None:
    assert isinstance(chat, ChatModel)
    assert chat.model


async def test_a_whole_answer(chat: ChatModel) -> None:
    reply = await chat.complete(REQUEST)
    assert reply.text
    assert reply.finish_reason in ("stop", "length")
    assert reply.model
    assert reply.usage.calls == 1
    assert reply.usage.completion_tokens > 0


async def test_a_stream_ends_with_the_whole_answer(chat: ChatModel) -> None:
    *pieces, last = [piece async for piece in chat.stream(REQUEST)]
    assert isinstance(last, ChatReply)
    assert pieces
    assert all(isinstance(piece, str) and piece for piece in pieces)
    assert "".join(str(piece) for piece in pieces).strip() == last.text.strip()


async def test_equal_requests_of_temperature_zero_give_equal_answers(chat: ChatModel) -> None:
    assert (await chat.complete(REQUEST)).text == (await chat.complete(REQUEST)).text


async def test_calls_may_run_at_once(chat: ChatModel) -> None:
    replies = await asyncio.gather(*(chat.complete(REQUEST) for _ in range(4)))
    assert all(reply.text for reply in replies)
