from __future__ import annotations

from typing import Any

import pytest

from app.views.frontier import BiasRow, bias_frontier, component_table, opinion_frontier, scatter
from app.views.layout import width_of
from app.views.weights import fit_words, weights_plot, weights_table, weights_text
from store.receipt import FrontierPoint

FIT: dict[str, Any] = {
    "weights": [0.4, -0.2],
    "intercept": 0.0,
    "covariance": [[0.01, 0, 0], [0, 0.0025, 0], [0, 0, 0.04]],
    "interval": [[0.2, 0.6], [-0.3, -0.1], [-0.4, 0.4]],
    "level": 0.95,
    "r_squared": 0.41,
    "r_squared_settings": None,
    "answers": 320,
    "questions": 40,
    "clusters": 12,
    "refusal_rate": 0.02,
    "letter_bias": -0.3,
    "validation": {
        "settings": 4,
        "questions": 10,
        "held_out": True,
        "mean_absolute_bias": 0.05,
        "vanilla_absolute_bias": 0.3,
        "mean_error": -0.01,
        "covered": 1.0,
        "improved": True,
    },
}


def test_the_table_says_what_is_told_from_zero() -> None:
    rows = [line.split() for line in weights_table(FIT, ascii=True)[2:]]
    assert rows[0] == ["1", "+0.400", "0.100", "+0.200", "+0.600", "above", "0"]
    assert rows[1][5:] == ["below", "0"]
    assert rows[2][:3] == ["b", "+0.000", "0.200"]
    assert rows[2][5:] == ["not", "told", "from", "0"]


@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_plot_is_to_scale(ascii: bool, width: int) -> None:
    lines = weights_plot(FIT, width, ascii=ascii)
    dot = "o" if ascii else "●"
    first, second, intercept = (line.index(dot) for line in lines[:3])
    assert second < intercept < first
    middle = lines[0].index("|" if ascii else "│")
    assert intercept == middle
    assert (first - middle) == pytest.approx(2 * (middle - second), abs=1)
    assert all(width_of(line) <= width for line in weights_text(FIT, width, ascii=ascii))
    assert not ascii or "\n".join(weights_text(FIT, width, ascii=True)).isascii()


def test_the_words() -> None:
    text = " ".join(fit_words(FIT))
    assert "320 answers to 40 questions; errors clustered by 12" in text
    assert "R2 0.41 of answers, - of settings" in text
    assert "prefers the letter B (-0.30)" in text
    assert "10 questions that the fit has not seen: mean |Rb| 0.050, closer to it than plain" in text
    worse = {**FIT, "validation": {**FIT["validation"], "improved": False}, "letter_bias": 0.02}
    assert "NOT closer" in " ".join(fit_words(worse))
    assert "letter" not in " ".join(fit_words(worse))
    assert (
        fit_words({**FIT, "validation": None, "unchecked": "not checked: x"})[-1] == "Check: not checked: x."
    )


def test_scatter_places_the_corners() -> None:
    lines = scatter([(0.0, 0.0, ""), (1.0, 1.0, ""), (0.5, 0.5, "*")], ("x", "y"), 50, 5, ascii=True)
    assert lines[0] == "y"
    assert lines[1].endswith("o")
    assert lines[3].rstrip().endswith("*")
    assert lines[5].split("|")[1][0] == "o"
    assert scatter([], ("x", "y")) == []
    assert any("*" in line for line in scatter([(1.0, 2.0, "*")], ("x", "y"), 40, 4))
    both = scatter([(0.0, 0.0, "*"), (0.0, 0.0, "+"), (1.0, 1.0, "+"), (1.0, 1.0, "")], ("x", "y"), 40, 4)
    assert both[4].split("│")[1][0] == "#"
    assert both[1].endswith("+")


def test_frontiers_mark_the_choice() -> None:
    points = [
        FrontierPoint(lam=0.0, relevance_kept=1.0, w1=6.0, largest_gap=0.2),
        FrontierPoint(lam=0.2, relevance_kept=0.97, w1=1.0, largest_gap=0.1, chosen=True),
    ]
    text = "\n".join(opinion_frontier(points, 60, ascii=True))
    assert "chosen" in text
    assert text.isascii()
    many = [BiasRow(i / 50, 1 - i / 500, "chosen" if i == 33 else "") for i in range(50)]
    listed = bias_frontier(many, 60, ascii=True)
    rows = listed[2 : listed.index("")]
    assert len(rows) <= 18
    assert sum("chosen" in row for row in rows) == 1
    assert rows[0].split()[0] == "+0.000"
    assert rows[-1].split()[0] == "+0.980"
    assert "soft" not in "\n".join(listed)


def test_what_was_chosen_has_its_verdict_beside_its_mark() -> None:
    points = [BiasRow(-0.0001, 0.9, "chosen", None, "met as estimated"), BiasRow(0.5, 1.0)]
    listed = bias_frontier(points, 60, ascii=True)
    assert listed[2].split() == ["+0.000", "90.00%", "chosen,", "met", "as", "estimated"]


def test_the_soft_objective_has_a_column_and_a_mark() -> None:
    points = [BiasRow(0.0, 0.9, "chosen", 4.5), BiasRow(0.5, 0.95, "soft", 4.71), BiasRow(1.0, 1.0, "", 4.6)]
    listed = bias_frontier(points, 60, ascii=True)
    assert listed[0].split("  ")[-1].strip() == "soft objective"
    assert listed[3].split() == ["+0.500", "95.00%", "4.7100", "soft"]
    plot = "\n".join(listed[6:-1])
    assert plot.count("*") == 1
    assert plot.count("+") == 2, "the mark, and the corner of the axes"
    assert listed[-1] == "* chosen, + soft objective, # both"


def test_components_are_listed_with_hostile_names_as_text() -> None:
    row = {
        "predicted": 0.2,
        "error": 0.1,
        "target": 0.5,
        "natural": -0.1,
        "reachable": [-0.0001, 0.3],
        "shown": 2,
    }
    listed = component_table(
        [
            {"name": "polarity", "verdict": "met", **row},
            {"name": "city = \x1b[31mX\n", "verdict": "not met", **row},
            {"name": "tier = gold", "verdict": None, **row},
            {"name": "tier = none", "verdict": "met", **row, "shown": 0},
        ],
        100,
        ascii=True,
    )
    assert listed[0].split()[:5] == ["component", "predicted", "+/-", "error", "target"]
    cells = ["polarity", "+0.200", "0.100", "+0.500", "met", "-0.100", "+0.000", "to", "+0.300"]
    assert listed[2].split() == cells
    assert "not met" in listed[3]
    assert "\x1b" not in "".join(listed)
    assert "met" not in listed[4]
    assert "met, nobody shown" in listed[5]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_columns_of_components_are_left_out_rather_than_cut(width: int) -> None:
    row = {"predicted": 0.2, "target": 0.5, "natural": -0.1, "reachable": [0.0, 0.3], "shown": None}
    held = [{"name": "polarity", "verdict": "met as estimated", "error": 0.317, **row}]
    listed = component_table(held, width, ascii=True)
    assert all(len(text) <= width for text in listed)
    assert "0.317" in listed[2]
    assert "met as estimated" in listed[2]
    assert ("reachable by itself" in listed[0]) == (width == 100)
    plain = component_table([{**held[0], "error": None, "verdict": "met"}], width, ascii=True)
    assert "error" not in plain[0]
