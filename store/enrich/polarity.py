"""Valence of each word of a sentence, after negation, strength, wish, condition and comparison.

The rules are those of VADER (Hutto and Gilbert 2014), applied to the words of one sentence with a larger lexicon,
and four more that reviews need: a wish or a missed chance ("would have been nice", "could be cleaner") speaks
against the thing; "too" before a plain adjective speaks against it; what stands under "if" or in a question counts
for less; "no" and "without" before a good thing speak against it and before a bad thing for it.
"""

from __future__ import annotations

import re
from typing import Final

from store.enrich.cues import ABSENCE, DIMINISHERS, INTENSIFIERS, INTENTS, NEGATORS, WISHES
from store.enrich.lexicon import Lexicon, lexicon

#: Words, numbers and single marks of a text, in order.
TOKEN: Final = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")

_DEGREES: Final = INTENSIFIERS | DIMINISHERS
_STOPS: Final[frozenset[str]] = frozenset(
    [",", ";", ":", ".", "!", "?", "but", "however", "although", "though", "-", "–"]
)
#: What negation leaves of praise (VADER's constant), and of blame: "not bad" is weaker than "good".
_FLIP: Final = -0.74
_FLIP_BLAME: Final = -0.5
#: How far, in words, a negator reaches to the right.
REACH: Final = 4


def words_of(text: str) -> list[str]:
    """Lower-case words and marks of ``text``, with straight apostrophes."""
    return [token.lower().replace("’", "'") for token in TOKEN.findall(text)]


def is_negator(word: str) -> bool:
    """Whether ``word`` denies what follows it."""
    return word in NEGATORS or word.endswith("n't")


def valences(words: list[str], question: bool = False) -> list[float]:
    """Return the valence in [-5, 5] of each of ``words`` (as from ``words_of``) where it stands; 0 for most.

    Parameters
    ----------
    words
        One sentence.
    question
        Whether the sentence asks: its valences count for a third.
    """
    known: Lexicon = lexicon()
    values = [0.0] * len(words)
    fixed = _mark_phrases(words, known, values)
    negator = wish = condition = -99
    for i, word in enumerate(words):
        if word in _STOPS and not (word == "but" and i and words[i - 1] in {"anything", "nothing"}):
            negator = wish = -99
            if word not in {",", "-", "–"}:
                condition = -99
            continue
        if i and (words[i - 1], word) in {("far", "from"), ("anything", "but")}:
            negator = i
        if i in fixed:
            if i - condition < 12:
                values[i] *= 0.4
            if word in WISHES and fixed[i] < 0:
                wish = i
            continue
        value = 0.0 if word in _DEGREES else _lookup(word, known)
        if value:
            if word == "like" and not (
                i and words[i - 1] in {"i", "we", "they", "really", "also", "you", "n't", "to"}
            ):
                value = 0.0
            values[i] = value = _scaled(words, i, value)
        if value:
            if i - negator <= REACH:
                values[i] = value * (_FLIP if value > 0 else _FLIP_BLAME)
            elif i - wish <= 7 and value > 0 and not any(w in INTENTS for w in words[wish : i + 1]):
                values[i] = -0.6 * value
            if i - condition < 12:
                values[i] *= 0.4
        elif i and words[i - 1] == "too" and word.isalpha() and len(word) > 2 and not _is_function(word):
            values[i] = -1.2
        if word in ABSENCE:
            following = words[i + 1 : i + 4]
            harms = any(_lookup(w, known) < 0 for w in following)
            if not harms:
                values[i] = -1.1 if word == "no" else -1.0
            negator = i if harms or word != "no" else negator
        elif is_negator(word) and words[i + 1 : i + 2] != ["only"]:
            negator = i
        elif word in WISHES:
            wish = i
        elif word in {"if", "unless"}:
            condition = i
    if question:
        return [value / 3 for value in values]
    return values


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


def _is_function(word: str) -> bool:
    return word in {
        "the",
        "and",
        "but",
        "for",
        "was",
        "were",
        "are",
        "with",
        "they",
        "you",
        "this",
        "that",
        "had",
    }


def compound(text: str) -> float:
    """Sum of the valences of ``text``, squashed to (-1, 1) as VADER does: ``s / sqrt(s^2 + 15)``."""
    total = sum(valences(words_of(text)))
    return float(total / (total * total + 15.0) ** 0.5)


__all__ = ["REACH", "TOKEN", "compound", "is_negator", "valences", "words_of"]
