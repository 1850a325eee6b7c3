"""Which of two compared things a mention is: "the forum taught me more than the lectures", "cheaper than the bus"."""

from __future__ import annotations

from typing import Final

from store.enrich.features import Analysis
from store.enrich.lexicon import lexicon
from store.enrich.polarity import is_negator
from store.enrich.spans import word_range

#: Side that the better one takes; the other takes the opposite.
SIDE: Final = 0.9
#: How far before "than", in words, the comparative may stand.
BEFORE_THAN: Final = 9
_BETTER: Final[frozenset[str]] = frozenset(["better", "rather", "sooner"])
_WORSE: Final[frozenset[str]] = frozenset(["worse"])
#: Verbs of which more is better.
_GAINS: Final[frozenset[str]] = frozenset(
    [
        "learned",
        "learnt",
        "learn",
        "enjoyed",
        "enjoy",
        "liked",
        "like",
        "loved",
        "got",
        "helped",
        "helps",
        "taught",
    ]
)
_SIZES: Final[frozenset[str]] = frozenset(["more", "less", "fewer"])


def compared(analysis: Analysis, clause: int, word: int) -> float:
    """Return the side, in [-1, 1], of the thing named at word number ``word`` in the comparison of its clause.

    0 where nothing is compared, or where more is neither better nor worse ("more than 200 rides", "longer than").
    """
    words = analysis.words
    if "than" not in words:
        return 0.0
    every = word_range(analysis, clause)
    than = next((i for i in every if words[i] == "than"), None)
    if than is None or words[than - 1] in _SIZES or words[than - 1] == "rather":
        return 0.0
    for at in range(than - 1, max(every.start, than - BEFORE_THAN) - 1, -1):
        side = _side(words, at)
        if side:
            before = words[max(every.start, at - 2) : at]
            # "Drains faster than", "no better than".
            denied = any(is_negator(other) or other == "no" or _sign(other) < 0 for other in before)
            return SIDE * side * (-1.0 if denied else 1.0) * (1.0 if word < than else -1.0)
    return 0.0


def _side(words: list[str], at: int) -> float:
    """Sign of the comparative at word number ``at``; 0 for any other word."""
    word = words[at]
    if word in _BETTER or word in _WORSE:
        return 1.0 if word in _BETTER else -1.0
    if word in _SIZES:
        value = _sign(words[at + 1])
        if not value and any(other in _GAINS for other in words[max(0, at - 3) : at]):
            value = 1.0
        return value if word == "more" else -value
    if len(word) > 4 and word.endswith("er"):
        stem = word[:-2]
        bases = (stem, stem + "e", stem[:-1] + "y" if stem.endswith("i") else stem[:-1])
        return next((_sign(base) for base in bases if _sign(base)), 0.0)
    return 0.0


def _sign(word: str) -> float:
    value = lexicon().words.get(word, 0.0)
    return (value > 0) - (value < 0)


__all__ = ["BEFORE_THAN", "SIDE", "compared"]
