"""Inclusion probabilities of the balanced sample."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness.balanced import calibrated_inclusion


@pytest.mark.parametrize("seed", range(40))
def test_inclusion_sums_to_k_where_groups_go_with_the_opinion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bins = rng.choice(7, 120)
    codes = np.where(rng.random(120) < 0.2, -1, (bins > 3).astype(int))
    shares = np.bincount(codes[codes >= 0], minlength=2) / (codes >= 0).sum()
    chances = calibrated_inclusion(bins, np.bincount(bins, minlength=7) / 120, [(codes, shares)], 10)
    assert chances.sum() == pytest.approx(10)
    assert chances.min() >= 0
    assert chances.max() <= 1 + 1e-12
