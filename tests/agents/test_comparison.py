"""Which parts a question compares, and what is said of their counts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from agents.comparison import compares, parts_of
from agents.part_counts import difference, part_words
from agents.state import RagState, fresh
from store.receipt import CountAudit, FilterAudit, filter_words, within_words


def state(question: str, **given: Any) -> RagState:
    made: Any = {
        **fresh(question, "a", "", {}),
        "entity_ids": [7],
        "entities": [{"name": "food", "key": "food"}],
    }
    return made | given


def group(name: str, value: str, phrase: str) -> dict[str, Any]:
    return {"name": name, "value": value, "phrase": phrase, "documents": 3}


CONTEXT: Any = SimpleNamespace(entity_ids=lambda: {}, entities=lambda: [])


def test_values_named_one_by_one_are_parts() -> None:
    filters = [group("city", c, "guests from Lisbon and Porto") for c in ("Lisbon", "Porto")]
    parts = parts_of(state("Do guests from Lisbon and Porto differ on the food?", filters=filters), CONTEXT)
    assert [part.name for part in parts] == ["Lisbon", "Porto"]
    assert [part.where.attributes for part in parts] == [(("city", ("Lisbon",)),), (("city", ("Porto",)),)]
    assert {part.entity_ids for part in parts} == {(7,)}


def test_people_of_two_countries_are_parts() -> None:
    filters = [group("country", c, "British and Australian guests") for c in ("United Kingdom", "Australia")]
    parts = parts_of(state("What do British and Australian guests think?", filters=filters), CONTEXT)
    assert [part.name for part in parts] == ["United Kingdom", "Australia"]


def test_values_of_one_phrase_are_one_part() -> None:
    filters = [group("age", a, "guests over 45") for a in ("46-60", "61+")]
    assert parts_of(state("What do guests over 45 think?", filters=filters), CONTEXT) == []


def test_two_entities_are_parts_and_filters_stay() -> None:
    two = [{"name": n, "key": n} for n in ("food", "staff")]
    given = state(
        "How are food and staff?", entities=two, entity_ids=[7, 8], filters=[group("city", "Porto", "p")]
    )
    parts = parts_of(given, CONTEXT)
    assert [(part.name, part.entity_ids) for part in parts] == [("food", (7,)), ("staff", (8,))]
    assert all(part.where.attributes == (("city", ("Porto",)),) for part in parts)


@pytest.mark.parametrize(
    ("question", "period", "spans"),
    [
        ("Did the food change since 2023?", ["2023-01-01", "9999-12-31"], [("", "2022-12-31"), ("2023-01-01", "")]),
        ("Was the food better in 2022 or 2024?", ["2022-01-01", "2022-12-31"],
         [("2022-01-01", "2022-12-31"), ("2024-01-01", "2024-12-31")]),
        ("Was it better before 2023?", ["0001-01-01", "2022-12-31"], [("", "2022-12-31"), ("2023-01-01", "")]),
        ("How was the food in 2023?", ["2023-01-01", "2023-12-31"], []),
        ("Were staff friendlier in 2013 than in 2015?", ["2013-01-01", "2013-12-31"],
         [("2013-01-01", "2013-12-31"), ("2015-01-01", "2015-12-31")]),
        ("How was the food between 2013 and 2015?", ["2013-01-01", "2015-12-31"], []),
        ("Did the food change?", [], []),
    ],
)  # fmt: skip
def test_periods(question: str, period: list[str], spans: list[tuple[str, str]]) -> None:
    found = parts_of(state(question, period=period), CONTEXT)
    assert [(part.where.since, part.where.until) for part in found] == spans


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Are the showers better than the food?", True),
        ("Lisbon vs Porto", True),
        ("Which lounge is better, Singapore or Sydney?", True),
        ("Which dishes do they like?", False),
        ("Is the staff friendlier than the reception?", True),
        ("Who rated it more than 3 stars?", False),
        ("Is it better than expected?", False),
        ("What do people think of the different dishes?", False),
    ],
)
def test_words_that_compare(question: str, expected: bool) -> None:
    assert compares(question) is expected


def counted(held: int, positive: int, negative: int, total: int = 50) -> tuple[CountAudit, ...]:
    def audit(value: int, of: int) -> CountAudit:
        return CountAudit(
            label="", value=value, total=of, share=value / of if of else 0.0, sql="", part="Lisbon"
        )

    return audit(held, total), audit(positive, held), audit(negative, held)


def test_a_part_in_words() -> None:
    assert part_words("Lisbon", counted(21, 12, 6)) == (
        "Lisbon: 21 documents with a view (of 50), 57 % positive (12), 14 % neutral or mixed (3), "
        "29 % negative (6); positive 37-76 % with 95 % confidence"
    )
    assert part_words("Porto", counted(1, 1, 0)).endswith(
        "1 document with a view (of 50), 100 % positive (1), 0 % neutral or mixed (0), 0 % negative (0); "
        "too few to tell"
    )
    assert part_words("Faro", counted(0, 0, 0)) == "Faro: 0 documents with a view (of 50)"


def test_the_interval_of_a_difference() -> None:
    """Newcombe (1998), table II: 56/70 against 48/80 gives .20 [.0524, .3339]."""
    assert difference((56, 70), (48, 80)) == pytest.approx((0.2, 0.0524, 0.3339), abs=2e-4)


def test_limits_in_words() -> None:
    def made(*pairs: tuple[str, str]) -> list[FilterAudit]:
        return [FilterAudit(name=name, value=value, phrase="", documents=1) for name, value in pairs]

    both = made(
        ("rating", ">= 4"), ("city", "Lisbon"), ("city", "Porto"), ("period", "2023-01-01..9999-12-31")
    )
    assert filter_words(both) == "city = Lisbon or Porto, rated 4 or more, dated from 2023-01-01 on"
    assert within_words(both[:2]) == " within city = Lisbon, rated 4 or more"
    assert within_words(made(("rating", "5"))) == " rated 5"
    assert within_words([]) == ""
    assert [filter_words(made(("rating", v))) for v in ("< 3", "<= 2", "> 4", "2..4")] == [
        "rated below 3", "rated 2 or less", "rated above 4", "rated 2 to 4",
    ]  # fmt: skip
    spans = ("0001-01-01..2022-12-31", "2022-05-01..2022-05-01", "2022-01-01..2022-12-31")
    assert [each.words for each in made(*(("period", s) for s in spans))] == [
        "dated until 2022-12-31", "dated 2022-05-01", "dated 2022-01-01 to 2022-12-31",
    ]  # fmt: skip
