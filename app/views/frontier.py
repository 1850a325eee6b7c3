"""Frontiers as table and plot: what fairness costs in relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.views.formats import number, percent, point_count, signed
from app.views.tables import table
from store.receipt import FrontierPoint

#: How marked points are drawn, and two of them in one place.
MARKS: Final = {"chosen": "*", "soft": "+"}
BOTH: Final = "#"


@dataclass(frozen=True, slots=True)
class BiasRow:
    """A point of relevance kept against predicted Rb, marked ``chosen`` or ``soft``; its soft objective, if any.

    ``verdict`` is whether what was chosen meets its target (``store.verdicts``).
    """

    bias: float
    kept: float
    mark: str = ""
    objective: float | None = None
    verdict: str = ""


def opinion_frontier(
    points: Sequence[FrontierPoint], width: int = 80, *, ascii: bool = False, height: int = 10
) -> list[str]:
    """Return relevance kept against W1 for one question, as table and plot; ``*`` is the choice made."""
    rows = [
        (
            "chosen" if point.chosen else number(point.lam, 4),
            percent(point.relevance_kept),
            number(point.w1, 2),
            "-" if point.largest_gap is None else point_count(point.largest_gap),
        )
        for point in points
    ]
    listed = table(
        ("lambda", "relevance kept", "W1", "largest author gap"), rows, width, align="rrrr", ascii=ascii
    )
    drawn = scatter(
        [(point.w1, point.relevance_kept, MARKS["chosen"] if point.chosen else "") for point in points],
        ("W1 to the population", "relevance kept"),
        width,
        height,
        ascii=ascii,
    )
    return [*listed, "", *drawn]


def bias_frontier(
    points: Sequence[BiasRow], width: int = 80, *, ascii: bool = False, height: int = 12
) -> list[str]:
    """Return relevance kept against predicted Rb over a batch, as table and plot.

    Parameters
    ----------
    points
        By rising Rb; a table of more than 15 shows every n-th and the marked ones.
    """
    step = -(-len(points) // 15)
    shown = [p for i, p in enumerate(points) if i % step == 0 or p.mark or i == len(points) - 1]
    soft = any(point.objective is not None for point in points)
    rows = [
        (
            signed(point.bias, 3),
            f"{100 * point.kept:.2f}%",
            *([number(point.objective, 4)] if soft else []),
            f"{point.mark}, {point.verdict}" if point.verdict else point.mark,
        )
        for point in shown
    ]
    head = ("predicted Rb", "relevance kept", *(["soft objective"] if soft else []), "")
    listed = table(head, rows, width, align="rrrl" if soft else "rrl", ascii=ascii)
    drawn = scatter(
        [(point.bias, point.kept, MARKS.get(point.mark, "")) for point in points],
        ("predicted Rb", "relevance kept"),
        width,
        height,
        ascii=ascii,
    )
    key = ["", f"{MARKS['chosen']} chosen, {MARKS['soft']} soft objective, {BOTH} both"] if soft else []
    return [*listed, "", *drawn, *key]


def component_table(
    components: Sequence[Mapping[str, Any]], width: int = 80, *, ascii: bool = False
) -> list[str]:
    """Return one row for each component that a batch is held to, as ``app.batches.component_documents`` has them."""
    columns = [
        _Column("component", "L", [each["name"] for each in components]),
        _Column("predicted", "r", [signed(each["predicted"], 3) for each in components]),
        _Column("± error", "r", [number(each["error"], 3) for each in components]),
        _Column("target", "r", [signed(each["target"], 3) for each in components]),
        _Column(
            "",
            "l",
            [
                (each["verdict"] or "") + (", nobody shown" if each["shown"] == 0 else "")
                for each in components
            ],
        ),
        _Column("by relevance", "r", [signed(each["natural"], 3) for each in components]),
        _Column(
            "reachable by itself",
            "r",
            [f"{signed(low, 3)} to {signed(high, 3)}" for low, high in (c["reachable"] for c in components)],
        ),
    ]
    if all(each["error"] is None for each in components):
        columns = [each for each in columns if each.head != "± error"]
    # The last ones are left out, not cut, where there is no room: JSON has them.
    while len(columns) > 4 and sum(each.least for each in columns) + 2 * (len(columns) - 1) > width:
        columns.pop()
    rows = list(zip(*(each.cells for each in columns), strict=True))
    heads, align = [each.head for each in columns], "".join(each.align for each in columns)
    return table(heads, rows, width, align=align, ascii=ascii)


@dataclass(frozen=True, slots=True)
class _Column:
    head: str
    align: str
    cells: list[str]

    @property
    def least(self) -> int:
        """Cells that it takes, of names that may be cut about half a usual one."""
        whole = max(len(text) for text in (self.head, *self.cells))
        return min(whole, 12) if self.align == "L" else whole


def scatter(
    points: Sequence[tuple[float, float, str]],
    names: tuple[str, str],
    width: int = 80,
    height: int = 12,
    *,
    ascii: bool = False,
) -> list[str]:
    """Return points ``(x, y, mark)`` as a text plot with its axes named.

    A point without a mark is a dot; two different marks in one cell are drawn as ``BOTH``.
    """
    if not points:
        return []
    room = max(20, min(width, 100) - 9)
    low_x, high_x = _range([x for x, _, _ in points])
    low_y, high_y = _range([y for _, y, _ in points])
    dot = "o" if ascii else "●"
    cells = [[" "] * room for _ in range(height)]
    for x, y, mark in sorted(points, key=lambda point: point[2]):
        column = round((x - low_x) / (high_x - low_x) * (room - 1))
        row = height - 1 - round((y - low_y) / (high_y - low_y) * (height - 1))
        under = cells[row][column]
        cells[row][column] = BOTH if mark and under not in (" ", dot, mark) else mark or dot
    bar, corner, rule = ("|", "+", "-") if ascii else ("│", "└", "─")
    out = [names[1]]
    for index, drawn in enumerate(cells):
        label = number(high_y, 3) if index == 0 else number(low_y, 3) if index == height - 1 else ""
        out.append(f"{label:>7} {bar}{''.join(drawn).rstrip()}")
    out.append(f"{'':>7} {corner}{rule * room}")
    left, right = number(low_x, 2), number(high_x, 2)
    middle = names[0].center(max(0, room - len(left) - len(right)))
    out.append(f"{'':>8} {left}{middle}{right}")
    return [text.rstrip()[:width] for text in out]


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high - low > 1e-12 else (low - 0.5, high + 0.5)


__all__ = ["BiasRow", "bias_frontier", "component_table", "opinion_frontier", "scatter"]
