"""What every reader yields, and the reader's port."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

#: Longest row, in characters, that is read: longer ones go to quarantine with their beginning.
MAX_ROW_CHARS: Final = 16 * 1024 * 1024
#: How much of an over-long row is kept.
KEPT_OF_OVERLONG: Final = 10_000


@dataclass(frozen=True, slots=True)
class Row:
    """One data row.

    Attributes
    ----------
    number
        1-based number of the row in the source (blank rows are not counted).
    fields
        Column name to text; a missing value is the empty text.
    where
        The file inside a folder that the row came from, or empty.
    """

    number: int
    fields: dict[str, str]
    where: str = ""


@dataclass(frozen=True, slots=True)
class BadRow:
    """One row that could not be read: why, and its raw text. ``fatal``: nothing after it could be read either."""

    number: int
    reason: str
    raw: str
    where: str = ""
    fatal: bool = False


class Reader(Protocol):
    """Rows of one source, lazily. Iterating again starts again."""

    @property
    def kind(self) -> str:
        """Format: ``csv``, ``tsv``, ``json``, ``jsonl``, ``xlsx``, ``parquet``, ``text``, ``markdown``, ``folder``."""
        ...

    @property
    def encoding(self) -> str:
        """Character encoding used, or empty for binary formats."""
        ...

    @property
    def columns(self) -> list[str]:
        """Column names where the format declares them before the rows, else empty."""
        ...

    @property
    def notes(self) -> Counter[str]:
        """What was found on the way and set right, with counts (renamed headers, stripped NUL bytes ...)."""
        ...

    def layout(self) -> dict[str, Any]:
        """Return what is needed to read one raw row again (delimiter, columns ...), as JSON values."""
        ...

    def fraction(self) -> float | None:
        """Share of the source read so far, in [0, 1], or None when it is not known."""
        ...

    def __iter__(self) -> Iterator[Row | BadRow]: ...


__all__ = ["KEPT_OF_OVERLONG", "MAX_ROW_CHARS", "BadRow", "Reader", "Row"]
