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


SCENERY = (*REGISTRY, RegistryEntity("view", "view", None, ("scenery",)))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do people think about the view?", ("view",)),
        ("What do guests say about views?", ("view",)),
        ("How is the view from the room?", ("view",)),
        ("What is the view like?", ("view",)),
        ("is the view worth the price", ("view", "price")),
        ("view?", ("view",)),
        ("What are the views on the breakfast?", ("breakfast",)),
        ("What do people say about the views of guests?", ()),
        ("What are people's views?", ()),
        ("How do guests view the pool?", ("pool",)),
    ],
)
def test_a_word_of_asking_is_an_entity_where_a_topic_stands(question: str, expected: tuple[str, ...]) -> None:
    assert link(question, SCENERY, COUNTS).entities == expected


def test_only_what_many_documents_hold_makes_a_topic_of_a_word_of_asking() -> None:
    asked: list[str] = []

    def common(phrase: str) -> bool:
        asked.append(phrase)
        return True

    assert link("What do people think about the look?", REGISTRY, COUNTS, common=common).unmatched == "look"
    assert link("How is the luxury?", REGISTRY, COUNTS, common=common).unmatched == "luxury"
    assert asked == ["the look", "the luxury"]
    assert (
        link("What do people think about the look?", REGISTRY, COUNTS, common=lambda _: False).unmatched == ""
    )
    assert link("How do they look at it?", REGISTRY, COUNTS, common=common).unmatched == ""


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
    """Two directions: water, and everything else; a lake is near water; counts its calls."""

    def __init__(self) -> None:
        self.texts = 0

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += len(texts)
        water = {"pool": [1.0, 0.0, 0.0], "lagoon": [0.85, 0.0, 0.53], "lake": [0.75, 0.0, 0.66]}
        rows = [next((v for word, v in water.items() if word in t), [0.0, 1.0, 0.0]) for t in texts]
        return np.array([[0.0, 0.0, 1.0] if "moon" in t else row for t, row in zip(texts, rows, strict=True)])


def test_paraphrase_by_meaning_and_a_floor() -> None:
    embed = Meaning()
    linker = EntityLinker(REGISTRY)
    assert linker.link("the breakfast", COUNTS, embed).entities == ("breakfast",)
    assert embed.texts == 0
    found = linker.link("the lagoon", COUNTS, embed)
    assert found.entities == ("pool",)
    assert "closest in meaning" in found.reason
    assert "`lagoon` is no entity of this corpus: taken as `pool`" in found.caveat
    assert linker.link("the breakfast", COUNTS, embed).caveat == ""
    before = embed.texts
    assert linker.link("the moon", COUNTS, embed).entities == ()
    assert embed.texts == before + 1


def test_related_is_not_the_same() -> None:
    linker = EntityLinker(REGISTRY)
    found = linker.link("What do people think about the lake?", COUNTS, Meaning())
    assert (found.entities, found.unmatched) == ((), "lake")


def test_words_that_documents_use_are_no_paraphrase() -> None:
    linker = EntityLinker(REGISTRY)
    found = linker.link("the lagoon", COUNTS, Meaning(), lambda topic: topic == "lagoon")
    assert (found.entities, found.unmatched) == ((), "lagoon")
    assert "documents mention it" in found.reason


CITY = (RegistryEntity("parking", "parking", None, ()), RegistryEntity("tram", "tram", None, ()))
SHOP = (RegistryEntity("dress", "dress", None, ()), RegistryEntity("strap", "strap", None, ()))


@pytest.mark.parametrize(
    ("question", "registry", "topic"),
    [
        ("What do people think about the weather?", REGISTRY, "weather"),
        ("What do residents say about the weather?", CITY, "weather"),
        ("What do users think of support?", SHOP, "support"),
        ("How is the weather?", CITY, "weather"),
        ("Are people happy with the school?", CITY, "school"),
        ("How many reviews mention the website?", SHOP, "website"),
        ("What do people think about the park?", CITY, "park"),
        ("Tell me what buyers say about the wedding.", SHOP, "wedding"),
    ],
)
def test_an_absent_thing_is_named_as_unmatched(
    question: str, registry: Sequence[RegistryEntity], topic: str
) -> None:
    found = link(question, registry, {})
    assert (found.entities, found.unmatched) == ((), topic)


@pytest.mark.parametrize(
    "question",
    [
        "What are the biggest complaints?",
        "What do people think about this place?",
        "What do customers like about it?",
        "What is the general opinion of the reviewers?",
        "How many reviews were written?",
        "How many users gave a score?",
        "How many comments were received?",
        "How many people commented?",
        "How many reports were filed in 2025?",
        "How many responses were collected?",
        "How many customers are happy with everything?",
        "What do people complain about most?",
        "What are the main themes in the reviews?",
        "How has the opinion changed over time?",
        "What do people think of this hotel?",
        "Would you recommend this phone?",
    ],
)
def test_questions_about_everything_name_no_topic(question: str) -> None:
    assert link(question, CITY, {}).unmatched == ""


@pytest.mark.parametrize(
    ("question", "registry", "key"),
    [
        ("What do people think of the streetcar?", CITY, "tram"),
        ("Is the gown pretty?", SHOP, "dress"),
        ("somewhere to swim", REGISTRY, "pool"),
    ],
)
def test_known_synonyms_stand_without_a_caveat(
    question: str, registry: Sequence[RegistryEntity], key: str
) -> None:
    found = link(question, registry, {})
    assert (found.entities, found.caveat) == ((key,), "")


def test_a_compound_that_is_no_entity_is_said() -> None:
    found = link("What do people think of the tram stops?", CITY, {})
    assert found.entities == ("tram",)
    assert "tram stops" in found.caveat or found.unmatched == ""


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What do people think of the parking and the breakfast?", "parking"),
        ("Compare the breakfast and the lunchroom", "lunchroom"),
        ("What do people think of the breakfast at night?", ""),
        ("Is the breakfast fresh and tasty?", ""),
    ],
)
def test_what_stands_beside_an_entity_and_is_none_is_said(question: str, left: str) -> None:
    found = link(question, REGISTRY, COUNTS)
    assert found.entities == ("breakfast",)
    assert found.caveat == (f"`{left}` is no entity of this corpus: left out" if left else "")


def test_hostile_questions_do_not_break() -> None:
    for question in ("?" * 5000, "\x00[/]\u202e", "a" * 100_000, "🛏️ İ"):
        assert link(question, REGISTRY, COUNTS).entities == ()


def test_empty_registry() -> None:
    assert link("the breakfast", (), {}).unmatched == "breakfast"
