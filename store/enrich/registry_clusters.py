"""Joins candidate terms into entities: by spelling, by known synonyms, by meaning; then tiers and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from store.enrich.registry_knowledge import Term, knowledge
from store.enrich.registry_words import lemma, slug
from store.enrich.terms import Lexis, TermCount

#: Cosine of two names above which they are joined, and above which a person is asked.
JOIN: Final = 0.86
ASK: Final = 0.70
#: The preferred name of a synonym group is used if it has this share of the commonest name's uses.
PREFERRED: Final = 0.5
#: A compound that makes up this share of its head's uses takes the head over ("front desk" for "desk").
TAKEOVER: Final = 0.6


@dataclass(frozen=True, slots=True)
class DoubtfulMerge:
    """Two entities that may be one: their keys, cosine of their names, uses of each."""

    left: str
    right: str
    similarity: float
    left_count: int
    right_count: int


@dataclass(slots=True)
class Cluster:
    """An entity in the making: its terms with their uses, its name, its parent's name, its surface forms."""

    terms: dict[Term, int] = field(default_factory=dict)
    name: str = ""
    parent: str = ""
    aliases: set[str] = field(default_factory=set)

    @property
    def uses(self) -> int:
        """Uses of all its terms."""
        return sum(self.terms.values())


def join(
    kept: Sequence[Term],
    counts: Mapping[Term, TermCount],
    lexis: Lexis,
    embed: Callable[[Sequence[str]], NDArray[Any]] | None,
    limit: int,
    columns: Sequence[Term],
) -> tuple[list[Cluster], tuple[DoubtfulMerge, ...]]:
    """Return at most ``limit`` clusters, most used first, and the pairs left for a person."""
    owner = _Forest(kept)
    _by_spelling(kept, counts, owner)
    _by_synonyms(kept, owner)
    _by_takeover(kept, counts, owner)
    doubtful = _by_meaning(kept, counts, owner, embed)
    clusters = _clusters(kept, counts, owner)
    _add_implied(clusters, counts, lexis)
    clusters.sort(key=lambda cluster: (-cluster.uses, cluster.name))
    asked = {word for column in columns for word in column}
    must = [c for c in clusters[limit:] if any(word in asked for term in c.terms for word in term)]
    clusters = clusters[: limit - len(must)] + must
    _tiers(clusters)
    _alias(clusters, lexis)
    return clusters, _still_apart(doubtful, clusters)


