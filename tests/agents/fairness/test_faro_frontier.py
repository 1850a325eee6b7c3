"""The frontier without a grid, the closed form for one price, the published grid, and the soft objective."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.fairness.faro import prepare, solve
from agents.fairness.faro_frontier import at_price, frontier, solve_soft
from agents.fairness.faro_grid import assign, faro_grid, published_prices
from agents.fairness.linear_program import solve_linear_program
from tests.agents.fairness.faro_instances import GOLDEN, instances, typical


@settings(max_examples=60, deadline=None)
@given(instances(), st.sampled_from((-20.0, -3.0, -0.5, 0.0, 0.25, 1.5, 20.0)))
def test_closed_form_equals_hungarian(arguments: dict[str, Any], mu: float) -> None:
    problem = prepare(**arguments)
    priced = at_price(problem, mu)
    ranking = assign(problem, mu)
    groups = np.take_along_axis(problem.attribute, ranking, axis=1)
    rb = float((groups @ problem.weights).mean()) + problem.intercept
    relevance = np.take_along_axis(problem.relevance, ranking, axis=1).sum()
    assert priced.objective == pytest.approx(relevance - mu * rb, abs=1e-9)


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_closed_form_equals_hungarian_at_every_published_price(k: int) -> None:
    problem = typical(np.random.default_rng(k), 12, k)
    grid = faro_grid(problem)
    for mu, rb, relevance in zip(grid.prices, grid.biases, grid.relevances, strict=True):
        assert at_price(problem, float(mu)).objective == pytest.approx(relevance - mu * rb, abs=1e-9)


@pytest.mark.parametrize("case", GOLDEN["faro"], ids=lambda c: c["name"])
def test_golden_support_function(case: dict[str, Any]) -> None:
    problem = prepare(case["R"], case["a"], case["w"], case["b"])
    path = frontier(problem)
    for text, value in case["mu_checks"].items():
        mu = float(text)
        assert at_price(problem, mu).objective + mu * case["b"] == pytest.approx(value, abs=1e-9)
        assert (path.relevance - mu * (path.bias - case["b"])).max() == pytest.approx(value, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(instances(), st.floats(-30, 30))
def test_frontier_is_the_support_of_the_closed_form(arguments: dict[str, Any], mu: float) -> None:
    problem = prepare(**arguments)
    path = frontier(problem)
    assert (path.relevance - mu * path.bias).max() == pytest.approx(at_price(problem, mu).objective, abs=1e-9)
    assert (np.diff(path.bias) >= -1e-12).all()
    assert (np.diff(path.price) <= 1e-9).all()
    assert path.relevance.max() == pytest.approx(problem.top_relevance, abs=1e-9)
    assert (path.bias[0], path.bias[-1]) == pytest.approx(problem.reachable, abs=1e-9)
    slope = np.diff(path.relevance)
    assert slope == pytest.approx(path.price * np.diff(path.bias), abs=1e-8)


def test_frontier_holds_every_grid_point_and_the_bound() -> None:
    problem = typical(np.random.default_rng(2), 40, 4)
    path = frontier(problem)
    for mu in published_prices():
        point = at_price(problem, float(mu))
        assert path.relevance_at(point.bias) == pytest.approx(point.relevance, abs=1e-9)
    solution = solve(problem, 0.05)
    assert path.relevance_at(-0.05) == pytest.approx(solution.bound, abs=1e-9)
    assert path.relevance_at(99.0) == -np.inf


def test_published_grid_loses_to_the_exact_answer() -> None:
    problem = typical(np.random.default_rng(3), 100, 2)
    grid, ours = faro_grid(problem, 0.1), solve(problem, 0.1)
    assert grid.feasible
    assert grid.prices.size == 81
    assert abs(grid.bias) <= 0.1 + 1e-9
    assert grid.relevance <= ours.relevance + 1e-9
    assert grid.normalised_relevance <= ours.normalised_relevance


def test_published_grid_misses_the_flat_top_and_does_not_scale() -> None:
    flat = typical(np.random.default_rng(4), 60, 10, skew=0.5, b=-0.25)
    assert not faro_grid(flat, 0.02).feasible
    assert solve(flat, 0.02).status == "reordered"
    rng = np.random.default_rng(4)
    large = typical(rng, 400, 2)
    assert not faro_grid(large, 0.05, prices=np.linspace(-20, 20, 9)).feasible
    assert abs(solve(large, 0.05).price) > 20
    for bad in ({"tau": -1.0}, {"prices": []}, {"prices": [np.nan]}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            faro_grid(large, **bad)  # type: ignore[arg-type]


def test_linear_programme_reports_a_broken_constraint() -> None:
    problem = typical(np.random.default_rng(1), 40, 3)
    broken = 0
    for tau in (0.05, 0.08, 0.1, 0.12, 0.15):
        relaxed = solve_linear_program(problem, tau)
        assert relaxed.status == "solved"
        assert relaxed.relevance == pytest.approx(
            np.take_along_axis(problem.relevance, relaxed.ranking, axis=1).sum()
        )
        assert relaxed.feasible == (abs(relaxed.bias) <= tau + 1e-9)
        broken += not relaxed.feasible
        if relaxed.feasible:
            assert relaxed.relevance <= relaxed.bound + 1e-6
    assert broken > 0
    impossible = solve_linear_program(typical(np.random.default_rng(1), 5, 2, b=-5.0), 0.1)
    assert impossible.status == "infeasible"
    with pytest.raises(ValueError, match="tau"):
        solve_linear_program(problem, -0.1)


@settings(max_examples=40, deadline=None)
@given(instances(), st.sampled_from((0.0, 0.5, 5.0, 100.0)), st.sampled_from((0.0, 0.2)))
def test_soft_objective(arguments: dict[str, Any], strength: float, target: float) -> None:
    problem = prepare(**arguments)
    soft = solve_soft(problem, strength, target)
    groups = np.take_along_axis(problem.attribute, soft.ranking, axis=1)
    rb = float((groups @ problem.weights).mean()) + problem.intercept
    assert soft.bias == pytest.approx(rb, abs=1e-12)
    assert soft.objective == pytest.approx(soft.relevance - strength * (rb - target) ** 2, abs=1e-9)
    assert soft.objective <= soft.bound + 1e-9
    for mu in np.linspace(-20, 20, 41):
        point = at_price(problem, float(mu))
        assert point.relevance - strength * (point.bias - target) ** 2 <= soft.bound + 1e-9


def test_soft_objective_is_nearly_exact_for_many_questions() -> None:
    problem = typical(np.random.default_rng(5), 200, 5)
    for strength in (1.0, 50.0, 5000.0):
        soft = solve_soft(problem, strength)
        assert soft.bound - soft.objective <= 1e-2
    assert abs(solve_soft(problem, 5000.0).bias) < abs(solve_soft(problem, 1.0).bias)
    for bad in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="strength"):
            solve_soft(problem, bad)


def test_a_linear_programme_out_of_time_is_not_called_infeasible() -> None:
    relaxed = solve_linear_program(typical(np.random.default_rng(1), 60, 3), 0.1, time_limit=0.0)
    assert relaxed.status == "time_limit"
    assert not relaxed.feasible
    assert relaxed.ranking.size == 0


def test_a_grid_without_a_feasible_price_gives_the_nearest_bias() -> None:
    problem = typical(np.random.default_rng(4), 60, 5, b=-0.6)
    grid = faro_grid(problem, 0.02, target=0.4)
    assert not grid.feasible
    away = np.abs(grid.biases - 0.4)
    assert abs(grid.bias - 0.4) == pytest.approx(away.min())
    assert grid.relevance < grid.relevances.max(), "the most relevant point is another one"
