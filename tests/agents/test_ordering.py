from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from agents.ordering import KEPT, PositionWeights, Z, ordered, population_bias, uniform_weights

RELEVANCE = np.array([5.0, 4.0, 3.0, 2.0])
POLARITY = np.array([1, 1, -1, -1])


def measured(error: float = 0.0) -> PositionWeights:
    weights = np.array([0.5, 0.3, 0.15, 0.05])
    return PositionWeights(weights, 0.1, np.eye(5) * error**2, "model", True)


def test_without_a_calibration_the_most_relevant_stand_first() -> None:
    found = uniform_weights(4, "model", "no position weights for k = 4")
    order, audit = ordered(found, RELEVANCE[::-1], POLARITY, 0.0, 0.1)
    assert order.tolist() == [3, 2, 1, 0]
    assert not audit.calibrated
    assert audit.predicted is None
    assert audit.note == "no position weights for k = 4: most relevant first"


def test_the_order_meets_the_target_and_the_receipt_says_what_it_was() -> None:
    order, audit = ordered(measured(), RELEVANCE, POLARITY, 0.0, 0.1)
    assert audit.calibrated
    assert audit.predicted is not None
    assert abs(audit.predicted) <= 0.1 + 1e-9
    assert audit.predicted == pytest.approx(measured().weights @ POLARITY[order] + 0.1)
    assert audit.natural == pytest.approx(0.5 + 0.3 - 0.15 - 0.05 + 0.1)
    assert audit.note == "reordered to meet the target"


def test_the_tolerance_leaves_room_for_the_error() -> None:
    wide, narrow = (
        ordered(measured(), RELEVANCE, POLARITY, 0.0, 0.3),
        ordered(measured(error=0.08), RELEVANCE, POLARITY, 0.0, 0.3),
    )
    assert wide[1].predicted is not None
    assert narrow[1].predicted is not None
    error = narrow[1].standard_error
    assert error == pytest.approx(0.08 * np.sqrt(5))
    values = {round(float(measured().weights @ POLARITY[list(p)] + 0.1), 9) for p in permutations(range(4))}
    room = max(0.3 - Z * error, KEPT * 0.3)
    reachable = [v for v in values if abs(v) <= room + 1e-9]
    if reachable:
        assert abs(narrow[1].predicted) <= room + 1e-9
    assert abs(wide[1].predicted) <= 0.3


def test_a_target_out_of_reach_gives_the_nearest_order() -> None:
    order, audit = ordered(measured(), RELEVANCE, np.array([1, 1, 1, 1]), 0.0, 0.1)
    assert audit.predicted == pytest.approx(1.1)
    assert "out of reach" in audit.note
    assert sorted(order.tolist()) == [0, 1, 2, 3]


def test_goals() -> None:
    found = measured()
    assert found.goal("parity", 0.6) == 0.0
    assert found.goal("proportional", 0.6) == pytest.approx(0.6)
    assert found.goal(-0.25, 0.6) == -0.25
    assert population_bias(np.array([0.1, 0.1, 0.0, 0.3, 0.2, 0.2, 0.1])) == pytest.approx(0.3)
