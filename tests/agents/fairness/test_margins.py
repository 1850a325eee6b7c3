import math

import numpy as np
import pytest

from agents.fairness.balanced import balance_columns, balanced_sample
from agents.fairness.margins import (
    ROUNDING,
    balancing_place,
    design_margin,
    held_margin,
    landing_deviation,
    share_margin,
)

NAN = float("nan")


def no_interval(margin) -> bool:
    return all(math.isnan(x) for x in (margin.standard_error, margin.low, margin.high))


def test_a_mean_without_skewness_has_students_interval() -> None:
    margin = design_margin([1.0, 2.0, 3.0], [0.25, 0.25, 0.25])
    # .75 * (1 + 0 + 1) * 3/2 / 9 = 1/4; t of 2 degrees of freedom at .975 is 4.302653.
    assert margin.standard_error == pytest.approx(0.5)
    assert (margin.estimate, margin.low, margin.high) == pytest.approx((2.0, 2 - 2.1513264, 2 + 2.1513264))


def test_a_skewed_mean_reaches_further_towards_the_long_tail() -> None:
    margin = design_margin([0.0, 0.0, 0.0, 4.0], [0.5] * 4)
    # residuals -1, -1, -1, 3: variance .5 * 12 * 4/3 / 16 = 1/2; skewness 12 sqrt(2/4) / 6^1.5 = 1/sqrt(3).
    skewness, student = 1 / math.sqrt(3), 3.1824463
    assert margin.standard_error == pytest.approx(math.sqrt(0.5))
    for end, sign in ((margin.low, 1), (margin.high, -1)):
        t = (margin.estimate - end) / margin.standard_error
        cubic = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
        assert cubic == pytest.approx(sign * student)
    assert margin.high - 1 > 3 * (1 - margin.low) > 0


def test_a_mirrored_variable_has_the_mirrored_interval() -> None:
    values, chances = np.array([5.0, 5.0, 4.0, 5.0, 1.0, 3.0, 5.0]), np.full(7, 0.1)
    margin, mirrored = design_margin(values, chances), design_margin(6 - values, chances)
    assert (mirrored.low, mirrored.high) == pytest.approx((6 - margin.high, 6 - margin.low))


def test_balancing_takes_away_what_it_explains() -> None:
    rng = np.random.default_rng(0)
    column = np.repeat([0.0, 1.0], 10)[:, None]
    values = 10 * column[:, 0] + rng.normal(size=20)
    chances = np.full(20, 0.1)
    within = np.concatenate([values[:10] - values[:10].mean(), values[10:] - values[10:].mean()])
    margin = design_margin(values, chances, column)
    assert margin.standard_error == pytest.approx(math.sqrt(0.9 * (within**2).sum() * 20 / 18) / 20)
    assert design_margin(values, chances).standard_error > 3 * margin.standard_error


def test_of_many_balancing_variables_a_fifth_counts() -> None:
    rng = np.random.default_rng(1)
    values, chances, columns = rng.normal(size=20), np.full(20, 0.1), rng.normal(size=(20, 12))
    assert design_margin(values, chances, columns) == design_margin(values, chances, columns[:, :3])
    assert design_margin(values, chances, columns) != design_margin(values, chances, columns[:, :2])
    assert design_margin(values[:9], chances[:9], columns[:9]) == design_margin(values[:9], chances[:9])


def test_the_mean_of_known_values_is_a_ratio() -> None:
    margin = design_margin([1.0, NAN, 5.0, NAN], [0.2] * 4, known=[True, False, True, False])
    # linearised -4, 0, 4, 0: .8 * 32 * 2/1 / 16 = 3.2, as for two known documents drawn at random: .8 * 8 / 2.
    assert margin.estimate == 3.0
    assert margin.standard_error == pytest.approx(math.sqrt(3.2))
    assert margin.high - 3 == pytest.approx(12.706205 * math.sqrt(3.2))


