"""Reports through JSON and back, results kept on disk, and the run of all evaluations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.evaluation.all import Make, Part, Tell, run_all, time_left
from agents.evaluation.faro_published import components_published, published
from agents.evaluation.report import EvaluationReport, Plot, Point, Series, Source, Table, bars, from_document
from agents.evaluation.report_kept import Kept, key_of
from agents.models.errors import ModelCallError
from store.errors import UsageError

PLOT = Plot(
    "W1", "line", "k", "W1", (Series("ours", (Point(1, 2.0, 1.5, 2.5, "a"),), ours=True),), "low is good"
)


def report(name: str = "one") -> EvaluationReport:
    table = Table("t", ("method", "value"), (("ours", 1.5), ("theirs", None)), ("a note",))
    return EvaluationReport(
        name,
        3,
        (Source("set", 5, "rows"),),
        (table,),
        ("smaller",),
        {"numpy": "2"},
        (PLOT,),
        ("It went well.",),
    )


def test_a_report_comes_back_from_json_as_it_was() -> None:
    found = from_document(json.loads(json.dumps(report().document())))
    assert found == report()


def test_bars_leave_out_what_has_no_value() -> None:
    plot = bars("t", "x", {"a": 1.0, "b": None, "c": float("nan"), "ours": 2.0, "d": 3.0}, ["ours"])
    assert [[point.label for point in series.points] for series in plot.series] == [["a"], ["ours"], ["d"]]
    assert [series.ours for series in plot.series] == [False, True, False]


def test_a_line_that_a_kill_cut_is_made_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path, "log")
    assert kept.get("a", lambda: [1, 2]) == [1, 2]
    kept.put("x/1", 5)
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"key": "b", "val')
    again = Kept(tmp_path, "log")
    assert "b" not in again
    again.put("b", 3)
    third = Kept(tmp_path, "log")
    assert third["a"] == [1, 2]
    assert third["b"] == 3
    assert third.under("x/") == {"1": 5}
    assert third.get("a", lambda: pytest.fail("it is kept")) == [1, 2]
    assert key_of("a", 1) == key_of("a", 1) != key_of("a", 2)
    memory = Kept()
    memory.put("a", 1)
    assert memory["a"] == 1


def part(name: str, make: Make | Exception, weight: float = 1.0, key: str = "") -> Part:
    async def run(tell: Tell) -> EvaluationReport:
        if isinstance(make, Exception):
            raise make
        return await make(tell)

    return Part(name, weight, key or name, run)


def making(name: str, calls: list[str]) -> Make:
    async def make(tell: Tell) -> EvaluationReport:
        calls.append(name)
        tell(name, 1, 2, "")
        return report(name)

    return make


async def test_all_goes_on_past_a_missing_set_and_continues(tmp_path: Path) -> None:
    calls: list[str] = []
    told: list[tuple[str, int, int, str]] = []
    clock = iter(range(0, 10_000, 60)).__next__
    parts = [
        part("first", making("first", calls)),
        part("second", UsageError("there is no set", "give it")),
        part("third", making("third", calls), weight=3.0),
    ]
    suite = await run_all(parts, Kept(tmp_path, "all"), lambda *event: told.append(event), clock)
    assert [each.name for each in suite.reports] == ["first", "third"]
    assert len(suite.left_out) == 1
    assert suite.left_out[0].startswith("second is left out: there is no set")
    assert suite.reused == ()
    whole = [event for event in told if event[0] == "evaluate all"]
    assert [event[1] for event in whole] == [0, 1, 2, 3]
    assert whole[0][3] == ""
    assert "min left" in whole[2][3]
    again = await run_all(parts, Kept(tmp_path, "all"))
    assert calls == ["first", "third"], "finished parts are not measured again"
    assert again.reports == suite.reports
    assert again.reused == ("first", "third")
    changed = [part("first", making("first", calls), key="other data")]
    await run_all(changed, Kept(tmp_path, "all"))
    assert calls == ["first", "third", "first"]


async def test_a_model_that_fails_ends_the_run_and_keeps_what_is_done(tmp_path: Path) -> None:
    calls: list[str] = []
    parts = [part("first", making("first", calls)), part("second", ModelCallError("it does not answer"))]
    with pytest.raises(ModelCallError):
        await run_all(parts, Kept(tmp_path, "all"))
    assert "first" in Kept(tmp_path, "all")


def test_time_left_follows_the_pace() -> None:
    assert time_left(60, 1, 3) == "about 3 min left"
    assert time_left(10, 2, 1) == "about 5 s left"
    assert time_left(10, 0, 1) == ""
    assert time_left(10, 1, 0) == ""


def test_published_figures_of_faro() -> None:
    assert published("gender", "FARO grid", 5) == (
        -0.07,
        0.988,
        1.33,
        pytest.approx((0.07 + 0.32 + 0.16 + 0.1) / 4),
    )
    assert published("gender", "ours", 5) == (None, None, None, None)
    assert published("political", "vanilla", 4) == (None, None, None, None)
    assert components_published("political", "llama, RAG top 3") == -0.24
    assert components_published("political", "retriever, top 20") is None
