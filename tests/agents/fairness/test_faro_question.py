"""One question with a neutral third type: against every ranking, and against the multi-group programme."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.fairness import position, position_sums
from agents.fairness.faro_question import solve_question
from agents.fairness.multigroup import prepare_types, solve_multigroup


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 4), st.sampled_from((0.0, 0.03, 0.15)))
def test_equals_every_ranking(seed: int, k: int, tau: float) -> None:
    rng = np.random.default_rng(seed)
    N = int(rng.integers(k, 7))
    r, a = np.round(rng.random(N), 1 + seed % 3), rng.choice((-1, 0, 1), N)
    w = np.round(rng.normal(0.1, 0.3, k), 1 + seed % 4)
    b, target = float(np.round(rng.normal(0, 0.2), 2)), float(np.round(rng.normal(0, 0.3), 1))
    result = solve_question(r, a, w, b, target=target, tau=tau)
    rankings = [list(p) for p in permutations(range(N), k)]
    outside = np.array([max(0.0, abs(float(a[p] @ w) + b - target) - tau) for p in rankings])
    assert result.predicted == pytest.approx(float(a[result.ranking] @ w) + b)
    assert result.relevance == pytest.approx(r[result.ranking].sum())
    assert len(set(result.ranking.tolist())) == k
    if outside.min() <= 1e-9:
        assert result.feasible
        best = max(r[p].sum() for p, o in zip(rankings, outside, strict=True) if o <= 1e-9)
        assert result.relevance == pytest.approx(best, abs=1e-9)
    else:
        assert result.status == "infeasible"
        assert abs(result.predicted - target) - tau == pytest.approx(outside.min(), abs=1e-8)
    natural = np.argsort(-r, kind="stable")[:k]
    if abs(float(a[natural] @ w) + b - target) <= tau:
        assert result.status == "natural"
        assert (result.ranking == natural).all()


@pytest.mark.parametrize("k", [5, 10, 20])
def test_agrees_with_the_multigroup_programme(k: int) -> None:
    rng = np.random.default_rng(k)
    w = np.arange(1, k + 1) ** -0.7
    w = np.round(0.9 * w / w.sum(), 4)
    for _ in range(3):
        r, a = rng.random(200), rng.choice((-1, 0, 1), p=(0.1, 0.2, 0.7), size=200)
        ours = solve_question(r, a, w, 0.05, target=-0.2, tau=0.05)
        several = solve_multigroup(prepare_types(r, a + 1, [[-1.0], [0.0], [1.0]], w, 0.05), 0.05, -0.2)
        assert ours.status in ("natural", "reordered", "optimal")
        assert ours.relevance >= several.relevance - 1e-9
        assert ours.relevance <= several.bound + 1e-6


def test_infeasible_is_nearest() -> None:
    result = solve_question([0.9, 0.8, 0.7], [1, 1, 1], [0.5, 0.2], target=0.0)
    assert result.status == "infeasible"
    assert result.predicted == pytest.approx(0.7)
    assert result.reachable == pytest.approx((0.7, 0.7))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"relevance": [np.nan, 0.1]}, "relevance"),
        ({"relevance": []}, "relevance"),
        ({"weights": [0.1, 0.2, 0.3]}, "relevance"),
        ({"polarity": [1]}, "polarity"),
        ({"polarity": [1, 3]}, "polarity"),
        ({"weights": []}, "weights"),
        ({"tau": -1.0}, "tau"),
        ({"target": np.nan}, "target"),
        ({"intercept": np.inf}, "intercept"),
    ],
)
def test_bad_input(change: dict[str, Any], named: str) -> None:
    good: dict[str, Any] = {"relevance": [0.9, 0.8], "polarity": [1, -1], "weights": [0.5]}
    with pytest.raises(ValueError, match=named):
        solve_question(**{**good, **change})


def test_a_search_that_gave_up_claims_no_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(6, 9))
        r, a = np.round(rng.random(k + 3), 2), rng.choice((-1, 0, 1), k + 3)
        w, target = np.round(rng.random(k) * 0.5, 2), float(np.round(rng.normal(0, 0.3), 1))
        cases.append((r, a, w, target, solve_question(r, a, w, target=target, tau=0.001)))
    monkeypatch.setattr(position, "QUICK_NODES", 20)
    monkeypatch.setattr(position, "MAX_NODES", 20)
    monkeypatch.setattr(position, "suffix_tables", lambda _weights, _counts: {})
    monkeypatch.setattr(position_sums, "HALF_LIMIT", 1)
    worse = 0
    for r, a, w, target, best in cases:
        found = solve_question(r, a, w, target=target, tau=0.001)
        if found.status == "optimal":
            assert found.relevance == pytest.approx(best.relevance)
        if found.status == "infeasible":
            assert not best.feasible
        worse += found.status == "certified" and found.relevance < best.relevance - 1e-9
    assert worse > 5, "the search gave up where it mattered"


def test_the_relevance_ranking_stands_where_another_choice_ties_but_for_rounding() -> None:
    r = [0.7, 0.4, 0.7, 0.4]
    assert 0.7 + (0.7 + 0.4) > (0.7 + 0.7) + 0.4, "documents 0, 2, 3 seem to be worth more than 0, 2, 1"
    result = solve_question(r, [-1, 0, 1, 1], [0.4, 0.2, 0.0], tau=0.2)
    assert result.status == "natural"
    assert result.ranking.tolist() == [0, 2, 1]
