"""Servers' oddities: learnt from one refusal, remembered, and never a reason for a second refusal."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from agents.models.chat import OpenAIChat
from agents.models.errors import RequestRejected
from agents.models.quirks import QuirkBook, Quirks
from store.ports import ChatMessage, ChatRequest
from tests.fakes.misbehaving import MisbehavingServer, fails, says, streams

Connect = Callable[..., OpenAIChat]
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
REQUEST = ChatRequest(
    (ChatMessage("system", "Be brief."), ChatMessage("user", "Hello?")),
    max_tokens=50,
    json_schema=SCHEMA,
    logprobs=True,
    seed=7,
)


@pytest.mark.parametrize(
    ("message", "attribute", "value"),
    [
        ("System role not supported", "system_role", False),
        ("Conversation roles must alternate user/assistant/user/assistant/...", "system_role", False),
        ("'response_format' of type 'json_schema' is not supported", "schema_mode", "json_object_schema"),
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'",
            "max_tokens_name",
            "max_completion_tokens",
        ),
        ("Unsupported value: 'temperature' does not support 0.0 with this model", "temperature", False),
        ("logprobs is not supported by this model", "logprobs", False),
        ("Unrecognized request argument supplied: seed", "seed", False),
    ],
)
async def test_one_refusal_teaches(
    server: MisbehavingServer, connect: Connect, message: str, attribute: str, value: object
) -> None:
    server.then(fails(400, message))
    chat = connect()
    await chat.complete(REQUEST)
    assert getattr(chat.quirks, attribute) == value
    await chat.complete(REQUEST)
    assert len(server.requests) == 3, "one refusal, then right at once"


async def test_without_a_system_role_its_words_come_first(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.then(fails(400, "System role not supported"))
    await connect().complete(REQUEST)
    assert server.requests[-1].body["messages"] == [{"role": "user", "content": "Be brief.\n\nHello?"}]


async def test_schema_support_is_given_up_step_by_step_and_goes_into_words(
    server: MisbehavingServer, connect: Connect
) -> None:
    # llama-cpp-python answers 500 to json_schema.
    server.then(fails(500, "response_format json_schema: bad"), fails(400, "bad response_format"), says("{}"))
    chat = connect()
    await chat.complete(REQUEST)
    assert [request.body.get("response_format", {}).get("type") for request in server.requests] == [
        "json_schema",
        "json_object",
        "json_object",
    ]
    assert '"additionalProperties": false' in server.requests[-1].prompt
    assert chat.quirks.schema_mode == "json_object"


async def test_stream_usage(server: MisbehavingServer, connect: Connect) -> None:
    server.then(fails(400, "Unknown field stream_options"), streams("Hello."))
    chat = connect()
    pieces = [piece async for piece in chat.stream(REQUEST)]
    assert pieces[0] == "Hello."
    assert not chat.quirks.stream_usage
    assert "stream_options" not in server.requests[-1].body


async def test_a_server_that_refuses_everything_is_left_after_a_few_steps(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.default = fails(
        400, "unsupported: system role response_format max_tokens temperature logprobs seed"
    )
    with pytest.raises(RequestRejected):
        await connect().complete(REQUEST)
    assert len(server.requests) <= 10


async def test_one_book_serves_all_clients_of_a_model(server: MisbehavingServer, connect: Connect) -> None:
    book = QuirkBook()
    server.then(fails(400, "System role not supported"))
    await connect(quirks=book).complete(REQUEST)
    await connect(quirks=book).complete(REQUEST)
    assert len(server.requests) == 3
    assert connect(quirks=book, model="other").quirks.system_role


def test_a_book_survives_the_process() -> None:
    book = QuirkBook()
    book.of("http://a/v1", "m").schema_mode = "json_object"
    rows = book.dump()
    rows.append({"base_url": "http://b/v1", "model": "m", "schema_mode": "from the future"})
    rows[0]["unknown"] = 1
    again = QuirkBook()
    again.restore(rows)
    assert again.of("http://a/v1", "m") == Quirks(schema_mode="json_object")
    assert again.of("http://b/v1", "m") == Quirks()


def test_quirks_are_kept_between_processes_for_a_month(tmp_path: Path) -> None:
    path = tmp_path / "quirks.json"
    day = date(2026, 11, 1)
    book = QuirkBook(path, today=lambda: day)
    book.of("http://plain", "m")
    book.save()
    assert not path.exists() or json.loads(path.read_text()) == [], "nothing was learnt"
    book.of("http://a", "m").schema_mode = "json_object"
    book.save()
    assert QuirkBook(path, today=lambda: day).of("http://a", "m").schema_mode == "json_object"
    later = QuirkBook(path, today=lambda: date(2026, 11, 20))
    later.of("http://a", "m").seed = False
    later.save()
    assert json.loads(path.read_text())[0]["since"] == "2026-11-01", "learning more does not make it younger"
    assert QuirkBook(path, today=lambda: date(2026, 12, 2)).of("http://a", "m").schema_mode == "json_schema"
    entry = later.of("http://a", "m")
    entry.reset()
    assert entry == Quirks()


@pytest.mark.parametrize(
    "content", ["", "{", "[1, {}]", '[{"base_url": "u", "model": "m", "since": "x"}]', "null"]
)
def test_a_damaged_file_of_quirks_is_no_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "quirks.json"
    path.write_text(content)
    assert QuirkBook(path).of("u", "m") == Quirks()


def test_quirks_that_cannot_be_written_are_no_error(tmp_path: Path) -> None:
    book = QuirkBook(tmp_path / "absent" / "quirks.json")
    book.of("u", "m").logprobs = False
    book.save()
