"""Reading and curating: what both faces show of corpora, entities, documents, answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from app.bootstrap import Parts
from store.errors import UsageError

if TYPE_CHECKING:
    from store.answers import AnswerRecord
    from store.enrich.registry_clusters import DoubtfulMerge
    from store.receipt import AuditReceipt
    from store.registry import EntityRecord
    from store.repository import CorpusRecord

TABLES = ("documents", "opinions", "stances", "answers", "quarantine")


class Catalog:
    """Reads over one workspace, and the curation of its entities."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def corpus(self, name: str = "") -> CorpusRecord:
        """Return a corpus by name, or the only one."""
        return self._parts.repository.corpus(name or self._parts.settings.corpus)

    # -- answers

    def receipt(self, answer: str, corpus: str = "", *, dimensions: bool = False) -> AuditReceipt:
        """Return the receipt of an answer.

        Parameters
        ----------
        dimensions
            With W2 over several opinion dimensions, which takes a second.

        Raises
        ------
        UsageError
            No such answer, or one that was stopped before it had a receipt, or whose distances cannot be measured.
        """
        corpus_id = self.corpus(corpus).id if corpus else None
        record = self._parts.answers.get(answer, corpus_id)
        if record.receipt is None:
            raise UsageError(
                f"answer {record.id} has no receipt: it was {record.state}", "ask the question again"
            )
        if not dimensions:
            return record.receipt
        from agents.opinion_dimensions import with_dimensions

        found = self._parts.repository.corpus(record.receipt.corpus)
        return with_dimensions(self._parts.context(found), record.receipt)

    def newest_answers(self, corpus: str = "", limit: int = 20) -> list[AnswerRecord]:
        """Return the newest answers, newest first."""
        return self._parts.answers.newest(self.corpus(corpus).id if corpus else None, limit)

    # -- entities

    def entities(self, corpus: str = "") -> list[EntityRecord]:
        """Return the registry with documents and counts."""
        found = self.corpus(corpus)
        return self._parts.registry.records(found.id, found.extractor or "lexical")

    def entity(
        self, name: str, corpus: str = "", quotes: int = 3
    ) -> tuple[EntityRecord, list[tuple[str, str, int]]]:
        """Return one entity by key, name or alias, and quotes of each side as (document, quote, score)."""
        found = self.corpus(corpus)
        extractor = found.extractor or "lexical"
        record = _one(self._parts.registry.records(found.id, extractor), name)
        samples = self._parts.opinions.samples(record.id, extractor, quotes)
        return record, samples

    def curate(self, action: str, entity: str, value: str = "", corpus: str = "") -> str:
        """Make one decision on the registry and keep it; returns what was done in one line.

        Raises
        ------
        UsageError
            No such entity, or the decision cannot be carried out.
        """
        from store.enrich.curation import Decision, apply, check

        found = self.corpus(corpus)
        registry = self._parts.registry
        entities = registry.load(found.id)
        key = _key(entities, entity)
        target = _key(entities, value) if action == "merge" or (action == "move" and value) else value
        decision = Decision.from_dict({"action": action, "entity": key, "value": target})
        check(entities, decision)
        with self._parts.workspace.writing(self._parts.settings.store.lock_timeout):
            registry.save(found.id, apply(entities, [decision]))
            registry.decide(found.id, action, {"entity": key, "value": target})
            self._parts.repository.touch(found.id)
        return f"{action} {key}" + (f" -> {target}" if target else "")

    def doubtful(self, corpus: str = "") -> tuple[DoubtfulMerge, ...]:
        """Return the pairs of entities that may be one thing and that nobody decided on yet."""
        from store.enrich.doubts import open_doubts

        found = self.corpus(corpus)
        keys = [entity.key for entity in self._parts.registry.load(found.id)]
        return open_doubts(self._parts.database, found.id, keys)

    def settle(self, text: str, corpus: str = "") -> tuple[list[str], list[str]]:
        """Carry out the decisions of a review file of doubtful merges; returns what was done and what could not be.

        Raises
        ------
        UsageError
            The file does not have the form of one; nothing was done.
        """
        from store.enrich.doubts import keep_apart
        from store.enrich.registry_exchange import read_kept, read_review

        found = self.corpus(corpus)
        merges, kept = read_review(text), read_kept(text)
        done: list[str] = []
        refused: list[str] = []
        # An entity that was merged away, by an earlier line or before, stands for what it was merged into.
        active = {entity.key for entity in self._parts.registry.load(found.id)}
        into = {
            str(payload["entity"]): str(payload["value"])
            for kind, payload in self._parts.registry.decisions(found.id)
            if kind == "merge" and payload["entity"] not in active
        }
        for decision in merges:
            entity, target = _followed(into, decision.entity), _followed(into, decision.value)
            if entity == target:
                continue
            try:
                done.append(self.curate("merge", entity, target, corpus))
                into[entity] = target
            except UsageError as error:
                refused.append(f"merge {decision.entity} -> {decision.value}: {error.message}")
        if kept:
            with self._parts.workspace.writing(self._parts.settings.store.lock_timeout):
                keep_apart(self._parts.database, found.id, kept)
            done += [f"keep {left} and {right}" for left, right in kept]
        return done, refused

    def export_registry(self, corpus: str = "") -> str:
        """Return the registry as JSON text."""
        from store.enrich.curation import Decision
        from store.enrich.registry_exchange import export_registry

        found = self.corpus(corpus)
        made = [Decision.from_dict({"action": k, **p}) for k, p in self._parts.registry.decisions(found.id)]
        return export_registry(self._parts.registry.load(found.id), made)

    def import_registry(self, text: str, corpus: str = "") -> int:
        """Replace the registry by one from JSON text; returns the number of entities."""
        from store.enrich.registry_exchange import import_registry

        found = self.corpus(corpus)
        entities, decisions = import_registry(text)
        with self._parts.workspace.writing(self._parts.settings.store.lock_timeout):
            self._parts.registry.save(found.id, entities)
            for decision in decisions:
                payload = {"entity": decision.entity, "value": decision.value}
                self._parts.registry.decide(found.id, decision.action, payload)
            self._parts.repository.touch(found.id)
        return len(entities)

    # -- tables

    def failed_enrichments(self, corpus: str = "") -> list[tuple[str, str, int]]:
        """Return external id, reason and attempts of documents whose enrichment failed."""
        from store.enrich.pipeline import failed_documents

        return failed_documents(self._parts.database, self.corpus(corpus).id)

    def table(self, what: str, corpus: str = "") -> tuple[Sequence[str], Iterator[Sequence[Any]]]:
        """Return the columns and rows of a table for export.

        Raises
        ------
        UsageError
            There is no such table.
        """
        if what not in TABLES:
            raise UsageError(f"there is no table `{what}`", f"export one of {', '.join(TABLES)}")
        from store.tabular import rows_of

        return rows_of(self._parts.database, self.corpus(corpus).id, what)


def _followed(into: dict[str, str], key: str) -> str:
    seen: set[str] = set()
    while key in into and key not in seen:
        seen.add(key)
        key = into[key]
    return key


def _key(entities: Sequence[Any], name: str) -> str:
    return str(_one(entities, name).key)


def _one(entities: Sequence[Any], name: str) -> Any:
    wanted = name.strip().casefold()
    for entity in entities:
        if wanted in {entity.key.casefold(), entity.name.casefold()}:
            return entity
    for entity in entities:
        if wanted in {alias.casefold() for alias in entity.aliases}:
            return entity
    from difflib import get_close_matches

    near = get_close_matches(name, [entity.key for entity in entities], 1)
    hint = f"did you mean `{near[0]}`?" if near else "`evenhand entities list` shows them"
    raise UsageError(f"there is no entity `{name}`", hint)


__all__ = ["TABLES", "Catalog"]
