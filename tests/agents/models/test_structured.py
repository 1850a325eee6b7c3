from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

from agents.models import errors
from agents.models.chat import OpenAIChat
from agents.models.structured import Parsed, Refused, ask, ask_batch, schema_of
from store.ports import ChatMessage, ChatRequest
from tests.fakes.misbehaving import MisbehavingServer, Request, completion, fails, http, says

Connect = Callable[..., OpenAIChat]
REQUEST = ChatRequest((ChatMessage("system", "Judge."), ChatMessage("user", "Is it good?")), max_tokens=50)


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: Literal["good", "bad"]
    score: int = 0


class Entry(BaseModel):
    id: str
    word: str


class Entries(BaseModel):
    entries: list[Entry]


GOOD = '{"title": "good", "score": 3}'


def test_the_schema_is_strict_and_keeps_properties_named_like_keywords() -> None:
    schema = schema_of(Verdict)
    assert schema["required"] == ["title", "score"]
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == {"title", "score"}
    assert "default" not in schema["properties"]["score"]


async def test_a_valid_answer(server: MisbehavingServer, connect: Connect) -> None:
    server.then(says(GOOD))
    answer = await ask(connect(), REQUEST, Verdict)
    assert isinstance(answer, Parsed)
    assert answer.value == Verdict(title="good", score=3)
    assert not answer.repaired
    sent = server.requests[0].body["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    "bad",
    [
        '{"title": "good", "sco',
        '{"title": "POISON"}',
        '{"verdict": "POISON"}',
        "```json\nPOISON\n```",
        "[]",
        "POISON",
        '{"title": "good", "POISON": 1}',
    ],
    ids=["cut", "value", "shape", "fenced", "list", "prose", "extra"],
)
async def test_one_repair_that_does_not_echo(server: MisbehavingServer, connect: Connect, bad: str) -> None:
    server.then(says(bad), says(GOOD))
    answer = await ask(connect(), REQUEST, Verdict)
    assert isinstance(answer, Parsed)
    assert answer.repaired
    assert answer.usage.calls == 2
    assert "POISON" not in json.dumps(server.requests[1].body)
    assert [message["role"] for message in server.requests[1].body["messages"]] == ["system", "user"]


@pytest.mark.parametrize("text", [f"```json\n{GOOD}\n```", f"\n```\n{GOOD}```  ", f"  {GOOD}\n"])
async def test_a_code_block_around_the_whole_is_no_fault(
    server: MisbehavingServer, connect: Connect, text: str
) -> None:
    server.then(says(text))
    answer = await ask(connect(), REQUEST, Verdict)
    assert isinstance(answer, Parsed)
    assert not answer.repaired


async def test_two_bad_answers_are_a_failure(server: MisbehavingServer, connect: Connect) -> None:
    server.default = says('{"title": "maybe"}')
    with pytest.raises(errors.MalformedOutput, match="did not fit"):
        await ask(connect(), REQUEST, Verdict)
    assert len(server.requests) == 2


