"""Labels with known errors: the estimates are unbiased, their intervals cover, odd cases stay sane."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents.fairness.quality import (
    BINS,
    MIN_REVIEWS,
    NOT_ABOUT,
    Interval,
    Reviews,
    assess,
    corrected_shares,
    spread_over_bins,
    wilson,
)

#: P(label | truth): a labeller that is right four times of five, and unsure of neutral views.
FLIPS = np.array([[0.80, 0.12, 0.08], [0.20, 0.60, 0.20], [0.05, 0.15, 0.80]])
SIMULATIONS = 300


class World:
    """A corpus with truths, labels that err by ``FLIPS``, and a stratified sample of reviews."""

    def __init__(
        self, seed: int, truth: list[float], reviews: int, size: int = 4000, off: float = 0.0
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.off = off
        truths, bins, about = self.people(size, truth)
        self.counts = _counts(bins)
        index = (bins + 30) // 10
        roots = np.sqrt(self.counts)
        wanted = np.minimum(self.counts, np.maximum(1, np.rint(reviews * roots / roots.sum()).astype(int)))
        rows = np.concatenate(
            [
                self.rng.choice(np.flatnonzero(index == b), wanted[b], replace=False)
                for b in range(7)
                if self.counts[b]
            ]
        )
        found = np.where(about, truths, NOT_ABOUT)
        self.reviews = Reviews(bins[rows], found[rows], np.zeros(len(rows), dtype=np.int64), self.counts)
        self.shares = np.bincount(truths[about], minlength=3) / about.sum()
        self.accuracy = float(np.mean(found == np.sign(bins) + 1))

    def people(
        self, size: int, truth: list[float]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        truths = self.rng.choice(3, size=size, p=truth)
        labels = (self.rng.random(size)[:, None] > np.cumsum(FLIPS, axis=1)[truths]).sum(axis=1)
        bins = (labels - 1) * 10 * self.rng.integers(1, 4, size=size)
        return truths, bins, self.rng.random(size) >= self.off


def _counts(bins: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(int(n) for n in np.bincount((bins + 30) // 10, minlength=7))


def simulated(
    truth: list[float], other: list[float] | None, reviews: int, off: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Errors of the corrected shares and of the labels' shares, and whether the interval covers; (300, 3) each."""
    errors, raw, covered = [], [], []
    for seed in range(SIMULATIONS):
        world = World(seed, truth, reviews, off=off)
        counts, shares = world.counts, world.shares
        if other is not None:
            truths, bins, about = world.people(400, other)
            counts, shares = _counts(bins), np.bincount(truths[about], minlength=3) / about.sum()
        entities = [] if other is None else [1]
        found = corrected_shares(world.reviews, counts, entities, seed=seed, draws=400)
        assert found is not None
        values = np.array([each.value for each in found.shares])
        errors.append(values - shares)
        labelled = np.array([sum(counts[:3]), counts[3], sum(counts[4:])]) / sum(counts)
        raw.append(labelled - shares)
        covered.append(
            [each.low <= true <= each.high for each, true in zip(found.shares, shares, strict=True)]
        )
    return np.array(errors), np.array(raw), np.array(covered, dtype=np.float64)


@pytest.mark.parametrize(
    ("other", "off"),
    [(None, 0.0), ([0.5, 0.1, 0.4], 0.0), ([0.5, 0.1, 0.4], 0.1)],
    ids=["the corpus", "an entity with other views", "some not about it"],
)
def test_corrected_shares_are_unbiased_and_their_intervals_cover(
    other: list[float] | None, off: float
) -> None:
    errors, raw, covered = simulated([0.25, 0.15, 0.6], other, 150, off)
    bias, error = errors.mean(axis=0), errors.std(axis=0) / np.sqrt(SIMULATIONS)
    assert (np.abs(bias) < 0.01).all()
    assert (np.abs(bias) < 3 * error).all()
    assert np.abs(raw.mean(axis=0)).max() > 0.04
    share = covered.mean(axis=0)
    assert ((share >= 0.90) & (share <= 0.98)).all(), share


def test_accuracy_is_weighted_back_to_the_corpus_and_its_interval_covers() -> None:
    inside, errors = [], []
    for seed in range(SIMULATIONS):
        world = World(seed, [0.05, 0.05, 0.9], 120)
        found = assess(world.reviews).accuracy
        inside.append(found.low <= world.accuracy <= found.high)
        errors.append(found.value - world.accuracy)
    assert 0.90 <= np.mean(inside) <= 0.99
    assert abs(np.mean(errors)) < 0.01


