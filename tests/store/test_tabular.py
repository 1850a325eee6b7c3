from __future__ import annotations

import pytest
from sqlalchemy import select

from store.answers import AnswerStore
from store.database import Database
from store.enrich.pipeline import EnrichPipeline
from store.records import RegistryEntity
from store.registry import RegistryStore
from store.tables import Author, AuthorAttribute, Corpus, Document, QuarantinedRow, Source
from store.tabular import rows_of
from tests.conftest import new_corpus
from tests.fakes.extractor import ScriptedExtractor
from tests.store.helpers import add_documents


@pytest.fixture
def corpus(database: Database) -> int:
    corpus = new_corpus(database)
    RegistryStore(database).save(corpus, [RegistryEntity("staff", "staff", None, ("staff",))])
    add_documents(
        database, corpus, ["The staff was good", "The staff was rude"], authors=["ann", "bob"], rating=4.0
    )
    add_documents(database, new_corpus(database, "other"), ["The staff was good"])
    with database.session() as session:
        session.get_one(Corpus, corpus).settings = {"registry_documents": 99}
        source = session.scalars(select(Source).where(Source.corpus_id == corpus)).one()
        session.add(
            QuarantinedRow(corpus_id=corpus, source_id=source.id, row_number=3, reason="no text", raw=";")
        )
    EnrichPipeline(database, ScriptedExtractor()).run(corpus)
    AnswerStore(database).begin(corpus, "How is the staff?")
    return corpus


@pytest.mark.parametrize(
    ("what", "rows", "columns"),
    [
        (
            "documents",
            2,
            {"id": "r0", "source": "reviews.csv", "text": "The staff was good", "author": "ann"},
        ),
        ("opinions", 2, {"document": "r0", "entity": "staff", "score": 30, "quote": "The staff was good"}),
        ("stances", 2, {"document": "r0", "entity": "staff", "score": 30, "opinions": 1}),
        ("answers", 1, {"question": "How is the staff?", "state": "running"}),
        ("quarantine", 1, {"source": "reviews.csv", "row": 3, "reason": "no text", "raw": ";"}),
    ],
)
def test_tables(database: Database, corpus: int, what: str, rows: int, columns: dict[str, object]) -> None:
    names, found = rows_of(database, corpus, what)
    table = [dict(zip(names, row, strict=True)) for row in found]
    assert len(table) == rows
    assert columns.items() <= table[0].items()
    assert not any(isinstance(value, list) for row in table for value in row.values())


def test_documents_carry_author_attributes_and_kept_columns(database: Database, corpus: int) -> None:
    with database.session() as session:
        ann = session.scalars(select(Author).where(Author.corpus_id == corpus, Author.key == "ann")).one()
        session.add(AuthorAttribute(author_id=ann.id, name="country", value="Chile"))
        first = session.scalars(
            select(Document).where(Document.corpus_id == corpus).order_by(Document.id)
        ).first()
        assert first is not None
        first.extra = {"seat": 3}
    names, found = rows_of(database, corpus, "documents")
    table = [dict(zip(names, row, strict=True)) for row in found]
    assert names[-2:] == ["author.country", "kept.seat"]
    assert [row["author.country"] for row in table] == ["Chile", ""]
    assert [row["kept.seat"] for row in table] == [3, ""]
