"""Several groups: verdicts do not mind the unit of relevance, one pattern a question ends, infeasible is nearest."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from agents.fairness import multigroup
from agents.fairness.faro import prepare, solve
from agents.fairness.multigroup import oracle, prepare_types, solve_multigroup
from agents.fairness.multigroup_columns import relax_by_columns
from agents.fairness.multigroup_programme import least_excess, normalised
from agents.fairness.scale import zero_and_unit

SCALES = (1e-9, 1e-6, 1.0, 30.0, 1e6)
SIGNS = [[-1.0], [0.0], [1.0]]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("same_as_shown", [False, True])
def test_one_pattern_a_question_is_infeasible_and_no_error(scale: float, same_as_shown: bool) -> None:
    # Nothing but documents of one type, or no more documents than ranks: there are no alternatives to mix.
    rng = np.random.default_rng(0)
    N, w = (5, [0.4, 0.3, 0.15, 0.1, 0.05]) if same_as_shown else (8, [0.2] * 5)
    types = np.full((200, N), 1)
    problem = prepare_types(scale * rng.random((200, N)), types, SIGNS, w)
    for target in (1e-3, 0.4):
        missed = solve_multigroup(problem, 0.0, target)
        assert missed.status == "infeasible"
        assert missed.violation == pytest.approx(target)
        assert missed.relevance / scale == pytest.approx(problem.top_relevance / scale)
    assert solve_multigroup(problem, 0.0).status == "natural"


def test_the_columns_of_one_pattern_a_question() -> None:
    problem = prepare_types(np.random.default_rng(1).random((50, 6)), np.ones((50, 6)), SIGNS, [0.4, 0.3])
    missed = relax_by_columns(problem, np.array([0.001]), np.array([0.002]))
    assert not missed.feasible
    met = relax_by_columns(problem, np.array([-0.001]), np.array([0.002]))
    assert met.feasible
    assert met.whole is not None
    assert met.bound == pytest.approx(problem.top_relevance)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("questions", "large"), [(4, False), (6, False), (30, False), (30, True)])
def test_verdict_bound_and_relevance_do_not_mind_the_unit(
    questions: int, large: bool, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multigroup, "LARGE", 0 if large else multigroup.LARGE)
    rng = np.random.default_rng(0)
    R, types = rng.random((30, 12))[:questions], rng.choice(3, size=(30, 12), p=[0.7, 0.2, 0.1])[:questions]
    w, wanted = [0.5, 0.3, 0.2], 1 / 3
    usual = solve_multigroup(prepare_types(R, types, np.eye(3), w), 0.03, wanted)
    for offset in (0.0, 7.0):
        other = solve_multigroup(prepare_types((R + offset) * scale, types, np.eye(3), w), 0.03, wanted)
        assert other.status == usual.status
        assert other.bound / scale == pytest.approx(usual.bound + offset * questions * 3, abs=1e-7)
        assert other.relevance / scale == pytest.approx(usual.relevance + offset * questions * 3, abs=1e-4)
        assert other.relevance <= other.bound + 1e-9 * scale * questions
        assert other.price / scale == pytest.approx(usual.price, abs=1e-5)
        assert other.violation <= 1e-9


@pytest.mark.parametrize("scale", SCALES)
def test_tiny_instances_equal_enumeration_at_every_scale(scale: float) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        R, types = np.round(rng.random((2, 4)), 2) * scale, rng.integers(0, 3, (2, 4))
        w, V, target = np.array([0.4, 0.25]), np.eye(3), np.full(3, 0.65 / 3)
        best = -np.inf
        for shown in product(permutations(range(4), 2), repeat=2):
            index = np.array(shown)
            rb = np.einsum("p,qpd->d", w, V[np.take_along_axis(types, index, axis=1)]) / 2
            if (np.abs(rb - target) <= 0.15 + 1e-9).all():
                best = max(best, float(np.take_along_axis(R, index, axis=1).sum()))
        solution = solve_multigroup(prepare_types(R, types, V, w), 0.15, target)
        assert solution.feasible == (best > -np.inf)
        if solution.feasible:
            assert solution.relevance / scale == pytest.approx(best / scale, abs=1e-9)
            assert solution.bound / scale >= best / scale - 1e-9


@pytest.mark.parametrize("scale", SCALES)
def test_one_binary_attribute_has_the_bound_of_the_events(scale: float) -> None:
    rng = np.random.default_rng(2)
    R, a, w = rng.random((9, 8)) * scale, rng.choice([-1, 1], size=(9, 8), p=[0.2, 0.8]), [0.4, 0.2, 0.1]
    exact = solve(prepare(R, a, w), 0.05)
    several = solve_multigroup(prepare_types(R, (a > 0).astype(int), [[-1.0], [1.0]], w), 0.05)
    assert several.bound / scale == pytest.approx(exact.bound / scale, abs=1e-8)


def test_the_bound_holds_whatever_the_solver_took_for_met() -> None:
    rng = np.random.default_rng(5)
    problem = prepare_types(rng.random((20, 10)), rng.integers(0, 3, (20, 10)), np.eye(3), [0.5, 0.3, 0.2])
    low, high = np.full(3, 20 * 0.3), np.full(3, 20 * 0.37)
    relaxed = multigroup._relax(problem, low, high)
    assert relaxed is not None
    nu = relaxed[3] / 20
    assert relaxed[2] == oracle(problem, nu).value.sum() + np.where(nu > 0, high, low) @ nu


@pytest.mark.parametrize("seed", range(30))
def test_infeasible_comes_as_near_as_any_ranking_and_then_is_the_most_relevant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Q, k, G = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    N = k + int(rng.integers(0, 2))
    R, types, w = rng.random((Q, N)), rng.integers(0, G, (Q, N)), np.round(rng.random(k), 3)
    V = np.eye(G) if seed % 2 else np.round(rng.normal(size=(G, 2)), 1)
    target = np.round(rng.normal(0, 0.5, V.shape[1]), 2)
    solution = solve_multigroup(prepare_types(R, types, V, w), 0.01, target)
    assert not solution.feasible
    best = (np.inf, 0.0, 0.0)
    for shown in product(permutations(range(N), k), repeat=Q):
        index = np.array(shown)
        rb = np.einsum("p,qpd->d", w, V[np.take_along_axis(types, index, axis=1)]) / Q
        excess = np.maximum(np.abs(rb - target) - 0.01, 0.0)
        relevance = float(np.take_along_axis(R, index, axis=1).sum())
        best = min(best, (round(float(excess.max()), 7), round(float(excess.sum()), 7), -relevance))
    excess = np.maximum(np.abs(solution.bias - target) - 0.01, 0.0)
    assert solution.violation == pytest.approx(best[0], abs=1e-6)
    assert excess.sum() == pytest.approx(best[1], abs=1e-6)
    assert solution.relevance == pytest.approx(-best[2], abs=1e-9)


def test_without_time_the_nearest_rankings_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    problem = prepare_types(rng.random((3, 5)), rng.integers(0, 3, (3, 5)), np.eye(3), [0.5, 0.3, 0.2])
    assert least_excess(problem, np.full(3, 9.0), np.full(3, 9.1), 0.0) is None
    monkeypatch.setattr(multigroup, "NEAREST_LIMIT", 0.0)
    assert solve_multigroup(problem, 0.01, 3.0).status == "infeasible"


def test_most_relevances_come_to_lie_between_0_and_1() -> None:
    R = np.random.default_rng(0).uniform(40, 60, (9, 30))
    R[0, 0] = -1e9
    zero, unit = zero_and_unit(R, np.ones(R.shape, bool))
    scaled = (R[1:] - zero) / unit
    assert scaled.min() > -0.2
    assert scaled.max() < 1.2
    assert zero_and_unit(np.full((2, 3), 4.0), np.ones((2, 3), bool)) == (4.0, 4.0)
    assert zero_and_unit(np.zeros((2, 3)), np.ones((2, 3), bool)) == (0.0, 1.0)
    assert zero_and_unit(np.array([[1.0, 9.0, 3.0]]), np.array([[True, False, True]])) == (1.0, 2.0)
    apart = np.array([[1.0, 1.0], [4.0, 4.0], [5.0, 5.0]])
    assert zero_and_unit(apart, np.ones(apart.shape, bool)) == (4.0, 4.0)


def test_a_normalised_problem_is_the_same_problem() -> None:
    rng = np.random.default_rng(6)
    R, present = rng.normal(5, 2, (4, 6)), rng.random((4, 6)) < 0.9
    present[:, :3] = True
    problem = prepare_types(
        np.where(present, R, np.nan), rng.integers(0, 3, (4, 6)), np.eye(3), [0.6, 0.4], present=present
    )
    scaled, unit, offset = normalised(problem)
    price = rng.normal(size=3)
    answer, other = oracle(problem, price * unit), oracle(scaled, price)
    assert np.array_equal(answer.pattern, other.pattern)
    assert answer.value.sum() == pytest.approx(offset + unit * other.value.sum())
    assert scaled.relevance_of(problem.natural) * unit + offset == pytest.approx(problem.top_relevance)
