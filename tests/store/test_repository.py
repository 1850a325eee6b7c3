from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import select

import store.repository
from store.database import Database
from store.errors import UsageError
from store.repository import Repository
from store.tables import QuarantinedRow, Source, Unit, UnitTombstone
from tests.conftest import new_corpus
from tests.store.helpers import add_documents, count


@pytest.fixture
def repository(database: Database) -> Repository:
    return Repository(database)


def test_corpora(repository: Repository, database: Database) -> None:
    with pytest.raises(UsageError, match="there is no corpus yet") as caught:
        repository.corpus()
    assert caught.value.hint == "run `evenhand ingest FILE`"
    one = repository.create_corpus("lounges")
    assert repository.create_corpus("lounges") == one
    assert repository.corpus().id == one
    add_documents(database, one, ["a", "b"])
    repository.create_corpus("hotels")
    assert [(c.name, c.documents) for c in repository.corpora()] == [("hotels", 0), ("lounges", 2)]
    with pytest.raises(UsageError, match="there are 2 corpora") as caught:
        repository.corpus()
    assert "`hotels`, `lounges`" in caught.value.hint
    with pytest.raises(UsageError, match="there is no corpus `lounge`") as caught:
        repository.corpus("lounge")
    assert caught.value.hint == "did you mean `lounges`?"
    with pytest.raises(UsageError, match="there is no corpus `xyz`") as caught:
        repository.corpus("xyz")
    assert "evenhand doctor" in caught.value.hint


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_names_that_no_corpus_can_have(repository: Repository, name: str) -> None:
    with pytest.raises(UsageError, match="1 to 200 characters"):
        repository.create_corpus(name)


def test_touch(repository: Repository) -> None:
    corpus = repository.create_corpus("c")
    repository.touch(corpus)
    repository.touch(corpus, extractor="lexical")
    assert (repository.corpus().revision, repository.corpus().extractor) == (2, "lexical")


def test_documents(repository: Repository, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.repository, "IN_LIMIT", 2)
    corpus = new_corpus(database)
    ids = add_documents(
        database,
        corpus,
        ["one", "two", "three"],
        subject=["Rome", "Rome", "Oslo"],
        rating=[1.0, None, 3.0],
        authors=["ann", "bob", "ann"],
        attributes=[{"country": "UK", "age": "30"}, {"country": "UK"}, {}],
    )
    found = repository.documents(np.asarray([*ids, 999]))
    assert list(found) == ids
    assert (found[ids[0]].text, found[ids[0]].author, found[ids[0]].rating) == ("one", "ann", 1.0)
    assert found[ids[0]].attributes == {"country": "UK", "age": "30"}
    assert (found[ids[1]].rating, found[ids[2]].attributes) == (None, {})
    assert repository.attributes_of(ids) == {
        ids[0]: {"country": "UK", "age": "30"},
        ids[1]: {"country": "UK"},
    }
    assert repository.attribute_values(corpus) == {"age": ["30"], "country": ["UK"]}
    assert repository.subjects(corpus) == ["Rome", "Oslo"]
    assert repository.count_documents(corpus) == 3
    assert repository.find_documents(corpus, author="ann") == [ids[0], ids[2]]
    assert repository.find_documents(corpus, external_id="r1") == [ids[1]]
    assert repository.find_documents(corpus, external_id="r1", author="ann") == []
    assert repository.find_documents(corpus + 1, author="ann") == []
    with pytest.raises(UsageError, match="nothing to look for"):
        repository.find_documents(corpus)


def test_values_most_frequent_first_and_limited(repository: Repository, database: Database) -> None:
    corpus = new_corpus(database)
    countries = ["UK", "Oman", "UK", "Peru", "Oman", "UK"]
    add_documents(database, corpus, ["x"] * 6, attributes=[{"country": c} for c in countries])
    assert repository.attribute_values(corpus, limit=2) == {"country": ["UK", "Oman"]}


def test_deleted_documents_leave_tombstones(
    repository: Repository, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.repository, "IN_LIMIT", 2)
    corpus = new_corpus(database)
    ids = add_documents(database, corpus, ["one two", "three", "four", "five"], chunks=2)
    with database.session() as session:
        units = set(session.scalars(select(Unit.id).where(Unit.document_id.in_(ids[:3]))))
    assert repository.delete_documents([*ids[:3], 999]) == 3
    with database.session() as session:
        assert set(session.scalars(select(UnitTombstone.unit_id))) == units
    assert count(database, Unit) == 2
    assert repository.delete_documents([]) == 0


def test_ids_are_never_used_again(repository: Repository, database: Database) -> None:
    corpus = new_corpus(database)
    first = add_documents(database, corpus, ["one", "two"])
    repository.delete_documents(first)
    assert min(add_documents(database, corpus, ["three"])) > max(first)


def test_sources_quarantine_and_the_end_of_a_corpus(repository: Repository, database: Database) -> None:
    corpus, other = new_corpus(database), new_corpus(database, "other")
    add_documents(database, corpus, ["one"], source="a.csv")
    add_documents(database, other, ["one"], source="b.csv")
    with database.session() as session:
        source = session.scalars(select(Source).where(Source.corpus_id == corpus)).one()
        source.rows_read, source.rows_new = 3, 1
        for row in (7, 2):
            session.add(
                QuarantinedRow(
                    corpus_id=corpus, source_id=source.id, row_number=row, reason="no text", raw=";;"
                )
            )
            session.flush()
    [found] = repository.sources(corpus)
    assert (found.name, found.state, found.rows_read, found.rows_new) == ("a.csv", "done", 3, 1)
    assert [(q.source, q.row, q.reason) for q in repository.quarantine(corpus)] == [
        ("a.csv", 7, "no text"),
        ("a.csv", 2, "no text"),
    ]
    assert len(repository.quarantine(corpus, limit=1)) == 1
    repository.delete_corpus(corpus)
    assert [c.name for c in repository.corpora()] == ["other"]
    assert count(database, Unit) == 1
    assert repository.quarantine(corpus) == []
