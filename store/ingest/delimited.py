"""CSV and TSV: the delimiter is found, the header is checked, every row has the header's width or is set aside."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from store.errors import IngestError, UsageError
from store.ingest.dates import looks_like_date
from store.ingest.encoding import Encoding, detect, given, storable
from store.ingest.opening import ByteSource
from store.ingest.records import NO_DELIMITER, Dialect, Fault, RecordSplitter
from store.ingest.rows import BadRow, Row
from store.ingest.text_lines import lines, undecoded_reason

DELIMITERS: Final = (",", ";", "\t", "|")
_SAMPLE_BYTES: Final = 256 * 1024
_SAMPLE_RECORDS: Final = 200
_SEPARATOR_LINE: Final = re.compile(r'"?sep=(.)"?\s*\Z', re.IGNORECASE)
_NUMBER: Final = re.compile(r"[+-]?\d+(?:[.,]\d+)?\Z")


class DelimitedReader:
    """Rows of a CSV or TSV file.

    Parameters
    ----------
    path, kind
        File, and ``csv`` or ``tsv``.
    encoding, delimiter
        Given, or None to find them.
    header
        Whether the first row names the columns; None to find out.
    """

    def __init__(
        self,
        path: Path,
        kind: str,
        *,
        encoding: str | None = None,
        delimiter: str | None = None,
        header: bool | None = None,
    ) -> None:
        self.kind = kind
        self.notes: Counter[str] = Counter()
        self._path = path
        self._source = ByteSource(path)
        self._encoding = given(encoding) if encoding else _detected(self._source)
        self.encoding = self._encoding.name
        self._skip_lines = 0
        sample = self._sample()
        self.dialect = self._sniff(sample, delimiter)
        records = [r for r in self._split(sample, 0) if isinstance(r, list)]
        if not records:
            raise IngestError(f"{path} has no rows", "nothing was stored")
        self._has_header = header if header is not None else has_header(records)
        if self._has_header:
            self.columns = self._named(self._whole_header(records))
        else:
            width = Counter(len(record) for record in records).most_common(1)[0][0]
            self.columns = [f"column {n}" for n in range(1, width + 1)]
            self.notes["no header row: columns are named column 1, column 2 ..."] += 1

    def layout(self) -> dict[str, Any]:
        """Delimiter, quoting and columns."""
        return {
            "delimiter": self.dialect.delimiter,
            "backslash": self.dialect.backslash,
            "space_before_quote": self.dialect.space_before_quote,
            "quoting": self.dialect.quoting,
            "columns": self.columns,
        }

    def fraction(self) -> float | None:
        """Share of the file's bytes read."""
        return self._source.fraction()

    def __iter__(self) -> Iterator[Row | BadRow]:
        physical = lines(self._source, self._encoding, self.notes)
        for _ in range(self._skip_lines):
            next(physical, None)
        splitter = RecordSplitter(physical, self.dialect, len(self.columns), self.notes)
        records = iter(splitter)
        if self._has_header:
            next(records, None)
        number = 0
        for record in records:
            row = to_row(record, splitter.taken, self.columns, number + 1, self.encoding)
            if row is not None:
                number += 1
                yield row

    def _sample(self) -> str:
        data = self._source.sample(_SAMPLE_BYTES)
        text = io.TextIOWrapper(io.BytesIO(data), self.encoding, errors="replace", newline="").read()
        text = text.removeprefix("\ufeff").replace("\x00", "")
        first = text[:64].splitlines()[0] if text else ""
        if _SEPARATOR_LINE.match(first):
            self._skip_lines = 1
            text = text[len(first) :].lstrip("\r\n")
            self._separator = first.strip().strip('"')[-1] if not first.strip().endswith("\t") else "\t"
        if len(data) == _SAMPLE_BYTES:
            text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
        return text

    def _sniff(self, sample: str, delimiter: str | None) -> Dialect:
        backslash = len(re.findall(r'\\"(?=\w)', sample)) > sample.count('""')
        if delimiter is None and self._skip_lines:
            delimiter = self._separator
        if delimiter is None and self.kind == "tsv":
            delimiter = "\t"
        if delimiter is None:
            delimiter = best_delimiter(sample)
        elif len(delimiter) != 1:
            raise UsageError(
                f"a delimiter is one character, not {delimiter!r}", "for example --delimiter ';'"
            )
        if delimiter == "\t" and _is_unquoted(sample):
            return Dialect(delimiter, quoting=False)
        spaced = f'{delimiter} "' in sample and f'{delimiter}"' not in sample
        return Dialect(delimiter, backslash, spaced)

    def _split(self, sample: str, width: int) -> Iterator[list[str] | Fault]:
        splitter = RecordSplitter(iter(io.StringIO(sample, newline="")), self.dialect, width, Counter())
        for count, record in enumerate(splitter):
            if count >= _SAMPLE_RECORDS:
                return
            yield record

    def _whole_header(self, records: list[list[str]]) -> list[str]:
        """Return the header, with a place for the column of row names that R writes without one."""
        header, below = records[0], records[1:]
        longer = sum(len(record) == len(header) + 1 for record in below)
        if len(header) < 2 or not below or longer < 0.9 * len(below):
            return header
        self.notes["the first column has no name in the header: it is named column 1"] += 1
        return ["", *header]

    def _named(self, cells: Sequence[str]) -> list[str]:
        names, renamed = unique_names(cells)
        for name in renamed:
            self.notes[f"duplicate column renamed to {name!r}"] += 1
        return names


