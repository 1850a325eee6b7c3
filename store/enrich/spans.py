"""Which clauses speak of one target, and which words of the text a person can read as a quote.

A clause is what one opinion fits in, but writers go on without naming the thing again ("the screen is gorgeous but
scratches easily", "I love it, although it wrinkles"), and a clause torn from its sentence may say little ("but
slow"). Both are decided here by word patterns, on the clauses that ``store.enrich.clauses`` found.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from typing import Final

from store.enrich.clauses import Clause, has_verb, opens_with_subject, opens_with_verb
from store.enrich.cues import CONCESSION, CONDITION, CONTRAST, DIMINISHERS, INTENSIFIERS
from store.enrich.features import Analysis
from store.enrich.lexicon import lexicon
from store.enrich.polarity import is_negator

#: Conjunctions that a quote need not begin with.
_DROPPED: Final[frozenset[str]] = CONTRAST | {"and", "plus", "so", "yet"}
#: Openings that leave a clause hanging: its sentence is quoted.
_HANGING: Final[frozenset[str]] = (
    CONCESSION | CONDITION | {"because", "except", "unless", "which", "or", "since", "than", "if"}
)
#: A sentence longer than this, in characters, is not quoted whole for the sake of one hanging clause.
READABLE: Final = 280
#: Most words, marks included, of a sentence that is a verdict without subject and verb ("Waste of time.").
VERDICT: Final = 7
#: Fewer words than this are no quote where the sentence has more.
MIN_QUOTE: Final = 4

_PRONOUN: Final = re.compile(r"(?:it|they|he|she|these|those|this|that|its|their)\b", re.IGNORECASE)
#: A pronoun for the thing just named; "this" and "that" only before a verb, for "this hotel" names another thing.
_ANAPHOR: Final = re.compile(
    r"(?:it|they|he|she)(?:'[a-z]+)?\b|(?:that|this|these|those)(?:'[a-z]+|\s(?:is|was|are|were|has|had))\b"
)
#: Words that may stand before the word that shows how a clause goes on ("but a bit noisy").
_PASSED: Final[frozenset[str]] = frozenset(["a", "also", "an", "just", "still", "then", "too", ","])
_MARKS: Final[frozenset[str]] = frozenset([".", "!", ",", "and", "but", "if"])
_PREPOSITIONS: Final[frozenset[str]] = frozenset(
    [
        "at",
        "because",
        "for",
        "from",
        "in",
        "of",
        "on",
        "once",
        "only",
        "to",
        "until",
        "when",
        "with",
        "without",
    ]
)


#: The same behind what people do who judge: "Loved it!", "We did not enjoy it".
_JUDGED: Final = re.compile(
    r"(?:\S+\s){0,4}?(?:ador|appreciat|avoid|despis|dislik|enjoy|hat|lik|loath|lov|recommend|regret)(?:e|ed|ted)?s?"
    r"\s(?:it|them|him|her)\b"
)
#: Who speaks of himself says nothing of what was named, unless he says what he thinks of it.
_SPEAKER: Final[frozenset[str]] = frozenset(["i", "we", "you", "i'm", "i’m", "we're", "we’re"])
#: Words that open a phrase to the reader: "Thanks for asking." is no verdict on what was named before.
_ADDRESS: Final[frozenset[str]] = frozenset(
    [
        "apologies",
        "bye",
        "cheers",
        "congratulations",
        "greetings",
        "hello",
        "hey",
        "hi",
        "please",
        "regards",
        "sincerely",
        "sorry",
        "thank",
        "thanks",
        "yours",
    ]
)
#: What "kind", "best" and "warm" must stand before to open one.
_GREETINGS: Final[frozenset[str]] = frozenset(["regards", "wishes"])


def speaking(analysis: Analysis, clause: int, last_word: int, named: Collection[int]) -> tuple[int, ...]:
    """Return the clauses that speak of a target: its own, and those that go on about it without a subject.

    Parameters
    ----------
    clause
        Index of the clause that names the target.
    last_word
        Index of the target's last word.
    named
        Clauses that name any entity: they speak for themselves.
    """
    found = [clause]
    subject = has_verb(_words(analysis, clause, after=last_word))
    following = clause + 1
    while following < len(analysis.clauses) and following not in named:
        piece = analysis.clauses[following]
        if piece.sentence != analysis.clauses[clause].sentence:
            break
        words = bare_words(analysis, following)
        turned = piece.opening in CONTRAST or piece.opening in CONCESSION or piece.opening == "and"
        turned = turned or (not piece.opening and is_verdict(words))
        if not words or not turned:
            break
        on = continues(words)
        if not (_PRONOUN.match(words[0]) or on == "verb" or (on and subject)):
            break
        found.append(following)
        following += 1
    return tuple(found)


def going_on(analysis: Analysis, clause: int, taken: Collection[int], *, alone: bool) -> tuple[int, ...]:
    """Return the clauses of the next sentence where it goes on about what ``clause`` names: "It was airy.".

    Parameters
    ----------
    clause
        Index of the last clause that names the target; nothing else may be named after it in its sentence.
    taken
        Numbers of the sentences that name any entity: they speak for themselves.
    alone
        Whether its sentence names nothing else; a verdict without a subject is then on the target as well.
    """
    following = analysis.clauses[clause].sentence + 1
    if following in taken:
        return ()
    found: list[int] = []
    for index in range(clause + 1, len(analysis.clauses)):
        if analysis.clauses[index].sentence > following:
            break
        if analysis.clauses[index].sentence == following:
            found.append(index)
    if not found or analysis.clauses[found[0]].question:
        return ()
    words = bare_words(analysis, found[0])
    if not words:
        return ()
    if _ANAPHOR.match(" ".join(words[:2])) or _JUDGED.match(" ".join(words[: VERDICT + 1])):
        return tuple(found)
    short = alone and len(found) == 1 and len(words) <= VERDICT
    bare = short and not has_verb(words) and not _addresses(words) and words[0] not in _SPEAKER
    return tuple(found) if bare else ()


def _addresses(words: Sequence[str]) -> bool:
    """Whether a short sentence speaks to the reader, and not of what was named."""
    if words[0] in ("best", "kind", "warm", "warmest", "kindest"):
        return bool(_GREETINGS & set(words[1:3]))
    return words[0] in _ADDRESS


def is_verdict(words: Sequence[str]) -> bool:
    """Whether words after a comma are a verdict on the subject before it: "hopeless for video", "slow to load"."""
    known = lexicon().words
    rest = [word for word in words if word not in INTENSIFIERS and word not in DIMINISHERS]
    return (
        bool(rest)
        and bool(known.get(rest[0]))
        and (len(rest) == 1 or rest[1] in _PREPOSITIONS or rest[1] in _MARKS)
    )


def continues(words: Sequence[str]) -> str:
    """Say how a clause without its conjunction goes on about the subject before it.

    ``verb`` ("scratches easily", "poorly made") whatever that subject is, ``adjective`` or ``preposition`` ("slow",
    "in the evening") only behind a verb, and an empty text where it has a subject of its own.
    """
    known = lexicon().words
    for word in words:
        if word in INTENSIFIERS or word in DIMINISHERS or word.endswith("ly") or is_negator(word):
            continue
        if word in _PASSED:
            continue
        if word in _PREPOSITIONS:
            return "preposition"
        if known.get(word) and not word.endswith("s"):
            return "adjective"
        return "verb" if opens_with_verb(word) else "adjective" if known.get(word) else ""
    return "adjective" if words else ""


def bare_words(analysis: Analysis, clause: int) -> list[str]:
    """Return the words of a clause without the conjunction that it opens with."""
    words = _words(analysis, clause)
    opening = analysis.clauses[clause].opening
    while words and (words[0] == "," or (opening and words[0] in opening.split())):
        words = words[1:]
    return words


def _words(analysis: Analysis, clause: int, after: int = -1) -> list[str]:
    return [analysis.words[i] for i in word_range(analysis, clause) if i > after]


def word_range(analysis: Analysis, clause: int) -> range:
    """Return the indices of the words of a clause."""
    return range(bisect_left(analysis.clause_of, clause), bisect_right(analysis.clause_of, clause))


def quote_span(text: str, analysis: Analysis, clauses: Sequence[int]) -> tuple[int, int]:
    """Return the offsets of a readable quote: the clauses without a leading "but", or their whole sentence.

    The sentence stands where the clauses alone would hang in the air: opened by "although" or "if", without a verb,
    without a subject, or of very few words.
    """
    parts = [analysis.clauses[index] for index in clauses]
    start, end = parts[0].start, parts[-1].end
    left, right = sentence_span(analysis.clauses, clauses[0])
    words = bare_words(analysis, clauses[0])
    dropped = parts[0].opening in _DROPPED
    hanging = (
        parts[0].opening in _HANGING
        or len([word for word in words if word[0].isalnum()]) < MIN_QUOTE
        or not has_verb(_words(analysis, clauses[0]))
        or (dropped and not opens_with_subject(" ".join(words)))
    )
    if hanging and (start > left or end < right):
        if right - left <= READABLE:
            return left, right
        return _neighbours(analysis, clauses)
    if dropped and start > left:
        start = _without_opening(text, start, end, parts[0].opening)
    return start, end


def sentence_start(analysis: Analysis, index: int) -> int:
    """Return the index of the first clause of the sentence that clause number ``index`` is in."""
    return _first_of(analysis.clauses, index)


def _first_of(clauses: Sequence[Clause], index: int) -> int:
    while index and clauses[index - 1].sentence == clauses[index].sentence:
        index -= 1
    return index


def sentence_span(clauses: Sequence[Clause], index: int) -> tuple[int, int]:
    """Return the offsets of the sentence that clause number ``index`` is in."""
    low, high = _first_of(clauses, index), index
    while high + 1 < len(clauses) and clauses[high + 1].sentence == clauses[index].sentence:
        high += 1
    return clauses[low].start, clauses[high].end


def _neighbours(analysis: Analysis, clauses: Sequence[int]) -> tuple[int, int]:
    """Return the clauses with the one before them, or with the one after where they open the sentence."""
    every, first, last = analysis.clauses, clauses[0], clauses[-1]
    if first and every[first - 1].sentence == every[first].sentence:
        return every[first - 1].start, every[last].end
    if last + 1 < len(every) and every[last + 1].sentence == every[last].sentence:
        return every[first].start, every[last + 1].end
    return every[first].start, every[last].end


def _without_opening(text: str, start: int, end: int, opening: str) -> int:
    match = re.compile(rf"\W*{re.escape(opening)}\b[\s,]*", re.IGNORECASE).match(text, start, end)
    return match.end() if match and match.end() < end else start


__all__ = [
    "MIN_QUOTE",
    "READABLE",
    "VERDICT",
    "bare_words",
    "continues",
    "going_on",
    "is_verdict",
    "quote_span",
    "sentence_span",
    "sentence_start",
    "speaking",
    "word_range",
]
