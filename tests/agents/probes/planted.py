"""Made-up facts, and retrievers whose bias is known because they have no other ground to score on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from agents.probes import Bias, Fact, ProbePair, ProbeQuery
from agents.probes.statistics import Floats
from store.lexical import tokenize

Score = Callable[[ProbeQuery, Sequence[str]], Floats]
Pairs = Mapping[Bias, Sequence[ProbePair]]


def made_facts(count: int, seed: int = 0) -> list[Fact]:
    """Documents of eight sentences of random words; the entity has two names and is named in three sentences."""
    rng = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(3000)]
    facts = []
    for number in range(count):
        short, long, answer = f"Nam{number}", f"Nam{number} Ofthe Long{number}", f"Ans{number}"
        evidence = int(rng.integers(8))
        naming = set(rng.choice([i for i in range(8) if i != evidence], 3, replace=False).tolist())
        sentences, mentions = [], []
        head = at = (0, 0)
        for index in range(8):
            body = rng.choice(words, int(rng.integers(8, 14))).tolist()
            named = index == evidence or index in naming
            if named:
                body.insert(2, short)
            if index == evidence:
                body.insert(6, answer)
            text = " ".join(body) + "."
            if index == evidence:
                head, at = _span(text, short), _span(text, answer)
            sentences.append(text)
            mentions.append(int(named))
        facts.append(
            Fact(
                source=f"document {number}",
                sentences=tuple(sentences),
                evidence=evidence,
                head=head,
                answer=at,
                names=(short, long),
                mentions=tuple(mentions),
                answering=tuple(index == evidence for index in range(8)),
                template="Where is {name} found?",
            )
        )
    return facts


def _span(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


class Planted:
    """Scores by a function of query and documents."""

    def __init__(self, name: str, score: Score) -> None:
        self.name = self.key = name
        self._score = score

    def scores(self, queries: Sequence[ProbeQuery], documents: Sequence[str]) -> Floats:
        return np.stack([self._score(query, documents) for query in queries])


def noise(query: ProbeQuery, documents: Sequence[str]) -> Floats:
    """Standard normal numbers that belong to the query's text."""
    seed = hashlib.sha256(f"salt {query.text}".encode()).digest()[:8]
    return np.random.default_rng(int.from_bytes(seed, "little")).standard_normal(len(documents))


def by_length(query: ProbeQuery, documents: Sequence[str]) -> Floats:
    return -_counted(tuple(documents)).counts.sum(axis=1)


def by_overlap(query: ProbeQuery, documents: Sequence[str]) -> Floats:
    """Jaccard of the term sets."""
    counted, asked = _counted(tuple(documents)), set(tokenize(query.text))
    both = (counted.of(asked) > 0).sum(axis=1)
    return both / (len(asked) + (counted.counts > 0).sum(axis=1) - both)


def by_frequency(query: ProbeQuery, documents: Sequence[str]) -> Floats:
    """Mean occurrences of the query's terms."""
    asked = set(tokenize(query.text))
    return _counted(tuple(documents)).of(asked).sum(axis=1) / len(asked)


def by_entity(query: ProbeQuery, documents: Sequence[str]) -> Floats:
    """Relevance: 1 for documents that name the question's entity."""
    asked = {term for term in tokenize(query.text) if term.startswith("nam")}
    return (_counted(tuple(documents)).of(asked).sum(axis=1) > 0).astype(float)


def by_offset(pairs: Pairs) -> Score:
    """Score = -offset of the answer; a document without one stands behind all others."""
    places: dict[str, int] = {}
    for each in pairs.values():
        for pair in each:
            for at, document in zip(pair.answer_at, (pair.treatment, pair.control), strict=True):
                places[document] = at if at >= 0 else 2000
    return lambda query, documents: np.array([-float(places[document]) for document in documents])


@dataclass(frozen=True)
class _Counted:
    """Occurrences of each term in each document."""

    counts: Floats
    columns: dict[str, int]

    def of(self, terms: set[str]) -> Floats:
        return self.counts[:, [self.columns[term] for term in terms if term in self.columns]]


@cache
def _counted(documents: tuple[str, ...]) -> _Counted:
    columns: dict[str, int] = {}
    rows = [[columns.setdefault(term, len(columns)) for term in tokenize(document)] for document in documents]
    counts = np.zeros((len(documents), len(columns)))
    for row, terms in enumerate(rows):
        np.add.at(counts[row], terms, 1)
    return _Counted(counts, columns)
