from __future__ import annotations

from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.ordering import (
    KEPT,
    PositionWeights,
    ordered,
    population_bias,
    position_weights,
    uniform_weights,
    unmet_words,
    within_error,
)
from store.receipt import PositionAudit
from store.verdicts import Z

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
    assert audit.note == "reordered towards the target"
    assert (audit.verdict, audit.tau, unmet_words(audit)) == ("met", 0.1, "")


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
    assert audit.predicted == 1.0, "the line gives 1.1, and no output bias is above 1"
    assert audit.verdict == "not met"
    assert audit.reachable == (1.0, 1.0)
    assert unmet_words(audit) == (
        "predicted Rb +1.000 of the order, target +0.000 +/- 0.1: 1.000 from the target; "
        "these documents reach +1.000 to +1.000"
    )
    assert sorted(order.tolist()) == [0, 1, 2, 3]


def test_what_lies_within_the_tolerance_is_met_though_not_within_the_shrunk_one() -> None:
    # The negative document first gives -.5 + .3 + .15 + .05 + .1: no order comes nearer to 0 than .1.
    polarity = np.array([1, 1, 1, -1])
    found = measured(error=0.2)
    values = [float(found.weights @ polarity[list(p)] + 0.1) for p in permutations(range(4))]
    nearest = min(values, key=abs)
    assert KEPT * 0.15 < abs(nearest) <= 0.15
    order, audit = ordered(found, RELEVANCE, polarity, 0.0, 0.15)
    assert audit.predicted == pytest.approx(nearest)
    assert audit.predicted == pytest.approx(found.weights @ polarity[order] + 0.1)
    assert audit.verdict == "met as estimated"
    assert unmet_words(audit) == ""
    assert ordered(measured(), RELEVANCE, polarity, 0.0, 0.15)[1].verdict == "met"
    assert ordered(found, RELEVANCE, polarity, 0.0, 0.05)[1].verdict == "not met"


@pytest.mark.parametrize(("tau", "last"), [(0.1, 0.05), (0.04, 0.04)])
def test_where_nothing_lies_in_the_shrunk_tolerance_the_nearest_is_asked_for(tau: float, last: float) -> None:
    found, asked = measured(error=0.2), []
    nearest = np.array([-1.0, 1.0, 1.0, -1.0])
    assert found.linear(nearest) == pytest.approx(0.0)

    def solve(room: float) -> tuple[str, np.ndarray]:
        asked.append(room)
        return "nearest", nearest

    assert within_error(found, 0.05, tau, solve)[0] == "nearest"
    assert asked[0] == tau
    assert asked[-2:] == pytest.approx([KEPT * tau, last])


def test_a_receipt_from_before_there_were_verdicts_is_read() -> None:
    old = PositionAudit(calibrated=True, note="", predicted=0.5, standard_error=0.1, target=0.0)
    assert (old.verdict, old.tau, old.reachable) == (None, None, None)
    assert unmet_words(old) == ""
    assert PositionAudit(**old.model_dump()) == old


def test_weights_of_another_attribute_are_named_as_such() -> None:
    def context(*fits: tuple[str, int, str]) -> Any:
        listed = [
            SimpleNamespace(attribute=name, k=k, prompt_sha=prompt, model="nearest option (embedded)")
            for name, k, prompt in fits
        ]
        return SimpleNamespace(
            chat=lambda _role: None,
            searcher=SimpleNamespace(fingerprint="embedder"),
            calibrations=SimpleNamespace(find=lambda **_: None, fits=lambda: listed),
        )

    own = context(("district", 3, ""), ("polarity", 5, ""), ("district", 7, ""))
    sha = _prompt(own)
    own = context(("district", 3, sha), ("polarity", 5, sha), ("polarity", 4, sha), ("district", 7, sha))
    assert position_weights(own, 3).note == (
        "no position weights of polarity for k = 3 "
        "(polarity is calibrated for k = 4, 5, district is calibrated for k = 3)"
    )
    assert position_weights(own, 9).note.endswith("(polarity is calibrated for k = 4, 5)")
    assert position_weights(own, 9, "age").note == "no position weights of age for k = 9"
    changed = context(("polarity", 3, "another"), ("district", 3, "another"))
    assert position_weights(changed, 3).note == (
        "no position weights of polarity for k = 3: they were measured with another prompt or embedder"
    )


def _prompt(context: Any) -> str:
    from agents.models.chooser import identity

    return identity(context.chat("generator"), context.searcher.fingerprint)[1]


def test_goals() -> None:
    found = measured()
    assert found.goal("parity", 0.6) == 0.0
    assert found.goal("proportional", 0.6) == pytest.approx(0.6)
    assert found.goal(-0.25, 0.6) == -0.25
    assert population_bias(np.array([0.1, 0.1, 0.0, 0.3, 0.2, 0.2, 0.1])) == pytest.approx(0.3)
