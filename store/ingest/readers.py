"""Opens any source: which reader a path needs, and folders of files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from store.errors import IngestError, UsageError
from store.ingest.encoding import given
from store.ingest.opening import check_exists, magic
from store.ingest.plain import Split
from store.ingest.rows import BadRow, Reader, Row

#: Endings (before an optional ``.gz`` for the text kinds) and the formats they stand for.
FORMATS: Final = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
}
_BINARY: Final = {"zip": "xlsx", "parquet": "parquet"}
_TABLES: Final = ("csv", "tsv")
_PLAIN: Final = ("text", "markdown")
#: The formats that an option means anything for.
_MEANT_FOR: Final = {
    "encoding": (*_TABLES, "json", "jsonl", *_PLAIN),
    "sheet": ("xlsx",),
    "delimiter": _TABLES,
    "header": _TABLES,
    "split": _PLAIN,
}
_OFFERED: Final = "csv, tsv, json, jsonl, xlsx, parquet, text, markdown"


def open_source(
    path: str | Path,
    *,
    format: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    split: Split | None = None,
) -> Reader:
    """Open a file, or a folder of files, for reading row by row.

    Parameters
    ----------
    path
        File (text kinds also as ``.gz``) or folder, which is read with its subfolders in the order of names.
    format
        One of csv, tsv, json, jsonl, xlsx, parquet, text, markdown; None to go by the file's ending.
    encoding, delimiter, header
        Of a text file; None to find them.
    sheet
        Of a workbook; None for the first one with rows.
    split
        What one document of a plain text is: ``file`` (None), ``blank-lines`` or ``lines``.

    Raises
    ------
    UsageError
        No such file, format, encoding or sheet, or an option that means nothing for the file, or for any of the
        folder's.
    IngestError
        The file is empty, damaged, or of a format that is not read.
    """
    path = Path(path)
    check_exists(path)
    if format is not None and format not in FORMATS.values():
        raise UsageError(f"unknown format {format!r}", f"one of {_OFFERED}")
    if split not in (None, "file", "blank-lines", "lines"):
        raise UsageError(f"unknown way to split {split!r}", "one of file, blank-lines, lines")
    if encoding is not None:
        given(encoding)
    options: dict[str, Any] = {
        "encoding": encoding,
        "sheet": sheet,
        "delimiter": delimiter,
        "header": header,
        "split": split,
    }
    if path.is_dir():
        return FolderReader(path, format, options)
    kind = format or format_of(path)
    if not kind:
        raise UsageError(f"{path.name}: the ending tells no format", f"give one with --format: {_OFFERED}")
    _refuse_meaningless(options, {kind}, path.name)
    _check_content(path, kind)
    return _reader(path, kind, options)


def format_of(path: Path) -> str:
    """Return the format that a file's ending stands for, or an empty text."""
    name = path.name.lower()
    inner = name.removesuffix(".gz")
    kind = FORMATS.get(os.path.splitext(inner)[1], "")
    return "" if inner != name and kind in _BINARY.values() else kind


def _reader(path: Path, kind: str, options: dict[str, Any], name: str = "") -> Reader:
    if kind in ("csv", "tsv"):
        from store.ingest.delimited import DelimitedReader

        return DelimitedReader(
            path,
            kind,
            encoding=options["encoding"],
            delimiter=options["delimiter"],
            header=options["header"],
        )
    if kind in ("json", "jsonl"):
        from store.ingest.json_rows import JsonReader

        return JsonReader(path, kind, encoding=options["encoding"])
    if kind == "xlsx":
        from store.ingest.excel import ExcelReader

        return ExcelReader(path, sheet=options["sheet"])
    if kind == "parquet":
        from store.ingest.parquet import ParquetReader

        return ParquetReader(path)
    from store.ingest.plain import PlainReader

    return PlainReader(path, kind, encoding=options["encoding"], split=options["split"] or "file", name=name)


def _refuse_meaningless(options: dict[str, Any], kinds: set[str], name: str) -> None:
    """Raise UsageError for an option that is given and means nothing for files of any of these formats."""
    for option, value in options.items():
        meant = _MEANT_FOR[option]
        if value is not None and not kinds & set(meant):
            raise UsageError(
                f"--{option} means nothing for {name} ({', '.join(sorted(kinds))})",
                f"leave it out; it is for {', '.join(meant)}",
            )


def _check_content(path: Path, kind: str) -> None:
    """Raise IngestError when the first bytes show another format than the ending."""
    found = magic(path)
    if found in ("", "gzip") and kind not in _BINARY.values():
        return
    if _BINARY.get(found) == kind:
        return
    if not found:
        raise IngestError(f"{path.name} is no {kind} file", "check the file, or give its --format")
    if found == "old Excel":
        raise IngestError(
            f"{path.name} is an old Excel or a password-protected workbook", "save it as plain .xlsx"
        )
    shown = {"zip": "a ZIP archive or an Excel workbook", "parquet": "a Parquet file"}.get(
        found, f"a {found}"
    )
    raise IngestError(
        f"{path.name} is {shown}, not {kind}", "give its --format, or unpack or convert it first"
    )


class FolderReader:
    """Rows of every readable file in a folder; numbers run on from file to file, ``where`` names the file."""

    kind = "folder"
    columns: list[str] = []  # noqa: RUF012  (files have their own)

    def __init__(self, path: Path, format: str | None, options: dict[str, Any]) -> None:
        self.notes: Counter[str] = Counter()
        self.encoding = options["encoding"] or ""
        self._path = path
        self._options = options
        self._files: list[tuple[Path, str]] = []
        self._done = 0
        self._open: Reader | None = None
        for file in _walk(path):
            kind = format_of(file)
            if kind and (format is None or kind == format):
                self._files.append((file, kind))
            else:
                self.notes["files of other formats in the folder, not read"] += 1
        if not self._files:
            raise IngestError(f"no readable files in {path}", f"readable are {_OFFERED}")
        _refuse_meaningless(options, {kind for _, kind in self._files}, str(path))

    def layout(self) -> dict[str, Any]:
        """Nothing: raw rows of a folder are read again from its files."""
        return {}

    def fraction(self) -> float | None:
        """Share of the files read."""
        within = (self._open.fraction() if self._open else 0.0) or 0.0
        return min(1.0, (self._done + within) / len(self._files))

    def __iter__(self) -> Iterator[Row | BadRow]:
        number = 0
        self._done = 0
        for file, kind in self._files:
            name = file.relative_to(self._path).as_posix()
            try:
                check_exists(file)
                _check_content(file, kind)
                self._open = _reader(file, kind, self._options, name)
            except (IngestError, UsageError) as error:
                number += 1
                yield BadRow(number, error.message, "", name)
                self._done += 1
                continue
            try:
                for row in self._open:
                    number += 1
                    yield replace(row, number=number, where=name)
            except IngestError as error:
                # This file breaks off; the others need not suffer for it.
                number += 1
                yield BadRow(number, error.message, "", name, fatal=True)
            self.notes.update(self._open.notes)
            self._done += 1


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith((".", "~$")):
                yield Path(root) / name


__all__ = ["FORMATS", "BadRow", "FolderReader", "Reader", "Row", "format_of", "open_source"]
