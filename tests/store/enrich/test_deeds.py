"""What takes a side by telling what happened."""

from __future__ import annotations

import pytest

from store.enrich.deeds import BLAMING
from store.enrich.turns import turn


@pytest.mark.parametrize(
    "words",
    [
        "we never had to queue for the lockers",
        "the trainer went out of her way",
        "the driver remembered our names",
        "the porter even carried the cot",
        "the guide took the time to answer",
        "they treated us like family",
        "the desk replied within the hour",
        "the taxi was on time",
        "the cook deserves a medal",
        "she explained every step",
        "the children did not want to leave",
        "ten out of ten",
        "nobody complained",
        "he speaks slowly, which I appreciate",
    ],
)
def test_deeds_for_a_thing(words: str) -> None:
    assert turn(words) > 0


@pytest.mark.parametrize(
    "words",
    [
        "I rang the desk five times",
        "the lift is out of order",
        "we brought our own towels",
        "the fees have gone up",
        "we gave up on the pool",
        "the waiter rolled his eyes",
        "they treated us like criminals",
        "it is the third time this month",
        "there was no sign of the porter",
        "the gate was locked",
        "guess who paid",
        "the room looked lovely in the pictures",
        "a lamp designed by someone who likes the dark",
        "the rack comes late, which is annoying",
    ],
)
def test_deeds_against_a_thing(words: str) -> None:
    assert turn(words) < 0


@pytest.mark.parametrize(
    "words",
    [
        "she never gave up",
        "he was not on time for us to say",
        "the door was locked first",
        "we had coffee in the afternoon",
        "the menu is never out of stock",
        "this is the first time this year",
    ],
)
def test_a_deed_that_is_denied_or_plain_takes_no_side_against_its_sense(words: str) -> None:
    assert turn(words) == 0 or (turn(words) > 0) == ("never" in words)


@pytest.mark.parametrize(
    ("question", "blames"),
    [
        ("Would it kill them to answer the phone?", True),
        ("Why does the door never close?", True),
        ("How hard can it be?", True),
        ("Towels? What towels?", False),
        ("What towels?", True),
        ("Why not try the soup?", False),
        ("Is there a pool?", False),
    ],
)
def test_questions_that_blame(question: str, blames: bool) -> None:
    assert (BLAMING.search(question) is not None) is blames


def test_long_hostile_text_is_read_quickly() -> None:
    for piece in ("rang a ", "drove the ", "replied a b ", "price the "):
        assert turn(piece * 1_000) <= 0
