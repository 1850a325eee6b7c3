"""Order of a chosen set: against every permutation, and at sizes where only bounds can be checked."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.fairness.position import order_for_target
from agents.fairness.position_sums import nearest_sum


@settings(max_examples=250, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 6), st.sampled_from((0.0, 0.02, 0.1)), st.integers(1, 5))
def test_equals_every_permutation(seed: int, k: int, tolerance: float, decimals: int) -> None:
    rng = np.random.default_rng(seed)
    r = np.round(rng.random(k), decimals)
    a = rng.choice((-1, 0, 1), k)
    w = np.round(rng.normal(0.1, 0.3, k), decimals)
    b, target = float(rng.normal(0, 0.1)), float(rng.normal(0, 0.4))
    result = order_for_target(r, a, w, b, target=target, tolerance=tolerance)
    natural = np.argsort(-r, kind="stable")
    rank = np.argsort(natural)
    distances = {
        p: max(0.0, abs(float(a[list(p)] @ w) + b - target) - tolerance) for p in permutations(range(k))
    }
    least = min(distances.values())
    assert result.exact
    assert result.distance == pytest.approx(least, abs=1e-9)
    assert result.met == (least <= 1e-9)
    assert result.predicted == pytest.approx(float(a[result.order] @ w) + b)
    biases = [float(a[list(p)] @ w) + b for p in distances]
    assert result.reachable == pytest.approx((min(biases), max(biases)))
    if distances[tuple(natural.tolist())] <= 1e-9:
        assert result.unchanged
        assert (result.order == natural).all()
    else:
        first = min(tuple(rank[list(p)]) for p, d in distances.items() if d <= least + 1e-10)
        assert tuple(rank[result.order]) == first


@pytest.mark.parametrize("k", [10, 20, 40, 60])
@pytest.mark.parametrize("neutral", [False, True])
def test_large_sets_meet_a_reachable_target(k: int, neutral: bool) -> None:
    rng = np.random.default_rng(k)
    w = rng.normal(0.05, 0.1, k)
    r = rng.random(k)
    a = rng.choice((-1, 0, 1) if neutral else (-1, 1), k)
    middle = np.mean(order_for_target(r, a, w, tolerance=100).reachable)
    result = order_for_target(r, a, w, target=float(middle), tolerance=0.02)
    assert result.met
    assert result.exact
    assert sorted(result.order.tolist()) == list(range(k))
    for group in (-1, 0, 1):
        assert (np.diff(r[result.order[a[result.order] == group]]) <= 0).all()


@pytest.mark.parametrize("sign", [-1, 1])
def test_unreachable_target_gives_the_extreme_order(sign: int) -> None:
    rng = np.random.default_rng(1)
    w, r, a = rng.normal(0, 0.2, 30), rng.random(30), rng.choice((-1, 0, 1), 30)
    result = order_for_target(r, a, w, 0.1, target=50.0 * sign)
    extreme = float(np.sort(w) @ np.sort(a)) if sign > 0 else float(np.sort(w) @ np.sort(a)[::-1])
    assert result.predicted == pytest.approx(extreme + 0.1)
    assert result.exact
    assert not result.met


def test_lattice_weights_stay_exact_at_sixty() -> None:
    w = np.tile([0.03, 0.02, 0.01], 20)
    a = np.repeat([1, -1], 30)
    result = order_for_target(np.linspace(1, 0, 60), a, w, target=0.005)
    assert result.exact
    assert result.distance == pytest.approx(0.005)


def test_nearest_sum_equals_enumeration_of_twelve_positions() -> None:
    rng = np.random.default_rng(2)
    w = rng.normal(0, 0.2, 12)
    signs = np.array(np.meshgrid(*[(-1, 1)] * 12)).reshape(12, -1).T
    sums = (signs @ w)[(signs == 1).sum(axis=1) == 5]
    for wanted in (-0.3, 0.0, 0.123):
        found = nearest_sum(w, (5, 7), wanted)
        assert found.exact
        assert abs(found.total - wanted) == pytest.approx(np.abs(sums - wanted).min(), abs=1e-12)
        assert (found.groups == 1).sum() == 5


def test_one_polarity_only_keeps_the_relevance_order() -> None:
    result = order_for_target([0.2, 0.9, 0.5], [1, 1, 1], [0.5, 0.3, 0.1], target=0.0)
    assert result.order.tolist() == [1, 2, 0]
    assert result.unchanged
    assert not result.met


GOOD: dict[str, Any] = {"relevance": [0.9, 0.8], "polarity": [1, -1], "weights": [0.5, 0.2]}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"relevance": []}, "relevance"),
        ({"relevance": [np.nan, 0.8]}, "relevance"),
        ({"relevance": [0.5] * 79}, "relevance"),
        ({"polarity": [1]}, "polarity"),
        ({"polarity": [1, 2]}, "polarity"),
        ({"weights": [0.5]}, "weights"),
        ({"weights": [0.5, np.inf]}, "weights"),
        ({"intercept": np.nan}, "intercept"),
        ({"target": np.nan}, "target"),
        ({"tolerance": -0.1}, "tolerance"),
    ],
)
def test_bad_input(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        order_for_target(**{**GOOD, **change})
