"""Exact opinion selection ends, and is exact, whatever the size of relevances and weights."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from agents.fairness import group_bounds, opinion_w2
from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.multi_attribute import select_multi
from agents.fairness.opinion import select_exact
from agents.fairness.opinion_w2 import select_w2

SCALES = (1e-9, 1e-6, 1.0, 30.0, 1e6)


class Endless(AssertionError):
    """A search that is over after a few calls has made a thousand."""


def at_most(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, calls: int) -> None:
    original, made = getattr(module, name), [0]

    def counted(*args: Any, **options: Any) -> Any:
        made[0] += 1
        if made[0] > calls:
            raise Endless(name)
        return original(*args, **options)

    monkeypatch.setattr(module, name, counted)


def test_the_dichotomy_ends_in_the_case_that_once_went_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    at_most(monkeypatch, opinion_w2, "select_exact", 1000)
    choice = select_w2(
        [0.2785, 0.423, 0.7929, 0.5308],
        [17.02669689278536, -6.804202831946448, 19.03750404470057, 19.34419245576904],
        [
            0.17567804641063503,
            0.348326605670232,
            0.10158011853612052,
            0.08066184015911793,
            0.009477286078411409,
            0.22862622377532826,
            0.05564987937015493,
        ],
        3,
        lam=100.0,
        beta=50.0,
        groups=[0, -1, 1, 0],
        group_shares=[0.8106967273336502, 0.1893032726663498],
    )
    assert sorted(choice.indices.tolist()) == [0, 1, 3]
    assert choice.optimal


def test_swaps_end_where_their_gain_is_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    at_most(monkeypatch, group_bounds, "largest_gap", 1000)
    choice = select_w2(
        [775400.0, 915500.0, 191000.0, 510000.0],
        [-30.0, 0.0, -30.0, 10.0],
        [
            0.11375484024801745,
            0.05039643338416522,
            0.22765949122460258,
            0.030232098777441294,
            0.09259501700291405,
            0.019619034394158005,
            0.4657430849687014,
        ],
        1,
        lam=20000.0,
        beta=500000.0,
        groups=[-1, 1, 2, 4],
        group_shares=[
            0.25391648511623177,
            0.43773859795361253,
            0.07731487378251967,
            0.02791140468309788,
            0.20311863846453818,
        ],
    )
    assert choice.indices.tolist() == [1]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(12))
def test_it_equals_enumeration_at_every_scale(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    count, groups = 9, 3
    k = int(rng.integers(1, 7))
    r = np.round(rng.random(count), 1 + seed % 3) * scale
    s = rng.choice(BINS, count) if seed % 2 else rng.uniform(-30, 30, count)
    population, shares = rng.multinomial(20, np.full(7, 1 / 7)) / 20, rng.dirichlet(np.ones(groups))
    codes = rng.integers(-1, groups, count)
    lam, beta = 0.02 * k * scale, 0.5 * k * scale
    sets = [list(c) for c in combinations(range(count), k)]
    relevance = np.array([r[c].sum() for c in sets])
    known = np.array([np.bincount(codes[c][codes[c] >= 0], minlength=groups) for c in sets])
    gap = group_bounds.largest_gap(known, shares)
    for p, select in ((1.0, select_exact), (2.0, select_w2)):
        distance = np.array([wasserstein_p(s[c], BINS, None, population, p) for c in sets]) ** (1 / p)
        value = relevance - lam * distance - beta * gap
        choice = select(r, s, population, k, lam=lam, beta=beta, groups=codes, group_shares=shares)
        reached = value[sets.index(sorted(choice.indices.tolist()))]
        assert choice.optimal
        assert reached / scale == pytest.approx(value.max() / scale, abs=1e-9)
        assert choice.objective / scale == pytest.approx(value.max() / scale, abs=1e-9)
        assert choice.bound / scale == pytest.approx(value.max() / scale, abs=1e-9)


@pytest.mark.parametrize("spread", [1e-6, 1e-3, 1e3])
def test_w2_does_not_mind_the_unit_of_the_scores(spread: float) -> None:
    rng = np.random.default_rng(3)
    r, s = rng.random(30), rng.uniform(-30, 30, 30)
    usual = select_w2(r, s, np.full(7, 1 / 7), 8, lam=0.16)
    other = select_w2(
        r, s * spread, np.full(7, 1 / 7), 8, lam=0.16 / spread, values=np.asarray(BINS) * spread
    )
    assert other.indices.tolist() == usual.indices.tolist()
    assert other.objective == pytest.approx(usual.objective, abs=1e-9)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(4))
def test_several_attributes_equal_enumeration_at_every_scale(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    count, k = 8, 4
    r, s, population = rng.random(count) * scale, rng.choice(BINS, count), np.full(7, 1 / 7)
    first, second = rng.integers(0, 2, count), rng.integers(0, 3, count)
    halves, thirds = np.array([0.5, 0.5]), np.array([0.2, 0.3, 0.5])
    lam, beta = 0.02 * k * scale, 0.5 * k * scale

    def value(c: list[int]) -> float:
        gaps = [
            group_bounds.largest_gap(np.bincount(codes[c], minlength=shares.size), shares)
            for codes, shares in ((first, halves), (second, thirds))
        ]
        return float(r[c].sum() - lam * wasserstein_p(s[c], BINS, None, population, 1.0) - beta * sum(gaps))

    choice = select_multi(
        r,
        s,
        (np.asarray(BINS), population),
        {"a": (first, halves), "b": (second, thirds)},
        k,
        lam=lam,
        beta=beta,
        seconds=30.0,
    )
    best = max(value(list(c)) for c in combinations(range(count), k))
    assert choice.optimal
    assert value(choice.indices.tolist()) / scale == pytest.approx(best / scale, abs=1e-7)
    assert choice.bound / scale == pytest.approx(best / scale, abs=1e-6)


def test_a_dear_gap_that_no_choice_can_change_hides_no_relevance() -> None:
    rng = np.random.default_rng(11)
    r, s = rng.random(9) * 1e-9, rng.uniform(-30, 30, 9)
    for select in (select_exact, select_w2):
        alone = select(r, s, np.full(7, 1 / 7), 4, lam=1e-10)
        grouped = select(
            r, s, np.full(7, 1 / 7), 4, lam=1e-10, beta=1e6, groups=np.zeros(9, int), group_shares=[1.0]
        )
        assert grouped.indices.tolist() == alone.indices.tolist()
