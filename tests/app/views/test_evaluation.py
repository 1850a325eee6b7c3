"""Evaluations as text and Markdown: nothing cut, intervals in one cell, hostile names stay text."""

from __future__ import annotations

import re

from agents.evaluation.report import EvaluationReport, Source, Table
from app.views.evaluation import evaluation_markdown, evaluation_text, shown, with_intervals

TABLE = Table(
    "coverage",
    (
        "method",
        "candidates",
        "W1",
        "W1 low",
        "W1 high",
        "entity match",
        "star W1",
        "star W1 low",
        "star W1 high",
        "n",
    ),
    (
        ("w1-greedy, entity-gated", "entity", 1.25, 0.5, 2.0, 1.0, 12.3456, 10.0, 14.0, 1234),
        ("a|b\x1b[31m", "nearest", None, None, None, 0.5, float("nan"), float("nan"), float("nan"), 0),
    ),
    ("a note",),
)
REPORT = EvaluationReport(
    "warp",
    7,
    (Source("hotels", 1200, "reviews"),),
    (TABLE,),
    ("stars rate the stay",),
    {"python": "3.11", "numpy": "2"},
)


def test_value_and_interval_share_a_cell() -> None:
    columns, rows = with_intervals(TABLE)
    assert columns == ["method", "candidates", "W1 [95 %]", "entity match", "star W1 [95 %]", "n"]
    assert rows[0][2:] == ["1.250 [0.500, 2.000]", "1.000", "12.35 [10.00, 14.00]", "1,234"]
    assert rows[1][2] == rows[1][4] == "-"


def test_a_wide_table_is_split_and_nothing_is_cut() -> None:
    text = evaluation_text(REPORT, 60)
    assert max(map(len, text.splitlines())) <= 60
    assert "…" not in text
    assert text.count("w1-greedy, entity-gated") == text.count("method") >= 2
    for words in (
        "data: hotels, 1,200 reviews",
        "seed: 7",
        "numpy 2",
        "deviation: stars rate the stay",
        "a note",
    ):
        assert words in text
    assert "\x1b" not in text


def test_markdown_names_what_each_table_stands_on() -> None:
    text = evaluation_markdown(REPORT)
    table = [row for row in text.splitlines() if row.startswith("|")]
    assert len(table) == 4
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table}) == 1, "a bar in a name opens no column"
    assert "- seed: 7" in text
    assert "- data: hotels, 1,200 reviews" in text
    assert "\x1b" not in text


def test_cells() -> None:
    assert [shown(cell) for cell in (None, "x", 1200, 0.12345, -123.456, float("nan"))] == [
        "-",
        "x",
        "1,200",
        "0.123",
        "-123.46",
        "-",
    ]
