"""The receipt's plots as inline SVG: fluid in width (percent coordinates), themed by the page's style sheet.

Every plot carries a title and a description; shapes, patterns and letters differ, so no plot needs colour. Text is
escaped here, whatever it holds.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from app.views.bars import BarSet
from app.views.formats import BIN_NAMES, marked_points, number, percent, points, rounded_points
from app.views.safe import html_line
from store.receipt import FrontierPoint, GroupAudit, RankedDocument

_GUTTER: Final = 7.0
_BAND: Final = (100 - _GUTTER) / 7
_LABEL: Final = 80


def svg(name: str, height: int, title: str, description: str, body: Sequence[str]) -> str:
    """Wrap shapes as an accessible inline SVG of the given height in pixels and the full width of its box."""
    return (
        f'<svg class="plot {name}" width="100%" height="{height}" role="img"'
        f' aria-labelledby="{name}-title {name}-desc"><title id="{name}-title">{html_line(title, limit=200)}</title>'
        f'<desc id="{name}-desc">{html_line(description, limit=2000)}</desc>{"".join(body)}</svg>'
    )


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    shown = html_line(text, limit=_LABEL)
    return f'<text x="{x:.2f}%" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{shown}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.2f}%" y1="{y1:.1f}" x2="{x2:.2f}%" y2="{y2:.1f}" class="{kind}"/>'


def _rect(x: float, y: float, width: float, height: float, kind: str, fill: str = "") -> str:
    paint = f' fill="url(#{fill})"' if fill else ""
    size = f'width="{width:.2f}%" height="{max(0.0, height):.1f}"'
    return f'<rect x="{x:.2f}%" y="{y:.1f}" {size} class="{kind}"{paint}/>'


def _unit(gap: float) -> str:
    return "point" if abs(rounded_points(gap)) == 1 else "points"


def _step(top: float) -> float:
    """Return a round grid step that gives two to five lines below ``top``."""
    for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20):
        if top / step <= 5:
            return step
    return top or 1.0


def opinion_plot(sets: Sequence[BarSet], reference: Sequence[float], description: str) -> str:
    """Return grouped bars over the seven bins: the population as a wide backdrop, the other sets before it."""
    height, base, top = 318, 262.0, 26.0
    peak = max((share for each in sets for share in each.shares), default=0.0) or 1.0
    scale = (base - top) / peak
    body = [
        '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="6" height="6" class="hatch-ground"/><rect width="2.4" height="6" class="hatch-line"/>'
        "</pattern></defs>"
    ]
    step, value = _step(peak), 0.0
    while value <= peak + 1e-9:
        y = base - value * scale
        body.append(_line(0, y, 100, y, "axis" if value == 0 else "grid"))
        if value:
            body.append(_text(0, y - 4, percent(value), "tick"))
        value += step
    front = [each for each in sets if each.key not in ("population", "target")]
    for index, name in enumerate(BIN_NAMES):
        left = _GUTTER + index * _BAND
        for each in sets:
            tall = each.shares[index] * scale
            if each.key == "population":
                body.append(_rect(left + 0.07 * _BAND, base - tall, 0.86 * _BAND, tall, "population"))
        room = 0.72 * _BAND / max(1, len(front))
        for place, each in enumerate(front):
            share = each.shares[index]
            x, tall = left + 0.14 * _BAND + place * room, share * scale
            body.append(
                _rect(
                    x + 0.06 * room,
                    base - tall,
                    0.88 * room,
                    tall,
                    each.key,
                    "hatch" if each.key == "plain" else "",
                )
            )
            middle = x + room / 2
            body.append(_text(middle, base + 13, each.style.letter, "letter", "middle"))
            if abs(rounded_points(share - reference[index])) >= 5:
                body.append(
                    _text(middle, base - tall - 5, marked_points(share - reference[index]), "gap", "middle")
                )
        for each in sets:
            if each.key == "target":
                y = base - each.shares[index] * scale
                body.append(_line(left + 0.04 * _BAND, y, left + 0.96 * _BAND, y, "goal"))
        words = name.split()
        for row, word in enumerate(words):
            body.append(_text(left + _BAND / 2, base + 31 + 15 * row, word, "bin", "middle"))
    return svg("opinions", height, "Opinion distribution by set of documents", description, body)


def group_plot(group: GroupAudit, index: int, description: str) -> str:
    """Return one row a group: a bar for the population's share, a dot for the retrieved share, the gap in points."""
    row, body = 46, []
    peak = (
        max((max(each.population_share, each.retrieved_share) for each in group.categories), default=0.0)
        or 1.0
    )
    for place, each in enumerate(group.categories):
        y = place * row
        here, there = 97.0 * each.population_share / peak + 1, 97.0 * each.retrieved_share / peak + 1
        missed = bool(each.population) and not each.retrieved
        told = (
            "MISSED"
            if missed
            else f"{points(each.gap)} {_unit(each.gap)}" + ("!" if "!" in marked_points(each.gap) else "")
        )
        body += [
            _text(0, y + 16, each.value, "name"),
            _text(100, y + 16, told, "missed" if missed else "value", "end"),
            _rect(0, y + 24, here, 10, "population"),
            _line(here, y + 29, there, y + 29, "link"),
            f'<circle cx="{there:.2f}%" cy="{y + 29}" r="6" class="{"absent" if missed else "retrieved"}"/>',
        ]
    title = f"Author groups by {group.attribute}: share of population and of retrieved"
    return svg(f"groups-{index}", row * max(1, len(group.categories)), title, description, body)


