"""The voices of an extractive answer: of their document's side, in proportion."""

from __future__ import annotations

import numpy as np

from agents.models.extractive import Voice
from agents.voices import _Candidate, _in_proportion, by_side
from store.opinions import Quote


def quote(score: int, start: int = 0, confidence: float = 0.9) -> Quote:
    return Quote(1, 1, "the food was so so", start, start + 18, score, confidence, (), "personal")


def test_only_quotes_of_the_documents_own_side() -> None:
    mixed = [quote(30, 0), quote(-30, 20), quote(-10, 40), quote(0, 60)]
    assert [q.score for q in by_side(mixed, -20)] == [-30, -10]
    assert [q.score for q in by_side(mixed, 10)] == [30]
    assert [q.score for q in by_side(mixed, 0)] == [0]
    assert by_side([quote(30)], -10) == []
    assert [q.start for q in by_side([quote(20, 0, 0.5), quote(20, 20, 0.8)], 20)] == [20, 0]


def candidates(stances: list[int]) -> list[_Candidate]:
    return [_Candidate(Voice(i, i, f"voice {i}", 0, s), s) for i, s in enumerate(stances, 1)]


def test_as_many_as_asked_for_where_they_are_in_proportion() -> None:
    found = candidates([20] * 8 + [-20] * 8)
    target = np.asarray([0, 0.5, 0, 0, 0, 0.5, 0])
    picked = _in_proportion(found, 10, target)
    assert len(picked) == 10
    assert sum(found[i].stance > 0 for i in picked) == 5
    assert picked == sorted(picked)


def test_fewer_voices_where_one_side_lacks_words() -> None:
    """Two of ten against 4 in 5 of the population would turn the majority round."""
    found = candidates([20] * 2 + [-20] * 8)
    target = np.asarray([0, 0.2, 0, 0, 0, 0.8, 0])
    picked = _in_proportion(found, 10, target)
    assert len(picked) == 5
    assert sum(found[i].stance > 0 for i in picked) == 2
