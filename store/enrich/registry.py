"""The entity registry: the things that a corpus holds views on, bootstrapped from a sample of its texts.

Candidates (``store.enrich.terms``) are filtered, joined by string and by meaning, arranged in two tiers and named
(O-RAG section 4: extraction on a sample, then clustering and deduplication). Equal input and seed give an equal
registry; curated decisions (``store.enrich.curation``) are applied on top of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from store.enrich.matcher import EntityMatcher
from store.enrich.registry_clusters import Cluster, DoubtfulMerge, Limits, join
from store.enrich.registry_select import columns_to_terms, least_uses, select
from store.enrich.registry_words import lemmas, slug
from store.enrich.terms import count_terms, learn_lexis
from store.records import RegistryEntity

Embed = Callable[[Sequence[str]], NDArray[Any]]

#: Texts that are read for candidates. A fixed sample, so that the registry settles as the corpus grows.
SAMPLE_TEXTS: Final = 6_000

#: The longest registry: O-RAG's three corpora settled at 90-98 entities.
MAX_ENTITIES: Final = 96

#: A new entity joins a full earlier registry where it has this many times the uses that an entity needs.
IMPORTANT: Final = 4


@dataclass(frozen=True, slots=True)
class RegistryResult:
    """A registry with what is known about it.

    Attributes
    ----------
    entities
        In order of mentions, most first.
    doubtful
        Pairs that look like one thing but were left apart, for a person to decide.
    counts
        Mentions of each entity, by key, in the sample that was read.
    """

    entities: tuple[RegistryEntity, ...] = ()
    doubtful: tuple[DoubtfulMerge, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


def bootstrap(
    texts: Sequence[str],
    *,
    seed: int,
    subjects: Sequence[str] = (),
    aspect_columns: Sequence[str] = (),
    embed: Embed | None = None,
    previous: Sequence[RegistryEntity] = (),
) -> RegistryResult:
    """Build the registry of a corpus.

    Parameters
    ----------
    texts
        The corpus, or a sample of it; at most ``SAMPLE_TEXTS`` are read, drawn with ``seed``.
    subjects
        What the texts are about (hotels, airlines, products); their proper names become no entities.
    aspect_columns
        Names of columns that rate an aspect (``catering_rating``); each becomes an entity if the texts name it.
    embed
        Texts to unit vectors, float of shape (n, d); without it names are joined by string only.
    previous
        An earlier registry: its keys, names and entities that still occur are kept.
    """
    rng = np.random.default_rng(seed)
    if len(texts) > SAMPLE_TEXTS:
        chosen = np.sort(rng.choice(len(texts), SAMPLE_TEXTS, replace=False))
        texts = [texts[int(index)] for index in chosen]
    if not texts:
        return RegistryResult(tuple(previous), (), {entity.key: 0 for entity in previous})
    lexis = learn_lexis(texts, rng)
    counts = count_terms(texts, lexis)
    columns = columns_to_terms(aspect_columns)
    least = least_uses(texts)
    kept = select(counts, lexis, least, subjects, columns, len(texts))
    clusters, doubtful = join(kept, counts, lexis, texts, embed, Limits(least, MAX_ENTITIES), columns)
    entities = _keep_previous(_seen_only(_entities(clusters), texts), previous)
    mentions = count_mentions(texts, entities)
    kept_keys = {entity.key for entity in previous}
    asked = {(word,) for column in columns for word in column}
    for entity in entities:
        named = mentions[entity.key]
        room = len(kept_keys) < MAX_ENTITIES or named >= IMPORTANT * least
        if (2 * named >= least and room) or (named and asked & {lemmas(alias) for alias in entity.aliases}):
            kept_keys.add(entity.key)
    entities = [
        replace(entity, parent=entity.parent if entity.parent in kept_keys else None)
        for entity in sorted(entities, key=lambda entity: (-mentions[entity.key], entity.key))
        if entity.key in kept_keys
    ]
    return RegistryResult(
        tuple(entities),
        tuple(pair for pair in doubtful if {pair.left, pair.right} <= kept_keys),
        {entity.key: mentions[entity.key] for entity in entities},
    )


def count_mentions(texts: Iterable[str], entities: Sequence[RegistryEntity]) -> Counter[str]:
    """Count the mentions of each entity, by key."""
    matcher = EntityMatcher(entities)
    return Counter(mention.entity for text in texts for mention in matcher.find(text))


def _seen_only(entities: Sequence[RegistryEntity], texts: Iterable[str]) -> list[RegistryEntity]:
    """Leave out aliases that no text uses: they come from the list of synonyms, and the linker knows them anyway."""
    matcher = EntityMatcher(entities)
    seen: dict[str, set[tuple[str, ...]]] = {}
    for form, entity in {(m.form.lower(), m.entity) for text in texts for m in matcher.find(text)}:
        seen.setdefault(entity, set()).add(lemmas(form))
    return [
        replace(
            entity,
            aliases=tuple(
                alias
                for alias in entity.aliases
                if alias == entity.name or lemmas(alias) in seen.get(entity.key, ())
            ),
        )
        for entity in entities
    ]


def _entities(clusters: Sequence[Cluster]) -> list[RegistryEntity]:
    keys = {cluster.name: slug(cluster.name) for cluster in clusters}
    return [
        RegistryEntity(
            key=keys[cluster.name],
            name=cluster.name,
            parent=keys.get(cluster.parent) if cluster.parent else None,
            aliases=tuple(sorted(cluster.aliases)),
        )
        for cluster in clusters
    ]


def _keep_previous(
    entities: Sequence[RegistryEntity], previous: Sequence[RegistryEntity]
) -> list[RegistryEntity]:
    """Give entities that share a form with an earlier one its key and name, and keep the rest of the earlier ones."""
    if not previous:
        return list(entities)
    owner: dict[tuple[str, ...], str] = {}
    for old in previous:
        for alias in (old.name, *old.aliases):
            owner.setdefault(lemmas(alias), old.key)
    renamed: dict[str, str] = {}
    extra: dict[str, list[RegistryEntity]] = {}
    fresh: list[RegistryEntity] = []
    taken = {old.key for old in previous}
    for entity in entities:
        key = owner.get(lemmas(entity.name)) or next(
            (owner[form] for alias in entity.aliases if (form := lemmas(alias)) in owner), None
        )
        if key is not None:
            renamed[entity.key] = key
            extra.setdefault(key, []).append(entity)
        elif entity.key not in taken:
            fresh.append(entity)
    kept = []
    for old in previous:
        forms = dict.fromkeys(old.aliases)
        for entity in extra.get(old.key, ()):
            forms.update(dict.fromkeys(alias for alias in entity.aliases if lemmas(alias) not in owner))
        kept.append(RegistryEntity(old.key, old.name, old.parent, tuple(sorted(forms))))
    keys = taken | {entity.key for entity in fresh}
    for entity in fresh:
        parent = renamed.get(entity.parent, entity.parent) if entity.parent else None
        aliases = tuple(alias for alias in entity.aliases if lemmas(alias) not in owner)
        kept.append(RegistryEntity(entity.key, entity.name, parent if parent in keys else None, aliases))
    return kept


__all__ = ["MAX_ENTITIES", "SAMPLE_TEXTS", "DoubtfulMerge", "RegistryResult", "bootstrap", "count_mentions"]
