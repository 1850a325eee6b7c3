"""Answers, receipts and conversations in SQL, written as they happen."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, func, insert, or_, select, update

from store.database import Database, in_utc
from store.errors import Unwritable, UsageError
from store.receipt import AuditReceipt
from store.repository import in_parts
from store.tables import Answer, Citation, Document, Thread, now


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One stored answer."""

    id: str
    corpus_id: int
    thread_id: str | None
    question: str
    text: str
    state: str
    created_at: datetime
    receipt: AuditReceipt | None


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    """One conversation."""

    id: str
    corpus_id: int
    title: str
    created_at: datetime
    updated_at: datetime
    answers: int


def new_id() -> str:
    """Return a fresh id that sorts by time: seconds in hexadecimal, then 32 random bits."""
    return f"{int(now().timestamp()):08x}{secrets.token_hex(4)}"


class AnswerStore:
    """Reads and writes answers and conversations.

    Attributes
    ----------
    unstored
        Why the answer at hand is not stored; empty where it is.
    """

    unstored = ""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, corpus_id: int, question: str, thread_id: str | None = None) -> str:
        """Store the question before the answer starts; returns the answer's id."""
        answer_id = new_id()
        with self._database.session() as session:
            session.add(Answer(id=answer_id, corpus_id=corpus_id, question=question, thread_id=thread_id))
            if thread_id:
                session.execute(update(Thread).where(Thread.id == thread_id).values(updated_at=now()))
        return answer_id

    def finish(self, answer_id: str, text: str, receipt: AuditReceipt) -> None:
        """Store the finished answer with its receipt and its citations.

        Nothing is stored where the answer was deleted meanwhile (``delete_citing``).
        """
        cited = sorted({citation.document_id for citation in receipt.citations})
        with self._database.session() as session:
            row = session.get(Answer, answer_id)
            if row is None:
                return
            row.text, row.state, row.receipt = text, "done", receipt.model_dump(mode="json")
            session.flush()
            session.execute(delete(Citation).where(Citation.answer_id == answer_id))
            if cited:
                session.execute(insert(Citation), [{"answer_id": answer_id, "document_id": d} for d in cited])

    def interrupt(self, answer_id: str, text: str, state: str) -> None:
        """Store what there is of an answer that was stopped or failed."""
        with self._database.session() as session:
            session.execute(update(Answer).where(Answer.id == answer_id).values(text=text, state=state))

    def keep(self, answer_id: str, text: str) -> None:
        """Store what there is so far of an answer under way; one that ended meanwhile is left as it is."""
        with self._database.session() as session:
            session.execute(
                update(Answer).where(Answer.id == answer_id, Answer.state == "running").values(text=text)
            )

    def get(self, answer_id: str, corpus_id: int | None = None) -> AnswerRecord:
        """Return an answer by id, by the beginning of its id, or ``last``.

        Raises
        ------
        UsageError
            There is no such answer, or the beginning fits several.
        """
        if not answer_id:
            raise UsageError("an answer's id is empty", "leave it out for the newest answer")
        statement = select(Answer).order_by(Answer.created_at.desc(), Answer.id.desc()).limit(2)
        if corpus_id is not None:
            statement = statement.where(Answer.corpus_id == corpus_id)
        if answer_id != "last":
            statement = statement.where(Answer.id.startswith(answer_id, autoescape=True))
        else:
            statement = statement.where(Answer.receipt.is_not(None)).limit(1)
        with self._database.session() as session:
            rows = session.scalars(statement).all()
        if not rows:
            what = "no answer yet" if answer_id == "last" else f"no answer `{answer_id}`"
            raise UsageError(
                f"there is {what}", "ask a question first; `evenhand audit --list` shows the answers"
            )
        if len(rows) > 1:
            raise UsageError(f"several answers begin with `{answer_id}`", "give more of the id")
        return _record(rows[0])

    def present(self, answer_ids: Sequence[str]) -> set[str]:
        """Return those of the ids that are stored."""
        with self._database.session() as session:
            return set(session.scalars(select(Answer.id).where(Answer.id.in_(list(answer_ids)))).all())

    def newest(
        self, corpus_id: int | None = None, limit: int = 20, thread_id: str = ""
    ) -> list[AnswerRecord]:
        """Return the newest answers, newest first."""
        statement = select(Answer).order_by(Answer.created_at.desc(), Answer.id.desc()).limit(limit)
        if corpus_id is not None:
            statement = statement.where(Answer.corpus_id == corpus_id)
        if thread_id:
            statement = statement.where(Answer.thread_id == thread_id)
        with self._database.session() as session:
            return [_record(row) for row in session.scalars(statement).all()]

    def page(self, thread_id: str, limit: int, before: str = "") -> list[AnswerRecord]:
        """Return the last answers of a conversation, oldest first; ``before`` (an answer's id) pages back.

        Raises
        ------
        UsageError
            There is no answer ``before``.
        """
        statement = select(Answer).where(Answer.thread_id == thread_id)
        with self._database.session() as session:
            if before:
                mark = session.get(Answer, before)
                if mark is None:
                    raise UsageError(f"there is no answer `{before}`")
                older = or_(
                    Answer.created_at < mark.created_at,
                    and_(Answer.created_at == mark.created_at, Answer.id < mark.id),
                )
                statement = statement.where(older)
            rows = session.scalars(
                statement.order_by(Answer.created_at.desc(), Answer.id.desc()).limit(limit)
            ).all()
            return [_record(row) for row in reversed(rows)]

    def questions(self, corpus_id: int, limit: int = 100) -> list[str]:
        """Return the last questions asked of a corpus, oldest first, each text once."""
        statement = (
            select(Answer.question, func.max(Answer.created_at).label("asked"))
            .where(Answer.corpus_id == corpus_id)
            .group_by(Answer.question)
            .order_by(func.max(Answer.created_at).desc())
            .limit(limit)
        )
        with self._database.session() as session:
            return [row[0] for row in session.execute(statement).all()][::-1]

    def ensure_thread(self, corpus_id: int, thread_id: str, title: str) -> None:
        """Start a conversation under this id unless there is one.

        Raises
        ------
        UsageError
            The id has more than 40 characters, or belongs to a conversation on another corpus.
        """
        if not 1 <= len(thread_id) <= 40:
            raise UsageError("the name of a conversation has 1 to 40 characters")
        with self._database.session() as session:
            found = session.get(Thread, thread_id)
            if found is None:
                session.add(Thread(id=thread_id, corpus_id=corpus_id, title=title[:500]))
            elif found.corpus_id != corpus_id:
                raise UsageError(
                    f"the conversation `{thread_id}` is on another corpus", "give it another name"
                )

    def threads(self, corpus_id: int | None = None) -> Sequence[ThreadRecord]:
        """Return the conversations, last used first."""
        counts = select(Answer.thread_id, func.count().label("n")).group_by(Answer.thread_id).subquery()
        statement = (
            select(Thread, func.coalesce(counts.c.n, 0))
            .outerjoin(counts, counts.c.thread_id == Thread.id)
            .order_by(Thread.updated_at.desc(), Thread.id.desc())
        )
        if corpus_id is not None:
            statement = statement.where(Thread.corpus_id == corpus_id)
        with self._database.session() as session:
            rows = session.execute(statement).all()
        return [
            ThreadRecord(t.id, t.corpus_id, t.title, in_utc(t.created_at), in_utc(t.updated_at), n)
            for t, n in rows
        ]

    def rename_thread(self, thread_id: str, title: str) -> None:
        """Give a conversation another title."""
        with self._database.session() as session:
            session.execute(update(Thread).where(Thread.id == thread_id).values(title=title[:500]))

    def delete_thread(self, thread_id: str) -> None:
        """Delete a conversation with its answers."""
        with self._database.session() as session:
            session.execute(delete(Answer).where(Answer.thread_id == thread_id))
            session.execute(delete(Thread).where(Thread.id == thread_id))

    def delete_citing(self, document_ids: Sequence[int]) -> int:
        """Delete every answer that cites or ranks one of these documents; returns how many.

        An answer without a receipt (under way, stopped or failed) may quote any document of its corpus, so those of
        the documents' corpora go too.
        """
        wanted = {int(i) for i in document_ids}
        with self._database.session() as session:
            corpora: set[int] = set()
            cited: set[str] = set()
            for part in in_parts(sorted(wanted)):
                owners = select(Document.corpus_id).where(Document.id.in_(part)).distinct()
                corpora.update(session.scalars(owners))
                cited.update(
                    session.scalars(select(Citation.answer_id).where(Citation.document_id.in_(part)))
                )
            doomed = set(cited)
            rows = session.execute(
                select(Answer.id, Answer.corpus_id, Answer.receipt).execution_options(yield_per=100)
            )
            for answer_id, corpus_id, receipt in rows:
                ranked = {item["document_id"] for item in receipt.get("ranking", ())} if receipt else set()
                if wanted & ranked or (not receipt and corpus_id in corpora):
                    doomed.add(answer_id)
            for answer_id in doomed:
                session.execute(delete(Answer).where(Answer.id == answer_id))
        return len(doomed)


