"""People who are asked, and people who are asked about."""

from __future__ import annotations

import pytest

from store.enrich.linking import link
from store.enrich.question_people import is_asked, is_topic, judges, tells_who
from store.records import RegistryEntity

NAMES = (
    "music",
    "guests",
    "host",
    "staff",
    "wifi",
    "drivers",
    "passengers",
    "seats",
    "doctor",
    "nurses",
    "players",
    "coach",
)
PODCAST = tuple(RegistryEntity(name, name, None, ()) for name in NAMES)


def linked(question: str) -> list[str]:
    return sorted(link(question, PODCAST, {}).entities)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do people think of the music and the guests?", ["guests", "music"]),
        ("What do people think of the guests and the music?", ["guests", "music"]),
        ("What do users think of drivers and seats?", ["drivers", "seats"]),
        ("Are people happy with the wifi and the staff?", ["staff", "wifi"]),
        ("What do people say about the host, the guests and the music?", ["guests", "host", "music"]),
        ("Compare the host and the guests", ["guests", "host"]),
        ("Guests or host, who is better?", ["guests", "host"]),
        ("Are the guests better than the host?", ["guests", "host"]),
        ("How do the guests compare with the host?", ["guests", "host"]),
        ("What annoys people more, the guests or the music?", ["guests", "music"]),
        ("Do people prefer the guests or the host?", ["guests", "host"]),
        ("What about the music and the guests?", ["guests", "music"]),
        ("What do passengers think of the seats?", ["seats"]),
        ("What do guests say about the staff and the wifi?", ["staff", "wifi"]),
        ("Compare guests and staff on the wifi", ["staff", "wifi"]),
        ("Are guests happy with the wifi?", ["wifi"]),
        ("How many guests complain about the wifi?", ["wifi"]),
        ("the opinions of guests on the wifi", ["wifi"]),
        ("the opinions of the guests", ["guests"]),
        ("Is the wifi good for guests?", ["wifi"]),
        ("What do guests of the host think of the staff?", ["staff"]),
        ("What do drivers think of the seats?", ["seats"]),
        ("What do doctors and nurses think of the wifi?", ["wifi"]),
        ("What do the PS5 players think of the coach and the players?", ["coach", "players"]),
        ("What do players think?", ["players"]),
        ("How do the seats feel?", ["seats"]),
    ],
)
def test_links_of_people_words(question: str, expected: list[str]) -> None:
    assert linked(question) == expected


def test_people_beside_an_entity_who_are_none_are_said() -> None:
    found = link("What do people say about the doctor and the patients?", PODCAST, {})
    assert found.entities == ("doctor",)
    assert found.caveat == "`patients` is no entity of this corpus: left out"
    assert link("What do patients say about the doctor and the nurses?", PODCAST, {}).caveat == ""


@pytest.mark.parametrize(
    ("question", "asked", "topic"),
    [
        ("What do nurses think of it?", True, False),
        ("What do people think of the nurses?", False, True),
        ("What do people think of the doctor and the nurses?", False, True),
        ("Are nurses happy with it?", True, False),
        ("Are the nurses friendly?", False, False),
        ("According to nurses, is it good?", True, False),
        ("What is the opinion of nurses on it?", True, False),
        ("What is the opinion of the nurses?", False, False),
        ("How many nurses complain?", True, False),
        ("Problems with the nurses?", False, True),
        ("What about nurses?", False, False),
        ("Do nurses listen?", False, False),
    ],
)
def test_who_is_asked(question: str, asked: bool, topic: bool) -> None:
    start = question.index("nurses")
    assert is_asked(question, start, start + 6) is asked
    assert is_topic(question, start, start + 6) is topic


def test_what_about_is_a_topic_only_widely() -> None:
    for question in ("What about nurses?", "What is the opinion of the nurses?"):
        start = question.index("nurses")
        assert is_topic(question, start, start + 6, widely=True)


def test_who_judges_is_no_thing() -> None:
    for question, thing in (
        ("What do the seats think of it?", "seats"),
        ("Do old drivers agree?", "drivers"),
    ):
        start = question.index(thing)
        assert judges(question, start, start + len(thing))
    for question in (
        "How do the seats feel?",
        "What is the bed like?",
        "What do people think of seats like these?",
    ):
        start = question.index("bed" if "bed" in question else "seats")
        assert not judges(question, start, start + 3)


def test_a_place_tells_who_and_a_verb_does_not() -> None:
    assert tells_who("What do guests of the ")
    assert tells_who("Did people who stayed in the ")
    assert not tells_who("What do people think of the ")
    assert not tells_who("Are people happy with the ")