class _Forest:
    """Union-find over terms; the root of a set is its most used term."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._parent = {term: term for term in terms}
        self._rank = {term: rank for rank, term in enumerate(terms)}

    def __contains__(self, term: Term) -> bool:
        return term in self._parent

    def find(self, term: Term) -> Term:
        while self._parent[term] != term:
            term = self._parent[term]
        return term

    def union(self, left: Term, right: Term) -> None:
        a, b = self.find(left), self.find(right)
        if self._rank[a] > self._rank[b]:
            a, b = b, a
        self._parent[b] = a


def _by_spelling(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: _Forest) -> None:
    """Join "wi fi" with "wifi", and a rare misspelling with the long word that it is one edit away from."""
    joined: dict[str, Term] = {}
    for term in kept:
        other = joined.setdefault("".join(term), term)
        if other != term:
            owner.union(other, term)
    frequent = [term[0] for term in kept if len(term) == 1 and len(term[0]) >= 6]
    for rank, word in enumerate(frequent):
        for better in frequent[:rank]:
            if counts[(word,)].uses * 8 < counts[(better,)].uses and one_edit(word, better):
                owner.union((better,), (word,))
                break


def one_edit(left: str, right: str) -> bool:
    """Whether two different words are one insertion, deletion, substitution or neighbour swap apart."""
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    at = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    if len(left) == len(right):
        swapped = left[at : at + 2] == right[at : at + 2][::-1] and left[at + 2 :] == right[at + 2 :]
        return swapped or left[at + 1 :] == right[at + 1 :]
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    return longer[at + 1 :] == shorter[at:]


def _by_synonyms(kept: Sequence[Term], owner: _Forest) -> None:
    present = set(kept)
    for group in knowledge().groups:
        members = [term for term in group if term in present]
        for term in members[1:]:
            owner.union(members[0], term)


def _by_takeover(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: _Forest) -> None:
    grouped = {term for group in knowledge().groups for term in group[:1]}
    for term in kept:
        head = term[-1:]
        if len(term) < 2 or head not in owner or head in grouped:
            continue
        if counts[term].uses >= TAKEOVER * counts[head].uses:
            owner.union(term, head)


def _by_meaning(
    kept: Sequence[Term],
    counts: Mapping[Term, TermCount],
    owner: _Forest,
    embed: Callable[[Sequence[str]], NDArray[Any]] | None,
) -> list[tuple[Term, Term, float]]:
    roots = [term for term in kept if owner.find(term) == term]
    if embed is None or len(roots) < 2:
        return []
    roots = roots[:400]
    vectors = np.asarray(embed([" ".join(term) for term in roots]), dtype=np.float64)
    cosines = vectors @ vectors.T
    doubtful = []
    pairs = np.argwhere(np.triu(cosines, 1) >= ASK)
    for i, j in sorted((tuple(map(int, pair)) for pair in pairs), key=lambda p: (-cosines[p], p)):
        left, right = roots[i], roots[j]
        if set(left) & set(right):
            continue
        if cosines[i, j] >= JOIN:
            owner.union(left, right)
        else:
            doubtful.append((left, right, float(cosines[i, j])))
    return doubtful


def _clusters(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: _Forest) -> list[Cluster]:
    sets: dict[Term, Cluster] = {}
    inner = _inner_uses(kept, counts)
    for term in kept:
        cluster = sets.setdefault(owner.find(term), Cluster())
        cluster.terms[term] = max(counts[term].uses - inner[term], 0)
    groups = {term: group for group in knowledge().groups for term in group}
    taken: set[str] = set()
    clusters = []
    for cluster in sets.values():
        cluster.name = _name(cluster, counts, groups)
        if cluster.name not in taken:
            taken.add(cluster.name)
            clusters.append(cluster)
    return clusters


def _inner_uses(kept: Sequence[Term], counts: Mapping[Term, TermCount]) -> Counter[Term]:
    """Count the uses of kept compounds by the shorter term that ends them: not to be counted twice."""
    inner: Counter[Term] = Counter()
    for term in kept:
        if len(term) > 1:
            inner[term[1:]] += counts[term].uses
    return inner


def _still_apart(
    doubtful: Sequence[tuple[Term, Term, float]], clusters: Sequence[Cluster]
) -> tuple[DoubtfulMerge, ...]:
    owner = {term: cluster for cluster in clusters for term in cluster.terms}
    pairs: dict[tuple[str, str], DoubtfulMerge] = {}
    for left, right, cosine in doubtful:
        if left in owner and right in owner and owner[left] is not owner[right]:
            a, b = sorted((owner[left], owner[right]), key=lambda cluster: (-cluster.uses, cluster.name))
            pair = DoubtfulMerge(slug(a.name), slug(b.name), round(cosine, 3), a.uses, b.uses)
            pairs.setdefault((pair.left, pair.right), pair)
    return tuple(pairs.values())


def _name(cluster: Cluster, counts: Mapping[Term, TermCount], groups: Mapping[Term, tuple[Term, ...]]) -> str:
    best = max(cluster.terms, key=lambda term: (counts[term].uses, term))
    for term in groups.get(best, ()):
        if term in cluster.terms and counts[term].uses >= PREFERRED * counts[best].uses:
            best = term
            break
    return _spell(best, counts[best].forms)


def _spell(term: Term, forms: Mapping[str, int]) -> str:
    """Return the commonest surface form: singular, unless the plural is four times as common ("drinks")."""
    single = " ".join(term)
    plural = max(
        (form for form in forms if form != single), key=lambda form: (forms[form], form), default=single
    )
    return plural if forms.get(plural, 0) > 4 * forms.get(single, 0) else single


def _add_implied(clusters: list[Cluster], counts: Mapping[Term, TermCount], lexis: Lexis) -> None:
    """Let "dirty" and "spotless" name cleanliness, where the corpus uses them."""
    by_name: dict[str, list[str]] = {}
    for word, name in knowledge().implied.items():
        if lexis.seen.get(word, 0):
            by_name.setdefault(name, []).append(word)
    for name, words in sorted(by_name.items()):
        term = (lemma(name),)
        cluster = next((c for c in clusters if term in c.terms), None)
        seen = sum(lexis.seen[word] for word in words)
        if cluster is None:
            if seen < 10:
                continue
            cluster = Cluster({term: counts[term].uses if term in counts else 0}, name)
            clusters.append(cluster)
        for word in words:
            cluster.terms.setdefault((lemma(word),), lexis.seen[word])


def _tiers(clusters: Iterable[Cluster]) -> None:
    """Make a compound the child of the entity that its head, or else its first word, names."""
    clusters = list(clusters)
    owner = {term: cluster for cluster in clusters for term in cluster.terms}
    for cluster in clusters:
        term = max(cluster.terms, key=lambda item: (cluster.terms[item], item))
        if len(term) < 2:
            continue
        for part in (term[-1:], term[:1]):
            parent = owner.get(part)
            if parent is not None and parent is not cluster and not parent.parent:
                cluster.parent = parent.name
                break


def _alias(clusters: Sequence[Cluster], lexis: Lexis) -> None:
    """Collect surface forms; the rest of a synonym group joins in unless another entity claims it."""
    claimed = {term for cluster in clusters for term in cluster.terms}
    groups = {term: group for group in knowledge().groups for term in group}
    implied = knowledge().implied
    for cluster in clusters:
        forms = {cluster.name}
        for term in cluster.terms:
            if len(term) > 1 or term[0] in implied or _noun_enough(term[0], lexis):
                forms.add(" ".join(term))
        for term in groups.get(next(iter(cluster.terms)), ()):
            if term not in claimed and (len(term) > 1 or _noun_enough(term[0], lexis)):
                forms.add(" ".join(term))
                claimed.add(term)
        cluster.aliases = forms


def _noun_enough(word: str, lexis: Lexis) -> bool:
    return lexis.seen.get(word, 0) < 5 or lexis.noun.get(word, 0.0) + lexis.proper.get(word, 0.0) >= 0.4


__all__ = ["ASK", "JOIN", "Cluster", "DoubtfulMerge", "join", "one_edit"]
