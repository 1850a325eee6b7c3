from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select, update

from store.repository import Repository
from store.search import Searcher
from store.tables import Embedding, Unit
from tests.conftest import new_corpus
from tests.store.helpers import Store, add_documents

TOPICS = [
    "coffee cold and bitter",
    "staff friendly helpful",
    "shower clean warm",
    "seats worn out",
    "wifi slow today",
]
TEXTS = [f"{TOPICS[n % 5]} visit {n} {'airport' if n % 2 else 'city'}" for n in range(30)]
#: Three chunks each, of which all are about the sauna.
LONG = [" ".join(["sauna hot"] * 30) + f" end{n}" for n in range(8)]


@pytest.fixture
def filled(store: Store) -> Store:
    store.add(TEXTS, subject=[["rome", "paris", "oslo"][n % 3] for n in range(30)])
    store.indexer.bring_up(store.corpus)
    return store


def cosines(store: Store, query: str) -> dict[int, float]:
    """Each document's best cosine, by numpy, over its own chunks."""
    vector = store.embedder.embed_query(query)
    best: dict[int, float] = {}
    with store.database.session() as session:
        units = session.scalars(select(Unit).where(Unit.corpus_id == store.corpus, Unit.kind == "raw")).all()
    documents = Repository(store.database).documents([unit.document_id for unit in units])
    for unit in units:
        text = documents[unit.document_id].text[unit.start : unit.end]
        cosine = float(store.embedder.embed_query(text) @ vector)
        best[unit.document_id] = max(cosine, best.get(unit.document_id, -2.0))
    return best


def ranked(scores: dict[int, float], n: int) -> list[int]:
    return sorted(scores, key=lambda d: (-scores[d], d))[:n]


def test_dense_and_exact_agree_with_numpy(filled: Store) -> None:
    searcher, question = filled.searcher, "cold coffee at the airport"
    query, truth = searcher.embed_query(question), cosines(filled, question)
    exact = searcher.exact(filled.corpus, query, 7)
    assert list(exact.document_ids) == ranked(truth, 7)
    np.testing.assert_allclose(exact.relevance, [truth[d] for d in exact.document_ids], atol=1e-5)
    dense = searcher.dense(filled.corpus, query, 7)
    assert dense.degradations == ()
    np.testing.assert_allclose(dense.relevance, exact.relevance, atol=1e-5)
    given = searcher.similarities(filled.corpus, query, [*exact.document_ids, 999_999])
    np.testing.assert_allclose(given, [*exact.relevance, 0.0], atol=1e-5)


def test_several_chunks_a_document(store: Store) -> None:
    few = store.add(LONG, chunks=12)
    store.add(TEXTS)
    store.indexer.bring_up(store.corpus)
    searcher = store.searcher
    query, truth = searcher.embed_query("sauna hot"), cosines(store, "sauna hot")
    for found in (searcher.dense(store.corpus, query, 8), searcher.lexical(store.corpus, "hot sauna", 8)):
        assert sorted(found.document_ids) == few
        assert list(found.relevance) == sorted(found.relevance, reverse=True)
    np.testing.assert_allclose(
        searcher.similarities(store.corpus, query, few), [truth[d] for d in few], atol=1e-5
    )


def test_best_vectors_are_those_of_the_nearest_chunk(store: Store) -> None:
    [one] = store.add(["coffee cold bitter " * 4 + "shower clean warmer" * 4], chunks=2)
    [other] = store.add(["wifi slow"])
    store.indexer.bring_up(store.corpus)
    searcher = store.searcher
    query = searcher.embed_query("shower clean")
    matrix = searcher.best_vectors(store.corpus, query, np.asarray([other, one, 999_999]))
    np.testing.assert_allclose(matrix[0], store.embedder.embed_query("wifi slow"), atol=1e-6)
    assert float(matrix[1] @ query) == pytest.approx(cosines(store, "shower clean")[one], abs=1e-5)
    assert not matrix[2].any()
    assert searcher.best_vectors(store.corpus, query, np.asarray([], dtype=np.int64)).shape == (0, 24)


