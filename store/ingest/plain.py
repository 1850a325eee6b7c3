"""Plain text and Markdown: one document a file, or one a paragraph, or one a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from store.ingest.encoding import detect, given, storable
from store.ingest.opening import ByteSource
from store.ingest.rows import MAX_ROW_CHARS, BadRow, Row
from store.ingest.text_lines import OVERLONG_REASON, Overlong, lines, undecoded_reason

Split = Literal["file", "blank-lines", "lines"]
_HEADING: Final = re.compile(r"#{1,6}\s+(.+?)\s*#*\s*\Z")


class PlainReader:
    """Documents of a text file.

    ``split`` says what one document is: the whole ``file`` (named by the file, so that a changed file updates its
    document), a paragraph between ``blank-lines``, or one of the ``lines``. The title of a whole Markdown file is its
    first heading.
    """

    def __init__(
        self, path: Path, kind: str, *, encoding: str | None = None, split: Split = "file", name: str = ""
    ) -> None:
        self.kind = kind
        self.notes: Counter[str] = Counter()
        self._source = ByteSource(path)
        with self._source.open() as file:
            self._encoding = given(encoding) if encoding else detect(file)
        self.encoding = self._encoding.name
        self._split = split
        self._name = name or path.name
        self.columns = ["id", "title", "text"] if split == "file" else ["text"]

    def layout(self) -> dict[str, Any]:
        """Columns and what one document is."""
        return {"columns": self.columns, "split": self._split}

    def fraction(self) -> float | None:
        """Share of the file's bytes read."""
        return self._source.fraction()

    def __iter__(self) -> Iterator[Row | BadRow]:
        for number, text in enumerate(self._blocks(), start=1):
            reason = OVERLONG_REASON if isinstance(text, Overlong) else undecoded_reason(text, self.encoding)
            if reason:
                yield BadRow(number, reason, storable(text))
            elif self._split == "file":
                yield Row(number, {"id": self._name, "title": self._title(text), "text": text})
            else:
                yield Row(number, {"text": text})

    def _title(self, text: str) -> str:
        if self.kind != "markdown":
            return ""
        headings = (_HEADING.match(line) for line in text.splitlines()[:50])
        return next((match.group(1) for match in headings if match), "")

    def _blocks(self) -> Iterator[str]:
        """Yield the texts of the documents; an Overlong one for a text that is longer than a row may be."""
        held: list[str] = []
        size = 0
        for line in lines(self._source, self._encoding, self.notes):
            if self._split == "lines":
                if line.strip():
                    yield line if isinstance(line, Overlong) else line.rstrip("\r\n")
                continue
            if self._split == "blank-lines" and not line.strip():
                if held:
                    yield _joined(held, size)
                held, size = [], 0
                continue
            if size <= MAX_ROW_CHARS:
                held.append(line)
            size += MAX_ROW_CHARS + 1 if isinstance(line, Overlong) else len(line)
        if held or self._split == "file":
            yield _joined(held, size)


def _joined(held: list[str], size: int) -> str:
    text = "".join(held)
    return Overlong(text[:10_000]) if size > MAX_ROW_CHARS else text.rstrip("\r\n")


__all__ = ["PlainReader", "Split"]
