"""Changes of several questions taken together, where no single one lands in the window."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness.faro import prepare, solve
from agents.fairness.faro_repair import best_combination


@pytest.mark.parametrize(
    ("wanted", "moves"), [(4.0, {2}), (5.0, {0, 2}), (7.0, {0, 1, 2}), (15.0, {0, 1, 2, 3})]
)
def test_up_to_four_changes_of_different_questions_are_joined(wanted: float, moves: set[int]) -> None:
    question, gain = np.arange(6), np.array([1.0, 2.0, 4.0, 8.0, 0.3, 0.3])
    loss = gain / 10
    found = best_combination(question, gain, loss, loss, wanted - 1e-9, wanted + 1e-9)
    assert found is not None
    assert set(found.moves) == moves
    assert found.gain == pytest.approx(wanted)
    assert found.loss == pytest.approx(wanted / 10)
    of_one = best_combination(np.zeros(6, np.int64), gain, loss, loss, wanted - 1e-9, wanted + 1e-9)
    assert (of_one is None) == (len(moves) > 1), "one question changes once"


def test_a_window_too_narrow_for_two_changes_is_met_by_more() -> None:
    rng = np.random.default_rng(18)
    R = np.round(np.clip(rng.normal(0.75, 0.1, (820, 12)), 0, 1), 3)
    weights = np.arange(1, 6) ** -0.7
    problem = prepare(
        R, np.where(rng.random(R.shape) < 0.75, -1, 1), np.round(0.9 * weights / weights.sum(), 4), -0.2
    )
    solution = solve(problem, 1e-5)
    assert solution.status == "certified"
    assert abs(solution.bias) <= 1e-5 + 1e-9
    assert solution.relative_gap < 1e-4
