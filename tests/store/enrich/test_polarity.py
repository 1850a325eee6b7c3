"""Valences where the words stand: negation, wish, condition, comparison, strength."""

from __future__ import annotations

import pytest

from store.enrich.polarity import compound, valences, words_of


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("clean", 1),
        ("filthy", -1),
        ("not clean", -1),
        ("not at all clean", -1),
        ("never disappointing", 1),
        ("hardly friendly", -1),
        ("not only clean", 1),
        ("no wifi", -1),
        ("no noise", 1),
        ("without any problem", 1),
        ("would have been nice", -1),
        ("could be cleaner", -1),
        ("would highly recommend", 1),
        ("too salty", -1),
        ("too small", -1),
        ("far from perfect", -1),
        ("anything but friendly", -1),
        ("could not have been more helpful", 1),
        ("can't go wrong", 1),
        ("nothing special", -1),
        ("not bad", 1),
        ("second to none", 1),
        ("lack of flavor", -1),
        ("the table", 0),
        ("", 0),
    ],
)
def test_sign(text: str, sign: int) -> None:
    total = sum(valences(words_of(text)))
    assert (total > 0) - (total < 0) == sign


def test_strength_words_and_marks_count() -> None:
    assert compound("very clean") > compound("clean") > compound("fairly clean") > 0
    assert compound("clean!") > compound("clean")


def test_conditions_and_questions_count_less() -> None:
    assert 0 < compound("if the room is clean") < compound("the room is clean")
    words = words_of("is the room clean")
    assert sum(valences(words, question=True)) < sum(valences(words))


def test_one_value_a_word_within_bounds() -> None:
    words = words_of("Super AWESOME!!! 😀 it's the worst, don't go; 10/10")
    values = valences(words)
    assert len(values) == len(words)
    assert all(-5 <= value <= 5 for value in values)


def test_negation_stops_at_a_contrast() -> None:
    words = words_of("not cheap but clean")
    values = dict(zip(words, valences(words), strict=True))
    assert values["clean"] > 0


@pytest.mark.parametrize(
    ("sentence", "sign"),
    [
        ("Couldn't believe such poor food at breakfast", -1),
        ("I could not believe how good it was", 1),
        ("You can't believe how slow they are", -1),
        ("I don't believe it is good", -1),
        ("It could not be called good", -1),
    ],
)
def test_amazement_denies_nothing(sentence: str, sign: int) -> None:
    assert sum(valences(words_of(sentence))) * sign > 0
