from collections import Counter

import pytest

from store.enrich.terms import Lexis, TermCount, count_terms

LEXIS = Lexis(
    noun={"room": 1.0, "rooms": 1.0, "front": 0.7, "desk": 1.0, "staff": 0.9, "light": 0.6},
    proper={"paris": 0.9, "staff": 0.1},
    adjective={"clean": 0.9, "light": 0.4, "slow": 1.0},
    seen=Counter(
        {"room": 10, "rooms": 10, "front": 9, "desk": 9, "staff": 9, "light": 5, "clean": 5, "slow": 5}
    ),
)


def test_runs_of_nouns_are_counted_by_their_head() -> None:
    terms = count_terms(["the front desk was slow", "Front Desk staff, and the desk"], LEXIS)
    assert terms[("front", "desk")].uses == 1
    assert terms[("desk",)].uses == 2
    assert terms[("front", "desk", "staff")].uses == 1
    assert terms[("staff",)].uses == 1
    assert ("front",) not in terms


def test_singular_and_plural_are_one_term_and_documents_are_counted_once() -> None:
    terms = count_terms(["rooms. Room! room", "a room"], LEXIS)
    term = terms[("room",)]
    assert (term.uses, term.documents) == (4, 2)
    assert term.forms == {"room": 3, "rooms": 1}
    assert term.capitals == 1


@pytest.mark.parametrize(
    ("text", "opinions"),
    [
        ("a clean room", 1),
        ("the room was very clean", 1),
        ("we loved the room", 1),
        ("the room faces the street, clean", 0),
        ("the room on floor two", 0),
        ("clean. The room", 0),
        ("", 0),
    ],
)
def test_an_opinion_must_stand_on_the_noun(text: str, opinions: int) -> None:
    assert count_terms([text], LEXIS)[("room",)].opinions == opinions


def test_words_that_are_half_adjectives_are_no_heads() -> None:
    assert ("light",) not in count_terms(["the light is clean"], LEXIS)


def test_compounds_do_not_cross_punctuation() -> None:
    assert ("front", "desk") not in count_terms(["in front. desk"], LEXIS)


def test_opinion_share_is_shrunk() -> None:
    assert TermCount().opinion_share == pytest.approx(0.2)
    assert TermCount(uses=1000, opinions=500).opinion_share == pytest.approx(0.5, abs=0.01)
