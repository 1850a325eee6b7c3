"""Questions for counts by value on a real workspace: the first value, all of them, and what cannot be told."""

from __future__ import annotations

import asyncio
import csv
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import Parts
from app.cli.main import main
from app.service import Service
from app.settings import load_settings

#: City -> documents with a view on the staff, and how many of them are negative. Eight are too few.
CITIES = {"Lisbon": (60, 24), "Porto": (24, 18), "Faro": (8, 8), "Braga": (40, 4), "": (5, 0)}
#: Year -> documents on the breakfast, and how many of them are positive.
YEARS = {2022: (30, 6), 2023: (30, 12), 2024: (30, 20), 2025: (30, 27)}


def rows() -> list[tuple[str, str, str, int, str]]:
    """(city, hotel, date, rating, text); views on the staff first, then those on the breakfast."""
    made = []
    for city, (n, negative) in CITIES.items():
        for i in range(n):
            said = "The staff was rude." if i < negative else "The staff was friendly."
            made.append((city, "Inn" if i % 2 else "Grand", "2021-05-01", 2 if i < negative else 4, said))
    for year, (n, positive) in YEARS.items():
        for i in range(n):
            said = "The breakfast was delicious." if i < positive else "The breakfast was awful."
            city = "Braga" if i < 20 else "Lisbon"
            made.append((city, "Lodge", f"{year}-{i % 12 + 1:02d}-15", 5 if i < positive else 1, said))
    made += [("Braga", "Lodge", "2021-06-01", 3, "On the balcony we saw the look of old times.")] * 3
    return [(*row[:-1], f"{row[-1]} Visit number {i}.") for i, row in enumerate(made)]


ROWS = rows()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("breakdowns")
    path = folder / "stays.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["city", "hotel", "date", "rating", "text"], *ROWS])
    base = ["--workspace", str(folder / "workspace"), "--corpus", "stays", "--quiet"]
    maps = ["text=text", "date=date", "rating=rating", "subject=hotel"]
    options = [part for each in maps for part in ("--map", each)]
    assert main([*base, "ingest", str(path), *options, "--attribute", "city=city"]) == 0
    assert main([*base, "enrich"]) == 0
    return folder / "workspace"


@pytest.fixture(scope="module")
def parts(workspace: Path) -> Any:
    settings, project = load_settings(None, {"workspace": str(workspace)})
    built = Parts(settings, project)
    yield built
    built.close()


def ask(parts: Parts, question: str, **options: Any) -> Any:
    """Return the receipt of a question."""

    async def last() -> Any:
        found = None
        async for event in Service(parts).ask(question, "stays", options={"k": 4, **options}):
            found = event
        return found

    return asyncio.run(last()).receipt


def told(receipt: Any) -> dict[str, tuple[int, int]]:
    """Return value -> (count, total) of the counts by value."""
    return {each.part: (each.value, each.total) for each in receipt.counts if each.part}


def test_most_complaints_by_number_and_by_share(parts: Parts) -> None:
    receipt = ask(parts, "Which city has the most complaints about the staff?")
    assert (receipt.route.kind, receipt.route.side) == ("counting", "negative")
    assert [each.name for each in receipt.entities] == ["staff"]
    assert "By number: Lisbon has the most negative views on staff: 24 of 60 documents" in receipt.answer
    assert "Next: Porto, 18 of 24 (75 %, 55-88 %); the lead is no more than chance." in receipt.answer
    assert "By share: Porto has the largest share of negative views on staff: 18 of 24" in receipt.answer
    assert "Faro" not in receipt.answer
    assert "1 with fewer than 10 documents with a view on staff: too few to tell." in receipt.answer
    assert told(receipt) == {"Lisbon": (24, 60), "Porto": (18, 24), "Braga": (4, 40)}
    assert "5 of 260 documents tell no city." in receipt.answer
    assert "In all: 54 of 137 documents with a view on staff" in receipt.answer
    assert not receipt.degradations


@pytest.mark.parametrize(
    "question",
    ["Which city has the most guests?", "Which city do most visitors come from?", "Visitors by city"],
)
def test_people_are_counted_by_the_documents_that_they_wrote(parts: Parts, question: str) -> None:
    receipt = ask(parts, question)
    assert receipt.route.kind == "counting"
    assert "Documents by city, largest first:\n- Braga: 123 of 255 (48 %)" in receipt.answer
    assert not receipt.degradations


def test_superlatives_that_name_the_side_are_counted(parts: Parts) -> None:
    assert not ask(parts, "Which city is happiest with the staff?").degradations


def test_the_statement_in_the_receipt_gives_the_counts(parts: Parts, workspace: Path) -> None:
    receipt = ask(parts, "Which city has the most complaints about the staff?")
    (statement,) = {each.sql for each in receipt.counts if each.part}
    with sqlite3.connect(workspace / "evenhand.db") as database:
        cursor = database.execute(statement)
        names = [column[0] for column in cursor.description]
        found = {row[0]: dict(zip(names, row, strict=True)) for row in cursor}
    for city, (value, total) in told(receipt).items():
        assert (found[city]["negative"], found[city]["held"]) == (value, total)
    assert (found["Faro"]["negative"], found["Faro"]["held"]) == (8, 8)


def test_the_best_rated_hotel(parts: Parts) -> None:
    receipt = ask(parts, "which hotel is rated best")
    means = {}
    for hotel in ("Grand", "Inn", "Lodge"):
        ratings = [rating for _, of, _, rating, _ in ROWS if of == hotel]
        means[hotel] = (sum(ratings) / len(ratings), len(ratings))
    best = max(means, key=lambda hotel: means[hotel][0])
    assert receipt.answer.startswith(f"{best} has the highest mean rating: {means[best][0]:.2f} (")
    assert f"{means[best][1]} documents" in receipt.answer
    assert {each.part for each in receipt.counts if each.part} == set(means)


