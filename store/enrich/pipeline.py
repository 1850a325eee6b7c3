"""Enrichment of a corpus: registry first, then opinions, stances and enriched documents, batch by batch.

Each batch is one transaction, so a run that is killed continues where it stopped and nothing is done twice.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from sqlalchemy import and_, func, select

from store.database import Database
from store.enrich.curation import Decision, replay
from store.enrich.doubts import remember
from store.enrich.engines import open_engine
from store.enrich.registry import SAMPLE_TEXTS, Embed, RegistryResult, bootstrap
from store.enrich.registry_clusters import DoubtfulMerge
from store.enrich.writing import BatchWriter
from store.errors import Postponed
from store.ports import OpinionExtractor
from store.records import RegistryEntity
from store.registry import RegistryStore
from store.repository import Repository
from store.tables import (
    Corpus,
    Document,
    EnrichmentWork,
)

BATCH = 200
#: A document that failed this often is left alone until ``retry`` or another text or extractor.
ATTEMPTS = 3
#: The registry is bootstrapped again when the corpus has grown by this factor.
REGISTRY_GROWTH = 2.0


@dataclass(frozen=True, slots=True)
class EnrichOptions:
    """How to enrich.

    ``refresh_registry`` bootstraps the registry again (keys and names of known entities stay); ``retry`` also tries
    documents that failed ``ATTEMPTS`` times (others that failed are always tried again); ``kinds`` are the indexed
    derivates: ``enriched``, and ``split`` for the ablation.
    """

    seed: int = 0
    engine: str = "local"
    workers: int = 1
    refresh_registry: bool = False
    retry: bool = False
    kinds: tuple[str, ...] = ("enriched",)


@dataclass(frozen=True, slots=True)
class EnrichProgress:
    """Stage and position: ``registry`` or ``opinions``."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class EnrichReport:
    """What a run of enrichment did; documents = enriched + set aside + failed + pending + unchanged.

    ``pending`` documents were not worked on for a reason that is not theirs, such as a server that is down, named in
    ``pending_reason``; the next run tries them.
    """

    documents: int
    enriched: int
    set_aside: int
    failed: int
    unchanged: int
    opinions: int
    entities: int
    doubtful: tuple[DoubtfulMerge, ...] = ()
    refused_decisions: tuple[str, ...] = ()
    languages: dict[str, int] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0
    pending: int = 0
    pending_reason: str = ""


