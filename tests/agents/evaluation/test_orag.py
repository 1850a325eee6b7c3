"""O-RAG's tables on a made corpus whose truth is known; paired tests against scipy and by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import false_discovery_control, wilcoxon

from agents.evaluation import orag
from agents.evaluation.orag import OURS, OragSettings, choose, judge, label, measure, methods
from agents.evaluation.orag_data import (
    BASES,
    RETRIEVALS,
    TEMPLATES,
    OragCorpus,
    OragEntity,
    Question,
    Views,
    named,
)
from agents.evaluation.orag_report import orag_report
from agents.evaluation.orag_tests import cluster_bootstrap, compare, false_discovery, verdict
from agents.evaluation.report import EvaluationReport, Table
from agents.evaluation.report_kept import Kept
from agents.fairness.distance import histogram
from agents.pools import Groups, OpinionPool, make_groups
from store.opinions import StancePool

SETTINGS = OragSettings((5, 10), draws=4, nearest=60, seed=3)


def pool_of(rows: np.ndarray, score: np.ndarray, impact: np.ndarray, values: list[str]) -> OpinionPool:
    own = tuple(values[i] for i in rows)
    stances = StancePool(
        rows.astype(np.int64),
        score.astype(np.int64),
        impact.astype(np.int64),
        np.ones(len(rows)),
        ("",) * len(rows),
        np.full(len(rows), np.nan),
        np.full(len(rows), 100, dtype=np.int64),
        {"region": own},
    )
    return OpinionPool(stances, histogram(score), "proportional", {"region": make_groups("region", own)})


def made(size: int = 200, entities: int = 3, seed: int = 0) -> OragCorpus:
    """Make a corpus whose most relevant documents are the positive ones; the enriched base leans less."""
    rng = np.random.default_rng(seed)
    opinion = rng.choice([-30.0, -20, -10, 0, 10, 20, 30], size=size)
    values = [str(v) for v in rng.choice(["north", "south", "east", ""], size=size)]
    listed = []
    for number in range(entities):
        rows = np.sort(rng.choice(size, 90, replace=False))
        impact = rng.choice([10.0, 20, 30], size=90)
        views = Views(
            rows,
            opinion[rows],
            impact,
            tuple(("joy",) if s > 0 else () for s in opinion[rows]),
            tuple(str(kind) for kind in rng.choice(["personal", "anecdotal", "data-driven", ""], size=90)),
        )
        questions = []
        for kind, text in TEMPLATES:
            relevance = np.clip(0.5 + opinion / 1000 + rng.normal(0, 0.02, size), 0, 1)
            lean = {"raw": 1.0, "split": 0.6, "enriched": 0.3}
            found = {
                (base, retrieval): np.argsort(-(lean[base] * opinion / 30 + rng.normal(0, 0.8, size)))[:30]
                for base in BASES
                for retrieval in RETRIEVALS
            }
            questions.append(Question(text.format(entity=number), kind, relevance, found))
        pool = pool_of(rows, opinion[rows], impact, values)
        listed.append(OragEntity(f"thing {number}", views, tuple(questions), pool))
    vectors = rng.normal(size=(size, 6))
    return OragCorpus(
        "made",
        "lexical",
        np.arange(size),
        np.where(rng.random(size) < 0.1, np.nan, np.sign(opinion) * 20),
        vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
        tuple(listed),
        (make_groups("region", tuple(values)),),
    )


def rows_of(table: Table) -> dict[str, dict[str, Any]]:
    return {str(row[0]): dict(zip(table.columns, row, strict=True)) for row in table.rows}


def titled(tables: tuple[Table, ...], part: str) -> dict[str, dict[str, Any]]:
    exact = [table for table in tables if table.title == part]
    (found,) = exact or [table for table in tables if table.title.startswith(part)]
    return rows_of(found)


@pytest.fixture(scope="module")
def corpus() -> OragCorpus:
    return made()


@pytest.fixture(scope="module")
def report(corpus: OragCorpus) -> EvaluationReport:
    return orag_report([corpus], SETTINGS)


def test_every_base_is_measured_and_ours_is_nearest(report: EvaluationReport) -> None:
    for k in (5, 10):
        table = titled(report.tables, f"O-RAG's measures at k = {k}")
        assert tuple(table) == methods()
        others = [row["W1"] for name, row in table.items() if not name.startswith("ours")]
        assert table[OURS]["W1"] < min(others)
        assert table[OURS]["entity match"] == 1.0
        assert table["raw, semantic"]["entity match"] < 1.0
        assert 0 <= table[OURS]["coverage matched"] <= table[OURS]["coverage"] <= 1
    against = titled(report.tables, "ours against each knowledge base: W1")
    assert {row["ours is"] for row in against.values()} == {"better"}
    assert all(row["high"] < 0 and row["bootstrap p"] <= row["q"] <= 1 for row in against.values())
    assert len(against) == len(BASES) * len(RETRIEVALS) * 2
    by_k = titled(report.tables, "W1 over k")[OURS]
    assert by_k["k = 5 low"] <= by_k["k = 5"] <= by_k["k = 5 high"]
    assert {plot.title for plot in report.plots} == {"W1 over k", "star W1 over k", "coverage matched over k"}
    ours = next(series for series in report.plots[0].series if series.ours)
    assert [point.x for point in ours.points] == [5.0, 10.0]
    assert "ours is the lowest of all at 2 of 2 k" in report.summary[0]


def test_the_paper_stands_beside_and_disagreement_is_said(report: EvaluationReport) -> None:
    table = titled(report.tables, "enriched against raw beside the paper")
    assert table["W1"]["raw, published"] == 8.87
    assert table["W1"]["change %, published"] == pytest.approx(-18.38, abs=0.01)
    for row in table.values():
        if row["change %, published"] is not None and not math.isnan(row["change %"]):
            same = row["change %"] * row["change %, published"] > 0
            assert row["agrees"] == ("same direction" if same else "other direction")


def test_judge_by_hand() -> None:
    views = Views(
        np.array([0, 2]),
        np.array([30.0, -30.0]),
        np.array([30.0, 10.0]),
        (("joy", "hope"), ("anger",)),
        ("personal", ""),
    )
    question = Question("?", "general", np.array([0.9, 0.8, 0.4, 0.1]), {})
    pool = pool_of(np.array([0, 2]), views.score, views.impact, ["n", "s", "s", ""])
    entity = OragEntity("bed", views, (question,), pool)
    stars = np.array([30.0, np.nan, -30.0, 30.0])
    groups = Groups("region", ("n", "s"), np.array([0, 1, 1, -1]), np.array([0.5, 0.5]), 0.25)
    one = OragCorpus("hand", "lexical", np.arange(4), stars, np.eye(4), (entity,), (groups,))
    found = judge(one, entity, question, np.array([0, 1]))
    assert found["entity match"] == 0.5
    assert found["sigma"] == 15.0  # of 30 and the neutral 0
    assert found["impact sigma"] == 15.0
    assert found["markers"] == 2.0
    assert found["evidence"] == pytest.approx(1 / 3)
    assert found["W1"] == pytest.approx(15.0)  # half at +30 stays, half at 0 moves to -30
    assert found["W1 of views"] == pytest.approx(30.0)
    assert found["star W1"] == pytest.approx(30.0)
    assert found["relevance kept"] == pytest.approx(1.0)
    assert found["coverage"] == 1.0
    assert found["coverage matched"] == 0.5
    assert found["author gap"] == 0.0
    # Half of the mass goes from (30, 30, personal) to (-30, 10, none): 60^2 + 20^2 + (20^2) / 2.
    assert found["W2"] == pytest.approx(np.sqrt(0.5 * (60**2 + 20**2 + 20**2 / 2)))
    nothing = judge(one, entity, question, np.array([1]))
    assert nothing["entity match"] == 0.0
    assert math.isnan(nothing["W1 of views"])
    assert math.isnan(nothing["W2"])
    assert judge(one, entity, question, np.array([0, 2]))["W2"] == pytest.approx(0.0, abs=1e-6)


def test_two_kinds_of_evidence_are_twenty_points_apart() -> None:
    views = Views(np.arange(3), np.zeros(3), np.full(3, 10.0), ((),) * 3, ("personal", "data-driven", ""))
    points = views.points()
    assert points.shape == (3, 5)
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(20.0)


def test_the_group_of_rare_values_is_no_category() -> None:
    codes = np.array([0, 1, 2, 2, -1])
    found = named(Groups("region", ("a", "2 other values", "b"), codes, np.array([0.25, 0.25, 0.5]), 0.2, 1))
    assert found.names == ("a", "b")
    assert found.codes.tolist() == [0, -1, 1, 1, -1]


def test_an_interrupted_run_continues(
    corpus: OragCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = OragSettings((5,), draws=1, nearest=60, seed=3)
    told: list[int] = []

    def stop(what: str, done: int, total: int) -> None:
        told.append(done)
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(corpus, settings, Kept(tmp_path, "orag"), stop)
    done = 0
    real = orag._entity

    def counted(*arguments: Any) -> Any:
        nonlocal done
        done += 1
        return real(*arguments)

    monkeypatch.setattr(orag, "_entity", counted)
    found = measure(corpus, settings, Kept(tmp_path, "orag"))
    assert done == 1, "two of three entities were kept"
    assert str(found) == str(measure(corpus, settings))
    assert measure(corpus, OragSettings((5,), draws=1, nearest=60, seed=9), Kept(tmp_path, "orag")) != found


def test_ours_chooses_only_documents_with_a_view(corpus: OragCorpus) -> None:
    entity = corpus.entities[0]
    for method in ("exact", "balanced", "random"):
        picked = choose(entity, entity.questions[0], method, 10, np.random.default_rng(1))
        assert set(picked.tolist()) <= set(entity.views.rows.tolist())
        assert len(set(picked.tolist())) == 10


def test_comparisons_agree_with_scipy_and_draw_entities() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(0.4, 1, 40), rng.normal(0, 1, 40)
    clusters = np.repeat(np.arange(8), 5)
    found = compare(first, second, clusters, seed=2)
    assert found.difference == pytest.approx((first - second).mean())
    assert found.wilcoxon == pytest.approx(wilcoxon(first - second, method="approx").pvalue)
    assert found.low < found.difference < found.high
    assert found == compare(first, second, clusters, seed=2)
    # Questions of one entity that all agree are worth one observation, not five.
    means = np.repeat(rng.normal(0, 1, 8), 5)
    wide = cluster_bootstrap(means, clusters, 1)
    narrow = cluster_bootstrap(means, np.arange(40), 1)
    assert wide[1] - wide[0] > 1.5 * (narrow[1] - narrow[0])
    first[0] = np.nan
    assert compare(first, second, clusters).pairs == 39
    assert compare(second, second, clusters).wilcoxon == 1.0
    assert math.isnan(compare([np.nan], [1.0], [0]).difference)
    with pytest.raises(ValueError, match="equal shapes"):
        compare([1.0], [1.0, 2.0], [0, 1])


def test_false_discoveries_are_corrected_as_in_scipy() -> None:
    p = np.random.default_rng(0).random(30) ** 3
    assert false_discovery(p) == pytest.approx(false_discovery_control(p))
    with_hole = np.append(p, np.nan)
    assert false_discovery(with_hole)[:-1] == pytest.approx(false_discovery_control(p))
    assert math.isnan(false_discovery(with_hole)[-1])
    assert verdict(-1.0, 0.01, lower_is_better=True) == "better"
    assert verdict(-1.0, 0.01, lower_is_better=False) == "worse"
    assert verdict(-1.0, 0.2, lower_is_better=True) == "not told apart"


def test_sigma_by_extractor_has_a_row_each(corpus: OragCorpus) -> None:
    other = made(seed=7)
    second = OragCorpus(
        "made", "a model", other.ids, other.stars, other.vectors, other.entities, other.groups
    )
    table = titled(orag_report([corpus, second], OragSettings((5,), draws=1)).tables, "sigma by extractor")
    assert list(table)[:2] == ["lexical", "a model"]
    assert table["Qwen 235B, published"]["change %"] == 27.4
    assert label("split", "hybrid") == "split only, hybrid"
