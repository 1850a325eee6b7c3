from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from agents.models.bridge import extractor_of
from agents.models.certainty import HIGHEST, certainties, seconded
from agents.models.chat import OpenAIChat
from agents.models.extraction_records import ExtractorOptions
from agents.models.extractor import LLMExtractor
from store.records import OpinionUnit, RegistryEntity
from tests.fakes.misbehaving import MisbehavingServer, Request, completion, extraction, extracts, http

ROOM = [RegistryEntity("room", "room", None, ("room", "rooms"))]


def row(chosen: str, p: float, /, **others: float) -> dict[str, float]:
    return {chosen: math.log(p), **{token: math.log(q) for token, q in others.items()}}


def test_by_hand() -> None:
    """Of "positive" .6, "negative" .3 and a word that is no label .1: .6 / .9."""
    rows = [row('{"sentiment": "', 1.0), row("positive", 0.6, negative=0.3, banana=0.1), row('"}', 1.0)]
    (found,) = certainties('{"sentiment": "positive"}', rows, 1)
    assert found == pytest.approx(0.6 / 0.9)


def test_a_word_of_several_tokens() -> None:
    """ "n" .8 (of "p" .2), then "egative" .75 of "eutral" .25: .6; what follows is decided."""
    rows = [
        row('{"sentiment":"', 1.0),
        row("n", 0.8, p=0.2),
        row("eg", 0.75, eutral=0.25),
        row('ative"}', 0.5, x=0.5),
    ]
    (found,) = certainties('{"sentiment":"negative"}', rows, 1)
    assert found == pytest.approx(0.6)


def test_a_token_that_begins_before_the_word() -> None:
    rows = [row('{"sentiment":', 1.0), row(' "mixed', 0.5, **{' "neutral': 0.3, "\n": 0.2}), row('"}', 1.0)]
    assert certainties('{"sentiment": "mixed"}', rows, 1) == [pytest.approx(0.5 / 0.8)]


def test_no_model_is_surer_than_the_cap() -> None:
    rows = [row('{"sentiment":"', 1.0), row('positive"}', 1.0)]
    assert certainties('{"sentiment":"positive"}', rows, 1) == [HIGHEST]


@pytest.mark.parametrize(
    ("text", "rows", "count"),
    [
        ('{"sentiment":"positive"}', [], 1),
        ('{"sentiment":"positive"}', [row("other text", 1.0)], 1),
        ('{"sentiment":"positive"}', [row('{"sentiment":"positive"}', 1.0)], 2),
    ],
    ids=["no logprobs", "of another text", "of another number"],
)
def test_what_cannot_be_read_is_unknown(text: str, rows: list[dict[str, float]], count: int) -> None:
    assert certainties(text, rows, count) == [None] * count


def test_a_quote_that_looks_like_a_field_is_none() -> None:
    text = json.dumps({"quote": 'they wrote "sentiment": "negative"', "sentiment": "positive"})
    head, tail = text.split("positive")
    rows = [row(head, 1.0), row("positive", 0.7, negative=0.3), row(tail, 1.0)]
    assert certainties(text, rows, 1) == [pytest.approx(0.7)]


def unit(entity: str, score: int, start: int, end: int, confidence: float) -> OpinionUnit:
    return OpinionUnit(entity, "neutral", "none", score, 10, (), "unknown", "x", start, end, confidence)


def test_the_other_extractor_seconds_or_not() -> None:
    others = [unit("room", 20, 0, 10, 0.9), unit("room", -20, 30, 40, 0.8), unit("bed", 10, 0, 5, 0.7)]
    assert seconded("room", 0, 5, 30, others) == pytest.approx(0.9)
    assert seconded("room", 32, 50, 30, others) == pytest.approx(0.2)
    assert seconded("room", 60, 70, 30, others) == pytest.approx((0.9 + 0.2) / 2), "elsewhere in the text"
    assert seconded("pool", 0, 5, 30, others) is None


async def test_confidences_of_a_run(server: MisbehavingServer, connect: Callable[..., OpenAIChat]) -> None:
    async def with_logprobs(request: Request, writer: Any) -> None:
        assert request.body["logprobs"] is True
        text = json.dumps(extraction(request))
        head, _, tail = text.partition("positive")
        tokens = [
            (head, 0.0, []),
            ("positive", math.log(0.8), [("negative", math.log(0.2))]),
            (tail, 0.0, []),
        ]
        body = completion(text)
        body["choices"][0]["logprobs"] = {
            "content": [
                {"token": t, "logprob": p, "top_logprobs": [{"token": o, "logprob": q} for o, q in others]}
                for t, p, others in tokens
            ]
        }
        writer.write(http(200, json.dumps(body).encode()))

    server.default = with_logprobs
    extractor = LLMExtractor(connect(), options=ExtractorOptions(documents=1))
    (outcome,) = [o async for o in extractor.run([(1, "The room was fine.")], ROOM)]
    assert outcome.extraction is not None
    assert outcome.extraction.opinions[0].confidence == pytest.approx(0.8)


def test_without_logprobs_the_lexical_extractor_is_asked(server: MisbehavingServer) -> None:
    from agents.models.settings import EndpointSettings

    server.default = extracts()
    extractor = extractor_of(OpenAIChat(EndpointSettings(base_url=server.base_url, model="fake")))
    texts = [(1, "Wonderful room, we loved it."), (2, "Horrible dirty room, we hated it.")]
    agreed, differed = [found.opinions[0].confidence for found in extractor.extract(texts, ROOM)]
    assert differed < 0.5 < agreed, "the model calls both positive"