class PassingAnswerStore(AnswerStore):
    """Stores one answer where the database can be written; where it cannot, the answer goes on and is not kept."""

    def begin(self, corpus_id: int, question: str, thread_id: str | None = None) -> str:
        """Store the question, if that can be; returns the answer's id."""
        with self._passing():
            return super().begin(corpus_id, question, thread_id)
        return new_id()

    def finish(self, answer_id: str, text: str, receipt: AuditReceipt) -> None:
        """Store the finished answer, if that can be."""
        if not self.unstored:
            with self._passing():
                super().finish(answer_id, text, receipt)

    def interrupt(self, answer_id: str, text: str, state: str) -> None:
        """Store what there is of a stopped or failed answer, if that can be."""
        if not self.unstored:
            with self._passing():
                super().interrupt(answer_id, text, state)

    def keep(self, answer_id: str, text: str) -> None:
        """Store what there is so far, unless the question could not be stored."""
        if not self.unstored:
            super().keep(answer_id, text)

    @contextmanager
    def _passing(self) -> Iterator[None]:
        try:
            yield
        except Unwritable as error:
            self.unstored = error.reason


def _record(row: Answer) -> AnswerRecord:
    receipt = AuditReceipt.model_validate(row.receipt) if row.receipt else None
    return AnswerRecord(
        row.id,
        row.corpus_id,
        row.thread_id,
        row.question,
        row.text,
        row.state,
        in_utc(row.created_at),
        receipt,
    )


__all__ = ["AnswerRecord", "AnswerStore", "PassingAnswerStore", "ThreadRecord", "new_id"]
