"""How the embedded extractor reads plain facts, names, the sentence after, comparisons and parted verdicts."""

from __future__ import annotations

import pytest

from store.enrich.lexical import LexicalExtractor
from store.enrich.polarity import hush, valences, words_of
from store.records import OpinionUnit, RegistryEntity

REGISTRY = [
    RegistryEntity(name.replace(" ", "-"), name, None, (name,))
    for name in ("pool", "support", "waiting room", "trainer", "tram", "bus", "locker", "menu", "guide")
]


def units(text: str) -> dict[str, OpinionUnit]:
    (extraction,) = LexicalExtractor().extract([(1, text)], REGISTRY)
    return {unit.entity: unit for unit in extraction.opinions}


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("The pool is on the third floor.", "pool"),
        ("The lockers are next to the stairs.", "locker"),
        ("There are twelve lockers.", "locker"),
        ("The menu consists of nine dishes.", "menu"),
        ("The tram leaves from the square every hour.", "tram"),
        ("You find the menu behind the bar.", "menu"),
        ("The trainer is called Ines.", "trainer"),
        ("The lockers take a coin.", "locker"),
        # who speaks of himself goes on about nothing
        ("The lockers have a map. I hope somebody reads this.", "locker"),
    ],
)
def test_a_plain_fact_is_no_view(text: str, entity: str) -> None:
    assert units(text)[entity].sentiment == "neutral"


@pytest.mark.parametrize(
    ("text", "entity", "sentiment"),
    [
        # pressed, a place or a number is a complaint or praise
        ("The pool still leaks.", "pool", "negative"),
        # a name neither praises nor blames
        ("Support rang back after we had waited two weeks.", "support", "negative"),
        ("The waiting room is bright.", "waiting-room", "positive"),
        # the next sentence goes on about it
        ("The trainer showed us the machines. She was wonderful.", "trainer", "positive"),
        ("We tried the pool. Filthy!", "pool", "negative"),
        ("The guide was pleasant. But he had not read the plan.", "guide", "mixed"),
        ("We tried the pool. We loved it!", "pool", "positive"),
        ("We tried the pool. Really enjoyed it.", "pool", "positive"),
        ("The pool is open. My kids hated it.", "pool", "negative"),
        ("The trainer came. Would not recommend him.", "trainer", "negative"),
        # some and others
        ("Some trainers are superb and some should retire.", "trainer", "mixed"),
        ("Some lockers are broken, others are filthy.", "locker", "negative"),
        # praise that a clause turns around
        ("The pool is lovely, but it only opens at noon.", "pool", "mixed"),
        ("The guide was less friendly this time.", "guide", "negative"),
        ("The menu is clear and fine for lunch, hopeless for dinner.", "menu", "mixed"),
    ],
)
def test_a_view_is_read_where_it_stands(text: str, entity: str, sentiment: str) -> None:
    assert units(text)[entity].sentiment == sentiment


@pytest.mark.parametrize(
    "after",
    ["Thanks for asking.", "Thank you!", "Kind regards, Ann.", "Best wishes.", "Sorry to say.", "Cheers."],
)
def test_a_word_to_the_reader_is_no_verdict(after: str) -> None:
    bare, greeted = units("I hate how the guide laughs."), units(f"I hate how the guide laughs. {after}")
    assert greeted["guide"].sentiment == bare["guide"].sentiment == "negative"
    assert greeted["guide"].quote == bare["guide"].quote
    praised = units(f"The guide is charming. {after}")["guide"]
    assert (praised.sentiment, praised.quote) == ("positive", "The guide is charming.")


def test_words_in_quotation_marks_are_not_the_writers() -> None:
    words = words_of('They call it "truly fantastic" and it is good')
    values = valences(words)
    hush(words, values)
    assert [word for word, value in zip(words, values, strict=True) if value] == ["good"]
    inches = words_of('a 20" screen, fantastic')
    values = valences(inches)
    hush(inches, values)
    assert values[inches.index("fantastic")] > 0


def test_the_words_of_the_next_sentence_are_quoted_where_they_decide() -> None:
    text = "We tried the pool. It was lovely. Then we left."
    unit = units(text)["pool"]
    assert unit.quote == "We tried the pool. It was lovely." == text[unit.start : unit.end]
    assert units("We tried the pool. It was Monday.")["pool"].quote == "We tried the pool."


def test_a_sentence_that_names_another_thing_is_its_own() -> None:
    found = units("We tried the pool. The trainer was wonderful.")
    assert found["pool"].quote == "We tried the pool."
    assert found["trainer"].sentiment == "positive"


@pytest.mark.parametrize(
    ("text", "better", "worse"),
    [
        ("The tram is faster than the bus.", "tram", "bus"),
        ("I learned more from the guide than from the trainer.", "guide", "trainer"),
        ("The bus is worse than the tram.", "tram", "bus"),
        ("The bus is no better than the tram.", "tram", "bus"),
    ],
)
def test_a_comparison_has_two_sides(text: str, better: str, worse: str) -> None:
    found = units(text)
    assert found[better].score > 0 > found[worse].score


@pytest.mark.parametrize(
    "text", ["More than 200 people used the pool.", "We took the bus rather than the tram."]
)
def test_more_than_a_number_and_rather_than_compare_nothing(text: str) -> None:
    assert all(abs(unit.score) < 20 for unit in units(text).values())
