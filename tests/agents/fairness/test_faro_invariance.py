"""What a change of the question leaves alone, and how the critical price grows with the number of questions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents.fairness.faro import prepare, solve
from agents.fairness.faro_frontier import at_price
from agents.fairness.faro_problem import RerankProblem, Side
from agents.fairness.faro_solution import FaroSolution
from tests.agents.fairness.faro_instances import instances

SIDES: tuple[Side, ...] = ("up", "down")


@st.composite
def binary_fractions(draw: st.DrawFn) -> dict[str, Any]:
    """Arguments of ``prepare`` whose sums and differences carry no rounding, so that equal answers are equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    Q, k = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    N = draw(st.integers(k, 9))
    return {
        "relevance": rng.integers(0, 65, (Q, N)) / 64,
        "attribute": np.where(rng.random((Q, N)) < draw(st.sampled_from((0.2, 0.5, 0.8))), 1, -1),
        "weights": rng.integers(-4, 17, k) / 32,
        "intercept": float(rng.integers(-24, 25) / 64),
    }


@st.composite
def between_events(draw: st.DrawFn) -> tuple[dict[str, Any], float, float]:
    """An instance, a target and a tolerance such that the window's near edge splits a step that costs relevance."""
    arguments = draw(instances())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (arguments["relevance"].shape[0], arguments["relevance"].shape[1] + 3)
    arguments["relevance"] = rng.normal(0.5, 0.3, shape)
    arguments["attribute"] = rng.choice((-1, 1), shape)
    problem = prepare(**arguments)
    dear = [(side, int(j)) for side in SIDES for j in np.flatnonzero(problem.events(side).loss > 1e-6)]
    assume(dear)
    side, j = dear[draw(st.integers(0, len(dear) - 1))]
    events = problem.events(side)
    tau = draw(st.sampled_from((0.01, 0.1)))
    need = float(events.cumulative_gain[j] - draw(st.sampled_from((0.25, 0.5, 0.75))) * events.gain[j])
    table = problem.highest_bias if side == "up" else problem.lowest_bias
    sign = 1.0 if side == "up" else -1.0
    edge = (float(table[problem.top_count].sum()) + sign * need) / problem.questions + problem.intercept
    return arguments, edge + sign * tau, tau


def plus_counts(problem: RerankProblem, solution: FaroSolution) -> list[int]:
    """Documents of the plus group that each question shows."""
    shown = np.take_along_axis(problem.attribute, solution.ranking, axis=1)
    return (shown == 1).sum(axis=1).tolist()


@settings(max_examples=80, deadline=None, derandomize=True)
@given(binary_fractions(), st.sampled_from((0.0, 1 / 16, 1 / 8, 1 / 4)), st.integers(-3, 3), st.data())
def test_a_constant_on_one_question_keeps_every_count(
    arguments: dict[str, Any], tau: float, constant: int, data: st.DataObject
) -> None:
    problem = prepare(**arguments)
    base = solve(problem, tau)
    relevance = arguments["relevance"].copy()
    relevance[data.draw(st.integers(0, len(relevance) - 1))] += constant
    moved_problem = prepare(**dict(arguments, relevance=relevance))
    moved = solve(moved_problem, tau)
    assert moved.status == base.status
    assert moved.relevance == pytest.approx(base.relevance + problem.k * constant, abs=1e-9)
    assert moved.bias == pytest.approx(base.bias, abs=1e-12)
    assert plus_counts(moved_problem, moved) == plus_counts(problem, base)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    binary_fractions(), st.sampled_from((0.0, 1 / 16, 1 / 8, 1 / 4)), st.sampled_from((0.25, 0.5, 2.0, 8.0))
)
def test_another_unit_of_the_bias_keeps_the_relevance(
    arguments: dict[str, Any], tau: float, unit: float
) -> None:
    problem = prepare(**arguments)
    base = solve(problem, tau)
    scaled = dict(arguments, weights=unit * arguments["weights"], intercept=unit * arguments["intercept"])
    other = solve(prepare(**scaled), unit * tau)
    assert other.status == base.status
    assert other.relevance == base.relevance
    assert other.bias == pytest.approx(unit * base.bias, abs=1e-12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(between_events())
def test_doubling_the_questions_doubles_the_critical_price(case: tuple[dict[str, Any], float, float]) -> None:
    arguments, target, tau = case
    problem = prepare(**arguments)
    base = solve(problem, tau, target=target)
    double = {name: np.vstack([arguments[name]] * 2) for name in ("relevance", "attribute")}
    twice = solve(prepare(**dict(arguments, **double)), tau, target=target)
    assert base.price != 0
    assert twice.price == pytest.approx(2 * base.price, rel=1e-12)
    assert twice.bound == pytest.approx(2 * base.bound, rel=1e-12)
    # The price is the one whose cheapest answer touches the bound: no other one proves it.
    edge = target + tau if base.price > 0 else target - tau
    assert at_price(problem, base.price).objective + base.price * edge == pytest.approx(base.bound, abs=1e-9)