def to_row(
    record: list[str] | Fault, taken: list[str], columns: Sequence[str], number: int, encoding: str
) -> Row | BadRow | None:
    """Return the row of a record, or why it is none; None for a record without any value.

    ``taken`` is the record's own text, line by line.
    """
    if isinstance(record, Fault):
        return BadRow(number, record.reason, storable(record.raw))
    width = len(columns)
    if len(record) > width and not any(value.strip() for value in record[width:]):
        record = record[:width]
    if not any(value.strip() for value in record):
        return None
    raw = taken[0] if len(taken) == 1 else "".join(taken)
    reason = undecoded_reason(raw, encoding)
    if not reason and len(record) != width:
        have = "1 field" if len(record) == 1 else f"{len(record)} fields"
        reason = f"{have} where the header has {width}"
    if reason:
        return BadRow(number, reason, storable(raw.rstrip("\r\n")))
    return Row(number, dict(zip(columns, record, strict=True)))


def reread(raw: str, layout: dict[str, Any], number: int) -> Row | BadRow:
    """Read one raw row again, as the source it came from was laid out (``DelimitedReader.layout``)."""
    dialect = Dialect(
        layout["delimiter"], layout["backslash"], layout["space_before_quote"], layout["quoting"]
    )
    columns = layout["columns"]
    splitter = RecordSplitter(iter(io.StringIO(raw, newline="")), dialect, len(columns), Counter())
    records = [to_row(record, splitter.taken, columns, number, "utf-8") for record in splitter]
    if len(records) == 1 and records[0] is not None:
        return records[0]
    return BadRow(number, "the text is not one row", raw)


def best_delimiter(sample: str) -> str:
    """Return the delimiter under which most records have the header's width (or one more), or NO_DELIMITER."""
    best, best_score = NO_DELIMITER, (0.0, 0)
    for delimiter in DELIMITERS:
        widths = []
        for record in RecordSplitter(iter(io.StringIO(sample, newline="")), Dialect(delimiter), 0, Counter()):
            if isinstance(record, list):
                widths.append(len(record))
            if len(widths) >= _SAMPLE_RECORDS:
                break
        if not widths or widths[0] < 2:
            continue
        # Row names may stand before the columns that the header names.
        counts = Counter(widths[1:] or widths)
        agreeing = max(counts[widths[0]], counts[widths[0] + 1]) / max(1, len(widths) - 1)
        if agreeing < 0.5 and widths[0] < 3:
            continue
        if (agreeing, widths[0]) > best_score:
            best, best_score = delimiter, (agreeing, widths[0])
    return best


def _is_unquoted(sample: str) -> bool:
    """Tell whether tab-separated lines have one width as they stand, but not when their quotes are obeyed."""
    if '"' not in sample:
        return False
    lines = [line for line in sample.splitlines() if line.strip()][:_SAMPLE_RECORDS]
    plain = {line.count("\t") for line in lines}
    if len(plain) != 1:
        return False
    width = plain.pop() + 1
    records = RecordSplitter(iter(io.StringIO(sample, newline="")), Dialect("\t"), width, Counter())
    return any(isinstance(record, Fault) or len(record) != width for record in records)


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first record names columns: it does unless it is of the kind of the values below it."""
    first, below = records[0], records[1:]
    if not below:
        return True
    for column, cell in enumerate(first):
        values = [record[column] for record in below if len(record) > column and record[column].strip()]
        if not cell.strip() or not values:
            continue
        for kind in (_is_number, looks_like_date, _is_address, _is_sentence):
            if kind(cell) and sum(map(kind, values)) > 0.6 * len(values):
                return False
    return True


def _is_number(value: str) -> bool:
    return _NUMBER.match(value.strip()) is not None


def _is_address(value: str) -> bool:
    return value.startswith(("http://", "https://"))


def _is_sentence(value: str) -> bool:
    return len(value.split()) >= 6 and not value.rstrip().endswith("?")


def unique_names(cells: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return column names without repeats (``name (2)``), and the ones that were renamed."""
    names: list[str] = []
    renamed: list[str] = []
    taken = {" ".join(cell.split()) for cell in cells}
    for position, cell in enumerate(cells, start=1):
        name = " ".join(storable(cell.replace("\ufeff", "")).split()) or f"column {position}"
        if name in names:
            count = 2
            while f"{name} ({count})" in taken or f"{name} ({count})" in names:
                count += 1
            name = f"{name} ({count})"
            renamed.append(name)
        names.append(name)
    return names, renamed


def _detected(source: ByteSource) -> Encoding:
    with source.open() as file:
        return detect(file)


__all__ = ["DelimitedReader", "best_delimiter", "has_header", "reread", "to_row", "unique_names"]
