"""Ratings that questions state, and questions that cannot be read."""

from __future__ import annotations

import pytest

from agents.models.router import QuestionRouter
from agents.models.router_rating import find_rating, parse_value
from agents.models.router_unread import unread


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many 5 star reviews are there?", "5"),
        ("How many five-star reviews?", "5"),
        ("How many reviews are rated 1?", "1"),
        ("reviews below 3 stars", "< 3"),
        ("How many reviews are rated above 3?", "> 3"),
        ("reviews with at least 4 stars", ">= 4"),
        ("4+ star reviews", ">= 4"),
        ("a rating of 2 or less", "<= 2"),
        ("4 stars or more", ">= 4"),
        ("between 2 and 4 stars", "2..4"),
        ("1-2 star reviews", "1..2"),
        ("how many gave it a 3", "3"),
        ("rated 4 out of 5", "4"),
        ("How many rated the breakfast 1?", "1"),
        ("how many people rated the room service below 3", "< 3"),
        ("How many guests gave the front desk a four?", "4"),
        ("Who gave the pool at least 4 out of 5?", ">= 4"),
        ("how many rated their stay between 2 and 3", "2..3"),
        ("How many rated breakfast 2 or less in 2019?", "<= 2"),
        ("reviews giving the wifi one or two", "1..2"),
        ("How many rated the breakfast one of the best?", None),
        ("How many gave the staff 5 minutes?", None),
        ("Who rated the 2 rooms?", None),
        ("How many rated the breakfast in 2019?", None),
        ("Who rated room 12?", None),
        ("How many gave up after 3?", None),
        ("What do people say about the 5 star hotel?", None),
        ("guests over 45", None),
        ("How many stars does the hotel have?", None),
        ("", None),
    ],
)
def test_ratings(question: str, value: str | None) -> None:
    found = find_rating(question)
    assert (found.value if found else None) == value
    if found:
        again = parse_value(found.value)
        assert (again.low, again.high, again.low_open, again.high_open) == (
            found.low,
            found.high,
            found.low_open,
            found.high_open,
        )


def test_no_range_of_ratings() -> None:
    with pytest.raises(ValueError, match="no range of ratings"):
        parse_value("about 3")


@pytest.mark.parametrize(
    ("question", "side"),
    [
        ("What share of German reviewers liked the breakfast?", "positive"),
        ("what percentage of nurses are happy with the rota", "positive"),
        ("How many Germans hated the breakfast?", "negative"),
        ("What fraction of residents support the bus lane?", "positive"),
        ("What share of residents oppose the bus lane?", "negative"),
        ("What part of the British guests found the room dirty?", "negative"),
    ],
)
def test_shares_of_groups_are_counted(question: str, side: str) -> None:
    found = QuestionRouter().route(question)
    assert (found.kind, found.side) == ("counting", side)


@pytest.mark.parametrize(
    "question",
    [
        "How many rated the breakfast 1?",
        "How many of them gave the front desk a four?",
        "how many guests rated the room service below 3",
        "How many liked the pool?",
    ],
)
def test_a_count_may_leave_out_the_people(question: str) -> None:
    assert QuestionRouter().route(question).kind == "counting"


def test_facts_stay_facts() -> None:
    for question in (
        "What share of the market does Sony hold?",
        "How many stars does the hotel have?",
        "How many gave their lives?",
    ):
        assert QuestionRouter().route(question).kind == "factual"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What do people think of the pool?", ""),
        ("pool", ""),
        ("wifi speed?", ""),
        ("How many 5 star reviews are there?", ""),
        ("Is the spa de luxe any good?", ""),
        ("😀😀😀", "no words"),
        ("???", "no words"),
        ("12345", "no words"),
        ("asdf qwkjh zxcvb", "hardly a word"),
        ("Was halten die Gäste vom Frühstück?", "German"),
        ("¿Qué opinan los huéspedes del desayuno?", "Spanish"),
        ("Que pensent les clients du petit déjeuner ?", "French"),
        ("Cosa pensano gli ospiti della colazione?", "Italian"),
        ("客人对早餐有什么看法？", "Chinese"),
    ],
)
def test_unread(question: str, reason: str) -> None:
    found = unread(question)
    assert reason in found if reason else not found
    assert not unread("Zxqvpl", ["Zxqvpl"])