class EnrichPipeline:
    """Enriches one corpus with one extractor."""

    def __init__(
        self,
        database: Database,
        extractor: OpinionExtractor,
        embed: Embed | None = None,
        options: EnrichOptions | None = None,
    ) -> None:
        self._database = database
        self._extractor = extractor
        self._embed = embed
        self._options = options or EnrichOptions()
        self._registry = RegistryStore(database)

    def run(
        self,
        corpus_id: int,
        progress: Callable[[EnrichProgress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> EnrichReport:
        """Bring the corpus' registry and opinions up to date."""
        started = time.perf_counter()
        doubtful, refused = self._bring_up_registry(corpus_id, progress)
        registry = self._registry.load(corpus_id)
        version = f"{self._extractor.version}/{_fingerprint(registry, self._options.kinds)}"
        pending, total = self._pending(corpus_id, version)
        writer = BatchWriter(
            self._registry.ids(corpus_id), registry, self._extractor.name, version, self._options.kinds
        )
        tally = {"done": 0, "set-aside": 0, "failed": 0, "pending": 0}
        why = ""
        languages: dict[str, int] = {}
        opinions = done = 0
        with open_engine(
            self._options.engine, self._workers(len(pending)), self._extractor, registry
        ) as engine:
            batches = [pending[first : first + BATCH] for first in range(0, len(pending), BATCH)]
            # A run that is cancelled yields fewer outcomes than batches.
            for ids, outcome in zip(batches, engine.run(self._read(batches, cancelled)), strict=False):
                with self._database.session() as session:
                    states = writer.write(session, corpus_id, ids, outcome)
                for state, language, found in states:
                    tally[state] += 1
                    opinions += found
                    if state == "set-aside":
                        languages[language] = languages.get(language, 0) + 1
                why = why or next((str(error) for error in outcome if isinstance(error, Postponed)), "")
                done += len(ids)
                progress(EnrichProgress("opinions", done, len(pending)))
        if done or doubtful:
            Repository(self._database).touch(corpus_id, extractor=self._extractor.name)
        return EnrichReport(
            documents=total,
            enriched=tally["done"],
            set_aside=tally["set-aside"],
            failed=tally["failed"],
            unchanged=total - len(pending),
            opinions=opinions,
            entities=len(registry),
            doubtful=doubtful,
            refused_decisions=refused,
            languages=languages,
            interrupted=done < len(pending),
            seconds=time.perf_counter() - started,
            pending=tally["pending"],
            pending_reason=why,
        )

    def to_do(self, corpus_id: int) -> tuple[list[tuple[int, str]], list[RegistryEntity], int]:
        """Return the documents that a run would work on, the registry it would use, and how many documents there are.

        Nothing is stored: a registry that is missing or outgrown is made for this answer only.
        """
        made = self._new_registry(corpus_id, lambda _: None)
        registry = self._replayed(corpus_id, made[0])[0] if made else self._registry.load(corpus_id)
        version = f"{self._extractor.version}/{_fingerprint(registry, self._options.kinds)}"
        pending, total = self._pending(corpus_id, version)
        batches = [pending[first : first + BATCH] for first in range(0, len(pending), BATCH)]
        return [entry for batch in self._read(batches, lambda: False) for entry in batch], registry, total

    def sample(self, corpus_id: int, most: int, seed: int | None = None) -> list[tuple[int, str]]:
        """Return at most so many documents of the corpus, drawn at random where there are more, by id."""
        with self._database.session() as session:
            ids = list(
                session.scalars(
                    select(Document.id).where(Document.corpus_id == corpus_id).order_by(Document.id)
                )
            )
        if len(ids) > most:
            ids = sorted(random.Random(self._options.seed if seed is None else seed).sample(ids, most))
        batches = [ids[first : first + BATCH] for first in range(0, len(ids), BATCH)]
        return [entry for batch in self._read(batches, lambda: False) for entry in batch]

    # -- registry

    def _bring_up_registry(
        self, corpus_id: int, progress: Callable[[EnrichProgress], None]
    ) -> tuple[tuple[DoubtfulMerge, ...], tuple[str, ...]]:
        made = self._new_registry(corpus_id, progress)
        if made is None:
            return (), ()
        return made[0].doubtful, self.adopt(corpus_id, *made)

    def adopt(self, corpus_id: int, result: RegistryResult, documents: int) -> tuple[str, ...]:
        """Make this the registry of a corpus of so many documents, a person's decisions replayed on it.

        Returns the decisions that no longer fit, one line each.
        """
        entities, refused = self._replayed(corpus_id, result)
        self._registry.save(corpus_id, entities)
        with self._database.session() as session:
            corpus = session.get_one(Corpus, corpus_id)
            corpus.settings = {
                **remember(corpus.settings, result.doubtful),
                "registry_documents": documents,
            }
        return refused

    def _replayed(
        self, corpus_id: int, result: RegistryResult
    ) -> tuple[list[RegistryEntity], tuple[str, ...]]:
        decisions = [Decision.from_dict({"action": k, **p}) for k, p in self._registry.decisions(corpus_id)]
        entities, refused = replay(result.entities, decisions)
        return list(entities), tuple(
            f"{decision.action} {decision.entity}: {reason}" for decision, reason in refused
        )

    def _new_registry(
        self, corpus_id: int, progress: Callable[[EnrichProgress], None]
    ) -> tuple[RegistryResult, int] | None:
        """Return a new registry and the number of documents, or None where the one there is still serves."""
        current = self._registry.load(corpus_id)
        with self._database.session() as session:
            corpus = session.get_one(Corpus, corpus_id)
            documents = session.execute(
                select(func.count()).select_from(Document).where(Document.corpus_id == corpus_id)
            ).scalar_one()
            seen = int(corpus.settings.get("registry_documents", 0))
        grown = documents >= REGISTRY_GROWTH * max(seen, 1)
        if current and not self._options.refresh_registry and not grown:
            return None
        progress(EnrichProgress("registry", 0, documents))
        texts, subjects, columns = self._sample(corpus_id)
        result = bootstrap(
            texts,
            seed=self._options.seed,
            subjects=subjects,
            aspect_columns=columns,
            embed=self._embed,
            previous=current,
        )
        progress(EnrichProgress("registry", documents, documents))
        return result, documents

    def _sample(self, corpus_id: int) -> tuple[list[str], list[str], list[str]]:
        texts = [text for _, text in self.sample(corpus_id, SAMPLE_TEXTS)]
        with self._database.session() as session:
            extras = session.scalars(
                select(Document.extra).where(Document.corpus_id == corpus_id).order_by(Document.id).limit(50)
            ).all()
        subjects = Repository(self._database).subjects(corpus_id)
        columns = sorted({name for extra in extras for name in extra if "rating" in name.lower()})
        return texts, subjects, columns

    # -- documents

    def _pending(self, corpus_id: int, version: str) -> tuple[list[int], int]:
        work = EnrichmentWork
        statement = (
            select(
                Document.id,
                work.version,
                work.content_hash,
                work.state,
                work.attempts,
                Document.content_hash,
            )
            .outerjoin(work, and_(work.document_id == Document.id, work.extractor == self._extractor.name))
            .where(Document.corpus_id == corpus_id)
            .order_by(Document.id)
        )
        pending, total = [], 0
        with self._database.session() as session:
            for document_id, done_version, done_hash, state, attempts, content in session.execute(statement):
                total += 1
                again = state == "pending" or (
                    state == "failed" and (self._options.retry or attempts < ATTEMPTS)
                )
                if done_version != version or done_hash != content or again:
                    pending.append(document_id)
        return pending, total

    def _read(
        self, batches: Sequence[list[int]], cancelled: Callable[[], bool]
    ) -> Iterator[list[tuple[int, str]]]:
        for ids in batches:
            if cancelled():
                return
            with self._database.session() as session:
                rows = session.execute(
                    select(Document.id, Document.text).where(Document.id.in_(ids)).order_by(Document.id)
                )
                texts = [(document_id, text) for document_id, text in rows]
            yield texts

    def _workers(self, pending: int) -> int:
        # Starting processes costs about two seconds each; small runs are faster without.
        return self._options.workers if pending > 20 * BATCH or self._options.engine != "local" else 1


def failed_documents(database: Database, corpus_id: int) -> list[tuple[str, str, int]]:
    """Return external id, reason and attempts of every document whose enrichment failed or was put off."""
    with database.session() as session:
        rows = session.execute(
            select(Document.external_id, EnrichmentWork.reason, EnrichmentWork.attempts)
            .join(Document, Document.id == EnrichmentWork.document_id)
            .where(EnrichmentWork.corpus_id == corpus_id, EnrichmentWork.state.in_(("failed", "pending")))
            .order_by(Document.id)
        )
        return list(rows.all())


def _fingerprint(registry: Sequence[RegistryEntity], kinds: tuple[str, ...]) -> str:
    parts = [
        f"{e.key}|{e.name}|{e.parent}|{','.join(sorted(e.aliases))}"
        for e in sorted(registry, key=lambda e: e.key)
    ]
    return sha256("\n".join([*parts, ",".join(sorted(kinds))]).encode()).hexdigest()[:12]


__all__ = [
    "EnrichOptions",
    "EnrichPipeline",
    "EnrichProgress",
    "EnrichReport",
    "failed_documents",
]
