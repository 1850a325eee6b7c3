"""The voices of an extractive answer: of their document's side."""

from __future__ import annotations

from agents.voices import by_side
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
