"""Sentences and clauses: where they end, and that their offsets never lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.enrich.clauses import MAX_SENTENCE, clauses, sentences

PIECES = st.sampled_from(
    ["The room", " was", " clean", ", but ", "although", " the staff", "!", "?", ". ", "...", "\r\n", "\n\n",
     "😀", "é", "e\u0301", "不错", "\u202e", " - ", ";", "\t", "\u00a0", " and ", " the food was bad",
     "Mr.", " 3.5", "a.m.", "\x00", "👨‍👩‍👧"]
)  # fmt: skip


def parts(text: str) -> list[str]:
    return [text[clause.start : clause.end] for clause in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Good. Bad.", ["Good.", "Bad."]),
        ("We met Mr. Smith at 9 a.m. in the lobby.", ["We met Mr. Smith at 9 a.m. in the lobby."]),
        ("It was clean.The staff was kind.", ["It was clean.", "The staff was kind."]),
        ("It cost 3.50 dollars.", ["It cost 3.50 dollars."]),
        ("Line one\r\nline two", ["Line one", "line two"]),
        ("Nice room but noisy street.", ["Nice room", "but noisy street."]),
        ("Although it was small, the room was clean.", ["Although it was small", "the room was clean."]),
        ("The room was clean and the staff was rude.", ["The room was clean", "the staff was rude."]),
        ("The staff was kind and helpful.", ["The staff was kind and helpful."]),
        ("Nice room, friendly staff, awful breakfast", ["Nice room", "friendly staff", "awful breakfast"]),
        ("A clean, quiet room.", ["A clean, quiet room."]),
        ("The staff is anything but friendly.", ["The staff is anything but friendly."]),
        ("Clean but cramped room.", ["Clean but cramped room."]),
        ("Not only cheap but also clean.", ["Not only cheap but also clean."]),
        ("Loved the pool; hated the gym", ["Loved the pool", "hated the gym"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


def test_contrast_and_question_are_marked() -> None:
    first, second = clauses("The room was clean but the bed was hard.")
    assert first.contrasted
    assert second.opening == "but"
    assert not second.contrasted
    assert clauses("Is breakfast included?")[0].question
    assert not clauses("Breakfast is included.")[0].question


def test_long_runs_are_cut() -> None:
    text = "word " * 2000
    spans = sentences(text)
    assert len(spans) > 1
    assert all(end - start <= MAX_SENTENCE for start, end in spans)


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=25).map("".join)))
def test_offsets_are_ordered_and_hold_every_visible_character(text: str) -> None:
    spans = [(clause.start, clause.end) for clause in clauses(text)]
    previous = 0
    for start, end in spans:
        assert previous <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        previous = end
    for left, right in sentences(text):
        assert 0 <= left < right <= len(text)
    covered = {i for start, end in spans for i in range(start, end)}
    missing = "".join(text[i] for i in range(len(text)) if i not in covered)
    assert not any(c.isdigit() for c in missing)
