from __future__ import annotations

import pytest

from store.database import Database
from store.records import RegistryEntity
from store.registry import RegistryStore
from store.tables import EntityAlias, Stance
from tests.conftest import new_corpus
from tests.store.helpers import add_documents, count

REGISTRY = [
    RegistryEntity("room", "room", None, ("bedroom", "room")),
    RegistryEntity("shower", "shower", "room", ("shower",)),
    RegistryEntity("staff", "staff", None, ("employee", "staff")),
]


@pytest.fixture
def corpus(database: Database) -> int:
    return new_corpus(database)


def test_saved_is_loaded(database: Database, corpus: int) -> None:
    registry = RegistryStore(database)
    assert registry.load(corpus) == []
    registry.save(corpus, REGISTRY)
    assert registry.load(corpus) == REGISTRY
    registry.save(corpus, REGISTRY)
    assert registry.load(corpus) == REGISTRY
    assert count(database, EntityAlias) == 5
    assert registry.load(new_corpus(database, "other")) == []


def test_keys_keep_their_ids_through_retirement(database: Database, corpus: int) -> None:
    registry = RegistryStore(database)
    registry.save(corpus, REGISTRY)
    ids = registry.ids(corpus)
    registry.save(corpus, [RegistryEntity("shower", "rain shower", "room", ("rain shower",))])
    # A parent that left leaves its child on the top tier.
    assert registry.load(corpus) == [RegistryEntity("shower", "rain shower", None, ("rain shower",))]
    registry.save(corpus, REGISTRY)
    assert registry.ids(corpus) == ids
    assert registry.load(corpus) == REGISTRY


def test_two_corpora_may_use_one_key(database: Database, corpus: int) -> None:
    registry, other = RegistryStore(database), new_corpus(database, "other")
    registry.save(corpus, REGISTRY)
    registry.save(other, REGISTRY[2:])
    assert registry.ids(other)["staff"] != registry.ids(corpus)["staff"]
    assert registry.load(corpus) == REGISTRY


def test_records_count_documents_by_bin(database: Database, corpus: int) -> None:
    registry = RegistryStore(database)
    registry.save(corpus, REGISTRY)
    ids = registry.ids(corpus)
    documents = add_documents(database, corpus, ["a", "b", "c"])
    with database.session() as session:
        for document, score, extractor in zip(documents, (30, 30, -10), ("x", "x", "x"), strict=True):
            session.add(stance(corpus, document, ids["staff"], score, extractor))
        session.add(stance(corpus, documents[0], ids["staff"], -30, "y"))
    found = {record.key: record for record in registry.records(corpus, "x")}
    assert found["staff"].counts == (0, 0, 1, 0, 0, 0, 2)
    assert found["staff"].documents == 3
    assert (found["room"].documents, found["shower"].parent) == (0, "room")


def stance(corpus: int, document: int, entity: int, score: int, extractor: str) -> Stance:
    return Stance(
        corpus_id=corpus,
        document_id=document,
        entity_id=entity,
        extractor=extractor,
        score=score,
        impact=10,
        markers=[],
        evidence="unknown",
        opinions=1,
        confidence=0.5,
    )


def test_decisions_keep_their_order(database: Database, corpus: int) -> None:
    registry = RegistryStore(database)
    registry.decide(corpus, "rename", {"entity": "staff", "value": "team"})
    registry.decide(corpus, "drop", {"entity": "room"})
    assert registry.decisions(corpus) == [
        ("rename", {"entity": "staff", "value": "team"}),
        ("drop", {"entity": "room"}),
    ]
    assert registry.decisions(corpus + 1) == []
