"""Answers as a conversation shows them: pages, questions asked, what is kept while one is written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import update

from store.answers import AnswerStore
from store.database import Database
from store.tables import Answer
from tests.conftest import new_corpus


def ask(store: AnswerStore, database: Database, corpus: int, questions: list[str]) -> list[str]:
    """Store answers of one conversation, two in each minute."""
    store.ensure_thread(corpus, "talk", "Talk")
    ids = [store.begin(corpus, question, "talk") for question in questions]
    with database.session() as session:
        for n, answer_id in enumerate(ids):
            moment = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=n // 2)
            session.execute(update(Answer).where(Answer.id == answer_id).values(created_at=moment))
    return ids


def test_pages_cover_a_conversation_once_even_where_moments_are_equal(database: Database) -> None:
    store, corpus = AnswerStore(database), new_corpus(database)
    ids = ask(store, database, corpus, [f"q{n}" for n in range(7)])
    seen: list[str] = []
    before = ""
    while page := store.page("talk", 3, before):
        moments = [(each.created_at, each.id) for each in page]
        assert moments == sorted(moments)
        seen = [each.id for each in page] + seen
        before = page[0].id
    assert sorted(seen) == sorted(ids)
    assert len(seen) == 7


def test_questions_come_once_in_the_order_they_were_last_asked(database: Database) -> None:
    store, corpus = AnswerStore(database), new_corpus(database)
    ask(store, database, corpus, ["a", "a", "b", "b", "a", "c"][:5])
    assert store.questions(corpus) == ["b", "a"]
    assert store.questions(corpus, 1) == ["a"]
    assert store.questions(new_corpus(database, "other")) == []


def test_what_is_kept_never_writes_over_an_ended_answer(database: Database) -> None:
    store, corpus = AnswerStore(database), new_corpus(database)
    answer_id = store.begin(corpus, "q")
    store.keep(answer_id, "half")
    assert (store.get(answer_id).text, store.get(answer_id).state) == ("half", "running")
    store.interrupt(answer_id, "half and more", "stopped")
    store.keep(answer_id, "half")
    assert store.get(answer_id).text == "half and more"
