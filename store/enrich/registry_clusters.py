"""Joins candidate terms into entities: by spelling, by known synonyms, by meaning; then tiers and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from store.enrich.matcher import EntityMatcher
from store.enrich.registry_knowledge import Term, knowledge
from store.enrich.registry_words import lemmas, slug
from store.enrich.terms import Lexis, TermCount
from store.records import RegistryEntity

#: Cosine of two names above which they are joined, and above which a person is asked.
JOIN: Final = 0.86
ASK: Final = 0.70
#: The preferred name of a synonym group is used if it has this share of the commonest name's uses.
PREFERRED: Final = 0.25
#: A compound that makes up this share of its head's uses takes the head over ("front desk" for "desk").
TAKEOVER: Final = 0.6
#: A thing is named in the plural where that is this many times as common as the singular.
PLURAL: Final = 100
#: A weak synonym joins where the rest of its group is this many times as common.
WEAK: Final = 4
#: The thing as a whole takes this share of all that is called "this ...", and this many.
WHOLE: Final = 0.5
MIN_WHOLE: Final = 10
#: Least share of an entity's uses with an opinion on them.
MIN_CLUSTER_OPINION: Final = 0.04
#: An aspect without its noun needs this many uses, and this many a text.
MIN_IMPLIED: Final = 5
MIN_IMPLIED_SHARE: Final = 0.01


_THIS: Final = re.compile(r"\b[Tt]his (\w+)")


@dataclass(frozen=True, slots=True)
class DoubtfulMerge:
    """Two entities that may be one: their keys, cosine of their names, uses of each."""

    left: str
    right: str
    similarity: float
    left_count: int
    right_count: int


@dataclass(frozen=True, slots=True)
class Limits:
    """Least uses of an entity, and the most entities."""

    least: int
    most: int


@dataclass(slots=True)
class Cluster:
    """An entity in the making: terms with their uses, uses with an opinion, name, parent's name, surface forms."""

    terms: dict[Term, int] = field(default_factory=dict)
    opinions: float = 0.0
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
    texts: Sequence[str],
    embed: Callable[[Sequence[str]], NDArray[Any]] | None,
    limits: Limits,
    columns: Sequence[Term],
) -> tuple[list[Cluster], tuple[DoubtfulMerge, ...]]:
    """Return the clusters within the limits, those with most opinions first, and the pairs left for a person."""
    owner = _Forest(kept)
    _by_spelling(kept, counts, owner)
    _by_synonyms(kept, counts, owner)
    _by_columns(columns, owner)
    _by_takeover(kept, counts, owner)
    doubtful = _by_meaning(kept, counts, owner, embed)
    clusters = _clusters(kept, counts, owner)
    _add_implied(clusters, texts)
    clusters = _shortlist(clusters, limits, columns)
    _tiers(clusters)
    _alias(clusters, lexis)
    _add_whole(clusters, texts)
    return clusters, _still_apart(doubtful, clusters)


def _shortlist(clusters: Sequence[Cluster], limits: Limits, columns: Sequence[Term]) -> list[Cluster]:
    """Keep what is named often enough and with opinions, most opinions first, and what a column asks for."""
    asked = {term for column in columns for term in (column, *((word,) for word in column))}
    must, rest = [], []
    for cluster in sorted(clusters, key=lambda item: (-item.opinions, item.name)):
        if any(term in asked for term in cluster.terms):
            must.append(cluster)
        elif cluster.uses >= limits.least and cluster.opinions >= MIN_CLUSTER_OPINION * cluster.uses:
            rest.append(cluster)
    return must + rest[: max(limits.most - len(must), 0)]


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


def _by_synonyms(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: _Forest) -> None:
    present, weak = set(kept), knowledge().weak
    for group in knowledge().groups:
        firm = [term for term in group if term in present and term not in weak]
        for term in firm[1:]:
            owner.union(firm[0], term)
        uses = sum(counts[term].uses for term in firm)
        for term in group:
            if firm and term in weak and term in present and counts[term].uses * WEAK <= uses:
                owner.union(firm[0], term)


def _by_columns(columns: Sequence[Term], owner: _Forest) -> None:
    """Join the compound that a column of aspects names ("staff service") with its first word that is a term."""
    for column in columns:
        part = next(((word,) for word in column if (word,) in owner), None)
        if part is not None and column in owner:
            owner.union(part, column)


