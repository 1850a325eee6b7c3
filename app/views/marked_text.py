"""A long text laid out in lines with marked stretches: visible, wrapped to a width, in time linear in its length.

Offsets that mark stretches are those of the stored text; control characters that become several visible ones, and
line ends that become one, are allowed for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.views.layout import width_of
from app.views.safe import visible

#: Characters of a text that are made visible at a time.
_PIECE = 65_536


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """One line, and the stretches of it that are marked, as ``(start, end, index of the mark)``."""

    text: str
    marks: tuple[tuple[int, int, int], ...] = ()


def marked_lines(
    text: str, spans: Sequence[tuple[int, int]], width: int, *, ascii: bool = False
) -> Iterator[MarkedLine]:
    """Yield the lines of ``text`` at most ``width`` cells wide, with the spans marked.

    Parameters
    ----------
    spans
        ``(start, end)`` offsets into ``text``; those outside it are cut to it.
    """
    width = max(4, width)
    shown, marks = _visible_spans(text, spans, ascii)
    marks.sort()
    at, first = 0, 0
    for paragraph in shown.split("\n"):
        for start, end in _breaks(paragraph, width):
            low, high = at + start, at + end
            while first < len(marks) and marks[first][1] <= low:
                first += 1
            found = tuple(
                (max(begin, low) - low, min(stop, high) - low, index)
                for begin, stop, index in _until(marks, first, high)
                if stop > low
            )
            yield MarkedLine(paragraph[start:end], found)
        at += len(paragraph) + 1


def _until(marks: Sequence[tuple[int, int, int]], first: int, high: int) -> Iterator[tuple[int, int, int]]:
    for mark in marks[first:]:
        if mark[0] >= high:
            return
        yield mark


def _visible_spans(
    text: str, spans: Sequence[tuple[int, int]], ascii: bool
) -> tuple[str, list[tuple[int, int, int]]]:
    """Return the visible text, and the spans as ``(start, end, index)`` in it."""
    clipped = [(max(0, start), min(len(text), end), index) for index, (start, end) in enumerate(spans)]
    clipped = [each for each in clipped if each[0] < each[1]]
    cuts = sorted({0, len(text), *(place for start, end, _ in clipped for place in (start, end))})
    places: dict[int, int] = {0: 0}
    parts: list[str] = []
    size = 0
    for start, end in pairwise(cuts):
        low = start
        while low < end:
            high = min(low + _PIECE, end)
            if high < end and text[high - 1 : high + 1] == "\r\n":
                high += 1  # a line end of two characters is not cut in two
            parts.append(visible(text[low:high], ascii=ascii))
            size += len(parts[-1])
            low = high
        places[end] = size
    return "".join(parts), [(places[start], places[end], index) for start, end, index in clipped]


def _breaks(paragraph: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each line of a paragraph: broken at blanks, inside words that are too long."""
    start, size = 0, len(paragraph)
    narrow = paragraph.isascii()
    while True:
        end = min(start + width, size)
        if not narrow and size - start > width // 2:
            end = _fitting(paragraph, start, width)
        if end >= size:
            yield start, size
            return
        blank = paragraph.rfind(" ", start, end + 1)
        if blank > start:
            yield start, blank
            start = blank + 1
        else:
            yield start, end
            start = end


def _fitting(paragraph: str, start: int, width: int) -> int:
    """Return the end of what fits ``width`` cells from ``start``, at least one grapheme."""
    from rich.cells import split_graphemes

    for stretch in (width + 2, 8 * width):
        window = paragraph[start : start + stretch]
        whole = start + len(window) >= len(paragraph)
        if whole and width_of(window) <= width:
            return len(paragraph)
        used = 0
        for begin, end, cells in split_graphemes(window)[0]:
            # The last grapheme of a window may go on beyond it.
            if used + cells > width and begin:
                return start + begin
            if end == len(window) and not whole:
                break
            used += cells
    return start + len(window)


__all__ = ["MarkedLine", "marked_lines"]