def test_a_share_has_wilsons_interval() -> None:
    margin = share_margin([True] * 2 + [False] * 8, [0.1] * 10)
    # variance .9 * 1.6 * 10/9 / 100 = .016: as good as 10 documents; t of 9 degrees of freedom 2.262157.
    assert margin.standard_error == pytest.approx(math.sqrt(0.016))
    assert (margin.low, margin.high) == pytest.approx((0.047635, 0.555471), abs=2e-6)
    for end in (margin.low, margin.high):
        assert abs(0.2 - end) == pytest.approx(2.262157 * math.sqrt(end * (1 - end) / 10), rel=1e-6)


def test_a_share_of_none_and_of_all_still_has_a_width() -> None:
    none, every = share_margin([0] * 10, [0.1] * 10), share_margin([1] * 10, [0.1] * 10)
    # as good as 10 / .9 documents: t^2 .9 / 10 = .4605615, and .4605615 / 1.4605615.
    assert (none.low, none.high) == pytest.approx((0.0, 0.315332), abs=2e-6)
    assert (every.low, every.high) == pytest.approx((1 - none.high, 1.0))


def test_a_balanced_share_is_a_rounded_count() -> None:
    margin = share_margin([1] * 7 + [0] * 13, [0.1] * 20, held=ROUNDING)
    # half a document; t of 19 degrees of freedom 2.093024.
    assert margin.standard_error == pytest.approx(0.5 / 20)
    assert (margin.low, margin.high) == pytest.approx((0.35 - 0.0523256, 0.35 + 0.0523256))
    known = [True] * 10 + [False] * 10
    assert share_margin([1] * 7 + [0] * 13, [0.1] * 20, known=known, held=ROUNDING).standard_error == 0.05
    assert share_margin([0] * 20, [0.1] * 20, held=ROUNDING).low == 0.0
    assert share_margin([1] * 20, [0.1] * 20, held=ROUNDING).high == 1.0


def test_what_the_balance_explains_wholly_is_still_a_rounded_count() -> None:
    has = np.repeat([0.0, 1.0], 10)
    assert share_margin(has, [0.1] * 20, has[:, None]).standard_error == pytest.approx(0.5 / 20)
    assert no_interval(design_margin(has, [0.1] * 20, has[:, None]))


def test_a_census_has_no_margin() -> None:
    margin = design_margin([1.0, 2.0, 3.0], [1.0, 1.0, 1.0])
    assert (margin.estimate, margin.standard_error, margin.low, margin.high) == (2.0, 0.0, 2.0, 2.0)
    for held in (None, ROUNDING):
        share = share_margin([1, 0, 0, 0], [1.0] * 4, held=held)
        assert (share.estimate, share.standard_error, share.low, share.high) == (0.25, 0.0, 0.25, 0.25)
    one = design_margin([2.0, NAN], [1.0, 1.0], known=[True, False])
    assert (one.estimate, one.low, one.high) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize("chance", [0.5, 1.0])
def test_nothing_known_gives_nothing(chance: float) -> None:
    margin = design_margin([NAN, NAN], [chance] * 2, known=[False, False])
    assert math.isnan(margin.estimate)
    assert no_interval(margin)
    share = share_margin([NAN, NAN], [chance] * 2, known=[False, False])
    assert math.isnan(share.estimate)
    assert no_interval(share)


def test_one_known_value_gives_an_estimate_without_an_interval() -> None:
    known = [False, True, False]
    margin = design_margin([1.0, 4.0, 3.0], [0.5] * 3, known=known)
    assert margin.estimate == 4.0
    assert no_interval(margin)
    assert no_interval(share_margin([0, 1, 0], [0.5] * 3, known=known))
    assert no_interval(share_margin([0, 1, 0], [0.5] * 3, known=known, held=ROUNDING))


def test_values_all_alike_do_not_claim_a_width_of_zero() -> None:
    margin = design_margin([5.0] * 20, [0.1] * 20)
    assert margin.estimate == 5.0
    assert no_interval(margin)


