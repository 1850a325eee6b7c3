"""Values and names that stand in a question and in no filter."""

from __future__ import annotations

import pytest

from agents.models.router_match import GroupFilter
from agents.models.router_unheard import people_with, unknown_groups, unused_qualifiers, unused_values

ATTRIBUTES = {
    "platform": ["YouTube", "Apple", "other"],
    "district": ["Harbour", "Old Town"],
    "insurance": ["private"],
    "site": ["Main"],
    "household": ["3"],
}


@pytest.mark.parametrize(
    ("question", "heard", "said"),
    [
        ("What do people think of the music on YouTube?", ["music"], ("on YouTube",)),
        ("what do people think of the music on youtube?", ["music"], ("on youtube",)),
        ("What do people think of the YouTube music?", ["music"], ("YouTube",)),
        ("On YouTube, what do people think of the music?", ["music"], ("On YouTube",)),
        ("What do people think of the noise in the Old Town?", ["noise"], ("in the Old Town",)),
        ("Is it loud in Harbour, and on YouTube?", [], ("in Harbour", "on YouTube")),
        ("What do people say about YouTube?", ["YouTube"], ()),
        ("What do people on YouTube think?", ["people on YouTube"], ()),
        ("What is the main problem with other people?", [], ()),
        ("Is there a private room in general?", [], ()),
        ("What do people think of apple pie?", [], ()),
        ("What Do People Think Of The Main Noise?", [], ()),
        ("What are the 3 worst things?", [], ()),
    ],
)
def test_unused_values(question: str, heard: list[str], said: tuple[str, ...]) -> None:
    assert unused_values(question, ATTRIBUTES, heard) == said


@pytest.mark.parametrize(
    ("question", "heard", "groups"),
    [
        ("What do Deezer users think of it?", [], ["Deezer users"]),
        ("What do users of Deezer think of it?", [], ["users of Deezer"]),
        ("What do people on the Nokia 6610 think?", [], ["people on the Nokia 6610"]),
        ("What do people who speak French think?", [], ["people who speak French"]),
        ("What do French speaking patients think?", [], ["French speaking patients"]),
        ("What do iPad owners think of it?", [], ["iPad owners"]),
        ("What do Deezer users think of it?", ["Deezer"], []),
        ("What do people in March say?", [], []),
        ("What do users of the App think?", [], []),
        ("Do people use Deezer?", [], []),
        ("Can you say why it bothers that Nokia?", [], []),
        ("What Do Happy Users Think?", [], []),
        ("Users think what?", [], []),
    ],
)
def test_unknown_groups(question: str, heard: list[str], groups: list[str]) -> None:
    assert [question[a:b] for a, b in unknown_groups(question, heard)] == groups


@pytest.mark.parametrize(
    ("question", "groups"),
    [
        ("What do patients without diabetes think of the food?", ["patients without diabetes"]),
        ("What do people with a disability say about access?", ["people with a disability"]),
        ("Do guests with small children like the pool?", ["guests with small children"]),
        ("Do people with the premium plan like the support?", ["people with the premium plan"]),
        ("What do visitors without tickets complain about?", ["visitors without tickets"]),
        ("Do customers with it complain?", []),
        ("What problems do people have with the app?", []),
        ("Are guests happy with the breakfast?", []),
        ("Is the staff friendly to people with prams?", []),
        ("Do people agree with the council?", []),
        ("What about people with?", []),
    ],
)
def test_people_with(question: str, groups: list[str]) -> None:
    assert [question[a:b] for a, b in people_with(question)] == groups


@pytest.mark.parametrize(
    ("question", "phrase", "said"),
    [
        ("What do young people from Harbour think?", "young people from Harbour", ("young",)),
        ("What do young Harbour residents think?", "Harbour", ("young",)),
        ("What do women from Harbour think?", "women from Harbour", ("women",)),
        ("What do German residents of Harbour think?", "German residents of Harbour", ("German",)),
        ("What do people from Harbour think?", "people from Harbour", ()),
        ("What do the people of Harbour think?", "people of Harbour", ()),
    ],
)
def test_unused_qualifiers(question: str, phrase: str, said: tuple[str, ...]) -> None:
    assert unused_qualifiers(question, [GroupFilter("district", "Harbour", phrase)]) == said


def test_a_qualifier_that_a_filter_stands_for_is_used() -> None:
    tied = [GroupFilter("cabin", "Business Class", "Business class passengers")]
    assert unused_qualifiers("What do Business class passengers think?", tied) == ()
