from collections.abc import Sequence

import numpy as np
import pytest

from store.enrich.linking import EntityLinker, link
from store.records import RegistryEntity

REGISTRY = (
    RegistryEntity("hotel", "hotel", None, ("property",)),
    RegistryEntity("room", "room", None, ("bedroom",)),
    RegistryEntity("room-service", "room service", "room", ()),
    RegistryEntity("breakfast", "breakfast", None, ("breakfast buffet",)),
    RegistryEntity("wifi", "wifi", None, ("wi fi", "internet")),
    RegistryEntity("front-desk", "front desk", None, ("receptionist",)),
    RegistryEntity("price", "price", None, ("cost", "expensive")),
    RegistryEntity("pool", "pool", None, ("swimming pool",)),
)
COUNTS = {"hotel": 500, "room": 400, "breakfast": 300, "wifi": 100, "front-desk": 90, "price": 80, "pool": 70}


def keys(question: str) -> tuple[str, ...]:
    return link(question, REGISTRY, COUNTS).entities


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do guests think about the breakfast?", ("breakfast",)),
        ("Summarize opinions on the breakfast buffets.", ("breakfast",)),
        ("is the INTERNET any good", ("wifi",)),
        ("complaints about the brekfast", ("breakfast",)),
        ("how is the swiming pool", ("pool",)),
        ("room sevrice?", ("room-service",)),
        ("Is it expensive?", ("price",)),
        ("Compare breakfast and parking prices", ("breakfast", "price")),
        ("Is the wifi in the rooms fast?", ("wifi",)),
        ("What do guests of this hotel say about the receptionists?", ("front-desk",)),
        ("the room service of the room", ("room-service",)),
        ("What do people say about the hotel?", ("hotel",)),
    ],
)
def test_links(question: str, expected: tuple[str, ...]) -> None:
    assert keys(question) == expected


def test_nothing_in_the_corpus() -> None:
    found = link("What do people think about quantum physics?", REGISTRY, COUNTS)
    assert found.entities == ()
    assert found.unmatched == "quantum physics"
    assert "nothing in the corpus" in found.reason


def test_no_topic_at_all() -> None:
    found = link("What are the biggest complaints?", REGISTRY, COUNTS)
    assert (found.entities, found.unmatched) == ((), "")
    assert link("", REGISTRY, COUNTS).entities == ()


def test_real_words_are_not_mended() -> None:
    assert keys("what about the poll and the coast?") == ()


def test_confidence_falls_from_name_to_alias_to_slip() -> None:
    values = [
        link(q, REGISTRY, COUNTS).confidence for q in ("the wifi", "the internet", "the intrenet", "the moon")
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    assert values[-1] == 0.0


class Meaning:
    """Two directions: water, and everything else; counts its calls."""

    def __init__(self) -> None:
        self.texts = 0

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += len(texts)
        rows = [[1.0, 0.0, 0.0] if "swim" in t or "pool" in t else [0.0, 1.0, 0.0] for t in texts]
        return np.array([[0.0, 0.0, 1.0] if "moon" in t else row for t, row in zip(texts, rows, strict=True)])


def test_paraphrase_by_meaning_and_a_floor() -> None:
    embed = Meaning()
    linker = EntityLinker(REGISTRY)
    assert linker.link("the breakfast", COUNTS, embed).entities == ("breakfast",)
    assert embed.texts == 0
    found = linker.link("somewhere to swim", COUNTS, embed)
    assert found.entities == ("pool",)
    assert "closest in meaning" in found.reason
    before = embed.texts
    assert linker.link("the moon", COUNTS, embed).entities == ()
    assert embed.texts == before + 1


def test_hostile_questions_do_not_break() -> None:
    for question in ("?" * 5000, "\x00[/]\u202e", "a" * 100_000, "🛏️ İ"):
        assert link(question, REGISTRY, COUNTS).entities == ()


def test_empty_registry() -> None:
    assert link("the breakfast", (), {}).unmatched == "breakfast"
