"""Turns of phrase that take a side without a word of praise or blame."""

from __future__ import annotations

import pytest

from store.enrich.lexical import LexicalExtractor
from store.enrich.turns import idioms, turn
from store.records import RegistryEntity


@pytest.mark.parametrize(
    "words",
    [
        "it never crashed",
        "the boiler has yet to fail",
        "The crew didn’t let us down",
        "without any hassle",
        "not a single complaint",
        "it is not bad at all",
        "the plumber fixed the broken tap",
        "they got rid of the queue",
        "no more noisy neighbours",
        "you don't need a car",
        "the nurse could not have been gentler",
        "it couldn't be less noisy",
        "I have never met more helpful librarians",
        "never had better soup",
        "we have yet to see a cleaner pool",
        "not nearly as noisy as the old one",
        "heaps of shelves",
        "the guide bent over backwards",
    ],
)
def test_for(words: str) -> None:
    assert turn(words) > 0


@pytest.mark.parametrize(
    "words",
    [
        "the mixer broke after a week",
        "it freezes in the evening",
        "nobody answered the phone",
        "the desk never replied",
        "they refused to listen",
        "we queued for 40 minutes",
        "we waited about two hours",
        "the parcel came three weeks late",
        "it took six weeks to get a date",
        "we spent an hour on hold",
        "still waiting for a refund",
        "I had to call twice",
        "they never fixed the tap",
        "the nurse could not have been ruder",
        "never had worse soup",
        "I have never met less helpful staff",
        "nowhere near as good as the first",
        "not exactly cheap",
        "the whole trip was a letdown",
        "the service has gone downhill",
    ],
)
def test_against(words: str) -> None:
    assert turn(words) < 0


@pytest.mark.parametrize(
    "words",
    [
        "",
        "The room has two beds",
        "we waited only five minutes",
        "it took two hours by train",
        "we spent two hours in the lounge",
        "I did not bother with the pool",
        "I hope they fixed the lift",
        "if it crashes",
        "loads of bugs",
        "lunch break at noon",
        "no end of trouble",
    ],
)
def test_no_side(words: str) -> None:
    assert turn(words) == 0


def test_idioms_have_one_side_each() -> None:
    sides: dict[str, set[int]] = {}
    for each in idioms().values():
        for side, pattern in each:
            sides.setdefault(pattern.pattern, set()).add(side)
    assert len(sides) > 150
    assert all(len(side) == 1 for side in sides.values())


def test_long_hostile_text_is_read_quickly() -> None:
    assert turn("waited " * 2_000) == 0
    assert turn("not " * 2_000 + "a") == 0
    assert turn("took a b c " * 1_000) == 0


@pytest.mark.parametrize(
    ("text", "entity", "sentiment"),
    [
        ("The guide was gentle but dull.", "guide", "mixed"),
        ("The tour was engaging yet awfully noisy.", "tour", "mixed"),
        ("The rooms were lovely, but the pool had a rope across it.", "pool", "negative"),
        ("The mechanic fixed the rattle.", "mechanic", "positive"),
        ("The kettle stopped boiling and it leaks.", "kettle", "negative"),
    ],
)
def test_extraction(text: str, entity: str, sentiment: str) -> None:
    registry = [RegistryEntity(entity, entity, None, (entity,))]
    (extraction,) = LexicalExtractor().extract([(1, text)], registry)
    assert {unit.sentiment for unit in extraction.opinions} == {sentiment}


def test_more_of_something_plain_takes_no_side() -> None:
    assert turn("I have never seen more people") == 0
