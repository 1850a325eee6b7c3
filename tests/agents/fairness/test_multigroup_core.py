"""Rounding the multi-group programme in a growing core of questions, and what is nearest where nothing is met."""

from __future__ import annotations

import numpy as np
import pytest

from agents.fairness import multigroup
from agents.fairness.multigroup import prepare_types, solve_multigroup


def test_a_larger_core_is_tried_where_twelve_questions_leave_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    weights = np.round(rng.random(2) * 0.5, 3)
    types = rng.choice(2, size=(20, 6), p=[0.75, 0.25])
    problem = prepare_types(np.round(rng.random((20, 6)), 2), types, [[-1.0], [1.0]], weights)
    whole = solve_multigroup(problem, 0.003, 0.05)
    assert whole.status == "optimal"
    monkeypatch.setattr(multigroup, "WHOLE", 0)
    rounded = solve_multigroup(problem, 0.003, 0.05)
    assert rounded.feasible
    assert rounded.relevance == pytest.approx(whole.relevance)


def test_the_largest_miss_counts_before_the_sum_of_all() -> None:
    # Every question shows one document: either the first component is 3 too high, or the second 2.
    problem = prepare_types([[0.9, 0.8]] * 10, [[0, 1]] * 10, [[3.0, 0.0], [0.0, 2.0]], [1.0])
    solution = solve_multigroup(problem, 0.1)
    assert solution.status == "infeasible"
    assert solution.bias == pytest.approx([1.2, 1.2]), "four show the first document and six the second"
    assert solution.violation == pytest.approx(1.1)