def _by_takeover(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: _Forest) -> None:
    grouped = {term for group in knowledge().groups for term in group}
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
        uses = cluster.terms[term] = max(counts[term].uses - inner[term], 0)
        cluster.opinions += uses * counts[term].opinion_share
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
    best: Term = max(cluster.terms, key=lambda item: (counts[item].uses, item))
    whole = [
        t for t in cluster.terms if t[-1:] == best != t and counts[t].uses >= TAKEOVER * counts[best].uses
    ]
    if whole:
        best = max(whole, key=lambda item: (counts[item].uses, item))
    for other in groups.get(best, ()):
        if other in cluster.terms and counts[other].uses >= PREFERRED * counts[best].uses:
            best = other
            break
    return _spell(best, counts[best].forms)


def _spell(term: Term, forms: Mapping[str, int]) -> str:
    """Return the commonest surface form: singular, unless the singular is rare or another word ("grounds")."""
    single = " ".join(term)
    plural = max(
        (form for form in forms if form != single), key=lambda form: (forms[form], form), default=single
    )
    often = PLURAL * forms.get(single, 0)
    return plural if plural in knowledge().plurals or forms.get(plural, 0) > often else single


def _add_implied(clusters: list[Cluster], texts: Sequence[str]) -> None:
    """Let "dirty" and "spotless" name cleanliness, where the corpus uses them."""
    implied = knowledge().implied
    matcher = EntityMatcher([RegistryEntity(" ".join(form), " ".join(form)) for form in implied])
    seen = Counter(lemmas(mention.entity) for text in texts for mention in matcher.find(text))
    by_name: dict[str, dict[Term, int]] = {}
    for form, name in implied.items():
        if seen[form] > 0:
            by_name.setdefault(name, {})[form] = seen[form]
    for name, forms in sorted(by_name.items()):
        term = lemmas(name)
        cluster = next((c for c in clusters if term in c.terms), None)
        if cluster is None:
            if sum(forms.values()) < max(MIN_IMPLIED, round(MIN_IMPLIED_SHARE * len(texts))):
                continue
            cluster = Cluster({term: 0}, name=name)
            clusters.append(cluster)
        for form, uses in forms.items():
            cluster.terms.setdefault(form, uses)
            cluster.opinions += uses


def _tiers(clusters: Iterable[Cluster]) -> None:
    """Make a compound the child of the entity that its head, or else its first word, names."""
    clusters = list(clusters)
    owner = {term: cluster for cluster in clusters for term in cluster.terms}
    for cluster in clusters:
        term = lemmas(cluster.name)
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
            if len(term) > 1 or term in implied or _noun_enough(term[0], lexis):
                forms.add(" ".join(term))
        for term in groups.get(next(iter(cluster.terms)), ()):
            if (
                term not in claimed
                and term not in knowledge().weak
                and (len(term) > 1 or _noun_enough(term[0], lexis))
            ):
                forms.add(" ".join(term))
                claimed.add(term)
        cluster.aliases = forms


def _add_whole(clusters: Sequence[Cluster], texts: Sequence[str]) -> None:
    """Let "the place" name what the texts are about, where most of them say "this hotel" (or lounge, or camera)."""
    owner = {term: cluster.name for cluster in clusters for term in cluster.terms}
    named: Counter[str] = Counter()
    for text in texts:
        for match in _THIS.finditer(text):
            term = lemmas(match.group(1))
            if term in owner:
                named[owner[term]] += 1
    if not named:
        return
    name, uses = max(named.items(), key=lambda item: (item[1], item[0]))
    if uses >= max(MIN_WHOLE, WHOLE * sum(named.values())):
        whole = next(cluster for cluster in clusters if cluster.name == name)
        whole.aliases |= {form for form in knowledge().whole if lemmas(form) not in owner}


def _noun_enough(word: str, lexis: Lexis) -> bool:
    return lexis.seen.get(word, 0) < 5 or lexis.noun.get(word, 0.0) + lexis.proper.get(word, 0.0) >= 0.4


__all__ = ["ASK", "JOIN", "Cluster", "DoubtfulMerge", "Limits", "join", "one_edit"]
