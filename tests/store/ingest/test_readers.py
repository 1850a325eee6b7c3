"""Readers on their own: streaming, detection, and what the table of bad input does not show."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections import Counter
from pathlib import Path

import pytest

from store.ingest import json_rows
from store.ingest.delimited import best_delimiter, has_header, unique_names
from store.ingest.encoding import detect, redecode, storable
from store.ingest.flatten import flatten
from store.ingest.readers import format_of, open_source
from store.ingest.rows import BadRow, Row


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"plain", "utf-8"),
        ("schön".encode(), "utf-8"),
        (b"\xef\xbb\xbfx", "utf-8-sig"),
        ("x".encode("utf-16"), "utf-16"),
        ("x".encode("utf-32"), "utf-32"),
        ("some plain text".encode("utf-16-le"), "utf-16-le"),
        ("some plain text".encode("utf-16-be"), "utf-16-be"),
        ("schön, nice".encode("cp1252"), "cp1252"),
        ("“Hello” – he said".encode("cp1252"), "cp1252"),
        (b"na\xefve \x8d text", "latin-1"),
        ("Очень хороший отель, спасибо".encode("cp1251"), "cp1251"),
    ],
)
def test_encodings(data: bytes, expected: str) -> None:
    assert detect(io.BytesIO(data)).name == expected


def test_a_character_cut_by_the_chunk_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.ingest.encoding.CHUNK", 3)
    assert detect(io.BytesIO("aböö😀é".encode())).name == "utf-8"


def test_raw_text_can_be_decoded_again() -> None:
    raw = storable(b"Sch\xf6n\x00 \xe2\x82\xac".decode("utf-8", "surrogateescape"))
    assert raw == "Sch\\udcf6n\\x00 €"
    assert redecode(raw, "utf-8", "cp1252") == "Schön\x00 â‚¬"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", "csv"),
        ("a.CSV.GZ", "csv"),
        ("a.jsonl.gz", "jsonl"),
        ("a.md", "markdown"),
        ("a.xlsx.gz", ""),
        ("a.pdf", ""),
        ("a", ""),
    ],
)
def test_formats(name: str, expected: str) -> None:
    assert format_of(Path(name)) == expected


def test_delimiters() -> None:
    assert best_delimiter("a;b\n1,5;2,5\n3,5;4,5\n") == ";"
    assert best_delimiter("a,b\n1,x;y;z\n") == ","
    assert best_delimiter("text\nGood, clean, quiet\nBad\n") == "\x1f"
    assert best_delimiter('a,b\n1,"x;y\n;z"\n') == ","


def test_headers() -> None:
    assert has_header([["id", "text"], ["1", "fine"]])
    assert not has_header([["1", "fine"], ["2", "bad"]])
    assert not has_header([["2020-01-01", "x"], ["2020-01-02", "y"]])
    assert has_header([["How did you like the service of our hotel?"], ["It was very good for all of us"]])
    assert has_header([["only"]])
    assert unique_names(["a", "a", "", "a (2)", " b  c "]) == (
        ["a", "a (3)", "column 3", "a (2)", "b c"],
        ["a (3)"],
    )


def test_flatten() -> None:
    record = {"a": {"b": 1, "c": {"d": True}}, "e": [1, "x"], "f": None, "g": 2.0, "h": [{"i": 1}], "j": 0.1}
    assert flatten(record) == {
        "a.b": "1",
        "a.c.d": "true",
        "e": "1, x",
        "f": "",
        "g": "2",
        "h": '[{"i": 1}]',
        "j": "0.1",
    }


@pytest.mark.parametrize("chunk", [1, 2, 7, 64])
def test_json_is_the_same_however_it_is_chunked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(json_rows, "CHUNK", chunk)
    rows = [
        {"id": n, "text": f'Room "{n}" é \\ 😀', "n": {"x": -1.5e3, "y": [1, {"z": []}]}} for n in range(5)
    ]
    for name, value in (("array", rows), ("object", {"meta": {"a": [1, 2]}, "rows": rows, "end": 12345})):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(value, indent=1))
        assert [row.fields for row in open_source(path) if isinstance(row, Row)] == [
            flatten(row) for row in rows
        ]


def test_a_reader_can_be_read_twice_and_knows_how_far_it_is(tmp_path: Path) -> None:
    path = tmp_path / "r.csv.gz"
    chance = random.Random(1)
    lines = [f"{n},{chance.randbytes(30).hex()}" for n in range(5_000)]
    path.write_bytes(gzip.compress(("id,text\n" + "\n".join(lines)).encode()))
    reader = open_source(path)
    assert reader.fraction() is None
    told = []
    for row in reader:
        if row.number % 1_000 == 0:
            told.append(reader.fraction())
    assert told == sorted(told)
    assert told[0] < 0.5 < told[-1] <= 1
    assert sum(1 for _ in reader) == 5_000


def test_a_row_longer_than_a_row_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.ingest.text_lines.MAX_ROW_CHARS", 100)
    monkeypatch.setattr("store.ingest.records.MAX_ROW_CHARS", 100)
    path = tmp_path / "r.csv"
    path.write_text("id,text\n1,Good\n2," + "x" * 500 + "\n3,Fair\n")
    rows = list(open_source(path))
    assert [type(row) for row in rows] == [Row, BadRow, Row]
    assert "the row is longer than" in rows[1].reason  # type: ignore[union-attr]


def test_a_folder_of_tables_numbers_its_rows_through(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.csv").write_text("id,text\n1,Good\n2,Bad\n")
    (tmp_path / "b" / "c.jsonl").write_text('{"id": 3, "text": "Fair"}\n')
    (tmp_path / ".hidden.csv").write_text("id,text\n9,No\n")
    rows = list(open_source(tmp_path))
    assert [(row.number, row.where) for row in rows] == [(1, "a.csv"), (2, "a.csv"), (3, "b/c.jsonl")]


def test_names_of_markdown_documents(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("intro\n\n## The *bar* ##\nGood.\n")
    (row,) = open_source(path)
    assert isinstance(row, Row)
    assert row.fields["id"] == "note.md"
    assert row.fields["title"] == "The *bar*"


def test_a_named_sheet(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["text"])
    book.active.append(["first"])
    other = book.create_sheet("Other")
    other.append(["text", "when"])
    other.append(["second", __import__("datetime").datetime(2020, 1, 2)])
    path = tmp_path / "r.xlsx"
    book.save(path)
    assert [row.fields for row in open_source(path, sheet="Other")] == [  # type: ignore[union-attr]
        {"text": "second", "when": "2020-01-02T00:00:00"}
    ]
    reader = open_source(path)
    assert [row.fields["text"] for row in reader] == ["first"]  # type: ignore[union-attr]
    assert reader.notes == Counter({"sheet 'Sheet' of 2 was read; others by --sheet": 1})
