"""The balanced sample: inclusion probabilities, what it balances, and in which order that is given up."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness.balanced import balance_columns, balanced_sample, calibrated_inclusion
from agents.fairness.cube import cube_sample


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


def test_columns_come_middle_steps_first_then_covariates() -> None:
    bins, codes = np.arange(14) % 7, np.repeat([0, 1], 7)
    covariates = np.column_stack([np.arange(14.0) ** 2, np.full(14, 3.0)])
    columns = balance_columns(bins, [], covariates)
    for place, step in enumerate((2, 3, 1, 4, 0, 5)):
        assert columns[:, place].tolist() == (bins <= step).tolist()
    assert columns.shape == (14, 7), "a covariate that does not vary balances nothing"
    assert (columns[:, 6].mean(), columns[:, 6].std()) == pytest.approx((0.0, 1.0))
    assert np.corrcoef(columns[:, 6], covariates[:, 0])[0, 1] == pytest.approx(1.0)
    assert balance_columns(bins, [(codes, 2)], covariates)[:, 1].tolist() == (codes == 0).tolist()


def test_a_covariate_is_balanced_too() -> None:
    rng = np.random.default_rng(0)
    bins, length = rng.integers(0, 7, 200), rng.normal(size=(200, 1))
    population = np.bincount(bins, minlength=7) / 200
    spread = [
        np.std(
            [length[balanced_sample(bins, population, {}, each, 20, rng).indices].mean() for _ in range(50)]
        )
        for each in (length, None)
    ]
    assert spread[0] < 0.6 * spread[1]


def test_the_first_of_many_variables_is_held_and_the_last_is_given_up() -> None:
    rng = np.random.default_rng(0)
    columns = (rng.random((60, 8)) < 0.5).astype(float)
    columns[:, 0] = np.repeat([0.0, 1.0], 30)  # a whole number, six, of a sample of twelve
    chances = np.full(60, 0.2)
    drawn = np.array([columns[cube_sample(chances, columns, rng).indices].sum(axis=0) for _ in range(60)])
    off = np.abs(drawn - chances @ columns)
    assert off[:, 0].max() < 1e-9
    assert off[:, -1].max() > 1
