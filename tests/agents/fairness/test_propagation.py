"""Estimation of position weights: known answers, unbiasedness, coverage, validation."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness.injection import inject
from agents.fairness.propagation import PropagationFit, fit, neutral_settings, runs_of, validate
from tests.agents.fairness.generators import Kind, answers, truth

WEIGHTS = {
    2: np.array([0.35, 0.2]),
    3: np.array([0.3, 0.2, -0.1]),
    5: np.array([0.25, 0.15, 0.1, 0.05, -0.08]),
}


def test_noise_free_answers_are_recovered() -> None:
    # Majority of three is linear plus the three-way interaction: w = 1/2 each, b = 0.
    runs = runs_of("blocks", 3, 6, np.random.default_rng(0))
    e = 2 * runs.probabilities - 1
    y = np.sign(e.sum(axis=1))
    result = fit(y, runs.question, e)
    assert result.weights == pytest.approx([0.5, 0.5, 0.5])
    assert result.intercept == pytest.approx(0)
    assert result.r_squared == pytest.approx(0.75)
    assert result.r_squared_settings == pytest.approx(0.75)
    # No question differs from another, and yet 48 answers leave some doubt: one more might be the opposite.
    assert result.standard_errors == pytest.approx(np.full(4, np.sqrt(4 / 49 / 48)))


def test_an_intercept_that_no_question_moves_leaves_some_doubt() -> None:
    # Every answer turns with its documents, so that each question's mean is 0, whatever weights it has of its own.
    runs = runs_of("blocks", 2, 6, np.random.default_rng(0))
    e = 2 * runs.probabilities - 1
    y = np.where(runs.question % 2 == 0, e[:, 0], e[:, 1])
    result = fit(y, runs.question, e)
    assert result.intercept == pytest.approx(0)
    assert (result.standard_errors > 0.05).all()


def test_answers_that_are_all_the_same_leave_some_doubt() -> None:
    runs = runs_of("blocks", 2, 5, np.random.default_rng(0))
    result = fit(np.ones(runs.calls), runs.question, 2 * runs.probabilities - 1)
    assert result.weights == pytest.approx(np.zeros(2))
    assert result.intercept == 1
    assert (result.standard_errors > 0.05).all()


def test_agrees_with_dummy_variable_regression() -> None:
    rng = np.random.default_rng(1)
    question = np.repeat(np.arange(12), 6)
    e = rng.choice((-1.0, 1.0), size=(72, 3))
    y = rng.choice((-1.0, 0.0, 1.0), size=72)
    result = fit(y, question, e)
    dummies = (question[:, None] == np.arange(12)).astype(float)
    reference = np.linalg.lstsq(np.hstack((e, dummies)), y, rcond=None)[0]
    assert result.weights == pytest.approx(reference[:3])
    assert result.intercept == pytest.approx((y - e @ reference[:3]).mean())
    assert result.refusal_rate == pytest.approx((y == 0).mean())


def test_cluster_error_is_near_the_bootstrap_over_questions() -> None:
    rng = np.random.default_rng(2)
    runs = runs_of("blocks", 3, 150, rng)
    e = 2 * runs.probabilities - 1
    y = answers("hetero", runs.question, e, WEIGHTS[3], -0.1, rng)
    result = fit(y, runs.question, e)
    resampled = []
    for _ in range(300):
        chosen = rng.integers(0, 150, 150)
        rows = (chosen[:, None] * 8 + np.arange(8)).ravel()
        again = fit(y[rows], np.repeat(np.arange(150), 8), e[rows])
        resampled.append(np.append(again.weights, again.intercept))
    assert np.std(resampled, axis=0) == pytest.approx(result.standard_errors, rel=0.15)


@pytest.mark.parametrize("kind", ["linear", "hetero", "deterministic"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_unbiased_with_honest_intervals(kind: Kind, k: int) -> None:
    w, b, questions = WEIGHTS[k], -0.1, 100
    rng = np.random.default_rng([k, len(kind)])
    target = truth(kind, w, b)
    estimates, inside, errors = [], [], []
    for _ in range(400):
        runs = runs_of("blocks", k, questions, rng)
        e = 2 * runs.probabilities - 1
        result = fit(answers(kind, runs.question, e, w, b, rng), runs.question, e)
        estimates.append(np.append(result.weights, result.intercept))
        inside.append((result.interval[:, 0] <= target) & (target <= result.interval[:, 1]))
        errors.append(result.standard_errors)
    spread = np.std(estimates, axis=0)
    # 3.5 standard errors of the mean; the truth of the nonlinear ones has an error of its own (about .002).
    assert np.abs(np.mean(estimates, axis=0) - target).max() <= 3.5 * spread.max() / 20 + 0.006 * (
        kind != "linear"
    )
    assert 0.92 <= np.mean(inside) <= 0.97
    assert np.mean(errors, axis=0) == pytest.approx(spread, rel=0.15)
    # SE * sqrt(calls): the stated factors; without question effects the residual variance gives it exactly.
    noise = {"deterministic": 0.60, "linear": np.sqrt(1 - b**2 - w @ w)}.get(kind, 0.87 if k == 2 else 0.91)
    assert spread[:k].mean() * np.sqrt(runs.calls) <= 1.08 * noise


def test_grid_is_fitted_by_the_groups_really_shown() -> None:
    rng = np.random.default_rng(4)
    relevance, attribute = rng.random(20), np.repeat([-1, 1], 10)
    estimates = []
    for _ in range(8):
        runs = runs_of("grid", 2, 12, rng)
        e = np.array([inject(relevance, attribute, m, rng).groups for m in runs.probabilities], dtype=float)
        estimates.append(
            fit(answers("linear", runs.question, e, WEIGHTS[2], -0.1, rng), runs.question, e).weights
        )
    assert np.mean(estimates, axis=0) == pytest.approx(WEIGHTS[2], abs=3.5 * 0.055 / np.sqrt(8))


def test_predict_uses_the_joint_covariance() -> None:
    rng = np.random.default_rng(5)
    runs = runs_of("blocks", 2, 50, rng)
    e = 2 * runs.probabilities - 1
    result = fit(answers("linear", runs.question, e, WEIGHTS[2], 0.1, rng), runs.question, e)
    value, error = result.predict([0.5, -1.0])
    x = np.array([0.5, -1.0, 1.0])
    assert value == pytest.approx(0.5 * result.weights[0] - result.weights[1] + result.intercept)
    assert error == pytest.approx(np.sqrt(x @ result.covariance @ x))
    with pytest.raises(ValueError, match="embedding_bias"):
        result.predict([0.5])


def test_neutral_settings_lie_on_the_plane_and_validate() -> None:
    rng = np.random.default_rng(6)
    w = np.array([0.3, 0.2, -0.1, 0.0])
    runs = runs_of("blocks", 4, 300, rng)
    e = 2 * runs.probabilities - 1
    result = fit(answers("linear", runs.question, e, w, -0.2, rng), runs.question, e)
    chosen = neutral_settings(result, 25, rng)
    assert chosen.shape == (25, 4)
    assert np.abs(chosen).max() <= 1
    assert chosen @ result.weights + result.intercept == pytest.approx(np.zeros(25), abs=1e-12)
    assert chosen.std(axis=0).min() > 0.05
    realised_eb, realised = [], []
    for row in chosen:
        shown = np.where(rng.random((400, 4)) < (row + 1) / 2, 1.0, -1.0)
        realised_eb.append(shown.mean(axis=0))
        realised.append(answers("linear", np.arange(400), shown, w, -0.2, rng).mean())
    report = validate(result, realised_eb, realised, 400, vanilla=-0.55)
    assert report.improved
    assert report.vanilla_absolute_bias == pytest.approx(0.55)
    assert report.mean_absolute_bias < 0.1
    assert report.covered >= 0.8
    assert report.settings == 25
    assert abs(report.mean_error) <= report.root_mean_square_error
    with pytest.raises(ValueError, match="target"):
        neutral_settings(result, 3, rng, target=2.0)
    shifted = neutral_settings(result, 3, rng, target=0.1)
    assert shifted @ result.weights + result.intercept == pytest.approx(np.full(3, 0.1), abs=1e-12)


def test_one_position_has_one_neutral_setting() -> None:
    rng = np.random.default_rng(7)
    runs = runs_of("blocks", 1, 100, rng)
    e = 2 * runs.probabilities - 1
    result = fit(answers("linear", runs.question, e, np.array([0.5]), 0.1, rng), runs.question, e)
    assert neutral_settings(result, 2, rng) == pytest.approx(
        np.full((2, 1), -result.intercept / result.weights[0])
    )


Q2, E2 = [0, 0, 1, 1], [[1.0], [-1.0], [1.0], [-1.0]]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([], [], np.empty((0, 1))), "answers"),
        (([1, -1, 2, 1], Q2, E2), "answers"),
        (([1, -1, np.nan, 1], Q2, E2), "answers"),
        (([1, -1, 1, 1], Q2[:3], E2), "question"),
        (([1, -1, 1, 1], [0] * 4, E2), "question"),
        (([1, -1, 1, 1], Q2, E2[:3]), "groups"),
        (([1, -1, 1, 1], Q2, [[0.5]] * 4), "groups"),
        (([1, -1, 1, 1], Q2, [[1.0], [1.0], [-1.0], [-1.0]]), "groups"),
        (([1, -1, 1, 1], Q2, [[1.0, 1.0], [-1.0, -1.0]] * 2), "groups"),
    ],
)
def test_bad_input(arguments: tuple[object, object, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        fit(*arguments)  # type: ignore[arg-type]


def test_bad_validation() -> None:
    result = fit([1, -1, 1, -1, 1, 1], [0, 0, 1, 1, 2, 2], [[1.0], [-1.0]] * 3)
    for arguments, named in (
        (([[0.1, 0.2]], [0.1], 5, 0.0), "embedding_bias"),
        (([[0.1]], [0.1, 0.2], 5, 0.0), "realised"),
        (([[0.1]], [0.1], 0, 0.0), "samples"),
    ):
        with pytest.raises(ValueError, match=named):
            validate(result, *arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="level"):
        fit([1, -1, 1, -1], Q2, E2, level=1.0)


def test_questions_that_share_a_thing_share_their_errors() -> None:
    """Effects are those of the questions, errors those of the clusters: by hand, from the formulas of the notes."""
    rng = np.random.default_rng(4)
    question = np.repeat(np.arange(12), 8)
    thing = question // 3
    groups = rng.choice([-1, 1], (96, 2))
    answers = np.sign(groups @ [0.8, 0.3] + 0.4 * rng.normal(size=12)[question] + rng.normal(size=96))
    found = fit(answers, question, groups, cluster=thing)
    alone = fit(answers, question, groups)
    assert found.weights == pytest.approx(alone.weights)
    assert found.questions == 4
    means = np.stack([groups[question == q].mean(axis=0) for q in range(12)])[question]
    x = groups - means
    centred = answers - np.array([answers[question == q].mean() for q in range(12)])[question]
    inverse = np.linalg.inv(x.T @ x)
    scores = np.stack(
        [(x * (centred - x @ found.weights)[:, None])[thing == g].sum(axis=0) for g in range(4)]
    )
    by_hand = inverse @ (scores.T @ scores) @ inverse * 4 / 3
    assert found.covariance[:2, :2] == pytest.approx(by_hand)
    with pytest.raises(ValueError, match="cluster"):
        fit(answers, question, groups, cluster=thing[:5])
    with pytest.raises(ValueError, match="cluster"):
        fit(answers, question, groups, cluster=np.zeros(96))


def lopsided() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers of five questions, unequally often asked, with more of one group than of the other at each position."""
    rng = np.random.default_rng(8)
    question = np.repeat(np.arange(5), (4, 6, 8, 10, 12))
    e = np.where(rng.random((40, 2)) < (0.8, 0.35), 1.0, -1.0)
    return rng.choice((-1.0, 0.0, 1.0), size=40, p=(0.2, 0.2, 0.6)), question, e


