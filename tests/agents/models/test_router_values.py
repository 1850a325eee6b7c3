"""Author groups in many words: brands, places, numbers, and what only looks like a group."""

from __future__ import annotations

import pytest

from agents.models.router_groups import find_groups
from agents.models.router_match import match_groups
from agents.models.router_period import find_period
from agents.models.router_values import ages, number_words, own_forms, pieces

ATTRIBUTES = {
    "platform": [
        "YouTube",
        "Apple",
        "PS5",
        "3DS",
        "iPhone",
        "PlayStation 4",
        "LinkedIn",
        "Booking.com",
        "other",
    ],
    "district": ["Harbour", "Northfield", "Old Town", "other"],
    "town": ["Stratford-upon-Avon", "St. Ives", "São Paulo"],
    "household": ["1", "2", "3", "4"],
    "children": ["0", "1", "2"],
    "joined": ["2019", "2020"],
    "decade": ["1980", "1990"],
    "age_band": ["18-29", "30-44", "65+"],
    "insurance": ["private", "statutory", "self-pay"],
    "language": ["English", "Spanish", "Brazilian Portuguese"],
    "role": ["patient", "visitor"],
    "smoker": ["yes", "no"],
}


def found(question: str) -> list[tuple[str, str]]:
    return sorted((each.attribute, each.value) for each in match_groups(question, ATTRIBUTES))


@pytest.mark.parametrize(
    ("people", "value"),
    [
        ("YouTube listeners", "YouTube"),
        ("youtube users", "YouTube"),
        ("You Tube users", "YouTube"),
        ("listeners from YouTube", "YouTube"),
        ("people on YouTube", "YouTube"),
        ("users of YouTube", "YouTube"),
        ("people who use YouTube", "YouTube"),
        ("listeners using YouTube", "YouTube"),
        ("people who listen on YouTube", "YouTube"),
        ("YouTube's listeners", "YouTube"),
        ("the YouTube crowd", "YouTube"),
        ("PS5 owners", "PS5"),
        ("PS 5 players", "PS5"),
        ("players on PS5", "PS5"),
        ("3DS owners", "3DS"),
        ("people with an iPhone", "iPhone"),
        ("PlayStation 4 players", "PlayStation 4"),
        ("people who play on the playstation 4", "PlayStation 4"),
        ("LinkedIn members", "LinkedIn"),
        ("users of Booking.com", "Booking.com"),
        ("residents of Northfield", "Northfield"),
        ("inhabitants of Northfield", "Northfield"),
        ("people of the Old Town", "Old Town"),
        ("Northfield-based residents", "Northfield"),
        ("those who live in Northfield", "Northfield"),
        ("people who commute from Harbour", "Harbour"),
        ("people in the Harbour area", "Harbour"),
        ("people whose district is Harbour", "Harbour"),
        ("people from Stratford upon Avon", "Stratford-upon-Avon"),
        ("St Ives residents", "St. Ives"),
        ("guests from Sao Paulo", "São Paulo"),
        ("privately insured customers", "private"),
        ("customers who are privately insured", "private"),
        ("customers insured privately", "private"),
        ("customers with private insurance", "private"),
        ("customers with private health insurance", "private"),
        ("self-pay customers", "self-pay"),
        ("customers on self-pay", "self-pay"),
        ("English speaking customers", "English"),
        ("English-speaking customers", "English"),
        ("customers who speak English", "English"),
        ("speakers of English", "English"),
        ("Brazilian Portuguese speakers", "Brazilian Portuguese"),
        ("Spanish-speaking customers", "Spanish"),
        ("people in households of 3", "3"),
        ("people in three-person households", "3"),
        ("households of three", "3"),
        ("people with two children", "2"),
        ("members who joined in 2019", "2019"),
        ("listeners born in the 1980s", "1980"),
        ("members aged 30", "30-44"),
        ("people in other", "other"),
    ],
)
def test_people_of_a_value(people: str, value: str) -> None:
    question = f"What do {people} think of the noise?"
    groups = match_groups(question, ATTRIBUTES)
    assert value in {each.value for each in groups}, question
    assert {each.value for each in groups} == {value}
    assert all(each.phrase in question and "noise" not in each.phrase for each in groups)


def test_a_place_that_thinks_is_its_people() -> None:
    assert found("What does Northfield think of the noise?") == [("district", "Northfield")]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do residents of Northfield and Harbour think?", ["Harbour", "Northfield"]),
        ("What do citizens of Northfield, Harbour and Old Town say?", ["Harbour", "Northfield", "Old Town"]),
        ("What do Apple and YouTube listeners think?", ["Apple", "YouTube"]),
        ("Compare YouTube and Apple on the music", ["Apple", "YouTube"]),
        ("Is the noise in Northfield worse than in Harbour?", ["Harbour", "Northfield"]),
        ("What do people over 65 in Harbour think?", ["65+", "Harbour"]),
        ("What do residents of Northfield who are over 65 think?", ["65+", "Northfield"]),
        ("What do 2-person households in Harbour say?", ["2", "Harbour"]),
    ],
)
def test_several_values(question: str, expected: list[str]) -> None:
    assert sorted(value for _, value in found(question)) == expected


