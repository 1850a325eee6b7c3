"""Several groups and attributes: golden answers, the oracle against Hungarian, bounds, the binary case."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from agents.fairness import multigroup
from agents.fairness.faro import prepare, solve
from agents.fairness.multigroup import combine, group_target, oracle, prepare_types, solve_multigroup
from agents.fairness.multigroup_columns import relax_by_columns
from tests.agents.fairness.faro_instances import GOLDEN, instances, typical


@pytest.mark.parametrize("case", GOLDEN["multi"], ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    problem = prepare_types(case["R"], case["type"], case["V"], case["w"], case["b"])
    solution = solve_multigroup(problem, case["tau"], case["target"])
    assert solution.status == "optimal"
    assert solution.relevance == pytest.approx(case["opt_rel"], abs=1e-9)
    assert solution.bound == pytest.approx(case["lp_bound"], abs=1e-9)
    nu = np.array(case["mu_check"]["mu"]) / problem.questions
    assert oracle(problem, nu).value.sum() == pytest.approx(case["mu_check"]["value"], abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_oracle_equals_hungarian(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Q, T, d, k = (int(x) for x in rng.integers((1, 1, 1, 1), (6, 5, 4, 5)))
    N = int(rng.integers(k, 10))
    V = rng.normal(size=(T, d)) if seed % 2 else np.eye(T)
    R, types = np.round(rng.random((Q, N)), 1 + seed % 3), rng.integers(0, T, (Q, N))
    w, nu = rng.normal(0.1, 0.3, k), rng.normal(0, 0.5, V.shape[1])
    problem = prepare_types(R, types, V, w)
    answer = oracle(problem, nu)
    ranking = problem.ranking(answer.pattern)
    for q in range(Q):
        reward = R[q][:, None] - w[None, :] * (V[types[q]] @ nu)[:, None]
        rows, columns = linear_sum_assignment(reward, maximize=True)
        assert answer.value[q] == pytest.approx(reward[rows, columns].sum(), abs=1e-9)
        assert reward[ranking[q], np.arange(k)].sum() == pytest.approx(answer.value[q], abs=1e-9)
        assert answer.counts[q].sum() == k
    dual = answer.value.sum() + Q * nu @ problem.intercept
    assert np.isfinite(dual)


@settings(max_examples=25, deadline=None)
@given(instances(questions=6), st.sampled_from((0.05, 0.2)))
def test_one_binary_attribute_reproduces_the_binary_bound(arguments: dict[str, Any], tau: float) -> None:
    binary = solve(prepare(**arguments), tau)
    types = (arguments["attribute"] > 0).astype(int)
    problem = prepare_types(
        arguments["relevance"], types, [[-1.0], [1.0]], arguments["weights"], arguments["intercept"]
    )
    several = solve_multigroup(problem, tau)
    assert (several.status == "infeasible") == (binary.status == "infeasible")
    if several.status == "infeasible":
        assert several.bias[0] == pytest.approx(binary.bias, abs=1e-6)
    else:
        assert several.bound == pytest.approx(binary.bound, abs=1e-6)
    if several.feasible:
        assert abs(several.bias[0]) <= tau + 1e-9
        assert several.relevance <= several.bound + 1e-6


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9))
def test_tiny_instances_equal_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Q, N, k, T = 2, 4, 2, 3
    R, types = rng.random((Q, N)), rng.integers(0, T, (Q, N))
    V = [np.eye(3), np.array([[-1.0], [0.0], [1.0]])][seed % 2]
    w, tau = np.array([0.4, 0.25]), 0.08
    target = group_target("parity", w, np.ones(3) / 3) if seed % 2 == 0 else np.zeros(1)
    best = None
    rankings = list(permutations(range(N), k))
    for first, second in product(rankings, rankings):
        shown = np.array([first, second])
        rb = np.einsum("p,qpd->d", w, V[np.take_along_axis(types, shown, axis=1)]) / Q
        if (np.abs(rb - target) <= tau + 1e-9).all():
            relevance = float(np.take_along_axis(R, shown, axis=1).sum())
            best = relevance if best is None else max(best, relevance)
    solution = solve_multigroup(prepare_types(R, types, V, w), tau, target)
    if best is None:
        assert not solution.feasible
    else:
        assert solution.status in ("natural", "optimal")
        assert solution.relevance == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("groups", [3, 4])
def test_shares_are_met_with_a_small_certified_gap(groups: int) -> None:
    rng = np.random.default_rng(groups)
    Q, k = 60, 3
    shares = np.array([0.5, 0.3, 0.15, 0.05][:groups])
    shares /= shares.sum()
    w = np.array([0.5, 0.3, 0.2])
    problem = prepare_types(
        np.clip(rng.normal(0.75, 0.1, (Q, 20)), 0, 1),
        rng.choice(groups, p=shares, size=(Q, 20)),
        np.eye(groups),
        w,
    )
    target = group_target("parity", w, shares)
    solution = solve_multigroup(problem, 0.03, target)
    assert solution.feasible
    assert (np.abs(solution.bias - target) <= 0.03 + 1e-9).all()
    assert solution.relevance <= solution.bound <= solution.top_relevance + 1e-6
    assert solution.gap / solution.relevance <= 1e-3
    assert all(len(set(row)) == k for row in solution.ranking.tolist())
    dual = oracle(problem, solution.price / Q).value.sum() + Q * (
        solution.price / Q @ target + 0.03 * np.abs(solution.price / Q).sum()
    )
    assert dual >= solution.bound - 1e-6
    assert dual == pytest.approx(solution.bound, abs=1e-5)


def test_two_attributes_and_a_neutral_type() -> None:
    rng = np.random.default_rng(0)
    polarity, region = rng.choice(3, p=[0.2, 0.3, 0.5], size=(1, 30)), rng.integers(0, 2, (1, 30))
    codes, vectors = combine([(polarity, [[-1.0], [0.0], [1.0]]), (region, [[1.0, 0.0], [0.0, 1.0]])])
    assert vectors.shape == (6, 3)
    assert vectors[codes[0, 0]].tolist() == [polarity[0, 0] - 1.0, 1.0 - region[0, 0], float(region[0, 0])]
    w = np.array([0.3, 0.25, 0.2, 0.15, 0.1])
    solution = solve_multigroup(
        prepare_types(rng.random((1, 30)), codes, vectors, w, [0.0, 0.0, 0.0]),
        [0.05, 0.2, 0.2],
        [0.0, 0.5, 0.5],
    )
    assert solution.feasible
    assert abs(solution.bias[0]) <= 0.05 + 1e-9


def test_natural_is_unchanged_and_infeasible_comes_near() -> None:
    problem = prepare_types([[0.9, 0.8, 0.7]], [[0, 1, 2]], [[-1.0], [0.0], [1.0]], [0.4, 0.3])
    natural = solve_multigroup(problem, 0.5)
    assert natural.status == "natural"
    assert natural.ranking.tolist() == [[0, 1]]
    far = solve_multigroup(problem, 0.1, 2.0)
    assert far.status == "infeasible"
    assert far.bias[0] == pytest.approx(0.4)
    assert far.violation == pytest.approx(1.5)


def test_large_binary_agrees_with_events() -> None:
    binary = typical(np.random.default_rng(3), 100, 4)
    types = (binary.attribute > 0).astype(int)
    several = solve_multigroup(
        prepare_types(binary.relevance, types, [[-1.0], [1.0]], binary.weights, binary.intercept), 0.1
    )
    exact = solve(binary, 0.1)
    assert several.bound == pytest.approx(exact.bound, abs=1e-6)
    assert several.price[0] == pytest.approx(exact.price, abs=1e-4)


@pytest.mark.parametrize("vectors", [np.eye(4), [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]])
def test_bundle_and_columns_equal_the_reduced_programme(vectors: Any) -> None:
    rng = np.random.default_rng(4)
    Q, w = 120, np.array([0.41, 0.27, 0.18])
    types = rng.choice(4, p=[0.5, 0.25, 0.15, 0.1], size=(Q, 15))
    problem = prepare_types(rng.random((Q, 15)), types, vectors, w, 0.02)
    target = group_target("parity", w, np.ones(4) / 4) if np.shape(vectors)[1] == 4 else np.zeros(2)
    low, high = Q * (target - 0.04 - 0.02), Q * (target + 0.04 - 0.02)
    reduced = multigroup._relax(problem, low, high)
    assert reduced is not None
    columns = relax_by_columns(problem, low, high)
    assert columns.feasible
    assert columns.bound == pytest.approx(reduced[2], rel=1e-7)
    assert columns.split.size <= target.size
    dual = oracle(problem, columns.nu).value.sum() + np.where(columns.nu > 0, high, low) @ columns.nu
    assert dual == pytest.approx(columns.bound)


def test_many_questions_take_the_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    Q, w = 150, np.array([0.4, 0.3, 0.1])
    types = rng.choice(3, p=[0.6, 0.3, 0.1], size=(Q, 12))
    problem = prepare_types(rng.random((Q, 12)), types, np.eye(3), w)
    target = group_target("parity", w, np.ones(3) / 3)
    small = solve_multigroup(problem, 0.02, target)
    monkeypatch.setattr(multigroup, "LARGE", 0)
    large = solve_multigroup(problem, 0.02, target)
    assert small.feasible
    assert large.feasible
    assert large.bound == pytest.approx(small.bound, rel=1e-7)
    assert large.gap / large.relevance <= 1e-3
    far = solve_multigroup(problem, 0.02, 5.0)
    assert far.status == "infeasible"
    assert far.violation > 1


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9))
def test_equal_weights_are_one_level_and_the_more_relevant_stands_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Q, N, k = 2, 5, 3
    R, types = np.round(rng.random((Q, N)), 2), rng.integers(0, 3, (Q, N))
    w = np.array([[1 / 3] * 3, [0.5, 0.2, 0.2]][seed % 2])
    problem = prepare_types(R, types, np.eye(3), w)
    target, tau = group_target("parity", w, np.ones(3) / 3), 0.07
    assert problem.levels[2].sum() == k
    solution = solve_multigroup(problem, tau, target)
    best = -np.inf
    for shown in product(permutations(range(N), k), repeat=Q):
        index = np.array(shown)
        rb = np.einsum("p,qpd->d", w, np.eye(3)[np.take_along_axis(types, index, axis=1)]) / Q
        if (np.abs(rb - target) <= tau + 1e-9).all():
            best = max(best, float(np.take_along_axis(R, index, axis=1).sum()))
    assert solution.feasible == (best > -np.inf)
    shown = np.take_along_axis(R, solution.ranking, axis=1)
    for level in range(problem.levels[0].size):
        assert (np.diff(shown[:, problem.levels[1] == level], axis=1) <= 0).all()
    assert np.array_equal(np.take_along_axis(types, solution.ranking, axis=1), solution.pattern)
    if solution.feasible:
        assert solution.relevance == pytest.approx(best, abs=1e-9)
        assert (np.abs(solution.bias - target) <= tau + 1e-9).all()


def test_many_types_leave_a_small_gap() -> None:
    rng = np.random.default_rng(1)
    Q, N, k = 12, 120, 8
    shares = np.array([0.4, 0.25, 0.15, 0.1, 0.1])
    sign = rng.choice(3, p=(0.5, 0.1, 0.4), size=(Q, N))
    groups = [rng.choice(5, p=shares, size=(Q, N)) for _ in range(2)]
    R = rng.normal(0.4, 0.12, (Q, N)) + 0.08 * (sign == 0) + 0.06 * (groups[0] == 0) - 0.06 * (groups[1] == 2)
    codes, vectors = combine([(sign, [[1.0], [0.0], [-1.0]]), *((g, np.eye(5)) for g in groups)])
    w = 0.9 * np.arange(1, k + 1) ** -0.7
    target = np.concatenate(([0.1], *[group_target("proportional", w, shares)] * 2))
    solution = solve_multigroup(prepare_types(R, codes, vectors, w), 0.1, target)
    assert vectors.shape == (75, 11)
    assert solution.feasible
    assert (np.abs(solution.bias - target) <= 0.1 + 1e-9).all()
    assert solution.gap / solution.relevance <= 1e-3


def test_shares_that_must_be_met_exactly_come_to_an_end() -> None:
    # Shares sum to one, so a price on all groups alike moves nothing: the search for prices once went on for ever.
    rng = np.random.default_rng(4)
    Q, k = int(rng.integers(1, 30)), int(rng.integers(1, 9))
    N = int(rng.integers(k, k + 25))
    sign, group = rng.integers(0, 3, (Q, N)), rng.integers(0, int(rng.integers(2, 6)), (Q, N))
    groups = np.vstack((np.eye(4), np.zeros((1, 4))))
    codes, vectors = combine([(sign, [[1.0], [0.0], [-1.0]]), (group, groups)])
    w = rng.normal(0.1, 0.2, k)
    R = np.round(rng.random((Q, N)), 2)
    present = np.ones((Q, N), dtype=bool)
    present[:, k:] = rng.random((Q, N - k)) < 0.8
    problem = prepare_types(R, codes, vectors, w, present=present)
    rng.choice(4)
    target = np.concatenate(([rng.normal(0, 0.4)], group_target("parity", w, np.ones(4) / 4)))
    solution = solve_multigroup(problem, 0.0, target)
    assert Q * k * 15 > multigroup.LARGE
    assert solution.violation < 0.1
    reduced = multigroup._relax(problem, Q * target, Q * target)
    assert reduced is not None
    assert solution.bound == pytest.approx(reduced[2], rel=1e-6)


@pytest.mark.parametrize("weights", [[1 / 3] * 3, [0.5, 0.3, 0.2]])
def test_what_can_be_met_is_met_where_something_else_cannot(weights: list[float]) -> None:
    rng = np.random.default_rng(2)
    Q, N, w = 20, 30, np.array(weights)
    sign, group = rng.integers(0, 2, (Q, N)), rng.integers(0, 2, (Q, N))
    R = rng.random((Q, N)) + 0.5 * (group == 0)
    codes, vectors = combine([(sign, [[1.0], [-1.0]]), (group, np.eye(2))])
    problem = prepare_types(R, codes, vectors, w)
    # All positive is Rb = 1: a target of 3 misses by 2 at the least, whatever the groups are.
    solution = solve_multigroup(problem, 0.05, [3.0, 0.5, 0.5])
    assert solution.status == "infeasible"
    assert solution.violation == pytest.approx(3.0 - 0.05 - 1.0)
    assert np.abs(solution.bias[1:] - 0.5).max() <= 0.05 + 0.5 / Q
    positive = np.where(sign == 0, R, -np.inf)
    bound = solve_multigroup(
        prepare_types(positive, group, np.eye(2), w, present=np.isfinite(positive)), 0.05, 0.5
    ).bound
    assert solution.relevance >= bound - 1.0


OK: dict[str, Any] = {
    "relevance": [[0.9, 0.8]],
    "types": [[0, 1]],
    "vectors": [[-1.0], [1.0]],
    "weights": [0.5],
}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"relevance": [[np.nan, 0.8]]}, "relevance"),
        ({"relevance": [[]], "types": [[]]}, "relevance"),
        ({"weights": [0.5, 0.2, 0.1]}, "relevance"),
        ({"types": [[0, 2]]}, "types"),
        ({"types": [[0, 0.5]]}, "types"),
        ({"types": [[0]]}, "types"),
        ({"vectors": [-1.0, 1.0]}, "vectors"),
        ({"weights": []}, "weights"),
        ({"weights": [np.inf]}, "weights"),
        ({"intercept": [0.0, 0.0]}, "intercept"),
        ({"present": [[True]]}, "present"),
        ({"documents": [["x", "x"]]}, "documents"),
    ],
)
def test_bad_input(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        prepare_types(**{**OK, **change})


def test_bad_constraints() -> None:
    problem = prepare_types(**OK)
    for tau, target, named in ((-0.1, 0.0, "tau"), ([0.1, 0.1], 0.0, "tau"), (0.1, np.nan, "target")):
        with pytest.raises(ValueError, match=named):
            solve_multigroup(problem, tau, target)
    with pytest.raises(ValueError, match="shares"):
        group_target("proportional", [0.5], [0.5, 0.2])
    with pytest.raises(ValueError, match="price"):
        oracle(problem, [0.1, 0.2])
    with pytest.raises(ValueError, match="parts"):
        combine([])
    assert group_target("proportional", [0.5, 0.1], [0.75, 0.25]) == pytest.approx([0.45, 0.15])
