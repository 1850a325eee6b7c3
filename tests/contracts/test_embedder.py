from __future__ import annotations

import numpy as np
import pytest

from store.embedders import BundledMiniLM
from store.ports import Embedder
from tests.fakes.embedder import HashingEmbedder

TEXTS = [
    "The lounge was quiet and the staff friendly.",
    "Coffee machine broken, again!",
    "Коротко и ясно — 快適でした 🙂",
    "",
    "food " * 400,
]


@pytest.fixture(scope="module", params=["hashing", "minilm"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return HashingEmbedder() if request.param == "hashing" else BundledMiniLM(threads=1)


def test_is_an_embedder(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.name
    assert embedder.max_tokens >= 16
    assert str(embedder.dimension) in embedder.fingerprint


def test_rows_are_unit_vectors_in_the_order_of_the_texts(embedder: Embedder) -> None:
    matrix = embedder.embed(TEXTS)
    assert matrix.shape == (len(TEXTS), embedder.dimension)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1.0, atol=1e-5)
    for text, row in zip(TEXTS[:3], matrix, strict=False):
        np.testing.assert_allclose(embedder.embed_query(text), row, atol=0.02)


def test_nothing_is_embedded_to_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_equal_texts_have_equal_vectors_and_others_do_not(embedder: Embedder) -> None:
    first, second, third = embedder.embed([TEXTS[0], TEXTS[0], TEXTS[1]])
    np.testing.assert_array_equal(first, second)
    assert float(first @ third) < 0.95


def test_text_behind_the_limit_does_not_count(embedder: Embedder) -> None:
    head = "food " * embedder.max_tokens
    a, b = embedder.embed([head + "terrible " * 50, head + "wonderful " * 50])
    np.testing.assert_allclose(a, b, atol=1e-5)


def test_token_spans_lie_in_the_text_in_order(embedder: Embedder) -> None:
    for text in TEXTS:
        spans = embedder.token_spans(text)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert len(embedder.token_spans(TEXTS[4])) == 400
    assert embedder.token_spans("") == []