def test_filters_are_exact(filled: Store) -> None:
    """Documents that the filter keeps are found however far down the whole corpus' ranking they are."""
    rare = filled.add(["coffee " + "filler " * 40, "nothing of the kind"])
    filled.indexer.bring_up(filled.corpus)
    searcher = filled.searcher
    query = searcher.embed_query("coffee")
    within = np.asarray(rare, dtype=np.int64)
    assert searcher.lexical(filled.corpus, "coffee", 1, within=within).document_ids == (rare[0],)
    found = searcher.hybrid(filled.corpus, "coffee", [query], 5, within)
    assert set(found.document_ids) == set(rare)
    assert found.document_ids[0] == rare[0]
    empty = searcher.hybrid(filled.corpus, "coffee", [query], 5, np.asarray([], dtype=np.int64))
    assert empty.document_ids == ()


def test_hybrid_fuses_words_and_meaning(filled: Store) -> None:
    searcher = filled.searcher
    query = searcher.embed_query("cold coffee visit 10")
    found = searcher.hybrid(filled.corpus, "cold coffee visit 10", [query], 6)
    assert found.degradations == ()
    assert len(found.document_ids) == 6
    assert found.document_ids[0] == 11
    truth = cosines(filled, "cold coffee visit 10")
    np.testing.assert_allclose(found.relevance, [truth[d] for d in found.document_ids], atol=1e-5)
    other = searcher.embed_query("friendly staff")
    both = searcher.hybrid(filled.corpus, "cold coffee visit 10", [query, other], 12)
    assert any("staff" in TEXTS[d - 1] for d in both.document_ids)


def test_corpora_are_apart(filled: Store) -> None:
    second = new_corpus(filled.database, "second")
    theirs = add_documents(filled.database, second, ["coffee in the other corpus"], external_id="x")
    filled.indexer.bring_up(second)
    searcher = filled.searcher
    query = searcher.embed_query("coffee")
    assert searcher.hybrid(second, "coffee", [query], 5).document_ids == tuple(theirs)
    assert not set(theirs) & set(searcher.hybrid(filled.corpus, "coffee", [query], 40).document_ids)


