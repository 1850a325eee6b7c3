"""The bars of selection on real reviews, on made figures: each figure that misses is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.bars import Bars
from tests.benchmarks.independent_bars import judge_all
from tests.benchmarks.independent_tables import Results, beaten, mean_of, table

BALANCED = "balanced, as answers"
DEFAULT = {5: "exact", 10: BALANCED, 20: BALANCED}
GOOD = {
    "relevance": {"label_w1": 8.0, "gap": 0.3, "groups": 0.5, "groups_matched": 0.4},
    "exact": {"label_w1": 1.04, "gap": 0.06, "groups": 0.7, "groups_matched": 0.7},
    BALANCED: {"label_w1": 1.5, "gap": 0.12, "groups": 0.7, "groups_matched": 0.7},
}


def made(**changed: dict[str, float]) -> Results:
    """Make figures of two entities that meet every bar; ``changed`` are other figures of ``method`` or ``method_k``."""
    rows = {}
    for k in (5, 10, 20):
        for name, figures in GOOD.items():
            own = {**figures, "floor": 1.0, "gap_floor": 0.05, "truth_w1": 1.0, "relevance_kept": 1.0}
            own |= {"matched": 1.0, "ms": 1.0}
            own |= changed.get(name.split(",")[0], {}) | changed.get(f"{name.split(',')[0]}_{k}", {})
            rows[name, k] = own
    return {"one": rows, "two": {key: dict(row) for key, row in rows.items()}}


def compared(name: str, *, q: float = 0.01, kept: float = 0.0) -> dict[str, Any]:
    return {"method": name, "k": 10, "difference": -1.0, "q": q, "relevance_difference": kept}


def missed(results: Results, differences: list[dict[str, Any]] | None = None) -> list[str]:
    bars = Bars()
    judge_all(results, differences or [], DEFAULT, BALANCED, bars)
    assert bars.end() == (1 if bars.missed else 0)
    return bars.missed


def test_good_figures_meet_every_bar(capsys: pytest.CaptureFixture[str]) -> None:
    assert missed(made()) == []
    out = capsys.readouterr().out
    assert "all 15 bars met" in out
    assert "0.7, plain 0.5" not in out
    assert "balanced, as answers 0.70, plain 0.50" in out


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"exact_10": {"label_w1": 1.06}}, "exact, k = 10: label W1 over the floor"),
        ({"exact_5": {"gap": 0.08}}, "exact, k = 5: largest author gap above the floor"),
        ({"exact_20": {"gap": 0.12}}, "exact, k = 20: largest author gap over plain top-k's"),
        (
            {"balanced_10": {"gap": 0.16}},
            "balanced, as answers, k = 10: largest author gap over plain top-k's",
        ),
        ({"balanced_20": {"groups": 0.45}}, "default, k = 20: author groups covered overall, less plain's"),
        (
            {"balanced_20": {"groups_matched": 0.35}},
            "default, k = 20: author groups covered among entity-matched, less plain's",
        ),
    ],
)
def test_each_bar_can_be_missed(changed: dict[str, dict[str, float]], words: str) -> None:
    assert missed(made(**changed)) == [words]


def test_a_baseline_that_is_better_is_named_and_ours_is_no_baseline(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [
        compared("stratified q=0.50"),
        compared("exact"),
        compared("mmr", q=0.2),
        compared("kl", kept=-0.1),
    ]
    assert beaten(rows) == ["stratified q=0.50 (k=10)"]
    assert beaten(rows, ours=True) == ["exact (k=10)"]
    assert len(missed(made(), rows)) == 1
    assert "MISSED no baseline" in capsys.readouterr().out


def test_without_author_groups_their_bars_are_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    results = made()
    for entity in results.values():
        for row in entity.values():
            for name in ("gap", "groups", "groups_matched"):
                del row[name]
    assert missed(results) == []
    assert "no author groups in this corpus" in capsys.readouterr().out
    assert mean_of(results, "exact", 5, "gap") != mean_of(results, "exact", 5, "gap"), "nothing measured"


def test_the_table_shows_both_coverages_of_author_groups() -> None:
    text = table(made(), [])
    assert "| groups, overall | groups, matched |" in text
    assert "### k = 20 (label floor 1.00, gap floor 0.050)" in text
    assert "| 0.300 | 0.50 | 0.40 | 1.0 |" in text
