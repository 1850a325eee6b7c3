from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import delete, select, update

import store.indexing
from store.errors import EmbedderMismatch, IndexUnavailable
from store.hashing import text_hash
from store.indexing import IndexProgress
from store.lexical import BM25Index
from store.repository import Repository
from store.tables import Answer, Document, Embedding, Unit, UnitTombstone
from store.vectors import ChromaIndex
from tests.fakes.embedder import HashingEmbedder
from tests.store.helpers import Store, count, raw_units

TEXTS = [
    f"review number {n}: the {'staff' if n % 2 else 'coffee'} was {'good' if n % 3 else 'bad'}"
    for n in range(20)
]


class Crash(Exception):
    """What the tests throw where a process would be killed."""


@pytest.fixture(autouse=True)
def _small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.indexing, "WINDOW", 6)


def check(store: Store) -> None:
    """SQL = Chroma = BM25, unit for unit."""
    with store.database.session() as session:
        wanted = set(
            session.scalars(select(Unit.id).where(Unit.corpus_id == store.corpus, Unit.kind == "raw"))
        )
    index = store.chroma.collection(store.corpus, "raw", store.embedder.fingerprint, store.embedder.dimension)
    assert index.ids() == wanted
    assert BM25Index(store.workspace.bm25_path(store.corpus, "raw")).ids() == wanted
    assert all(found.consistent for found in store.indexer.compare(store.corpus))
    assert count(store.database, Unit, Unit.indexed.is_(False)) == 0
    assert count(store.database, UnitTombstone) == 0


def test_each_distinct_text_is_embedded_once(any_store: Store) -> None:
    store = any_store
    store.add([*TEXTS, *TEXTS[:5]])
    seen: list[IndexProgress] = []
    report = store.indexer.bring_up(store.corpus, seen.append)
    assert sorted(store.embedder.texts) == sorted(TEXTS)
    assert (report.indexed, report.embedded, report.removed) == (25, 20, 0)
    assert [(p.kind, p.done, p.total) for p in seen] == [("raw", n, 25) for n in (6, 12, 18, 24, 25)]
    check(store)

    again = store.indexer.bring_up(store.corpus)
    assert (again.indexed, again.embedded) == (0, 0)
    store.add([TEXTS[3], "a new text"])
    assert store.indexer.bring_up(store.corpus).embedded == 1
    assert len(store.embedder.texts) == 21
    check(store)


def test_empty_corpus(any_store: Store) -> None:
    report = any_store.indexer.bring_up(any_store.corpus)
    assert (report.indexed, report.embedded, report.removed) == (0, 0, 0)
    [found] = any_store.indexer.compare(any_store.corpus)
    assert found.consistent


