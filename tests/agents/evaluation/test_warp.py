"""WARP's table on a made corpus whose truth is known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agents.evaluation.report import Table
from agents.evaluation.warp import (
    WarpSettings,
    clustered,
    judge,
    measure_entity,
    rows,
    warp_report,
)
from agents.evaluation.warp_data import TEMPLATES, WarpCorpus, WarpEntity, task
from agents.fairness.selection import METHODS

SETTINGS = WarpSettings(k=10, nearest=80, draws=2, seed=4)


def made(size: int = 240, entities: int = 2, seed: int = 0) -> WarpCorpus:
    """Make a corpus where the most relevant documents are the positive ones, and groups follow the opinion."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(size, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    opinion = rng.choice([-30.0, -20, -10, 0, 10, 20, 30], size=size)
    listed = []
    for number in range(entities):
        own = np.sort(rng.choice(size, 120, replace=False))
        relevance = np.clip(0.5 + opinion / 100 + rng.normal(0, 0.05, (len(TEMPLATES), size)), 0, 1)
        listed.append(WarpEntity(f"thing {number}", own, opinion[own], relevance))
    stars = np.where(rng.random(size) < 0.1, np.nan, np.sign(opinion) * 20.0)
    south = rng.random(size) < 0.3 + 0.4 * (opinion > 0)
    groups = np.where(rng.random(size) < 0.2, -1, south.astype(int))
    return WarpCorpus("made", "lexical", vectors, stars, tuple(listed), "region", groups, ("north", "south"))


def by_method(table: Table) -> dict[str, dict[str, Any]]:
    return {str(row[0]): dict(zip(table.columns, row, strict=True)) for row in table.rows}


def test_every_method_is_measured_and_ours_is_nearest_to_the_population() -> None:
    corpus = made()
    report = warp_report(corpus, SETTINGS)
    titles = [table.title for table in report.tables]
    assert titles == [
        "entities",
        "WARP table 1, k = 10, one-side rule off",
        "difference to plain top-k, one-side rule off",
        "WARP table 1, k = 10, one-side rule on",
        "difference to plain top-k, one-side rule on",
        "label-noise check: 25% of the labels exchanged",
    ]
    table = by_method(report.tables[1])
    assert set(METHODS) <= set(table)
    assert table["relevance"]["relevance kept"] == pytest.approx(1.0)
    # Within the price that it puts on relevance.
    assert table["exact"]["W1"] <= min(row["W1"] for row in table.values()) + 0.3
    assert table["exact"]["entity match"] == table["random"]["entity match"] == 1.0
    assert table["relevance"]["entity match"] < 1.0
    assert table["exact"]["star W1"] < table["relevance"]["star W1"]
    assert table["exact"]["author gap"] < table["relevance"]["author gap"]
    assert table["exact"]["candidates"] == "entity"
    assert table["exact, on the nearest"]["candidates"] == table["mmr"]["candidates"] == "nearest"
    for row in table.values():
        assert row["W1 low"] <= row["W1"] <= row["W1 high"]
        assert row["ms"] > 0
        assert row["failed"] == 0
    differences = by_method(report.tables[2])
    assert "relevance" not in differences
    assert differences["exact"]["W1 high"] < 0
    assert differences["exact"]["W1"] == pytest.approx(table["exact"]["W1"] - table["relevance"]["W1"])


def test_noisy_labels_cost_the_methods_that_trust_them() -> None:
    corpus = made(entities=1)
    clean = by_method(warp_report(corpus, SETTINGS).tables[1])["exact"]["W1"]
    noisy = by_method(warp_report(corpus, replace(SETTINGS, noise=0.6)).tables[-1])
    assert noisy["exact"]["W1"] > clean
    assert "relevance" not in noisy


