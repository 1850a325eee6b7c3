from __future__ import annotations

import pytest

from store.breakdowns import Axis, Row
from store.database import Database
from store.opinions import DocumentFilter
from store.repository import Repository
from store.tables import Source
from tests.store.test_opinions import EXTRACTOR, Filled

EVERY = DocumentFilter()


@pytest.fixture
def filled(database: Database) -> Filled:
    return Filled(database)


def counted(
    filled: Filled, axis: Axis, entities: list[int] | None, where: DocumentFilter = EVERY
) -> dict[str, Row]:
    found = filled.opinions.breakdown(filled.corpus.id, axis, entities, EXTRACTOR, where)
    return {row.value: row for row in found.rows}


def test_views_by_author_attribute(filled: Filled) -> None:
    rows = counted(filled, Axis("attribute", "country"), [filled.staff])
    # The document without a country is in no row; another extractor's stance is not counted.
    assert {value: (r.documents, r.held, r.positive, r.negative) for value, r in rows.items()} == {
        "Côte d'Ivoire": (1, 0, 0, 0),
        "Spain": (2, 2, 0, 1),
        "UK": (4, 3, 2, 1),
    }


def test_several_entities_are_one_voice_a_document(filled: Filled) -> None:
    rows = counted(filled, Axis("subject"), [filled.staff, filled.coffee])
    # Means 10, 20, -15, -, 5, 5, -20, -10: halfway to a bin goes towards neutral.
    assert {value: (r.held, r.positive, r.negative) for value, r in rows.items()} == {
        "O'Hare  T5 100%": (2, 1, 0),
        "Oslo": (1, 0, 1),
        "Rome": (3, 1, 1),
    }
    assert counted(filled, Axis("subject"), []) == rows


@pytest.mark.parametrize("side", ["positive", "negative", None])
def test_rows_add_up_to_the_counts_of_the_whole(filled: Filled, side: str | None) -> None:
    rows = counted(filled, Axis("rating"), [filled.staff]).values()
    whole = filled.opinions.count(
        filled.corpus.id, [filled.staff], EXTRACTOR, DocumentFilter(rating=((">", 0),)), side
    )
    assert sum(getattr(row, side or "held") for row in rows) == whole.value


def test_ratings_have_mean_and_variance(filled: Filled) -> None:
    row = counted(filled, Axis("attribute", "country"), None)["UK"]
    assert (row.documents, row.rated, row.held) == (4, 3, 0)
    assert (row.mean, row.variance) == (pytest.approx(8 / 3), pytest.approx(14 / 9))
    assert counted(filled, Axis("rating"), None)["3"].documents == 2


@pytest.mark.parametrize(
    ("unit", "values"),
    [
        ("year", {"2014": 3, "2015": 2, "2016": 1}),
        ("quarter", {"2014-Q1": 3, "2015-Q2": 1, "2015-Q3": 1, "2016-Q1": 1}),
        ("month", {"2014-01": 1, "2014-02": 2, "2015-06": 1, "2015-07": 1, "2016-01": 1}),
        ("day", {"2014-01-31": 1, "2014-02-01": 2, "2015-06-30": 1, "2015-07-01": 1, "2016-01-01": 1}),
    ],
)
def test_periods(filled: Filled, unit: str, values: dict[str, int]) -> None:
    rows = counted(filled, Axis("date", unit), None)
    assert {value: row.documents for value, row in rows.items()} == values
    assert list(rows) == sorted(rows)


def test_entities_each_by_itself(filled: Filled) -> None:
    rows = counted(filled, Axis("entity"), [])
    assert {value: (r.documents, r.positive, r.negative) for value, r in rows.items()} == {
        "coffee": (6, 1, 3),
        "staff": (6, 3, 2),
    }
    assert set(counted(filled, Axis("entity"), [filled.coffee])) == {"coffee"}


def test_filters_restrict(filled: Filled) -> None:
    where = DocumentFilter(subjects=("Rome",), attributes=(("country", ("Spain",)),), since="2015-01-01")
    assert counted(filled, Axis("entity"), [], where)["staff"].documents == 2
    rows = counted(filled, Axis("attribute", "country"), [filled.staff], where)
    assert {value: row.held for value, row in rows.items()} == {"Spain": 2}


@pytest.mark.parametrize(
    "axis",
    [Axis("attribute", "country"), Axis("subject"), Axis("entity"), Axis("date", "quarter"), Axis("rating")],
)
def test_the_statement_runs_when_pasted(filled: Filled, axis: Axis) -> None:
    where = DocumentFilter(subjects=("O'Hare  T5 100%", "Rome"))
    found = filled.opinions.breakdown(filled.corpus.id, axis, [filled.staff], EXTRACTOR, where)
    connection = filled.database.engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute(found.sql)
        pasted = cursor.fetchall()
        names = [column[0] for column in cursor.description]
    finally:
        connection.close()
    held, documents = names.index("held"), names.index("documents")
    assert [(row[documents], row[held]) for row in pasted] == [(r.documents, r.held) for r in found.rows]
    assert found.rows


def test_what_sources_call_the_reviewed_things(filled: Filled) -> None:
    repository = Repository(filled.database)
    assert repository.subject_columns(filled.corpus.id) == []
    with filled.database.session() as session:
        session.query(Source).update({"mapping": {"subject": "airline_name", "text": ["text"]}})
    assert repository.subject_columns(filled.corpus.id) == ["airline_name"]
