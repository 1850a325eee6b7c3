from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from store.answers import AnswerStore
from store.enrich.pipeline import EnrichPipeline
from store.erasure import erase
from store.errors import WorkspaceBusy
from store.hashing import text_hash
from store.records import RegistryEntity
from store.registry import RegistryStore
from store.repository import Repository
from store.tables import (
    Author,
    AuthorAttribute,
    Citation,
    Corpus,
    Document,
    Embedding,
    ModelCall,
    Opinion,
    QuarantinedRow,
    Source,
    Stance,
    Unit,
)
from tests.fakes.extractor import ScriptedExtractor
from tests.fakes.receipts import factual_receipt
from tests.store.helpers import Store, count

#: A text whose words occur nowhere else.
SECRET = "Zyxwvut qwertzuiop! The staff was rude to Plumbersworth, quoth Fnordington."
#: In two chunks, so that parts of it are looked for too.
WORDS = ["Zyxwvut", "qwertzuiop", "Plumbersworth", "Fnordington"]
OTHERS = [f"The staff was good on day {n}. The coffee was bad." for n in range(12)]


def traces(root: Path, needles: list[bytes]) -> list[str]:
    """Files under the workspace that hold one of these bytes, in either case of letters."""
    found = []
    for file in sorted(root.rglob("*")):
        if file.is_file():
            raw = file.read_bytes().lower()
            found.extend(
                f"{file.relative_to(root)}: {needle[:20]!r}" for needle in needles if needle.lower() in raw
            )
    return found


