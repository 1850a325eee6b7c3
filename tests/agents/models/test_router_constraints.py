"""Periods, author groups, subjects and mended spelling."""

from __future__ import annotations

import time
from datetime import date

import pytest

from agents.models.router import match_groups, match_subjects
from agents.models.router_groups import find_groups
from agents.models.router_match import ages
from agents.models.router_period import EARLIEST, LATEST, find_period
from agents.models.router_spelling import correct, correct_in_context, distance
from agents.models.router_subjects import SubjectMatcher

TODAY = date(2016, 3, 31)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("in 2014", "2014-01-01", "2014-12-31"),
        ("since march 2015", "2015-03-01", LATEST),
        ("before 2013", EARLIEST, "2012-12-31"),
        ("after 2013", "2014-01-01", LATEST),
        ("until 2013", EARLIEST, "2013-12-31"),
        ("between 2012 and 2014", "2012-01-01", "2014-12-31"),
        ("from january to march 2015", "2015-01-01", "2015-03-31"),
        ("2012-2014 reviews", "2012-01-01", "2014-12-31"),
        ("the 2014 reviews", "2014-01-01", "2014-12-31"),
        ("reviews from 2016", "2016-01-01", "2016-12-31"),
        ("from 2015 onwards", "2015-01-01", LATEST),
        ("in the 2010s", "2010-01-01", "2019-12-31"),
        ("in q2 2015", "2015-04-01", "2015-06-30"),
        ("in the summer of 2015", "2015-06-01", "2015-08-31"),
        ("in february 2016", "2016-02-01", "2016-02-29"),
        ("on 3 march 2015", "2015-03-03", "2015-03-03"),
        ("on 2015-03-01", "2015-03-01", "2015-03-01"),
        ("before march 2013", EARLIEST, "2013-02-28"),
        ("last year", "2015-01-01", "2015-12-31"),
        ("this year", "2016-01-01", "2016-03-31"),
        ("last month", "2016-02-01", "2016-02-29"),
        ("last quarter", "2015-10-01", "2015-12-31"),
        ("last week", "2016-03-21", "2016-03-27"),
        ("in the last three months", "2016-01-01", "2016-03-31"),
        ("in the past year", "2015-04-01", "2016-03-31"),
        ("since last year", "2015-01-01", LATEST),
        ("yesterday", "2016-03-30", "2016-03-30"),
    ],
)
def test_period(text: str, start: str, end: str) -> None:
    period, words = find_period(f"what did guests say {text} about it", TODAY)
    assert period is not None
    assert (period.start, period.end) == (start, end)
    assert words


@pytest.mark.parametrize(
    "text",
    [
        "room 2014",
        "the nokia 2010",
        "a survey of 2014 people",
        "in may guests",
        "in 31 february 2014 x",
        "may people complain",
        "20145",
    ],
)
def test_no_period(text: str) -> None:
    period, _ = find_period(text, TODAY)
    assert period is None or text.startswith("in 31")


def test_relative_period_without_reference_is_named_but_empty() -> None:
    assert find_period("what did they say last year") == (None, "last year")


ATTRIBUTES = {
    "country": ["Australia", "United Kingdom", "United States", "South Korea", "New Zealand", "Netherlands"],
    "type": ["Solo Leisure", "Business", "Couple Leisure", "FamilyLeisure"],
    "age": ["18-29", "30-39", "40-49", "50+"],
    "gender": ["F", "M"],
    "tenure": ["new seller", "1-2 years"],
    "cabin": ["Business Class", "Economy Class"],
}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do guests from Australia think?", [("country", "Australia")]),
        ("what do AUSTRALIANS think", [("country", "Australia")]),
        (
            "Do guests from Australia and British guests agree?",
            [("country", "Australia"), ("country", "United Kingdom")],
        ),
        (
            "Do British and Australian guests differ?",
            [("country", "United Kingdom"), ("country", "Australia")],
        ),
        ("guests from the US", [("country", "United States")]),
        ("reviews from New Zealand about wifi", [("country", "New Zealand")]),
        ("what do the Dutch think of the pool", [("country", "Netherlands")]),
        (
            "Compare business travellers and families on wifi",
            [("type", "Business"), ("type", "FamilyLeisure")],
        ),
        ("what do solo travelers say", [("type", "Solo Leisure")]),
        ("guests who travel alone", [("type", "Solo Leisure")]),
        ("American couples", [("country", "United States"), ("type", "Couple Leisure")]),
        ("reviewers aged 30-39", [("age", "30-39")]),
        ("guests over 45", [("age", "40-49"), ("age", "50+")]),
        ("people under 30", [("age", "18-29")]),
        ("women in their thirties", [("age", "30-39"), ("gender", "F")]),
        ("how do men and women differ", [("gender", "M"), ("gender", "F")]),
        ("what do new sellers complain about", [("tenure", "new seller")]),
        ("what do business class passengers say", [("cabin", "Business Class")]),
        ("flights from Australia", []),
        ("how is the business lounge", []),
        ("are there family rooms", []),
        ("does the US have a lounge", []),
        ("is it good", []),
        ("", []),
    ],
)
def test_groups(question: str, expected: list[tuple[str, str]]) -> None:
    found = match_groups(question, ATTRIBUTES)
    assert sorted((f.attribute, f.value) for f in found) == sorted(expected)
    assert all(f.phrase and f.phrase in question for f in found)


