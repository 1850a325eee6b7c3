"""Frontiers as table and plot: what fairness costs in relevance."""

from __future__ import annotations

from collections.abc import Sequence

from app.views.formats import number, percent, signed
from app.views.tables import table
from store.receipt import FrontierPoint


def opinion_frontier(
    points: Sequence[FrontierPoint], width: int = 80, *, ascii: bool = False, height: int = 10
) -> list[str]:
    """Return relevance kept against W1 for one question, as table and plot; ``*`` is the choice made."""
    rows = [
        (
            "chosen" if point.chosen else number(point.lam, 4),
            percent(point.relevance_kept),
            number(point.w1, 2),
            percent(point.largest_gap),
        )
        for point in points
    ]
    listed = table(
        ("lambda", "relevance kept", "W1", "largest group gap"), rows, width, align="rrrr", ascii=ascii
    )
    drawn = scatter(
        [(point.w1, point.relevance_kept, point.chosen) for point in points],
        ("W1 to the population", "relevance kept"),
        width,
        height,
        ascii=ascii,
    )
    return [*listed, "", *drawn]


def bias_frontier(
    points: Sequence[tuple[float, float, bool]], width: int = 80, *, ascii: bool = False, height: int = 12
) -> list[str]:
    """Return relevance kept against predicted Rb over a batch, as table and plot.

    Parameters
    ----------
    points
        ``(Rb, relevance kept, chosen)`` by rising Rb; a table of more than 15 shows every n-th and the chosen one.
    """
    step = -(-len(points) // 15)
    shown = [p for i, p in enumerate(points) if i % step == 0 or p[2] or i == len(points) - 1]
    rows = [(signed(bias, 3), f"{100 * kept:.2f}%", "chosen" if mark else "") for bias, kept, mark in shown]
    listed = table(("predicted Rb", "relevance kept", ""), rows, width, align="rrl", ascii=ascii)
    return [*listed, "", *scatter(points, ("predicted Rb", "relevance kept"), width, height, ascii=ascii)]


def scatter(
    points: Sequence[tuple[float, float, bool]],
    names: tuple[str, str],
    width: int = 80,
    height: int = 12,
    *,
    ascii: bool = False,
) -> list[str]:
    """Return points ``(x, y, marked)`` as a text plot with its axes named; a marked one is a star."""
    if not points:
        return []
    room = max(20, min(width, 100) - 9)
    low_x, high_x = _range([x for x, _, _ in points])
    low_y, high_y = _range([y for _, y, _ in points])
    cells = [[" "] * room for _ in range(height)]
    for x, y, marked in sorted(points, key=lambda point: point[2]):
        column = round((x - low_x) / (high_x - low_x) * (room - 1))
        row = height - 1 - round((y - low_y) / (high_y - low_y) * (height - 1))
        cells[row][column] = "*" if marked else ("o" if ascii else "●")
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


__all__ = ["bias_frontier", "opinion_frontier", "scatter"]
