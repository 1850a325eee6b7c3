"""What may be quoted as a voice, and where the quote begins."""

from __future__ import annotations

import pytest

from agents.models.extractive_quotes import opening, quotable, shorten, wording


@pytest.mark.parametrize(
    ("quote", "begins"),
    [
        ("However, the waiter was rude.", "the waiter was rude."),
        ("Also, waiter recommended a wine.", "waiter recommended a wine."),
        ("Also the food was cold.", "the food was cold."),
        ("But the food was cold.", "the food was cold."),
        ("And, however, the food was cold.", "the food was cold."),
        ("However good the food, we left.", "However good the food, we left."),
        ("So good that we came back!", "So good that we came back!"),
        ("But for the noise it is fine.", "But for the noise it is fine."),
        ("Still the best in town.", "Still the best in town."),
        ("However, awful.", "However, awful."),
    ],
)
def test_a_link_to_another_sentence_is_left_out_where_the_rest_stands_alone(quote: str, begins: str) -> None:
    assert quote[opening(quote) :] == begins


def test_questions_and_false_citations_are_no_voices() -> None:
    assert quotable("The food was good.")
    assert not quotable("Why was the food cold?")
    assert not quotable("was the food always cold", "? No.")
    assert not quotable("was the food always cold", "”?")
    assert quotable("the food was always cold", ". Why?")
    assert not quotable("The food was good [3].")
    assert not quotable("good food")


def test_the_same_words_are_the_same_wording() -> None:
    assert (
        wording("However, Support never replied.")
        == wording("support never  replied!")
        == "support never replied"
    )
    assert wording("Support replied.") != wording("Support never replied.")


def test_a_long_quote_is_cut_at_a_word() -> None:
    text = "word " * 80
    assert text.startswith(shorten(text))
    assert len(shorten(text)) <= 280
    assert shorten(text).endswith("word")
