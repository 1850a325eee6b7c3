from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.fusion import RRF_K, reciprocal_rank_fusion


def test_scores_by_hand() -> None:
    fused = reciprocal_rank_fusion([[1, 2, 3], [3, 1]])
    assert [item for item, _ in fused] == [1, 3, 2]
    assert dict(fused)[1] == pytest.approx(1 / (RRF_K + 1) + 1 / (RRF_K + 2))
    assert dict(fused)[2] == pytest.approx(1 / (RRF_K + 2))


def test_ties_repeats_and_nothing() -> None:
    assert [item for item, _ in reciprocal_rank_fusion([[7], [4]])] == [4, 7]
    # An id that a ranking repeats counts once, and does not push others down.
    assert reciprocal_rank_fusion([[5, 5, 6]]) == [(5, 1 / 61), (6, 1 / 62)]
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=4))
def test_every_id_once_by_falling_score(rankings: list[list[int]]) -> None:
    fused = reciprocal_rank_fusion(rankings)
    assert {item for item, _ in fused} == {item for ranking in rankings for item in ranking}
    assert len(fused) == len({item for item, _ in fused})
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
