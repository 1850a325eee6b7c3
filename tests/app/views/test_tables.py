"""Plain tables: aligned, in width, with words where numbers alone would not do."""

from __future__ import annotations

import pytest

from app.views.layout import width_of
from app.views.tables import (
    CorpusRow,
    DocumentRow,
    EntityRow,
    QuarantineRow,
    SourceRow,
    corpora_table,
    documents_table,
    entities_tree,
    quarantine_table,
    sources_table,
    table,
)
from tests.app.views.test_safe import HIDDEN
from tests.fakes.receipts import HOSTILE

ENTITIES = (
    EntityRow("food", "food", None, 861, (10, 0, 0, 10, 0, 0, 20), ("meals", "catering")),
    EntityRow("drinks", "drinks", None, 12),
    EntityRow("breakfast", "breakfast", "food", 120, (0, 0, 0, 0, 0, 0, 4), (), True),
    EntityRow("eggs", "eggs", "breakfast", 3, (1, 0, 0, 0, 0, 0, 0)),
    EntityRow("sushi", "寿司", "food", 7, (0, 0, 0, 1, 0, 0, 0)),
)


def test_table_aligns() -> None:
    assert table(("name", "n"), [("a", "1"), ("手机", "1,000")], 40, align="lr") == [
        "name      n",
        "───────────",
        "a         1",
        "手机  1,000",
    ]


def test_table_narrows_long_text_first() -> None:
    assert table(("name", "text"), [("abcdefgh", "x" * 100)], 24, align="lL") == [
        "name      text",
        "────────────────────────",
        "abcdefgh  xxxxxxxxxxxxx…",
    ]


def test_entities_tree() -> None:
    assert entities_tree(ENTITIES, 70) == [
        "entity         docs  - 0 +     pos   neg  aliases",
        "─────────────────────────────────────────────────────────",
        "food            861  ▅··▅··█   50%   25%  meals, catering",
        "├ breakfast *   120  ······█  100%    0%",
        "│ └ eggs          3  █······    0%  100%",
        "└ 寿司            7  ···█···    0%    0%",
        "drinks           12  ·······     -     -",
        "* curated",
    ]


def test_entities_tree_in_ascii() -> None:
    lines = entities_tree(ENTITIES[:4], 70, ascii=True)
    assert [line[:13].rstrip() for line in lines[2:6]] == ["food", "`- breakfast", "   `- eggs", "drinks"]
    assert "\n".join(lines).isascii()


def test_a_ring_of_parents_is_listed_once() -> None:
    ring = (EntityRow("a", "a", "b"), EntityRow("b", "b", "a"), EntityRow("c", "c", "gone"))
    names = [line.split()[0] for line in entities_tree(ring, 60, ascii=True)[2:]]
    assert sorted(name.strip("`-") or "b" for name in names) == ["a", "b", "c"]


def test_sources_say_when_books_do_not_balance() -> None:
    lines = sources_table([SourceRow("a.csv", 10, 7, 1, 1, 1), SourceRow("b.csv", 10, 7, 1, 1, 0)], 80)
    assert lines[2].endswith("balanced")
    assert lines[3].endswith("NOT BALANCED")
    assert lines[4] == "! b.csv: 10 rows read, 9 accounted for"


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("ascii", [False, True])
def test_hostile_rows(width: int, ascii: bool) -> None:
    for lines in (
        documents_table(
            [DocumentRow(HOSTILE, HOSTILE, HOSTILE, 4.0, HOSTILE, HOSTILE, -10)], width, ascii=ascii
        ),
        sources_table([SourceRow(HOSTILE, 2, 1, 0, 0, 0)], width, ascii=ascii),
        quarantine_table([QuarantineRow(HOSTILE, 7, HOSTILE, 2, HOSTILE)], width, ascii=ascii),
        corpora_table([CorpusRow(HOSTILE, 10, 5, 2, 9, HOSTILE)], width, ascii=ascii),
        entities_tree([EntityRow(HOSTILE, HOSTILE, None, 3, (1,) * 7, (HOSTILE,))], width, ascii=ascii),
    ):
        assert max(map(width_of, lines)) <= width
        shown = "\n".join(lines)
        assert not HIDDEN.search(shown)
        assert not ascii or shown.isascii()
