from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.batch import Batch, BatchItem, make_batch
from agents.batch_components import (
    VECTORS,
    Component,
    Part,
    check_attributes,
    check_target,
    goals,
    make_part,
    shared_weights,
)
from agents.batch_solutions import _solve, batch_frontier, rankings, solve_batch, solve_batch_soft
from agents.ordering import POLARITY, PositionWeights
from agents.pools import OpinionPool
from store.errors import UsageError
from store.opinions import StancePool
from store.verdicts import Z

K = 2
WEIGHTS = np.array([0.6, 0.3])
LEAN = 0.05


def make(
    seed: int = 0, questions: int = 3, error: float = 0.0, candidates: int = 5, *, groups: int = 0
) -> Batch:
    """A batch on polarity, and on an attribute of so many groups beside it, with the last one's author unknown."""
    rng = np.random.default_rng(seed)
    items = tuple(
        BatchItem(q, f"q{q}", np.arange(candidates) + 100 * q, np.sort(rng.random(candidates))[::-1])
        for q in range(questions)
    )
    signs = tuple(rng.permutation(np.arange(candidates) % 3) for _ in items)
    parts = [Part(signs, np.array(VECTORS), (Component(POLARITY, "", 0.2),))]
    if groups:
        codes = tuple(rng.permutation(np.arange(candidates) % (groups + 1)) for _ in items)
        vectors = np.vstack((np.eye(groups), np.zeros((1, groups))))
        names = tuple(Component("region", f"r{g}", 1 / groups) for g in range(groups))
        parts.append(Part(codes, vectors, names))
    weights = PositionWeights(WEIGHTS, LEAN, np.eye(3) * error**2, "model", True)
    return make_batch(items, {}, parts, weights, POLARITY)


def every(batch: Batch) -> list[tuple[np.ndarray, float]]:
    """All (components, relevance) there are, the long way round."""
    problem = batch.problem
    choices = []
    for q, item in enumerate(batch.items):
        own = []
        for pair in permutations(range(len(item.ids)), K):
            shown = problem.vectors[problem.types[q, list(pair)]]
            own.append((WEIGHTS @ shown, float(item.relevance[list(pair)].sum())))
        choices.append(own)
    lean = np.array([LEAN] + [0.0] * (len(batch.components) - 1))
    return [
        (sum(b for b, _ in chosen) / len(choices) + lean, sum(r for _, r in chosen))
        for chosen in product(*choices)
    ]


