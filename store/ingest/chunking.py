"""Cuts long texts into chunks of whole sentences that fit the embedder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

#: What lies before a sentence's start: an end mark with its closing quotes, then space; or a line break.
_SENTENCE_GAP: Final = re.compile(r"[.!?…。！？][\"'”’)\]]*\s+|\n\s*")

#: How many tokens back a chunk's end looks for the start of a word.
_WORD_SEARCH: Final = 100

#: Text to the character offsets of its tokens (``Embedder.token_spans``).
Spans = Callable[[str], list[tuple[int, int]]]
#: Text to the character offsets of its chunks.
Chunker = Callable[[str], list[tuple[int, int]]]


def chunk(
    text: str, spans: Sequence[tuple[int, int]], max_tokens: int, overlap: float = 0.15
) -> list[tuple[int, int]]:
    """Return the chunks of a text as character offsets, in order.

    A text that fits is one chunk, whole. Otherwise each chunk holds at most ``max_tokens`` tokens and ends, where one
    lies in its second half, at the end of a sentence, else between words; the next starts ``overlap`` of ``max_tokens``
    earlier, moved on to the start of a sentence where there is one. Every token is in at least one chunk.

    Parameters
    ----------
    spans
        Character offsets of the text's tokens, ascending, without special tokens.
    max_tokens
        Most tokens of a chunk, at least 1.
    overlap
        Share of ``max_tokens`` that neighbours have in common, in [0, 0.9].

    Raises
    ------
    ValueError
        ``max_tokens`` or ``overlap`` out of range.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens must be at least 1, not {max_tokens}")
    if not 0 <= overlap <= 0.9:
        raise ValueError(f"overlap must lie in [0, 0.9], not {overlap}")
    count = len(spans)
    if count <= max_tokens:
        return [(0, len(text))]
    shared = int(overlap * max_tokens)
    sentences = {match.end() for match in _SENTENCE_GAP.finditer(text)}
    chunks: list[tuple[int, int]] = []
    start = 0
    while start + max_tokens < count:
        stop = _best_stop(spans, sentences, start, start + max_tokens)
        chunks.append((spans[start][0], spans[stop - 1][1]))
        start = _next_start(spans, sentences, max(start + 1, stop - shared), stop)
    chunks.append((spans[start][0], spans[count - 1][1]))
    return chunks


def _best_stop(spans: Sequence[tuple[int, int]], sentences: set[int], start: int, stop: int) -> int:
    """Return the token where a chunk ends (exclusive): before a sentence, else before a word, else ``stop``."""
    for index in range(stop, start + (stop - start) // 2, -1):
        if spans[index][0] in sentences:
            return index
    for index in range(stop, max(start, stop - _WORD_SEARCH), -1):
        if _starts_word(spans, index):
            return index
    return stop


def _next_start(spans: Sequence[tuple[int, int]], sentences: set[int], earliest: int, stop: int) -> int:
    """Return the token where the next chunk starts: a sentence's first, else a word's, else ``stop``."""
    for index in range(earliest, stop):
        if spans[index][0] in sentences:
            return index
    return next((index for index in range(earliest, stop) if _starts_word(spans, index)), stop)


def _starts_word(spans: Sequence[tuple[int, int]], index: int) -> bool:
    return spans[index][0] > spans[index - 1][1]


def chunker(
    spans: Spans | None, max_tokens: int, overlap: float
) -> Callable[[str], list[tuple[int, int]]] | None:
    """Return the function that cuts a text into chunks; None without an embedder's tokens.

    A plain ASCII text with at most ``max_tokens`` characters fits whatever the tokens, so it is not tokenised.
    """
    if spans is None:
        return None

    def cut(text: str) -> list[tuple[int, int]]:
        if len(text) <= max_tokens and text.isascii():
            return [(0, len(text))]
        return chunk(text, spans(text), max_tokens, overlap)

    return cut


__all__ = ["Chunker", "Spans", "chunk", "chunker"]
