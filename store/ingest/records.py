"""Splits delimited lines into records, and finds its way again after a quote that never closes.

Python's own csv module reads past an unclosed quote until the next quote anywhere, and joins the rows between into
one without a word. Here a record that cannot be right costs its first line alone; reading goes on at the next line.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from store.ingest.rows import MAX_ROW_CHARS
from store.ingest.text_lines import OVERLONG_REASON, Overlong

#: Stands for "no delimiter": a one-column file whose texts may hold any of the usual ones.
NO_DELIMITER: Final = "\x1f"
#: Records from which the columns' shapes are learned.
_LEARN_FROM: Final = 50
#: Longest text, in lines, whose quotes may be not doubled: each such row may cost this much reading ahead.
_LENIENT_LINES: Final = 100
#: What a column may always hold, the narrowest first: numbers, dates and times, single words such as keys and codes.
_SHAPES: Final = (
    re.compile(r"[+-]?\d+(?:[.,]\d+)?\Z"),
    re.compile(r"\d[\d\-/.:TZ +]{3,30}\Z"),
    re.compile(r"\S{1,64}\Z"),
)

UNCLOSED: Final = "a quote is opened and never closed"
STRAY_QUOTE: Final = "a quote inside a quoted field is not doubled"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited file writes its fields: whether a backslash escapes a quote, whether quotes mean anything."""

    delimiter: str = ","
    backslash: bool = False
    space_before_quote: bool = False
    quoting: bool = True


@dataclass(frozen=True, slots=True)
class Fault:
    """A record that could not be split."""

    reason: str
    raw: str


class State(Enum):
    """Where a parser stands at the end of a line."""

    DONE = 1
    OPEN = 2
    MALFORMED = 3


class RecordParser:
    """Splits one record, fed line by line.

    ``lenient`` takes a quote that no delimiter or line end follows as an ordinary character.
    """

    __slots__ = ("_closed", "_delimiter", "_lenient", "_parts", "_quotes", "_skip_space", "fields")

    def __init__(self, dialect: Dialect, *, lenient: bool = False) -> None:
        self.fields: list[str] = []
        self._parts: list[str] | None = None
        self._delimiter = dialect.delimiter
        self._skip_space = dialect.space_before_quote
        self._quotes = _quote_pattern(dialect.backslash)
        self._lenient = lenient

    def feed(self, line: str) -> State:
        """Read one physical line with its end; return where the record stands."""
        body = line.rstrip("\r\n")
        position = 0
        if self._parts is not None:
            position, state = self._quoted(line, body, 0)
            if state is not State.DONE:
                return state
            if position > len(body):
                return State.DONE
        while True:
            start = position
            if self._skip_space:
                while start < len(body) and body[start] == " ":
                    start += 1
            if start < len(body) and body[start] == '"':
                self._parts = []
                position, state = self._quoted(line, body, start + 1)
                if state is not State.DONE:
                    return state
                if position > len(body):
                    return State.DONE
                continue
            end = body.find(self._delimiter, position)
            if end < 0:
                self.fields.append(body[position:])
                return State.DONE
            self.fields.append(body[position:end])
            position = end + 1

    def _quoted(self, line: str, body: str, position: int) -> tuple[int, State]:
        """Read on inside a quoted field; return the start of the next field (beyond the body's end at its end)."""
        assert self._parts is not None
        start = position
        for match in self._quotes.finditer(body, position):
            run = match.group()
            if run[0] == "\\" or len(run) % 2 == 0:
                continue
            after = match.end()
            follower = body[after : after + 1]
            if follower not in ("", self._delimiter):
                if (
                    self._skip_space
                    and follower == " "
                    and body[after:].lstrip(" ")[:1]
                    in (
                        "",
                        self._delimiter,
                    )
                ):
                    after = len(body) - len(body[after:].lstrip(" "))
                elif self._lenient:
                    continue
                else:
                    return position, State.MALFORMED
            self._parts.append(body[start : match.end() - 1])
            self.fields.append(self._unescape("".join(self._parts)))
            self._parts = None
            return after + 1, State.DONE
        self._parts.append(line[start:])
        return len(body) + 1, State.OPEN

    def _unescape(self, value: str) -> str:
        if '"' not in value:
            return value
        if self._quotes is _quote_pattern(True):
            value = value.replace('\\"', '"').replace("\\\\", "\\")
        return value.replace('""', '"')


@lru_cache(maxsize=2)
def _quote_pattern(backslash: bool) -> re.Pattern[str]:
    return re.compile(r'\\.|"+' if backslash else r'"+')


