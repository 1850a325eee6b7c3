"""Tables written to CSV, JSONL and XLSX, one row at a time: text stays text, whatever it begins with.

In CSV and XLSX a text that a spreadsheet would take for a formula gets a leading ``'`` and hidden characters are
shown; JSONL keeps every value as it is (hidden characters escaped). A file appears under its name only when it is
whole.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any, Final

from app.views.safe import cell, json_text
from store.errors import StoreError, UsageError

#: A worksheet's limits (ECMA-376): rows with the header, characters of one cell.
SHEET_ROWS: Final = 1_048_576
CELL_CHARACTERS: Final = 32_767
_LARGEST_EXACT: Final = 10**15


def export_table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], output: Path, *, force: bool = False
) -> int:
    """Write a table to ``output`` by its ending (.csv, .jsonl, .xlsx; ``-`` is CSV on stdout); return the row count.

    Raises
    ------
    UsageError
        Unknown ending, or the file exists and ``force`` is false.
    StoreError
        The file cannot be written.
    """
    if str(output) == "-":
        return write_csv(columns, rows, sys.stdout)
    writer = _WRITERS.get(output.suffix.lower())
    if writer is None:
        raise UsageError(f"cannot export to `{output.name}`", f"end the name with {', '.join(_WRITERS)}")
    if output.exists() and not force:
        raise UsageError(f"{output} exists", "give --force to write over it")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                count = writer(columns, rows, stream)
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)
            temporary.replace(output)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write {output}: {error.strerror or error}") from error
    return count


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]], stream: IO[str]) -> int:
    """Write CSV with a header line; return the number of rows."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([cell(name) for name in columns])
    count = 0
    for row in rows:
        writer.writerow([_flat(value) for value in row])
        count += 1
    return count


def write_jsonl(columns: Sequence[str], rows: Iterable[Sequence[Any]], stream: IO[str]) -> int:
    """Write one JSON object a line, keys in the order of the columns; return the number of rows."""
    count = 0
    for row in rows:
        value = {name: _jsonable(item) for name, item in zip(columns, row, strict=True)}
        stream.write(json_text(json.dumps(value, ensure_ascii=False, allow_nan=False)) + "\n")
        count += 1
    return count


def write_xlsx(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], stream: IO[bytes], *, sheet_rows: int = SHEET_ROWS
) -> int:
    """Write a workbook in bounded memory, going on in a further sheet when one is full; return the number of rows.

    A text longer than a cell can hold is cut and says so.
    """
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    header = [_short(cell(name)) for name in columns]
    sheet, left, count = None, 0, 0
    try:
        for row in rows:
            if sheet is None or left == 0:
                sheet, left = _sheet(book, header), sheet_rows - 1
            sheet.append([_typed(value) for value in row])
            left -= 1
            count += 1
        if sheet is None:
            _sheet(book, header)
        book.save(stream)
    finally:
        # A sheet left open by a failure would complain when it is collected.
        for each in book.worksheets:
            with suppress(OSError, ValueError):
                if not each.closed:
                    each.close()
    return count


def _sheet(book: Any, header: list[str]) -> Any:
    sheet = book.create_sheet(f"rows {len(book.worksheets) + 1}")
    sheet.freeze_panes = "A2"
    sheet.append(header)
    return sheet


def _flat(value: Any) -> Any:
    """Return a CSV value: numbers as they are, everything else as safe text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return value
    return cell(_words(value))


def _typed(value: Any) -> Any:
    """Return an XLSX value: numbers that a double holds exactly as numbers, everything else as safe text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and abs(value) < _LARGEST_EXACT:
        return value
    return _short(cell(_words(value)))


def _short(text: str) -> str:
    if len(text) <= CELL_CHARACTERS:
        return text
    mark = f"… [cut, {len(text):,} characters]"
    return text[: CELL_CHARACTERS - len(mark)] + mark


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(_words(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(_jsonable(value), ensure_ascii=False, sort_keys=True)
    return str(value)


def _jsonable(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_jsonable(item) for item in value]
    return _words(value)


def _as_text(
    write: Callable[[Sequence[str], Iterable[Sequence[Any]], IO[str]], int],
) -> Callable[[Sequence[str], Iterable[Sequence[Any]], IO[bytes]], int]:
    def wrapped(columns: Sequence[str], rows: Iterable[Sequence[Any]], stream: IO[bytes]) -> int:
        text = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="")
        try:
            return write(columns, rows, text)
        finally:
            text.flush()
            text.detach()

    return wrapped


_WRITERS: Final[dict[str, Callable[[Sequence[str], Iterable[Sequence[Any]], IO[bytes]], int]]] = {
    ".csv": _as_text(write_csv),
    ".jsonl": _as_text(write_jsonl),
    ".xlsx": write_xlsx,
}

__all__ = ["CELL_CHARACTERS", "SHEET_ROWS", "export_table", "write_csv", "write_jsonl", "write_xlsx"]
