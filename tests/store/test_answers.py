from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from store.answers import AnswerStore, PassingAnswerStore, new_id
from store.database import Database
from store.errors import Unwritable, UsageError
from store.receipt import CitationAudit
from store.tables import Answer, Citation
from tests.conftest import new_corpus
from tests.fakes.receipts import factual_receipt, opinion_receipt
from tests.store.helpers import add_documents, count


@pytest.fixture
def corpus(database: Database) -> int:
    return new_corpus(database)


@pytest.fixture
def answers(database: Database, corpus: int) -> AnswerStore:
    return AnswerStore(database)


def named(database: Database, corpus: int, *ids: str) -> None:
    with database.session() as session:
        for number, name in enumerate(ids):
            moment = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=number)
            session.add(Answer(id=name, corpus_id=corpus, question=name, created_at=moment, state="stopped"))


def test_ids_sort_by_time() -> None:
    found = {new_id() for _ in range(200)}
    assert len(found) == 200
    assert {len(item) for item in found} == {16}
    assert int(min(found)[:8], 16) <= datetime.now(UTC).timestamp() < int(max(found)[:8], 16) + 2


def test_an_answer_that_cannot_be_stored_goes_on(
    database: Database, corpus: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = PassingAnswerStore(database)
    kept = answers.begin(corpus, "How is the staff?")
    assert answers.unstored == ""

    def full(*_: object) -> None:
        raise Unwritable("the database", "database or disk is full", "free some disk space and run again")

    with monkeypatch.context() as patch:
        for name in ("begin", "finish", "interrupt"):
            patch.setattr(AnswerStore, name, full)
        answers.finish(kept, "Mostly kind [1].", opinion_receipt())
        assert answers.unstored == "database or disk is full"
        other = PassingAnswerStore(database)
        assert len(other.begin(corpus, "How is the food?")) == 16
        assert other.unstored == "database or disk is full"
        third = PassingAnswerStore(database)
        third.interrupt(kept, "", "failed")
        assert third.unstored == "database or disk is full"
    # What is not begun is not written to later on either.
    other.finish("0" * 16, "Cold.", opinion_receipt())
    assert count(database, Answer) == 1
    assert AnswerStore(database).get(kept).state == "running"


def test_life_of_an_answer(answers: AnswerStore, database: Database, corpus: int) -> None:
    answer = answers.begin(corpus, "How is the staff?")
    begun = answers.get(answer)
    assert (begun.state, begun.text, begun.receipt, begun.question) == (
        "running",
        "",
        None,
        "How is the staff?",
    )
    assert abs(begun.created_at - datetime.now(UTC)) < timedelta(minutes=5)
    receipt = opinion_receipt()
    answers.finish(answer, "Mostly kind [1].", receipt)
    done = answers.get(answer)
    assert (done.state, done.text) == ("done", "Mostly kind [1].")
    assert done.receipt == receipt
    assert count(database, Citation) == len({c.document_id for c in receipt.citations}) > 0
    answers.finish(answer, "Again.", receipt)
    assert count(database, Citation, Citation.answer_id == answer) == len(
        {c.document_id for c in receipt.citations}
    )
    assert answers.get("last").text == "Again."


def test_lookup_by_the_beginning(answers: AnswerStore, database: Database, corpus: int) -> None:
    named(database, corpus, "abc1", "abc2", "b%d", "b_e")
    assert answers.get("abc1").id == "abc1"
    assert answers.get("b%").id == "b%d"
    assert answers.get("b_").id == "b_e"
    with pytest.raises(UsageError, match="several answers begin with `abc`") as caught:
        answers.get("abc")
    assert caught.value.hint == "give more of the id"
    with pytest.raises(UsageError, match="there is no answer `zzz`"):
        answers.get("zzz")
    with pytest.raises(UsageError, match="there is no answer yet"):
        answers.get("last")


def test_last_is_the_newest_finished_one_of_the_corpus(
    answers: AnswerStore, database: Database, corpus: int
) -> None:
    first, second = answers.begin(corpus, "one"), answers.begin(corpus, "two")
    other = new_corpus(database, "other")
    foreign = answers.begin(other, "three")
    for answer in (first, foreign):
        answers.finish(answer, "text", factual_receipt())
    with database.session() as session:
        session.execute(
            update(Answer).where(Answer.id == foreign).values(created_at=datetime(2030, 1, 1, tzinfo=UTC))
        )
    assert answers.get("last").id == foreign
    assert answers.get("last", corpus).id == first
    with pytest.raises(UsageError):
        answers.get(second, other)


def test_newest(answers: AnswerStore, database: Database, corpus: int) -> None:
    named(database, corpus, *"abcde")
    assert [a.id for a in answers.newest(corpus, limit=3)] == ["e", "d", "c"]
    assert answers.newest(corpus + 99) == []
    assert answers.newest()[0].created_at == datetime(2020, 1, 5, tzinfo=UTC)


def test_interrupted(answers: AnswerStore, corpus: int) -> None:
    answer = answers.begin(corpus, "How?")
    answers.interrupt(answer, "Mostly ki", "stopped")
    found = answers.get(answer)
    assert (found.state, found.text, found.receipt) == ("stopped", "Mostly ki", None)


def test_threads(answers: AnswerStore, corpus: int) -> None:
    one, two = new_id(), new_id()
    answers.ensure_thread(corpus, one, "x" * 600)
    answers.ensure_thread(corpus, two, "second")
    for thread in (two, one, one):
        answers.finish(answers.begin(corpus, "q", thread), "a", factual_receipt())
    lone = answers.begin(corpus, "alone")
    assert [(t.id, t.answers, len(t.title)) for t in answers.threads(corpus)] == [(one, 2, 500), (two, 1, 6)]
    assert answers.threads(corpus + 9) == []
    assert answers.threads()[0].updated_at.tzinfo is not None
    assert len(answers.newest(thread_id=one)) == 2
    answers.rename_thread(two, "renamed")
    assert {t.title for t in answers.threads()} >= {"renamed"}
    answers.delete_thread(one)
    assert [t.id for t in answers.threads()] == [two]
    assert {a.id for a in answers.newest()} >= {lone}
    assert len(answers.newest()) == 2


def test_answers_that_cite_or_rank_a_document_go_with_it(
    answers: AnswerStore, database: Database, corpus: int
) -> None:
    ids = add_documents(database, corpus, ["one", "two", "three"])
    other = new_corpus(database, "other")
    plain = factual_receipt()
    ranked = plain.ranking[0].model_copy(update={"document_id": ids[1]})

    def ask(*, cites: int = 0, ranks: bool = False, of: int = corpus) -> str:
        answer = answers.begin(of, "q")
        citations = (CitationAudit(number=1, document_id=cites),) if cites else ()
        receipt = plain.model_copy(update={"citations": citations, "ranking": (ranked,) if ranks else ()})
        answers.finish(answer, "text", receipt)
        return answer

    cites, ranks, neither = ask(cites=ids[1]), ask(ranks=True), ask(cites=ids[0])
    stopped = answers.begin(corpus, "q")
    answers.interrupt(stopped, "as the second review says", "stopped")
    running, foreign = answers.begin(corpus, "q"), answers.begin(other, "q")
    assert answers.delete_citing([ids[1]]) == 4
    assert {a.id for a in answers.newest()} == {neither, foreign}
    assert {cites, ranks, stopped, running}.isdisjoint(a.id for a in answers.newest())
    assert count(database, Citation) == 1
    # The one that was under way finishes into nothing.
    answers.finish(running, "as the second review says", plain)
    answers.interrupt(running, "as the second review says", "stopped")
    assert {a.id for a in answers.newest()} == {neither, foreign}
    assert answers.delete_citing([]) == 0
