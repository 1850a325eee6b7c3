from itertools import combinations

import numpy as np
import pytest

from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.multi_attribute import select_multi
from agents.fairness.opinion import select_exact
from agents.fairness.pool import Pool
from agents.fairness.selection import select
from tests.agents.fairness.opinion_cases import largest_gap


@pytest.mark.parametrize("combine", ["sum", "max"])
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_equals_enumeration(combine: str, p: float) -> None:
    rng = np.random.default_rng(3)
    values, join = np.array(BINS), {"sum": sum, "max": max}[combine]
    for trial in range(8):
        count = int(rng.integers(3, 10))
        k = int(rng.integers(1, count))
        r, population = rng.random(count), rng.dirichlet(np.ones(7))
        s = rng.choice(BINS, count) if trial % 2 else rng.normal(0, 15, count)
        attributes = {
            "a": (rng.integers(0, 3, count), rng.dirichlet(np.ones(3))),
            "b": (rng.integers(0, 2, count), rng.dirichlet(np.ones(2))),
        }
        lam = 0.1 if p == 1 else 0.003

        def value(rows: list[int], r=r, s=s, population=population, lam=lam, attributes=attributes) -> float:
            distance = wasserstein_p(s[rows], BINS, None, population, p)
            return float(
                r[rows].sum()
                - lam * distance
                - join([largest_gap(c[rows], q) for c, q in attributes.values()])
            )

        best = max(value(list(rows)) for rows in combinations(range(count), k))
        found = select_multi(
            r, s, (values, population), attributes, k, lam=lam, beta=1.0, p=p, combine=combine, seconds=30
        )
        assert found.optimal
        assert value(found.indices.tolist()) == pytest.approx(best, abs=1e-7)
        assert found.bound == pytest.approx(best, abs=1e-6)


def test_one_attribute_equals_the_pruned_programme() -> None:
    rng = np.random.default_rng(7)
    r, s = rng.random(80), rng.choice(BINS, 80)
    codes, shares, population = rng.integers(0, 3, 80), np.array([0.6, 0.3, 0.1]), rng.dirichlet(np.ones(7))
    found = select_multi(
        r, s, (np.array(BINS), population), {"a": (codes, shares)}, 8, lam=0.16, beta=4.0, seconds=60
    )
    exact = select_exact(r, s, population, 8, lam=0.16, beta=4.0, groups=codes, group_shares=shares)
    assert found.bound == pytest.approx(exact.objective, abs=1e-6)


def test_selection_minds_every_attribute_or_those_named() -> None:
    rng = np.random.default_rng(0)
    pool = Pool(
        relevance=rng.random(60) * 0.1,
        score=rng.choice(BINS, 60),
        population=np.full(7, 1 / 7),
        groups={"region": rng.integers(0, 2, 60), "age": rng.integers(0, 3, 60)},
        group_shares={"region": np.array([0.5, 0.5]), "age": np.array([0.2, 0.4, 0.4])},
    )
    both = select("exact", pool, 10, seconds=30)
    parts = both.parts
    expected = parts.relevance - 0.3 * parts.w1 - 5.0 * sum(parts.gaps.values())
    assert both.objective == pytest.approx(expected, abs=1e-9)
    assert max(both.parts.gaps.values()) < 1e-9
    one = select("exact", pool, 10, attributes=["region"])
    assert one.exact
    assert one.parts.gaps["region"] < 1e-9
    with pytest.raises(ValueError, match=r"^attributes"):
        select("exact", pool, 10, attributes=["height"])


@pytest.mark.parametrize(("codes", "optimal"), [([0, 1, 0, 1], True), ([-1, 1, 0, 1], False)])
def test_a_choice_of_unknown_authors_is_not_called_optimal(codes: list[int], optimal: bool) -> None:
    known, shares = np.array([0, 0, 1, 1]), np.array([0.5, 0.5])
    found = select_multi(
        np.array([5.0, 4.0, 0.1, 0.0]),
        np.zeros(4),
        (np.zeros(1), np.ones(1)),
        {"a": (known, shares), "b": (np.array(codes), shares)},
        2,
        lam=0.1,
        beta=1.0,
    )
    assert sorted(found.indices.tolist()) == [0, 1]
    assert found.optimal == optimal
