import json
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.multi_attribute import select_multi
from agents.fairness.opinion import (
    least_distance,
    least_gap,
    recommended_weights,
    select_exact,
    select_weighted,
)
from tests.agents.fairness.opinion_cases import brute_force, largest_gap, random_pool

GOLDEN = json.loads((Path(__file__).parents[2] / "data" / "golden_faro.json").read_text())
seeds = st.integers(0, 10**6)


@pytest.mark.parametrize("case", GOLDEN["opinion_1d"], ids=lambda case: case["name"])
def test_golden_choices(case: dict) -> None:
    choice = select_exact(
        case["r"],
        case["score"],
        case["pop_probs"],
        case["k"],
        lam=case["lam"],
        beta=case["beta"],
        p=case["p"],
        values=case["pop_values"],
        groups=case["group"],
        group_shares=case["pop_groups"],
    )
    assert choice.optimal
    assert choice.objective == pytest.approx(case["opt"], abs=1e-9)
    assert sorted(choice.indices.tolist()) in case["opt_sets"]
    assert choice.distance == pytest.approx(case["W_at_opt"], abs=1e-9)


@pytest.mark.parametrize("case", GOLDEN["opinion_weighted"], ids=lambda case: case["name"])
def test_golden_rankings(case: dict) -> None:
    choice = select_weighted(
        case["r"],
        case["score"],
        case["pop_probs"],
        case["w"],
        lam=case["lam"],
        p=case["p"],
        values=case["pop_values"],
    )
    assert choice.objective == pytest.approx(case["opt"], abs=1e-9)
    assert choice.indices.tolist() in case["opt_rankings"]


@settings(max_examples=250, deadline=None)
@given(seeds, st.sampled_from([1.0, 1.5, 2.0]), st.booleans())
def test_equals_enumeration(seed: int, p: float, levels: bool) -> None:
    rng = np.random.default_rng(seed)
    count, groups = int(rng.integers(1, 10)), int(rng.integers(1, 5))
    k = int(rng.integers(1, count + 1))
    r = np.round(rng.normal(size=count), int(rng.integers(0, 4)))
    s = rng.choice(BINS, count) if levels else rng.normal(0, 15, count)
    population = rng.dirichlet(np.full(7, 0.5))
    shares = rng.dirichlet(np.ones(groups))
    codes = rng.integers(-1 if seed % 3 == 0 else 0, groups, count)
    lam = float(rng.choice([0.0, 0.02, 0.2, 2.0])) / (30.0 if p > 1 else 1.0)
    beta = float(rng.choice([0.0, 0.3, 3.0, 30.0]))
    choice = select_exact(r, s, population, k, lam=lam, beta=beta, p=p, groups=codes, group_shares=shares)
    expected = brute_force(r, s, population, k, lam, beta, p, codes, shares)
    assert choice.optimal
    assert choice.objective == pytest.approx(expected, abs=1e-9)
    rebuilt = r[choice.indices].sum() - lam * wasserstein_p(s[choice.indices], BINS, None, population, p)
    assert rebuilt - beta * largest_gap(codes[choice.indices], shares) == pytest.approx(expected, abs=1e-9)
    assert len(set(choice.indices.tolist())) == k


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_weighted_equals_all_permutations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 7))
    k = int(rng.integers(1, min(count, 4) + 1))
    r, s = rng.normal(size=count), rng.choice(BINS, count)
    w = rng.integers(0, 4, k) + (np.arange(k) == 0)
    population = rng.dirichlet(np.ones(7))
    choice = select_weighted(r, s, population, w, lam=0.05)
    best = max(
        r[list(q)].sum() - 0.05 * wasserstein_p(s[list(q)], BINS, w, population)
        for q in permutations(range(count), k)
    )
    assert choice.objective == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(("k", "groups", "unknown"), [(10, 3, 0.0), (20, 6, 0.0), (20, 4, 0.25)])
