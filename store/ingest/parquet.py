"""Parquet files, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from store.errors import IngestError
from store.ingest.flatten import flatten
from store.ingest.opening import reading
from store.ingest.rows import BadRow, Row

_BATCH: Final = 1000


class ParquetReader:
    """Rows of a Parquet file; nested columns get dotted names."""

    kind = "parquet"
    encoding = ""

    def __init__(self, path: Path) -> None:
        self.notes: Counter[str] = Counter()
        self._path = path
        self._done = 0
        with self._open() as file:
            self._total = int(file.metadata.num_rows)
            self.columns = list(file.schema_arrow.names)
        if self._total == 0:
            raise IngestError(f"{path} has no rows", "nothing was stored")

    def layout(self) -> dict[str, Any]:
        """Columns."""
        return {"columns": self.columns}

    def fraction(self) -> float | None:
        """Share of the rows read."""
        return min(1.0, self._done / self._total)

    def __iter__(self) -> Iterator[Row | BadRow]:
        import pyarrow

        self._done = 0
        with self._open() as file:
            try:
                for batch in file.iter_batches(batch_size=_BATCH):
                    for record in batch.to_pylist():
                        self._done += 1
                        fields = flatten(record)
                        if any(value.strip() for value in fields.values()):
                            yield Row(self._done, fields)
                        else:
                            yield BadRow(self._done, "the row has no values", "")
            except (pyarrow.ArrowException, OSError) as error:
                raise IngestError(
                    f"{self._path} is damaged ({_first_line(error)})",
                    "get the file again",
                ) from error

    def _open(self) -> Any:
        import pyarrow
        from pyarrow import parquet

        with reading(self._path):
            try:
                return parquet.ParquetFile(self._path)
            except (pyarrow.ArrowException, OSError) as error:
                if isinstance(error, OSError) and error.errno:
                    raise
                raise IngestError(
                    f"{self._path} is no readable Parquet file ({_first_line(error)})", "get the file again"
                ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


__all__ = ["ParquetReader"]
