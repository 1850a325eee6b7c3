import random

from hypothesis import given, settings
from hypothesis import strategies as st

from store.enrich.matcher import EntityMatcher, Mention
from store.records import RegistryEntity

REGISTRY = (
    RegistryEntity("room", "room", None, ("room", "bedroom")),
    RegistryEntity("room-service", "room service", "room", ("room service",)),
    RegistryEntity("front-desk", "front desk", None, ("front desk", "reception", "desk")),
    RegistryEntity("wifi", "wifi", None, ("wi fi", "internet")),
    RegistryEntity("facility", "facilities", None, ("facility",)),
    RegistryEntity("cafe", "café", None, ()),
)
MATCHER = EntityMatcher(REGISTRY)


def keys(text: str) -> list[str]:
    return [mention.entity for mention in MATCHER.find(text)]


def test_longest_name_wins_and_nothing_overlaps() -> None:
    assert keys("Room service brought it to the room") == ["room-service", "room"]


def test_plural_singular_and_case() -> None:
    assert keys("ROOMS, Bedrooms; a facility and its Facilities") == ["room", "room", "facility", "facility"]


def test_word_boundaries() -> None:
    assert keys("roommate bathroom deskjet internets") == ["wifi"]


def test_names_stand_together_over_hyphen_and_line_break_but_not_over_a_full_stop() -> None:
    assert keys("front-desk, front\ndesk, Front  Desk") == ["front-desk"] * 3
    assert MATCHER.find("right in front. desk was dirty") == [Mention("front-desk", 16, 20, "desk")]


def test_possessive_and_hyphen_variants() -> None:
    assert keys("the room's wi-fi, the Wi‑Fi, the wi fi") == ["room", "wifi", "wifi", "wifi"]


def test_offsets_where_lower_case_is_longer_than_the_text() -> None:
    text = "İİİ the ROOM — café, CAFE\u0301 😀 wifi"
    found = MATCHER.find(text)
    assert [text[m.start : m.end] for m in found] == [m.form for m in found]
    assert [m.form for m in found][:2] == ["ROOM", "café"]
    assert found[-1].form == "wifi"


def test_decomposed_accents_match_the_composed_name() -> None:
    assert keys("CAFE\u0301") == ["cafe"]


def test_a_name_beats_another_entitys_alias() -> None:
    matcher = EntityMatcher(
        [RegistryEntity("staff", "staff", None, ("service",)), RegistryEntity("service", "service", None, ())]
    )
    assert [m.entity for m in matcher.find("service")] == ["service"]


def test_empty_registry_and_empty_text() -> None:
    assert EntityMatcher([]).find("room") == []
    assert MATCHER.find("") == []
    assert EntityMatcher([RegistryEntity("x", "!?", None, ("...",))]).find("what?! ...") == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["room", " ", "Service", "-", "front", "desk", ".", "é", "İ", "\u0301", "😀", "wi", "fi", "\n"]
        )
    )
)
def test_mentions_are_exact_ordered_and_apart(parts: list[str]) -> None:
    text = "".join(parts)
    end = 0
    for mention in MATCHER.find(text):
        assert mention.start >= end
        assert text[mention.start : mention.end] == mention.form != ""
        end = mention.end


def test_thousands_of_reviews_a_second() -> None:
    import time

    rng = random.Random(0)
    line = "the room was clean but front desk staff and internet were slow today we liked our stay"
    words = line.split()
    texts = [" ".join(rng.choice(words) for _ in range(60)) for _ in range(1000)]
    started = time.process_time()
    for text in texts:
        MATCHER.find(text)
    assert time.process_time() - started < 1.0