def test_no_swap_improves_a_real_sized_choice(k: int, groups: int, unknown: float) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        pool = random_pool(rng, 200, groups, unknown=unknown)
        codes, shares = pool.groups["region"], rng.dirichlet(np.full(groups, 4.0))
        lam, beta = recommended_weights(k)

        def value(rows: list[int], codes=codes, shares=shares, pool=pool, lam=lam, beta=beta) -> float:
            distance = wasserstein_p(pool.score[rows], BINS, None, pool.population)
            return float(
                pool.relevance[rows].sum() - lam * distance - beta * largest_gap(codes[rows], shares)
            )

        choice = select_exact(
            pool.relevance,
            pool.score,
            pool.population,
            k,
            lam=lam,
            beta=beta,
            groups=codes,
            group_shares=shares,
        )
        rows = choice.indices.tolist()
        assert choice.optimal
        assert value(rows) == pytest.approx(choice.objective, abs=1e-9)
        outside = [i for i in range(200) if i not in rows]
        trials = rng.permutation([(a, b) for a in range(k) for b in outside])[:400]
        assert max(value([*rows[:a], b, *rows[a + 1 :]]) for a, b in trials) <= choice.objective + 1e-9


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_invariants(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = random_pool(rng, 40, 3, unknown=0.1)
    codes, shares = pool.groups["region"], pool.group_shares["region"]
    k = int(rng.integers(1, 12))
    lam, beta = recommended_weights(k)

    def run(order: np.ndarray, shift: float = 0.0, lam: float = lam, beta: float = beta):
        return select_exact(
            pool.relevance[order] + shift,
            pool.score[order],
            pool.population,
            k,
            lam=lam,
            beta=beta,
            groups=codes[order],
            group_shares=shares,
            ids=pool.tie_breaks[order],
        )

    natural, order = np.arange(40), rng.permutation(40)
    base, moved = run(natural), run(order)
    assert sorted(order[moved.indices]) == sorted(base.indices)  # ties too, by id
    assert run(natural, 1.5).objective == pytest.approx(base.objective + 1.5 * k, abs=1e-9)
    top = pool.by_relevance()[:k]
    # Documents of different cells may tie: the relevances are the same, not always the documents.
    plain = run(natural, lam=0.0, beta=0.0).indices
    assert sorted(pool.relevance[plain]) == sorted(pool.relevance[top])
    assert (np.diff(pool.relevance[base.indices]) <= 0).all()
    looser, tighter = run(natural, lam=lam / 5), run(natural, lam=lam * 5)
    assert tighter.distance + 1e-9 >= least_distance(pool.score, pool.population, k)
    assert (
        looser.relevance - 5 * lam * (looser.distance - tighter.distance) - beta * (looser.gap - tighter.gap)
        <= tighter.relevance + 1e-9
    )


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_distance_does_not_grow_with_lambda(seed: int) -> None:
    pool = random_pool(np.random.default_rng(seed), 50)
    found = [
        select_exact(pool.relevance, pool.score, pool.population, 8, lam=lam).distance
        for lam in (0.0, 0.01, 0.1, 1.0, 1e4)
    ]
    assert all(a >= b - 1e-9 for a, b in pairwise(found))
    assert found[-1] == pytest.approx(least_distance(pool.score, pool.population, 8), abs=1e-9)


def test_equal_weights_rank_as_the_unweighted_choice() -> None:
    pool = random_pool(np.random.default_rng(2), 80)
    flat = select_weighted(pool.relevance, pool.score, pool.population, np.ones(8), lam=0.16)
    plain = select_exact(pool.relevance, pool.score, pool.population, 8, lam=0.16)
    assert flat.objective == pytest.approx(plain.objective, abs=1e-9)


def test_floors_by_enumeration() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        count = int(rng.integers(1, 9))
        k = int(rng.integers(1, count + 1))
        s, population = rng.choice(BINS, count), rng.dirichlet(np.ones(7))
        codes, shares = rng.integers(-1, 3, count), rng.dirichlet(np.ones(3))
        floor = -brute_force(np.zeros(count), s, population, k, 1.0)
        assert least_distance(s, population, k) == pytest.approx(floor, abs=1e-9)
        gap = -brute_force(np.zeros(count), s, population, k, 0.0, 1.0, 1.0, codes, shares)
        assert least_gap(codes, shares, k) == pytest.approx(gap, abs=1e-9)


def test_an_empty_group_is_no_trouble() -> None:
    choice = select_exact(
        [0.9, 0.8, 0.1],
        [0.0, 0.0, 0.0],
        [0, 0, 0, 1, 0, 0, 0],
        2,
        lam=0.1,
        beta=5.0,
        groups=[0, 0, 0],
        group_shares=[0.5, 0.5],
    )
    assert choice.indices.tolist() == [0, 1]
    assert choice.gap == 0.5


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"relevance": [np.nan, 1.0]}, "relevance"),
        ({"relevance": [[0.1, 1.0]]}, "relevance"),
        ({"score": [np.inf, 0.0]}, "score"),
        ({"score": [0.0]}, "score"),
        ({"population": [0.5] * 7}, "population"),
        ({"k": 0}, "k"),
        ({"k": 3}, "k"),
        ({"lam": -1.0}, "lam"),
        ({"lam": np.nan}, "lam"),
        ({"beta": 1.0}, "groups, group_shares"),
        ({"p": 0.0}, "p"),
        ({"ids": [1, 1]}, "ids"),
        ({"groups": [0, 2], "group_shares": [0.5, 0.5]}, "groups"),
        ({"groups": [0.0, 1.0], "group_shares": [0.5, 0.5]}, "groups"),
        ({"groups": [0, 1], "group_shares": [0.9, 0.9]}, "group_shares"),
    ],
)
def test_bad_input_names_the_argument(change: dict, name: str) -> None:
    arguments = {"relevance": [0.1, 0.2], "score": [0.0, 10.0], "population": [1 / 7] * 7, "k": 1, "lam": 0.1}
    with pytest.raises(ValueError, match=f"^{name}"):
        select_exact(**{**arguments, **change})


