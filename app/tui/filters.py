"""Filters on every line that the app draws: the last word on what reaches the terminal."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

#: Control characters, bidi marks and overrides: none of them is ever part of a drawn line.
_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)

_BOXES: Final = {
    "─━═╌┄┈╴╶╸╺▔▁▂─": "-",
    "│┃║╎┆▏▕▎▍┊▌▐": "|",
    "┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬╭╮╰╯┡┩╇╈": "+",
    "█▉▊▋▓▀▄▅▆▇▃": "#",
    "▒": "%",
    "░": ".",
    "•●◆◉⬤·": "*",
    "○◦◇": "o",
    "▶▸►→⏵❯›": ">",
    "◀◂◄←❮‹": "<",
    "▲▴↑⭘△": "^",
    "▼▾↓▽": "v",
    "✓✔": "v",
    "✗✘×": "x",
    "…": ".",
    "–—−‐‑": "-",
    "‘’‚": "'",
    "“”„": '"',
    "⏎↵": "<",
}
_TABLE: Final = {ord(glyph): plain for glyphs, plain in _BOXES.items() for glyph in glyphs}


class SafeFilter(LineFilter):
    """Shows control and reordering characters as a symbol: nothing that is drawn can act on the terminal."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with what is unsafe replaced."""
        if all(_is_plain(segment.text) for segment in segments):
            return segments
        return [
            segment if segment.control else Segment(_UNSAFE.sub(_symbol, segment.text), segment.style)
            for segment in segments
        ]


def _is_plain(text: str) -> bool:
    return (text.isascii() and text.isprintable()) or not _UNSAFE.search(text)


def _symbol(match: re.Match[str]) -> str:
    # Never wider than what stood there, so that the line keeps its length.
    return "␛" if match.group() == "\x1b" and cell_len("\x1b") == 1 else " " * cell_len(match.group())


class AsciiFilter(LineFilter):
    """Draws with ASCII characters only, cell by cell, so that no layout changes."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        if all(segment.text.isascii() for segment in segments):
            return segments
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(to_cells(segment.text), segment.style)
            for segment in segments
        ]


@lru_cache(4096)
def to_cells(text: str) -> str:
    """Return ASCII text of the same width in cells."""
    return "".join(_cell(c) for c in text.translate(_TABLE))


def _cell(character: str) -> str:
    return character if character.isascii() else "?" * cell_len(character)


__all__ = ["AsciiFilter", "SafeFilter", "to_cells"]
