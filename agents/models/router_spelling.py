"""Mends misspelt cue words ("complaits", "waht do poeple think"), and no other word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from agents.models.router_data import read_data

_TOO_SHORT = 3
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


@dataclass(frozen=True, slots=True)
class _Words:
    """Words to leave alone, slips listed one by one, and cue words and real words by first letter."""

    known: frozenset[str]
    slips: dict[str, str]
    shelves: dict[str, list[tuple[str, frozenset[str]]]]
    core: frozenset[str]
    targets: frozenset[str]


@lru_cache(maxsize=1)
def _words() -> _Words:
    data = read_data("router_spelling.json")
    cues, known, core = (frozenset(data[key].split()) for key in ("cues", "known", "core"))
    targets = core | {cue for cue in cues if len(cue) >= _SHORTEST}
    shelves: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for word in sorted(targets | known):
        shelves.setdefault(word[0], []).append((word, frozenset(word)))
    return _Words(cues | known | core, data["slips"], shelves, core, targets)


def edits_allowed(a: str, b: str) -> int:
    """Return how many edits may part a slip from its word: 1, or 2 when both have eight letters or more."""
    return 2 if min(len(a), len(b)) >= _TWO_EDITS else 1


@lru_cache(maxsize=4096)
def correct(word: str) -> str:
    """Return the cue word that ``word`` misspells, else ``word`` itself.

    The short words that questions turn on ("what", "many", "like") and cue words of five letters and more are
    mended within one edit, those of eight and more within two; the first letter must be right or swapped with the
    second. A real word stays ("fold"), and so does a slip that is as near to another real word.
    """
    words = _words()
    if word in words.slips:
        return words.slips[word]
    if len(word) < _TOO_SHORT or word in words.known or not word.isalpha():
        return word
    letters = frozenset(word)
    near = [
        # of equally near words: one that questions turn on, a cue, the same letters swapped, the same last letter
        (
            steps,
            target not in words.core,
            target not in words.targets,
            sorted(target) != sorted(word),
            target[-1] != word[-1],
            target,
        )
        for first in dict.fromkeys(word[:2])
        for target, its_letters in words.shelves.get(first, ())
        if (first == word[0] or target[1] == word[0])
        and abs(len(target) - len(word)) <= (allowed := edits_allowed(target, word))
        and len(letters ^ its_letters) <= 2 * allowed
        and (steps := distance(word, target)) <= allowed
    ]
    if not near:
        return word
    _, _, other, *_, target = min(near)
    return word if other else target


@lru_cache(maxsize=1)
def _in_context() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(slip), meant) for slip, meant in read_data("router_spelling.json")["in_context"])


def correct_in_context(text: str) -> str:
    """Mend slips that are words themselves, where no other word fits ("how may reviews mention")."""
    for slip, meant in _in_context():
        text = slip.sub(meant, text)
    return text


__all__ = ["correct", "correct_in_context", "distance", "edits_allowed"]
