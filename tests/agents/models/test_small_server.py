"""Every role end to end against a small real llama.cpp server. Its answers are poor; what is tested is the wiring."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator

import pytest

from agents.enhancement import MultiQuery, enhancer
from agents.models.chat import OpenAIChat
from agents.models.errors import ContextTooLong, ModelCallError
from agents.models.extractor import ExtractorOptions, LLMExtractor
from agents.models.generation import GenerationRequest, Passage, Proportions
from agents.models.generator import LLMGenerator
from agents.models.llm_router import route
from agents.models.probe import probe
from agents.models.settings import EndpointSettings
from store.ports import ChatMessage, ChatReply, ChatRequest
from store.records import RegistryEntity

pytestmark = [pytest.mark.llm, pytest.mark.slow]


@pytest.fixture
async def chat(llm_endpoint: EndpointSettings) -> AsyncIterator[OpenAIChat]:
    model = OpenAIChat(llm_endpoint)
    yield model
    await model.aclose()


def say(text: str, max_tokens: int = 16, **options: object) -> ChatRequest:
    return ChatRequest((ChatMessage("user", text),), max_tokens=max_tokens, **options)  # type: ignore[arg-type]


async def test_an_answer_with_usage_and_logprobs(chat: OpenAIChat) -> None:
    reply = await chat.complete(say("Say hello.", 8, logprobs=True))
    assert reply.text
    assert reply.model == "smollm2-135m"
    assert 0 < reply.usage.completion_tokens <= 8
    assert reply.usage.prompt_tokens > 5
    assert len(reply.logprobs) == reply.usage.completion_tokens
    assert all(value <= 0 for row in reply.logprobs for value in row.values())
    assert max(len(row) for row in reply.logprobs) >= 5


async def test_streaming_gives_the_same_answer_in_pieces(chat: OpenAIChat) -> None:
    whole = await chat.complete(say("Count to five.", 12))
    *pieces, last = [piece async for piece in chat.stream(say("Count to five.", 12))]
    assert isinstance(last, ChatReply)
    assert len(pieces) > 1
    assert "".join(piece for piece in pieces if isinstance(piece, str)) == last.text == whole.text
    assert last.usage.completion_tokens == whole.usage.completion_tokens
    assert last.finish_reason == "length"


async def test_the_schema_is_enforced(chat: OpenAIChat) -> None:
    schema = {
        "type": "object",
        "properties": {"answer": {"enum": ["yes", "no"]}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    reply = await chat.complete(say("Write a poem about the sea.", 40, json_schema=schema))
    assert json.loads(reply.text)["answer"] in ("yes", "no")


async def test_leaving_a_stream_frees_the_server(chat: OpenAIChat) -> None:
    stream = chat.stream(say("Write a very long story.", 1500))
    await anext(stream)
    await stream.aclose()
    started = time.monotonic()
    # Both slots are needed: if one were still at its 1500 tokens, this would take as long as those.
    await asyncio.gather(*(chat.complete(say("Say hello.", 4)) for _ in range(4)))
    assert time.monotonic() - started < 20


async def test_a_prompt_beyond_the_context(chat: OpenAIChat) -> None:
    with pytest.raises(ContextTooLong) as caught:
        await chat.complete(say("word " * 6000))
    assert caught.value.limit == chat.context_tokens


async def test_the_router(chat: OpenAIChat) -> None:
    found = await route("What do guests think of the pool?", chat)
    assert found.kind in ("factual", "opinion", "both")
    assert 0 <= found.confidence <= 1


@pytest.mark.parametrize("method", ["rewrite", "hyde", "multi_query"])
async def test_the_enhancer(chat: OpenAIChat, method: str) -> None:
    made = MultiQuery(2) if method == "multi_query" else enhancer(method)
    found = await made.enhance("How is the pool?", chat)
    assert found.asked == method
    # So small a model may ramble, and then the question stands, marked: both are right, silence is not.
    assert (found.method == method) != bool(found.degraded_reason)
    assert all(found.texts)


async def test_the_extractor(chat: OpenAIChat) -> None:
    registry = [RegistryEntity("room", "room"), RegistryEntity("staff", "staff")]
    extractor = LLMExtractor(chat, options=ExtractorOptions(documents=1, answer_tokens=100))
    texts = [(1, "The room was lovely.")]
    outcomes = [outcome async for outcome in extractor.run(texts, registry)]
    assert [outcome.document_id for outcome in outcomes] == [1]
    for outcome, (_, text) in zip(outcomes, texts, strict=True):
        assert (outcome.extraction is None) == bool(outcome.reason)
        for unit in outcome.extraction.opinions if outcome.extraction else ():
            assert text[unit.start : unit.end] == unit.quote
            assert unit.entity in ("room", "staff")


async def test_the_generator(chat: OpenAIChat) -> None:
    generator = LLMGenerator(chat, max_tokens=24)
    passages = (Passage("D1", "The pool was warm."), Passage("D2", "The pool was cold."))
    proportions = Proportions("the pool", {"positive": 0.5, "negative": 0.5}, 2)
    answer = await generator.generate(GenerationRequest("How is the pool?", "opinion", passages, proportions))
    assert answer.text
    assert set(answer.cited) <= {"D1", "D2"}
    assert answer.prompt == "answer_opinions.v1"


async def test_the_probe(chat: OpenAIChat) -> None:
    report = await probe(chat)
    assert report.ok, report
    found = {check.name: check.status for check in report.checks}
    assert found == dict.fromkeys(
        ["reachable", "answers", "streaming", "schema output", "logprobs", "context"], "ok"
    )


async def test_the_probe_of_nothing() -> None:
    model = OpenAIChat(EndpointSettings(base_url="http://127.0.0.1:9/v1", model="m"))
    report = await probe(model)
    await model.aclose()
    assert not report.ok
    assert [check.status for check in report.checks][:3] == ["failed", "skipped", "skipped"]
    assert "models.base_url" in report.checks[0].hint


async def test_a_wrong_server_is_an_error_of_ours(llm_endpoint: EndpointSettings) -> None:
    model = OpenAIChat(
        llm_endpoint.model_copy(update={"base_url": llm_endpoint.base_url.removesuffix("/v1") + "/nothing"})
    )
    with pytest.raises(ModelCallError):
        await model.complete(say("hello"))
    await model.aclose()
