from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.ingest.chunking import chunk, chunker
from tests.store.ingest.helpers import spans


def parts(text: str, max_tokens: int, overlap: float = 0.15) -> list[str]:
    return [text[start:end] for start, end in chunk(text, spans(text), max_tokens, overlap)]


def test_a_text_that_fits_is_one_chunk_whole() -> None:
    assert parts(" Good room. ", 10) == [" Good room. "]
    assert chunk("", [], 10) == [(0, 0)]


def test_chunks_end_with_sentences() -> None:
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    assert parts(text, 9, 0.0) == ["One two three. Four five six.", "Seven eight nine. Ten eleven twelve."]


def test_neighbours_share_a_sentence_where_one_fits() -> None:
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    assert parts(text, 9, 0.5) == [
        "One two three. Four five six.",
        "Four five six. Seven eight nine.",
        "Seven eight nine. Ten eleven twelve.",
    ]


def test_without_sentences_chunks_end_with_words() -> None:
    text = " ".join(f"w{n}" for n in range(10))
    assert parts(text, 4, 0.0) == ["w0 w1 w2 w3", "w4 w5 w6 w7", "w8 w9"]


def test_a_word_of_many_tokens_is_not_torn_when_that_can_be_helped() -> None:
    text = "ab cd ef gh"
    letters = [(i, i + 1) for i, char in enumerate(text) if char != " "]
    assert [text[a:b] for a, b in chunk(text, letters, 3, 0.0)] == ["ab", "cd", "ef", "gh"]
    giant = "x" * 10
    assert chunk(giant, [(i, i + 1) for i in range(10)], 4, 0.0) == [(0, 4), (4, 8), (8, 10)]


@pytest.mark.parametrize(("max_tokens", "overlap"), [(0, 0.1), (5, -0.1), (5, 0.95)])
def test_arguments_out_of_range(max_tokens: int, overlap: float) -> None:
    with pytest.raises(ValueError, match=r"max_tokens|overlap"):
        chunk("a b c", spans("a b c"), max_tokens, overlap)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["word", "end.", "Why?", "\n", "x" * 30, "é", "。", "😀"]), max_size=60),
    st.integers(1, 12),
    st.floats(0, 0.9),
)
def test_every_token_is_in_a_chunk_and_no_chunk_is_too_long(
    words: list[str], max_tokens: int, overlap: float
) -> None:
    text = " ".join(words)
    tokens = spans(text)
    found = chunk(text, tokens, max_tokens, overlap)
    for start, end in tokens:
        assert any(a <= start and end <= b for a, b in found)
    for a, b in found:
        assert sum(a <= start and end <= b for start, end in tokens) <= max_tokens
    assert [a for a, _ in found] == sorted({a for a, _ in found})


def test_short_ascii_is_not_tokenised() -> None:
    def never(text: str) -> list[tuple[int, int]]:
        raise AssertionError(text)

    cut = chunker(never, 20, 0.1)
    assert cut is not None
    assert cut("short text") == [(0, 10)]
    with pytest.raises(AssertionError):
        cut("é")
    assert chunker(None, 20, 0.1) is None
