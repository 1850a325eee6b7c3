"""The bars of several groups, on made rows."""

from __future__ import annotations

import pytest

from tests.benchmarks.bars import Bars
from tests.benchmarks.bench_multigroup import Row, judge, measure

GOOD = [Row(50, "3 groups", "certified", 0.1, 3e-4, -1e-4), Row(200, "4 groups", "certified", 0.1, 5e-5, 0.0)]


@pytest.mark.parametrize(
    ("row", "missed"),
    [
        (Row(200, "4 groups", "certified", 0.1, 2e-4, 0.0), "certified relative gap, from 200 questions up"),
        (Row(50, "4 groups", "certified", 0.1, 4e-4, 0.0), "certified relative gap, under 200 questions"),
        (Row(50, "4 groups", "infeasible", 0.1, 0.0, 1e-3), "largest violation of a tolerance"),
        (
            Row(50, "4 groups", "certified", 0.1, float("nan"), 0.0),
            "certified relative gap, under 200 questions",
        ),
    ],
)
def test_each_bar_can_be_missed(row: Row, missed: str) -> None:
    bars = Bars()
    judge(GOOD, bars)
    assert bars.missed == []
    judge([row], bars)
    assert bars.missed == [missed]


def test_a_case_is_solved_within_its_bars() -> None:
    bars = Bars()
    judge([measure(20, 20, 3, "3 groups")], bars)
    assert bars.judged == 2
    assert "largest violation of a tolerance" not in bars.missed
