"""Methods that choose documents and order together, for one question."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness.faro_grid import faro_grid
from agents.fairness.faro_problem import prepare
from agents.fairness.linear_program import solve_linear_program
from agents.fairness.pool import Pool
from agents.fairness.selection import AIMED_METHODS, select

WEIGHTS = np.array([0.45, 0.2, 0.15, 0.1, -0.05])
TAKING_WEIGHTS = sorted({*AIMED_METHODS, "exact-weighted"})


def binary_pool(seed: int, count: int = 40, neutral: float = 0.0) -> Pool:
    rng = np.random.default_rng(seed)
    score = rng.choice([-20.0, 20.0], count)
    score[rng.random(count) < neutral] = 0.0
    shares = np.bincount((score + 30).astype(int) // 10, minlength=7) / count
    return Pool(relevance=rng.random(count), score=score, population=shares)


def bias(pool: Pool, indices: np.ndarray, intercept: float) -> float:
    return float(np.sign(pool.score[indices]) @ WEIGHTS) + intercept


@pytest.mark.parametrize("seed", range(12))
def test_the_published_baselines_are_those_of_the_batch(seed: int) -> None:
    pool = binary_pool(seed)
    goal, intercept = 0.4 - seed / 15, 0.05
    options = {"weights": WEIGHTS, "intercept": intercept, "target": goal, "tau": 0.1}
    # The order of the candidates decides among rankings that the algorithms cannot tell apart.
    rows = pool.by_relevance()
    problem = prepare(pool.relevance[rows], np.sign(pool.score[rows]), WEIGHTS, intercept)
    grid = faro_grid(problem, 0.1, target=goal)
    own = select("faro-grid", pool, 5, **options)
    assert (own.notes == ()) == grid.feasible
    assert abs(bias(pool, own.indices, intercept) - goal) == pytest.approx(abs(grid.bias - goal))
    if grid.feasible:
        assert pool.relevance[own.indices].sum() == pytest.approx(grid.relevance)
    solved = solve_linear_program(problem, 0.1, target=goal)
    rounded = select("lp", pool, 5, **options)
    assert (rounded.notes == ()) == solved.feasible
    if solved.status == "solved":
        assert pool.relevance[rounded.indices].sum() == pytest.approx(solved.relevance)


@pytest.mark.parametrize("method", ["faro-grid", "lp"])
@pytest.mark.parametrize("seed", range(12))
def test_no_published_baseline_that_meets_the_target_beats_faro(method: str, seed: int) -> None:
    pool = binary_pool(seed, neutral=0.3)
    options = {"weights": WEIGHTS, "target": 0.3, "tau": 0.05}
    found, best = select(method, pool, 5, **options), select("faro", pool, 5, **options)
    assert found.ranked
    if not found.notes:
        assert abs(bias(pool, found.indices, 0.0) - 0.3) <= 0.05 + 1e-9
        assert pool.relevance[found.indices].sum() <= pool.relevance[best.indices].sum() + 1e-9
        assert best.notes == ()


def test_what_the_linear_programme_cannot_solve_is_said() -> None:
    found = select("lp", binary_pool(0), 5, weights=WEIGHTS, target=3.0)
    assert found.notes[0].startswith("no ranking by lp: the linear programme has no solution")
    assert found.indices.size == 5
    grid = select("faro-grid", binary_pool(0), 5, weights=WEIGHTS, target=3.0)
    assert grid.notes[0].startswith("no ranking of the published grid")
    assert bias(binary_pool(0), grid.indices, 0.0) == pytest.approx(np.abs(WEIGHTS).sum()), "the nearest"


@pytest.mark.parametrize("goal", [-0.4, 0.0, 0.35])
def test_the_probabilistic_reranker_meets_its_target_on_average(goal: float) -> None:
    pool = binary_pool(3, 200, neutral=0.25)
    rng = np.random.default_rng(1)
    draws = [
        bias(
            pool,
            select("probabilistic", pool, 5, rng, weights=WEIGHTS, intercept=0.1, target=goal).indices,
            0.1,
        )
        for _ in range(3000)
    ]
    assert np.mean(draws) == pytest.approx(goal, abs=4 * np.std(draws) / np.sqrt(3000))


def test_each_side_of_the_probabilistic_ranking_keeps_its_order_of_relevance() -> None:
    pool = binary_pool(5, neutral=0.2)
    chosen = select("probabilistic", pool, 12, np.random.default_rng(2)).indices
    for side in (-1, 0, 1):
        own = chosen[np.sign(pool.score[chosen]) == side]
        best = pool.by_relevance(np.flatnonzero(np.sign(pool.score) == side))
        assert own.tolist() == best[: own.size].tolist()


def test_a_side_that_runs_out_is_said() -> None:
    pool = Pool(relevance=np.linspace(1, 0, 9), score=[20.0] * 9, population=[1, 0, 0, 0, 0, 0, 0])
    found = select("probabilistic", pool, 4, np.random.default_rng(0))
    assert found.indices.tolist() == [0, 1, 2, 3]
    assert "only documents of another side were left for 4 of 4 ranks" in found.notes


@pytest.mark.parametrize("method", TAKING_WEIGHTS)
@pytest.mark.parametrize(
    "weights", [[0.5, 0.3], [0.2] * 7, [float("nan")] * 5, [float("inf"), 0, 0, 0, 0], []]
)
def test_weights_of_the_wrong_length_or_not_finite_are_refused(method: str, weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        select(method, binary_pool(1), 5, np.random.default_rng(0), weights=weights)


@pytest.mark.parametrize("method", TAKING_WEIGHTS)
def test_weights_of_k_ranks_serve_a_smaller_pool(method: str) -> None:
    pool = binary_pool(2, 3)
    found = select(method, pool, 5, np.random.default_rng(0), weights=WEIGHTS)
    assert sorted(found.indices.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("method", ["faro", "faro-grid", "lp"])
@pytest.mark.parametrize("options", [{"tau": -0.1}, {"tau": float("nan")}, {"target": float("nan")}])
def test_bad_targets_and_tolerances_are_refused(method: str, options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        select(method, binary_pool(1), 5, **options)


def test_nothing_on_the_entity_is_no_ranking() -> None:
    pool = Pool(
        relevance=[1.0, 0.5],
        score=[10.0, -10.0],
        population=[0, 0, 0.5, 0, 0.5, 0, 0],
        matched=np.array([False, False]),
    )
    for method in TAKING_WEIGHTS:
        assert select(method, pool, 2, np.random.default_rng(0)).indices.size == 0