@pytest.mark.parametrize("weights", [[-1.0, 2.0], [0.0], [np.nan], [1.0] * 13])
def test_bad_position_weights(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        select_weighted(np.ones(20), np.zeros(20), [0, 0, 0, 1, 0, 0, 0], weights, lam=1.0)
    with pytest.raises(ValueError, match="k"):
        recommended_weights(0)


@pytest.mark.parametrize("unit", [1.0, 2.0**-14])
def test_one_of_every_group_is_found_where_no_single_swap_leads_to_it(unit: float) -> None:
    r = unit * np.array([0.4, 0.2, 0.2, 0.6, 0.2, 0.6, 1.0, 0.9, 0.6, 1.0, 1.0, 0.2])
    codes, shares = np.array([2, 0, 1, 1, 1, 2, 3, 2, 0, 2, 3, 0]), np.full(4, 0.25)
    nothing, population = np.zeros(12), np.eye(7)[3]
    found = select_exact(
        r, nothing, population, 4, lam=0.0, beta=20 * unit, groups=codes, group_shares=shares
    )
    assert found.optimal
    assert sorted(codes[found.indices].tolist()) == [0, 1, 2, 3]
    best = brute_force(r, nothing, population, 4, 0.0, 20 * unit, codes=codes, shares=shares)
    assert found.objective == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(("seed", "k"), [(25, 20), (66, 20), (55, 10)])
def test_the_integer_programme_finds_nothing_better_than_what_is_called_optimal(seed: int, k: int) -> None:
    pool = random_pool(np.random.default_rng(seed), 40, 3, unknown=0.1)
    codes, shares = pool.groups["region"], pool.group_shares["region"]
    lam, beta = recommended_weights(k)
    choice = select_exact(
        pool.relevance,
        pool.score,
        pool.population,
        k,
        lam=lam,
        beta=beta,
        groups=codes,
        group_shares=shares,
    )
    population = (np.array(BINS), pool.population)
    other = select_multi(
        pool.relevance, pool.score, population, {"region": (codes, shares)}, k, lam=lam, beta=beta, seconds=30
    ).indices
    distance = wasserstein_p(pool.score[other], BINS, None, pool.population, 1.0)
    value = pool.relevance[other].sum() - lam * distance - beta * largest_gap(codes[other], shares)
    assert choice.optimal
    assert choice.objective >= value - 1e-9