def test_margins_cover_in_a_known_population() -> None:
    rng = np.random.default_rng(11)
    count, k, draws = 400, 20, 200
    bins, codes = rng.integers(0, 7, count), rng.integers(-1, 3, count)
    stars = np.clip(np.round(3.4 + bins / 4 + rng.normal(size=count)), 1, 5)
    known = rng.random(count) < 0.7
    population = np.bincount(bins, minlength=7) / count
    shares = np.bincount(codes[codes >= 0]) / (codes >= 0).sum()
    columns = balance_columns(bins, [(codes, 3)])
    low = stars <= 3
    hits = dict.fromkeys(("mean", "ratio", "low", "bin", "group"), 0)
    for _ in range(draws):
        sample = balanced_sample(bins, population, {"g": (codes, shares)}, None, k, rng)
        i = sample.indices
        chances = sample.inclusion[i]
        margins = {
            "mean": (design_margin(stars[i], chances, columns[i]), stars.mean()),
            "ratio": (design_margin(stars[i], chances, columns[i], known=known[i]), stars[known].mean()),
            "low": (share_margin(low[i], chances, columns[i]), low.mean()),
            "bin": (share_margin(bins[i] == 5, chances, held=ROUNDING), population[5]),
            "group": (
                share_margin(codes[i] == 1, chances, known=codes[i] >= 0, held=ROUNDING),
                shares[1],
            ),
        }
        for name, (margin, truth) in margins.items():
            hits[name] += margin.low <= truth <= margin.high
    for name in ("mean", "ratio", "low"):
        assert 0.91 <= hits[name] / draws <= 0.995, name
    for name in ("bin", "group"):
        assert hits[name] / draws >= 0.93, name


def test_the_place_of_a_variable_among_the_balancing_equations() -> None:
    bins, codes = np.array([0, 1, 2, 3, 4, 5, 6, 3]), np.array([0, 1, 0, 1, 2, 2, 0, -1])
    columns = balance_columns(bins, [(codes, 3)])
    # size, bins <= 2, group 0, bins <= 3, group 1, bins <= 1, group 2, ...
    assert balancing_place(np.full(8, 3.0), columns) == 1
    assert balancing_place(bins <= 2, columns) == 2
    assert balancing_place(bins > 2, columns) == 2
    assert balancing_place(codes == 0, columns) == 3
    assert balancing_place(bins == 3, columns) == 4
    assert balancing_place(codes >= 0, columns) == 7
    assert balancing_place(np.arange(8) ** 2, columns[:, :3]) is None
    assert balancing_place(codes == 0, np.column_stack([bins <= 2, bins > 2, codes == 0])) == 3, "one follows"


def test_what_the_landing_gives_up_early_is_held_less_well() -> None:
    inclusion = [0.1] * 20
    assert landing_deviation(1, 0.25, inclusion) == ROUNDING
    assert landing_deviation(16, 0.25, inclusion) == pytest.approx(1.0)  # 16/4 * 1/4
    assert landing_deviation(400, 0.25, inclusion) == pytest.approx(math.sqrt(18 / 4)), "as left to chance"
    assert landing_deviation(16, 0.01, inclusion) == ROUNDING
    assert landing_deviation(4, 0.01, inclusion, counted=False) == pytest.approx(0.1)


def test_a_mean_that_was_balanced_upon_has_students_interval_of_its_landing() -> None:
    margin = held_margin([1.0, 2.0, 3.0], [0.25] * 3, 1.5)
    assert (margin.estimate, margin.standard_error) == (2.0, 0.5)
    assert (margin.low, margin.high) == pytest.approx((2 - 2.1513264, 2 + 2.1513264))
    assert held_margin([1.0, 2.0], [1.0, 1.0], 1.5).high == 1.5
    assert no_interval(held_margin([1.0], [0.5], 1.5))


