"""The soft objective finds the best ranking, ties included; statuses and bounds do not mind the unit of relevance."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from agents.fairness.distance import BINS
from agents.fairness.faro import prepare, solve
from agents.fairness.faro_frontier import solve_soft
from agents.fairness.faro_repair import window_milp
from agents.fairness.linear_program import solve_linear_program
from agents.fairness.multigroup_problem import prepare_types
from agents.fairness.multigroup_soft import solve_soft_types
from agents.fairness.pool import Pool
from agents.fairness.ranked_methods import linear_program
from agents.fairness.soft_search import Exchange, best_exchange, best_sum, partway

SCALES = (1e-9, 1e-6, 1.0, 30.0, 1e6)


def best_of_all(
    R: np.ndarray, v: np.ndarray, w: np.ndarray, b: float, strength: float, target: float
) -> float:
    """Largest soft objective over every ranking of every question."""
    sums = {0.0: 0.0}
    for relevance, own in zip(R, v, strict=True):
        options: dict[float, float] = {}
        for ranking in permutations(range(relevance.size), w.size):
            bias = round(float(own[list(ranking)] @ w), 10)
            options[bias] = max(options.get(bias, -np.inf), float(relevance[list(ranking)].sum()))
        joined: dict[float, float] = {}
        for bias, worth in sums.items():
            for more, gain in options.items():
                key = round(bias + more, 10)
                joined[key] = max(joined.get(key, -np.inf), worth + gain)
        sums = joined
    return max(worth - strength * (bias / len(R) + b - target) ** 2 for bias, worth in sums.items())


def test_equally_relevant_documents_take_the_side_that_is_wanted() -> None:
    soft = solve_soft(prepare([[1.0, 1.0]], [[1, -1]], [0.33], 0.2), 100.0, -0.3)
    assert soft.ranking.tolist() == [[1]]
    assert soft.objective == pytest.approx(-1.89)
    assert soft.objective == pytest.approx(soft.bound)


def test_a_ranking_between_breakpoints_is_found() -> None:
    soft = solve_soft(prepare([[0.3, 0.4, 0.3]], [[-1, -1, 1]], [0.5, 0.77], 0.2), 100.0)
    assert soft.bias == pytest.approx(-0.07)
    assert soft.objective == pytest.approx(0.21)


@pytest.mark.parametrize("target", [0.0, 0.3, -0.3])
@pytest.mark.parametrize("decimals", [0, 1, 4])
def test_ties_leave_no_gap_for_many_questions(decimals: int, target: float) -> None:
    rng = np.random.default_rng(0)
    R, a = np.round(rng.random((200, 20)), decimals), rng.choice([-1, 1], size=(200, 20))
    w = [0.3, 0.2, 0.1]
    binary = solve_soft(prepare(R, a, w, -0.1), 1000.0, target)
    typed = solve_soft_types(prepare_types(R, (a > 0).astype(int), [[-1.0], [1.0]], w, -0.1), 1000.0, target)
    for soft in (binary, typed):
        assert 0 <= soft.bound - soft.objective + 1e-9 <= 2e-3
    assert typed.bound == pytest.approx(binary.bound, abs=1e-6)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(12))
def test_few_questions_equal_enumeration_at_every_scale(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    Q, k = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    N = k + int(rng.integers(0, 3))
    R = np.round(rng.random((Q, N)), 1 + 3 * (seed % 2)) * scale
    w = np.round(rng.normal(0.1, 0.3, k), 3) if seed % 3 else np.full(k, 1 / k)
    b, target = 0.2 * (seed % 2), float(np.round(rng.normal(0, 0.3), 2))
    strength = float(rng.choice([0.3, 10.0, 1e4])) * scale
    a = rng.choice([-1, 1], size=(Q, N))
    size = scale * (1 + strength / scale)
    binary = solve_soft(prepare(R, a, w, b), strength, target)
    assert binary.objective == pytest.approx(
        best_of_all(R, a.astype(float), w, b, strength, target), abs=1e-9 * size
    )
    vectors = np.array([[-1.0], [0.0], [1.0], [0.4]])
    types = rng.integers(0, 4, (Q, N))
    typed = solve_soft_types(prepare_types(R, types, vectors, w, b), strength, target)
    assert typed.objective == pytest.approx(
        best_of_all(R, vectors[types][:, :, 0], w, b, strength, target), abs=1e-9 * size
    )


@pytest.mark.parametrize("scale", SCALES)
def test_the_soft_answer_of_many_questions_does_not_mind_the_unit(scale: float) -> None:
    rng = np.random.default_rng(4)
    R, types, w = rng.random((30, 15)), rng.integers(0, 3, (30, 15)), [0.4, 0.3, 0.2, 0.1]
    vectors = [[-1.0], [0.0], [1.0]]
    usual = solve_soft_types(prepare_types(R, types, vectors, w), 50.0, 0.2)
    other = solve_soft_types(prepare_types(R * scale, types, vectors, w), 50.0 * scale, 0.2)
    assert other.bound / scale == pytest.approx(usual.bound, abs=1e-8)
    assert other.objective / scale == pytest.approx(usual.objective, abs=1e-4)
    assert usual.bound - usual.objective <= 1e-3


def test_exchanges_close_the_gap_that_breakpoints_leave() -> None:
    rng = np.random.default_rng(1)
    for seed in range(6):
        R, a = rng.random((20, 10)), rng.choice([-1, 1], size=(20, 10), p=[0.3, 0.7])
        soft = solve_soft(prepare(R, a, [0.31, 0.22, 0.17, 0.05]), 1e5 * (1 + seed))
        assert soft.bound - soft.objective <= 0.1


def test_no_strength_keeps_the_relevance_ranking() -> None:
    problem = prepare([[0.5, 0.5, 0.4]], [[1, -1, 1]], [0.3, 0.1])
    assert np.array_equal(solve_soft(problem, 0.0, -9.0).ranking, problem.natural)


def test_sums_are_told_apart_or_given_up() -> None:
    many = [(np.arange(512.0) * (1 + np.sqrt(q + 2)), -np.arange(512.0)) for q in range(3)]
    assert best_sum(many, lambda total, worth: worth) is None
    few = [(np.array([0.0, 1.0, 1.0]), np.array([0.0, -5.0, -3.0])), (np.array([0.0]), np.array([-np.inf]))]
    assert best_sum(few[:1], lambda total, worth: worth + 10 * total) == [2]


def test_partway_stops_on_both_sides() -> None:
    below, above = partway(np.array([0.5, 0.3, -1.0, 0.2]), 0.75)
    assert (below, above) == ([0, 3], [0, 3, 1])
    assert partway(np.array([0.1]), 1.0) == ([0], [0])


def test_an_exchange_must_gain() -> None:
    moves = Exchange(np.array([0, 1]), np.array([0.4, -0.4]), np.array([0.0, 0.0]))
    members, gain = best_exchange(moves, 0.5, 0.0, 2.0, 0.5)
    assert members == (1,)
    assert gain == pytest.approx(2.0 * (0.25 - 0.01))
    assert best_exchange(moves, 0.0, 0.0, 2.0, 0.1) == ((), 0.0)
    assert best_exchange(moves, 0.5, 0.0, 0.0, 0.5) == ((), 0.0)


def skewed(seed: int, scale: float) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    R = rng.random((12, k + 6))
    return R * scale, rng.choice([-1, 1], size=R.shape, p=[0.3, 0.7]), rng.random(k) / k


@pytest.mark.parametrize("scale", SCALES)
def test_statuses_do_not_mind_the_unit(scale: float) -> None:
    for seed in range(25):
        usual, other = solve(prepare(*skewed(seed, 1.0)), 0.01), solve(prepare(*skewed(seed, scale)), 0.01)
        assert other.status == usual.status
        assert other.relevance / scale == pytest.approx(usual.relevance, abs=1e-9)
        assert other.bound / scale == pytest.approx(usual.bound, abs=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_the_window_in_integers_does_not_mind_the_unit(scale: float) -> None:
    for seed in range(4):
        R, a, w = skewed(seed, 1.0)
        best = []
        for factor in (1.0, scale):
            problem = prepare(R[:5] * factor, a[:5], w)
            pattern, proven = window_milp(problem, -0.2, 0.2, 20.0)
            assert pattern is not None
            assert proven
            rows = np.arange(5)
            best.append(problem.relevance_by_count[rows, pattern.sum(axis=1)].sum() / factor)
        assert best[1] == pytest.approx(best[0], abs=1e-9)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", [10, 27, 55, 58])
def test_the_linear_programme_bounds_every_scale(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    rng.random(20), rng.choice(BINS, 20)
    R, a, w = (
        np.round(rng.random((6, 8)), 1),
        rng.choice([-1, 1], size=(6, 8), p=[0.3, 0.7]),
        rng.random(3) / 3,
    )
    exact = solve(prepare(R, a, w), 0.02).bound
    assert solve_linear_program(prepare(R * scale, a, w), 0.02).bound / scale == pytest.approx(
        exact, abs=1e-7
    )
    higher = solve_linear_program(prepare((R + 5) * scale, a, w), 0.02)
    assert higher.bound / scale == pytest.approx(exact + 5 * 6 * 3, abs=1e-6)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(3))
def test_lp_shows_the_same_documents_at_every_scale(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    r, score = rng.random(20), rng.choice(BINS, 20)
    shown = [
        linear_program(
            Pool(relevance=r * factor, score=score, population=np.full(7, 1 / 7)),
            5,
            np.random.default_rng(0),
            tau=0.05,
        ).indices.tolist()
        for factor in (1.0, scale)
    ]
    assert shown[0] == shown[1]
