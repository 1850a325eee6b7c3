"""Dates, ratings, cleaning: one value at a time."""

from __future__ import annotations

from collections import Counter

import pytest

from store.ingest.cleaning import clean_text, clean_value, says_nothing, shortened
from store.ingest.columns import Mapping
from store.ingest.dates import guess_order, looks_like_date, parse_date
from store.ingest.prepare import Prepared, Preparer, row_id
from store.ingest.ratings import guess_scale, parse_rating
from store.ingest.rows import Row


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2014-03-09", "2014-03-09"),
        ("2014-03-09T10:20:30Z", "2014-03-09"),
        ("2014-03-09 10:20:30.5+02:00", "2014-03-09"),
        ("2014/3/9", "2014-03-09"),
        ("20140309", "2014-03-09"),
        ("03/09/2014", "2014-03-09"),
        ("3/9/14 10:20", "2014-03-09"),
        ("25/12/2014", "2014-12-25"),
        ("25.12.1999", "1999-12-25"),
        ("March 9, 2014", "2014-03-09"),
        ("Mar 9 2014", "2014-03-09"),
        ("9th March 2014", "2014-03-09"),
        ("9-Mar-2014", "2014-03-09"),
        ("Sun, 09 Mar 2014 10:00:00 +0000", "2014-03-09"),
        ("Sun Mar 09 10:00:00 +0000 2014", "2014-03-09"),
        ("03 9, 2014", ""),
        ("March 2014", "2014-03-01"),
        ("2014-03", "2014-03-01"),
        ("1394359200", "2014-03-09"),
        ("1394359200000", "2014-03-09"),
        ("1970-01-01", ""),
        ("2014-02-30", ""),
        ("0001-01-01", ""),
        ("2999-01-01", ""),
        ("yesterday", ""),
        ("5", ""),
        ("", ""),
        ("9" * 100, ""),
    ],
)
def test_dates(written: str, expected: str) -> None:
    assert parse_date(written) == expected


def test_day_first_dates() -> None:
    assert parse_date("03/09/2014", "dmy") == "2014-09-03"
    assert parse_date("12/25/2014", "dmy") == "2014-12-25", "there is no month 25"
    assert guess_order(["13/01/2020", "01/02/2020"]) == ("dmy", True)
    assert guess_order(["01/13/2020"]) == ("mdy", True)
    assert guess_order(["01/02/2020"]) == ("mdy", False)
    assert guess_order(["2020-01-02"]) == ("mdy", True)
    assert looks_like_date("2014-03-09")
    assert not looks_like_date("20140309")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("4", (4.0, None)),
        ("4,5", (4.5, None)),
        ("-1", (-1.0, None)),
        ("4/5", (4.0, 5.0)),
        ("4.0 out of 5 stars", (4.0, 5.0)),
        ("★★★★☆", (4.0, 5.0)),
        ("★★★", (3.0, None)),
        ("85%", (85.0, None)),
        ("good", None),
        ("4 or 5", None),
        ("", None),
    ],
)
def test_ratings(written: str, expected: tuple[float, float | None] | None) -> None:
    assert parse_rating(written) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "5", "3"], (1.0, 5.0)),
        (["0", "5"], (0.0, 5.0)),
        (["1", "10"], (1.0, 10.0)),
        (["0", "10"], (0.0, 10.0)),
        (["35", "80"], (1.0, 100.0)),
        (["-1", "1", "0"], (-1.0, 1.0)),
        (["4/5", "2/5"], (1.0, 5.0)),
        (["4"] * 99 + ["10"], (1.0, 5.0)),
        (["good", "bad"], None),
        ([], None),
    ],
)
def test_scales(values: list[str], expected: tuple[float, float] | None) -> None:
    if expected == (1.0, 100.0):
        expected = (0.0, 100.0)
    assert guess_scale(values) == expected


def test_cleaning_changes_only_what_cannot_be_stored() -> None:
    notes: Counter[str] = Counter()
    assert clean_text("  a\x00b\r\nc\rd\x1b[31m \u202e\ud800 ", notes) == "ab\nc\nd\x1b[31m \u202e\ufffd"
    assert notes == {
        "texts with NUL bytes, taken out": 1,
        "texts with half characters (lone surrogates), replaced": 1,
    }
    assert clean_value("  New \n York ", notes) == "New York"
    assert [clean_value(v, notes) for v in ("N/A", "nan", "-", "None", "0")] == ["", "", "", "", "0"]


@pytest.mark.parametrize("text", ["", "nan", "NULL", "\u200b", "\u00a0 \u3000", "\x07", "\ufeff"])
def test_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", ["a", "👍", "...", "0", "nan bread", "None"])
def test_says_something(text: str) -> None:
    assert not says_nothing(text)


def test_shortened() -> None:
    notes: Counter[str] = Counter()
    assert len(shortened("x" * 600, notes, "subjects")) == 500
    assert notes == {"subjects longer than 500 characters, cut": 1}


MAPPING = Mapping(
    text=("pros", "cons"), id="id", rating="stars", rating_scale=(1.0, 5.0), date="when", attributes={"age": "age"}
)  # fmt: skip


def prepared(**fields: str) -> tuple[Prepared, Counter[str]]:
    notes: Counter[str] = Counter()
    found = Preparer(MAPPING, notes).prepare(Row(1, fields))
    assert isinstance(found, Prepared)
    return found, notes


def test_texts_are_joined_and_empty_parts_left_out() -> None:
    assert prepared(pros="Good pay", cons="Long days")[0].text == "Good pay\n\nLong days"
    assert prepared(pros="Good pay", cons="nan")[0].text == "Good pay"


def test_what_cannot_be_read_is_dropped_and_counted() -> None:
    found, notes = prepared(pros="Good", stars="11", when="soon")
    assert (found.rating, found.rating_min, found.date) == (None, None, "")
    assert notes == {"ratings outside 1-5, dropped": 1, "dates that could not be read, left empty": 1}
    assert prepared(pros="Good", stars="fine")[1] == {"ratings that are no number, dropped": 1}
    assert prepared(pros="Good", stars="", when="")[1] == {}


def test_reasons_for_the_quarantine() -> None:
    preparer = Preparer(MAPPING, Counter())
    assert preparer.prepare(Row(1, {"pros": " ", "cons": ""})) == "no text"
    assert preparer.prepare(Row(1, {"other": "x"})) == "the row has no field 'pros'"


def test_ids() -> None:
    assert prepared(pros="Good", id="7")[0].external_id == "7"
    assert prepared(pros="Good")[0].external_id == row_id({"pros": "Good"})
    assert row_id({"a": "1", "b": ""}) == row_id({"a": "1"}), "an empty column makes no other row"
    assert row_id({"a": "1"}) != row_id({"a": "2"})
    assert row_id({"a": "bc"}) != row_id({"ab": "c"})
    long = prepared(pros="Good", id="x" * 600)[0].external_id
    assert len(long) == 500
    assert long != prepared(pros="Good", id="x" * 601)[0].external_id


def test_every_mapped_field_is_in_the_content_hash() -> None:
    base = {"pros": "Good", "cons": "Bad", "id": "1", "stars": "4", "when": "2020-01-01", "age": "30"}
    same = prepared(**base)[0].content_hash
    assert prepared(**{**base, "id": "2"})[0].content_hash == same, "the id says which row, not what it holds"
    for change in ({"pros": "Fine"}, {"cons": ""}, {"stars": "5"}, {"when": "2020-01-02"}, {"age": "31"}):
        assert prepared(**{**base, **change})[0].content_hash != same, change
