"""Exports: text is never a formula, numbers stay numbers, a file is whole or not there."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from app.views.exports import CELL_CHARACTERS, export_table, write_csv, write_jsonl, write_xlsx
from store.errors import StoreError, UsageError
from tests.app.views.test_safe import HIDDEN
from tests.fakes.receipts import HOSTILE

COLUMNS = ("id", "text", "score", "share", "seen", "tags")
ROWS: list[tuple[Any, ...]] = [
    ("1", "=cmd()|'/c calc'!A0", -30, 0.25, True, ["a", "b"]),
    ("2", '+1 for the food, "quoted"\nnext line', 0, float("nan"), False, None),
    ("@3", HOSTILE, 10**18, -1.5, None, {"k": "=x"}),
    ("-4", "手机", 5, 1e300, True, datetime(2026, 11, 29, 10, 15, tzinfo=UTC)),
]


def test_csv() -> None:
    stream = io.StringIO()
    assert write_csv(COLUMNS, ROWS, stream) == 4
    assert not HIDDEN.search(stream.getvalue())
    read = list(csv.reader(io.StringIO(stream.getvalue())))
    assert read[0] == list(COLUMNS)
    assert read[1] == ["1", "'=cmd()|'/c calc'!A0", "-30", "0.25", "true", "a, b"]
    assert read[2] == ["2", '\'+1 for the food, "quoted"\nnext line', "0", "nan", "false", ""]
    assert read[3][0] == "'@3"
    assert read[4] == ["'-4", "手机", "5", "1e+300", "true", "2026-11-29T10:15:00+00:00"]


def test_jsonl_keeps_every_value() -> None:
    stream = io.StringIO()
    assert write_jsonl(COLUMNS, ROWS, stream) == 4
    assert not HIDDEN.search(stream.getvalue())
    lines = stream.getvalue().split("\n")
    assert len(lines) == 5
    read = [json.loads(line) for line in lines[:4]]
    assert list(read[0]) == list(COLUMNS)
    assert read[0]["text"] == "=cmd()|'/c calc'!A0"
    assert read[1]["share"] is None
    assert read[2]["text"] == HOSTILE
    assert read[2]["score"] == 10**18


def test_xlsx_has_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    assert export_table(COLUMNS, ROWS, path) == 4
    sheet = load_workbook(path).worksheets[0]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert all(cell.data_type != "f" for cell in cells)
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert rows[0] == list(COLUMNS)
    assert rows[1] == ["1", "'=cmd()|'/c calc'!A0", -30, 0.25, True, "a, b"]
    assert rows[2][3] == "nan"
    assert rows[3][2] == str(10**18)
    assert not HIDDEN.search(rows[3][1])


def test_xlsx_cuts_long_cells_and_goes_on_in_a_second_sheet() -> None:
    stream = io.BytesIO()
    assert write_xlsx(("n",), [("x" * 50_000,), (2,), (3,)], stream, sheet_rows=3) == 3
    book = load_workbook(stream)
    assert book.sheetnames == ["rows 1", "rows 2"]
    long = book["rows 1"]["A2"].value
    assert len(long) == CELL_CHARACTERS
    assert long.endswith("… [cut, 50,000 characters]")
    assert [cell.value for cell in book["rows 2"]["A"]] == ["n", 3]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.xlsx"])
def test_an_empty_table_is_a_file(tmp_path: Path, name: str) -> None:
    assert export_table(COLUMNS, [], tmp_path / name) == 0
    assert (tmp_path / name).exists()


def test_existing_files_are_kept_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("old")
    with pytest.raises(UsageError, match="exists"):
        export_table(COLUMNS, ROWS, path)
    assert path.read_text() == "old"
    assert export_table(COLUMNS, ROWS, path, force=True) == 4
    assert path.read_text().startswith("id,text")
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    import os

    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_failing_source_leaves_nothing_behind(tmp_path: Path) -> None:
    def rows() -> Iterator[tuple[int]]:
        yield (1,)
        raise RuntimeError("gone")

    for name in ("t.csv", "t.jsonl", "t.xlsx"):
        with pytest.raises(RuntimeError, match="gone"):
            export_table(("n",), rows(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_wrong_ending_and_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.csv, \.jsonl, \.xlsx"):
        export_table(COLUMNS, ROWS, tmp_path / "t.parquet")
    with pytest.raises(StoreError, match="cannot write"):
        export_table(COLUMNS, ROWS, tmp_path / "no" / "t.csv")


def test_stdout_is_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert export_table(("a",), [("\x1b[2J",)], Path("-")) == 1
    assert capsys.readouterr().out == "a\n␛[2J\n"
