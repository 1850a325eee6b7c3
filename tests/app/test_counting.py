"""Questions on two small corpora, a restaurant's with ratings and a city's without: counts, limits, absent things."""

from __future__ import annotations

import asyncio
import csv
from typing import Any

import pytest

from app.bootstrap import Parts
from app.cli.main import main
from app.service import Service
from app.settings import load_settings

RESTAURANT = [
    ("Ana", "Lisbon", 5, "2025-07-03", "The pizza was delicious and the waiter was friendly."),
    ("Ana", "Lisbon", 4, "2025-03-09", "The pizza is great. The waiter was lovely."),
    ("Ben", "Lisbon", 2, "2024-02-11", "The waiter was rude, and the prices are too high."),
    ("Cat", "Porto", 1, "2024-05-20", "The prices are outrageous. The pizza was awful."),
    ("Dan", "Porto", 5, "2025-08-01", "The waiter was wonderful and the pizza was perfect."),
    ("Eva", "Porto", 3, "2025-03-15", "The prices are fair. We missed the sea view from the balcony."),
    ("Fay", "Faro", 5, "2024-01-04", "Lovely pizza! The waiter made us laugh. Great prices."),
    (
        "Gil",
        "Faro",
        1,
        "2025-03-30",
        "The waiter ignored us, the pizza was cold and bad, the prices are terrible.",
    ),
]
CITY = [
    ("resident", "North", "2024-03-02", "I strongly support the tram. The bike lanes are a great idea."),
    ("resident", "North", "2024-03-09", "I am against the tram. The bike lanes are dangerous."),
    ("resident", "South", "2024-05-01", "I love the bike lanes. The tram is too expensive."),
    ("shop owner", "North", "2024-08-08", "The tram is a terrible idea, and the bike lanes are awful."),
    ("shop owner", "South", "2025-01-17", "I am against the bike lanes. The tram is bad for us."),
    ("commuter", "South", "2025-02-02", "The tram is wonderful. Parking is impossible, the parking is bad."),
    ("commuter", "Castle", "2025-03-03", "The tram is great. The parking is awful and the park is lovely."),
    ("commuter", "Castle", "2025-04-04", "The bike lanes are excellent, and the parking is too expensive."),
]
MUSEUM = [
    ("Germany", "18-29", "The cafe is lovely."),
    ("Germany", "65+", "The cafe was awful."),
    ("France", "18-29", "A great cafe, and the staff are friendly."),
    ("", "65+", "The staff were rude, the cafe is good."),
]
WARES = [
    ("Nokia 6610", "The nokia has a great screen. The battery is excellent."),
    ("Nokia 6610", "The battery is bad. My nokia is a great phone."),
    ("Nokia 6610", "Nokia made a terrible phone, and the battery died."),
    ("Nikon Coolpix 4300", "The nikon takes great pictures. The battery is poor."),
    ("Nikon Coolpix 4300", "A lovely camera, the nikon. The screen is small and bad."),
    ("Nikon Coolpix 4300", "The scroll bar is awful and the battery is great."),
]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("counting")
    made: dict[str, tuple[list[str], list[Any], list[str]]] = {
        "rest": (["author", "city", "rating", "date", "text"], RESTAURANT, ["city"]),
        "town": (["role", "ward", "date", "text"], CITY, ["role", "ward"]),
        "wares": (["subject", "text"], WARES, []),
        "museum": (["country", "age_band", "text"], MUSEUM, ["country", "age_band"]),
    }
    for name, (columns, rows, attributes) in made.items():
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *rows])
        base = ["--workspace", str(folder / "workspace"), "--corpus", name, "--quiet"]
        maps = [f"{column}={column}" for column in columns if column not in attributes]
        options = [part for each in maps for part in ("--map", each)]
        options += [part for each in attributes for part in ("--attribute", f"{each}={each}")]
        assert main([*base, "ingest", str(path), *options]) == 0
        assert main([*base, "enrich"]) == 0
    settings, project = load_settings(None, {"workspace": str(folder / "workspace")})
    built = Parts(settings, project)
    yield built
    built.close()


