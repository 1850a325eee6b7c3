"""Negations, groups left out, and limits that no filter stands for, by themselves."""

from __future__ import annotations

import pytest

from agents.models.router_breakdown import Column
from agents.models.router_groups import find_groups
from agents.models.router_limits import counts_authors, excluded, located, months_of_no_year, unknown_column
from agents.models.router_negation import denies

VISITORS = {"country": ("Germany", "France"), "age_band": ("18-29", "65+")}
COLUMNS: dict[str, Column] = {"country": ("attribute", "country"), "age band": ("attribute", "age_band")}


@pytest.mark.parametrize(
    ("question", "side", "expected"),
    [
        ("How many people did not complain about the queue?", "negative", "rest"),
        ("How many people did not praise the staff?", "positive", "rest"),
        ("How many people are not unhappy with the queue?", "negative", "rest"),
        ("How many people do not have a negative view of it?", "negative", "rest"),
        ("How many comments don't mention the cafe?", None, "rest"),
        ("How many reviews make no mention of the cafe?", None, "rest"),
        ("How many did not like the waiter?", "negative", "read"),
        ("How many people are not happy with it?", "negative", "read"),
        ("How many reviews mention the cafe but not the staff?", None, "not"),
        ("How many complained about the queue without mentioning the cafe?", "negative", "without"),
        ("How many reviews are from the North ward?", None, ""),
        ("How many reviews give no more than 3 stars?", None, ""),
    ],
)
def test_negated_counts(question: str, side: str | None, expected: str) -> None:
    assert denies(question, side) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("What share of visitors is from Germany?", "share"),
        ("How many visitors come from Germany?", "number"),
        ("How many patients live in France?", "number"),
        ("How many employees are over 65?", "number"),
        ("How many customers are German?", "number"),
        ("How many users have no country?", "number"),
        ("How many people are in the lobby?", None),
        ("How many people fit into the lift?", None),
        ("How many trains come from Germany?", None),
        ("Where do visitors come from?", None),
    ],
)
def test_people_that_are_counted(question: str, count: str | None) -> None:
    assert counts_authors(question) == count


@pytest.mark.parametrize(
    ("question", "groups"),
    [
        ("How many visitors come from Germany?", ("visitors come from Germany",)),
        ("What do 18 to 29 year olds think of it?", ("18 to 29 year olds",)),
        ("What do over 65s think of it?", ("over 65s",)),
        ("guests who travel alone", ("guests who travel alone",)),
        ("How old is the 5 year old building?", ()),
        ("How many visitors are happy with the cafe?", ()),
        ("How many visitors are not from Germany?", ()),
    ],
)
def test_groups_said_with_a_verb(question: str, groups: tuple[str, ...]) -> None:
    assert find_groups(question) == groups


def test_groups_that_are_left_out() -> None:
    assert excluded("What do non-German visitors think?", VISITORS) == ("non-German",)
    assert excluded("How many visitors are not from France?", VISITORS) == ("not from France",)
    assert excluded("What do German visitors not like?", VISITORS) == ()


def test_places_and_months_that_no_filter_stands_for() -> None:
    assert located("What about the cafe in Spain?", VISITORS) == ("in Spain",)
    assert located("What about the cafe in town?", VISITORS) == ()
    assert months_of_no_year("What about the cafe in March?") == ("in March",)
    assert months_of_no_year("What about the cafe in March 2024?") == ()
    assert months_of_no_year("What may people say about the march?") == ()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How many reviews have no country?", "country"),
        ("What do visitors of unknown age think?", "age_band"),
        ("How many people do not state their country?", "country"),
        ("Which country has no complaints?", None),
        ("What do people say of the country?", None),
    ],
)
def test_columns_without_a_value(question: str, name: str | None) -> None:
    found = unknown_column(question, COLUMNS)
    assert (None if found is None else found.name) == name
