from __future__ import annotations

import pytest

from agents.models.agreement import agreement
from store.records import OpinionUnit


def unit(entity: str, score: int) -> OpinionUnit:
    return OpinionUnit(entity, "neutral", "none", score, 10, (), "unknown", "x", 0, 1, 0.5)


def test_by_hand() -> None:
    left = {
        1: [unit("room", 30), unit("room", 10), unit("staff", -20)],
        2: [unit("room", 0)],
        3: [unit("bed", 10)],
        9: [unit("only", 30)],
    }
    right = {
        1: [unit("room", 10), unit("staff", 20)],
        2: [unit("room", 0), unit("pool", 30)],
        3: [],
        8: [unit("x", 1)],
    }
    found = agreement(left, right)
    assert (found.documents, found.left_pairs, found.right_pairs, found.shared_pairs) == (3, 4, 4, 3)
    assert found.overlap == pytest.approx(6 / 8)
    assert found.same_sign == pytest.approx(2 / 3)
    # Chance: left (1 negative, 1 neutral, 1 positive), right (0, 1, 2): (0 + 1 + 2) / 9.
    assert found.kappa == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))
    assert found.mean_difference == pytest.approx((10 + 40 + 0) / 3)
    assert found.shift == pytest.approx((-10 + 40 + 0) / 3)
    assert found.table == ((0, 0, 1), (0, 1, 0), (0, 0, 1))
    assert found.differing == (("staff", 1, 1),)
    assert "opposite on staff: 1 of 1" in found.text("lexical", "model")


def test_itself_and_nothing() -> None:
    labels = {1: [unit("room", 30)], 2: [unit("room", -30)]}
    same = agreement(labels, labels)
    assert (same.overlap, same.same_sign, same.kappa, same.mean_difference) == (1, 1, 1, 0)
    none = agreement({}, labels)
    assert (none.documents, none.overlap, none.same_sign, none.kappa) == (0, 1, 0, 0)
