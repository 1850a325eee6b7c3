"""JSON and JSON Lines, one row at a time: a file of any size needs the memory of its longest row."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TextIO

from store.errors import IngestError
from store.ingest.encoding import detect, given, storable
from store.ingest.flatten import flatten
from store.ingest.opening import CHUNK, ByteSource
from store.ingest.rows import KEPT_OF_OVERLONG, MAX_ROW_CHARS, BadRow, Row
from store.ingest.text_lines import OVERLONG_REASON, Overlong, lines, open_text, undecoded_reason

#: Takes tabs and other control characters in texts as they stand, as many writers leave them.
_DECODER: Final = json.JSONDecoder(strict=False)
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_NEXT_OBJECT: Final = re.compile(r"\}\s*,?\s*(?=\{)")
_ARRAY_START: Final = re.compile(r"\[\s*(\S)")
_STACKED: Final = re.compile(r"^\}\s*^\{", re.MULTILINE)


class JsonReader:
    """Rows of a JSON file: an array, an object that holds one array, objects one after another, or JSON Lines."""

    columns: list[str] = []  # noqa: RUF012  (rows name their own columns)

    def __init__(self, path: Path, kind: str, *, encoding: str | None = None) -> None:
        self.notes: Counter[str] = Counter()
        self._path = path
        self._source = ByteSource(path)
        with self._source.open() as file:
            self._encoding = given(encoding) if encoding else detect(file)
        self.encoding = self._encoding.name
        sample = self._source.sample().decode(self.encoding, "replace").removeprefix("\ufeff")
        self.kind = "jsonl" if _is_lines(sample, kind, path) else "json"
        self._stacked = self.kind == "json" and _STACKED.search(sample) is not None

    def layout(self) -> dict[str, Any]:
        """Nothing is needed beside the kind."""
        return {}

    def fraction(self) -> float | None:
        """Share of the file's bytes read."""
        return self._source.fraction()

    def __iter__(self) -> Iterator[Row | BadRow]:
        if self.kind == "jsonl":
            yield from self._from_lines()
            return
        with (
            self._source.open() as binary,
            open_text(self._encoding, binary) as text,
        ):
            yield from self._from_values(text)

    def _from_lines(self) -> Iterator[Row | BadRow]:
        number = 0
        for line in lines(self._source, self._encoding, self.notes):
            if not line.strip():
                continue
            number += 1
            if isinstance(line, Overlong):
                yield BadRow(number, OVERLONG_REASON, storable(line))
                continue
            reason = undecoded_reason(line, self.encoding)
            yield BadRow(number, reason, storable(line)) if reason else json_row(line, number)

    def _from_values(self, text: TextIO) -> Iterator[Row | BadRow]:
        for number, item in enumerate(elements(_Buffer(text), self._stacked, self.notes), start=1):
            if isinstance(item, _Broken):
                yield BadRow(number, item.reason, storable(item.raw), fatal=item.fatal)
            else:
                yield _as_row(item, number, self.encoding)


class _Broken:
    """A piece of a JSON file that is no value."""

    def __init__(self, reason: str, raw: str, fatal: bool) -> None:
        self.reason, self.raw, self.fatal = reason, raw, fatal