@pytest.mark.parametrize(
    "question",
    [
        "What do people think of the music on YouTube?",
        "What do people think of the YouTube videos?",
        "What do people say about YouTube?",
        "Do people use YouTube at night?",
        "Is the noise in Harbour bad?",
        "What do people say about drivers in Harbour?",  # the drivers are, not those who wrote
        "What do people think of the visitors?",
        "Are there private rooms?",
        "What do customers in private rooms think of the food?",
        "What do other people think of the noise?",
        "What do the residents of other districts think?",
        "What do the views of residents on Harbour say?",
        "Do 3 stops suffice?",
        "Did it arrive in 2019?",
        "Did the guests get yes answers?",
        "What do non-English customers think?",
    ],
)
def test_what_is_not_said_of_people(question: str) -> None:
    assert found(question) == []


def test_people_who_are_asked_about_are_no_authors_but_those_who_are_asked_are() -> None:
    assert found("What do patients think of the visitors?") == [("role", "patient")]
    assert found("What about visitors?") == [("role", "visitor")]
    assert found("What is the opinion of visitors?") == [("role", "visitor")]


def test_a_group_of_its_own_is_no_part_of_the_phrase() -> None:
    for question in ("What do English-speaking women think?", "What do women in Harbour think?"):
        assert [each.phrase for each in match_groups(question, ATTRIBUTES)] in (
            ["English-speaking"],
            ["Harbour"],
        )


def test_where_a_value_stands_tells_two_names_from_one() -> None:
    attributes = {
        "country": ["United States"],
        "type": ["Couple Leisure"],
        "city": ["New York"],
        "state": ["New York"],
    }
    couples = match_groups("What do American couples think?", attributes)
    assert len({each.at for each in couples}) == 2
    assert len({each.phrase for each in couples}) == 1
    york = match_groups("What do people from New York think?", attributes)
    assert len({each.at for each in york}) == 1


def test_forms_of_a_value() -> None:
    assert set(own_forms("YouTube")) == {("you", "tube"), ("youtube",)}
    assert ("ebike",) in own_forms("e-bike")
    assert pieces("L’Oréal in the U.S.") == ("l", "oreal", "in", "the", "us")
    assert number_words("3") == ("3", "three")
    assert "1980s" in number_words("1980")


def test_a_year_is_no_age_and_a_birth_no_period() -> None:
    assert ages("people born in 1980") is None
    assert find_period("what do listeners born in the 1980s think") == (None, "")
    assert find_period("what do listeners born before 1980 say since 2019")[1] == "since 2019"


@pytest.mark.parametrize(
    ("question", "groups"),
    [
        ("What do residents of Southfield think?", ("residents of Southfield",)),
        ("What do residents of the Old Town think?", ("residents of the Old Town",)),
        ("What do residents of the city think?", ()),
        ("What do listeners born in the 1980s think?", ("listeners born in the 1980s",)),
        ("Are people from Lisbon happy with it?", ("people from Lisbon",)),
        ("Tell me about people from Lisbon and the noise", ("people from Lisbon",)),
        (
            "people from the United Kingdom and the Netherlands",
            ("people from the United Kingdom and the Netherlands",),
        ),
    ],
)
def test_group_phrases(question: str, groups: tuple[str, ...]) -> None:
    assert find_groups(question) == groups


YES_NO = {
    "diabetic": ("yes", "no"),
    "smoker": ("True", "False"),
    "has_children": ("Y", "N"),
    "first_time": ("no", "yes"),
    "recommended": ("yes", "no"),
}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What do diabetic patients think of the food?", [("diabetic", "yes")]),
        ("What do non-diabetic patients think of the food?", [("diabetic", "no")]),
        ("What do patients who are not diabetic say?", [("diabetic", "no")]),
        ("Compare diabetic and non-diabetic patients.", [("diabetic", "yes"), ("diabetic", "no")]),
        ("What do smokers think of the rooms?", [("smoker", "True")]),
        ("What do nonsmokers think of the rooms?", [("smoker", "False")]),
        ("Do guests with children like the pool?", [("has_children", "Y")]),
        ("Do guests without children like the pool?", [("has_children", "N")]),
        ("What do first-time visitors say about the queue?", [("first_time", "yes")]),
        ("What do people say about the smoker lounge?", []),
        ("What do visitors say about the children's menu?", []),
        ("Is the first time experience good?", []),
        ("How many guests recommended the pool?", []),
        ("Yes or no: is the food good?", []),
    ],
)
def test_what_is_answered_with_yes_is_called_by_its_name(question: str, found: list[tuple[str, str]]) -> None:
    assert [(each.attribute, each.value) for each in match_groups(question, YES_NO)] == found


def test_those_without_a_value_are_not_those_with_it() -> None:
    attributes = {"insurance": ("private", "statutory")}
    assert match_groups("What do patients with private insurance say?", attributes)
    assert match_groups("What do patients without private insurance say?", attributes) == ()