class RecordSplitter:
    """Records of a stream of lines.

    Parameters
    ----------
    lines
        Physical lines with their ends.
    dialect
        How fields are written.
    width
        Number of columns, or 0 while it is not known (sniffing).
    notes
        Counts of what was set right.
    """

    def __init__(self, lines: Iterator[str], dialect: Dialect, width: int, notes: Counter[str]) -> None:
        self._lines = lines
        self._held: deque[str] = deque()
        self._dialect = dialect
        self._width = width
        self._notes = notes
        #: Records learned from; the first record, which may be the header, teaches nothing.
        self._learned = -1
        #: Physical lines of the record that was yielded last.
        self.taken: list[str] = []
        self._shapes: list[set[re.Pattern[str]]] = [set(_SHAPES) for _ in range(width)]
        self._filled = [False] * width
        self._empty = [False] * width

    def __iter__(self) -> Iterator[list[str] | Fault]:
        delimiter, quoting = self._dialect.delimiter, self._dialect.quoting
        while (line := self._next()) is not None:
            self.taken = [line]
            if isinstance(line, Overlong):
                yield Fault(OVERLONG_REASON, line)
            elif not quoting or '"' not in line:
                body = line.rstrip("\r\n")
                if body.strip():
                    yield self._learn(body.split(delimiter))
            else:
                yield self._quoted(line)

    def _next(self) -> str | None:
        return self._held.popleft() if self._held else next(self._lines, None)

    def _quoted(self, first: str) -> list[str] | Fault:
        fields, state, taken = self._try(first, lenient=False)
        if state is State.DONE:
            if len(taken) == 1:
                return self._learn(fields)
            if not self._swallowed(taken, fields):
                self.taken = taken
                # A text with lines that might be rows says nothing sure of the columns.
                return fields if any(map(self._is_row, taken[1:])) else self._learn(fields)
            state = State.OPEN
        elif state is State.MALFORMED:
            self._give_back(taken)
            fields, repaired, taken = self._try(first, lenient=True)
            if repaired is State.DONE and len(fields) == self._width:
                self._notes["rows with quotes that are not doubled, read as they stand"] += 1
                self.taken = taken
                return fields
        self._give_back(taken)
        return Fault(UNCLOSED if state is State.OPEN or len(taken) > 1 else STRAY_QUOTE, first)

    def _try(self, first: str, *, lenient: bool) -> tuple[list[str], State, list[str]]:
        parser = RecordParser(self._dialect, lenient=lenient)
        taken = [first]
        size = len(first)
        state = parser.feed(first)
        while state is State.OPEN and size < MAX_ROW_CHARS:
            line = self._next()
            if line is None:
                break
            taken.append(line)
            size += len(line)
            if isinstance(line, Overlong):
                break
            if lenient and (len(taken) > _LENIENT_LINES or not self._continues(line)):
                break
            state = parser.feed(line)
        return parser.fields, state, taken

    def _give_back(self, taken: list[str]) -> None:
        self._held.extendleft(reversed(taken[1:]))

    def _learn(self, fields: list[str]) -> list[str]:
        if self._learned < _LEARN_FROM and len(fields) == self._width:
            self._learned += 1
            for column, value in enumerate(fields):
                if self._learned < 1:
                    continue
                if not value:
                    self._empty[column] = True
                else:
                    self._filled[column] = True
                    self._shapes[column] = {shape for shape in self._shapes[column] if shape.match(value)}
        return fields

    def _swallowed(self, taken: list[str], fields: list[str]) -> bool:
        """Tell whether a record of several lines is really several rows behind an unclosed quote."""
        if self._width < 2:
            return False
        if len(fields) > self._width and any(fields[self._width :]):
            return True
        if len(fields) < self._width:
            return True
        if not self._ends_as_row(taken[0]):
            return False
        alike = sum(self._is_row(line) for line in taken[1:])
        continued = len(taken) - 1
        # Without a column that looks like something, lines of a text may have as many delimiters by chance.
        return 2 * alike > continued if self._shaped() else continued >= 3 and alike == continued

    def _continues(self, line: str) -> bool:
        """Tell whether a line may go on inside a text whose quotes are not doubled: it does not look like a row."""
        opening = self._dialect.delimiter + '"'
        return not (line.startswith('"') or opening in line or self._is_row(line))

    def _shaped(self) -> list[int]:
        """Columns that always held a value of one shape."""
        if self._learned < 1:
            return []
        return [c for c in range(self._width) if self._filled[c] and self._shapes[c]]

    def _is_row(self, line: str) -> bool:
        """Tell whether a line on its own reads as a row: the right width, and in each column what stands there."""
        parser = RecordParser(self._dialect)
        if parser.feed(line) is not State.DONE or len(parser.fields) != self._width:
            return False
        return self._fits(dict(enumerate(parser.fields)))

    def _ends_as_row(self, line: str) -> bool:
        """Tell whether a line with an open quote goes on as a row would: its last fields are in their places."""
        parser = RecordParser(self._dialect)
        parser.feed(line)
        opened = len(parser.fields)
        missing = self._width - 1 - opened
        pieces = line.rstrip("\r\n").split(self._dialect.delimiter)[opened + 1 :]
        if missing > len(pieces):
            return False
        last = pieces[len(pieces) - missing :]
        return self._fits(dict(enumerate(last, opened + 1)))

    def _fits(self, fields: Mapping[int, str]) -> bool:
        """Tell whether these columns' values look like what always stood there."""
        shaped = self._shaped()
        return all(
            all(shape.match(value) for shape in self._shapes[column]) if value else self._empty[column]
            for column, value in fields.items()
            if column in shaped
        )


__all__ = [
    "NO_DELIMITER",
    "STRAY_QUOTE",
    "UNCLOSED",
    "Dialect",
    "Fault",
    "RecordParser",
    "RecordSplitter",
    "State",
]
