"""The entity registry in SQL: stable ids for keys, aliases, tiers, and the curation that is replayed on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select

from store.database import Database
from store.records import RegistryEntity
from store.tables import Entity, EntityAlias, EntityDecision, Stance


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """One entity as people see it: with its id, its number of documents and its seven-bin counts."""

    id: int
    key: str
    name: str
    parent: str | None
    aliases: tuple[str, ...]
    documents: int
    counts: tuple[int, ...]


class RegistryStore:
    """Reads and writes the registry of a corpus."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, corpus_id: int) -> list[RegistryEntity]:
        """Return the active entities, in order of their ids."""
        with self._database.session() as session:
            rows = session.scalars(
                select(Entity)
                .where(Entity.corpus_id == corpus_id, Entity.state == "active")
                .order_by(Entity.id)
            ).all()
            aliases: dict[int, list[str]] = {}
            for entity_id, form in session.execute(
                select(EntityAlias.entity_id, EntityAlias.form)
                .join(Entity, Entity.id == EntityAlias.entity_id)
                .where(Entity.corpus_id == corpus_id)
                .order_by(EntityAlias.form)
            ):
                aliases.setdefault(entity_id, []).append(form)
        keys = {row.id: row.key for row in rows}
        return [
            RegistryEntity(
                row.key,
                row.name,
                keys.get(row.parent_id) if row.parent_id else None,
                tuple(aliases.get(row.id, ())),
            )
            for row in rows
        ]

    def save(self, corpus_id: int, entities: Sequence[RegistryEntity]) -> None:
        """Make these the active entities: known keys keep their ids, keys no longer there are retired."""
        with self._database.session() as session:
            rows = {
                row.key: row
                for row in session.scalars(select(Entity).where(Entity.corpus_id == corpus_id)).all()
            }
            for entity in entities:
                row = rows.get(entity.key)
                if row is None:
                    row = rows[entity.key] = Entity(corpus_id=corpus_id, key=entity.key, name=entity.name)
                    session.add(row)
                row.name, row.state = entity.name, "active"
            session.flush()
            active = {entity.key for entity in entities}
            for key, row in rows.items():
                if key not in active:
                    row.state, row.parent_id = "retired", None
            for entity in entities:
                rows[entity.key].parent_id = rows[entity.parent].id if entity.parent in active else None
            ids = [row.id for row in rows.values()]
            session.execute(delete(EntityAlias).where(EntityAlias.entity_id.in_(ids)))
            forms = [
                {"entity_id": rows[entity.key].id, "form": form}
                for entity in entities
                for form in sorted(set(entity.aliases))
            ]
            if forms:
                session.execute(insert(EntityAlias), forms)

    def ids(self, corpus_id: int) -> dict[str, int]:
        """Return the id of every key, retired ones included."""
        with self._database.session() as session:
            rows = session.execute(select(Entity.key, Entity.id).where(Entity.corpus_id == corpus_id))
            return dict(rows.all())

    def records(self, corpus_id: int, extractor: str) -> list[EntityRecord]:
        """Return the active entities, most documents first, with opinion counts by that extractor."""
        from store.records import BINS

        registry, ids = self.load(corpus_id), self.ids(corpus_id)
        counts: dict[int, dict[int, int]] = {}
        with self._database.session() as session:
            rows = session.execute(
                select(Stance.entity_id, Stance.score, func.count())
                .where(Stance.corpus_id == corpus_id, Stance.extractor == extractor)
                .group_by(Stance.entity_id, Stance.score)
            )
            for entity_id, score, n in rows:
                counts.setdefault(entity_id, {})[score] = n
        result = []
        for entity in registry:
            found = counts.get(ids[entity.key], {})
            bins = tuple(found.get(score, 0) for score in BINS)
            result.append(
                EntityRecord(
                    ids[entity.key], entity.key, entity.name, entity.parent, entity.aliases, sum(bins), bins
                )
            )
        return sorted(result, key=lambda record: (-record.documents, record.name))

    def decide(self, corpus_id: int, kind: str, payload: Mapping[str, object]) -> None:
        """Keep one decision of a person."""
        with self._database.session() as session:
            session.add(EntityDecision(corpus_id=corpus_id, kind=kind, payload=dict(payload)))

    def decisions(self, corpus_id: int) -> list[tuple[str, dict[str, object]]]:
        """Return the decisions in the order in which they were made."""
        with self._database.session() as session:
            rows = session.execute(
                select(EntityDecision.kind, EntityDecision.payload)
                .where(EntityDecision.corpus_id == corpus_id)
                .order_by(EntityDecision.id)
            )
            return [(kind, payload) for kind, payload in rows]


__all__ = ["EntityRecord", "RegistryStore"]
