from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from agents.fairness import multigroup_nearest
from agents.fairness.multigroup import solve_multigroup
from agents.fairness.multigroup_nearest import nearest_rankings
from agents.fairness.multigroup_problem import MultigroupProblem, combine, prepare_types

WEIGHTS = np.array([0.6, 0.3])


def make(seed: int, questions: int = 2, candidates: int = 4) -> MultigroupProblem:
    rng = np.random.default_rng(seed)
    sign, group = rng.integers(0, 3, (questions, candidates)), rng.integers(0, 2, (questions, candidates))
    types, vectors = combine([(sign, [[1.0], [0.0], [-1.0]]), (group, np.eye(2))])
    return prepare_types(rng.random((questions, candidates)), types, vectors, WEIGHTS)


def every(problem: MultigroupProblem) -> list[np.ndarray]:
    own = [
        [WEIGHTS @ problem.vectors[problem.types[q, list(pair)]] for pair in permutations(range(4), 2)]
        for q in range(problem.questions)
    ]
    return [np.mean(chosen, axis=0) for chosen in product(*own)]


@pytest.mark.parametrize("seed", range(12))
def test_no_ranking_comes_nearer(seed: int) -> None:
    problem, target = make(seed), np.array([0.31, 0.62, 0.28])
    found = solve_multigroup(problem, 0.005, target)
    assert not found.feasible
    near = nearest_rankings(problem, found)
    assert near.status == found.status
    assert np.isnan(near.gap)
    least = min(float(np.abs(b - target).max()) for b in every(problem))
    assert np.abs(near.bias - target).max() == pytest.approx(least, abs=1e-6)
    assert near.violation == pytest.approx(least - 0.005, abs=1e-6)
    assert near.violation <= found.violation + 1e-9
    assert problem.bias_of(np.take_along_axis(problem.types, near.ranking, axis=1)) == pytest.approx(
        near.bias
    )


def test_what_is_met_or_too_large_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make(0)
    met = solve_multigroup(problem, 3.0)
    assert nearest_rankings(problem, met) is met
    missed = solve_multigroup(problem, 0.005, [0.31, 0.62, 0.28])
    monkeypatch.setattr(multigroup_nearest, "LARGE", 1)
    assert nearest_rankings(problem, missed) is missed