def test_vectors_are_read_again_when_units_change(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.search.STAMP_SECONDS", -1.0)
    searcher = filled.searcher
    first = searcher.vectors(filled.corpus)
    assert searcher.vectors(filled.corpus) is first
    [new] = filled.add(["a lighthouse on the roof"])
    filled.indexer.bring_up(filled.corpus)
    query = searcher.embed_query("a lighthouse on the roof")
    assert searcher.exact(filled.corpus, query, 1).document_ids == (new,)
    assert searcher.dense(filled.corpus, query, 1).document_ids == (new,)
    assert searcher.lexical(filled.corpus, "lighthouse", 1).document_ids == (new,)
    Repository(filled.database).delete_documents([new])
    assert new not in searcher.exact(filled.corpus, query, 99).document_ids
    assert new not in searcher.dense(filled.corpus, query, 99).document_ids


def test_vectors_that_come_later_are_read(filled: Store) -> None:
    """Units are there before their embeddings: an incomplete read is not kept."""
    searcher = filled.searcher
    [new] = filled.add(["a lighthouse on the roof"])
    query = searcher.embed_query("a lighthouse on the roof")
    assert new not in searcher.exact(filled.corpus, query, 99).document_ids
    filled.indexer.bring_up(filled.corpus)
    assert searcher.exact(filled.corpus, query, 1).document_ids == (new,)


def test_a_small_memory_limit_only_costs_time(filled: Store) -> None:
    searcher = Searcher(filled.database, filled.workspace, filled.chroma, filled.embedder, memory_limit_mb=0)
    assert searcher.vectors(filled.corpus) is not searcher.vectors(filled.corpus)
    assert len(searcher.vectors(filled.corpus).document_ids) == 30


def test_an_empty_corpus_finds_nothing(store: Store) -> None:
    store.indexer.bring_up(store.corpus)
    searcher = store.searcher
    query = searcher.embed_query("coffee")
    assert searcher.hybrid(store.corpus, "coffee", [query], 5).document_ids == ()
    assert searcher.similarities(store.corpus, query, [1, 2]).tolist() == [0.0, 0.0]


# -- degraded, and said so


@pytest.mark.parametrize("how", ["deleted", "damaged", "emptied", "partly"])
def test_without_the_vector_index_the_search_is_exact_and_marked(filled: Store, how: str) -> None:
    truth = cosines(filled, "cold coffee")
    index = filled.chroma.collection(filled.corpus, "raw", filled.embedder.fingerprint, 24)
    if how == "deleted":
        filled.chroma.erase()
    elif how == "damaged":
        filled.chroma.close()
        (filled.chroma.path / "chroma.sqlite3").write_bytes(b"a letter to my aunt" * 500)
    else:
        index.delete(sorted(index.ids())[: 30 if how == "emptied" else 3])
    searcher = filled.searcher
    found = searcher.dense(filled.corpus, searcher.embed_query("cold coffee"), 6)
    assert list(found.document_ids) == ranked(truth, 6)
    [note] = found.degradations
    assert note.endswith("run `evenhand doctor --rebuild`: exact search over SQL instead")
    hybrid = searcher.hybrid(filled.corpus, "cold coffee", [searcher.embed_query("cold coffee")], 6)
    assert len(hybrid.document_ids) == 6
    assert len(hybrid.degradations) == 1
    filled.indexer.forget_indexes()
    filled.indexer.bring_up(filled.corpus)
    assert searcher.dense(filled.corpus, searcher.embed_query("cold coffee"), 6).degradations == ()


@pytest.mark.parametrize("how", ["missing", "damaged"])
def test_without_the_keyword_index_the_answer_is_marked(filled: Store, how: str) -> None:
    path = filled.workspace.bm25_path(filled.corpus, "raw")
    path.unlink() if how == "missing" else path.write_bytes(path.read_bytes()[:100])
    searcher = filled.searcher
    found = searcher.hybrid(filled.corpus, "cold coffee", [searcher.embed_query("cold coffee")], 6)
    assert len(found.document_ids) == 6
    [note] = found.degradations
    assert how in note
    assert note.endswith("answered without keyword search")


def test_a_stale_keyword_index_is_marked(filled: Store) -> None:
    filled.add(["not indexed yet"])
    found = filled.searcher.lexical(filled.corpus, "coffee", 3)
    assert found.degradations == ("the keyword index is older than the corpus",)
    assert len(found.document_ids) == 3


def test_while_another_process_writes_the_search_is_exact_and_marked(filled: Store) -> None:
    searcher = filled.searcher
    query = searcher.embed_query("coffee")
    plain = searcher.exact(filled.corpus, query, 5)
    with filled.workspace.writing(1):
        found = searcher.dense(filled.corpus, query, 5)
    assert found.document_ids == plain.document_ids
    assert found.degradations == (
        "the vector index is being written: exact search over the stored vectors instead",
    )


def test_questions_are_embedded_once(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    embed = filled.embedder.embed_query
    monkeypatch.setattr(filled.embedder, "embed_query", lambda text: asked.append(text) or embed(text))
    searcher = filled.searcher
    for number in [*range(80), 79, 79]:
        searcher.embed_query(f"question {number}")
    assert len(asked) == 80
    assert searcher.fingerprint == filled.embedder.fingerprint


def test_vectors_of_another_embedder_are_not_mixed_in(filled: Store) -> None:
    with filled.database.session() as session:
        session.execute(update(Embedding).values(fingerprint="another/24/x"))
    searcher = filled.searcher
    assert searcher.exact(filled.corpus, searcher.embed_query("coffee"), 5).document_ids == ()


def test_the_real_embedder_finds_by_meaning(store: Store, tmp_path: Path) -> None:
    from store.embedders import BundledMiniLM

    store.embedder = BundledMiniLM(threads=1)  # type: ignore[assignment]
    store.add(
        ["The espresso was lukewarm and tasted burnt.", "Our receptionist solved everything with a smile."]
    )
    store.indexer.bring_up(store.corpus)
    searcher = store.searcher
    for question, best in (("Is the coffee any good?", 1), ("Are the employees kind?", 2)):
        assert (
            searcher.hybrid(store.corpus, question, [searcher.embed_query(question)], 2).document_ids[0]
            == best
        )
