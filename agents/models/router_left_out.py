"""What a question leaves out: "except in Central Library", "all but rural users", "excluding reviews from 2023".

No filter stands for the rest of a corpus. What is left out is therefore cut from what is read, so that it never becomes
the very filter that it refuses, and is told to the reader.
"""

from __future__ import annotations

import re
from typing import Final

from agents.models.router_data import lexicon
from agents.models.router_groups import Word, is_author, words_of
from agents.models.router_text import class_of, fold

#: Each word of a cue, the longest first.
_CUES: Final = tuple(
    tuple(cue.split())
    for cue in (
        "with the exception of",
        "not counting",
        "not including",
        "without counting",
        "leaving out",
        "leaving aside",
        "other than",
        "apart from",
        "aside from",
        "except for",
        "all but",
        "everyone but",
        "everybody but",
        "anyone but",
        "but not",
        "except",
        "excepting",
        "excluding",
        "ignoring",
        "besides",
        "outside",
    )
)
#: Between a cue and what is left out: "except for those in", "but not the ones from", "excluding reviews dated".
_OPENING: Final = frozenset(
    re.findall(
        r"\w+",
        """
        for of in on at by from with to the a an any all those ones one that are is were who which dated written left
        posted living live based since before after during
        """,
    )
)
_JOINS: Final = frozenset(("and", "or"))
_DETERMINERS: Final = frozenset(
    ("the", "a", "an", "its", "their", "our", "your", "my", "this", "that", "any")
)
_LONGEST: Final = 8


def left_out(question: str) -> tuple[str, ...]:
    """Return what ``question`` leaves out, in its words and with the word that says so.

    "outside" says so only beside people or before a name: "people outside Lisbon", but not "the outside pool".
    """
    words = words_of(question)
    found: list[str] = []
    i = 0
    while i < len(words):
        cue = next((cue for cue in _CUES if tuple(w.text for w in words[i : i + len(cue)]) == cue), ())
        end = _end(words, i + len(cue)) if cue and (cue != ("outside",) or _is_cue(question, words, i)) else i
        if end > i + len(cue):
            found.append(question[words[i].start : words[end - 1].end])
        i = max(i + 1, end)
    return tuple(found)


def _is_cue(question: str, words: list[Word], i: int) -> bool:
    """Tell whether "outside" says where something is not."""
    before = words[i - 1].text if i else ""
    after = words[i + 1] if i + 1 < len(words) else None
    if after is None or before in _DETERMINERS:
        return False
    name = words[i + 2] if after.text == "the" and i + 2 < len(words) else after
    named = after.text == "of" or question[name.start].isupper()
    return named or _people(before) or before in {"live", "living", "lives", "from"}


def _end(words: list[Word], start: int) -> int:
    """Index after what is left out, or ``start`` where nothing is: a verb, or a judgement ("cheap but not great")."""
    i = start
    while i < len(words) and (words[i].text in _OPENING or _people(words[i].text)):
        i += 1
    first = i
    while i < len(words) and i - start < _LONGEST and not _stops(words, i, first):
        i += 1
    while i < len(words) and i > first and _people(words[i].text):
        i += 1
    if i > first and words[i - 1].text in _JOINS:
        i -= 1
    people_only = i == first > start and _people(words[first - 1].text)
    return i if i > first or people_only else start


def _stops(words: list[Word], i: int, first: int) -> bool:
    word = words[i].text
    if not word[0].isalnum():
        return True
    if word in _JOINS:
        return i == first
    lists = lexicon()
    joined = i > first and words[i - 1].text in _JOINS
    if word in _OPENING and joined:
        return False
    judged = class_of(word) == "EVAL" or word in lists["stance_verbs"]
    return word in lists["group_stops"] or judged or _people(word)


def _people(word: str) -> bool:
    return is_author(fold(word)) or class_of(word) == "PPL"


__all__ = ["left_out"]
