"""Valence of each word of a sentence, after negation, strength, wish, condition and comparison.

The rules are those of VADER (Hutto and Gilbert 2014), applied to the words of one sentence with a larger lexicon,
and four more that reviews need: a wish or a missed chance ("would have been nice", "could be cleaner") speaks
against the thing; "too" before a plain adjective speaks against it; what stands under "if" or in a question counts
for less; "no" and "without" before a good thing speak against it and before a bad thing for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from store.enrich.cues import ABSENCE, DIMINISHERS, EMPTY, INTENSIFIERS, INTENTS, NEGATORS, WISHES
from store.enrich.lexicon import Lexicon, lexicon

#: Words, numbers and single marks of a text, in order.
TOKEN: Final = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")

_DEGREES: Final = INTENSIFIERS | DIMINISHERS
_STOPS: Final[frozenset[str]] = frozenset(
    [",", ";", ":", ".", "!", "?", "but", "however", "although", "though", "-", "–"]
)
_WEAK_STOPS: Final[frozenset[str]] = frozenset([",", "-", "–"])
#: What negation leaves of praise (VADER's constant), and of blame: "not bad" is weaker than "good".
_FLIP: Final = -0.74
_FLIP_BLAME: Final = -0.5
#: What a wish makes of praise, and a condition of either.
_MISSED: Final = -0.6
_IF: Final = 0.4
#: Valence of "no" before a good or plain thing, and of a plain word after "too".
_ABSENT: Final = -1.1
_TOO: Final = -1.2
#: How far, in words, a negator, a wish and a condition reach to the right.
REACH: Final = 4
WISH_REACH: Final = 7
CONDITION_REACH: Final = 12
#: "Couldn't believe", "cannot stress": said of what is, not denied.
_UNABLE: Final = frozenset(("can't", "couldn't", "cannot", "cant", "couldnt", "wouldn't", "won't", "wouldnt"))
_AMAZED: Final = tuple(
    [word] for word in ("believe", "stress", "emphasise", "emphasize", "overstate", "wait")
)
#: Most words between two quotation marks that are hushed.
QUOTED: Final = 12
_QUOTES: Final[frozenset[str]] = frozenset(['"', "“", "”"])
_FAR: Final = -99


def words_of(text: str) -> list[str]:
    """Lower-case words and marks of ``text``, with straight apostrophes."""
    return [token.lower().replace("’", "'") for token in TOKEN.findall(text)]


def is_negator(word: str) -> bool:
    """Whether ``word`` denies what follows it."""
    return word in NEGATORS or word.endswith("n't")


def _is_amazement(words: list[str], i: int) -> bool:
    """Whether the negator at ``i`` denies nothing: "couldn't believe such poor food", "cannot stress enough"."""
    able = words[i] in _UNABLE or (words[i] == "not" and words[i - 1 : i] in (["can"], ["could"]))
    return able and words[i + 1 : i + 2] in _AMAZED


@dataclass(slots=True)
class _Scope:
    """Index of the last word that denies, wishes or sets a condition, while its reach lasts."""

    negator: int = _FAR
    wish: int = _FAR
    condition: int = _FAR

    def close(self, mark: str) -> None:
        """End what ``mark`` ends: a comma leaves a condition open."""
        self.negator = self.wish = _FAR
        if mark not in _WEAK_STOPS:
            self.condition = _FAR

    def adjust(self, words: list[str], i: int, value: float) -> float:
        """Return the valence of word ``i`` under what is open."""
        # "Never met more helpful staff", "never had better food": praise that knows no equal.
        unequalled = words[i - 1 : i] == ["more"] or words[i] in {"better", "worse"}
        if i - self.negator <= REACH and unequalled and words[self.negator] == "never":
            pass
        elif i - self.negator <= REACH:
            value *= _FLIP if value > 0 else _FLIP_BLAME
        elif i - self.wish <= WISH_REACH and value > 0 and INTENTS.isdisjoint(words[self.wish : i + 1]):
            value *= _MISSED
        elif value > 0 and words[i - 1 : i] == ["less"] and words[i - 2 : i - 1] != ["no"]:
            value *= _FLIP
        return value * _IF if i - self.condition < CONDITION_REACH else value

    def open(self, words: list[str], i: int) -> None:
        """Note what word ``i`` opens."""
        word = words[i]
        if is_negator(word):
            if _is_amazement(words, i):
                self.wish = _FAR
            elif words[i + 1 : i + 2] != ["only"]:
                self.negator = i
        elif (
            word in WISHES
            or (word in {"were", "had"} and i - self.condition <= REACH + 2)
            or (word == "to" and words[max(0, i - 1) : i + 2] == ["used", "to", "be"])
        ):
            self.wish = i
        elif word in {"if", "unless"}:
            self.condition = i


def valences(words: list[str], question: bool = False) -> list[float]:
    """Return the valence in [-5, 5] of each of ``words`` (as from ``words_of``) where it stands; 0 for most.

    Parameters
    ----------
    words
        One sentence.
    question
        Whether the sentence asks: its valences count for a third.
    """
    known = lexicon()
    values = [0.0] * len(words)
    phrases = _mark_phrases(words, known, values)
    scope = _Scope()
    for i, word in enumerate(words):
        before = words[i - 1] if i else ""
        if word in _STOPS and (before, word) != ("anything", "but"):
            scope.close(word)
            continue
        if i in phrases:
            if values[i] and phrases[i]:
                values[i] = _phrase(words, i, phrases, scope, values[i])
            if word in WISHES and phrases[i] < 0:
                scope.wish = i
            continue
        value = 0.0 if word in _DEGREES or _is_preposition(before, word) else _lookup(word, known)
        if value:
            values[i] = scope.adjust(words, i, _scaled(words, i, value))
        elif before == "too" and len(word) > 2 and word.isalpha() and word not in EMPTY:
            values[i] = _TOO
        if (before, word) in {("far", "from"), ("anything", "but")}:
            scope.negator = i
        elif word in ABSENCE:
            harms = any(_lookup(following, known) < 0 for following in words[i + 1 : i + 4])
            if not harms:
                values[i] = _ABSENT
            if harms or word != "no":
                scope.negator = i
        else:
            scope.open(words, i)
    return [value / 3 for value in values] if question else values


def hush(words: list[str], values: list[float]) -> None:
    """Take the valence from what stands in quotation marks: others said it, or the writer does not mean it."""
    if _QUOTES.isdisjoint(words):
        return
    marks = [i for i, word in enumerate(words) if word in _QUOTES]
    for first, last in zip(marks[::2], marks[1::2], strict=False):
        if last - first <= QUOTED + 1:
            values[first : last + 1] = [0.0] * (last + 1 - first)


def _phrase(words: list[str], i: int, phrases: dict[int, float], scope: _Scope, value: float) -> float:
    """Return the valence of the phrase that ends at word ``i`` under a negator before it and a condition."""
    first = i
    while first - 1 in phrases and phrases[first - 1] == phrases[i]:
        first -= 1
    denied = first - scope.negator <= REACH - 1 and not any(
        is_negator(word) or word in {"no", "nothing"} for word in words[first : i + 1]
    )
    if denied:
        value *= _FLIP if value > 0 else _FLIP_BLAME
    elif (
        value > 0
        and i - scope.wish <= WISH_REACH
        and scope.wish < first
        and INTENTS.isdisjoint(words[scope.wish : i + 1])
    ):
        value *= _MISSED
    return value * _IF if i - scope.condition < CONDITION_REACH else value


def _is_preposition(before: str, word: str) -> bool:
    """Whether ``like`` compares and does not praise."""
    return word == "like" and before not in {"i", "we", "they", "really", "also", "you", "to"}


def _mark_phrases(words: list[str], known: Lexicon, values: list[float]) -> dict[int, float]:
    """Put the valence of each phrase on its last word; return index -> valence of its phrase."""
    covered: dict[int, float] = {}
    phrases = known.phrases
    for i, word in enumerate(words):
        if word not in phrases or i in covered:
            continue
        for parts, valence in phrases[word]:
            if words[i : i + len(parts)] == list(parts):
                covered.update(dict.fromkeys(range(i, i + len(parts)), valence))
                values[i + len(parts) - 1] = valence
                break
    return covered


def _lookup(word: str, known: Lexicon) -> float:
    value = known.words.get(word)
    if value is None and "-" in word:
        parts = word.split("-")
        value = sum(known.words.get(part, 0.0) for part in parts)
        if parts[0] in {"non", "un", "not", "no"}:
            value = -abs(value)
    return value or 0.0


def _scaled(words: list[str], i: int, value: float) -> float:
    for back in (1, 2):
        if i - back < 0:
            break
        previous = words[i - back]
        if previous in INTENSIFIERS:
            value *= 1.25 if back == 1 else 1.1
        elif previous in DIMINISHERS:
            value *= 0.8 if back == 1 else 0.9
    if i + 1 < len(words) and words[i + 1] == "!":
        value *= 1.1
    return max(-5.0, min(5.0, value))


def compound(text: str) -> float:
    """Sum of the valences of ``text``, squashed to (-1, 1) as VADER does: ``s / sqrt(s^2 + 15)``."""
    total = sum(valences(words_of(text)))
    return float(total / (total * total + 15.0) ** 0.5)


__all__ = [
    "CONDITION_REACH",
    "QUOTED",
    "REACH",
    "TOKEN",
    "WISH_REACH",
    "compound",
    "hush",
    "is_negator",
    "valences",
    "words_of",
]