@pytest.mark.parametrize("groups", [0, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_most_relevant_rankings_within_the_tolerance(seed: int, groups: int) -> None:
    batch = make(seed, groups=groups)
    found = solve_batch(batch, 0.15)
    target = np.array([0.2 * 0.9] + [0.45] * groups)
    assert found.target == pytest.approx(target)
    allowed = [r for b, r in every(batch) if (np.abs(b - target) <= 0.15 + 1e-9).all()]
    assert found.met == bool(allowed) == bool(found.within.all())
    if allowed:
        assert found.relevance_kept * batch.problem.top_relevance == pytest.approx(max(allowed))
    shown = rankings(batch, found)
    assert set(shown) == {0, 1, 2}
    assert all(len(set(ids)) == K and set(ids) <= set(batch.items[q].ids) for q, ids in shown.items())


@pytest.mark.parametrize("target", [1.0, 0.95, -1.0])
@pytest.mark.parametrize("seed", range(4))
def test_what_lies_beyond_the_ends_of_the_scale_is_shown_as_the_end(seed: int, target: float) -> None:
    batch = make(seed, groups=2)
    strong = replace(batch.weights, weights=2 * WEIGHTS, intercept=2 * LEAN)
    parts_of = batch.problem
    problem = replace(parts_of, weights=2 * WEIGHTS, intercept=2 * parts_of.intercept)
    batch = replace(batch, weights=strong, problem=problem)
    goal, tau = np.array([target, 0.9, 0.9]), np.array([0.1, 1.0, 1.0])
    allowed = [
        r
        for b, r in every(batch)
        if abs(np.clip(2 * b[0], -1, 1) - target) <= 0.1 + 1e-9 and (np.abs(2 * b - goal) <= tau)[1:].all()
    ]
    found = _solve(batch, tau, goal, 2.0)
    assert found.feasible == bool(allowed)
    if allowed:
        assert found.relevance == pytest.approx(max(allowed))


def test_how_far_each_component_goes_by_itself() -> None:
    batch = make(1, groups=2)
    values = np.array([b for b, _ in every(batch)])
    assert batch.attributes == (POLARITY, "region")
    assert [component.name for component in batch.components] == [POLARITY, "region = r0", "region = r1"]
    assert batch.reachable == pytest.approx(np.stack((values.min(axis=0), values.max(axis=0)), axis=1))


def test_a_target_out_of_reach_gives_the_best_reachable() -> None:
    batch = make(1)
    found = solve_batch(batch, 0.01, 1.0)
    assert not found.met
    assert found.predicted[0] == pytest.approx(max(b[0] for b, _ in every(batch)), abs=1e-6)
    both = make(1, groups=2)
    found = solve_batch(both, 0.05, 3.0)
    assert (found.worst, found.within[0], found.met) == (0, False, False)
    assert found.predicted[0] == pytest.approx(both.reachable[0, 1])


def test_the_frontier_is_every_supported_point_of_polarity() -> None:
    for batch in (make(2), make(2, groups=2)):
        points = batch_frontier(batch)
        best = np.array([(b[0], r) for b, r in every(batch)])
        assert max(p.relevance_kept for p in points) == pytest.approx(1.0)
        for mu in np.linspace(-3, 3, 61):
            value = (best[:, 1] - mu * best[:, 0]).max()
            assert max(p.relevance - mu * p.bias for p in points) == pytest.approx(value, abs=1e-7)
        biases = [p.bias for p in points]
        assert biases == sorted(biases)


def test_only_polarity_has_a_frontier() -> None:
    batch = make(0, groups=2)
    with pytest.raises(UsageError, match="only polarity has a frontier"):
        batch_frontier(replace(batch, components=batch.components[1:]))


def test_the_error_shrinks_the_tolerance_of_each_component() -> None:
    batch = make(3, questions=12, candidates=9, error=0.02, groups=2)
    found = solve_batch(batch, 0.2, 0.3)
    assert (found.margin > 0).all()
    assert (np.abs(found.predicted - found.target) + found.margin <= 0.2 + 1e-6).all()
    assert (Z * found.standard_error <= found.margin + 1e-12).all()
    shown = batch.problem.vectors[np.take_along_axis(batch.problem.types, found.ranking, axis=1)].mean(axis=0)
    # The lean's error is polarity's alone.
    assert found.standard_error[0] == pytest.approx(0.02 * np.sqrt(1 + (shown[:, 0] ** 2).sum()))
    assert found.standard_error[1] == pytest.approx(0.02 * np.sqrt((shown[:, 1] ** 2).sum()))


@pytest.mark.parametrize(("seed", "tau"), [(seed, tau) for seed in range(6) for tau in (0.02, 0.06, 0.15)])
def test_what_lies_within_the_tolerance_is_found_though_nothing_lies_within_the_shrunk_one(
    seed: int, tau: float
) -> None:
    batch = make(seed, questions=2, error=0.5, groups=2)
    target = np.array([0.18, 0.45, 0.45])
    nearest = min(float(np.abs(b - target).max()) for b, _ in every(batch))
    within = nearest <= tau + 1e-9
    found = solve_batch(batch, tau)
    assert found.met == within
    if not within:
        assert np.abs(found.predicted - target).max() == pytest.approx(nearest, abs=1e-6)
    assert (found.status in {"natural", "optimal", "certified"}) == within, "status and verdict agree"
    assert found.verdict == ("met as estimated" if within else "not met")


def test_no_bias_lies_beyond_its_ends() -> None:
    batch = make(1)
    steep = PositionWeights(np.array([1.2, 0.5]), -0.4, np.zeros((3, 3)), "model", True)
    rows = tuple(batch.problem.types[q] for q in range(3))
    part = Part(rows, np.array(VECTORS), (Component(POLARITY, "", 0.9),))
    batch = make_batch(batch.items, {}, [part], steep, POLARITY)
    assert batch.reachable[0].tolist() == [-1.0, 1.0]
    assert goals(batch.components, steep, "proportional").tolist() == [1.0]
    found = solve_batch(batch, 0.05, -1.0)
    assert found.predicted[0] >= -1.0
    assert found.met


@pytest.mark.parametrize("tau", [-0.1, float("nan")])
def test_a_tolerance_is_a_number_that_is_not_negative(tau: float) -> None:
    with pytest.raises(UsageError, match="tolerance"):
        solve_batch(make(), tau)


@pytest.mark.parametrize("strength", [0.0, 0.5, 20.0])
def test_the_soft_objective_is_bounded_by_every_ranking(strength: float) -> None:
    batch = make(4)
    found = solve_batch_soft(batch, strength)
    assert found.soft is not None
    value = found.relevance_kept * batch.problem.top_relevance - strength * (found.predicted[0] - 0.18) ** 2
    assert found.soft.value == pytest.approx(value)
    best = max(r - strength * (b[0] - 0.18) ** 2 for b, r in every(batch))
    assert found.soft.value <= best + 1e-9 <= found.soft.bound + 2e-9
    assert found.met
    assert found.tau is None
    assert found.gap == pytest.approx(found.soft.bound - found.soft.value)


def test_the_soft_objective_is_for_polarity_alone_and_its_weight_a_number() -> None:
    with pytest.raises(UsageError, match="polarity alone"):
        solve_batch_soft(make(groups=2), 1.0)
    for bad in (-1.0, float("nan")):
        with pytest.raises(UsageError, match="weight of the soft objective"):
            solve_batch_soft(make(), bad)


def test_targets_of_polarity_and_of_groups() -> None:
    weights = PositionWeights(WEIGHTS, LEAN, np.zeros((3, 3)), "model", True)
    held = (Component(POLARITY, "", 0.2), Component("region", "a", 0.75), Component("region", "b", 0.25))
    assert goals(held, weights, "proportional") == pytest.approx([0.18, 0.675, 0.225])
    assert goals(held, weights, "parity") == pytest.approx([0.0, 0.45, 0.45])
    assert goals(held, weights, -0.4) == pytest.approx([-0.4, 0.675, 0.225])
    check_target(-0.4, (POLARITY, "region"))
    with pytest.raises(UsageError, match=r"-0\.4 is an Rb of polarity, and region has shares"):
        check_target(-0.4, ("region",))


def pool(ids: list[int], values: list[str], scores: list[int] | None = None) -> OpinionPool:
    n = len(ids)
    stances = StancePool(
        document_ids=np.array(ids),
        scores=np.array(scores or [10] * n),
        impacts=np.zeros(n, dtype=np.int64),
        confidences=np.ones(n),
        dates=("",) * n,
        ratings=np.full(n, np.nan),
        lengths=np.ones(n, dtype=np.int64),
        groups={"region": tuple(values)},
    )
    return OpinionPool(stances, np.array([0.2, 0, 0, 0.2, 0, 0, 0.6]), "proportional", {})


def test_author_groups_are_the_same_ones_in_every_question() -> None:
    first = pool(list(range(8)), ["a"] * 6 + ["b", ""])
    second = pool(list(range(4, 16)), ["a", "a", "b", ""] + ["b"] * 6 + ["", ""])
    rows = [np.array([7, 0, 6]), np.array([0, 2, 3])]
    part = make_part("region", [first, second], rows)
    # Documents of both questions count once for which groups there are: eight of `b`, six of `a`.
    assert [component.name for component in part.components] == ["region = b", "region = a"]
    assert [types.tolist() for types in part.types] == [[2, 1, 0], [1, 0, 2]]
    assert part.vectors.tolist() == [[1, 0], [0, 1], [0, 0]]
    shares = [np.mean([1 / 7, 7 / 9]), np.mean([6 / 7, 2 / 9])]
    assert [component.population for component in part.components] == pytest.approx(shares)


def test_polarity_of_a_pool() -> None:
    part = make_part(POLARITY, [pool([1, 2, 3], [""] * 3, [30, 0, -10])], [np.array([2, 0, 1])])
    assert part.types[0].tolist() == [2, 0, 1]
    assert part.components == (Component(POLARITY, "", pytest.approx(0.4)),)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (["a"] * 5 + ["b"] * 4 + [""] * 11, "authors of 9 of the 20 documents asked about: too few"),
        (["a"] * 20, "all known authors of the documents asked about have region a"),
    ],
)
def test_an_attribute_that_cannot_be_held(values: list[str], fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        make_part("region", [pool(list(range(20)), values)], [np.arange(20)])


class FakeCalibrations:
    def __init__(self, *attributes: str) -> None:
        self.attributes = attributes

    def find(self, *, attribute: str, k: int, **_: object) -> Any:
        if attribute not in self.attributes:
            return None
        result = {"weights": [0.5, 0.2], "intercept": 0.3, "covariance": np.eye(3).tolist()}
        return SimpleNamespace(result=result)

    def fits(self) -> list[Any]:
        return []


def context(*calibrated: str) -> Any:
    return SimpleNamespace(
        chat=lambda _role: None,
        searcher=SimpleNamespace(fingerprint="embedder"),
        calibrations=FakeCalibrations(*calibrated),
        attribute_values=lambda: {"tier": ["gold"], "region": ["a", "b"]},
    )


def test_all_components_share_the_weights_of_the_one_that_is_calibrated() -> None:
    weights, owner = shared_weights(context(), 2, (POLARITY, "region"))
    assert (weights.calibrated, owner, weights.weights.tolist()) == (False, "", [0.5, 0.5])
    weights, owner = shared_weights(context(POLARITY), 2, (POLARITY, "region"))
    assert (owner, weights.weights.tolist(), weights.intercept) == (POLARITY, [0.5, 0.2], 0.3)
    weights, owner = shared_weights(context("region"), 2, (POLARITY, "region"))
    # The lean of a fit on regions is no lean of polarity.
    assert (owner, weights.weights.tolist(), weights.intercept) == ("region", [0.5, 0.2], 0.0)
    assert weights.covariance.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    weights, owner = shared_weights(context("region", POLARITY), 2, ("region",))
    assert (owner, weights.calibrated) == ("region", True)
    with pytest.raises(
        UsageError, match="polarity and region are calibrated for k = 2 with position weights"
    ):
        shared_weights(context("region", POLARITY), 2, (POLARITY, "region"))


@pytest.mark.parametrize(
    ("attributes", "fault"),
    [
        (["planet"], "no author attribute `planet`; there are: polarity, region, tier"),
        (["region", "polarity", "region"], "--attribute region is given twice"),
    ],
)
def test_attributes_are_known_and_given_once(attributes: list[str], fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        check_attributes(context(), attributes)
    check_attributes(context(), ["tier", "region", "polarity"])
