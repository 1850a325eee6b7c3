"""WARP's selections and the other published ones, against small cases by hand and their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness.distance import BINS
from agents.fairness.pool import Pool
from agents.fairness.selection import select
from agents.fairness.warp import adaptive_expansion

NEUTRAL = [0, 0, 0, 1, 0, 0, 0]


def test_w1_mmr_starts_from_a_distance_of_sixty() -> None:
    # Gains .5 * .75 + .5 * 40/60 = .708 and .5 * .5 + .5 * 50/60 = .667; from 30 the second would win.
    pool = Pool(relevance=[0.75, 0.5], score=[20.0, 10.0], population=NEUTRAL)
    assert select("w1-mmr", pool, 1).indices.tolist() == [0]


def test_wassrank_divides_the_distance_by_the_whole_scale() -> None:
    # Costs .5 * 30/60, .5 * 20/60 + .5 * .25 and .5 * 10/60 + .5 * .5; over 30 the third would be cheapest.
    pool = Pool(relevance=[1.0, 0.75, 0.5, 0.0], score=[30.0, 20.0, 10.0, 30.0], population=NEUTRAL)
    assert select("wassrank-ot", pool, 1).indices.tolist() == [0]


def test_adaptive_expansion_counts_matched_documents_only() -> None:
    pool = Pool(
        relevance=np.linspace(1, 0.1, 8),
        score=[30, 30, -30, -30, -30, -30, 0, 30],
        population=[0.5, 0, 0, 0, 0, 0, 0.5],
        matched=[True, True, False, False, True, True, True, True],
    )
    # The two documents of bin -30 above the cut speak of something else: the bin is empty, and gains one.
    assert adaptive_expansion(pool, 4, 1).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("k", "positive"), [(1, 0), (2, 0), (3, 1)])
def test_kl_leaves_a_rare_bin_empty_until_a_third_document(k: int, positive: int) -> None:
    # Of two, .892 ln(.892/.991) + .100 ln(.100/.00143) = .333 without the rare bin and .363 with it.
    pool = Pool(
        relevance=np.linspace(1, 0.1, 15),
        score=[0.0] * 12 + [30.0] * 3,
        population=[0, 0, 0, 0.9, 0, 0, 0.1],
    )
    assert (pool.bins[select("kl", pool, k).indices] == 6).sum() == positive


def test_dpp_weighs_quality_with_spread() -> None:
    # The second adds exp(2 * .9) (1.1 - exp(-.5)^2 / 1.1) = 4.6 to the determinant, the third exp(2 * .1) 1.1 = 1.3.
    pool = Pool(relevance=[1.0, 0.9, 0.1], score=[0.0, 10.0, 30.0], population=NEUTRAL)
    assert select("dpp", pool, 2).indices.tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(4))
def test_dpp_adds_the_document_of_the_largest_determinant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    r, s = rng.random(12), rng.choice(BINS, 12)
    kernel = np.exp(r[:, None] + r[None, :]) * (np.exp(-((s[:, None] - s) ** 2) / 200) + 0.1 * np.eye(12))
    chosen: list[int] = []
    for _ in range(6):
        left = [i for i in range(12) if i not in chosen]
        chosen.append(max(left, key=lambda i: np.linalg.det(kernel[np.ix_([*chosen, i], [*chosen, i])])))
        found = select("dpp", Pool(relevance=r, score=s, population=NEUTRAL), len(chosen))
        assert set(found.indices.tolist()) == set(chosen)