def ask(parts: Parts, corpus: str, question: str, thread: str | None = None) -> Any:
    """Return the receipt of a question."""

    async def last() -> Any:
        found = None
        async for event in Service(parts).ask(question, corpus, thread=thread, options={"k": 4}):
            found = event
        return found

    return asyncio.run(last()).receipt


@pytest.mark.parametrize(
    ("corpus", "question", "value", "total"),
    [
        ("rest", "How many reviews are from Lisbon?", 3, 8),
        ("rest", "How many reviews were written after June 2025?", 2, 8),
        ("rest", "How many reviews were submitted in March 2025?", 3, 8),
        ("rest", "How many comments were received in the first half of 2024?", 3, 8),
        ("rest", "How many reviews gave 5 stars?", 3, 8),
        ("rest", "What percentage of reviews gave fewer than 3 stars?", 3, 8),
        ("rest", "How many guests from Porto gave 5 stars?", 1, 3),
        ("rest", "How many authors are there?", 7, 7),
        ("rest", "How many reviews are there?", 8, 8),
        ("town", "How many comments are from residents of the North ward?", 2, 8),
        ("town", "How many comments were written in March 2024?", 2, 8),
    ],
)
def test_counts_by_group_period_and_rating(
    parts: Parts, corpus: str, question: str, value: int, total: int
) -> None:
    receipt = ask(parts, corpus, question)
    assert receipt.route.kind == "counting"
    assert receipt.unmatched == ""
    assert (receipt.counts[0].value, receipt.counts[0].total) == (value, total)
    assert not receipt.degradations


def test_people_are_documents_where_no_author_is_named(parts: Parts) -> None:
    receipt = ask(parts, "town", "How many shop owners commented?")
    assert (receipt.counts[0].value, receipt.counts[0].total) == (2, 8)
    assert any("names its author" in each.reason for each in receipt.degradations)


def test_the_base_of_a_side_is_named(parts: Parts) -> None:
    counted = ask(parts, "rest", "How many people from Lisbon complained about the waiter?").counts[0]
    assert (counted.value, counted.total) == (1, 3)
    assert counted.base.startswith("documents with a view on waiter")
    assert "Lisbon" in counted.base


def test_two_limits_both_hold(parts: Parts) -> None:
    receipt = ask(parts, "town", "How many residents of the North ward are against the bike lanes?")
    assert {(item.name, item.value) for item in receipt.filters} == {("role", "resident"), ("ward", "North")}
    assert (receipt.counts[0].value, receipt.counts[0].total) == (1, 2)


def test_a_limit_that_cannot_hold_is_said_in_the_answer(parts: Parts) -> None:
    counted = ask(parts, "town", "How many left-handed residents are against the tram?").counts[0]
    assert "not restricted to" in counted.label
    assert "handed" in counted.label


@pytest.mark.parametrize("question", ["How many reviews gave 5 stars?", "What is the average rating?"])
def test_ratings_that_no_document_carries_are_not_counted(parts: Parts, question: str) -> None:
    counted = ask(parts, "town", question).counts[0]
    assert counted.value == 0
    assert "no document of this corpus carries a rating" in counted.label


def test_the_mean_rating_comes_from_sql(parts: Parts) -> None:
    counted = ask(parts, "rest", "What is the average rating in Lisbon?").counts[0]
    assert (counted.value, counted.total) == (3, 3)
    assert "on average 3.67" in counted.label  # 5, 4, 2
    assert "avg(documents.rating)" in counted.sql


@pytest.mark.parametrize(
    ("corpus", "question", "topic"),
    [
        ("rest", "What do people think about the weather?", "weather"),
        ("rest", "What do guests think of the parking?", "parking"),
        ("town", "What do residents say about the school?", "school"),
        ("town", "How many people mention the airport?", "airport"),
    ],
)
def test_an_absent_thing_is_said_to_be_absent(parts: Parts, corpus: str, question: str, topic: str) -> None:
    receipt = ask(parts, corpus, question)
    assert receipt.entities == ()
    assert receipt.unmatched == topic
    assert not receipt.counts