def test_few_reviews_correct_nothing_and_do_not_blow_up() -> None:
    world = World(3, [0.25, 0.15, 0.6], MIN_REVIEWS)
    few = Reviews(
        world.reviews.bins[: MIN_REVIEWS - 1],
        world.reviews.truths[: MIN_REVIEWS - 1],
        world.reviews.entities[: MIN_REVIEWS - 1],
        world.counts,
    )
    assert corrected_shares(few, world.counts) is None
    assert not assess(few).enough
    found = corrected_shares(world.reviews, world.counts)
    assert found is not None
    for each, true in zip(found.shares, world.shares, strict=True):
        assert each.low <= true <= each.high
        assert each.high - each.low < 0.5
    with pytest.raises(ValueError, match="no label"):
        assess(Reviews(few.bins[:0], few.truths[:0], few.entities[:0], world.counts))
    assert corrected_shares(world.reviews, (0,) * 7) is None


def test_perfect_labels_are_left_as_they_are() -> None:
    bins = np.array([-20] * 40 + [0] * 40 + [10] * 40)
    reviews = Reviews(bins, np.sign(bins) + 1, np.zeros(120, dtype=np.int64), (0, 300, 0, 100, 600, 0, 0))
    found = corrected_shares(reviews, (0, 30, 0, 10, 60, 0, 0))
    assert found is not None
    assert [each.value for each in found.shares] == pytest.approx([0.3, 0.1, 0.6], abs=0.01)
    quality = assess(reviews)
    assert quality.accuracy.value == pytest.approx(1)
    assert quality.accuracy.high == 1
    assert quality.counts == ((40, 0, 0, 0), (0, 40, 0, 0), (0, 0, 40, 0))
    assert quality.recall[0] is not None
    assert quality.recall[0].value == pytest.approx(1)


def test_own_reviews_move_a_population_towards_its_own_errors() -> None:
    # Entity 7's labels are the wrong way round, everything else is right.
    bins = np.array([-10, 10] * 50 + [-10, 10] * 20)
    truths = np.sign(bins) + 1
    truths[100:] = 2 - truths[100:]
    entities = np.array([1] * 100 + [7] * 40)
    reviews = Reviews(bins, truths, entities, (0, 0, 500, 0, 500, 0, 0))
    counts = (0, 0, 20, 0, 80, 0, 0)
    others = corrected_shares(reviews, counts, [1])
    own = corrected_shares(reviews, counts, [7])
    assert others is not None
    assert own is not None
    assert others.own == 100
    assert own.own == 40
    assert own.shares[2].value < others.shares[2].value - 0.2


def test_seven_bins_keep_each_sign_its_own_shape() -> None:
    world = World(1, [0.25, 0.15, 0.6], 200)
    counts = (10, 20, 10, 0, 30, 30, 0)
    found = corrected_shares(world.reviews, counts)
    assert found is not None
    bins = spread_over_bins(found, counts)
    assert len(bins) == len(BINS)
    assert sum(each.value for each in bins) == pytest.approx(1)
    assert bins[1].value == pytest.approx(2 * bins[0].value)
    assert bins[4].value + bins[5].value == pytest.approx(found.shares[2].value)
    assert bins[3] == found.shares[1]
    none = spread_over_bins(found, (0, 0, 0, 5, 0, 0, 0))
    assert none[2] == found.shares[0]
    assert none[4] == found.shares[2]


def test_wilson_by_hand() -> None:
    # Newcombe 1998, table I: 81 of 263 gives .2553 to .3662.
    found = wilson(81 / 263, 263)
    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0.0, 10).low == 0
    assert wilson(1.0, 10).high == 1
    assert wilson(0.5, 0) == Interval(0.5, 0.0, 1.0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(BINS), st.integers(0, 3)), min_size=30, max_size=60),
    st.lists(st.integers(0, 50), min_size=7, max_size=7),
    st.lists(st.integers(0, 500), min_size=7, max_size=7),
)
def test_whatever_was_reviewed_shares_are_a_distribution(
    reviewed: list[tuple[int, int]], counts: list[int], population: list[int]
) -> None:
    bins, truths = (np.array(column, dtype=np.int64) for column in zip(*reviewed, strict=True))
    reviews = Reviews(bins, truths, np.arange(len(bins)) % 3, tuple(population))
    found = corrected_shares(reviews, counts, [1], draws=50)
    if not sum(counts):
        assert found is None
        return
    assert found is not None
    assert sum(each.value for each in found.shares) == pytest.approx(1)
    for each in (*found.shares, *spread_over_bins(found, counts), assess(reviews).accuracy):
        assert 0 <= each.low <= each.value <= each.high <= 1 + 1e-9