def test_the_margin_of_a_mean_that_was_balanced_upon_covers() -> None:
    rng = np.random.default_rng(8)
    count, draws = 160, 250
    bins, codes = rng.integers(0, 7, count), rng.integers(0, 5, count)
    stars = np.clip(np.round(3.4 + bins / 4 + rng.normal(size=count)), 1, 5)
    population, shares = np.bincount(bins, minlength=7) / count, np.bincount(codes) / count
    extra = np.column_stack([stars, rng.normal(size=count)])
    columns = balance_columns(bins, [(codes, 5)], extra)
    place = balancing_place(stars, columns)
    assert place == 12  # size, 6 steps, 4 groups of 5, then the ratings
    for k in (6, 20):
        hits, reach = 0, []
        for _ in range(draws):
            sample = balanced_sample(bins, population, {"g": (codes, shares)}, extra, k, rng)
            rows, chances = sample.indices, sample.inclusion[sample.indices]
            held = landing_deviation(place, float(stars.var()), chances, counted=False)
            margin = held_margin(stars[rows], chances, held)
            hits += margin.low <= stars.mean() <= margin.high
            loose = design_margin(stars[rows], chances)
            reach.append((margin.high - margin.low) / (loose.high - loose.low))
        assert hits / draws >= 0.93
        assert np.median(reach) < 1.0


@pytest.mark.parametrize("k", [6, 8, 20])
def test_margins_of_many_attributes_cover(k: int) -> None:
    rng = np.random.default_rng(5)
    count, draws = 150, 250
    bins = rng.choice(7, count, p=[0.2, 0.1, 0.1, 0.2, 0.1, 0.1, 0.2])
    population = np.bincount(bins, minlength=7) / count
    codes = [rng.integers(0, size, count) for size in (5, 3, 4)]
    codes[1] = np.where(rng.random(count) < 0.2, -1, codes[1])
    shares = [np.bincount(each[each >= 0]) / (each >= 0).sum() for each in codes]
    groups = {str(i): (each, shares[i]) for i, each in enumerate(codes)}
    covariates = rng.normal(size=(count, 2))
    columns = balance_columns(bins, [(each, shares[i].size) for i, each in enumerate(codes)], covariates)
    hits = {(a, g): 0 for a in range(3) for g in range(shares[a].size)}
    for _ in range(draws):
        sample = balanced_sample(bins, population, groups, covariates, k, rng)
        rows = sample.indices
        for a, g in hits:
            place = balancing_place(codes[a] == g, columns)
            assert place is not None
            held = landing_deviation(place, shares[a][g] * (1 - shares[a][g]), sample.inclusion[rows])
            margin = share_margin(
                codes[a][rows] == g, sample.inclusion[rows], known=codes[a][rows] >= 0, held=held
            )
            hits[a, g] += margin.low <= shares[a][g] <= margin.high
    assert min(hits.values()) / draws >= 0.93, hits


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: design_margin([], []), "values"),
        (lambda: design_margin([[1.0]], [0.5]), "values"),
        (lambda: design_margin([1.0, NAN], [0.5, 0.5]), "values"),
        (lambda: share_margin([], []), "has"),
        (lambda: share_margin([0, 2], [0.5, 0.5]), "has"),
        (lambda: share_margin([0, NAN], [0.5, 0.5]), "has"),
        (lambda: design_margin([1.0, 2.0], [0.5]), "inclusion"),
        (lambda: design_margin([1.0, 2.0], [0.5, 0.0]), "inclusion"),
        (lambda: design_margin([1.0, 2.0], [0.5, 1.1]), "inclusion"),
        (lambda: design_margin([1.0, 2.0], [0.5, NAN]), "inclusion"),
        (lambda: design_margin([1.0, 2.0], [0.5, 0.5], np.zeros((3, 1))), "balance"),
        (lambda: design_margin([1.0, 2.0], [0.5, 0.5], np.full((2, 1), NAN)), "balance"),
        (lambda: design_margin([1.0, 2.0], [0.5, 0.5], known=[True]), "known"),
        (lambda: design_margin([1.0, 2.0], [0.5, 0.5], known=[1, 0]), "known"),
        (lambda: design_margin([1.0], [0.5], level=2.0), "level"),
        (lambda: share_margin([1.0], [0.5], level=0.0), "level"),
    ],
)
def test_bad_input_names_the_argument(call, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}:"):
        call()
