"""Position weights and probes in SQL: what was measured of a model or a retriever."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.dialects import postgresql, sqlite

from store.database import Database, in_utc
from store.tables import Calibration, CalibrationRun, Probe


@dataclass(frozen=True, slots=True)
class CalibrationRecord:
    """A stored fit of position weights (FARO stage 2) for one model, prompt, attribute and k."""

    id: int
    model: str
    prompt_sha: str
    attribute: str
    k: int
    design: str
    result: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ProbeRecord:
    """A stored diagnosis of a retriever, on pairs of one corpus or, without one, of a data set."""

    id: int
    corpus_id: int | None
    retriever: str
    result: dict[str, Any]
    created_at: datetime


class CalibrationStore:
    """Reads and writes calibrations, their single calls, and probes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(
        self, *, model: str, prompt_sha: str, attribute: str, k: int, design: str, result: dict[str, Any]
    ) -> int:
        """Store a fit; the newest one of its model, prompt, attribute and k counts."""
        with self._database.session() as session:
            row = Calibration(
                model=model, prompt_sha=prompt_sha, attribute=attribute, k=k, design=design, result=result
            )
            session.add(row)
            session.flush()
            return row.id

    def find(self, *, model: str, prompt_sha: str, attribute: str, k: int) -> CalibrationRecord | None:
        """Return the newest fit that was made for exactly these, or None."""
        statement = (
            select(Calibration)
            .where(
                Calibration.model == model,
                Calibration.prompt_sha == prompt_sha,
                Calibration.attribute == attribute,
                Calibration.k == k,
            )
            .order_by(Calibration.id.desc())
            .limit(1)
        )
        with self._database.session() as session:
            row = session.scalar(statement)
        return None if row is None else _record(row)

    def fits(self) -> list[CalibrationRecord]:
        """Return all fits, newest first."""
        with self._database.session() as session:
            rows = session.scalars(select(Calibration).order_by(Calibration.id.desc())).all()
        return [_record(row) for row in rows]

    def observed(self, plan_sha: str) -> dict[tuple[int, int], int | None]:
        """Return the outcomes that a plan has so far, by question and run."""
        with self._database.session() as session:
            rows = session.execute(
                select(CalibrationRun.question, CalibrationRun.run, CalibrationRun.outcome).where(
                    CalibrationRun.plan_sha == plan_sha
                )
            )
            return {(question, run): outcome for question, run, outcome in rows}

    def observe(
        self, plan_sha: str, question: int, run: int, realised: list[int], outcome: int | None
    ) -> None:
        """Keep the outcome of one call (+1, -1, or None for a refusal); the first of one call stands.

        Two calibrations with the same plan may run at once.
        """
        with self._database.session() as session:
            add = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
            session.execute(
                add(CalibrationRun)
                .values(plan_sha=plan_sha, question=question, run=run, realised=realised, outcome=outcome)
                .on_conflict_do_nothing(index_elements=["plan_sha", "question", "run"])
            )

    def save_probe(self, corpus_id: int | None, retriever: str, result: dict[str, Any]) -> None:
        """Store a diagnosis of a retriever."""
        with self._database.session() as session:
            session.add(Probe(corpus_id=corpus_id, retriever=retriever, result=result))

    def latest_probe(self, retriever: str, corpus_id: int | None = None) -> dict[str, Any] | None:
        """Return the newest diagnosis of a retriever on the corpus, else on pairs that belong to no corpus, or None."""
        statement = (
            select(Probe.result)
            .where(Probe.retriever == retriever)
            .where(or_(Probe.corpus_id.is_(None), Probe.corpus_id == corpus_id))
            .order_by(Probe.corpus_id.is_(None), Probe.id.desc())
            .limit(1)
        )
        with self._database.session() as session:
            return session.scalar(statement)

    def probes(self) -> list[ProbeRecord]:
        """Return all diagnoses, newest first."""
        with self._database.session() as session:
            rows = session.scalars(select(Probe).order_by(Probe.id.desc())).all()
        return [
            ProbeRecord(row.id, row.corpus_id, row.retriever, row.result, in_utc(row.created_at))
            for row in rows
        ]


def _record(row: Calibration) -> CalibrationRecord:
    return CalibrationRecord(
        row.id,
        row.model,
        row.prompt_sha,
        row.attribute,
        row.k,
        row.design,
        row.result,
        in_utc(row.created_at),
    )


__all__ = ["CalibrationRecord", "CalibrationStore", "ProbeRecord"]
