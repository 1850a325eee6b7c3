"""What is said of counts by value: first values, leads, lists, trends."""

from __future__ import annotations

from typing import Any

import pytest

from agents.breakdown_words import MOST_PERIODS, MOST_VALUES, Table, audits, listing, ranked, said, trend
from store.breakdowns import Row


def views(value: str, held: int, positive: int = 0, negative: int = 0) -> Row:
    return Row(value, held, held, positive, negative)


def stars(value: str, rated: int, mean: float, variance: float = 1.0) -> Row:
    return Row(value, rated, rated=rated, mean=mean, variance=variance)


def table(*rows: Row, **given: Any) -> Table:
    made: dict[str, Any] = {
        "kind": "attribute",
        "by": "city",
        "measure": "negative",
        "on": " on staff",
        "labels": "lexical",
        "sql": "SELECT 1",
    }
    return Table(rows, **(made | given))


def test_number_and_share_are_both_told_where_they_differ() -> None:
    found = table(
        views("Lisbon", 400, negative=80), views("Porto", 60, negative=30), views("Faro", 100, negative=20)
    )
    assert ranked(found, "most").splitlines() == [
        "By number: Lisbon has the most negative views on staff: 80 of 400 documents with a view"
        " (20 %, 16-24 % with 95 % confidence). Next: Porto, 30 of 60 (50 %, 38-62 %); the lead is more than chance.",
        "By share: Porto has the largest share of negative views on staff: 30 of 60 documents with a view"
        " (50 %, 38-62 % with 95 % confidence). Next: Lisbon, 80 of 400 (20 %, 16-24 %); the lead is more than chance.",
    ]


def test_one_sentence_where_number_and_share_agree() -> None:
    found = ranked(table(views("Lisbon", 100, negative=50), views("Porto", 90, negative=40)), "most")
    assert found == (
        "Lisbon has the most negative views on staff, by number and by share: 50 of 100 documents with a view"
        " (50 %, 40-60 % with 95 % confidence). Next: Porto, 40 of 90 (44 %, 35-55 %); the lead is no more than chance."
    )
    other = (
        views("Lisbon", 100, negative=50),
        views("Porto", 90, negative=30),
        views("Faro", 20, negative=9),
    )
    assert " Next by share: Faro, 9 of 20 (45 %, 26-66 %); the lead is no more than chance." in ranked(
        table(*other), "most"
    )


def test_the_share_alone_where_no_number_is_asked_for() -> None:
    rows = (views("Lisbon", 400, positive=80), views("Porto", 60, positive=30))
    found = ranked(table(*rows, measure="positive"), "most", by_number=False)
    assert found.startswith("Porto has the largest share of positive views on staff: 30 of 60")
    assert "By number" not in found


def test_a_lead_over_the_runner_up_alone_is_no_lead_over_all() -> None:
    found = table(
        views("Lisbon", 1000, negative=500), views("Porto", 1000, negative=400), views("Faro", 10, negative=3)
    )
    assert "the lead is more than chance, but not over Faro." in ranked(found, "most", by_number=False)


def test_equal_values_have_no_lead() -> None:
    found = ranked(
        table(views("Lisbon", 20, negative=5), views("Porto", 20, negative=5)), "most", by_number=False
    )
    assert "Lisbon has" in found
    assert found.endswith("; there is no lead.")


def test_too_few_are_never_first() -> None:
    rows = (views("Faro", 9, negative=9), views("Lisbon", 50, negative=10), views("Porto", 50, negative=5))
    found = ranked(table(*rows), "most")
    assert "Faro" not in found
    assert found.startswith("Lisbon has the most negative views on staff, by number and by share")
    lines, shown = listing(table(*rows), ("most",))
    assert [row.value for row in shown] == ["Lisbon", "Porto"]
    assert lines[-1] == "1 with fewer than 10 documents with a view on staff: too few to tell."


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((), "No city has at least 10 documents with a view on staff: too few to tell which comes first."),
        (
            (views("Faro", 9, negative=9), views("Porto", 2)),
            "No city has at least 10 documents with a view on staff: too few to tell which comes first.",
        ),
        (
            (views("Faro", 9, negative=9), views("Porto", 12)),
            "Only Porto has at least 10 documents with a view on staff: there is nothing to rank it against.",
        ),
    ],
)
def test_nothing_is_ranked_of_fewer_than_two(rows: tuple[Row, ...], expected: str) -> None:
    assert ranked(table(*rows), "most") == expected


def test_the_fewest_complaints_are_told_by_share() -> None:
    rows = (views("Lisbon", 100, negative=5), views("Porto", 12, negative=2))
    found = ranked(table(*rows), "least")
    assert found.startswith("Lisbon has the smallest share of negative views on staff: 5 of 100")


