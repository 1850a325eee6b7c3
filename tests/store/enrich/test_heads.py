"""Linear heads: the arithmetic, the file format, and the shipped file."""

from __future__ import annotations

import numpy as np
import pytest

from agents.evaluation.linear import calibrated, fit
from store.enrich.features import sentence_features
from store.enrich.heads import Head, pack, shipped, unpack


def small() -> Head:
    return Head(
        ("bad", "good"),
        {"a": 0, "b": 1},
        np.array([[1.0, -1.0], [0.0, 2.0]], dtype=np.float32),
        np.array([0.5, 0.0], dtype=np.float32),
        0.5,
    )


def test_scores_by_hand() -> None:
    scores = small().scores([{"a": 2.0, "b": 1.0, "unknown": 9.0}, {}])
    assert scores == pytest.approx(np.array([[2.5, 0.0], [0.5, 0.0]]))


def test_probabilities_are_the_tempered_softmax() -> None:
    shares = small().probabilities([{"a": 2.0, "b": 1.0}])
    odds = np.exp(0.5 * np.array([2.5, 0.0]))
    assert shares[0] == pytest.approx(odds / odds.sum(), abs=1e-6)
    assert small().probabilities([]).shape == (0, 2)


def test_packing_keeps_a_head() -> None:
    again = unpack(pack({"x": small()}))["x"]
    assert again.classes == ("bad", "good")
    assert again.index == {"a": 0, "b": 1}
    assert again.weights == pytest.approx(small().weights)
    assert again.temperature == pytest.approx(0.5)


def test_packing_is_deterministic() -> None:
    assert pack({"x": small()}) == pack({"x": small()})


def test_fit_learns_a_rule_and_calibration_lowers_false_confidence() -> None:
    rows = [{"good": 1.0} if i % 2 else {"bad": 1.0} for i in range(40)]
    labels = ["positive" if i % 2 else "negative" for i in range(40)]
    head = fit(rows, labels, ("negative", "positive"))
    assert head.probabilities([{"good": 1.0}])[0, 1] > 0.8
    wrong = ["positive" if i % 4 else "negative" for i in range(40)]
    assert calibrated(head, rows, wrong).temperature < head.temperature


def test_fit_needs_examples() -> None:
    with pytest.raises(ValueError, match="equally many"):
        fit([], [], ("a", "b"))


def test_the_shipped_heads() -> None:
    heads = shipped()
    assert heads.by_name["target"].classes == ("negative", "neutral", "positive")
    assert len(heads.sha) == 12
    for head in heads.by_name.values():
        assert head.weights.shape == (len(head.index), len(head.classes))
        assert np.isfinite(head.weights).all()


def test_sentence_heads() -> None:
    def second(head: str, *texts: str) -> list[float]:
        rows = [sentence_features(text) for text in texts]
        return [float(p) for p in shipped().by_name[head].probabilities(rows)[:, 1]]

    praise, blame = second(
        "orientation", "The camera is excellent and easy to use.", "It broke, a waste of money."
    )
    assert praise > 0.8
    assert blame < 0.2
    told, plain = second("opinion", "The picture quality is amazing.", "I bought it in June.")
    assert told > 0.6 > plain
