"""Writes what an extractor found in a batch of documents, in place of all that it said of them before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import and_, delete, insert, select, update
from sqlalchemy.orm import Session

from store.enrich.engines import Outcome
from store.enrich.stances import enriched_text, lineage, split_text, stances
from store.errors import Postponed
from store.hashing import text_hash
from store.records import Extraction, OpinionUnit, RegistryEntity
from store.repository import attributes_of
from store.tables import Document, EnrichmentWork, Opinion, Stance, Unit, UnitTombstone, now


class BatchWriter:
    """Writes the outcome of a batch: opinions, stances, enriched units and the work ledger."""

    def __init__(
        self,
        ids: dict[str, int],
        registry: Sequence[RegistryEntity],
        extractor: str,
        version: str,
        kinds: tuple[str, ...],
    ) -> None:
        self._ids, self._lines = ids, lineage(registry)
        self._entities = {entity.key: entity for entity in registry}
        self._extractor, self._version, self._kinds = extractor, version, kinds

    def write(
        self, session: Session, corpus_id: int, ids: list[int], outcome: Outcome
    ) -> list[tuple[str, str, int]]:
        """Replace everything that the extractor said of these documents; returns (state, language, opinions) each."""
        failures = self._failures(session, ids)
        hashes = dict(
            session.execute(select(Document.id, Document.content_hash).where(Document.id.in_(ids))).all()
        )
        kept = self._put_off(session, ids, outcome, hashes)
        self._clear(session, [document_id for document_id in ids if document_id not in kept])
        authors = attributes_of(session, ids) if "enriched" in self._kinds else {}
        opinions: list[dict[str, Any]] = []
        stance_rows: list[dict[str, Any]] = []
        units: list[dict[str, Any]] = []
        work: list[dict[str, Any]] = []
        states: list[tuple[str, str, int]] = []
        for document_id, result in zip(ids, outcome, strict=True):
            if document_id not in hashes:
                continue
            state, reason, language = _state(result)
            if document_id in kept:
                states.append((state, language, 0))
                continue
            found = result.opinions if isinstance(result, Extraction) else ()
            base = {"corpus_id": corpus_id, "document_id": document_id}
            opinions.extend(base | self._opinion(unit) for unit in found)
            stance_rows.extend(
                base
                | {
                    "entity_id": self._ids[s.entity],
                    "extractor": self._extractor,
                    "score": s.score,
                    "impact": s.impact,
                    "markers": list(s.markers),
                    "evidence": s.evidence,
                    "opinions": s.opinions,
                    "confidence": s.confidence,
                }
                for s in stances(found, self._lines)
            )
            units.extend(base | unit for unit in self._units(found, authors.get(document_id, {})))
            work.append(
                base
                | {
                    "extractor": self._extractor,
                    "version": self._version,
                    "content_hash": hashes[document_id],
                    "state": state,
                    "reason": reason,
                    "language": language,
                    # A document is not charged with an attempt that was never made on it.
                    "attempts": (state != "pending") + failures.get((document_id, hashes[document_id]), 0),
                    "updated_at": now(),
                }
            )
            states.append((state, language, len(found)))
        for table, rows in (
            (Opinion, opinions),
            (Stance, stance_rows),
            (Unit, units),
            (EnrichmentWork, work),
        ):
            if rows:
                session.execute(insert(table), rows)
        return states

    def _failures(self, session: Session, ids: list[int]) -> dict[tuple[int, str], int]:
        """Return how often each text has failed so far, by document and content hash."""
        work = EnrichmentWork
        rows = session.execute(
            select(work.document_id, work.content_hash, work.attempts).where(
                work.document_id.in_(ids),
                work.extractor == self._extractor,
                work.state.in_(("failed", "pending")),
            )
        )
        return {(document_id, content): attempts for document_id, content, attempts in rows}

    def _put_off(
        self, session: Session, ids: list[int], outcome: Outcome, hashes: dict[int, str]
    ) -> set[int]:
        """Mark the postponed documents whose labels are still of their text, and return them: those labels stay.

        They may be of an older registry or prompt, and are better than none while a server is down.
        """
        reasons = {
            document_id: _state(result)[1]
            for document_id, result in zip(ids, outcome, strict=True)
            if isinstance(result, Postponed)
        }
        work = EnrichmentWork
        of_extractor = and_(work.document_id.in_(list(reasons)), work.extractor == self._extractor)
        rows = session.execute(select(work.document_id, work.content_hash).where(of_extractor)).all()
        kept = {document_id for document_id, content in rows if hashes.get(document_id) == content}
        for document_id in kept:
            session.execute(
                update(work)
                .where(work.document_id == document_id, work.extractor == self._extractor)
                .values(state="pending", reason=reasons[document_id], updated_at=now())
            )
        return kept

    def _clear(self, session: Session, ids: list[int]) -> None:
        for table in (Opinion, Stance, EnrichmentWork):
            session.execute(
                delete(table).where(table.document_id.in_(ids), table.extractor == self._extractor)
            )
        old = session.execute(
            select(Unit.id, Unit.corpus_id, Unit.kind).where(Unit.document_id.in_(ids), Unit.kind != "raw")
        ).all()
        if old:
            session.execute(
                insert(UnitTombstone), [{"unit_id": u, "corpus_id": c, "kind": k} for u, c, k in old]
            )
            session.execute(delete(Unit).where(Unit.id.in_([u for u, _, _ in old])))

    def _opinion(self, unit: OpinionUnit) -> dict[str, Any]:
        return {
            "entity_id": self._ids[unit.entity],
            "extractor": self._extractor,
            "sentiment": unit.sentiment,
            "intensity": unit.intensity,
            "score": unit.score,
            "impact": unit.impact,
            "markers": list(unit.markers),
            "evidence": unit.evidence,
            "quote": unit.quote,
            "start": unit.start,
            "end": unit.end,
            "confidence": unit.confidence,
        }

    def _units(self, opinions: Sequence[OpinionUnit], attributes: dict[str, str]) -> Iterator[dict[str, Any]]:
        by_entity: dict[str, list[OpinionUnit]] = {}
        for unit in opinions:
            by_entity.setdefault(unit.entity, []).append(unit)
        for ordinal, (key, found) in enumerate(sorted(by_entity.items())):
            for kind in self._kinds:
                text = (
                    enriched_text(self._entities[key], found, attributes)
                    if kind == "enriched"
                    else split_text(found)
                )
                yield {
                    "entity_id": self._ids[key],
                    "kind": kind,
                    "ordinal": ordinal,
                    "start": found[0].start,
                    "end": found[-1].end,
                    "text": text,
                    "text_hash": text_hash(text),
                    "indexed": False,
                }


def _state(result: Extraction | Exception) -> tuple[str, str, str]:
    if isinstance(result, Exception):
        state = "pending" if isinstance(result, Postponed) else "failed"
        return state, (str(result).splitlines() or [type(result).__name__])[0][:500], ""
    if result.language != "en" and not result.opinions:
        return "set-aside", f"language {result.language}", result.language
    return "done", "", result.language


__all__ = ["BatchWriter"]
