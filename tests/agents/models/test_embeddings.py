from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from agents.models import errors
from agents.models.embeddings import OpenAIEmbedder
from agents.models.settings import EmbeddingSettings, Retries, Timeouts
from store.errors import EmbedderMismatch
from store.ports import Embedder
from tests.agents.models.conftest import KEY
from tests.fakes.misbehaving import MisbehavingServer, Request, fails, http, replies, resets, silent


def vectors(dimension: int = 4, *, shuffled: bool = False, short: int = 0, value: float | None = None) -> Any:
    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        rows = []
        for index, text in enumerate(request.body["input"]):
            row = [
                float(value if value is not None else len(text) + position) for position in range(dimension)
            ]
            rows.append({"object": "embedding", "index": index, "embedding": row})
        if shuffled:
            rows.reverse()
        payload = {
            "object": "list",
            "data": rows[: len(rows) - short],
            "model": "e",
            "usage": {"prompt_tokens": 9},
        }
        writer.write(http(200, json.dumps(payload).encode()))

    return behave


@pytest.fixture
def embedder(server: MisbehavingServer) -> Iterator[Callable[..., OpenAIEmbedder]]:
    made: list[OpenAIEmbedder] = []

    def make(**options: Any) -> OpenAIEmbedder:
        settings = EmbeddingSettings(
            base_url=server.base_url,
            model="e",
            api_key=KEY,  # type: ignore[arg-type]
            timeouts=Timeouts(connect=1, total=0.3),
            retries=options.pop("retries", Retries(attempts=3, backoff=0.01)),
            **options,
        )
        made.append(OpenAIEmbedder(settings))
        return made[-1]

    yield make
    for entry in made:
        entry.close()


def test_unit_vectors_in_order(server: MisbehavingServer, embedder: Callable[..., OpenAIEmbedder]) -> None:
    server.default = vectors(shuffled=True)
    model = embedder(batch=2, document_prefix="d: ", query_prefix="q: ")
    matrix = model.embed(["a", "bbb", "cc"])
    assert (matrix.shape, matrix.dtype) == ((3, 4), np.float32)
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-6)
    raw = np.array([[4, 5, 6, 7], [6, 7, 8, 9], [5, 6, 7, 8]], dtype=float)
    np.testing.assert_allclose(matrix, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6)
    assert [request.body["input"] for request in server.requests] == [["d: a", "d: bbb"], ["d: cc"]]
    assert model.embed_query("a").shape == (4,)
    assert server.requests[-1].body["input"] == ["q: a"]
    assert model.usage.calls == 3
    assert model.usage.prompt_tokens == 27


def test_nothing_to_embed(server: MisbehavingServer, embedder: Callable[..., OpenAIEmbedder]) -> None:
    model = embedder(dimension=4)
    assert isinstance(model, Embedder)
    assert model.embed([]).shape == (0, 4)
    assert server.requests == []


def test_the_dimension_and_the_fingerprint(
    server: MisbehavingServer, embedder: Callable[..., OpenAIEmbedder]
) -> None:
    server.default = vectors()
    assert embedder().dimension == 4
    fingerprints = {
        embedder(dimension=4).fingerprint,
        embedder(dimension=4, batch=7).fingerprint,
        embedder(dimension=4, query_prefix="q: ").fingerprint,
    }
    assert len(fingerprints) == 2
    with pytest.raises(EmbedderMismatch, match="4 numbers, expected 8"):
        embedder(dimension=8).embed(["a"])


def test_long_and_empty_texts(server: MisbehavingServer, embedder: Callable[..., OpenAIEmbedder]) -> None:
    server.default = vectors()
    model = embedder(max_tokens=16)
    model.embed(["word " * 100, ""])
    long, empty = server.requests[0].body["input"]
    assert len(model.token_spans(long)) == 16
    assert empty == " "
    assert [("Hello, world"[a:b]) for a, b in model.token_spans("Hello, world")] == [
        "Hell",
        "o",
        ",",
        "worl",
        "d",
    ]


@pytest.mark.parametrize(
    ("behaviour", "error", "asked"),
    [
        (fails(401), errors.AuthenticationFailed, 1),
        (fails(404), errors.ModelNotFound, 1),
        (fails(429), errors.RateLimited, 3),
        (fails(500), errors.ServerFault, 3),
        (resets(), errors.ModelUnreachable, 3),
        (silent(), errors.ModelTimeout, 2),
        (vectors(short=1), errors.BrokenReply, 2),
        (vectors(value=float("nan")), errors.ModelCallError, None),
        (vectors(value=0.0), errors.MalformedOutput, 1),
        (replies({"data": []}), errors.BrokenReply, 2),
        (replies({"data": [{"embedding": "x"}, {"embedding": [1.0]}]}), errors.MalformedOutput, 1),
        (replies(b"<html></html>", kind="text/html"), errors.NotAnApi, 1),
        (replies(b'{"data": ['), errors.BrokenReply, 2),
    ],
)
def test_failures(
    server: MisbehavingServer,
    embedder: Callable[..., OpenAIEmbedder],
    behaviour: Any,
    error: type[Exception],
    asked: int | None,
) -> None:
    server.default = behaviour
    with pytest.raises(error) as caught:
        embedder().embed(["a", "b"])
    assert asked is None or len(server.requests) == asked
    assert KEY not in repr(caught.value)
    assert caught.value.__context__ is None or KEY not in repr(vars(caught.value.__context__))


def test_a_request_lost_on_a_connection_of_before_is_no_try(
    server: MisbehavingServer, embedder: Callable[..., OpenAIEmbedder]
) -> None:
    server.default = vectors()
    model = embedder(retries=Retries(attempts=1))
    model.embed(["a"])
    server.then(resets())
    assert model.embed(["a"]).shape == (1, 4)
    assert len(server.requests) == 3


def test_a_passing_fault(server: MisbehavingServer, embedder: Callable[..., OpenAIEmbedder]) -> None:
    server.default = vectors()
    server.then(fails(503), fails(429, headers={"Retry-After": "0.01"}))
    assert embedder().embed(["a"]).shape == (1, 4)
