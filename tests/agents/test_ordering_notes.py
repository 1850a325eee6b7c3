"""What a receipt says of position weights: whether they can be relied on, why there are none, and what they count."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.fairness.distance import BINS, wasserstein_p
from agents.models.chooser import identity
from agents.ordering import PositionWeights, ordered, position_weights, uniform_weights, weighted_w1
from store.verdicts import Z

RELEVANCE = np.array([5.0, 4.0, 3.0, 2.0])
POLARITY = np.array([1, 1, -1, -1])
POPULATION = np.array([0.1, 0.1, 0.2, 0.2, 0.2, 0.1, 0.1])
MODEL, PROMPT = identity(None, "embedder")


def measured(weights: tuple[float, ...] = (0.4, 0.3, 0.2, 0.1), error: float = 0.0) -> PositionWeights:
    covariance = np.eye(len(weights) + 1) * error**2 / (len(weights) + 1)
    return PositionWeights(np.array(weights), 0.0, covariance, MODEL, True)


@pytest.mark.parametrize("goal", [0.0, 0.4], ids=["reordered", "as it was"])
def test_an_order_that_the_calibrations_error_leaves_unsure_is_not_told_as_a_sure_one(goal: float) -> None:
    tau = 0.1
    sure, unsure = (ordered(measured(error=e), RELEVANCE, POLARITY, goal, tau)[1] for e in (0.01, 0.5))
    for audit in (sure, unsure):
        assert audit.predicted == pytest.approx(goal), "the prediction itself is on the target"
    assert (unsure.standard_error or 0) * Z > tau > (sure.standard_error or 0) * Z
    assert (sure.verdict, unsure.verdict) == ("met", "met as estimated")


def fit(k: int, prompt: str = PROMPT, model: str = MODEL, attribute: str = "polarity") -> SimpleNamespace:
    result = {"weights": [1 / k] * k, "intercept": 0.0, "covariance": np.zeros((k + 1, k + 1)).tolist()}
    return SimpleNamespace(model=model, prompt_sha=prompt, attribute=attribute, k=k, result=result)


def found(*fits: SimpleNamespace, k: int = 4) -> PositionWeights:
    def find(**key: Any) -> SimpleNamespace | None:
        return next((each for each in fits if all(getattr(each, n) == v for n, v in key.items())), None)

    context: Any = SimpleNamespace(
        chat=lambda role: None,
        searcher=SimpleNamespace(fingerprint="embedder"),
        calibrations=SimpleNamespace(find=find, fits=lambda: list(fits)),
    )
    return position_weights(context, k)


def test_why_nothing_was_measured_is_told_apart() -> None:
    nothing = found()
    another_prompt = found(fit(4, prompt="older"))
    another_k = found(fit(2), fit(7), fit(7), fit(4, prompt="older"))
    assert all(not each.calibrated for each in (nothing, another_prompt, another_k))
    assert len({each.note for each in (nothing, another_prompt, another_k)}) == 3
    assert all("k = 4" in each.note for each in (nothing, another_prompt, another_k))
    assert "prompt" in another_prompt.note
    assert "2, 7" in another_k.note, "what was measured is named, each once"


@pytest.mark.parametrize("foreign", [{"model": "another"}, {"attribute": "political"}, {"prompt": "older"}])
def test_weights_of_another_model_attribute_or_prompt_are_not_used(foreign: dict[str, str]) -> None:
    assert not found(fit(4, **foreign)).calibrated
    assert found(fit(4, **foreign), fit(4)).calibrated
    assert "prompt" not in found(fit(4, model="another", prompt="older")).note, (
        "of this model nothing is known"
    )


@pytest.mark.parametrize("foreign", [{"model": "another"}, {"attribute": "political"}])
def test_another_prompt_is_no_reason_where_it_was_asked_of_another_model_or_attribute(
    foreign: dict[str, str],
) -> None:
    assert found(fit(4, prompt="older", **foreign)).note == found().note


def test_a_rank_of_negative_weight_counts_for_nothing_in_the_weighted_distance() -> None:
    weights = measured((0.6, 0.3, -0.4, 0.1))
    scores = np.array([30.0, -10.0, -30.0, 0.0])
    w1 = weighted_w1(weights, scores, POPULATION)
    counted = wasserstein_p(scores[[0, 1, 3]], np.asarray(BINS), np.array([0.6, 0.3, 0.1]), POPULATION, 1.0)
    assert w1 == pytest.approx(counted)
    for other in BINS:
        scores[2] = other
        assert weighted_w1(weights, scores, POPULATION) == pytest.approx(counted)


def test_there_is_no_weighted_distance_where_nothing_positive_was_measured() -> None:
    scores = np.array([30.0, -10.0])
    assert weighted_w1(uniform_weights(2, MODEL, "none"), scores, POPULATION) is None
    assert weighted_w1(measured((-0.2, 0.0)), scores, POPULATION) is None
