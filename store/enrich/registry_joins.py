"""Joins candidate terms that name one thing: by spelling, by known synonyms, by columns, by meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from store.enrich.registry_knowledge import Term, knowledge
from store.enrich.registry_words import one_edit
from store.enrich.terms import TermCount

#: Cosine of two names above which they are joined, and above which a person is asked.
JOIN: Final = 0.86
ASK: Final = 0.70
#: A compound that makes up this share of its head's uses takes the head over ("front desk" for "desk").
TAKEOVER: Final = 0.6
#: A weak synonym joins where the rest of its group is this many times as common.
WEAK: Final = 4
#: A word this long or longer, this many times rarer than one a single edit away, is its misspelling.
MIN_MISSPELT: Final = 6
MISSPELT: Final = 8
#: Names that are compared by meaning, the commonest first.
COMPARED: Final = 400


class Forest:
    """Union-find over terms; the root of a set is its most used term."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._parent = {term: term for term in terms}
        self._rank = {term: rank for rank, term in enumerate(terms)}

    def __contains__(self, term: Term) -> bool:
        return term in self._parent

    def find(self, term: Term) -> Term:
        """Return the root of the set that holds the term."""
        while self._parent[term] != term:
            term = self._parent[term]
        return term

    def union(self, left: Term, right: Term) -> None:
        """Join the sets of two terms."""
        a, b = self.find(left), self.find(right)
        if self._rank[a] > self._rank[b]:
            a, b = b, a
        self._parent[b] = a


def join_terms(
    kept: Sequence[Term],
    counts: Mapping[Term, TermCount],
    columns: Sequence[Term],
    embed: Callable[[Sequence[str]], NDArray[Any]] | None,
) -> tuple[Forest, list[tuple[Term, Term, float]]]:
    """Return the terms joined, and the pairs with their cosine that are near in meaning and were left apart."""
    owner = Forest(kept)
    _by_spelling(kept, counts, owner)
    _by_synonyms(kept, counts, owner)
    _by_columns(columns, owner)
    _by_takeover(kept, counts, owner)
    return owner, _by_meaning(kept, owner, embed)


def _by_spelling(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: Forest) -> None:
    """Join "wi fi" with "wifi", and a rare misspelling with the long word that it is one edit away from."""
    joined: dict[str, Term] = {}
    for term in kept:
        other = joined.setdefault("".join(term), term)
        if other != term:
            owner.union(other, term)
    frequent = [term[0] for term in kept if len(term) == 1 and len(term[0]) >= MIN_MISSPELT]
    for rank, word in enumerate(frequent):
        for better in frequent[:rank]:
            if counts[(word,)].uses * MISSPELT < counts[(better,)].uses and one_edit(word, better):
                owner.union((better,), (word,))
                break


def _by_synonyms(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: Forest) -> None:
    present, weak = set(kept), knowledge().weak
    for group in knowledge().groups:
        firm = [term for term in group if term in present and term not in weak]
        for term in firm[1:]:
            owner.union(firm[0], term)
        uses = sum(counts[term].uses for term in firm)
        for term in group:
            if firm and term in weak and term in present and counts[term].uses * WEAK <= uses:
                owner.union(firm[0], term)


def _by_columns(columns: Sequence[Term], owner: Forest) -> None:
    """Join the compound that a column of aspects names ("staff service") with its first word that is a term."""
    for column in columns:
        part = next(((word,) for word in column if (word,) in owner), None)
        if part is not None and column in owner:
            owner.union(part, column)


def _by_takeover(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: Forest) -> None:
    grouped = {term for group in knowledge().groups for term in group}
    for term in kept:
        head = term[-1:]
        if len(term) < 2 or head not in owner or head in grouped:
            continue
        if counts[term].uses >= TAKEOVER * counts[head].uses:
            owner.union(term, head)


def _by_meaning(
    kept: Sequence[Term],
    owner: Forest,
    embed: Callable[[Sequence[str]], NDArray[Any]] | None,
) -> list[tuple[Term, Term, float]]:
    roots = [term for term in kept if owner.find(term) == term]
    if embed is None or len(roots) < 2:
        return []
    roots = roots[:COMPARED]
    vectors = np.asarray(embed([" ".join(term) for term in roots]), dtype=np.float64)
    cosines = vectors @ vectors.T
    doubtful = []
    joined: set[Term] = set()
    pairs = np.argwhere(np.triu(cosines, 1) >= ASK)
    for i, j in sorted((tuple(map(int, pair)) for pair in pairs), key=lambda p: (-cosines[p], p)):
        left, right = roots[i], roots[j]
        if set(left) & set(right):
            continue
        if cosines[i, j] >= JOIN and not {left, right} & joined:
            # Never through a third name: chains of near pairs would end in one entity for everything.
            owner.union(left, right)
            joined.add(right)
        else:
            doubtful.append((left, right, float(cosines[i, j])))
    return doubtful


__all__ = ["ASK", "JOIN", "TAKEOVER", "Forest", "join_terms"]
