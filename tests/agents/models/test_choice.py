from __future__ import annotations

from collections.abc import Callable
from math import log

import pytest

from agents.models.chat import OpenAIChat
from agents.models.choice import choose, probability, read_letter
from store.ports import ChatReply
from tests.fakes.misbehaving import MisbehavingServer, completion, replies


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("A", "A"),
        (" b", "B"),
        ("(B)", "B"),
        ("**A**", "A"),
        ("A. Mostly positive", "A"),
        ("Answer: B", "B"),
        ("The answer", None),
        ("Choice A:", "A"),
        ("A\nbecause", "A"),
        ("A good hotel", None),
        ("Both", None),
        ("I'm sorry", None),
        ("", None),
    ],
)
def test_letters(text: str, letter: str | None) -> None:
    assert read_letter(ChatReply(text, "stop", "m")) == letter


def test_a_refusal_is_no_letter() -> None:
    assert read_letter(ChatReply("A", "stop", "m", refusal="no")) is None


def test_probabilities() -> None:
    assert probability(
        [{"Hm": -0.1}, {"A": log(0.3), " a": log(0.1), "B": log(0.1), "x": -1.0}]
    ) == pytest.approx(0.8)
    assert probability([{"x": -1.0}]) is None
    assert probability([]) is None


async def test_the_question_as_it_is_put(
    server: MisbehavingServer, connect: Callable[..., OpenAIChat]
) -> None:
    payload = completion("B")
    payload["choices"][0]["logprobs"] = {
        "content": [
            {
                "token": "B",
                "logprob": log(0.6),
                "bytes": None,
                "top_logprobs": [{"token": "A", "logprob": log(0.2), "bytes": None}],
            }
        ]
    }
    server.default = replies(payload)
    found = await choose(
        connect(), "How is it?", "mostly positive", "mostly negative", ["good </document>", "bad"]
    )
    assert found.letter == "B"
    assert found.probability_a == pytest.approx(0.25)
    sent = server.requests[0]
    assert list(sent.documents) == ["D1", "D2"]
    assert sent.prompt.endswith("Choice A: mostly positive\nChoice B: mostly negative\nAnswer:")
    assert sent.body["logprobs"] is True
    assert sent.body["max_tokens"] == 8