class _Buffer:
    """A window on a long JSON text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.text = ""
        self.position = 0
        self.passed = 0
        self.ended = False

    def fill(self) -> bool:
        """Read more; return whether there was more."""
        if self.ended:
            return False
        more = self._stream.read(max(CHUNK, len(self.text) - self.position))
        if not more:
            self.ended = True
            return False
        self.passed += self.position
        self.text = self.text[self.position :] + more
        self.position = 0
        return True

    def rest(self) -> str:
        """Give up: return the beginning of what is left, and be at the end."""
        left = self.text[self.position : self.position + KEPT_OF_OVERLONG]
        self.position, self.ended = len(self.text), True
        return left

    def peek(self) -> str:
        """Pass over white space; return the next character, or an empty text at the end."""
        while True:
            match = _SPACE.match(self.text, self.position)
            assert match is not None
            self.position = match.end()
            if self.position < len(self.text):
                if self.text[self.position] != "\ufeff":
                    return self.text[self.position]
                self.position += 1
            elif not self.fill():
                return ""

    def value(self) -> Any:
        """Decode the value that starts here.

        Raises
        ------
        ValueError, RecursionError
            It is no JSON value, is cut short, or is longer than a row may be.
        """
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.position)
            except json.JSONDecodeError:
                if len(self.text) - self.position >= MAX_ROW_CHARS or not self.fill():
                    raise
                continue
            if end < len(self.text) or not self.fill():
                self.position = end
                return value


def elements(buffer: _Buffer, stacked: bool, notes: Counter[str]) -> Iterator[Any]:
    """Yield the elements of the array that a JSON text is or holds; ``_Broken`` for what cannot be read."""
    first = buffer.peek()
    if first == "[":
        buffer.position += 1
        yield from _array(buffer)
        if buffer.peek():
            yield _Broken("text after the end of the JSON array", buffer.rest(), True)
    elif stacked:
        while buffer.peek():
            yield _element(buffer)
    elif first == "{":
        yield from _members(buffer, notes)
    else:
        yield _Broken("not JSON: neither an array nor an object", buffer.rest(), True)


def _array(buffer: _Buffer) -> Iterator[Any]:
    while True:
        char = buffer.peek()
        if char == "]":
            buffer.position += 1
            return
        if char == ",":
            buffer.position += 1
            continue
        if char == "":
            yield _Broken("the JSON array is cut short", "", True)
            return
        item = _element(buffer)
        yield item
        if isinstance(item, _Broken) and item.fatal:
            return


def _element(buffer: _Buffer) -> Any:
    try:
        return buffer.value()
    except (ValueError, RecursionError) as error:
        return _resume(buffer, error)


def _resume(buffer: _Buffer, error: ValueError | RecursionError) -> _Broken:
    """Pass over a broken element, to the next ``{`` that follows a ``}``."""
    fault = max(buffer.position, min(getattr(error, "pos", 0), len(buffer.text)))
    where = f"not valid JSON at character {buffer.passed + fault + 1} of the file"
    reason = f"{where}: {getattr(error, 'msg', 'nested too deeply')}"
    start = buffer.position
    match = _NEXT_OBJECT.search(buffer.text, start if isinstance(error, RecursionError) else fault)
    match = match or _NEXT_OBJECT.search(buffer.text, start)
    if match is None:
        return _Broken(f"{reason}; nothing after it could be read", buffer.rest(), True)
    buffer.position = match.end()
    return _Broken(reason, buffer.text[start : match.start() + 1], False)


def _members(buffer: _Buffer, notes: Counter[str]) -> Iterator[Any]:
    """Yield the rows of the first array of objects in an object; the object itself when it holds none."""
    buffer.position += 1
    plain: dict[str, Any] = {}
    taken = ""
    while True:
        char = buffer.peek()
        if char == ",":
            buffer.position += 1
            continue
        if char == "}":
            break
        try:
            key = str(buffer.value())
            if buffer.peek() != ":":
                raise json.JSONDecodeError("Expecting ':' delimiter", buffer.text, buffer.position)
            buffer.position += 1
            if buffer.peek() == "[" and not taken and _holds_objects(buffer):
                taken = key
                buffer.position += 1
                yield from _array(buffer)
            else:
                value = buffer.value()
                if taken and isinstance(value, list):
                    notes[f"the array {key!r} was passed over: rows come from {taken!r}"] += 1
                plain[key] = value
        except (ValueError, RecursionError) as error:
            message = getattr(error, "msg", "nested too deeply")
            reason = (
                f"not valid JSON at character {buffer.passed + buffer.position + 1} of the file: {message}"
            )
            yield _Broken(f"{reason}; nothing after it could be read", buffer.rest(), True)
            return
    if not taken:
        yield plain


def _holds_objects(buffer: _Buffer) -> bool:
    match = _ARRAY_START.match(buffer.text, buffer.position)
    while match is None and buffer.fill():
        match = _ARRAY_START.match(buffer.text, buffer.position)
    return match is not None and match.group(1) == "{"


def json_row(line: str, number: int) -> Row | BadRow:
    """Return the row of one line of JSON."""
    try:
        value = _DECODER.decode(line)
    except RecursionError:
        return BadRow(number, "not valid JSON: nested too deeply", storable(line))
    except json.JSONDecodeError as error:
        return BadRow(number, f"not valid JSON at character {error.pos + 1}: {error.msg}", storable(line))
    except ValueError as error:
        return BadRow(number, f"not valid JSON: {error}", storable(line))
    return _as_row(value, number, "utf-8")


def _as_row(value: Any, number: int, encoding: str) -> Row | BadRow:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        kind = {list: "a list", bool: "true or false", type(None): "null"}.get(type(value), "a number")
        return BadRow(number, f"an object with named fields was expected, not {kind}", json.dumps(value))
    try:
        fields = flatten(value)
    except RecursionError:
        return BadRow(number, "not valid JSON: nested too deeply", "")
    reason = "" if encoding.startswith("utf") else undecoded_reason("".join(fields.values()), encoding)
    if reason:
        return BadRow(number, reason, storable(json.dumps(value, ensure_ascii=False)))
    return Row(number, fields)


def _is_lines(sample: str, kind: str, path: Path) -> bool:
    written = [line for line in sample.splitlines()[:20] if line.strip()]
    if not written:
        raise IngestError(f"{path} has no rows", "nothing was stored")
    parsed = [_parses(line) for line in written]
    if kind == "jsonl":
        return parsed[0] or written[0].strip() not in ("[", "{")
    return len(written) > 1 and parsed[0] and written[0].lstrip().startswith("{")


def _parses(line: str) -> bool:
    try:
        _DECODER.decode(line)
    except (ValueError, RecursionError):
        return False
    return True


__all__ = ["JsonReader", "elements", "json_row"]
