"""What a run of the graph may use: the store's parts, the models, the clock. Built by ``app.bootstrap``."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from agents.settings import AgentSettings
from store.answers import AnswerStore
from store.calibrations import CalibrationStore
from store.opinions import OpinionStore
from store.ports import ChatModel, Role
from store.records import DocumentRecord, RegistryEntity
from store.registry import RegistryStore
from store.repository import CorpusRecord, Repository
from store.reviews import ReviewStore
from store.search import Searcher

T = TypeVar("T")


class Memo:
    """A small memory of what was read from one revision of the corpus."""

    def __init__(self, size: int = 64) -> None:
        self._size = size
        self._held: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of ``key``, making it on first use; the least recently used one is let go."""
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key]  # type: ignore[no-any-return]
        value = self._held[key] = make()
        if len(self._held) > self._size:
            self._held.popitem(last=False)
        return value


@dataclass(frozen=True)
class RagContext:
    """Dependencies of one run."""

    corpus: CorpusRecord
    settings: AgentSettings
    repository: Repository
    registry: RegistryStore
    opinions: OpinionStore
    searcher: Searcher
    answers: AnswerStore
    calibrations: CalibrationStore
    reviews: ReviewStore
    chat: Callable[[Role], ChatModel | None] = lambda _role: None
    memo: Memo = field(default_factory=Memo)
    clock: Callable[[], float] = time.perf_counter
    _read: dict[int, DocumentRecord] = field(default_factory=dict)
    today: Callable[[], datetime] = lambda: datetime.now(UTC)

    @property
    def extractor(self) -> str:
        """Whose labels the answer uses."""
        return self.corpus.extractor or "lexical"

    def entities(self) -> list[RegistryEntity]:
        """Return the corpus' registry."""
        return self._remember("entities", lambda: self.registry.load(self.corpus.id))

    def entity_ids(self) -> dict[str, int]:
        """Return the database ids of the registry's keys."""
        return self._remember("entity_ids", lambda: self.registry.ids(self.corpus.id))

    def with_descendants(self, entity_ids: list[int]) -> list[int]:
        """Return the ids of these entities and of everything below them; of all entities for none."""
        ids = self.entity_ids()
        if not entity_ids:
            return [ids[entity.key] for entity in self.entities()]
        wanted = set(entity_ids)
        # Tiers are few: repeat until no child is added.
        while True:
            more = {
                ids[e.key] for e in self.entities() if e.parent is not None and ids.get(e.parent) in wanted
            } - wanted
            if not more:
                return sorted(wanted)
            wanted |= more

    def entity_counts(self) -> dict[str, int]:
        """Return the number of documents with a stance, by entity key."""
        return self._remember(
            "entity_counts",
            lambda: {r.key: r.documents for r in self.registry.records(self.corpus.id, self.extractor)},
        )

    def attribute_values(self) -> dict[str, list[str]]:
        """Return the author attributes and their values."""
        return self._remember("attributes", lambda: self.repository.attribute_values(self.corpus.id))

    def subjects(self) -> list[str]:
        """Return the reviewed things."""
        return self._remember("subjects", lambda: self.repository.subjects(self.corpus.id))

    def documents(self, ids: Iterable[int]) -> dict[int, DocumentRecord]:
        """Return documents by id, each read once a run; unknown ids are left out."""
        wanted = list(dict.fromkeys(ids))
        if missing := [i for i in wanted if i not in self._read]:
            self._read.update(self.repository.documents(missing))
        return {i: self._read[i] for i in wanted if i in self._read}

    def document_count(self) -> int:
        """Return the number of documents."""
        return self._remember("documents", lambda: self.repository.count_documents(self.corpus.id))

    def unread_count(self) -> int:
        """Return the number of documents whose opinions are not read yet, or not as the documents are now."""
        return self._remember(
            "unread",
            lambda: self.document_count() - self.repository.count_enriched(self.corpus.id, self.extractor),
        )

    def _remember(self, name: str, make: Callable[[], T]) -> T:
        return self.memo.get((self.corpus.id, self.corpus.revision, name), make)


__all__ = ["Memo", "RagContext"]
