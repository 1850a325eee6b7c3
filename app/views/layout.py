"""Text in terminal cells: width, cutting, padding, wrapping; CJK and emoji take two cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from app.views.safe import visible

Align = Literal["left", "right"]


def width_of(text: str) -> int:
    """Return the number of terminal cells that one line of ``text`` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _fits(text: str, width: int) -> bool:
    return len(text) <= 8 * width and width_of(text) <= width


def cut(text: str, width: int, *, ascii: bool = False) -> str:
    """Return ``text`` cut to at most ``width`` cells, the cut marked with an ellipsis."""
    if _fits(text, width):
        return text
    mark = "..." if ascii else "…"
    if width <= len(mark):
        return mark[:width]
    head = text[: _end_of_head(text[: 8 * width], width - len(mark))].rstrip()
    return (head if width_of(head) <= width - len(mark) else "") + mark


def _end_of_head(front: str, width: int) -> int:
    """Return how many characters of ``front`` fill at most ``width`` cells, at least one grapheme's."""
    if front.isascii():
        return min(len(front), width)
    from rich.cells import split_graphemes

    end, used = 0, 0
    for _start, stop, size in split_graphemes(front)[0]:
        if used + size > width and end:
            break
        end, used = stop, used + size
    return end


def _pieces(paragraph: str, room: int) -> Iterator[str]:
    """Yield the words of a paragraph, longer ones cut into pieces of at most ``room`` cells, in linear time."""
    for word in paragraph.split():
        if _fits(word, room):
            yield word
            continue
        start = 0
        while start < len(word):
            stop = start + _end_of_head(word[start : start + 8 * room], room)
            yield word[start:stop]
            start = stop


def pad(text: str, width: int, align: Align = "left", *, ascii: bool = False) -> str:
    """Return ``text`` cut or filled to exactly ``width`` cells."""
    text = cut(text, width, ascii=ascii)
    blanks = " " * (width - width_of(text))
    return blanks + text if align == "right" else text + blanks


def wrap(
    text: str, width: int, *, first: str = "", rest: str | None = None, ascii: bool = False, lines: int = 0
) -> list[str]:
    """Wrap visible ``text`` to ``width`` cells, line breaks kept; ``first`` and ``rest`` are the indents.

    Words longer than a line are split. ``lines`` > 0 stops there and marks the cut.
    """
    rest = " " * width_of(first) if rest is None else rest
    room = max(4, width - max(width_of(first), width_of(rest)))
    out: list[str] = []
    for paragraph in visible(text, ascii=ascii).split("\n"):
        current = ""
        for piece in _pieces(paragraph, room):
            joined = f"{current} {piece}" if current else piece
            if _fits(joined, room):
                current = joined
                continue
            out.append(current)
            current = piece
            if lines and len(out) > lines:
                break
        out.append(current)
        if lines and len(out) > lines:
            out = [*out[: lines - 1], cut(out[lines - 1] + " " * width, room, ascii=ascii)]
            break
    return [((rest if index else first) + text).rstrip() for index, text in enumerate(out)]


__all__ = ["Align", "cut", "pad", "width_of", "wrap"]
