import numpy as np
import pytest
from scipy.stats import spearmanr

from agents.fairness.label_rank import rank_correlation
from agents.fairness.quality import Reviews


def reviews(bins: list[int], truths: list[int], population: tuple[int, ...]) -> Reviews:
    return Reviews(np.array(bins), np.array(truths), np.zeros(len(bins), int), population)


def test_equal_weights_are_the_plain_correlation() -> None:
    rng = np.random.default_rng(3)
    bins = rng.choice([-30, -20, -10, 0, 10, 20, 30], 200)
    truths = np.clip(np.sign(bins) + 1 + rng.choice([-1, 0, 0, 1], 200), 0, 2)
    counts = tuple(int(n) for n in np.bincount((bins + 30) // 10, minlength=7))
    expected = spearmanr(bins, truths).statistic
    assert rank_correlation(reviews(bins.tolist(), truths.tolist(), counts)) == pytest.approx(expected)


def test_a_review_counts_for_the_stances_it_stands_for() -> None:
    """Three reviews, the last standing for two stances: as if it had been found twice."""
    population = (1, 0, 0, 1, 0, 0, 2)
    weighted = rank_correlation(reviews([-30, 0, 30], [0, 2, 1], population))
    assert weighted == pytest.approx(spearmanr([-30, 0, 30, 30], [-1, 1, 0, 0]).statistic)


def test_what_is_not_about_the_entity_holds_no_view_and_a_constant_says_nothing() -> None:
    population = (2, 0, 0, 0, 0, 0, 2)
    assert rank_correlation(reviews([-30, 30, 30], [0, 2, 3], population)) == pytest.approx(
        rank_correlation(reviews([-30, 30, 30], [0, 2, 1], population))
    )
    assert rank_correlation(reviews([30, 30], [2, 0], (0, 0, 0, 0, 0, 0, 2))) is None
