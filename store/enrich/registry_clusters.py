"""From candidate terms to entities: joined, shortlisted, named and arranged in tiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from numpy.typing import NDArray

from store.enrich.registry_joins import ASK, JOIN, Forest, join_terms
from store.enrich.registry_knowledge import Term, knowledge
from store.enrich.registry_names import Cluster, add_implied, add_whole, choose_name, set_aliases, set_tiers
from store.enrich.registry_select import vouched
from store.enrich.registry_words import slug
from store.enrich.terms import Lexis, TermCount

#: Least share of an entity's uses with an opinion on them.
MIN_CLUSTER_OPINION: Final = 0.04


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
    owner, doubtful = join_terms(kept, counts, columns, embed)
    grouped = {term for group in knowledge().groups for term in group}
    clusters = [
        cluster
        for cluster in _clusters(kept, counts, owner)
        if not grouped & cluster.terms.keys() or vouched(cluster.terms, counts)
    ]
    add_implied(clusters, texts)
    clusters = _shortlist(clusters, limits, columns)
    set_tiers(clusters)
    set_aliases(clusters, lexis)
    add_whole(clusters, texts)
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


def _clusters(kept: Sequence[Term], counts: Mapping[Term, TermCount], owner: Forest) -> list[Cluster]:
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
        cluster.name = choose_name(cluster, counts, groups)
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


__all__ = ["ASK", "JOIN", "Cluster", "DoubtfulMerge", "Limits", "join"]
