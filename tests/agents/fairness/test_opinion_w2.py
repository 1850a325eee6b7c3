from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.group_bounds import largest_gap
from agents.fairness.opinion import select_exact
from agents.fairness.opinion_w2 import select_w2


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_equals_enumeration(seed: int, levels: bool) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 10))
    k = int(rng.integers(1, count + 1))
    r = np.round(rng.normal(size=count), 2)
    s = rng.choice(BINS, count) if levels else rng.normal(0, 15, count)
    population = rng.dirichlet(np.full(7, 0.5))
    lam = float(rng.choice([0.0, 0.01, 0.1, 1.0]))
    best = max(
        r[list(c)].sum() - lam * np.sqrt(wasserstein_p(s[list(c)], BINS, None, population, 2.0))
        for c in combinations(range(count), k)
    )
    choice = select_w2(r, s, population, k, lam=lam)
    assert choice.objective == pytest.approx(best, abs=1e-9)
    assert choice.relevance - lam * choice.distance == pytest.approx(best, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_with_author_groups_it_equals_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 9))
    k = int(rng.integers(1, count + 1))
    r = np.round(rng.normal(size=count), 2)
    s = rng.choice(BINS, count)
    groups = rng.integers(-1, 3, count)
    population, shares = rng.dirichlet(np.full(7, 0.5)), rng.dirichlet(np.ones(3))
    lam, beta = float(rng.choice([0.01, 0.1])), float(rng.choice([0.3, 3.0]))

    def value(c: tuple[int, ...]) -> float:
        rows = list(c)
        codes = groups[rows]
        gap = largest_gap(np.bincount(codes[codes >= 0], minlength=3), shares)
        return float(
            r[rows].sum() - lam * np.sqrt(wasserstein_p(s[rows], BINS, None, population, 2.0)) - beta * gap
        )

    best = max(value(c) for c in combinations(range(count), k))
    choice = select_w2(r, s, population, k, lam=lam, beta=beta, groups=groups, group_shares=shares)
    assert choice.optimal
    assert choice.objective == pytest.approx(best, abs=1e-9)
    assert value(tuple(choice.indices)) == pytest.approx(best, abs=1e-9)


def test_bad_input_names_the_argument() -> None:
    for change, name in (({"k": 0}, "k"), ({"lam": -1.0}, "lam"), ({"ids": [1, 1]}, "ids")):
        arguments = {"k": 1, "lam": 0.1, **change}
        with pytest.raises(ValueError, match=f"^{name}"):
            select_w2([0.1, 0.2], [0.0, 10.0], [1 / 7] * 7, **arguments)


@pytest.mark.parametrize("seed", range(5))
def test_no_trade_off_finds_a_better_choice_of_twenty(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = rng.choice(BINS, 200, p=rng.dirichlet(np.ones(7)))
    r = np.round(0.5 + 0.006 * s + 0.1 * rng.normal(size=200), 4)
    population = rng.dirichlet(np.ones(7))
    trade_offs = np.concatenate(([0.0], np.geomspace(1e-5, 1.0, 80)))
    supported = [select_exact(r, s, population, 20, lam=float(t), p=2.0) for t in trade_offs]
    for lam in (0.05, 0.1, 0.2):
        best = max(each.relevance - lam * np.sqrt(each.distance) for each in supported)
        choice = select_w2(r, s, population, 20, lam=lam)
        assert choice.optimal
        assert choice.objective >= best - 1e-9