@pytest.mark.parametrize(
    ("corpus", "question", "topic"),
    [
        ("town", "What do people think about the park?", "park"),
        ("rest", "What do people think about the balcony?", "balcony"),
    ],
)
def test_what_only_documents_name_is_taken_from_them(
    parts: Parts, corpus: str, question: str, topic: str
) -> None:
    receipt = ask(parts, corpus, question)
    assert receipt.entities == ()
    assert any(f"`{topic}` is no entity of this corpus" in each.reason for each in receipt.degradations)
    assert len(receipt.ranking) == 1


@pytest.mark.parametrize(
    ("corpus", "question", "value", "total", "said"),
    [
        ("town", "How many comments mention the park?", 1, 8, "documents that mention park"),
        ("rest", "How many guests from Porto complained about the balcony?", 1, 3, "is not known"),
    ],
)
def test_mentions_of_what_is_no_entity_are_counted(
    parts: Parts, corpus: str, question: str, value: int, total: int, said: str
) -> None:
    receipt = ask(parts, corpus, question)
    assert (receipt.counts[0].value, receipt.counts[0].total) == (value, total)
    assert said in receipt.counts[0].label
    assert any("is no entity of this corpus" in each.reason for each in receipt.degradations)


@pytest.mark.parametrize(
    ("question", "subject", "entities"),
    [
        ("What do people think of the Nokia 6610?", "Nokia 6610", ()),
        ("What do people say about the Nikon Coolpix?", "Nikon Coolpix 4300", ()),
        ("What do people say about the battery of the Nokia 6610?", "Nokia 6610", ("battery",)),
    ],
)
def test_a_product_asks_for_all_its_documents(
    parts: Parts, question: str, subject: str, entities: tuple[str, ...]
) -> None:
    receipt = ask(parts, "wares", question)
    assert [(item.name, item.value, item.documents) for item in receipt.filters] == [("subject", subject, 3)]
    assert tuple(item.name for item in receipt.entities) == entities
    assert receipt.unmatched == ""


def test_documents_of_a_product_are_counted(parts: Parts) -> None:
    counted = ask(parts, "wares", "How many reviews are about the Nokia 6610?").counts[0]
    assert (counted.value, counted.total) == (3, 6)


def test_a_single_mention_far_from_the_question_is_quoted(parts: Parts) -> None:
    assert "scroll bar" in ask(parts, "wares", "What do people think about the bar?").answer


def test_a_count_of_everything_inherits_no_topic(parts: Parts) -> None:
    assert ask(parts, "rest", "What do people think about the pizza?", thread="talk").entities
    counted = ask(parts, "rest", "How many reviews are there?", thread="talk").counts[0]
    assert (counted.value, counted.total) == (8, 8)


@pytest.mark.parametrize(
    ("corpus", "question", "value", "total", "label"),
    [
        # Ben, Cat, Eva, Fay and Gil speak of the prices; Fay and Eva do not complain.
        (
            "rest",
            "How many people did not complain about the prices?",
            2,
            5,
            "without a negative view on prices",
        ),
        ("rest", "How many people did not praise the waiter?", 2, 6, "without a positive view on waiter"),
        ("rest", "How many reviews do not mention the prices?", 3, 8, "without a view on prices"),
        ("rest", "How many guests from Porto don't mention the waiter?", 2, 3, "without a view on waiter"),
        ("rest", "How many did not like the waiter?", 2, 6, "with a negative view on waiter"),
        ("town", "How many comments do not mention the park?", 7, 8, "that do not mention park"),
    ],
)
def test_a_negated_count_is_of_the_rest(
    parts: Parts, corpus: str, question: str, value: int, total: int, label: str
) -> None:
    counted = ask(parts, corpus, question).counts[0]
    assert (counted.value, counted.total) == (value, total)
    assert counted.label == f"documents {label}"


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("How many reviews mention the pizza but not the waiter?", "not"),
        ("How many reviews mention neither the pizza nor the waiter?", "neither"),
        ("How many guests never praise the waiter?", "never"),
        ("How many guests are not from Lisbon?", "not"),
    ],
)
def test_a_negation_that_no_count_stands_for_is_said(parts: Parts, question: str, word: str) -> None:
    receipt = ask(parts, "rest", question)
    assert word in receipt.counts[0].label.split("cannot tell: ")[1]
    assert any(f"takes no account of: {word}" in each.reason for each in receipt.degradations)