class Filled:
    """A corpus that was ingested, enriched, indexed and asked about."""

    def __init__(self, store: Store) -> None:
        self.store = store
        registry = [RegistryEntity(key, key, None, (key,)) for key in ("staff", "coffee")]
        RegistryStore(store.database).save(store.corpus, registry)
        with store.database.session() as session:
            session.get_one(Corpus, store.corpus).settings = {"registry_documents": 1000}
        store.add(OTHERS, authors=[f"person{n}" for n in range(12)])
        self.secret = store.add(
            [SECRET],
            chunks=2,
            authors=["Grimblewick"],
            attributes=[{"country": "Ruritania"}],
            title="Snorkelquist",
            external_id="secret-7",
        )[0]
        # Another of the same author, whose text someone else wrote too.
        self.same_author = store.add([OTHERS[3]], authors=["Grimblewick"])[0]
        with store.database.session() as session:
            source = session.scalars(select(Source)).one()
            session.add(
                QuarantinedRow(
                    corpus_id=store.corpus,
                    source_id=source.id,
                    row_number=9,
                    reason="?",
                    raw="Grimblewick;Zyxwvut",
                )
            )
            session.add(ModelCall(key="k", model="m", reply={"quote": "rude to Plumbersworth"}))
        EnrichPipeline(store.database, ScriptedExtractor()).run(store.corpus)
        store.indexer.bring_up(store.corpus)
        self.answers = AnswerStore(store.database)
        with closing(sqlite3.connect(store.workspace.checkpoints_path)) as conversations, conversations:
            conversations.execute("PRAGMA journal_mode=WAL")
            conversations.execute("CREATE TABLE writes (value TEXT)")
            conversations.execute("INSERT INTO writes VALUES ('as Fnordington says')")
        self.cites = self.ask(self.secret, "rude to Plumbersworth")
        self.keeps = self.ask(1, "good on day 0")
        stopped = self.answers.begin(store.corpus, "and?")
        self.answers.interrupt(stopped, "quoth Fnordington", "stopped")
        with store.database.session() as session:
            texts = session.scalars(
                select(Unit.text).where(Unit.document_id == self.secret, Unit.text != "")
            ).all()
        half = -(-len(SECRET) // 2)
        vectors = store.embedder.embed([*texts, SECRET[:half], SECRET[half:]])
        self.vectors = [np.asarray(row, dtype="<f4").tobytes() for row in vectors]
        self.needles = [word.encode() for word in [*WORDS, "Snorkelquist", "secret-7"]] + self.vectors

    def ask(self, document: int, text: str) -> str:
        answer = self.answers.begin(self.store.corpus, "How is the staff?")
        receipt = factual_receipt()
        cited = receipt.citations[0].model_copy(update={"document_id": document, "quote": text})
        self.answers.finish(answer, text, receipt.model_copy(update={"citations": (cited,), "ranking": ()}))
        return answer

    def forget(self, ids: list[int]) -> int:
        """What ``evenhand forget`` does."""
        gone = self.answers.delete_citing(ids)
        erase(self.store.database, ids, self.store.workspace.checkpoints_path)
        self.store.indexer.forget_indexes()
        self.store.indexer.bring_up(self.store.corpus)
        return gone


@pytest.fixture
def filled(store: Store) -> Filled:
    return Filled(store)


def test_no_byte_of_a_document_is_left(filled: Filled) -> None:
    store, root = filled.store, filled.store.workspace.root
    store.reopen()
    before = traces(root, filled.needles)
    assert any(name.startswith("evenhand.db") for name in before)
    # The test would see them: text in SQL, words in BM25, vectors in SQL and Chroma.
    assert {name.split(":")[0].split("/")[0] for name in before} >= {"bm25", "chroma", "checkpoints.db"}
    assert filled.forget([filled.secret]) == 2
    store.reopen()
    assert traces(root, filled.needles) == []
    with store.database.session() as session:
        assert session.get(Document, filled.secret) is None
        assert session.scalars(select(Author.key)).all().count("Grimblewick") == 1
    for table in (Opinion, Stance, Unit):
        assert count(store.database, table, table.document_id == filled.secret) == 0
    assert count(store.database, ModelCall) == count(store.database, QuarantinedRow) == 0
    assert count(store.database, Citation) == 1


def test_the_rest_still_answers(filled: Filled) -> None:
    store = filled.store
    filled.forget([filled.secret])
    assert [found.consistent for found in store.indexer.compare(store.corpus)] == [True, True]
    searcher = store.searcher
    found = searcher.hybrid(store.corpus, "coffee bad", [searcher.embed_query("coffee bad")], 20)
    assert found.degradations == ()
    assert len(found.document_ids) == 13
    assert filled.answers.get("last").id == filled.keeps
    # Nothing was embedded again.
    assert store.indexer.bring_up(store.corpus).embedded == 0
    # Another's equal text keeps its vector.
    assert count(store.database, Embedding, Embedding.text_hash == text_hash(OTHERS[3])) == 1


def test_no_byte_of_an_author_is_left(filled: Filled) -> None:
    store = filled.store
    ids = Repository(store.database).find_documents(store.corpus, author="Grimblewick")
    assert ids == [filled.secret, filled.same_author]
    filled.forget(ids)
    store.reopen()
    needles = [*filled.needles, b"Grimblewick", b"Ruritania"]
    assert traces(store.workspace.root, needles) == []
    assert count(store.database, Author) == 12
    assert count(store.database, AuthorAttribute) == 0
    assert count(store.database, Document) == 12


def test_a_reader_that_keeps_old_bytes_alive_is_told_of_and_nothing_is_deleted(filled: Filled) -> None:
    store = filled.store
    path = store.workspace.database_path
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM documents").fetchone()
        with store.database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=100")
        with pytest.raises(WorkspaceBusy) as caught:
            erase(store.database, [filled.secret])
        assert "run again" in caught.value.hint
        assert count(store.database, Document, Document.id == filled.secret) == 1
    filled.forget([filled.secret])
    store.reopen()
    assert traces(store.workspace.root, filled.needles) == []


def test_on_a_server(any_store: Store) -> None:
    filled = Filled(any_store)
    assert filled.forget([filled.secret]) == 2
    assert traces(any_store.workspace.root, filled.needles) == []
    with any_store.database.session() as session:
        everything = [
            str(row)
            for table in (Document, Opinion, Unit, QuarantinedRow)
            for row in session.execute(select(*table.__table__.c))
        ]
    assert not [row for row in everything if any(word in row for word in WORDS)]


def test_nothing_to_erase(store: Store) -> None:
    store.add(OTHERS[:2])
    erase(store.database, [])
    assert count(store.database, Document) == 2
