"""Counts by group, period and rating, counts of one side, of authors, and mean ratings, over several domains."""

from __future__ import annotations

import pytest

from agents.models.router import QuestionRouter
from agents.models.router_match import match_groups
from agents.models.router_rating import find_rating
from agents.models.router_subjects import match_subjects

CITY = {"city": ("Lisbon", "Porto", "Faro")}
APP = {"platform": ("android", "ios", "web")}
WARD = {"role": ("resident", "shop owner", "commuter"), "ward": ("North", "South", "Castle")}
AGES = {"age_group": ("18-30", "31-50", "51+")}


@pytest.mark.parametrize(
    ("question", "count", "side"),
    [
        ("How many shop owners are against the tram?", "number", "negative"),
        ("How many nurses are in favour of the new rota?", "number", "positive"),
        ("How many people came out against the stadium?", "number", "negative"),
        ("What percentage is against the bike lanes?", "share", "negative"),
        ("What share is in favor of longer opening hours?", "share", "positive"),
        ("How many did not like the waiter?", "number", "negative"),
        ("How many didn't enjoy the dessert?", "number", "negative"),
        ("How many people are happy with the tram?", "number", "positive"),
        ("How many are unhappy?", "number", "negative"),
        ("How many residents did not support the tram?", "number", "negative"),
        ("How many people don't want the new terminal?", "number", "negative"),
        ("How many users scored 10?", "number", None),
        ("How many passengers gave a score below 5?", "number", None),
        ("How many users gave 10 out of 10?", "number", None),
        ("How many reviews gave 5 stars?", "number", None),
        ("How many users are there?", "authors", None),
        ("How many authors are there?", "authors", None),
        ("How many shop owners commented?", "authors", None),
        ("How many students responded in May 2023?", "authors", None),
        ("How many reviews are there?", "number", None),
        ("How many comments were received in the first half of 2024?", "number", None),
        ("Average rating in Lisbon?", "mean", None),
        ("What is the average score of Android users?", "mean", None),
        ("What is the mean star rating?", "mean", None),
    ],
)
def test_counts(question: str, count: str, side: str | None) -> None:
    found = QuestionRouter().route(question)
    assert (found.kind, found.count, found.side) == ("counting", count, side)


@pytest.mark.parametrize(
    ("question", "side"),
    [
        ("What are the arguments in favour of the library?", "positive"),
        ("What are the main arguments against the tram?", "negative"),
        ("What was said about the wifi in March 2025?", None),
        ("What has been written about the lounge?", None),
        ("What about the wifi?", None),
        ("How about the battery life?", None),
    ],
)
def test_views(question: str, side: str | None) -> None:
    found = QuestionRouter().route(question)
    assert (found.kind, found.side) == ("opinion", side)


@pytest.mark.parametrize(
    "question",
    [
        "How many floors are there?",
        "How many laws does the city have against noise?",
        "How many seats does the tram have?",
        "How many people live in Lisbon?",
        "What is the average temperature in Lisbon?",
        "How many goals did the players score in 2019?",
    ],
)
def test_counts_of_the_world_are_no_counts_of_the_corpus(question: str) -> None:
    assert QuestionRouter().route(question).kind == "factual"


@pytest.mark.parametrize(
    ("question", "attributes", "expected"),
    [
        ("How many reviews are from Lisbon?", CITY, {("city", "Lisbon")}),
        ("How many comments came from Porto?", CITY, {("city", "Porto")}),
        ("Average rating in Lisbon?", CITY, {("city", "Lisbon")}),
        ("What do people in Faro think of the fish?", CITY, {("city", "Faro")}),
        ("How many feedbacks are from Android users?", APP, {("platform", "android")}),
        ("How many responses were sent from iOS?", APP, {("platform", "ios")}),
        (
            "How many residents of the North ward support the bike lanes?",
            WARD,
            {("role", "resident"), ("ward", "North")},
        ),
        ("What do commuters of ward Castle say?", WARD, {("role", "commuter"), ("ward", "Castle")}),
        ("How many people aged 31 plus commented?", AGES, {("age_group", "31-50"), ("age_group", "51+")}),
        ("How many people aged 51 and up commented?", AGES, {("age_group", "51+")}),
        ("How far is the airport from Lisbon?", CITY, set()),
        ("Is the north side of the park safe?", WARD, set()),
    ],
)
def test_groups(
    question: str, attributes: dict[str, tuple[str, ...]], expected: set[tuple[str, str]]
) -> None:
    assert {(item.attribute, item.value) for item in match_groups(question, attributes)} == expected


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many users gave 10 out of 10?", "10"),
        ("How many gave less than 3?", "< 3"),
        ("How many guests gave 4 points?", "4"),
        ("How many reviews gave fewer than 3 stars?", "< 3"),
        ("How many gave a score below 5?", "< 5"),
        ("How many reviews gave 2 or more stars?", ">= 2"),
        ("reviews with 3 or fewer stars", "<= 3"),
    ],
)
def test_what_is_given_is_a_rating(question: str, value: str) -> None:
    found = find_rating(question)
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize(
    "question", ["How many gave 5 reasons?", "How many staff gave 20 minutes of their time?", "Who gave up?"]
)
def test_what_else_is_given_is_none(question: str) -> None:
    assert find_rating(question) is None


WARES = (
    "Nokia 6610",
    "Nikon Coolpix 4300",
    "Canon G3",
    "Apex AD2600 Progressive scan DVD player",
    "New York Bakery",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do people think of the Nokia 6610?", ("Nokia 6610",)),
        ("what do people say about the nikon coolpix", ("Nikon Coolpix 4300",)),
        ("Is the Nikon Coolpix worth it?", ("Nikon Coolpix 4300",)),
        ("complaints about the apex ad2600", ("Apex AD2600 Progressive scan DVD player",)),
        ("What do guests from New York say?", ()),
        ("What do people say about a nikon?", ()),
    ],
)
def test_a_product_is_known_by_most_of_its_name(question: str, expected: tuple[str, ...]) -> None:
    assert match_subjects(question, WARES) == expected


def test_an_opening_that_two_names_share_stands_for_neither() -> None:
    assert match_subjects("the Nikon Coolpix", ("Nikon Coolpix 4300", "Nikon Coolpix 5700")) == ()
