"""Counts by value as questions ask for them, over several domains, and questions that ask for none."""

from __future__ import annotations

import pytest

from agents.models.router_breakdown import Asked, Column, find_breakdown

COLUMNS: dict[str, Column] = {
    "city": ("attribute", "city"),
    "country": ("attribute", "author_country"),
    "age group": ("attribute", "age_group"),
    "ward": ("attribute", "ward"),
    "class": ("subject", ""),
    "hotel": ("subject", ""),
}
NAMES = ("staff", "breakfast", "tram", "noise", "room", "view", "wifi")


def asked(question: str) -> Asked | None:
    return find_breakdown(question, COLUMNS, NAMES)


@pytest.mark.parametrize(
    ("question", "column", "measure", "order"),
    [
        ("Which city has the most complaints about the staff?", ("attribute", "city"), "negative", ("most",)),
        ("name the city where guests complain most", ("attribute", "city"), "negative", ("most",)),
        ("Which hotel is rated best?", ("subject", ""), "rating", ("most",)),
        ("which hotel has the worst rating", ("subject", ""), "rating", ("least",)),
        ("best rated hotel", ("subject", ""), "rating", ("most",)),
        ("Which hotels are rated best and worst?", ("subject", ""), "rating", ("most", "least")),
        ("Which hotel has the best breakfast?", ("subject", ""), "positive", ("most",)),
        ("the worst hotels please", ("subject", ""), "negative", ("most",)),
        ("Which hotel has the dirtiest rooms?", ("subject", ""), "negative", ("most",)),
        (
            "In which city are guests least happy with the rooms?",
            ("attribute", "city"),
            "positive",
            ("least",),
        ),
        ("Which age group wrote the most reviews?", ("attribute", "age_group"), "documents", ("most",)),
        ("Which city wrote the most 1 star reviews?", ("attribute", "city"), "documents", ("most",)),
        ("Which classes have the fewest complaints?", ("subject", ""), "negative", ("least",)),
        ("Which ward is most opposed to the tram?", ("attribute", "ward"), "negative", ("most",)),
        (
            "Where is opposition to the tram strongest, ward by ward?",
            ("attribute", "ward"),
            "negative",
            ("most",),
        ),
        ("Rank the countries by how positive they are", ("attribute", "author_country"), "positive", ()),
        ("Show the ratings by age group.", ("attribute", "age_group"), "rating", ()),
        ("Do views on the tram differ between wards?", ("attribute", "ward"), "views", ()),
        ("Compare the cities on the breakfast", ("attribute", "city"), "views", ()),
        ("How did opinions on breakfast change per month?", ("date", "month"), "views", ()),
        ("Has the mood about the staff gone up or down year by year?", ("date", "year"), "views", ()),
        ("Did the staff improve over time?", ("date", ""), "views", ()),
        ("monthly number of reviews", ("date", "month"), "documents", ()),
        ("How did support for the tram change per quarter?", ("date", "quarter"), "positive", ()),
        ("number of complaints about the noise by week", ("date", "month"), "negative", ()),
        ("In which month were guests happiest?", ("date", "month"), "positive", ("most",)),
        ("What is the distribution of ratings?", ("rating", ""), "documents", ()),
        ("how are the ratings distributed", ("rating", ""), "documents", ()),
        ("How many 1, 2, 3, 4 and 5 star reviews are there?", ("rating", ""), "documents", ()),
        ("how often is each star rating given", ("rating", ""), "documents", ()),
        ("What do people complain about most?", ("entity", ""), "negative", ("most",)),
        ("what is liked best", ("entity", ""), "positive", ("most",)),
        ("What do residents like least?", ("entity", ""), "positive", ("least",)),
        ("the most common complaints", ("entity", ""), "negative", ("most",)),
        ("biggest gripes overall?", ("entity", ""), "negative", ("most",)),
        ("Which topics are mentioned most?", ("entity", ""), "documents", ("most",)),
    ],
)
def test_what_is_asked(question: str, column: Column, measure: str, order: tuple[str, ...]) -> None:
    found = asked(question)
    assert found is not None
    assert ((found.kind, found.name), found.measure, found.order) == (column, measure, order)


@pytest.mark.parametrize(
    "question",
    [
        "Which hotel has free wifi?",
        "Which hotel is the cheapest?",
        "Which hotel is the most expensive?",
        "Which room has the best view?",
        "Which city is the hotel in?",
        "Which year was the hotel built?",
        "What is the best way to get to the airport?",
        "What is the most expensive room?",
        "What time is breakfast per day?",
        "How much is parking per night?",
        "Do they clean the room every day?",
        "What is the distribution of the rooms over the floors?",
        "Why do people complain about the noise most?",
        "Do most guests like the pool?",
        "What do guests like about the breakfast?",
        "How many guests complained about the staff in 2015?",
        "which country has the most olympic medals",
        "Which ward has the most inhabitants?",
        "Which hotel room has the best reviews?",
        "",
    ],
)
def test_what_is_no_count_by_value(question: str) -> None:
    assert asked(question) is None


@pytest.mark.parametrize(
    ("question", "by_number"),
    [
        ("Which city has the most complaints?", True),
        ("Which class has the most negative reviews?", True),
        ("Which city complains most about the staff?", True),
        ("Which age group is most satisfied?", False),
        ("Which hotel is the best?", False),
        ("Which ward is most opposed to the tram?", False),
        ("What is liked best?", True),
    ],
)
def test_what_is_asked_by_number(question: str, by_number: bool) -> None:
    found = asked(question)
    assert found is not None
    assert found.by_number is by_number


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("complaints per city", "city"),
        ("Which cities complain most?", "cities"),
        ("Wich city complians most", "city"),
    ],
)
def test_plurals_and_slips_name_the_column(question: str, phrase: str) -> None:
    found = asked(question)
    assert found is not None
    assert (found.noun, found.phrase, found.measure) == ("city", phrase, "negative")


def test_a_corpus_without_columns_still_has_periods_and_ratings() -> None:
    assert find_breakdown("Which city has the most complaints?", {}) is None
    found = find_breakdown("complaints per month", {})
    assert found is not None
    assert (found.kind, found.name) == ("date", "month")


def test_a_question_of_the_same_words_over_and_over_is_read() -> None:
    assert asked("which of the " * 400 + "city complains most") is None
