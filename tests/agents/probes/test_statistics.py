from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from agents.probes.statistics import (
    Change,
    Interval,
    Measured,
    bonferroni,
    change,
    foil_accuracy,
    foil_verdict,
    paired_t,
    rho_of,
    spearman,
    verdict,
)


@pytest.mark.parametrize("seed", range(5))
def test_paired_t_agrees_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(0.3 * seed, 1, 50), rng.normal(0, 2, 50)
    ours, theirs = paired_t(first - second), stats.ttest_rel(first, second)
    assert ours.t == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert (ours.n, ours.mean) == (50, pytest.approx(np.mean(first - second)))


def test_paired_t_by_hand() -> None:
    # mean 2, sd 1: t = 2 / (1 / sqrt(3)).
    found = paired_t(np.array([1.0, 2.0, 3.0]))
    assert found.t == pytest.approx(2 * np.sqrt(3))
    assert found.sd == pytest.approx(1.0)


def test_differences_that_do_not_vary() -> None:
    assert (paired_t(np.zeros(4)).t, paired_t(np.zeros(4)).p) == (0.0, 1.0)
    assert (paired_t(np.full(4, -2.0)).t, paired_t(np.full(4, -2.0)).p) == (-np.inf, 0.0)


@pytest.mark.parametrize("ties", [False, True])
def test_spearman_agrees_with_scipy(ties: bool) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=80), rng.normal(size=80)
    if ties:
        x, y = np.round(x), np.round(y + x)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_spearman_edges() -> None:
    assert spearman(np.array([1.0, 2, 3]), np.array([10.0, 20, 30])) == pytest.approx(1)
    assert spearman(np.array([1.0, 2, 3]), np.array([9.0, 4, 1])) == pytest.approx(-1)
    assert spearman(np.ones(3), np.array([1.0, 2, 3])) == 0
    with pytest.raises(ValueError, match="one length"):
        spearman(np.ones(3), np.ones(4))
    with pytest.raises(ValueError, match="finite"):
        paired_t(np.array([1.0, np.nan]))


def test_bonferroni_and_accuracy_by_hand() -> None:
    assert bonferroni(0.004, 10) == pytest.approx(0.04)
    assert bonferroni(0.3, 10) == 1
    with pytest.raises(ValueError, match="tests"):
        bonferroni(0.1, 0)
    # Right, wrong, tie.
    assert foil_accuracy(np.array([0.0, 1, 2]), np.array([1.0, 0, 2])) == pytest.approx(1 / 3)


def measured(deltas: np.ndarray, rng: np.random.Generator, gap: float = 5.0) -> Measured:
    n = len(deltas)
    base = rng.normal(0, 0.1, n)
    feature = np.column_stack([np.ones(n), np.zeros(n)])
    return Measured(base + deltas, base, feature, rng.normal(gap, 0.5, n))


def test_rho_pools_both_documents() -> None:
    found = Measured(np.array([3.0, 4]), np.array([1.0, 2]), np.array([[9.0, 1], [8, 2]]), np.ones(2))
    # Scores 3 4 1 2 against features 9 8 1 2.
    assert rho_of(found) == pytest.approx(stats.spearmanr([3, 4, 1, 2], [9, 8, 1, 2]).statistic)


def test_the_interval_holds_the_sample_value_and_the_bootstrap_is_seeded() -> None:
    rng = np.random.default_rng(0)
    plain, after = measured(rng.normal(1, 0.5, 60), rng), measured(rng.normal(0.4, 0.5, 60), rng)
    found, again = (change(plain, after, np.random.default_rng(7)) for _ in range(2))
    assert found == again
    expected = abs(paired_t(plain.deltas).t) - abs(paired_t(after.deltas).t)
    assert found.t.value == pytest.approx(expected)
    assert found.t.low < found.t.value < found.t.high
    assert found.effect.above
    assert found.unit == "relevance"


def test_a_change_of_scale_is_no_change() -> None:
    rng = np.random.default_rng(1)
    plain = measured(rng.normal(1, 0.5, 60), rng)
    scaled = Measured(9 * plain.treatment, 9 * plain.control, plain.feature, 9 * plain.gap)
    found = change(plain, scaled, np.random.default_rng(0))
    assert found.effect.value == pytest.approx(0, abs=1e-12)
    assert found.t.value == pytest.approx(0, abs=1e-9)


def test_without_relevance_the_unit_is_the_score() -> None:
    rng = np.random.default_rng(2)
    plain = measured(rng.normal(1, 0.5, 40), rng, gap=0.0)
    assert change(plain, plain, np.random.default_rng(0)).unit == "score"


UP, DOWN, FLAT = Interval(1, 0.5, 1.5), Interval(-1, -1.5, -0.5), Interval(0.1, -0.3, 0.5)


@pytest.mark.parametrize(
    ("t", "effect", "rho", "biased", "biased_after", "expected"),
    [
        (UP, UP, UP, True, True, "mitigated"),
        (UP, UP, FLAT, True, True, "mitigated"),
        (UP, UP, DOWN, True, True, "masked"),
        (UP, FLAT, UP, True, False, "masked"),
        (UP, DOWN, FLAT, True, True, "masked"),
        (FLAT, FLAT, FLAT, True, True, "unchanged"),
        (FLAT, DOWN, DOWN, True, True, "worse"),
        (DOWN, FLAT, FLAT, True, True, "worse"),
        (DOWN, DOWN, FLAT, False, True, "worse"),
        (DOWN, DOWN, FLAT, False, False, "unchanged"),
        (UP, UP, UP, False, False, "unchanged"),
    ],
)
def test_verdicts(
    t: Interval, effect: Interval, rho: Interval, biased: bool, biased_after: bool, expected: str
) -> None:
    found = Change(t, effect, rho, FLAT, "score")
    assert verdict(found, biased=biased, biased_after=biased_after) == expected


def test_a_query_that_finds_nothing_mitigates_nothing() -> None:
    lost = Change(UP, UP, UP, UP, "score", lost=True)
    assert verdict(lost, biased=True, biased_after=False) == foil_verdict(lost) == "masked"


@pytest.mark.parametrize(
    ("accuracy", "effect", "expected"),
    [(UP, UP, "mitigated"), (UP, FLAT, "masked"), (FLAT, UP, "unchanged"), (DOWN, FLAT, "worse")],
)
def test_foil_verdicts(accuracy: Interval, effect: Interval, expected: str) -> None:
    assert foil_verdict(Change(FLAT, effect, None, accuracy, "score")) == expected