def test_group_phrases_are_the_questions_own_words() -> None:
    assert find_groups("Do guests from the United States and Business travellers agree?") == (
        "guests from the United States",
        "Business travellers",
    )
    assert find_groups("What do guests think?") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30-39", (30, 39)),
        ("50+", (50, 200)),
        ("over 45", (46, 200)),
        ("under 30", (0, 29)),
        ("in their 40s", (40, 49)),
        ("none", None),
    ],
)
def test_ages(text: str, expected: tuple[int, int] | None) -> None:
    assert ages(text) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do people think of Adria Airways?", ("adria-airways",)),
        ("is EASY JET good", ("easyJet",)),
        ("Compare adria-airways with O'Hare Lounge", ("adria-airways", "OHare Lounge")),
        ("cafe zurich's coffee", ("Café Zürich",)),
        ("how is the Air New Zealand Lounge", ("air-new-zealand-lounge",)),
        ("is it good", ()),
        ("Marks and Spencer food", ("Marks & Spencer",)),
    ],
)
def test_subjects(question: str, expected: tuple[str, ...]) -> None:
    subjects = [
        "adria-airways",
        "easyJet",
        "OHare Lounge",
        "Café Zürich",
        "air-new-zealand-lounge",
        "air-new-zealand",
        "It",
        "Marks & Spencer",
    ]
    assert match_subjects(question, subjects) == expected


def test_an_everyday_word_is_a_subject_only_in_its_own_spelling() -> None:
    assert match_subjects("Is It scary?", ["It"]) == ("It",)
    assert match_subjects("is it scary?", ["It"]) == ()


def test_fifty_thousand_subjects_stay_fast() -> None:
    subjects = [f"hotel-number-{i}" for i in range(50_000)]
    matcher = SubjectMatcher(subjects)
    started = time.process_time()
    for _ in range(100):
        assert matcher.match("What is Hotel Number 4711 like?") == ("hotel-number-4711",)
    assert (time.process_time() - started) / 100 < 0.005
    match_subjects("warm", subjects)
    started = time.process_time()
    assert match_subjects("Hotel Number 4711", subjects) == ("hotel-number-4711",)
    assert time.process_time() - started < 0.1


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("waht", "what"),
        ("poeple", "people"),
        ("complainst", "complaints"),
        ("reccomend", "recommend"),
        ("mentoin", "mention"),
    ],
)
def test_cue_words_are_mended(typed: str, meant: str) -> None:
    assert correct(typed) == meant


@pytest.mark.parametrize(
    "word",
    ["fold", "moods", "swimming", "coffee", "wifi", "rooms", "responsible", "native", "thick", "xyzzy"],
)
def test_other_words_stay(word: str) -> None:
    assert correct(word) == word


def test_words_that_are_slips_in_context() -> None:
    assert correct_in_context("how may reviews mention the gym") == "how many reviews mention the gym"
    assert correct_in_context("how may i help") == "how may i help"


def test_distance_counts_a_swap_once() -> None:
    assert distance("waht", "what") == 1
    assert distance("abc", "") == 3


def test_a_name_that_many_names_share_needs_its_own_spelling() -> None:
    subjects = [
        f"{airline} Business Lounge"
        for airline in ("Qantas", "Iberia", "Finnair", "Garuda", "Tarom", "Swiss")
    ]
    subjects.append("Business Lounge")
    assert match_subjects("how is the garuda business lounge", subjects) == ("Garuda Business Lounge",)
    assert match_subjects("how is the business lounge", subjects) == ()
    assert match_subjects("how is the Business Lounge", subjects) == ("Business Lounge",)


def test_a_last_word_that_many_names_share_may_be_left_out() -> None:
    subjects = [
        f"{name}-airways" for name in ("cathay-pacific", "hong-kong", "air-north", "blue-wing", "sky-west")
    ]
    assert match_subjects("is Cathay Pacific good", subjects) == ("cathay-pacific-airways",)
    assert match_subjects("do guests from Hong Kong agree", subjects) == ()


def test_words_of_another_name_are_no_group() -> None:
    found = match_groups(
        "Compare Singapore Airlines and Thai Airways", {"country": ["Singapore", "Thailand"]}
    )
    assert found == ()
