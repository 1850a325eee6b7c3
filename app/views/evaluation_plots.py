"""Plots of an evaluation as SVG: lines with intervals, scattered points with names, bars. Text is escaped here.

Coordinates along x are percentages, so a plot fills its box and its letters keep their size. Series differ by shape and
by pattern of the line as well as by colour; the product's own is thicker.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from agents.evaluation.report import Plot, Point, Series
from app.views.formats import number
from app.views.safe import html_line

#: Room for the names of the y axis, and where the last point ends, in per cent of the width.
_LEFT, _RIGHT = 7.0, 96.0
_TOP, _BASE, _HEIGHT = 22.0, 262.0, 306.0
_BAR = 26.0
_SHAPES: Final = ("circle", "square", "diamond", "triangle", "ring", "cross")
#: A line through more points than this is drawn without marks.
_MARKED: Final = 15
#: Width of a letter in per cent of a plot's least width.
_LETTER: Final = 1.35
#: More series than this are hard to tell apart: the styles start over.
STYLES: Final = 6


def plot_svg(plot: Plot, name: str) -> str:
    """Return one plot as inline SVG; ``name`` makes its ids unique on the page."""
    if plot.kind == "bars":
        return _bars(plot, name)
    return _axes_plot(plot, name)


def plot_legend(plot: Plot) -> str:
    """Return the legend as an HTML list, empty for bars and for a single series."""
    shown = [series for series in plot.series if series.points]
    if plot.kind == "bars" or len(shown) < 2:
        return ""
    entries = "".join(
        f'<li><svg class="key" width="30" height="14" aria-hidden="true">'
        f"{_key_line(style, plot.kind)}{_mark(15, 7, style, unit='')}</svg>{html_line(series.name, limit=80)}</li>"
        for style, series in _styled(shown)
    )
    return f'<ul class="legend">{entries}</ul>'


def plot_file(plot: Plot) -> str:
    """Return one plot as an SVG file that stands on its own: title, legend and style sheet in it."""
    shown = [series for series in plot.series if series.points]
    legend = [] if plot.kind == "bars" or len(shown) < 2 else _styled(shown)
    room = 34 + 20 * len(legend)
    inner = plot_svg(plot, "plot")
    height = _height(plot)
    lines = []
    for row, (style, series) in enumerate(legend):
        y = 44 + 20 * row
        lines.append(
            f'<g transform="translate(16 {y - 7})">{_key_line(style, plot.kind)}{_mark(15, 7, style, unit="")}</g>'
            f'<text x="54" y="{y + 4}">{html_line(series.name, limit=80)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="860" height="{height + room + 16:.0f}" class="file">'
        f'<style>{_sheet()}</style><rect width="100%" height="100%" class="ground"/>'
        f'<text x="16" y="24" class="title">{html_line(plot.title, limit=120)}</text>{"".join(lines)}'
        f'<svg x="16" y="{room}" width="828" height="{height:.0f}">{inner}</svg></svg>\n'
    )


def plot_words(plot: Plot) -> str:
    """Return what a plot shows in words, for those who cannot see it."""
    told = []
    for series in plot.series:
        points = [
            f"{point.label or number(point.x, 2)}: {_value(plot, point)}" for point in series.points[:40]
        ]
        if points:
            told.append(f"{series.name}: {', '.join(points)}")
    return "; ".join(told)


def _value(plot: Plot, point: Point) -> str:
    return number(point.x if plot.kind == "bars" else point.y, 3)


@cache
def _sheet() -> str:
    text = files("app.views").joinpath("evaluation.css").read_text("utf-8")
    # Many programs that show SVG know no variables: a file is light, with the colours written out.
    rules = text[text.index("svg.file") :]
    light = text[: text.index("@media")]
    for name, value in re.findall(r"(--[\w-]+): (#\w+)", light):
        rules = rules.replace(f"var({name})", value)
    return rules


def _height(plot: Plot) -> float:
    if plot.kind == "bars":
        return _BAR * max(1, sum(len(series.points) for series in plot.series)) + 40
    return _HEIGHT


def _styled(shown: Sequence[Series]) -> list[tuple[int, Series]]:
    """Give every series its style; the product's own is always style 0."""
    found, free = [], itertools.count(1)
    for series in shown:
        found.append((0 if series.ours else 1 + (next(free) - 1) % (STYLES - 1), series))
    return found