def test_a_one_sided_question_has_the_population_of_its_side() -> None:
    corpus = made()
    entity = corpus.entities[0]
    complaints = task(corpus, entity, 2, one_side=True)
    assert complaints is not None
    assert (complaints.pool.score[complaints.own] < 0).all()
    assert complaints.pool.population[3:].sum() == 0
    both = task(corpus, entity, 2, one_side=False)
    assert both is not None
    assert len(both.own) == len(entity.rows)
    assert both.pool.population == pytest.approx(np.bincount(((entity.score + 30) // 10).astype(int)) / 120)
    praise = replace(entity, score=-np.abs(entity.score))
    assert task(corpus, praise, 3, one_side=True) is None
    found = measure_entity(corpus, praise, SETTINGS, rows(), one_side=True)
    assert set(found) == {row.name for row in rows()}


def test_judge_by_hand() -> None:
    corpus = WarpCorpus(
        "hand",
        "lexical",
        np.eye(4),
        np.array([30.0, -30.0, np.nan, 30.0]),
        (
            WarpEntity(
                "bed", np.array([0, 1]), np.array([30.0, -30.0]), np.tile([0.9, 0.1, 0.8, 0.2], (6, 1))
            ),
        ),
        "region",
        np.array([0, 1, -1, 0]),
        ("north", "south"),
    )
    asked = task(corpus, corpus.entities[0], 0, one_side=False)
    assert asked is not None
    found = judge(asked, np.array([0, 2]))
    assert found["W1"] == pytest.approx(15.0)  # half at +30 stays, half at 0 moves to -30
    assert found["W1 of views"] == pytest.approx(30.0)
    assert found["entity match"] == 0.5
    assert found["relevance kept"] == pytest.approx(1.0)
    assert found["star W1"] == pytest.approx(30.0)
    assert found["author gap"] == pytest.approx(0.5)
    none = judge(asked, np.array([2]))
    assert math.isnan(none["W1 of views"])
    assert math.isnan(none["star W1"])
    assert math.isnan(none["author gap"])


def test_without_stars_and_groups_the_table_says_so() -> None:
    corpus = made(entities=1)
    bare = replace(
        corpus, stars=np.full(corpus.size, np.nan), attribute="", groups=np.full(corpus.size, -1), names=()
    )
    report = warp_report(bare, SETTINGS)
    table = by_method(report.tables[1])
    assert all(math.isnan(row["star W1"]) and math.isnan(row["author gap"]) for row in table.values())
    assert any("no star W1" in line for line in report.deviations)
    assert any("no author gap" in line for line in report.deviations)


def test_a_choice_that_fails_is_counted_and_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ValueError("cannot")

    monkeypatch.setattr("agents.evaluation.warp.METHODS", {**METHODS, "exact": failing})
    report = warp_report(made(entities=1), SETTINGS)
    table = by_method(report.tables[1])
    assert table["exact"]["failed"] == 1.0
    assert math.isnan(table["exact"]["W1"])
    assert table["relevance"]["failed"] == 0.0
    assert table["relevance"]["W1"] > 0


def test_intervals_are_clustered_by_entity_and_seeded() -> None:
    mean, low, high = clustered(np.array([1.0, 2.0, 3.0, np.nan]), seed=1)
    assert mean == 2.0
    assert 1.0 <= low < 2.0 < high <= 3.0
    assert clustered(np.array([1.0, 2.0, 3.0]), seed=1) == (mean, low, high)
    assert clustered(np.array([5.0]), seed=1) == (5.0, 5.0, 5.0)
    assert all(math.isnan(value) for value in clustered(np.array([np.nan]), seed=1))


def test_the_same_seed_gives_the_same_choices() -> None:
    corpus = made(entities=1)
    first, again, other = (
        {
            name: {key: value for key, value in row.items() if key != "ms"}
            for name, row in measure_entity(
                corpus, corpus.entities[0], replace(SETTINGS, seed=seed), rows()
            ).items()
        }
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first["exact"] == other["exact"]
    assert first["random"] != other["random"]
