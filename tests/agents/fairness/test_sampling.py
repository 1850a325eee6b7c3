import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.fairness.balanced import balance_columns, balanced_sample, calibrated_inclusion
from agents.fairness.cube import cube_sample, flight, landing, merge_equals
from agents.fairness.sampling import allocate, random_sample, stratified_sample, systematic_counts

seeds = st.integers(0, 10**6)


def frame(seed: int, count: int = 40, groups: int = 3):
    rng = np.random.default_rng(seed)
    bins, codes = rng.integers(0, 7, count), rng.integers(-1, groups, count)
    population = np.bincount(bins, minlength=7) / count
    shares = np.bincount(codes[codes >= 0], minlength=groups) / max((codes >= 0).sum(), 1)
    return rng, bins, codes, population, shares


@settings(deadline=None)
@given(seeds)
def test_allocation_respects_supply_and_sum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    supply = rng.integers(0, 6, 7)
    supply[int(rng.integers(7))] += 1
    k = int(rng.integers(1, supply.sum() + 1))
    shares = rng.dirichlet(np.full(7, 0.4))
    size = allocate(shares, supply, k)
    assert size.sum() == pytest.approx(k)
    assert (size >= 0).all()
    assert (size <= supply + 1e-9).all()
    free = size < supply - 1e-9
    if free.sum() > 1 and shares[free].sum() > 0:
        assert size[free] / size[free].sum() == pytest.approx(shares[free] / shares[free].sum())


def test_systematic_counts_are_unbiased_and_close() -> None:
    expected = np.array([0.3, 1.7, 2.25, 0.75, 0.0])
    rng = np.random.default_rng(0)
    drawn = np.array([systematic_counts(expected, rng) for _ in range(4000)])
    assert (drawn.sum(axis=1) == 5).all()
    assert np.abs(np.cumsum(drawn, axis=1) - np.cumsum(expected)).max() < 1
    assert drawn.mean(axis=0) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("method", ["random", "stratified"])
def test_simple_samples_have_their_inclusion_probabilities(method: str) -> None:
    rng, bins, _codes, _population, _shares = frame(1, 25)
    population = np.array([0.3, 0.1, 0.1, 0.1, 0.1, 0.2, 0.1])
    hits, draws = np.zeros(25), 2500
    for _ in range(draws):
        sample = (
            random_sample(25, 6, rng) if method == "random" else stratified_sample(bins, population, 6, rng)
        )
        assert sample.indices.size == 6
        hits[sample.indices] += 1
    error = np.sqrt(np.maximum(sample.inclusion * (1 - sample.inclusion), 1e-12) / draws)
    assert sample.inclusion.sum() == pytest.approx(6)
    assert (np.abs(hits / draws - sample.inclusion) <= 3.5 * error + 1e-12).all()


def test_stratified_counts_are_within_one_of_proportional() -> None:
    rng, bins, _codes, population, _shares = frame(3, 100)
    for _ in range(50):
        counts = np.bincount(bins[stratified_sample(bins, population, 20, rng).indices], minlength=7)
        assert (np.abs(counts - 20 * population) < 1 + 1e-9).all()


def test_cube_has_its_inclusion_probabilities() -> None:
    rng, bins, codes, population, shares = frame(5, 14, 2)
    chances = calibrated_inclusion(bins, population, [(codes, shares)], 4)
    columns = balance_columns(bins, [(codes, 2)], rng.normal(size=(14, 1)))[:, [0, 6, -1]]
    hits, draws = np.zeros(14), 1000
    for _ in range(draws):
        sample = cube_sample(chances, columns, rng)
        assert sample.indices.size == 4
        hits[sample.indices] += 1
    error = np.sqrt(chances * (1 - chances) / draws)
    assert (np.abs(hits / draws - chances) <= 3.5 * error).all()


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from([12, 40, 150, 400]))
def test_flight_keeps_every_total_and_leaves_few(seed: int, count: int) -> None:
    rng, bins, codes, population, shares = frame(seed, count)
    k = int(rng.integers(1, count // 2))
    chances = calibrated_inclusion(bins, population, [(codes, shares)], k)
    covariates = rng.normal(size=(count, 2)) if seed % 2 else None
    variables = np.column_stack([np.ones(count), balance_columns(bins, [(codes, 3)], covariates)])
    merged = merge_equals(chances, variables, rng)
    assert (merged - chances) @ variables == pytest.approx(np.zeros(variables.shape[1]), abs=1e-9)
    flown = flight(merged, variables, rng)
    assert (flown - chances) @ variables == pytest.approx(np.zeros(variables.shape[1]), abs=1e-7)
    undecided = ((flown > 0) & (flown < 1)).sum()
    assert undecided <= np.linalg.matrix_rank(variables)
    landed = landing(flown, variables, rng)
    assert set(np.unique(landed)) <= {0.0, 1.0}
    assert landed.sum() == k


def test_cube_balances_better_than_chance() -> None:
    rng, bins, codes, population, shares = frame(8, 300)
    stars = np.clip(bins / 2 + rng.normal(size=300), 0, 5)
    spread = {"cube": [], "random": []}
    for _ in range(80):
        cube = balanced_sample(bins, population, {"g": (codes, shares)}, None, 20, rng)
        spread["cube"].append(stars[cube.indices].mean())
        spread["random"].append(stars[random_sample(300, 20, rng).indices].mean())
    assert np.std(spread["cube"]) < 0.85 * np.std(spread["random"])


def test_calibration_reaches_bins_and_groups() -> None:
    rng = np.random.default_rng(2)
    bins, codes = rng.integers(0, 7, 500), rng.integers(0, 3, 500)
    population, shares = rng.dirichlet(np.full(7, 5.0)), np.array([0.5, 0.3, 0.2])
    chances = calibrated_inclusion(bins, population, [(codes, shares)], 20)
    assert chances.sum() == pytest.approx(20)
    assert np.bincount(bins, weights=chances) / 20 == pytest.approx(population, abs=1e-9)
    assert np.bincount(codes, weights=chances) / 20 == pytest.approx(shares, abs=1e-6)
    assert 0 < chances.min() <= chances.max() <= 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda rng: random_sample(3, 4, rng), "k"),
        (lambda rng: random_sample(3, 0, rng), "k"),
        (lambda rng: allocate([0.5, 0.5], [1, 1], 3), "k"),
        (lambda rng: cube_sample([0.5, 0.6], np.zeros((2, 1)), rng), "inclusion"),
        (lambda rng: cube_sample([1.5, 0.5], np.zeros((2, 1)), rng), "inclusion"),
        (lambda rng: cube_sample([0.5, 0.5], np.zeros((3, 1)), rng), "balance"),
        (lambda rng: cube_sample([0.5, 0.5], np.full((2, 1), np.nan), rng), "balance"),
    ],
)
def test_bad_input_names_the_argument(call, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}"):
        call(np.random.default_rng(0))
