"""Whether a lead is more than chance, against textbook values and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from agents.leads import Mean, counts_apart, means_apart, not_behind, pooled_variance, slope
from agents.part_counts import difference


def test_counts_are_apart_as_a_share_of_their_sum() -> None:
    apart, low, high = counts_apart(60, 40)
    assert (apart, low, high) == pytest.approx((0.1, 0.002, 0.1907), abs=1e-3)  # Wilson: 0.502 to 0.691
    assert counts_apart(7, 7)[0] == 0
    assert counts_apart(0, 0)[1] < 0 < counts_apart(0, 0)[2]


def test_means_apart() -> None:
    apart, low, high = means_apart(Mean(4.5, 50, 0.5), Mean(4.0, 25, 1.0))
    assert (apart, low, high) == pytest.approx(
        (0.5, 0.5 - 1.96 * 0.05**0.5, 0.5 + 1.96 * 0.05**0.5), abs=1e-4
    )


def test_the_pooled_variance_is_that_within_groups() -> None:
    groups = [np.array([1.0, 2, 3, 5]), np.array([4.0, 4]), np.array([2.0])]
    means = [Mean(float(g.mean()), len(g), float(g.var())) for g in groups]
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (7 - 3)
    assert pooled_variance(means) == pytest.approx(within)
    assert pooled_variance([Mean(0.0, 0, 0.0), Mean(3.0, 1, 0.0)]) == 0.0


def test_who_is_not_behind_keeps_the_order() -> None:
    shares = [(40, 50), (39, 50), (10, 50), (7, 10)]
    assert not_behind(shares[0], shares[1:], difference) == [(39, 50), (7, 10)]


def test_the_slope_is_the_least_squares_one_over_documents() -> None:
    rng = np.random.default_rng(3)
    times = np.repeat([0, 1, 3, 4], [20, 5, 40, 12])
    stars = np.clip(np.rint(3 + 0.2 * times + rng.normal(0, 1, len(times))), 1, 5)
    groups = {t: stars[times == t] for t in (0, 1, 3, 4)}
    means = [Mean(float(g.mean()), len(g), float(g.var())) for g in groups.values()]
    change, low, high = slope(list(groups), means)
    fit, covariance = np.polyfit(times, stars, 1, cov=True)
    half = 1.959964 * covariance[0, 0] ** 0.5
    assert (change, low, high) == pytest.approx((fit[0], fit[0] - half, fit[0] + half))
    with pytest.raises(ValueError, match="two periods"):
        slope([1, 1], means[:2])


def test_equal_shares_seldom_have_a_lead() -> None:
    """Of six values with the same share, the first one has a lead over all others in at most 5 of 100 samples."""
    rng = np.random.default_rng(11)
    ns = (40, 60, 80, 100, 150, 200)
    wrong = 0
    for _ in range(1000):
        found = [(int(rng.binomial(n, 0.3)), n) for n in ns]
        first = max(found, key=lambda pair: pair[0] / pair[1])
        wrong += not not_behind(first, [pair for pair in found if pair is not first], difference)
    assert wrong <= 50


def test_a_true_lead_is_found() -> None:
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(200):
        first = (int(rng.binomial(300, 0.5)), 300)
        others = [(int(rng.binomial(300, 0.3)), 300) for _ in range(5)]
        found += not not_behind(first, others, difference)
    assert found >= 180