async def test_a_cut_answer_is_not_repaired_even_when_it_is_valid(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.default = says(GOOD, "length")
    with pytest.raises(errors.TruncatedOutput):
        await ask(connect(), REQUEST, Verdict)
    assert len(server.requests) == 1


async def test_white_space_only(server: MisbehavingServer, connect: Connect) -> None:
    server.default = says(" \n" * 500, "length")
    with pytest.raises(errors.TruncatedOutput):
        await ask(connect(), REQUEST, Verdict)


@pytest.mark.parametrize("prose", ["I'm sorry, but I can't help with that.", "I cannot judge people."])
async def test_a_refusal_is_a_result(server: MisbehavingServer, connect: Connect, prose: str) -> None:
    server.then(says(None, refusal="No."), says(prose))
    chat = connect()
    for _ in range(2):
        assert isinstance(await ask(chat, REQUEST, Verdict), Refused)
    assert len(server.requests) == 2, "no repair of a refusal"


async def test_a_word_of_apology_inside_json_is_no_refusal(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.then(says('{"id": "1", "word": "I\'m sorry"}'))
    assert isinstance(await ask(connect(), REQUEST, Entry), Parsed)


async def batch(chat: OpenAIChat, count: int) -> tuple[dict[str, Entry], dict[str, errors.ModelCallError]]:
    def build(part: Mapping[str, str]) -> ChatRequest:
        return ChatRequest((ChatMessage("user", "ids: " + " ".join(part)),), max_tokens=50)

    result = await ask_batch(
        chat,
        {f"D{n}": str(n) for n in range(1, count + 1)},
        build=build,
        model=Entries,
        entries=lambda answer, _: [(entry.id, entry) for entry in answer.entries],
    )
    return result.done, result.failed


def ids_of(request: Request) -> list[str]:
    return request.prompt.split("ids: ")[1].split("\n")[0].split()


def answers(choose: Callable[[list[str]], list[str]], finish: Callable[[list[str]], str] = lambda _: "stop"):  # type: ignore[no-untyped-def]
    async def behave(request: Request, writer) -> None:  # type: ignore[no-untyped-def]
        ids = ids_of(request)
        content = json.dumps({"entries": [{"id": name, "word": "w"} for name in choose(ids)]})
        writer.write(http(200, json.dumps(completion(content, finish(ids))).encode()))

    return behave


async def test_every_id_is_accounted_for(server: MisbehavingServer, connect: Connect) -> None:
    server.default = answers(lambda ids: ids)
    done, failed = await batch(connect(), 6)
    assert (len(done), len(failed), len(server.requests)) == (6, 0, 1)


async def test_missing_ids_are_asked_for_again_by_themselves(
    server: MisbehavingServer, connect: Connect
) -> None:
    server.default = answers(lambda ids: ids[:-2] or ids)
    done, failed = await batch(connect(), 6)
    assert (sorted(done), failed) == ([f"D{n}" for n in range(1, 7)], {})
    assert [len(ids_of(request)) for request in server.requests] == [6, 2]


async def test_repeated_and_unknown_ids_are_not_believed(server: MisbehavingServer, connect: Connect) -> None:
    server.then(answers(lambda ids: [*ids, ids[0], "D99"]))
    server.default = answers(lambda ids: ids)
    done, failed = await batch(connect(), 3)
    assert (sorted(done), failed) == (["D1", "D2", "D3"], {})
    assert ids_of(server.requests[1]) == ["D1"]


async def test_a_cut_batch_is_split(server: MisbehavingServer, connect: Connect) -> None:
    server.default = answers(lambda ids: ids, lambda ids: "length" if len(ids) > 2 else "stop")
    done, failed = await batch(connect(), 8)
    assert (len(done), failed) == (8, {})
    assert sorted(len(ids_of(request)) for request in server.requests) == [2, 2, 2, 2, 4, 4, 8]


async def test_an_item_that_alone_is_cut_fails_alone(server: MisbehavingServer, connect: Connect) -> None:
    server.default = answers(lambda ids: ids, lambda ids: "length" if "D3" in ids else "stop")
    done, failed = await batch(connect(), 4)
    assert sorted(done) == ["D1", "D2", "D4"]
    assert isinstance(failed["D3"], errors.TruncatedOutput)


async def test_one_refusal_costs_no_sibling_its_answer(server: MisbehavingServer, connect: Connect) -> None:
    async def behave(request: Request, writer) -> None:  # type: ignore[no-untyped-def]
        ids = ids_of(request)
        content = json.dumps({"entries": [{"id": name, "word": "w"} for name in ids]})
        message = completion(None, refusal="no") if "D2" in ids else completion(content)
        writer.write(http(200, json.dumps(message).encode()))

    server.default = behave
    done, failed = await batch(connect(), 4)
    assert sorted(done) == ["D1", "D3", "D4"]
    assert isinstance(failed["D2"], errors.Refusal)


async def test_a_dead_server_is_not_asked_for_every_item(server: MisbehavingServer, connect: Connect) -> None:
    server.default = fails(401)
    done, failed = await batch(connect(), 8)
    assert (done, len(failed), len(server.requests)) == ({}, 8, 1)