def _axes_plot(plot: Plot, name: str) -> str:
    shown = [series for series in plot.series if series.points]
    points = [point for series in shown for point in series.points]
    ends = [v for p in points for v in (p.y, p.low, p.high) if v is not None and math.isfinite(v)]
    # Scattered points are told apart by their place, lines by their height above zero.
    near = 0.25 if plot.kind == "scatter" else 0.6
    low_y, high_y, step_y = _scale(ends, near=near)
    whole = all(p.x == round(p.x) for p in points)
    low_x, high_x, step_x = _scale([p.x for p in points], near=near, whole=whole)
    ordinal = plot.kind == "line" and all(point.label for point in points)
    if plot.kind == "line":
        low_x, high_x = min(p.x for p in points), max(p.x for p in points)
        spread = high_x - low_x
        low_x, high_x = (low_x - 0.06 * spread, high_x + 0.04 * spread) if spread else (low_x - 1, high_x + 1)

    def at_x(x: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (x - low_x) / (high_x - low_x)

    def at_y(y: float) -> float:
        return _BASE - (_BASE - _TOP) * (min(max(y, low_y), high_y) - low_y) / (high_y - low_y)

    body = []
    value = low_y
    while value <= high_y + 1e-9 * step_y:
        kind = "axis" if abs(value) < 1e-9 else "grid"
        body.append(_line(_LEFT - 1, at_y(value), 100, at_y(value), kind))
        body.append(_text(_LEFT - 1.6, at_y(value) + 4, _tick(value, step_y), "tick", "end"))
        value += step_y
    if low_y > 0 or high_y < 0:
        body.append(_line(_LEFT - 1, _BASE, 100, _BASE, "axis"))
    for x, text in _x_ticks(plot, points, ordinal, low_x, high_x, step_x):
        body.append(_text(at_x(x), _BASE + 18, text, "tick", "middle"))
    body.append(_text((_LEFT + _RIGHT) / 2, _BASE + 38, plot.x, "name", "middle"))
    body.append(_text(0, 11, plot.y, "name"))
    # Ours is drawn last: on top.
    drawn = sorted(_styled(shown), key=lambda pair: pair[1].ours)
    for place, (style, series) in enumerate(drawn):
        placed = (
            sorted(series.points, key=lambda point: point.x) if plot.kind == "line" else list(series.points)
        )
        shift = (
            (place - (len(drawn) - 1) / 2) * 0.7
            if plot.kind == "line" and any(p.low is not None for p in placed)
            else 0.0
        )
        where = [(at_x(p.x) + shift, at_y(p.y), p) for p in placed]
        if plot.kind == "line":
            body += [_line(a[0], a[1], b[0], b[1], f"s{style} run") for a, b in itertools.pairwise(where)]
        for x, _y, p in where:
            if p.low is not None and p.high is not None and math.isfinite(p.low + p.high):
                body.append(_line(x, at_y(p.low), x, at_y(p.high), f"s{style} whisker"))
        if plot.kind == "scatter" or len(where) <= _MARKED:
            body += [_mark(x, y, style) for x, y, _ in where]
    if plot.kind == "scatter":
        body += _labels([(at_x(p.x), at_y(p.y), p.label) for s in shown for p in s.points if p.label])
    return _wrap(plot, name, _HEIGHT, body)


def _x_ticks(
    plot: Plot, points: Sequence[Point], ordinal: bool, low: float, high: float, step: float
) -> list[tuple[float, str]]:
    if ordinal:
        return [(x, label) for x, label in dict.fromkeys((p.x, p.label) for p in points)]
    values = sorted({p.x for p in points})
    if plot.kind == "line" and len(values) <= 12:
        return [(x, f"{x:g}") for x in values]
    ticks, value = [], math.ceil(low / step) * step
    while value <= high + 1e-9:
        ticks.append((value, _tick(value, step)))
        value += step
    return ticks


def _labels(placed: Sequence[tuple[float, float, str]]) -> list[str]:
    """Place names beside their points where neither another name nor a mark is; one that finds no room is left out."""
    taken = [(x - 1.2, x + 1.2, y - 6, y + 6) for x, y, _ in placed]
    out = []
    for x, y, label in sorted(placed, key=lambda each: (each[1], each[0])):
        width = _LETTER * min(len(label), 60)
        for right, down in itertools.product((True, False), (0, -11, 11, -22, 22, -33, 33, 44, -44)):
            start = x + 1.3 if right else x - 1.3 - width
            box = (start, start + width, y + down - 6, y + down + 6)
            inside = box[0] >= 0 and box[1] <= 101 and box[2] > _TOP - 14 and box[3] < _BASE
            if inside and all(
                box[1] < left or box[0] > end or box[3] <= top or box[2] >= low
                for left, end, top, low in taken
            ):
                taken.append(box)
                anchor = "start" if right else "end"
                out.append(_text(x + 1.3 if right else x - 1.3, y + down + 4, label, "label", anchor))
                break
    return out


def _bars(plot: Plot, name: str) -> str:
    rows = [(series.ours, point) for series in plot.series for point in series.points]
    values = [point.x for _, point in rows]
    low, high, step = _scale([0.0, *values])
    # A letter takes about a hundredth and a half of a plot's least width.
    names = min(52.0, max(16.0, 1.5 * max((len(point.label) for _, point in rows), default=0) + 2))
    room = _RIGHT - 4 - names

    def at(x: float) -> float:
        return names + room * (x - low) / (high - low)

    body = []
    end = _BAR * len(rows) + 4
    value = low
    while value <= high + 1e-9:
        body.append(_line(at(value), 2, at(value), end, "axis" if abs(value) < 1e-9 else "grid"))
        body.append(_text(at(value), end + 15, _tick(value, step), "tick", "middle"))
        value += step
    for place, (ours, point) in enumerate(rows):
        y = _BAR * place + 4
        left, right = sorted((at(0.0), at(point.x)))
        kind = "bar s0" if ours else "bar s1"
        body.append(_text(names - 1, y + 14, point.label, "label strong" if ours else "label", "end"))
        body.append(
            f'<rect x="{left:.2f}%" y="{y:.1f}" width="{max(0.2, right - left):.2f}%" height="16" class="{kind}"/>'
        )
        body.append(_text(right + 0.8, y + 13, number(point.x, 3 if abs(point.x) < 10 else 1), "value"))
    body.append(_text((names + _RIGHT) / 2, end + 33, plot.x, "name", "middle"))
    return _wrap(plot, name, _height(plot), body)


def _scale(values: Sequence[float], *, near: float = 0.6, whole: bool = False) -> tuple[float, float, float]:
    """Return round ends and a step of four to eight lines.

    Zero is an end where the nearest value is less than ``near`` of the farthest away from it.
    """
    low, high = min(values), max(values)
    if low == high:
        # One value only: zero is the other end, or one where the value itself is zero.
        low, high = min(0.0, low), max(0.0, high) or float(not low)
    if low > 0 and low < near * high:
        low = 0.0
    if high < 0 and high > near * low:
        high = 0.0
    spread = high - low
    step = 10 ** math.floor(math.log10(spread / 4))
    step = next(step * m for m in (1, 2, 2.5, 5, 10) if spread / (step * m) <= 6)
    step = max(1.0, round(step)) if whole else step
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step


def _tick(value: float, step: float) -> str:
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    # A step of 2.5 needs one digit more than its size tells.
    digits += round(step / 10 ** math.floor(math.log10(step) + 1e-9), 6) % 1 > 0
    return number(value, digits)


def _wrap(plot: Plot, name: str, height: float, body: Sequence[str]) -> str:
    title, words = html_line(plot.title, limit=200), html_line(plot_words(plot), limit=2000)
    return (
        f'<svg class="plot chart" width="100%" height="{height:.0f}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{title}</title><desc id="{name}-d">{words}</desc>{"".join(body)}</svg>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.2f}%" y1="{y1:.1f}" x2="{x2:.2f}%" y2="{y2:.1f}" class="{kind}"/>'


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text x="{x:.2f}%" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{html_line(text, limit=60)}</text>'


def _key_line(style: int, kind: str) -> str:
    return "" if kind == "scatter" else f'<line x1="0" y1="7" x2="30" y2="7" class="s{style} run"/>'


def _mark(x: float, y: float, style: int, unit: str = "%") -> str:
    """Return the mark of a series: a nested SVG puts a shape in pixels at a place in per cent."""
    shape = _SHAPES[style]
    drawn = {
        "circle": '<circle r="5.5"/>',
        "square": '<rect x="-4.5" y="-4.5" width="9" height="9"/>',
        "diamond": '<path d="M0-6 6 0 0 6-6 0z"/>',
        "triangle": '<path d="M0-6 5.5 5-5.5 5z"/>',
        "ring": '<circle r="4.5" class="hollow"/>',
        "cross": '<path d="M-4.5-4.5 4.5 4.5M-4.5 4.5 4.5-4.5" class="hollow"/>',
    }[shape]
    return f'<svg x="{x:.2f}{unit}" y="{y:.1f}" overflow="visible" class="s{style} mark">{drawn}</svg>'


__all__ = ["STYLES", "plot_file", "plot_legend", "plot_svg", "plot_words"]
