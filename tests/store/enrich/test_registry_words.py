import pytest

from store.enrich.registry_words import lemma, lemmas, slug


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("Rooms", "room"), ("facilities", "facility"), ("dresses", "dress"), ("boxes", "box"), ("movies", "movie"),
        ("shoes", "shoe"), ("buses", "bus"), ("bus", "bus"), ("glass", "glass"), ("staff", "staff"), ("TVs", "tv"),
        ("men", "man"), ("people", "people"), ("menus", "menu"), ("status", "status"), ("this", "this"),
        ("ties", "tie"),
        ("towels", "towel"), ("cafés", "café"), ("s", "s"), ("", ""),
    ],
)  # fmt: skip
def test_lemma(word: str, base: str) -> None:
    assert lemma(word) == base


def test_lemma_is_idempotent_on_common_words() -> None:
    for word in (
        "rooms",
        "facilities",
        "glasses",
        "dresses",
        "movies",
        "boxes",
        "staff",
        "analyses",
        "shelves",
        "classes",
    ):
        assert lemma(lemma(word)) == lemma(word)


def test_lemmas_and_slug() -> None:
    assert lemmas("Front-Desk staff's rooms!") == ("front", "desk", "staff", "s", "room")
    assert slug("Front Desk") == "front-desk"
    assert slug("!!!") == "entity"
