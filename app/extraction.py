"""Extraction by a language model seen from outside: what a run would cost, how far it agrees, a registry made by it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from app.bootstrap import Parts
from app.events import Finished, Progress
from app.jobs import Cancelled, Report, stream_job, until_cancelled
from store.errors import ConfigurationError, UsageError

if TYPE_CHECKING:
    from agents.models.agreement import Agreement
    from agents.models.extraction_records import ExtractionPlan
    from agents.models.extractor import LLMExtractor
    from store.enrich.pipeline import EnrichPipeline
    from store.records import OpinionUnit, RegistryEntity

#: The registry settles early: more documents than this only cost.
REGISTRY_SAMPLE: Final = 300
_STEP: Final = 50


@dataclass(frozen=True, slots=True)
class Planned:
    """What enrichment would take.

    Attributes
    ----------
    extractor
        ``lexical``, or the model's name.
    documents, to_do
        Documents of the corpus, and those that a run would work on.
    entities
        Length of the registry that the prompt would hold.
    opinions, registry
        The calls of the extraction and of a registry by the model; None where none would be made.
    priced
        Whether a price is set: without one a cost of 0 means nothing.
    """

    extractor: str
    documents: int
    to_do: int
    entities: int
    opinions: ExtractionPlan | None
    registry: ExtractionPlan | None
    priced: bool

    @property
    def calls(self) -> int:
        """Calls in all; repairs and retries come on top."""
        return sum(plan.calls for plan in (self.opinions, self.registry) if plan)


@dataclass(frozen=True, slots=True)
class Compared:
    """The agreement of the two extractors on a sample, and the documents that the model failed on, by id."""

    left: str
    right: str
    sample: int
    agreement: Agreement
    failures: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RegistryMade:
    """What a registry by the model brought."""

    documents: int
    entities: int
    doubtful: int
    failures: dict[int, str]
    refused_decisions: tuple[str, ...]


class Extractions:
    """Plans, comparisons and registries over one workspace."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def plan(
        self,
        corpus: str = "",
        *,
        extractor: str = "",
        refresh_registry: bool = False,
        retry: bool = False,
        split: bool = False,
        registry_by_model: bool = False,
    ) -> Planned:
        """Return what ``enrich`` with these options would take; nothing is called and nothing stored.

        Raises
        ------
        ConfigurationError
            The model is wanted, and none is configured.
        """
        found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
        kind = extractor or self._parts.settings.enrich.extractor
        pipeline = self._pipeline(kind, refresh_registry and not registry_by_model, retry, split)
        to_do, registry, total = pipeline.to_do(found.id)
        opinions = made = None
        name = kind
        if kind == "llm":
            chosen = self._by_model()
            name, opinions = chosen.name, chosen.plan(to_do, registry)
        if registry_by_model:
            made = self._by_model(open_discovery=True).plan(self._sample(found.id, REGISTRY_SAMPLE, 0), ())
        chat = self._parts.chat("extractor")
        price = chat.settings.price if chat else None
        priced = price is not None and (price.prompt_per_million > 0 or price.completion_per_million > 0)
        return Planned(name, total, len(to_do), len(registry), opinions, made, priced)

    async def agreement(
        self, corpus: str = "", *, documents: int = 50, seed: int = 0
    ) -> AsyncIterator[Progress | Finished]:
        """Label a sample by both extractors and compare; nothing is stored. Last comes ``Finished(Compared)``.

        What the model has already labelled (or labels now) is kept in its cache and not paid for twice. Closing the
        iterator cancels the calls under way.

        Raises
        ------
        ConfigurationError
            No model is configured.
        UsageError
            The corpus has no registry yet.
        """
        found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
        registry = self._parts.registry.load(found.id)
        if not registry:
            raise UsageError(f"the corpus `{found.name}` has no entities yet", "run `evenhand enrich` first")
        sample = self._sample(found.id, documents, seed)
        by_model = self._by_model()

        def job(report: Report, cancelled: Cancelled) -> Compared:
            import asyncio

            from agents.models.agreement import agreement

            left = self._lexical(sample, registry)
            asked = self._by(by_model, sample, registry, report)
            right, failures = asyncio.run(until_cancelled(asked, cancelled))
            records = self._parts.repository.documents(list(failures))
            named = {records[d].external_id: reason for d, reason in failures.items()}
            return Compared("lexical", by_model.name, len(sample), agreement(left, right), named)

        async for event in stream_job(job):
            yield event

    async def registry(
        self, corpus: str = "", *, documents: int = REGISTRY_SAMPLE, seed: int = 0
    ) -> AsyncIterator[Progress | Finished]:
        """Make the registry by open extraction on a sample; entities there are keep keys and names.

        Last comes ``Finished(RegistryMade)``. Doubtful merges are kept for ``entities review``. Closing the iterator
        cancels the calls under way; what was answered is kept in the model's cache, and the registry as it was.

        Raises
        ------
        ConfigurationError
            No model is configured.
        EnrichmentError
            The model found no entity: the registry stays as it is.
        """
        found = self._parts.repository.corpus(corpus or self._parts.settings.corpus)
        by_model = self._by_model(open_discovery=True)
        sample = self._sample(found.id, documents, seed)

        def job(report: Report, cancelled: Cancelled) -> RegistryMade:
            import asyncio

            from agents.models.registry_bootstrap import ModelRegistry, bootstrap_by_model
            from store.errors import EnrichmentError

            parts = self._parts
            previous = parts.registry.load(found.id)
            report(Progress("registry by the model", 0, len(sample), 0.0))

            def done(count: int) -> None:
                if count % _STEP == 0:
                    report(Progress("registry by the model", count, len(sample), count / len(sample)))

            async def whole() -> ModelRegistry:
                try:
                    return await bootstrap_by_model(
                        sample, by_model, embed=parts.embedder.embed, previous=previous, progress=done
                    )
                finally:
                    await by_model.aclose()

            made = asyncio.run(until_cancelled(whole(), cancelled))
            if not made.result.entities:
                why = next(iter(made.failures.values()), "it named nothing twice")
                raise EnrichmentError(
                    f"{by_model.name} found no entities in {len(sample)} documents ({why})",
                    "use the embedded registry: `evenhand enrich` without --registry llm",
                )
            with parts.workspace.writing(parts.settings.store.lock_timeout):
                refused = self._pipeline("lexical").adopt(
                    found.id, made.result, parts.repository.count_documents(found.id)
                )
                parts.repository.touch(found.id)
            return RegistryMade(
                made.documents, len(made.result.entities), len(made.result.doubtful), made.failures, refused
            )

        async for event in stream_job(job):
            yield event

    # -- parts

    def _pipeline(
        self, kind: str, refresh: bool = False, retry: bool = False, split: bool = False
    ) -> EnrichPipeline:
        from store.enrich.pipeline import EnrichOptions, EnrichPipeline

        parts, chosen = self._parts, self._parts.settings.enrich
        kinds = ("enriched", "split") if split or chosen.split else ("enriched",)
        options = EnrichOptions(chosen.seed, chosen.engine, chosen.workers, refresh, retry, kinds)
        return EnrichPipeline(parts.database, parts.extractor(kind), parts.embedder.embed, options)

    def _by_model(self, *, open_discovery: bool = False) -> LLMExtractor:
        from agents.models.bridge import extractor_of
        from agents.models.extraction_records import ExtractorOptions

        chat = self._parts.chat("extractor")
        if chat is None:
            raise ConfigurationError(
                "no language model is configured for the role extractor",
                "set models.base_url and models.model",
            )
        options = ExtractorOptions(workers=chat.settings.limits.concurrency, open_discovery=open_discovery)
        return extractor_of(
            chat.clone(), cache_folder=self._parts.workspace.model_cache_path, options=options
        )

    def _sample(self, corpus_id: int, most: int, seed: int) -> list[tuple[int, str]]:
        return self._pipeline("lexical").sample(corpus_id, most, seed)

    def _lexical(
        self, sample: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> dict[int, Sequence[OpinionUnit]]:
        found = self._parts.extractor("lexical").extract(sample, registry)
        return {extraction.document_id: extraction.opinions for extraction in found}

    async def _by(
        self,
        extractor: LLMExtractor,
        sample: Sequence[tuple[int, str]],
        registry: Sequence[RegistryEntity],
        report: Report,
    ) -> tuple[dict[int, Sequence[OpinionUnit]], dict[int, str]]:
        from contextlib import aclosing

        labels: dict[int, Sequence[OpinionUnit]] = {}
        failures: dict[int, str] = {}
        try:
            async with aclosing(extractor.run(sample, registry)) as run:
                async for outcome in run:
                    if outcome.extraction is None:
                        failures[outcome.document_id] = outcome.reason
                    else:
                        labels[outcome.document_id] = outcome.extraction.opinions
                    done = len(labels) + len(failures)
                    report(Progress("agreement", done, len(sample), done / len(sample)))
        finally:
            await extractor.aclose()
        return labels, failures


__all__ = ["REGISTRY_SAMPLE", "Compared", "Extractions", "Planned", "RegistryMade"]
