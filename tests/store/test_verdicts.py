from __future__ import annotations

import pytest

from store.verdicts import Verdict, Z, gravest, judge, miss_words, signed, verdict_words


@pytest.mark.parametrize(
    ("predicted", "tau", "error", "verdict"),
    [
        (0.05, 0.1, 0.0, "met"),
        (0.1, 0.1, 0.0, "met"),
        (-0.05, 0.1, 0.05 / Z, "met"),
        (-0.05, 0.1, 0.06 / Z, "met as estimated"),
        (0.0, 0.1, 0.2, "met as estimated"),
        (0.0, 0.0, 0.01, "met as estimated"),
        (0.101, 0.1, 0.0, "not met"),
        (0.101, 0.1, 0.5, "not met"),
    ],
)
def test_a_verdict_counts_the_error_of_the_prediction(
    predicted: float, tau: float, error: float, verdict: Verdict
) -> None:
    assert judge(predicted, 0.0, tau, error) == verdict
    assert judge(predicted + 0.3, 0.3, tau, error) == verdict


def test_the_gravest_of_several_stands_for_all() -> None:
    assert gravest(["met", "not met", "met as estimated"]) == "not met"
    assert gravest(["met", "met as estimated"]) == "met as estimated"
    assert gravest([]) == "met"


def test_a_verdict_gives_its_reason() -> None:
    miss = miss_words(-0.107, 0.069, (-0.421, -0.107), "these documents")
    assert miss == "0.176 from the target; these documents reach -0.421 to -0.107"
    assert miss_words(0.0, 0.00035, None, "").startswith("0.0003 from"), (
        "what is not met is not 0 from its target"
    )
    assert verdict_words("not met", miss) == f"not met: {miss}"
    assert verdict_words("met", miss) == "met"
    assert verdict_words("met as estimated", miss).startswith("met as estimated: the calibration's error")


def test_zero_has_one_sign() -> None:
    assert [signed(value, 3) for value in (-0.0004, 0.0, 0.0004, -0.0006)] == [
        "+0.000",
        "+0.000",
        "+0.000",
        "-0.001",
    ]
