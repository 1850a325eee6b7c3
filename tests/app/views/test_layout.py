"""Cells: CJK and emoji count two, nothing overflows, nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.views.layout import cut, pad, width_of, wrap


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("手机", 4), ("e\u0301", 1), ("❤️", 2), ("👩\u200d👩\u200d👧", 2), ("", 0)]
)
def test_width(text: str, width: int) -> None:
    assert width_of(text) == width


def test_cut_and_pad() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcdef", 5, ascii=True) == "ab..."
    assert cut("手机手机", 4) == "手…"
    assert pad("手", 4) == "手  "
    assert pad("7", 3, "right") == "  7"
    assert pad("手机手机", 5) == "手机…"


def test_wrap_indents_and_keeps_breaks() -> None:
    assert wrap("one two three\n\nfour", 8, first="- ") == ["- one", "  two", "  three", "", "  four"]


def test_wrap_splits_long_words() -> None:
    assert wrap("abcdefghij k", 4) == ["abcd", "efgh", "ij k"]
    assert wrap("手机手机手", 5) == ["手机", "手机", "手"]


def test_wrap_stops_at_a_number_of_lines() -> None:
    assert wrap("one two three four five", 5, lines=2) == ["one", "two…"]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.integers(min_value=8, max_value=60))
def test_wrap_never_overflows(text: str, width: int) -> None:
    assert all(width_of(line) <= width for line in wrap(text, width, first="- "))


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab 手é👧", max_size=80), st.integers(min_value=4, max_value=30))
def test_wrap_loses_nothing(text: str, width: int) -> None:
    assert "".join("".join(wrap(text, width)).split()) == "".join(text.split())


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab手é👧e\u0301", max_size=40), st.integers(min_value=1, max_value=30))
def test_pad_is_exact(text: str, width: int) -> None:
    assert width_of(pad(text, width)) == width
