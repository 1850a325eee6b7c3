"""The contract of ``LexicalIndex``: on rank-bm25 itself, and on the persisted index."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.lexical import BM25Index
from store.ports import LexicalIndex
from tests.fakes.indexes import RankBM25Index

ITEMS = [
    (11, "The lounge was quiet, the staff friendly."),
    (5, "Staff rude; coffee cold and the COFFEE machine broken."),
    (8, "Wi-Fi slow. It’s crowded."),
    (3, ""),
    (21, "Ein ruhiger Raum für alle, größtenteils sauber."),
    (34, "快適 ラウンジ"),
]


@pytest.fixture(params=["rank-bm25", "persisted"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> LexicalIndex:
    return RankBM25Index() if request.param == "rank-bm25" else BM25Index(tmp_path / "bm25" / "one.npz")


def test_best_first_and_only_what_shares_a_word(index: LexicalIndex) -> None:
    index.build(ITEMS)
    assert [item for item, _ in index.search("coffee staff", 10)] == [5, 11]
    assert all(score > 0 for _, score in index.search("coffee staff", 10))
    assert index.search("sauna", 10) == []
    assert index.search("", 10) == []
    assert len(index.search("coffee staff", 1)) == 1
    assert index.ids() == {item for item, _ in ITEMS}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("it's", [8]),
        ("it’s", [8]),
        ("COFFEE", [5]),
        ("GRÖSSTENTEILS", [21]),
        ("für", [21]),
        ("ラウンジ", [34]),
    ],
)
def test_words_of_any_script_and_case(index: LexicalIndex, query: str, found: list[int]) -> None:
    index.build(ITEMS)
    assert [item for item, _ in index.search(query, 5)] == found


def test_building_again_replaces(index: LexicalIndex) -> None:
    index.build(ITEMS)
    index.build([(1, "sauna"), (2, "pool"), (4, "garden")])
    assert index.ids() == {1, 2, 4}
    assert index.search("coffee", 5) == []
    assert [item for item, _ in index.search("sauna", 5)] == [1]


@pytest.mark.parametrize("items", [[], [(1, "")], [(1, ""), (2, "!?")]])
def test_nothing_to_find(index: LexicalIndex, items: list[tuple[int, str]]) -> None:
    index.build(items)
    assert index.search("anything", 5) == []
    assert index.ids() == {item for item, _ in items}


def test_ties_are_broken_by_id(index: LexicalIndex) -> None:
    index.build([(9, "sauna warm"), (2, "sauna warm"), (4, "pool"), (6, "garden"), (7, "bar")])
    assert [item for item, _ in index.search("sauna", 5)] == [2, 9]