@pytest.mark.parametrize(
    "step", ["embed", "second embed", "add", "second add", "mark", "bm25", "bm25 half-way"]
)
def test_goes_on_after_a_crash_at_any_step(store: Store, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add(TEXTS)
    calls = {"n": 0}
    second = 2 if step.startswith("second") else 1

    def crash_at(original: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*arguments: object, **named: object) -> object:
            calls["n"] += 1
            if calls["n"] == second:
                raise Crash
            return original(*arguments, **named)

        return wrapped

    def die(_: Sequence[str]) -> None:
        calls["n"] += 1
        if calls["n"] == second:
            raise Crash

    with monkeypatch.context() as patch:
        if step.endswith("embed"):
            store.embedder.before = die
        elif step.endswith("add"):
            patch.setattr(ChromaIndex, "add", crash_at(ChromaIndex.add))
        elif step == "mark":
            patch.setattr(store_indexing(), "update", crash_at(update))
        elif step == "bm25":
            patch.setattr(BM25Index, "build", crash_at(BM25Index.build))
        else:
            patch.setattr("store.lexical._build", crash_at(lambda *_: None))
        with pytest.raises(Crash):
            store.indexer.bring_up(store.corpus)
    store.embedder.before = lambda _: None
    store.reopen()
    store.indexer.bring_up(store.corpus)
    # What was embedded and committed before the crash is not embedded again.
    assert sorted(store.embedder.texts) == sorted(TEXTS)
    check(store)


def store_indexing() -> object:
    return store.indexing


def test_a_crash_while_burying(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    Repository(store.database).delete_documents(ids[:7])
    assert count(store.database, UnitTombstone) == 7

    def die(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(ChromaIndex, "delete", die)
        with pytest.raises(Crash):
            store.indexer.bring_up(store.corpus)
    assert count(store.database, UnitTombstone) == 7
    assert store.indexer.bring_up(store.corpus).removed == 7
    check(store)


def test_cancelled_between_windows(store: Store) -> None:
    store.add(TEXTS)
    report = store.indexer.bring_up(store.corpus, cancelled=lambda: len(store.embedder.texts) >= 6)
    assert report.indexed == 6
    store.indexer.bring_up(store.corpus)
    assert len(store.embedder.texts) == 20
    check(store)


def test_deleted_and_changed_documents(any_store: Store) -> None:
    store = any_store
    ids = store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    Repository(store.database).delete_documents(ids[:4])
    with store.database.session() as session:
        document = session.get_one(Document, ids[5])
        for unit in session.scalars(select(Unit).where(Unit.document_id == ids[5])):
            session.add(UnitTombstone(unit_id=unit.id, corpus_id=store.corpus, kind="raw"))
            session.delete(unit)
        document.text = "quite another text"
        session.add_all(raw_units(document))
    report = store.indexer.bring_up(store.corpus)
    assert (report.removed, report.indexed, report.embedded) == (5, 1, 1)
    check(store)
    assert store.searcher.lexical(store.corpus, "quite another", 3).document_ids == (ids[5],)


def test_an_answer_can_be_written_while_texts_are_embedded(any_store: Store) -> None:
    """The embedder is slow: no transaction may be open across it."""
    store = any_store
    store.add(TEXTS)

    def write(_: Sequence[str]) -> None:
        with store.database.session() as session:
            session.add(Answer(id=f"a{len(store.embedder.texts)}", corpus_id=store.corpus, question="why?"))

    store.embedder.before = write
    store.indexer.bring_up(store.corpus)
    assert count(store.database, Answer) == 4
    check(store)


def test_another_embedder_is_refused_before_anything_is_written(store: Store) -> None:
    store.add(TEXTS[:3])
    store.indexer.bring_up(store.corpus)
    store.add(["one more"])
    store.embedder = HashingEmbedder("other")
    with pytest.raises(
        EmbedderMismatch, match="was built with the embedder `hashing`, not with `other`"
    ) as caught:
        store.indexer.bring_up(store.corpus)
    assert caught.value.exit_code == 2
    assert store.embedder.texts == []


# -- compare


def test_compare_finds_planted_differences(store: Store) -> None:
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    index = store.chroma.collection(store.corpus, "raw", store.embedder.fingerprint, store.embedder.dimension)
    ids = sorted(index.ids())
    index.delete(ids[:3])
    index.add([90_001, 90_002], store.embedder.embed(["x", "y"]))
    [found] = store.indexer.compare(store.corpus)
    assert (found.sql, found.vectors, found.missing_vectors, found.orphan_vectors) == (20, 19, 3, 2)
    assert found.bm25_current
    assert not found.consistent

    store.workspace.bm25_path(store.corpus, "raw").unlink()
    assert not store.indexer.compare(store.corpus)[0].bm25_current


def test_compare_sees_a_stale_keyword_index_and_pending_units(store: Store) -> None:
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    store.add(["not indexed yet"])
    [found] = store.indexer.compare(store.corpus)
    assert (found.missing_vectors, found.bm25_current, found.consistent) == (1, False, False)


def test_compare_creates_nothing(store: Store) -> None:
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    store.chroma.erase()
    [found] = store.indexer.compare(store.corpus)
    assert (found.missing_vectors, found.consistent) == (20, False)
    with pytest.raises(IndexUnavailable, match="is missing"):
        store.chroma.collection(
            store.corpus, "raw", store.embedder.fingerprint, store.embedder.dimension
        ).search(store.embedder.embed_query("x"), 1)


def test_compare_tells_of_a_damaged_index(store: Store) -> None:
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    store.chroma.close()
    (store.chroma.path / "chroma.sqlite3").write_bytes(b"a letter to my aunt" * 500)
    [found] = store.indexer.compare(store.corpus)
    assert "file is not a database" in found.error
    assert not found.consistent
    store.indexer.forget_indexes()
    store.indexer.bring_up(store.corpus)
    check(store)


# -- rebuilding


def test_rebuild_embeds_nothing_again(any_store: Store) -> None:
    store = any_store
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    store.indexer.forget_indexes()
    assert not store.chroma.path.exists()
    assert list(store.workspace.bm25_path(1, "raw").parent.glob("*")) == []
    report = store.indexer.bring_up(store.corpus)
    assert (report.indexed, report.embedded) == (20, 0)
    check(store)


def test_a_rebuild_killed_half_way_is_finished_by_the_next_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    original = type(store.chroma).erase

    def die_after(self: object) -> None:
        original(store.chroma)
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(type(store.chroma), "erase", die_after)
        with pytest.raises(Crash):
            store.indexer.forget_indexes()
    store.indexer.bring_up(store.corpus)
    check(store)


def test_a_folder_that_vanished_is_filled_again(store: Store) -> None:
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    store.chroma.close()
    shutil.rmtree(store.chroma.path)
    store.add(["one more"])
    report = store.indexer.bring_up(store.corpus)
    assert (report.indexed, report.embedded) == (21, 1)
    check(store)


def test_lost_embeddings_are_made_again(store: Store) -> None:
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    with store.database.session() as session:
        session.execute(delete(Embedding).where(Embedding.text_hash == text_hash(TEXTS[0])))
    store.indexer.forget_indexes()
    assert store.indexer.bring_up(store.corpus).embedded == 1
    check(store)
