"""The surface features of the rewriting paper (section 5), and what an enhancement does to a query (table 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.probes.pairs import Bias, ProbePair
from agents.probes.statistics import Floats
from store.lexical import tokenize


def length(document: str) -> float:
    """Return the document's length in words."""
    return float(len(tokenize(document)))


def jaccard(query: str, document: str) -> float:
    """Return ``|T(q) & T(d)| / |T(q) | T(d)|`` of the term sets, 0 for two empty ones."""
    asked, held = set(tokenize(query)), set(tokenize(document))
    return len(asked & held) / len(asked | held) if asked | held else 0.0


def answer_position(at: int, document: str) -> float:
    """Return the answer's character offset over the document's length, in [0, 1]."""
    return at / len(document) if document else 0.0


def term_frequency(query: str, document: str) -> float:
    """Return the mean number of occurrences in the document of the query's distinct terms."""
    asked, words = set(tokenize(query)), tokenize(document)
    return sum(word in asked for word in words) / len(asked) if asked else 0.0


def features(bias: Bias, queries: Sequence[str], pairs: Sequence[ProbePair]) -> Floats | None:
    """Return the feature of D1 and D2 of each pair for its query, shape (n, 2); None for foil, which mixes several."""
    if bias == "foil":
        return None
    rows = []
    for query, pair in zip(queries, pairs, strict=True):
        documents = (pair.treatment, pair.control)
        if bias == "brevity":
            rows.append([length(document) for document in documents])
        elif bias == "literal":
            rows.append([jaccard(query, document) for document in documents])
        elif bias == "position":
            places = zip(pair.answer_at, documents, strict=True)
            rows.append([answer_position(at, document) for at, document in places])
        else:
            rows.append([term_frequency(query, document) for document in documents])
    return np.asarray(rows, dtype=np.float64).reshape(len(pairs), 2)


@dataclass(frozen=True, slots=True)
class QueryStatistics:
    """What an enhancement makes of the questions.

    Attributes
    ----------
    questions
        Distinct questions.
    words
        Mean length in words.
    added_words
        Mean difference in length to the question.
    terms_kept, entities_kept
        Mean share of the question's terms, and share of the questions whose entity's name, is still there; in [0, 1].
    new_terms
        Mean number of terms that the question does not have.
    vocabulary
        Distinct terms of all queries together.
    """

    questions: int
    words: float
    added_words: float
    terms_kept: float
    new_terms: float
    vocabulary: int
    entities_kept: float


def query_statistics(
    questions: Sequence[str], queries: Sequence[str], entities: Sequence[str]
) -> QueryStatistics:
    """Describe what became of the questions.

    Parameters
    ----------
    questions, queries, entities
        Aligned: a question, what is searched with in its place, and the entity's name in it.

    Raises
    ------
    ValueError
        There is no question, or the three differ in length.
    """
    if not questions:
        raise ValueError("there is no question to describe")
    words, kept, new, named, vocabulary = [], [], [], [], set()
    for question, query, entity in zip(questions, queries, entities, strict=True):
        before, after = set(tokenize(question)), tokenize(query)
        vocabulary.update(after)
        words.append((len(after), len(after) - len(tokenize(question))))
        kept.append(len(before & set(after)) / len(before) if before else 1.0)
        new.append(len(set(after) - before))
        named.append(" ".join(tokenize(entity)) in " ".join(after))
    size, added = (float(value) for value in np.mean(words, axis=0))
    return QueryStatistics(
        questions=len(questions),
        words=size,
        added_words=added,
        terms_kept=float(np.mean(kept)),
        new_terms=float(np.mean(new)),
        vocabulary=len(vocabulary),
        entities_kept=float(np.mean(named)),
    )


__all__ = [
    "QueryStatistics",
    "answer_position",
    "features",
    "jaccard",
    "length",
    "query_statistics",
    "term_frequency",
]
