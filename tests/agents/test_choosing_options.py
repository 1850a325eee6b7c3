"""The weights, the frame and the calibration's error that a choice by a named method takes into account."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agents.choosing import Desk, choose
from agents.fairness.opinion import recommended_weights
from agents.fairness.pool import Pool
from agents.ordering import PositionWeights, uniform_weights
from agents.pools import Groups
from store.errors import UsageError
from store.verdicts import Z
from tests.agents.fairness.opinion_cases import largest_gap, random_pool

REGION = ("north", "south", "west")


def desk(pool: Pool, measured: PositionWeights | None = None, *, tau: float = 0.1) -> Desk:
    groups = tuple(
        Groups(name, REGION, np.asarray(codes, np.int64), np.asarray(pool.group_shares[name]), 0.0)
        for name, codes in pool.groups.items()
    )
    return Desk(
        problem=pool,
        groups=groups,
        measured=measured or uniform_weights(5, "m", ""),
        goal=0.0,
        tau=tau,
        rng=np.random.default_rng(0),
    )


def pool_of(count: int, attributes: int = 1) -> Pool:
    """Return a pool whose most relevant documents are all of one region."""
    pool = random_pool(np.random.default_rng(3), count)
    codes = np.repeat([0, 1, 2], -(-count // 3))[:count]
    names = ["region", "age"][:attributes]
    return replace(
        pool,
        relevance=np.linspace(0.9, 0.3, count),
        groups=dict.fromkeys(names, codes),
        group_shares=dict.fromkeys(names, np.bincount(codes, minlength=3) / count),
    )


@pytest.mark.parametrize(
    ("method", "attributes"), [("exact", 1), ("exact", 2), ("exact-w2", 1)], ids=lambda each: str(each)
)
def test_the_weight_of_author_groups_is_the_one_given(method: str, attributes: int) -> None:
    pool = pool_of(24, attributes)
    k, codes, shares = 6, pool.groups["region"], pool.group_shares["region"]
    found = {beta: choose(method, desk(pool), k, {"lam": 0.0, "beta": beta}) for beta in (0.0, 0.5, 50.0)}
    assert [made.beta for made in found.values()] == [0.0, 0.5, 50.0]
    gaps = [largest_gap(codes[made.selection.indices], shares) for made in found.values()]
    assert sorted(found[0.0].selection.indices.tolist()) == list(range(k)), "weighing nothing: plain top k"
    assert gaps[0] > gaps[1] > gaps[2] == pytest.approx(0), "more weight, smaller gap"


def test_weights_not_given_are_the_recommended_ones_for_what_is_chosen() -> None:
    for k, size in ((6, 6), (40, 24)):
        made = choose("exact", desk(pool_of(24)), k, {})
        assert (made.lam, made.beta) == recommended_weights(size)


def test_exact_w2_refuses_several_author_attributes_and_names_them() -> None:
    with pytest.raises(UsageError) as refused:
        choose("exact-w2", desk(pool_of(24, 2)), 6, {})
    assert "region" in refused.value.message
    assert "age" in refused.value.message
    assert refused.value.hint, "what to do instead is said"


@pytest.mark.parametrize(
    ("count", "k", "size"), [(300, 20, 150), (86, 20, 60), (90, 20, 60), (45, 20, 45), (12, 20, 12)]
)
def test_a_balanced_sample_is_drawn_from_the_better_half_but_from_three_times_k_where_there_are(
    count: int, k: int, size: int
) -> None:
    pool = replace(
        pool_of(count),
        score=np.tile([-20.0, 0.0, 20.0], -(-count // 3))[:count],
        population=np.array([0, 1, 0, 1, 0, 1, 0]) / 3,
    )
    frame = choose("balanced", desk(pool), k, {}).selection.frame
    assert frame is not None
    assert frame.tolist() == list(range(size)), "the most relevant come first in this pool"


WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])


def leaning(count: int = 12) -> Pool:
    """Return a pool whose best four documents say +, -, -, -: an Rb of -0.2 by ``WEIGHTS``, or lower."""
    score = np.full(count, -10.0)
    score[[0, 6, 7, 8]] = 10.0
    return Pool(
        relevance=np.linspace(0.9, 0.3, count),
        score=score,
        population=np.array([0, 0, 2 / 3, 0, 1 / 3, 0, 0]),
    )


def measured(error: float) -> PositionWeights:
    """Return weights whose predicted Rb has this standard error wherever every document has a side."""
    return PositionWeights(WEIGHTS, 0.0, np.eye(5) * error**2 / 5, "m", True)


def test_faro_leaves_room_for_the_calibrations_error() -> None:
    tau, error = 0.3, 0.1
    pool = leaning()
    predicted: dict[float, float] = {}
    chosen: dict[float, Any] = {}
    for each in (0.0, error):
        chosen[each] = choose("faro", desk(pool, measured(each), tau=tau), 4, {}).selection.indices
        predicted[each] = float(WEIGHTS @ np.sign(pool.score[chosen[each]]))
    assert chosen[0.0].tolist() == [0, 1, 2, 3]
    assert predicted[0.0] == pytest.approx(-0.2)
    assert abs(predicted[error]) <= tau - Z * error + 1e-9
    assert set(chosen[error]) != {0, 1, 2, 3}, "less relevant documents are the price of being sure"
