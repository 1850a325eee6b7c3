from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from agents.batch import Batch, BatchItem, _problem, batch_frontier, rankings, solve_batch
from agents.fairness.multigroup_problem import oracle
from agents.ordering import PositionWeights
from store.errors import UsageError

K = 2


def make(seed: int = 0, questions: int = 3, error: float = 0.0, candidates: int = 5) -> Batch:
    rng = np.random.default_rng(seed)
    items = tuple(
        BatchItem(
            index=q,
            question=f"q{q}",
            ids=np.arange(candidates) + 100 * q,
            relevance=np.sort(rng.random(candidates))[::-1],
            types=rng.permutation(np.arange(candidates) % 3),
            population=0.2,
        )
        for q in range(questions)
    )
    weights = PositionWeights(np.array([0.6, 0.3]), 0.05, np.eye(3) * error**2, "model", True)
    problem = _problem(items, weights)
    low, high = (float(problem.bias_of(oracle(problem, [nu]).pattern)[0]) for nu in (1e6, -1e6))
    return Batch(items, {}, problem, weights, 0.2, (low, high))


def every(batch: Batch) -> list[tuple[float, float]]:
    """All (Rb, relevance) there are."""
    choices = []
    for item in batch.items:
        own = []
        for pair in permutations(range(len(item.ids)), K):
            bias = sum(w * (1 - item.types[i]) for w, i in zip(batch.weights.weights, pair, strict=True))
            own.append((float(bias), float(item.relevance[list(pair)].sum())))
        choices.append(own)
    return [
        (sum(b for b, _ in combination) / len(choices) + 0.05, sum(r for _, r in combination))
        for combination in product(*choices)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_the_most_relevant_rankings_within_the_tolerance(seed: int) -> None:
    batch = make(seed)
    found = solve_batch(batch, 0.1)
    assert found.target == pytest.approx(0.2 * 0.9)
    allowed = [r for b, r in every(batch) if abs(b - found.target) <= 0.1 + 1e-9]
    assert found.met == bool(allowed)
    if allowed:
        assert found.solved.relevance == pytest.approx(max(allowed))
    shown = rankings(batch, found)
    assert set(shown) == {0, 1, 2}
    assert all(len(set(ids)) == K and set(ids) <= set(batch.items[q].ids) for q, ids in shown.items())


def test_a_target_out_of_reach_gives_the_best_reachable() -> None:
    batch = make(1)
    found = solve_batch(batch, 0.01, 1.0)
    values = [b for b, _ in every(batch)]
    assert batch.reachable == pytest.approx((min(values), max(values)))
    assert not found.met
    assert found.predicted == pytest.approx(max(values), abs=1e-6)


def test_the_frontier_is_every_supported_point() -> None:
    batch = make(2)
    points = batch_frontier(batch)
    best = np.array(every(batch))
    top = batch.problem.top_relevance
    assert max(p.relevance_kept for p in points) == pytest.approx(1.0)
    for mu in np.linspace(-3, 3, 61):
        value = (best[:, 1] - mu * best[:, 0]).max()
        ours = max(p.relevance_kept * top - mu * p.bias for p in points)
        assert ours == pytest.approx(value, abs=1e-7)
    biases = [p.bias for p in points]
    assert biases == sorted(biases)


def test_the_error_shrinks_the_tolerance() -> None:
    batch = make(3, questions=12, candidates=9, error=0.02)
    found = solve_batch(batch, 0.2, 0.4)
    assert found.margin > 0
    assert abs(found.predicted - 0.4) + found.margin <= 0.2 + 1e-6
    assert found.standard_error == pytest.approx(found.margin / 1.645)


@pytest.mark.parametrize("tau", [-0.1, float("nan")])
def test_a_tolerance_is_a_number_that_is_not_negative(tau: float) -> None:
    with pytest.raises(UsageError, match="tolerance"):
        solve_batch(make(), tau)
