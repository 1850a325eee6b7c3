"""Cuts long texts into chunks of whole sentences that fit the embedder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

#: The gap before a token that starts a sentence: an end mark with its closing quotes, then space; or a line break.
_SENTENCE_GAP: Final = re.compile(r"(?:[.!?…。！？][\"'”’)\]]*\s+|\n)\s*\Z")
_LOOK_BACK: Final = 12

#: Text to the character offsets of its tokens (``Embedder.token_spans``).
Spans = Callable[[str], list[tuple[int, int]]]


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
    chunks: list[tuple[int, int]] = []
    start = 0
    while True:
        stop = start + max_tokens
        if stop >= count:
            chunks.append((spans[start][0], spans[count - 1][1]))
            return chunks
        stop = _best_stop(text, spans, start, stop)
        chunks.append((spans[start][0], spans[stop - 1][1]))
        start = _next_start(text, spans, start, stop, shared)


def _best_stop(text: str, spans: Sequence[tuple[int, int]], start: int, stop: int) -> int:
    """Return the token index where a chunk ends (exclusive): a sentence's end, else a word's, else ``stop``."""
    for index in range(stop, start + (stop - start) // 2, -1):
        if starts_sentence(text, spans, index):
            return index
    for index in range(stop, max(start, stop - 100), -1):
        if _starts_word(spans, index):
            return index
    return stop


def _next_start(text: str, spans: Sequence[tuple[int, int]], start: int, stop: int, shared: int) -> int:
    earliest = max(start + 1, stop - shared)
    for index in range(earliest, stop):
        if starts_sentence(text, spans, index):
            return index
    for index in range(earliest, stop):
        if _starts_word(spans, index):
            return index
    return stop


def starts_sentence(text: str, spans: Sequence[tuple[int, int]], index: int) -> bool:
    """Tell whether token ``index`` is the first of a sentence."""
    if index == 0:
        return True
    begin = spans[index][0]
    return _SENTENCE_GAP.search(text[max(0, begin - _LOOK_BACK) : begin]) is not None


def _starts_word(spans: Sequence[tuple[int, int]], index: int) -> bool:
    return index == 0 or spans[index][0] > spans[index - 1][1]


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


__all__ = ["Spans", "chunk", "chunker", "starts_sentence"]
