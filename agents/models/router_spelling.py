"""Mends misspelt cue words ("complaits", "waht do poeple think"), and no other word."""

from __future__ import annotations

from functools import lru_cache

from agents.models.router_data import read_data

_SHORTEST = 5
_TWO_EDITS = 8


def distance(a: str, b: str) -> int:
    """Return the edit distance of ``a`` and ``b``: insert, delete, replace, swap neighbours (Damerau, restricted)."""
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


@lru_cache(maxsize=1)
def _data() -> tuple[frozenset[str], dict[str, str], dict[str, list[tuple[str, frozenset[str]]]]]:
    """Words to leave alone, short slips, and the cue words by first letter with their letters."""
    data = read_data("router_spelling.json")
    cues = data["cues"].split()
    shelves: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for cue in cues:
        if len(cue) >= _SHORTEST:
            shelves.setdefault(cue[0], []).append((cue, frozenset(cue)))
    return frozenset(cues) | frozenset(data["known"].split()), data["short"], shelves


def edits_allowed(a: str, b: str) -> int:
    """Return how many edits may part a slip from its word: 1, or 2 when both have eight letters or more."""
    return 2 if min(len(a), len(b)) >= _TWO_EDITS else 1


@lru_cache(maxsize=4096)
def correct(word: str) -> str:
    """Return the cue word that ``word`` misspells, else ``word`` itself.

    Cue words of five letters and more are mended within one edit, of eight and more within two; the first letter
    must be right or swapped with the second. Words known to be something else ("fold", "moods") stay.
    """
    known, short, shelves = _data()
    if word in short:
        return short[word]
    if len(word) < _SHORTEST - 1 or word in known or not word.isalpha():
        return word
    letters = frozenset(word)
    near = [
        (steps, cue)
        for first in dict.fromkeys(word[:2])
        for cue, its_letters in shelves.get(first, ())
        if (first == word[0] or cue[1] == word[0])
        and abs(len(cue) - len(word)) <= (allowed := edits_allowed(cue, word))
        and len(letters ^ its_letters) <= 2 * allowed
        and (steps := distance(word, cue)) <= allowed
    ]
    return min(near)[1] if near else word


__all__ = ["correct", "distance", "edits_allowed"]
