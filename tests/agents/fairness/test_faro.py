"""The exact optimiser: golden answers, agreement with HiGHS and enumeration, invariances, bad input."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.fairness.faro import bias_error, prepare, resolve_target, solve
from agents.fairness.faro_problem import RerankProblem
from agents.fairness.faro_repair import window_milp
from agents.fairness.faro_solution import FaroSolution
from agents.fairness.linear_program import solve_linear_program
from tests.agents.fairness.faro_instances import GOLDEN, enumerate_optimum, instances, typical

TAUS = st.sampled_from((0.0, 0.02, 0.1, 0.3))


def check_ranking(problem: RerankProblem, solution: FaroSolution, tau: float, target: float = 0.0) -> None:
    """Structure of any solution, recomputed from the ranking alone."""
    ranking = solution.ranking
    assert ranking.shape == (problem.questions, problem.k)
    assert all(len(set(row)) == problem.k for row in ranking.tolist())
    groups = np.take_along_axis(problem.attribute, ranking, axis=1)
    rb = float((groups @ problem.weights).mean()) + problem.intercept
    assert solution.bias == pytest.approx(rb, abs=1e-12)
    assert solution.relevance == pytest.approx(np.take_along_axis(problem.relevance, ranking, axis=1).sum())
    assert solution.embedding_bias == pytest.approx(groups.mean(axis=0))
    if solution.feasible:
        assert abs(rb - target) <= tau + 1e-9
        assert solution.relevance <= solution.bound + 1e-7
        assert solution.gap >= 0


@pytest.mark.parametrize("case", GOLDEN["faro"], ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    problem = prepare(case["R"], case["a"], case["w"], case["b"])
    solution = solve(problem, case["tau"])
    check_ranking(problem, solution, case["tau"])
    assert solution.reachable == pytest.approx(case["rb_range"], abs=1e-9)
    assert problem.top_relevance == pytest.approx(case["top_rel"], abs=1e-9)
    assert solution.bound == pytest.approx(case["lp_bound"], abs=1e-9)
    if case["opt_rel"] is None:
        assert solution.status == "infeasible_integer"
        assert not solution.feasible
    else:
        assert solution.status in ("natural", "reordered", "optimal")
        assert solution.relevance == pytest.approx(case["opt_rel"], abs=1e-9)
        assert any(abs(solution.bias - rb) < 1e-9 for rb in case["rb_at_opt"])


@settings(max_examples=60, deadline=None)
@given(instances(questions=3, candidates=4, k_most=3), TAUS, st.sampled_from((0.0, 0.2)))
def test_equals_enumeration(arguments: dict[str, Any], tau: float, target: float) -> None:
    problem = prepare(**arguments)
    expected = enumerate_optimum(problem, tau, target)
    solution = solve(problem, tau, target=target)
    check_ranking(problem, solution, tau, target)
    if expected is None:
        assert solution.status in ("infeasible", "infeasible_integer")
    else:
        assert solution.relevance == pytest.approx(expected, abs=1e-9)
        assert solution.gap == 0


@settings(max_examples=60, deadline=None)
@given(instances(questions=8, candidates=10), st.sampled_from((0.02, 0.1, 0.3)))
def test_bound_equals_the_linear_programme(arguments: dict[str, Any], tau: float) -> None:
    problem = prepare(**arguments)
    solution = solve(problem, tau)
    check_ranking(problem, solution, tau)
    relaxed = solve_linear_program(problem, tau)
    if solution.status == "infeasible":
        assert relaxed.status == "infeasible"
        low, high = solution.reachable
        assert solution.bias == pytest.approx(high if high < 0 else low, abs=1e-9)
    else:
        assert relaxed.status == "solved"
        assert solution.bound == pytest.approx(relaxed.bound, abs=1e-6)


@pytest.mark.parametrize(("k", "seed"), [(2, 0), (3, 1), (5, 2)])
def test_integer_optimum_of_highs(k: int, seed: int) -> None:
    problem = typical(np.random.default_rng(seed), 24, k)
    tau = 0.1
    low, high = (24 * (s * tau - problem.intercept) for s in (-1, 1))
    pattern, proven = window_milp(problem, low, high, 20.0)
    assert pattern is not None
    best = np.take_along_axis(problem.relevance, problem.ranking(pattern), axis=1).sum()
    fast = solve(problem, tau)
    assert fast.feasible
    assert fast.relevance <= best + 1e-6
    assert fast.relevance >= best - 5e-3
    if proven:
        exact = solve(problem, tau, effort="exact")
        assert exact.relevance == pytest.approx(best, abs=1e-6)
        assert fast.relevance + fast.gap >= best - 1e-7


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_certified_gap_at_200_questions(k: int) -> None:
    for seed in range(3):
        solution = solve(typical(np.random.default_rng(seed), 200, k), 0.1)
        assert solution.feasible
        assert solution.relative_gap <= 1e-4


@settings(max_examples=40, deadline=None)
@given(instances(), st.sampled_from((0.05, 0.15)), st.integers(0, 10**6))
def test_invariances(arguments: dict[str, Any], tau: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = solve(prepare(**arguments), tau)

    flipped = dict(arguments, attribute=-arguments["attribute"], intercept=-arguments["intercept"])
    assert solve(prepare(**flipped), tau).bound == pytest.approx(base.bound, abs=1e-9, nan_ok=True)

    order = rng.permutation(arguments["relevance"].shape[1])
    shuffled = dict(
        arguments, relevance=arguments["relevance"][:, order], attribute=arguments["attribute"][:, order]
    )
    assert solve(prepare(**shuffled), tau).bound == pytest.approx(base.bound, abs=1e-9, nan_ok=True)

    shifted = dict(arguments, relevance=arguments["relevance"] + 2.0)
    moved = solve(prepare(**shifted), tau)
    added = 2.0 * base.ranking.size
    assert moved.bound == pytest.approx(base.bound + added, abs=1e-9, nan_ok=True)

    scaled = dict(arguments, weights=3.0 * arguments["weights"], intercept=3.0 * arguments["intercept"])
    assert solve(prepare(**scaled), 3.0 * tau).bound == pytest.approx(base.bound, abs=1e-9, nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(instances(), st.sampled_from((0.05, 0.15)))
def test_doubling_the_questions_doubles_bound_and_price(arguments: dict[str, Any], tau: float) -> None:
    base = solve(prepare(**arguments), tau)
    double = dict(
        arguments,
        relevance=np.vstack([arguments["relevance"]] * 2),
        attribute=np.vstack([arguments["attribute"]] * 2),
    )
    twice = solve(prepare(**double), tau)
    assert twice.bound == pytest.approx(2 * base.bound, abs=1e-9, nan_ok=True)
    if base.status == "certified" and twice.status == "certified":
        assert twice.price == pytest.approx(2 * base.price, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(instances())
def test_larger_tolerance_never_lowers_the_bound(arguments: dict[str, Any]) -> None:
    problem = prepare(**arguments)
    bounds = [solve(problem, tau).bound for tau in (0.0, 0.05, 0.1, 0.2, 0.5, 5.0)]
    known = [b for b in bounds if not np.isnan(b)]
    assert bounds[-1] == pytest.approx(problem.top_relevance)
    assert np.isnan(bounds[: len(bounds) - len(known)]).all()
    assert all(x <= y + 1e-9 for x, y in pairwise(known))


@settings(max_examples=40, deadline=None)
@given(instances(), TAUS)
def test_within_a_group_the_more_relevant_stands_first(arguments: dict[str, Any], tau: float) -> None:
    problem = prepare(**arguments)
    solution = solve(problem, tau)
    for q, row in enumerate(solution.ranking):
        for group in (-1, 1):
            shown = problem.relevance[q, row[problem.attribute[q, row] == group]]
            assert (np.diff(shown) <= 0).all()
            members = problem.relevance[q, problem.attribute[q] == group]
            assert shown == pytest.approx(np.sort(members)[::-1][: shown.size])


def test_natural_ranking_is_returned_unchanged() -> None:
    problem = typical(np.random.default_rng(5), 50, 5, skew=0.5, b=0.0)
    solution = solve(problem, 0.5)
    assert solution.status == "natural"
    assert solution.touched == 0
    assert (solution.ranking == problem.natural).all()
    assert solution.normalised_relevance == 1.0


def test_reordering_keeps_every_document() -> None:
    problem = typical(np.random.default_rng(6), 200, 5, skew=0.5, b=-0.25)
    solution = solve(problem, 0.1)
    assert solution.status == "reordered"
    assert solution.relevance == pytest.approx(problem.top_relevance, abs=1e-9)
    assert (np.sort(solution.ranking, axis=1) == np.sort(problem.natural, axis=1)).all()
    assert 0 < solution.touched < 200


@pytest.mark.parametrize("target", [-0.5, -0.3, 0.0, 0.3, 0.5])
def test_many_ties_cost_nothing_when_they_suffice(target: float) -> None:
    rng = np.random.default_rng(12)
    problem = prepare(np.full((150, 10), 0.5), rng.choice((-1, 1), (150, 10)), [0.4, 0.3, 0.1])
    solution = solve(problem, 0.02, target=target)
    assert solution.feasible
    check_ranking(problem, solution, 0.02, target)
    assert solution.relevance == pytest.approx(problem.top_relevance)
    assert solution.gap == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("tau", [1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("skew", [0.5, 0.75])
def test_narrow_windows_are_met(tau: float, skew: float) -> None:
    problem = typical(np.random.default_rng(7), 200, 5, skew=skew)
    solution = solve(problem, tau)
    assert solution.feasible
    check_ranking(problem, solution, tau)
    assert solution.relative_gap <= 1e-3


def test_infeasible_reports_the_best_reachable_bias() -> None:
    problem = typical(np.random.default_rng(8), 30, 3, b=-3.0)
    solution = solve(problem, 0.1)
    assert solution.status == "infeasible"
    assert solution.bias == pytest.approx(solution.reachable[1])
    assert np.isnan(solution.gap)
    assert np.isnan(solution.bound)


def test_integer_infeasible_comes_as_near_as_possible() -> None:
    problem = prepare([[0.9, 0.8, 0.7]], [[-1, -1, 1]], [0.6, 0.25])
    solution = solve(problem, 0.1)
    assert solution.status == "infeasible_integer"
    assert abs(solution.bias) == pytest.approx(0.35)


def test_targets() -> None:
    problem = typical(np.random.default_rng(9), 40, 3, skew=0.7)
    assert resolve_target("parity", problem) == 0.0
    assert resolve_target("proportional", problem) == pytest.approx(problem.attribute.mean())
    assert resolve_target("proportional", problem, 0.3) == 0.3
    assert abs(solve(problem, 0.01, target="proportional", population=-0.4).bias + 0.4) <= 0.01 + 1e-9
    assert abs(solve(problem, 0.01, target=0.15).bias - 0.15) <= 0.01 + 1e-9
    for bad in (float("nan"), "balanced"):
        with pytest.raises(ValueError, match="target"):
            solve(problem, 0.1, target=bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="population"):
        solve(problem, 0.1, target="proportional", population=2.0)


def test_margin_keeps_the_interval_of_the_prediction_inside() -> None:
    problem = typical(np.random.default_rng(10), 200, 3)
    covariance = np.diag([0.02, 0.02, 0.02, 0.01]) ** 2
    solution = solve(problem, 0.1, covariance=covariance, z=1.96)
    error = bias_error(solution.embedding_bias, covariance)
    assert solution.standard_error == pytest.approx(error)
    assert abs(solution.bias) + 1.96 * error <= 0.1 + 1e-6
    assert solution.relevance < solve(problem, 0.1).relevance
    assert solution.margin_kept
    assert solution.margin == pytest.approx(1.96 * error)
    hopeless = solve(problem, 0.1, covariance=100 * covariance, z=1.96)
    assert hopeless.margin > 0.1
    assert hopeless.feasible
    assert not hopeless.margin_kept
    assert hopeless.tau == pytest.approx(0.01)
    with pytest.raises(ValueError, match="covariance"):
        solve(problem, 0.1, covariance=np.eye(3), z=1.0)
    with pytest.raises(ValueError, match=r"^z:"):
        solve(problem, 0.1, covariance=covariance, z=-1.0)


def test_single_question_as_a_vector() -> None:
    solution = solve(prepare([0.9, 0.8, 0.7, 0.6], [-1, -1, 1, 1], [0.5, 0.3]), 0.25)
    assert solution.ranking.shape == (1, 2)
    assert solution.bias == pytest.approx(-0.2)
    assert solution.status == "optimal"


GOOD: dict[str, Any] = {
    "relevance": [[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]],
    "attribute": [[1, -1, 1], [-1, 1, -1]],
    "weights": [0.5, 0.2],
}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"relevance": [[0.9, np.nan, 0.7], [0.6, 0.5, 0.4]]}, "relevance"),
        ({"relevance": [[0.9, np.inf, 0.7], [0.6, 0.5, 0.4]]}, "relevance"),
        ({"relevance": []}, "relevance"),
        ({"relevance": [[0.9], [0.8]], "attribute": [[1], [1]]}, "relevance"),
        ({"attribute": [[1, -1], [1, -1]]}, "attribute"),
        ({"attribute": [[1, 0, 1], [-1, 1, -1]]}, "attribute"),
        ({"weights": []}, "weights"),
        ({"weights": [[0.5, 0.2]]}, "weights"),
        ({"weights": [0.5, np.nan]}, "weights"),
        ({"intercept": np.inf}, "intercept"),
        ({"present": [[True, True], [True, True]]}, "present"),
        ({"present": [[True, False, False], [True, True, True]]}, "relevance"),
        ({"documents": [1, 2, 3]}, "documents"),
        ({"documents": [[1, 1, 2], [1, 2, 3]]}, "documents"),
    ],
)
def test_bad_input_names_the_argument(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        prepare(**{**GOOD, **change})


@pytest.mark.parametrize("tau", [-0.1, float("nan"), float("inf")])
def test_bad_tolerance(tau: float) -> None:
    with pytest.raises(ValueError, match="tau"):
        solve(prepare(**GOOD), tau)


def test_duplicates_are_collapsed_and_counted() -> None:
    problem = prepare([[0.9, 0.85, 0.8, 0.1]], [[1, 1, -1, -1]], [0.5, 0.2], documents=[["x", "x", "y", "z"]])
    assert problem.collapsed == 1
    solution = solve(problem, 5.0)
    assert solution.collapsed == 1
    assert solution.ranking.tolist() == [[0, 2]]
    with pytest.raises(ValueError, match="distinct"):
        prepare([[0.9, 0.85]], [[1, 1]], [0.5, 0.2], documents=[["x", "x"]])


def test_padding_is_never_shown() -> None:
    rng = np.random.default_rng(11)
    R, a = rng.random((30, 12)), rng.choice((-1, 1), (30, 12))
    present = np.arange(12)[None, :] < rng.integers(4, 13, 30)[:, None]
    R[~present] = np.nan
    problem = prepare(R, a, [0.4, 0.3, 0.1], 0.3, present=present)
    solution = solve(problem, 0.05)
    assert np.take_along_axis(present, solution.ranking, axis=1).all()
    relaxed = solve_linear_program(problem, 0.05)
    assert solution.bound == pytest.approx(relaxed.bound, abs=1e-6)


def test_one_empty_group_is_marked() -> None:
    problem = prepare([[0.9, 0.8, 0.7]] * 4, [[1, 1, 1]] * 4, [0.5, 0.2])
    solution = solve(problem, 0.1)
    assert solution.status == "infeasible"
    assert solution.reachable == pytest.approx((0.7, 0.7))


def test_of_copies_the_most_relevant_is_kept_wherever_it_stands() -> None:
    problem = prepare([[0.2, 0.8, 0.9, 0.1]], [[1, -1, 1, -1]], [0.5, 0.2], documents=[["x", "y", "x", "z"]])
    assert problem.natural.tolist() == [[2, 1]]
    assert solve(problem, 5.0).relevance == pytest.approx(1.7)
