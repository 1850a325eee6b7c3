"""The doubtful merges of the newest registry, kept in the corpus' settings until a person has decided on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from store.database import Database
from store.enrich.registry_clusters import DoubtfulMerge
from store.tables import Corpus

DOUBTFUL: Final = "doubtful"
#: Pairs of keys that a person said are two things; they are not asked about again.
APART: Final = "kept_apart"


def remember(settings: Mapping[str, Any], doubtful: Iterable[DoubtfulMerge]) -> dict[str, Any]:
    """Return the settings with these doubtful merges, in place of those of an older registry."""
    packed = [[p.left, p.right, p.similarity, p.left_count, p.right_count] for p in doubtful]
    return {**settings, DOUBTFUL: packed}


def open_doubts(database: Database, corpus_id: int, keys: Iterable[str]) -> tuple[DoubtfulMerge, ...]:
    """Return the pairs still to be decided on: both entities are there, and nobody said that they are two things."""
    with database.session() as session:
        settings = session.get_one(Corpus, corpus_id).settings
    known = set(keys)
    apart = {frozenset(pair) for pair in settings.get(APART, ())}
    pairs = (DoubtfulMerge(*packed) for packed in settings.get(DOUBTFUL, ()))
    return tuple(
        pair
        for pair in pairs
        if {pair.left, pair.right} <= known and frozenset((pair.left, pair.right)) not in apart
    )


def keep_apart(database: Database, corpus_id: int, pairs: Sequence[tuple[str, str]]) -> None:
    """Remember pairs of keys that are two things."""
    with database.session() as session:
        corpus = session.get_one(Corpus, corpus_id)
        known = [list(pair) for pair in corpus.settings.get(APART, ())]
        known += [sorted(pair) for pair in pairs if sorted(pair) not in known]
        corpus.settings = {**corpus.settings, APART: known}


__all__ = ["keep_apart", "open_doubts", "remember"]
