"""Excel workbooks, row by row."""

from __future__ import annotations

import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

from store.errors import IngestError, UsageError
from store.ingest.delimited import unique_names
from store.ingest.flatten import as_text
from store.ingest.opening import reading
from store.ingest.rows import BadRow, Row

#: What reading a damaged workbook raises; parsers of XML raise a SyntaxError.
_DAMAGED: Final = (BadZipFile, EOFError, KeyError, SyntaxError, ValueError, zlib.error)


class ExcelReader:
    """Rows of one sheet: the named one, else the first that has any. Formulas give their stored values."""

    kind = "xlsx"
    encoding = ""

    def __init__(self, path: Path, *, sheet: str | None = None) -> None:
        self.notes: Counter[str] = Counter()
        self._path = path
        self._done = 0
        book = self._open()
        try:
            names = list(book.sheetnames)
            if sheet is not None and sheet not in names:
                from difflib import get_close_matches

                near = get_close_matches(sheet, names, n=1, cutoff=0.0)
                raise UsageError(
                    f"{path.name} has no sheet {sheet!r}",
                    f"did you mean {near[0]!r}?" if near else f"its sheets are {', '.join(names)}",
                )
            filled = (name for name in names if next(self._values(book[name]), None) is not None)
            self._sheet = sheet or next(filled, names[0])
            if sheet is None and len(names) > 1:
                self.notes[f"sheet {self._sheet!r} of {len(names)} was read; others by --sheet"] += 1
            header = next(self._values(book[self._sheet]), None)
            if header is None:
                raise IngestError(f"{path} has no rows", "nothing was stored")
            self.columns, renamed = unique_names([as_text(value) for value in header])
            for name in renamed:
                self.notes[f"duplicate column renamed to {name!r}"] += 1
            self._total = max(1, book[self._sheet].max_row or 1)
        finally:
            book.close()

    def layout(self) -> dict[str, Any]:
        """Columns and sheet."""
        return {"columns": self.columns, "sheet": self._sheet}

    def fraction(self) -> float | None:
        """Share of the sheet's rows read."""
        return min(1.0, self._done / self._total)

    def __iter__(self) -> Iterator[Row | BadRow]:
        book = self._open()
        width = len(self.columns)
        self._done = 0
        try:
            rows = self._values(book[self._sheet])
            next(rows, None)
            for number, values in enumerate(rows, start=1):
                self._done = number
                texts = [as_text(value) for value in values]
                if any(texts[width:]):
                    raw = "\t".join(texts)
                    yield BadRow(number, f"{len(texts)} fields where the header has {width}", raw)
                    continue
                texts += [""] * (width - len(texts))
                yield Row(number, dict(zip(self.columns, texts, strict=False)))
        finally:
            book.close()

    def _open(self) -> Any:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException

        with reading(self._path), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return openpyxl.load_workbook(self._path, read_only=True, data_only=True)
            except (*_DAMAGED, InvalidFileException) as error:
                raise IngestError(
                    f"{self._path} is no readable Excel workbook ({error})", "save it again as .xlsx"
                ) from error

    def _values(self, sheet: Any) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a sheet that hold any value. Dimensions are not trusted: exporters write wrong ones.

        Raises
        ------
        IngestError
            The sheet is damaged further on.
        """
        if not hasattr(sheet, "iter_rows"):
            return
        if hasattr(sheet, "reset_dimensions"):
            sheet.reset_dimensions()
        rows = sheet.iter_rows(values_only=True)
        while True:
            with reading(self._path), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    values = next(rows, None)
                except _DAMAGED as error:
                    raise IngestError(
                        f"{self._path} is damaged ({error})", "save it again as .xlsx"
                    ) from error
            if values is None:
                return
            if any(value is not None and str(value).strip() for value in values):
                yield values


__all__ = ["ExcelReader"]
