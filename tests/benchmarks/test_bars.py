"""The bars of the benchmarks: each is judged beside its figure, and one that is missed fails the command."""

from __future__ import annotations

import pytest

from tests.benchmarks.bars import Bars, stands_on


def test_every_figure_stands_beside_its_bar(capsys: pytest.CaptureFixture[str]) -> None:
    bars = Bars()
    assert bars.judge("milliseconds", 2.5, "<=", 3.0)
    assert bars.within("coverage", 0.95, 0.93, 0.98)
    assert bars.hold("no baseline is better", True)
    assert bars.end() == 0
    assert capsys.readouterr().out.splitlines() == [
        "met    milliseconds: 2.5 (<= 3)",
        "met    coverage: 0.95 (from 0.93 to 0.98)",
        "met    no baseline is better: holds",
        "all 3 bars met",
    ]


@pytest.mark.parametrize("value", [3.01, float("nan")])
def test_a_bar_that_is_missed_fails_the_command(capsys: pytest.CaptureFixture[str], value: float) -> None:
    bars = Bars()
    assert not bars.judge("milliseconds", value, "<=", 3.0, "wall")
    assert bars.judge("ratio", 2.0, ">", 1.0)
    assert bars.end() == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("MISSED milliseconds: ")
    assert out[0].endswith("(<= 3); wall")
    assert out[-1] == "1 of 2 bars missed: milliseconds"


def test_outside_a_range_is_missed_on_either_side() -> None:
    bars = Bars()
    assert not bars.within("coverage", 0.92, 0.93, 0.98)
    assert not bars.within("coverage", 0.99, 0.93, 0.98)
    assert not bars.within("coverage", float("nan"), 0.93, 0.98)
    assert bars.end() == 1


def test_what_the_figures_stand_on_is_named() -> None:
    text = stands_on("made corpora", 7, "--quick")
    assert text.splitlines()[:3] == ["data: made corpora", "seed: 7", "run: --quick"]
    assert "numpy" in text.splitlines()[3]