def test_ten_equal_ratings_are_no_certainty() -> None:
    rows = (stars("Inn", 10, 5.0, 0.0), stars("Grand", 200, 4.7, 0.8), stars("Lodge", 200, 4.1, 0.8))
    found = table(*rows, measure="rating", on="", spread=0.8)
    assert ranked(found, "most") == (
        "Inn has the highest mean rating: 5.00 (4.45 to 5.55 with 95 % confidence, 10 documents)."
        " Next: Grand, 4.70 (4.58 to 4.82, 200 documents); the lead is no more than chance."
    )
    assert ranked(found, "least").startswith("Lodge has the lowest mean rating: 4.10 (3.98 to 4.22")


def test_documents_are_counted_without_an_interval() -> None:
    rows = (Row("Lisbon", 30), Row("Porto", 10), Row("Faro", 2))
    found = table(*rows, measure="documents", on="")
    assert ranked(found, "most") == (
        "Lisbon has the most documents: 30 of 42 (71 %). Next: Porto, 10 of 42 (24 %); the lead is more than chance."
    )
    lines, shown = listing(found, ())
    assert lines[0] == "Documents by city, largest first:"
    assert lines[-1] == "- Faro: 2 of 42 (5 %)"
    assert len(shown) == 3


def test_things_are_listed_by_number_and_overlap() -> None:
    rows = (views("smell", 20, negative=18), views("room", 300, negative=60))
    assert [row.value for row in listing(table(*rows, kind="entity", by="thing"), ("most",))[1]] == [
        "room",
        "smell",
    ]
    spoken = table(*rows, kind="entity", by="thing", measure="documents", on="")
    assert "room has the most documents with a view: 300. Next: smell, 20;" in ranked(spoken, "most")


def test_periods_stand_in_their_order_and_the_last_are_shown() -> None:
    rows = [views(f"{2000 + n // 12}-{n % 12 + 1:02d}", 20, 10, 5) for n in range(30)]
    found = table(*rows, kind="date", by="month", measure="views")
    lines, shown = listing(found, ())
    assert [row.value for row in shown] == [row.value for row in rows[-MOST_PERIODS:]]
    assert lines[1].startswith("- 2000-07: 20 documents with a view (of 20), 50 % positive (10)")
    assert lines[-1] == "6 earlier ones are left out here."


def test_more_values_than_shown_are_said() -> None:
    rows = [views(f"city {n:02d}", 20, negative=n) for n in range(12)]
    lines, shown = listing(table(*rows), ("most",))
    assert len(shown) == MOST_VALUES
    assert shown[0].value == "city 11"
    assert lines[-1] == "4 more are counted by the same statement."


def test_a_trend_is_told_by_month_over_a_gap() -> None:
    rows = [
        views(month, 100, positive) for month, positive in (("2023-11", 30), ("2023-12", 40), ("2024-03", 70))
    ]
    found = trend(table(*rows, kind="date", by="month", measure="views"))
    assert found.startswith("On a straight line the positive share rises by 10.0 points a month (")
    assert found.endswith("with 95 % confidence): more than chance.")


def test_no_trend_is_told_where_there_is_none() -> None:
    rows = [views(year, 30, positive) for year, positive in (("2013", 15), ("2014", 16), ("2015", 15))]
    found = trend(table(*rows, kind="date", by="year", measure="views"))
    assert found.startswith(
        "On a straight line the positive share neither rises nor falls by more than chance (+0.0"
    )
    assert trend(table(*rows[:2], kind="date", by="year", measure="views")) == ""
    assert trend(table(*rows, kind="date", by="year", measure="documents", on="")) == ""


def test_a_rating_falls_by_quarter() -> None:
    rows = [
        stars(quarter, 200, mean) for quarter, mean in (("2013-Q4", 4.5), ("2014-Q1", 4.0), ("2014-Q2", 3.5))
    ]
    found = trend(table(*rows, kind="date", by="quarter", measure="rating", on="", spread=1.0))
    assert found.startswith("On a straight line the mean rating falls by 0.50 a quarter (-0.60 to -0.40")


def test_the_receipt_has_both_sides_of_views_and_the_statement() -> None:
    row = views("Lisbon", 20, 12, 5)
    found = audits(table(row, measure="views"), row)
    assert [(each.label, each.value, each.total) for each in found] == [
        ("Lisbon: documents with a positive view on staff", 12, 20),
        ("Lisbon: documents with a negative view on staff", 5, 20),
    ]
    assert {(each.part, each.sql) for each in found} == {("Lisbon", "SELECT 1")}


def test_a_hostile_name_stays_on_one_line() -> None:
    assert said("A\n- fake: 9 of 9\t" + "x" * 200) == "A - fake: 9 of 9 " + "x" * 62 + "…"
