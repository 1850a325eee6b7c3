"""Opinion distributions as text bars that need no colour.

Each set has a letter and a glyph of its own; ``!`` marks a share that is off by five points or more; words say what
the picture shows. ``ascii=True`` draws with ASCII only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.views.formats import (
    BIN_NAMES,
    BIN_SHORT,
    MARK_POINTS,
    count,
    marked_points,
    percent,
    plural,
    points,
    rounded_points,
)
from app.views.layout import pad

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_SPARKS: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class SetStyle:
    """How one set of documents is named and drawn."""

    key: str
    letter: str
    name: str
    glyph: str
    ascii_glyph: str


#: Every set that a receipt compares, in reading order.
STYLES: Final[dict[str, SetStyle]] = {
    style.key: style
    for style in (
        SetStyle("population", "P", "population", "░", "="),
        SetStyle("target", "G", "goal", "·", "."),
        SetStyle("candidates", "N", "candidates", "╌", ":"),
        SetStyle("retrieved", "R", "retrieved", "█", "#"),
        SetStyle("cited", "C", "cited", "▓", "+"),
        SetStyle("plain", "T", "plain top-k", "▒", "-"),
        SetStyle("first", "1", "first", "▄", "o"),
        SetStyle("second", "2", "second", "▀", "*"),
    )
}


@dataclass(frozen=True, slots=True)
class BarSet:
    """One distribution to draw: shares over the seven bins and the number of documents behind them."""

    key: str
    shares: Sequence[float]
    n: int

    @property
    def style(self) -> SetStyle:
        """Name, letter and glyph."""
        return STYLES[self.key]


def bar(share: float, scale: float, width: int, glyph: str) -> str:
    """Return a bar of ``share / scale`` of ``width`` cells; what is above zero never vanishes.

    The full block is drawn in eighths of a cell.
    """
    if not share > 0 or not scale > 0 or width < 1:
        return ""
    exact = min(1.0, share / scale) * width
    if glyph != "█":
        return glyph * max(1, round(exact))
    whole, eighth = divmod(max(1, round(exact * 8)), 8)
    return "█" * whole + (_EIGHTHS[eighth] if eighth else "")


def opinion_bars(
    sets: Sequence[BarSet], reference: Sequence[float] | None = None, width: int = 80, *, ascii: bool = False
) -> list[str]:
    """Return the seven bins of each set as bars, from ``width`` 40 up.

    Parameters
    ----------
    sets
        Sets to draw, in order; each set but the reference carries its gap in points.
    reference
        Seven target shares that gaps are measured from; the first set's without it.
    """
    if not sets:
        return []
    reference = sets[0].shares if reference is None else reference
    names = BIN_NAMES if width >= 72 else BIN_SHORT
    label = max(map(len, names)) + 1
    scale = max((share for each in sets for share in each.shares), default=0.0)
    room = max(1, width - label - 2 - 5 - 6)
    out: list[str] = []
    for index, name in enumerate(names):
        for row, each in enumerate(sets):
            style, share = each.style, each.shares[index]
            drawn = bar(share, scale, room, style.ascii_glyph if ascii else style.glyph)
            bare = each.key in ("population", "target") and abs(share - reference[index]) < 1e-9
            gap = "" if bare or not each.n else marked_points(share - reference[index])
            lead = f"{name if row == 0 else '':<{label}}{style.letter} "
            out.append(f"{lead}{pad(drawn, room)}{percent(share):>5} {gap}".rstrip())
    return out


def legend(sets: Sequence[BarSet], width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return what letters, glyphs and marks mean, with the number of documents of each set."""
    parts = [
        f"{each.style.letter} {each.style.ascii_glyph if ascii else each.style.glyph} {each.style.name}"
        + (f" {count(each.n)}" if each.n else "")
        for each in sets
    ]
    return [*_flow(parts, width), f"! = off by {MARK_POINTS} points or more"]


def _flow(parts: Sequence[str], width: int) -> list[str]:
    """Set parts side by side, never breaking inside one."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 3 + len(part) <= width:
            lines[-1] += "   " + part
        else:
            lines.append(part)
    return lines


def gap_words(each: BarSet, reference: Sequence[float]) -> str:
    """Return in words how a set differs from the reference, largest gap first.

    For example ``retrieved: 11 points too many very positive, 8 points too few negative``.
    """
    if not each.n:
        return f"{each.style.name}: no documents"
    gaps = [(share - reference[index], BIN_NAMES[index]) for index, share in enumerate(each.shares)]
    off = [(gap, name) for gap, name in gaps if abs(rounded_points(gap)) >= MARK_POINTS]
    if not off:
        return f"{each.style.name}: no opinion is off by {MARK_POINTS} points or more"
    off.sort(key=lambda item: -abs(item[0]))
    told = ", ".join(
        f"{plural(abs(rounded_points(gap)), 'point')} too {'many' if gap > 0 else 'few'} {name}"
        for gap, name in off
    )
    return f"{each.style.name}: {told}"


def document_words(n: int) -> str:
    """Return how coarse shares of ``n`` documents are: ``1 of 12 documents is 8 points``."""
    return f"1 of {plural(n, 'document')} is {points(1 / n).lstrip('+')} points" if n else ""


def mini(shares: Sequence[float], *, ascii: bool = False) -> str:
    """Return a distribution in seven cells: block heights, or tenths of the largest share (0-9) in ASCII."""
    top = max(shares, default=0.0)
    if not top > 0:
        return ("." if ascii else "·") * len(shares)
    if ascii:
        return "".join("." if share <= 0 else str(min(9, int(9 * share / top + 0.5))) for share in shares)
    return "".join("·" if s <= 0 else _SPARKS[min(7, max(0, round(7 * s / top)))] for s in shares)


__all__ = [
    "STYLES",
    "BarSet",
    "SetStyle",
    "bar",
    "document_words",
    "gap_words",
    "legend",
    "mini",
    "opinion_bars",
]
