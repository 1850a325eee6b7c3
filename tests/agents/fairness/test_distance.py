import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from agents.fairness import distance as d

scores = st.lists(st.sampled_from(d.BINS), min_size=1, max_size=30)
shares = st.lists(st.floats(0.01, 1.0), min_size=7, max_size=7).map(lambda x: np.array(x) / np.sum(x))


def test_w1_on_bins_by_hand() -> None:
    assert d.w1_bins([1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]) == 60.0
    assert d.w1_bins([0, 0, 0, 1, 0, 0, 0], [0, 0, 0.5, 0, 0.5, 0, 0]) == 10.0


@settings(deadline=None)
@given(scores, shares)
def test_w1_agrees_with_scipy_and_with_the_general_form(chosen: list[float], population: np.ndarray) -> None:
    expected = wasserstein_distance(chosen, d.BINS, None, population)
    assert d.w1_bins(d.histogram(chosen), population) == pytest.approx(expected, abs=1e-9)
    assert d.wasserstein_p(chosen, d.BINS, None, population) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1.0, 1.5, 2.0]))
def test_line_distance_agrees_with_pot(seed: int, p: float) -> None:
    import ot

    rng = np.random.default_rng(seed)
    x, y = rng.normal(0, 15, 7), rng.normal(3, 10, 11)
    a, b = rng.dirichlet(np.ones(7)), rng.dirichlet(np.ones(11))
    cost = np.abs(x[:, None] - y) ** p
    assert d.wasserstein_p(x, y, a, b, p) == pytest.approx(ot.emd2(a, b, cost), abs=1e-8)


def test_w2_in_one_column_equals_w2_on_the_line() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(9, 1)), rng.normal(size=(14, 1))
    assert d.w2_multivariate(x, y) == pytest.approx(d.w2(x[:, 0], y[:, 0]), abs=1e-9)
    assert d.w2_multivariate(np.hstack([x, x]), np.hstack([x, x])) == pytest.approx(0.0, abs=1e-6)


@settings(deadline=None)
@given(scores, scores)
def test_distance_is_symmetric_and_shifts(first: list[float], second: list[float]) -> None:
    assert d.w1(first, second) == pytest.approx(d.w1(second, first))
    assert d.w1(np.array(first) + 5, np.array(first)) == pytest.approx(5.0)


def test_bins_take_the_nearest_and_ties_go_down() -> None:
    assert d.bin_index([-99, -25, -24.9, 0, 5, 5.1, 31]).tolist() == [0, 0, 1, 3, 3, 4, 6]


def test_entropy_and_sigma_by_hand() -> None:
    assert d.entropy([0.5, 0.5]) == 1.0
    assert d.entropy([0.25] * 4, normalised=False) == 2.0
    assert d.entropy([1.0, 0.0]) == 0.0
    assert d.sentiment_entropy([-10, 0, 30]) == pytest.approx(1.0)
    assert d.sigma([-10, 10]) == 10.0
    assert np.isnan(d.sigma([]))


def test_bootstrap_interval_is_seeded_and_holds_the_truth() -> None:
    population = np.array([0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.1])
    hits = 0
    rng = np.random.default_rng(5)
    for _ in range(200):
        sample = rng.choice(d.BINS, 40, p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1])
        low, high = d.bootstrap_w1(sample, population, rng, draws=300)
        hits += low <= d.w1_bins([0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1], population) <= high
    assert 0.85 <= hits / 200 <= 0.99
    again = [d.bootstrap_w1(sample, population, np.random.default_rng(9)) for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: d.w1_bins([0.5, 0.6], [0.5, 0.5]), "first"),
        (lambda: d.w1_bins([0.5, 0.5], [1.0]), "second"),
        (lambda: d.w1_bins([np.nan, 1.0], [0.5, 0.5]), "first"),
        (lambda: d.wasserstein_p([1.0], [np.inf]), "second"),
        (lambda: d.wasserstein_p([], [1.0]), "first"),
        (lambda: d.wasserstein_p([1.0], [1.0], p=0.5), "p"),
        (lambda: d.wasserstein_p([1.0], [1.0], [-1.0]), "first_weights"),
        (lambda: d.w2_multivariate(np.zeros((2, 3)), np.zeros((2, 2))), "first, second"),
        (lambda: d.bootstrap_w1([0.0], np.full(7, 1 / 7), np.random.default_rng(0), level=1.5), "level"),
    ],
)
def test_bad_input_names_the_argument(call, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}"):
        call()