def test_the_covariance_is_what_counting_a_question_more_often_does() -> None:
    y, question, e = lopsided()
    result = fit(y, question, e)

    def estimate(mass: np.ndarray) -> np.ndarray:
        each = mass[question]
        dummies = (question[:, None] == np.arange(5)).astype(float)
        root = np.sqrt(each)[:, None]
        w = np.linalg.lstsq(np.hstack((e, dummies)) * root, y * root[:, 0], rcond=None)[0][:2]
        return np.append(w, np.average(y - e @ w, weights=each))

    step = 1e-5
    moved = np.array([estimate(1 + step * row) - estimate(1 - step * row) for row in np.eye(5)]) / (2 * step)
    assert estimate(np.ones(5)) == pytest.approx(np.append(result.weights, result.intercept))
    assert result.covariance == pytest.approx(5 / 4 * moved.T @ moved, rel=1e-6)


def test_intervals_of_few_questions_are_students() -> None:
    result = fit(*lopsided())
    half = 2.7764451 * result.standard_errors  # t of 4 degrees of freedom at .975
    centre = np.append(result.weights, result.intercept)
    assert result.interval == pytest.approx(np.column_stack((centre - half, centre + half)))


def test_a_setting_counts_by_its_answers() -> None:
    y, question, e = lopsided()
    result = fit(y, question, e)
    mean = np.array([y[(e == row).all(axis=1)].mean() for row in e])
    unexplained = ((mean - e @ result.weights - result.intercept) ** 2).sum()
    assert result.r_squared_settings == pytest.approx(1 - unexplained / ((mean - y.mean()) ** 2).sum())


def known_fit(w: list[float], b: float, errors: list[float]) -> PropagationFit:
    """Return a fit with these weights and standard errors."""
    k = len(w)
    return PropagationFit(
        np.array(w), b, np.diag(errors) ** 2, np.zeros((k + 1, 2)), 0.95, 0.5, 0.5, 100, 10, 0.0
    )


def test_neutral_settings_do_not_hang_together() -> None:
    chosen = neutral_settings(known_fit([0.3, 0.2, -0.1], -0.1, [0.0] * 4), 150, np.random.default_rng(0))
    for column in chosen.T:
        assert abs(np.corrcoef(column[1:], column[:-1])[0, 1]) < 0.25


def test_an_error_of_the_fit_alone_explains_a_deviation() -> None:
    # Predicted .5 with an error of .1; so many questions were asked that the answers themselves have none.
    result = known_fit([0.5], 0.0, [0.1, 0.0])
    report = validate(result, [[1.0], [1.0]], [0.5 + 0.19, 0.5 + 0.2], 10**9, 0.0)
    assert report.covered == 0.5
