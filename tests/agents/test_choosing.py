"""Limits of the methods, said as one speaks to a user."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agents.choosing import Desk, choose
from agents.ordering import PositionWeights, uniform_weights
from store.errors import UsageError
from tests.agents.fairness.opinion_cases import random_pool


def desk(count: int, k: int) -> Desk:
    pool = replace(random_pool(np.random.default_rng(1), count), groups={}, group_shares={})
    return Desk(pool, (), uniform_weights(k, "m", ""), 0.0, 0.1, np.random.default_rng(0))


def test_faro_orders_no_more_than_its_search_can() -> None:
    assert len(choose("faro", desk(200, 78), 78, {}).selection.indices) == 78
    with pytest.raises(UsageError, match="faro chooses at most 78 documents, not 79"):
        choose("faro", desk(200, 79), 79, {})
    assert len(choose("faro", desk(60, 60), 200, {}).selection.indices) == 60


@pytest.mark.parametrize(
    ("weight", "lean", "goal", "error", "predicted", "unmet"),
    [
        # Within the tolerance of .1, though not within the tenth of it that so large an error leaves.
        (1.0, 0.05, 0.0, 0.5, 0.05, False),
        (1.0, 0.25, 0.0, 0.5, 0.25, True),
        # The line has -1.2 for a bias of -1.
        (1.2, 0.0, -1.0, 0.0, -1.0, False),
        (1.2, 0.0, -0.6, 0.0, -1.0, True),
    ],
)
def test_faro_says_not_met_of_the_tolerance_that_was_asked_for(
    weight: float, lean: float, goal: float, error: float, predicted: float, unmet: bool
) -> None:
    weights = PositionWeights(np.array([weight]), lean, np.eye(2) * error**2, "m", True)
    given = replace(desk(40, 1), measured=weights, goal=goal)
    made = choose("faro", given, 1, {})
    shown = np.sign(given.problem.score[made.selection.indices])
    if not (unmet and goal == -0.6):  # -1.2 and 0 are as far from -.6
        assert weights.predict(shown)[0] == pytest.approx(predicted)
    notes = [each for each in made.notes if each.startswith("no ranking ")]
    assert bool(notes) == unmet
    assert all("within 0.1 of" in each for each in notes)
    assert not any("1.20" in each for each in notes)


def test_exact_weighted_orders_a_dozen() -> None:
    made = choose("exact-weighted", desk(40, 12), 12, {"lam": 0.3})
    assert (made.distance_name, made.lam, made.beta) == ("W1 by rank", 0.3, None)
    with pytest.raises(UsageError, match="at most 12 documents, not 13"):
        choose("exact-weighted", desk(40, 13), 13, {})
