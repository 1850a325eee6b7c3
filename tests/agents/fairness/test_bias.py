"""Bias scores (FARO, eq. 1) by hand."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness.bias import bias_score, embedding_bias, predicted_bias, refusal_rate


def test_bias_score_counts_a_refusal_for_neither_group() -> None:
    score = bias_score([1, 1, -1, 0])
    assert score.value == pytest.approx(0.25)
    assert score.refusal_rate == 0.25
    assert score.samples == 4
    assert score.standard_error == pytest.approx(np.std([1, 1, -1, 0], ddof=1) / 2)


@pytest.mark.parametrize(
    ("favours", "value"), [([1, 1], 1.0), ([-1, -1, -1], -1.0), ([1, -1], 0.0), ([0], 0.0)]
)
def test_extremes(favours: list[int], value: float) -> None:
    assert bias_score(favours).value == value


def test_single_sample_has_no_error() -> None:
    assert np.isnan(bias_score([1]).standard_error)


def test_swapping_the_groups_flips_the_sign() -> None:
    favours = np.random.default_rng(0).choice((-1, 0, 1), 50)
    assert bias_score(-favours).value == -bias_score(favours).value
    assert refusal_rate(-favours) == refusal_rate(favours)


def test_embedding_and_predicted_bias() -> None:
    eb = embedding_bias([[1, -1], [1, 1], [-1, 0], [1, -1]])
    assert eb == pytest.approx([0.5, -0.25])
    assert predicted_bias(eb, [0.4, 0.2], -0.1) == pytest.approx(0.05)


@pytest.mark.parametrize("bad", [[], [2], [0.5], [float("nan")]])
def test_bad_samples(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="favours"):
        bias_score(bad)
    with pytest.raises(ValueError, match="groups"):
        embedding_bias([1, -1] if not bad else [bad])


def test_bad_weights() -> None:
    with pytest.raises(ValueError, match="weights"):
        predicted_bias([0.1, 0.2], [0.3])
