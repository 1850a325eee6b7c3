"""Plots and the HTML page of evaluations: readable everywhere, harmless whatever the data says."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from agents.evaluation.report import EvaluationReport, Plot, Point, Series, Source, Table, bars
from app.views.evaluation import evaluation_markdown, evaluation_text, shown
from app.views.evaluation_html import evaluation_html
from app.views.evaluation_plots import _scale, plot_file, plot_legend, plot_svg, plot_words

HOSTILE = '<script>alert(1)</script>" & \x1b[31m'
LINE = Plot(
    "W1 over k",
    "line",
    "k",
    "W1",
    (
        Series("raw", (Point(10, 7.0, 6.0, 8.0), Point(60, 5.0, 4.0, 6.0))),
        Series("ours", (Point(10, 2.0, 1.5, 2.5), Point(60, 0.4, 0.3, 0.5)), ours=True),
    ),
    "lower is nearer",
)
SCATTER = Plot(
    "price",
    "scatter",
    "x",
    "y",
    (Series("a", (Point(0.1, 3.0, label="one"), Point(0.104, 3.0, label="two"), Point(0, 1), Point(0, 1))),),
)
BARS = bars("mean", "value", {"a": 1.0, "ours": -0.5}, ["ours"])


def test_plots_of_each_kind_are_well_formed_and_told_in_words() -> None:
    for number, plot in enumerate((LINE, SCATTER, BARS)):
        drawn = ElementTree.fromstring(plot_svg(plot, f"p{number}"))
        assert drawn.attrib["role"] == "img"
        assert drawn.find("title") is not None
    assert plot_words(LINE) == "raw: 10.00: 7.000, 60.00: 5.000; ours: 10.00: 2.000, 60.00: 0.400"
    assert "ours: -0.500" in plot_words(BARS)
    assert plot_legend(LINE).count("<li>") == 2
    assert plot_legend(SCATTER) == plot_legend(BARS) == ""
    assert plot_svg(LINE, "p").count("whisker") == 4
    assert 'class="s0 run"' in plot_svg(LINE, "p"), "ours has its own style"


def test_an_svg_file_stands_alone() -> None:
    text = plot_file(LINE)
    ElementTree.fromstring(text)
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert "var(--" not in text, "programs that know no variables show it too"
    assert ">raw</text>" in text
    assert ">W1 over k</text>" in text


def test_a_scatter_marks_every_point_however_many() -> None:
    many = Plot("price", "scatter", "x", "y", (Series("a", tuple(Point(i / 40, i % 7) for i in range(40))),))
    assert plot_svg(many, "p").count("mark") == 40


def test_names_do_not_overlap() -> None:
    text = plot_svg(SCATTER, "p")
    heights = [float(y) for y in re.findall(r'y="([\d.]+)" class="label"', text)]
    assert len(heights) == 2
    assert abs(heights[0] - heights[1]) >= 12


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.2, 10.2], (0.0, 12.0, 2.0)), ([3.0, 3.0], None), ([-0.4, 0.9], (-0.5, 1.0, 0.25)), ([0.0], None)],
)
def test_axes_have_round_ends(values: list[float], expected: tuple[float, float, float] | None) -> None:
    low, high, step = _scale(values)
    assert low <= min(values) <= max(values) <= high
    assert low < high
    if expected is not None:
        assert (low, high, step) == pytest.approx(expected)


def hostile() -> EvaluationReport:
    plot = Plot(
        HOSTILE, "line", HOSTILE, HOSTILE, (Series(HOSTILE, (Point(1, 2.0, label=HOSTILE),)),), HOSTILE
    )
    table = Table(HOSTILE, (HOSTILE, "value"), ((HOSTILE, 1.0), ("ours", 0.0001)), (HOSTILE,))
    return EvaluationReport(
        "name", 0, (Source(HOSTILE, 1, HOSTILE),), (table,), (HOSTILE,), {"x": "1"}, (plot,), (HOSTILE,)
    )


def test_the_page_is_self_contained_and_text_is_only_text() -> None:
    page = evaluation_html([hostile(), hostile()], "now", [HOSTILE])
    assert "<script" not in page
    assert "\x1b" not in page
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=\"(?!#)", page), "nothing is fetched"
    assert page.count("data, seed, versions, deviations") == 2, "each table says what it stands on"
    assert '<tr class="chosen">' in page
    assert "Weaker than it should be" in page
    for text in (evaluation_markdown(hostile(), ["a.svg"]), evaluation_text(hostile())):
        assert "\x1b" not in text
    assert "](a.svg)" in evaluation_markdown(hostile(), ["a.svg"])


def test_a_p_value_is_never_nought() -> None:
    assert shown(0.00001) == "<0.0001"
    assert shown(-0.00001) == ">-0.0001"
    assert shown(0.00042) == "0.00042"
    assert shown(0.0042) == "0.004"
    assert shown(0.0) == "0.000"
    assert shown(float("nan")) == "-"
