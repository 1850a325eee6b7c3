"""What a well-behaved writer writes is what the reader reads, whatever the characters."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from store.ingest.records import Dialect, Fault, RecordSplitter

ODD = st.text(
    alphabet=st.one_of(
        st.sampled_from(list("\",;\t|\\'\n\r =@+-\x1b\x85\u2028\u200b\u202e\ufeff😀é")),
        st.characters(exclude_categories=("Cs",), exclude_characters="\x00"),
    ),
    max_size=12,
)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(4, 6))
    row = st.lists(ODD, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=8))


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([",", ";", "\t", "|"]), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
@example([["a", 'b"', "\r\n", "d"], ["", "", "", '"']], ",", csv.QUOTE_MINIMAL)
def test_round_trip(rows: list[list[str]], delimiter: str, quoting: int) -> None:
    # A first column of numbers lets the splitter tell a row inside a text from a row.
    numbered = [[str(number), *row] for number, row in enumerate(rows)]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, quoting=quoting).writerows(numbered)  # type: ignore[arg-type]
    lines = iter(io.StringIO(buffer.getvalue(), newline=""))
    splitter = RecordSplitter(lines, Dialect(delimiter), len(numbered[0]), Counter())
    assert list(splitter) == numbered


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 19),
    st.lists(st.sampled_from(["plain", 'with "quotes"', "two\nlines", "a, b"]), min_size=20, max_size=20),
)
def test_one_unclosed_quote_costs_at_most_its_own_row(broken: int, texts: list[str]) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    for number, text in enumerate(texts):
        if number == broken:
            buffer.write(f'{number},"no end,US,2020-01-01\r\n')
        else:
            writer.writerow([number, text, "UK", "2020-01-01"])
    lines = iter(io.StringIO(buffer.getvalue(), newline=""))
    records = list(RecordSplitter(lines, Dialect(), 4, Counter()))
    read = {record[0]: record[1] for record in records if isinstance(record, list) and len(record) == 4}
    for number, text in enumerate(texts):
        if number != broken:
            assert read[str(number)] == text
    assert str(broken) not in read


WORDS = [
    "the",
    "staff",
    "were",
    "kind,",
    "and",
    "the",
    "room;",
    "was",
    "clean,",
    "but",
    "cost",
    "a",
    "lot,",
    '27"',
    "it",
]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("place", [0, 1, 3])
def test_long_texts_of_many_lines_stay_whole_wherever_they_stand(seed: int, place: int) -> None:
    """Reviews of several lines, full of delimiters: a line of a text that might be a row does not cut it."""
    rng = random.Random(seed)
    rows = [["text", "country", "rating", "date"]]
    for number in range(400):
        lines = [" ".join(rng.choices(WORDS, k=rng.randint(1, 14))) for _ in range(rng.randint(1, 5))]
        row = [
            rng.choice(["Chile", "United Kingdom", "France"]),
            str(number % 5 + 1),
            f"2020-01-{10 + number % 19}",
        ]
        row.insert(place, "\n".join(lines))
        rows.append(row)
    buffer = io.StringIO(newline="")
    delimiter, quoting = rng.choice(",;"), rng.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
    csv.writer(buffer, delimiter=delimiter, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    lines_again = iter(io.StringIO(buffer.getvalue(), newline=""))
    assert list(RecordSplitter(lines_again, Dialect(delimiter), 4, Counter())) == rows


def test_many_broken_quotes_are_read_in_linear_time() -> None:
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for number in range(3000):
            read += 1
            yield f'{number},"Good" morning\n'

    notes: Counter[str] = Counter()
    splitter = RecordSplitter(lines(), Dialect(), 2, notes)
    for count, record in enumerate(splitter, start=1):
        assert isinstance(record, Fault)
        assert read <= count + 101, "reading ahead is bounded"
    assert count == 3000