@pytest.mark.parametrize(
    ("corpus", "question", "value", "total"),
    [
        ("rest", "What share of guests is from Lisbon?", 3, 8),
        ("rest", "How many visitors come from Porto?", 3, 8),
        ("rest", "How many customers live in Faro?", 2, 8),
        ("town", "What percentage of people comes from the Castle ward?", 2, 8),
    ],
)
def test_people_stand_for_the_documents_that_they_wrote(
    parts: Parts, corpus: str, question: str, value: int, total: int
) -> None:
    receipt = ask(parts, corpus, question)
    assert receipt.route.kind == "counting"
    assert (receipt.counts[0].value, receipt.counts[0].total) == (value, total)
    assert not receipt.degradations


def test_a_count_over_two_things_says_that_they_are_taken_together(parts: Parts) -> None:
    counted = ask(parts, "rest", "How many people praise the pizza and the waiter?").counts[0]
    assert counted.label == "documents with a positive view on pizza and waiter together"
    assert counted.base == "documents with a view on pizza or waiter"
    assert (
        ask(parts, "rest", "How many reviews mention the pizza and the waiter?")
        .counts[0]
        .label.endswith("pizza or waiter")
    )


@pytest.mark.parametrize(
    ("question", "unheard"),
    [
        ("What do people think of the pizza in March?", "in March"),
        ("What do people think of the pizza in Spain?", "in Spain"),
        ("What do guests not from Lisbon think of the pizza?", "not from Lisbon"),
        ("What do non-German guests think of the pizza?", "non-German"),
        ("What do guests of unknown city think of the pizza?", "unknown city"),
    ],
)
def test_a_limit_that_views_are_not_restricted_to_is_said(parts: Parts, question: str, unheard: str) -> None:
    receipt = ask(parts, "rest", question)
    assert receipt.filters == ()
    assert [item.name for item in receipt.entities] == ["pizza"]
    assert f"the answer takes no account of: {unheard}" in [each.reason for each in receipt.degradations]


def test_a_limit_that_views_are_restricted_to_needs_no_word(parts: Parts) -> None:
    receipt = ask(parts, "rest", "What do guests from Lisbon think of the pizza in March 2025?")
    assert not any("no account" in each.reason for each in receipt.degradations)


def test_documents_without_a_value_are_counted(parts: Parts) -> None:
    receipt = ask(parts, "museum", "How many reviews have no country?")
    assert (receipt.counts[0].value, receipt.counts[0].total) == (1, 4)
    assert receipt.counts[0].label == "documents that tell no country"
    assert not receipt.degradations


def test_ages_are_said_of_people_in_many_words(parts: Parts) -> None:
    for question in ("How many visitors are over 65?", "How many guests are aged 65 and over?"):
        counted = ask(parts, "museum", question).counts[0]
        assert (counted.value, counted.total) == (2, 4), question
    for question in (
        "What do 18-29 year olds think of the cafe?",
        "What do 18-29-year-olds think of the cafe?",
    ):
        assert [item.value for item in ask(parts, "museum", question).filters] == ["18-29"], question


def test_words_that_were_counted_are_not_said_to_be_left_out(parts: Parts) -> None:
    for question in (
        "Which country is happiest with the cafe?",
        "How many visitors liked one thing about the cafe?",
    ):
        assert not any("no account" in each.reason for each in ask(parts, "museum", question).degradations)