def rank_plot(ranking: Sequence[RankedDocument], description: str) -> str:
    """Return one column a rank: relevance as height, opinion as fill and number, position weight as a dotted line."""
    height, base, top = 226, 178.0, 22.0
    count = max(8, len(ranking))
    band = 100 / count
    peak = max((each.relevance for each in ranking), default=0.0)
    peak = peak if peak > 0 else 1.0
    heaviest = max((each.position_weight or 0.0 for each in ranking), default=0.0)
    body = [_line(0, base, 100, base, "axis")]
    dots: list[tuple[float, float]] = []
    every = max(1, -(-count // 25))
    for place, each in enumerate(ranking):
        x, middle = place * band, (place + 0.5) * band
        tall = (base - top) * max(0.0, each.relevance) / peak
        kind = "none" if each.score is None else f"bin{min(6, max(0, round(each.score / 10) + 3))}"
        body.append(_rect(x + 0.1 * band, base - tall, 0.8 * band, tall, f"column {kind}"))
        if each.score is not None and count <= 25:
            body.append(
                _text(middle, base - 7, f"{each.score:+d}" if each.score else "0", f"on {kind}", "middle")
            )
        if place % every == 0:
            body.append(_text(middle, base + 17, str(each.rank), "rank", "middle"))
        if each.cited:
            body.append(_text(middle, base + 33, "c", "cite", "middle"))
        if each.position_weight is not None and heaviest > 0:
            dots.append((middle, base - (base - top) * max(0.0, each.position_weight) / heaviest))
    body += [_line(*one, *two, "weight") for one, two in itertools.pairwise(dots)]
    body += [f'<circle cx="{x:.2f}%" cy="{y:.1f}" r="4" class="weight-dot"/>' for x, y in dots]
    return svg("ranks", height, "Rank by rank: relevance, opinion and position weight", description, body)


def frontier_plot(frontier: Sequence[FrontierPoint], description: str) -> str:
    """Return W1 against the relevance kept, the chosen point as a filled diamond."""
    height, base, top = 268, 212.0, 26.0
    low = min((point.relevance_kept for point in frontier), default=0.0)
    span = max(1e-9, max((point.relevance_kept for point in frontier), default=1.0) - low)
    peak = max((point.w1 for point in frontier), default=0.0) or 1.0
    body: list[str] = []
    step, value = _step(peak), 0.0
    while value <= peak + 1e-9:
        y = base - (base - top) * value / peak
        body.append(_line(0, y, 100, y, "axis" if value == 0 else "grid"))
        body.append(_text(0, y - 4, f"W1 {number(value, 0 if step >= 1 else 2)}", "tick"))
        value += step
    placed = sorted(
        (
            (12 + 82 * (point.relevance_kept - low) / span, base - (base - top) * point.w1 / peak, point)
            for point in frontier
        ),
        key=lambda item: item[0],
    )
    body += [_line(a[0], a[1], b[0], b[1], "curve") for a, b in itertools.pairwise(placed)]
    for x, y, point in placed:
        if not point.chosen:
            body.append(f'<circle cx="{x:.2f}%" cy="{y:.1f}" r="5" class="point"/>')
    for x, y, point in placed:
        if point.chosen:
            body.append(_text(x, y + 8, "◆", "diamond", "middle"))
            side = "end" if x > 45 else "start"
            body.append(
                _text(
                    x - 1 if side == "end" else x + 1,
                    y - 14,
                    f"chosen, W1 {number(point.w1)}",
                    "callout",
                    side,
                )
            )
    ends = {id(placed[0]): placed[0], id(placed[-1]): placed[-1]} if placed else {}
    for x, _y, point in ends.values():
        body.append(_text(x, base + 18, f"{100 * point.relevance_kept:.1f}%", "rank", "middle"))
    body.append(_text(53, base + 40, "relevance kept", "bin", "middle"))
    return svg("frontier", height, "Relevance-fairness frontier", description, body)


def share_bar(share: float, index: int, title: str) -> str:
    """Return one share as a filled bar."""
    fill = 100 * min(1.0, max(0.0, share))
    body = [_rect(0, 0, 100, 14, "population"), _rect(0, 0, fill, 14, "retrieved")]
    return svg(f"share-{index}", 14, title, percent(share), body)


__all__ = ["frontier_plot", "group_plot", "opinion_plot", "rank_plot", "share_bar", "svg"]
