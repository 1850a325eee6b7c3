"""What may be quoted as a voice, where the quote begins, and how documents of the same words are cited."""

from __future__ import annotations

import pytest

from agents.models.extractive import Voice, opinion_answer
from agents.models.extractive_quotes import opening, quotable, same_words, shorten


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


def test_the_same_words_are_the_same_same_words() -> None:
    assert (
        same_words("However, Support never replied.")
        == same_words("support never  replied!")
        == "support never replied"
    )
    assert same_words("Support replied.") != same_words("Support never replied.")


def test_a_long_quote_is_cut_at_a_word() -> None:
    text = "word " * 80
    assert text.startswith(shorten(text))
    assert len(shorten(text)) <= 280
    assert shorten(text).endswith("word")


def voice(number: int, quote: str, score: int, shared: int = 1) -> Voice:
    return Voice(number, 100 + number, quote, 0, score, shared)


def test_the_same_words_are_quoted_once_with_their_documents_counted() -> None:
    dear = ["The fares are too dear.", "the fares are too dear", *["The fares are too dear."] * 5]
    voices = [voice(i, quote, -20) for i, quote in enumerate(dear, 1)]
    voices += [voice(8, "The fares are fair.", 20), voice(9, "But the fares are fair!", 20)]
    written = opinion_answer("fares", (0, 7, 0, 0, 0, 2, 0), 9, voices, None, "lexical")
    _, positive, negative = written.text.split("\n\n")
    assert positive == "Positive, 2 of 9 voices:\n- “The fares are fair.” [8][9]"
    assert negative == (
        "Negative, 7 of 9 voices:\n- “The fares are too dear.” [1][2][3] and 4 more documents in the same words"
    )
    assert sorted(each.number for each in written.citations) == list(range(1, 10))
    assert {each.number: each.quote for each in written.citations}[2] == "the fares are too dear"


@pytest.mark.parametrize(
    ("cited", "shared", "told"),
    [
        (4, 4, "[1][2][3][4]"),
        (5, 5, "[1][2][3] and 2 more documents in the same words"),
        (5, 9, "[1][2][3] and 2 more of 9 documents in the same words"),
    ],
)
def test_the_last_number_is_shown_and_a_part_is_called_a_part(cited: int, shared: int, told: str) -> None:
    voices = [voice(i, "The fares are fair.", 20, shared) for i in range(1, cited + 1)]
    written = opinion_answer("fares", (0, 0, 0, 0, 0, 9, 0), 9, voices, None, "lexical")
    assert written.text.endswith(f"“The fares are fair.” {told}")


def test_quotes_cut_to_the_same_words_are_the_same() -> None:
    """What is read twice in an answer is the same, whatever stands behind the cut."""
    assert same_words("word " * 80 + "good") == same_words("word " * 80 + "bad")
