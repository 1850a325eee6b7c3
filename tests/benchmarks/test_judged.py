"""The benchmarks of selection and calibration judge what the issue asks of them, and fail where it is missed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.fairness.designs import plan
from agents.fairness.sampling import Sample
from tests.benchmarks import bench_margins, bench_opinion, bench_propagation
from tests.benchmarks.bars import Bars


def test_inclusion_probabilities_are_judged_at_three_standard_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bars = Bars()
    bench_opinion.inclusion(400, bars)
    assert bars.judged == 2
    assert bars.missed == []
    assert "the bar is at 20,000 draws" in capsys.readouterr().out

    def first(chances: np.ndarray, *_: object) -> Sample:
        return Sample(np.arange(5), chances)

    monkeypatch.setattr(bench_opinion, "cube_sample", first)
    bench_opinion.inclusion(400, bars)
    assert bars.missed == ["cube inclusion: largest miss in standard errors"]


def test_balance_is_judged_before_the_landing(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = Bars()
    bench_opinion.balance(3, bars)
    assert bars.judged == 3
    assert bars.missed == []

    def careless(state: np.ndarray, variables: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(state.size) < state).astype(float)

    monkeypatch.setattr(bench_opinion, "flight", careless)
    bench_opinion.balance(3, bars)
    assert "cube balance: largest miss of a total before the landing" in bars.missed


def test_milliseconds_stand_beside_their_bar(capsys: pytest.CaptureFixture[str]) -> None:
    bars = Bars()
    bench_opinion.clock("nothing", 3, lambda run: lambda: None, bars)
    assert bars.judged == 0, "no bar, no judgement"
    bench_opinion.clock("nothing", 3, lambda run: lambda: None, bars, 3)
    bench_opinion.clock("too much", 3, lambda run: lambda: None, bars, -1.0)
    assert bars.missed == ["too much, ms"]
    assert "met    nothing, ms: " in capsys.readouterr().out


def test_every_stated_number_of_calls_is_judged_as_it_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    def asks_one_more(k: int, *, standard_error: float, answers: Any) -> SimpleNamespace:
        stated = bench_propagation.STATED[standard_error]
        return SimpleNamespace(calls=stated[answers == "deterministic"] + 1)

    def exact(kind: str, k: int, questions: int, *_: object) -> dict[str, float]:
        asked.append(questions * 8)
        return {"spread": 0.001, "calls": questions * 8}

    asked: list[int] = []
    monkeypatch.setattr(bench_propagation, "plan", asks_one_more)
    monkeypatch.setattr(bench_propagation, "blocks", exact)
    bars = Bars()
    bench_propagation.judge_calls(10, np.random.default_rng(0), bars)
    assert bars.judged == 16, "two generators, four errors, plan and measurement"
    assert len(bars.missed) == 8
    assert all(name.endswith("calls planned") for name in bars.missed)
    stated = [calls for each in bench_propagation.STATED.values() for calls in each]
    assert all(0 <= most - used < 8 for most, used in zip(stated, asked, strict=True)), (
        "no call more than stated"
    )


def test_an_error_above_its_target_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def noisy(kind: str, k: int, questions: int, *_: object) -> dict[str, float]:
        return {"spread": 1.02 * 0.91 / np.sqrt(questions * 8), "calls": questions * 8}

    monkeypatch.setattr(bench_propagation, "blocks", noisy)
    bars = Bars()
    bench_propagation.judge_calls(4_000, np.random.default_rng(0), bars)
    assert "hetero, SE 0.01: measured at the stated calls, less 3 errors of the simulation" in bars.missed
    assert plan(5, standard_error=0.05).calls % 8 == 0


@pytest.mark.parametrize(("covered", "status"), [(0.95, 0), (0.99, 1), (0.92, 1)])
def test_coverage_of_the_mean_rating_is_judged(
    covered: float, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = SimpleNamespace(told="made", entities=[SimpleNamespace(name="bar")] * 2)
    rows = [("mean rating", np.array([covered, 0.5, 0.5, 0.6])), ("side", np.full(4, 0.1))]
    monkeypatch.setattr(bench_margins, "CORPORA", {"lounges": lambda labels: corpus})
    monkeypatch.setattr(bench_margins, "measure_entity", lambda *arguments: rows)
    monkeypatch.setattr("sys.argv", ["bench_margins", "--draws", "10"])
    assert bench_margins.main() == status
    out = capsys.readouterr().out
    assert f"mean rating covered, mean over entities: {covered:g} (from 0.93 to 0.98)" in out
    assert "the bar is at k = 20 and 500 draws" in out
