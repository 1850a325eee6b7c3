"""The trade-off of one answer: its frontier as a plot, one point in words, and what that point would change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from app.views.formats import number, percent, plural, rounded_points, signed
from app.views.layout import pad, wrap
from app.views.rows import score_text
from app.views.tables import table
from app.views.words import position_words
from store.receipt import FrontierPoint, PositionAudit, RankedDocument

if TYPE_CHECKING:
    from app.frontiers import Changes

#: Marks of a point: any, the choice made, the one pointed at, both at once.
_MARKS: Final = ("●", "◆", "○", "◈")
_ASCII_MARKS: Final = ("o", "*", "@", "&")


def tradeoff_plot(
    points: Sequence[FrontierPoint], cursor: int, width: int = 80, height: int = 9, *, ascii: bool = False
) -> list[str]:
    """Return relevance kept over W1 as a text plot of ``height`` lines, with a legend below.

    Parameters
    ----------
    points
        By rising W1.
    cursor
        Index of the point that is looked at.
    """
    if not points:
        return []
    room = max(16, min(width, 100) - 8)
    rows = max(3, height - 3)
    low_x, high_x = _range([each.w1 for each in points])
    low_y, high_y = _range([each.relevance_kept for each in points])
    cells = [[" "] * room for _ in range(rows)]
    places = [
        (
            round((each.w1 - low_x) / (high_x - low_x) * (room - 1)),
            rows - 1 - round((each.relevance_kept - low_y) / (high_y - low_y) * (rows - 1)),
        )
        for each in points
    ]
    marks = _ASCII_MARKS if ascii else _MARKS
    _connect(cells, [place for place, each in zip(places, points, strict=True) if not each.chosen], ascii)
    order = sorted(range(len(points)), key=lambda i: (i == cursor, points[i].chosen))
    for index in order:
        column, row = places[index]
        cells[row][column] = marks[(1 if points[index].chosen else 0) + (2 if index == cursor else 0)]
    bar, corner, rule = ("|", "+", "-") if ascii else ("│", "└", "─")
    out = [f"relevance kept{'':>2}{_legend(marks, width)}"[:width]]
    for index, drawn in enumerate(cells):
        label = percent(high_y) if index == 0 else percent(low_y) if index == rows - 1 else ""
        out.append(f"{label:>5} {bar}{''.join(drawn)}".rstrip())
    out.append(f"{'':>5} {corner}{rule * room}"[:width])
    left, right = number(low_x), number(high_x)
    name = "W1 to the goal: nearer to the left"
    middle = name.center(max(0, room - len(left) - len(right)))
    out.append(f"{'':>7}{left}{middle}{right}"[:width])
    return out


def _legend(marks: Sequence[str], width: int) -> str:
    if width < 66:
        return f"{marks[1]} made  {marks[2]} looked at  {marks[0]} others"
    return f"{marks[1]} the choice made  {marks[2]} looked at  {marks[0]} other choices"


def _connect(cells: list[list[str]], places: Sequence[tuple[int, int]], ascii: bool) -> None:
    """Dot the way between neighbours, so that the curve is seen."""
    for (left, top), (right, bottom) in pairwise(places):
        for column in range(left + 1, right):
            row = round(top + (bottom - top) * (column - left) / (right - left))
            if (column - left) % 2 == 0:
                cells[row][column] = "." if ascii else "·"


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high - low > 1e-12 else (low - 0.5, high + 0.5)


def point_words(point: FrontierPoint, index: int, total: int, attribute: str = "") -> str:
    """Return one point in a sentence: its place, lambda, relevance kept and its price, W1, author gap."""
    parts = [f"point {index + 1} of {total}"]
    if point.lam is not None:
        parts.append(f"lambda {number(point.lam, 3)}")
    parts.append(
        f"relevance kept {100 * point.relevance_kept:.1f}% (price {100 * max(0.0, 1 - point.relevance_kept):.1f}%)"
    )
    parts.append(f"W1 {number(point.w1, 2)}")
    if attribute and point.largest_gap is not None:
        parts.append(f"{attribute} gap {plural(abs(rounded_points(point.largest_gap)), 'point')}")
    return ("This is the choice made: " if point.chosen else "") + ", ".join(parts)


def bias_words(position: PositionAudit, polarity: float) -> str:
    """Return what the order predicts; without a calibration, the mean polarity shown, and why that is all."""
    if position.calibrated and position.predicted is not None:
        return position_words(position)
    return f"mean polarity shown {signed(polarity)}; Rb cannot be predicted: {position_words(position)}"


def change_words(changed: Changes, made: FrontierPoint, point: FrontierPoint) -> str:
    """Return in a sentence what another point would change of the choice made."""
    if not changed:
        return "Nothing would change."
    counts = [
        (len(some), verb)
        for some, verb in ((changed.entered, "enter"), (changed.left, "leave"), (changed.moved, "move"))
        if some
    ]
    first = f"{plural(counts[0][0], 'document')} would {counts[0][1]}"
    named = [first, *(f"{n} {verb}" for n, verb in counts[1:])]
    w1, kept = point.w1 - made.w1, 100 * (point.relevance_kept - made.relevance_kept)
    nearer = "as far" if abs(w1) < 0.005 else f"{number(abs(w1), 2)} {'further' if w1 > 0 else 'nearer'}"
    price = (
        "the same relevance"
        if abs(kept) < 0.05
        else f"{abs(kept):.1f}% {'more' if kept > 0 else 'less'} relevance"
    )
    return f"{', '.join(named)}: {nearer} (W1) and {price}."


def change_table(
    ranking: Sequence[RankedDocument], changed: Changes, width: int = 80, *, ascii: bool = False
) -> list[str]:
    """Return the ranking of a point with the rank that each document had, and the documents that leave below."""
    was = {each.document_id: str(rank) for rank, each in changed.moved}
    new = {each.document_id for each in changed.entered}
    weighted = any(each.position_weight is not None for each in ranking)

    def row(each: RankedDocument, rank: str, before: str) -> list[str]:
        cells = [rank, before, number(each.relevance, 3), score_text(each.score)]
        cells += [number(each.position_weight, 3)] if weighted else []
        return [*cells, _name(each)]

    rows = [
        row(each, str(each.rank), "NEW" if each.document_id in new else was.get(each.document_id, "="))
        for each in ranking
    ]
    rows += [row(each, "OUT", str(each.rank)) for each in changed.left]
    head = ("#", "was", "rel.", "score", *(("weight",) if weighted else ()), "document")
    align = "rrrr" + ("r" if weighted else "") + "L"
    return table(head, rows, width, align=align, ascii=ascii)


def _name(each: RankedDocument) -> str:
    return ", ".join(part for part in (each.title or each.external_id, each.subject) if part)


def group_bars(
    attribute: str, rows: Sequence[tuple[str, float, float]], width: int = 80, *, ascii: bool = False
) -> list[str]:
    """Return population and retrieved share of each author group as bars.

    Parameters
    ----------
    rows
        ``(group, population share, retrieved share)``.
    """
    from app.views.bars import STYLES, bar
    from app.views.formats import marked_points
    from app.views.safe import line

    names = [line(name, limit=60, ascii=ascii) or attribute for name, _, _ in rows]
    label = min(16, max((len(name) for name in names), default=0)) + 1
    room = max(1, width - label - 2 - 5 - 7)
    scale = max((share for _, *shares in rows for share in shares), default=0.0)
    out = []
    for name, (_, population, retrieved) in zip(names, rows, strict=True):
        for first, key, share in ((name, "population", population), ("", "retrieved", retrieved)):
            style = STYLES[key]
            drawn = bar(share, scale, room, style.ascii_glyph if ascii else style.glyph)
            state = ""
            if key == "retrieved":
                state = "MISSED" if population and not share else marked_points(share - population)
            lead = f"{pad(first, label, ascii=ascii)}{style.letter} "
            out.append(f"{lead}{pad(drawn, room)}{percent(share):>5} {state}".rstrip())
    return out


def sentence(text: str, width: int, *, ascii: bool = False) -> list[str]:
    """Wrap one sentence."""
    from app.views.safe import line

    return wrap(line(text, limit=2000, ascii=ascii), width, ascii=ascii)


__all__ = [
    "bias_words",
    "change_table",
    "change_words",
    "group_bars",
    "point_words",
    "sentence",
    "tradeoff_plot",
]
