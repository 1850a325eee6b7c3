"""An entity registry by a language model (O-RAG section 4): open extraction on a sample, then clustering of the names.

Names are joined to the nearest commoner name, never through a third one: chains of near pairs would end in one
entity for everything. What is near but not near enough is left for a person, in the same review file as that of
the lexical bootstrap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.models.extractor import LLMExtractor
from store.enrich.registry import MAX_ENTITIES, RegistryResult
from store.enrich.registry_clusters import ASK, JOIN, DoubtfulMerge
from store.enrich.registry_words import lemmas, slug
from store.records import RegistryEntity

Embed = Callable[[Sequence[str]], NDArray[Any]]
#: A name in fewer documents of the sample is a slip of the model more often than a thing people talk about.
LEAST: Final = 2
_LONGEST_NAME: Final = 4


@dataclass(frozen=True, slots=True)
class ModelRegistry:
    """The registry with what it stands on: documents read, and the reasons of those that failed, by id."""

    result: RegistryResult
    documents: int
    failures: dict[int, str]


async def bootstrap_by_model(
    documents: Sequence[tuple[int, str]],
    extractor: LLMExtractor,
    *,
    embed: Embed | None = None,
    previous: Sequence[RegistryEntity] = (),
    least: int = LEAST,
    most: int = MAX_ENTITIES,
    progress: Callable[[int], None] = lambda done: None,
) -> ModelRegistry:
    """Build a registry from a sample.

    Parameters
    ----------
    documents
        The sample: a few hundred suffice, since the registry settles early.
    extractor
        With ``open_discovery``.
    embed
        Names to unit vectors, float of shape (n, d); without it names are joined by their base forms only.
    previous
        Entities to keep, with their keys and names.
    least, most
        Fewest documents of the sample that must speak of an entity; most entities.
    progress
        Called with the number of documents done.

    Raises
    ------
    ValueError
        When the extractor's discovery is closed.
    """
    if not extractor.open_discovery:
        raise ValueError("the extractor must have open_discovery")
    known: Counter[str] = Counter()
    forms: dict[tuple[str, ...], Counter[str]] = {}
    failures: dict[int, str] = {}
    done = 0
    async for outcome in extractor.run(documents, previous):
        done += 1
        progress(done)
        if outcome.extraction is None:
            failures[outcome.document_id] = outcome.reason
            continue
        known.update({unit.entity for unit in outcome.extraction.opinions})
        for name in {entry.name for entry in outcome.discovered}:
            base = lemmas(name)
            if 1 <= len(base) <= _LONGEST_NAME:
                forms.setdefault(base, Counter())[name] += 1
    counted = sorted(forms.items(), key=lambda item: (-item[1].total(), item[0]))
    result = cluster(counted, embed=embed, previous=previous, known=known, least=least, most=most)
    return ModelRegistry(result, len(documents), failures)


def cluster(
    counted: Sequence[tuple[tuple[str, ...], Counter[str]]],
    *,
    embed: Embed | None,
    previous: Sequence[RegistryEntity],
    known: Counter[str],
    least: int,
    most: int,
) -> RegistryResult:
    """Join names, the commonest first, to entities: by base form, then by meaning.

    ``counted`` holds, for each base form, its spellings with the documents that use them; commonest first.
    """
    heads: list[str] = [entity.name for entity in previous]
    uses: list[int] = [known[entity.key] for entity in previous]
    aliases: list[set[str]] = [set(entity.aliases) for entity in previous]
    vectors = _vectors([*heads, *(_commonest(names) for _, names in counted)], embed)
    rows = list(range(len(heads)))
    near: list[tuple[int, int, float]] = []
    for number, (_, names) in enumerate(counted):
        row = len(previous) + number
        similarity, nearest = _nearest(vectors, row, rows)
        if nearest is not None and similarity >= JOIN:
            aliases[nearest].update(names)
            uses[nearest] += names.total()
            continue
        if nearest is not None and similarity >= ASK:
            near.append((nearest, len(heads), similarity))
        heads.append(_commonest(names))
        uses.append(names.total())
        aliases.append(set(names))
        rows.append(row)
    order = sorted(range(len(previous), len(heads)), key=lambda n: (-uses[n], heads[n]))
    fresh = [n for n in order if uses[n] >= least][: max(0, most - len(previous))]
    taken = {entity.key for entity in previous}
    keys = {n: entity.key for n, entity in enumerate(previous)}
    for n in fresh:
        if (key := slug(heads[n])) and key not in taken:
            keys[n] = key
            taken.add(key)
    by_name = {lemmas(heads[n]): key for n, key in keys.items()}
    entities = [
        RegistryEntity(entity.key, entity.name, entity.parent, tuple(sorted(aliases[n])))
        for n, entity in enumerate(previous)
    ] + [
        RegistryEntity(keys[n], heads[n], _parent(heads[n], by_name), tuple(sorted(aliases[n])))
        for n in fresh
        if n in keys
    ]
    doubtful = tuple(
        DoubtfulMerge(keys[a], keys[b], similarity, uses[a], uses[b])
        for a, b, similarity in near
        if a in keys and b in keys
    )
    return RegistryResult(tuple(entities), doubtful, {keys[n]: uses[n] for n in keys})


def _commonest(names: Counter[str]) -> str:
    return min(names, key=lambda name: (-names[name], len(name), name))


def _vectors(names: Sequence[str], embed: Embed | None) -> NDArray[Any] | None:
    return np.asarray(embed(names)) if embed is not None and names else None


def _nearest(vectors: NDArray[Any] | None, row: int, rows: Sequence[int]) -> tuple[float, int | None]:
    if vectors is None or not rows:
        return 0.0, None
    similarities = vectors[list(rows)] @ vectors[row]
    best = int(np.argmax(similarities))
    return float(similarities[best]), best


def _parent(name: str, by_name: dict[tuple[str, ...], str]) -> str | None:
    """Return the key of the entity that the last word names: the "pool bar" is a bar."""
    base = lemmas(name)
    return by_name.get(base[-1:]) if len(base) > 1 else None


__all__ = ["LEAST", "ModelRegistry", "bootstrap_by_model", "cluster"]
