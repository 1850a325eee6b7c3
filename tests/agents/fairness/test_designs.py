"""Designs of the calibration: the paper's grid and the orthogonal blocks."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness.designs import block_size, grid_settings, orthogonal_array, plan, runs_of


@pytest.mark.parametrize(("k", "settings"), [(2, 36), (3, 64), (5, 32)])
def test_published_grid(k: int, settings: int) -> None:
    grid = grid_settings(k)
    assert grid.shape == (settings, k)
    assert np.unique(grid, axis=0).shape[0] == settings
    assert grid.mean(axis=0) == pytest.approx(np.zeros(k))
    assert np.abs(grid).max() == 1


@pytest.mark.parametrize("runs", [2, 4, 8, 16, 32])
def test_orthogonal_array(runs: int) -> None:
    array = orthogonal_array(runs)
    assert array.shape == (runs, runs - 1)
    assert (array.T @ array == runs * np.eye(runs - 1)).all()
    assert (array.sum(axis=0) == 0).all()


def test_first_half_of_the_columns_has_no_two_factor_alias() -> None:
    array = orthogonal_array(8)[:, :4]
    pairs = [array[:, i] * array[:, j] for i in range(4) for j in range(i)]
    assert all((column @ array == 0).all() for column in pairs)


@pytest.mark.parametrize(
    ("k", "runs"), [(1, 2), (2, 4), (3, 8), (4, 8), (5, 8), (7, 8), (8, 16), (15, 16), (20, 32)]
)
def test_blocks_are_orthogonal_balanced_and_randomly_signed(k: int, runs: int) -> None:
    assert block_size(k) == runs
    design = runs_of("blocks", k, 60, np.random.default_rng(k))
    assert design.calls == 60 * runs
    e = (2 * design.probabilities - 1).reshape(60, runs, k)
    assert set(np.unique(e)) == {-1.0, 1.0}
    for block in e:
        assert (block.T @ block == runs * np.eye(k)).all()
        assert (block.sum(axis=0) == 0).all()
    letters = design.first_option.reshape(60, runs)
    assert letters.sum() == 0
    if k < runs - 1:
        assert (np.einsum("qrk,qr->qk", e, letters) == 0).all()
    assert np.unique(e.reshape(60, -1), axis=0).shape[0] > 1


def test_two_positions_alias_differently_in_different_questions() -> None:
    e = (2 * runs_of("blocks", 7, 200, np.random.default_rng(0)).probabilities - 1).reshape(200, 8, 7)
    alias = np.einsum("qr,qr,qr->q", e[:, :, 0], e[:, :, 1], e[:, :, 4]) / 8
    assert set(np.unique(alias)) <= {-1.0, 0.0, 1.0}
    assert abs(alias.mean()) < 0.3


def test_grid_runs_use_every_setting_for_every_question_with_balanced_letters() -> None:
    design = runs_of("grid", 2, 10, np.random.default_rng(0))
    assert design.calls == 360
    assert np.bincount(design.question).tolist() == [36] * 10
    assert design.probabilities.min() == 0
    assert design.probabilities.max() == 1
    assert design.first_option.sum() == 0
    by_setting = design.first_option.reshape(10, 36).sum(axis=0)
    assert (by_setting == 0).all()


def test_plan_states_calls_and_precision() -> None:
    by_error = plan(5, standard_error=0.05)
    assert 320 <= by_error.calls <= 336
    assert plan(5, standard_error=0.03).calls <= 930
    assert plan(5, standard_error=0.02).calls <= 2080
    assert plan(5, standard_error=0.01).calls <= 8300
    assert plan(5, standard_error=0.03, answers="deterministic").calls <= 408
    assert by_error.standard_error <= 0.05
    assert by_error.half_width == pytest.approx(1.96 * by_error.standard_error)
    assert plan(3, questions=100).standard_error == pytest.approx(0.0322, abs=1e-3)
    assert plan(5, calls=6400, design="grid").questions == 200
    assert plan(5, calls=1600).standard_error < plan(5, calls=800).standard_error


@pytest.mark.parametrize("arguments", [{}, {"calls": 5}, {"questions": -1}, {"calls": 100, "questions": 5}])
def test_bad_plans(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="questions"):
        plan(5, **arguments)  # type: ignore[arg-type]


def test_bad_designs() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"^k:"):
        runs_of("blocks", 0, 5, rng)
    with pytest.raises(ValueError, match="questions"):
        runs_of("blocks", 2, 0, rng)
    with pytest.raises(ValueError, match="design"):
        runs_of("random", 2, 5, rng)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="settings"):
        grid_settings(15)
    with pytest.raises(ValueError, match="runs"):
        orthogonal_array(6)
