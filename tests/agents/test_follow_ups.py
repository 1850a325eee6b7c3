"""Follow-ups in few words ask what was asked before."""

from __future__ import annotations

import pytest

from agents.follow_ups import bare_groups, few_words, merged, of_all
from agents.state import Turn

REGIONS = {"region": ["North", "South", "West"], "age": ["18-29", "65+"]}


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("And in the South?", "in the South"),
        ("What about people in the South?", "people in the South"),
        ("how about families", "families"),
        ("OK, and the 65+ group?", "the 65+ group"),
        ("And in 2024?", "in 2024"),
        ("What do people think of the South?", ""),
        ("And why?", ""),
        ("And what do women say about it?", ""),
        ("What is the opening time?", ""),
        ("South", ""),
        ("And?", ""),
    ],
)
def test_few_words(question: str, rest: str) -> None:
    assert few_words(question) == rest


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("in the South", [("region", "South")]),
        ("the West", [("region", "West")]),
        ("the 65+ group", [("age", "65+")]),
        ("the staff", []),
        ("the East", []),
    ],
)
def test_bare_groups(rest: str, found: list[tuple[str, str]]) -> None:
    assert [(each.attribute, each.value) for each in bare_groups(rest, REGIONS, ["staff"])] == found


def test_a_topic_is_no_group() -> None:
    assert bare_groups("the north", REGIONS, ["north"]) == ()


def test_limits_are_replaced_by_their_kind() -> None:
    north = {"name": "region", "value": "North", "phrase": ""}
    south, year = {**north, "value": "South"}, {"name": "period", "value": "2024..", "phrase": ""}
    last = Turn(question="q", entities=[], filters=[north, year], answer_id="a")
    assert merged([south], last, whole=False) == [year, south]
    assert merged([], last, whole=False) == [north, year]
    assert merged([], last, whole=of_all("overall")) == []


@pytest.mark.parametrize("rest", ["overall", "everyone", "in general", "all the reviews", "of all"])
def test_of_all(rest: str) -> None:
    assert of_all(rest)
    assert not of_all("in the South")
