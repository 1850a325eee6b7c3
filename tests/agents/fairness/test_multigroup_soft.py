"""The soft objective for typed documents: against every ranking there is, and against the binary solver."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.fairness.faro import prepare
from agents.fairness.faro_frontier import solve_soft
from agents.fairness.multigroup_problem import MultigroupProblem, prepare_types
from agents.fairness.multigroup_soft import solve_soft_types
from tests.agents.fairness.faro_instances import instances

SIGNS = [[1.0], [0.0], [-1.0]]


@st.composite
def tiny(draw: st.DrawFn) -> MultigroupProblem:
    """At most three questions of at most five documents of three signs: every ranking can be looked at."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    Q, k = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    N = draw(st.integers(k, 5))
    R = np.round(rng.normal(0.5, 0.3, (Q, N)), draw(st.sampled_from((1, 6))))
    w = draw(st.sampled_from((rng.normal(0.1, 0.3, k), np.full(k, 1 / k), -rng.random(k), np.zeros(k))))
    b = draw(st.sampled_from((0.0, 0.15)))
    return prepare_types(R, rng.integers(0, 3, (Q, N)), SIGNS, w, b)


def every_point(problem: MultigroupProblem) -> np.ndarray:
    """All (Rb, relevance) of a problem, shape (n, 2); of equal Rb the most relevant of a question only."""
    questions = []
    for q in range(problem.questions):
        best: dict[float, float] = {}
        for ranking in permutations(range(problem.relevance.shape[1]), problem.k):
            index = list(ranking)
            shown = problem.vectors[problem.types[q, index], 0]
            bias = round(float(shown @ problem.weights), 12)
            best[bias] = max(best.get(bias, -np.inf), float(problem.relevance[q, index].sum()))
        questions.append(list(best.items()))
    return np.array(
        [
            (sum(b for b, _ in chosen) / problem.questions + problem.intercept[0], sum(r for _, r in chosen))
            for chosen in product(*questions)
        ]
    )


def corners(points: np.ndarray) -> np.ndarray:
    """The concave upper hull, by rising Rb."""
    hull: list[tuple[float, float]] = []
    for x, y in sorted(map(tuple, points)):
        while hull and hull[-1][0] >= x - 1e-12 and hull[-1][1] <= y:
            hull.pop()
        if hull and hull[-1][0] >= x - 1e-12:
            continue
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x0) > (y - y0) * (x1 - x0) + 1e-12:
                break
            hull.pop()
        hull.append((x, y))
    return np.array(hull)


@settings(max_examples=120, deadline=None)
@given(tiny(), st.sampled_from((0.0, 0.3, 3.0, 40.0, 1e4)), st.sampled_from((0.0, 0.2, -5.0)))
def test_tiny_instances_against_every_ranking(
    problem: MultigroupProblem, strength: float, target: float
) -> None:
    found = solve_soft_types(problem, strength, target)
    points = every_point(problem)
    scale = 1e-8 * (1 + strength)

    # What is returned is a ranking, and its numbers are its own.
    assert all(len(set(row)) == problem.k for row in found.ranking.tolist())
    shown = np.take_along_axis(problem.types, found.ranking, axis=1)
    assert found.bias == pytest.approx(float(problem.bias_of(shown)[0]), abs=1e-12)
    assert found.relevance == pytest.approx(problem.relevance_of(found.ranking), abs=1e-12)
    assert found.objective == pytest.approx(found.relevance - strength * (found.bias - target) ** 2)

    # The bound is the optimum of the relaxation, which all rankings lie below.
    hull = corners(points)
    relaxed = [_best_between(a, b, strength, target) for a, b in pairwise(hull)]
    value = points[:, 1] - strength * (points[:, 0] - target) ** 2
    assert found.bound == pytest.approx(max([value.max(), *relaxed]), abs=scale)
    assert found.objective <= value.max() + scale

    # Instances this small are solved exactly: no ranking is better, whether it lies on the frontier or below it.
    assert found.objective >= value.max() - scale


def _best_between(a: np.ndarray, b: np.ndarray, strength: float, target: float) -> float:
    slope = (b[1] - a[1]) / (b[0] - a[0])
    at = a[0] if slope < 0 else b[0]
    if strength > 0:
        at = float(np.clip(target + slope / (2 * strength), a[0], b[0]))
    return float(a[1] + slope * (at - a[0]) - strength * (at - target) ** 2)


@settings(max_examples=60, deadline=None)
@given(instances(), st.sampled_from((0.0, 0.5, 5.0, 100.0)), st.sampled_from((0.0, 0.2)))
def test_without_neutral_documents_it_is_the_binary_problem(
    arguments: dict[str, Any], strength: float, target: float
) -> None:
    binary = solve_soft(prepare(**arguments), strength, target)
    types = (arguments["attribute"] < 0).astype(int)
    problem = prepare_types(
        arguments["relevance"], types, [[1.0], [-1.0]], arguments["weights"], arguments["intercept"]
    )
    typed = solve_soft_types(problem, strength, target)
    assert typed.bound == pytest.approx(binary.bound, abs=1e-7 * (1 + strength))
    assert typed.objective <= binary.bound + 1e-9


@pytest.mark.parametrize("weights", [np.full(8, 1 / 8), 0.4 * np.arange(1, 9) ** -0.7])
def test_many_questions_leave_next_to_no_gap(weights: np.ndarray) -> None:
    rng = np.random.default_rng(7)
    types = rng.choice(3, p=(0.5, 0.1, 0.4), size=(150, 60))
    problem = prepare_types(rng.normal(0.4, 0.1, (150, 60)) + 0.08 * (types == 0), types, SIGNS, weights)
    before = np.inf
    for strength in (1.0, 30.0, 1000.0):
        found = solve_soft_types(problem, strength, 0.1)
        assert 0 <= found.bound - found.objective <= 1e-5 * found.relevance
        assert abs(found.bias - 0.1) < before
        before = abs(found.bias - 0.1)
    natural = solve_soft_types(problem, 0.0, 0.1)
    assert natural.relevance == natural.bound == problem.top_relevance


def test_between_two_corners_some_questions_stand_as_at_the_one_and_some_as_at_the_other() -> None:
    # Ten equal questions: the frontier is one straight line from all positive to all negative.
    problem = prepare_types([[0.9, 0.8]] * 10, [[0, 2]] * 10, SIGNS, [1.0])
    found = solve_soft_types(problem, 3.0, 0.25)
    values = [9 - 0.1 * n - 3.0 * (1 - 0.2 * n - 0.25) ** 2 for n in range(11)]
    assert found.objective == pytest.approx(max(values))
    assert found.bias == pytest.approx(1 - 0.2 * int(np.argmax(values)))


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_a_strength_is_a_number_that_is_not_negative(bad: float) -> None:
    problem = prepare_types([[0.9, 0.8]], [[0, 1]], SIGNS, [0.5])
    with pytest.raises(ValueError, match="strength"):
        solve_soft_types(problem, bad)
    with pytest.raises(ValueError, match="target"):
        solve_soft_types(problem, 1.0, bad * 0 + np.nan)


def test_it_is_for_one_component() -> None:
    with pytest.raises(ValueError, match="one component"):
        solve_soft_types(prepare_types([[0.9, 0.8]], [[0, 1]], np.eye(2), [0.5]), 1.0)