def test_a_change_by_year(parts: Parts) -> None:
    receipt = ask(parts, "How did opinions on the breakfast change per year?")
    assert receipt.answer.startswith("On a straight line the positive share rises by ")
    assert "): more than chance.\n" in receipt.answer
    for year, (n, positive) in YEARS.items():
        assert (
            f"- {year}: {n} documents with a view (of {n}), {round(100 * positive / n)} % positive"
            in receipt.answer
        )
    sides = [(each.part, each.value, each.total) for each in receipt.counts if each.part]
    assert sides[:4] == [("2021", 0, 0), ("2021", 0, 0), ("2022", 6, 30), ("2022", 24, 30)]
    assert sides[-2:] == [("2025", 27, 30), ("2025", 3, 30)]


def test_periods_may_hold_too_few_to_tell(parts: Parts) -> None:
    receipt = ask(parts, "How did opinions on the breakfast change per month in 2022?")
    (line,) = [each for each in receipt.answer.splitlines() if each.startswith("- 2022-01: ")]
    assert line.startswith("- 2022-01: 3 documents with a view (of 3)")
    assert line.endswith("; too few to tell")


def test_the_distribution_of_ratings(parts: Parts) -> None:
    receipt = ask(parts, "What is the distribution of ratings in Braga?")
    ratings = [rating for city, _, _, rating, _ in ROWS if city == "Braga"]
    assert told(receipt) == {
        str(stars): (ratings.count(stars), len(ratings)) for stars in sorted(set(ratings))
    }
    assert "on average" in receipt.answer


def test_each_rating_of_a_list_is_counted(parts: Parts) -> None:
    receipt = ask(parts, "how many 1, 2, 3, 4 and 5 star reviews are there?")
    ratings = [row[3] for row in ROWS]
    assert receipt.filters == ()
    assert told(receipt) == {str(s): (ratings.count(s), len(ROWS)) for s in (1, 2, 3, 4, 5)}


def test_documents_by_value(parts: Parts) -> None:
    receipt = ask(parts, "Which city wrote the most 1 star reviews?")
    of_one = [row[0] for row in ROWS if row[3] == 1]
    assert told(receipt)["Lisbon"] == (of_one.count("Lisbon"), len(of_one))
    assert receipt.answer.startswith("Lisbon has the most documents: ")


def test_what_people_complain_about_most_is_ranked_and_quoted(parts: Parts) -> None:
    receipt = ask(parts, "What do people complain about most?")
    assert (receipt.route.kind, receipt.route.side) == ("opinion", "negative")
    first = receipt.answer.splitlines()[0]
    assert first.startswith(
        "breakfast has the most negative views, by number and by share: 55 of 120 documents"
    )
    assert told(receipt)["staff"] == (54, 137)
    assert told(receipt)["breakfast"] == (55, 120)
    assert receipt.citations


def test_one_entity_is_not_ranked_among_things(parts: Parts) -> None:
    receipt = ask(parts, "What are the biggest complaints about the staff?")
    assert receipt.route.kind == "opinion"
    assert told(receipt) == {}


def test_filters_hold(parts: Parts) -> None:
    receipt = ask(parts, "Which hotel has the most complaints about the breakfast in 2022?")
    assert [each.name for each in receipt.filters] == ["period"]
    assert "Only Lodge has at least 10 documents with a view on breakfast" in receipt.answer
    assert told(receipt) == {"Lodge": (24, 30)}


def test_a_column_that_is_not_there_is_said(parts: Parts) -> None:
    receipt = ask(parts, "Which country complains most about the staff?")
    assert any("no column of this corpus is called `country`" in each.reason for each in receipt.degradations)
    assert told(receipt) == {}


def test_a_thing_that_is_no_entity_is_not_told_apart(parts: Parts) -> None:
    receipt = ask(parts, "Which city has the most complaints about the balcony?")
    assert told(receipt) == {}
    assert receipt.counts[0].value == 3
    assert any(
        "only views on entities are told apart by city" in each.reason for each in receipt.degradations
    )


def test_an_absent_thing_is_said_to_be_absent(parts: Parts) -> None:
    receipt = ask(parts, "Which city has the most complaints about the gnomes?")
    assert receipt.unmatched == "gnomes"
    assert not receipt.counts


@pytest.mark.parametrize(
    "question",
    ["What do people think about the look?", "what is the look like", "is the look any good"],
)
def test_a_word_of_asking_is_a_thing_where_documents_speak_of_it(parts: Parts, question: str) -> None:
    receipt = ask(parts, question)
    assert any("`look` is no entity of this corpus" in each.reason for each in receipt.degradations)
    assert "the look of old times" in receipt.answer


@pytest.mark.parametrize(
    "question",
    ["What are people's views?", "What do people think about the sound?", "How do they look at it?"],
)
def test_a_word_of_asking_is_none_where_none_speaks_of_it(parts: Parts, question: str) -> None:
    receipt = ask(parts, question)
    assert receipt.entities == ()
    assert receipt.unmatched == ""
    assert not any("is no entity" in each.reason for each in receipt.degradations)


def test_a_route_that_is_asked_for_wins(parts: Parts) -> None:
    receipt = ask(parts, "Which city has the most complaints about the staff?", route="factual")
    assert receipt.route.kind == "factual"
    assert told(receipt) == {}


def test_a_fact_asked_beside_it_is_answered_as_well(parts: Parts) -> None:
    receipt = ask(parts, "Which hotel has the best breakfast and when is it served?")
    assert receipt.route.kind == "both"
    assert receipt.answer.startswith("Only Lodge has at least 10 documents with a view on breakfast")
    assert receipt.ranking
