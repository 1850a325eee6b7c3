"""Opinion extraction by a language model (O-RAG section 4): batched, concurrent, cached, stopped by no document.

Every document that goes in comes out exactly once, in order, enriched or with the reason why not. What the model
says is believed only as far as it can be checked: the entity must be in the registry, the quote must stand in that
document's own text, the ids must be those that were sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from time import monotonic
from typing import Final

from agents.models.cache import Cache, MemoryCache
from agents.models.chat import OpenAIChat
from agents.models.extraction_belief import Belief
from agents.models.extraction_kept import KeptResults
from agents.models.extraction_planning import plan
from agents.models.extraction_prompt import ExtractionPrompt, registry_text
from agents.models.extraction_records import ExtractionPlan, ExtractorOptions, Outcome
from agents.models.extraction_run import ExtractionRun
from agents.models.settings import Price
from store.errors import EnrichmentError, Postponed
from store.ports import ChatModel, OpinionExtractor, Usage
from store.records import Extraction, RegistryEntity

#: Seconds that a server which failed too often is left alone by :meth:`LLMExtractor.extract`.
_REST: Final = 60.0
#: Seconds between two looks at whether :meth:`LLMExtractor.extract` is to stop.
_LOOK: Final = 0.2


class LLMExtractor:
    """Finds opinions with a chat model; ``run`` is the real thing, ``extract`` fits the synchronous port.

    Parameters
    ----------
    chat
        The model of the role ``extractor``.
    cache
        Keeps verified results by text, prompt, model and registry; a run that was interrupted then continues
        without paying again. Defaults to this process only.
    price
        For :meth:`plan`.
    second
        Another extractor, whose opinion on the same text gives the labels their confidence where the server gives no
        log probabilities.

    Attributes
    ----------
    stopped
        Asked while :meth:`extract` is under way: once true, calls are cancelled, answers that came are kept and
        returned, and the other documents wait.
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        options: ExtractorOptions | None = None,
        cache: Cache | None = None,
        price: Price | None = None,
        second: OpinionExtractor | None = None,
    ) -> None:
        self._chat: ChatModel = chat
        self._options = options if options is not None else ExtractorOptions()
        self._cache = cache if cache is not None else MemoryCache(4096)
        self._price = price if price is not None else Price()
        self._second = second
        self._prompt = ExtractionPrompt(self._options)
        self.usage = Usage()
        self.stopped: Callable[[], bool] | None = None
        self._clock = monotonic
        self._settled: dict[tuple[int, str], Outcome] = {}
        self._rest_until = 0.0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.model

    @property
    def version(self) -> str:
        """Changes with the prompt, the schema, the rules and the model."""
        return self._prompt.version(self._chat.model, self._second.version if self._second else "")

    @property
    def open_discovery(self) -> bool:
        """Whether entities outside the registry are asked for."""
        return self._options.open_discovery

    def plan(
        self, documents: Iterable[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> ExtractionPlan:
        """Return what a run over these documents would take, without calling anything."""
        text = registry_text(registry)
        return plan(documents, text, prompt=self._prompt, kept=self._kept(text), price=self._price)

    def run(
        self, documents: Iterable[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> AsyncGenerator[Outcome]:
        """Yield one Outcome a document, in input order, while later documents are under way.

        Equal texts are asked about once. Closing the generator cancels what is under way.
        """
        text = registry_text(registry)
        belief = Belief(self.name, registry, open_discovery=self._options.open_discovery, second=self._second)
        return ExtractionRun(
            self._chat,
            self._options,
            text,
            prompt=self._prompt,
            kept=self._kept(text),
            belief=belief,
            spend=self._spend,
        ).outcomes(documents)

    def extract(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> Iterator[Extraction]:
        """Yield the Extraction of each document, in order: the synchronous port.

        All documents are worked on before the first is yielded. When some fail, the first failure is raised, and all
        outcomes are remembered, so that a caller who then asks for each document alone gets each answer or each
        reason without a further call.

        Runs an event loop of its own in the calling thread, so it must not be called from inside one.

        Raises
        ------
        Postponed
            The server was at fault, not the first document that failed, or the work was stopped.
        EnrichmentError
            With the reason of the first document that failed.
        """
        outcomes: list[Outcome] = []
        if len(documents) == 1 and (known := self._settled.pop(documents[0], None)) is not None:
            outcomes = [known]
        elif self._clock() < self._rest_until:
            raise Postponed(f"{self.name} failed too often in a row; left alone for {_REST:g} s")
        else:
            outcomes = asyncio.run(self._collect(documents, registry))
        if any(outcome.untried for outcome in outcomes):
            self._rest_until = self._clock() + _REST
        if (failed := next((o for o in outcomes if o.extraction is None), None)) is not None:
            if len(documents) > 1:
                self._settled = dict(zip(documents, outcomes, strict=True))
            raise (Postponed if failed.postponed else EnrichmentError)(failed.reason)
        yield from (outcome.extraction for outcome in outcomes if outcome.extraction is not None)

    async def aclose(self) -> None:
        """Close the connections of the running event loop, after ``run``."""
        if isinstance(self._chat, OpenAIChat):
            await self._chat.aclose()

    async def _collect(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> list[Outcome]:
        if not isinstance(self._chat, OpenAIChat):
            return await self._outcomes(documents, registry)
        # Another loop may be using the shared client for another role.
        shared, self._chat = self._chat, self._chat.clone()
        try:
            return await self._outcomes(documents, registry)
        finally:
            await self._chat.aclose()
            self._chat = shared

    async def _outcomes(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> list[Outcome]:
        outcomes: list[Outcome] = []

        async def gather() -> None:
            async with aclosing(self.run(documents, registry)) as run:
                async for outcome in run:
                    outcomes.append(outcome)

        work = asyncio.ensure_future(gather())
        while not work.done() and not (self.stopped is not None and self.stopped()):
            await asyncio.wait({work}, timeout=_LOOK)
        if work.done():
            await work
            return outcomes
        work.cancel()
        await asyncio.wait({work})
        waiting = documents[len(outcomes) :]
        return [*outcomes, *(Outcome(d, reason="interrupted", postponed=True) for d, _ in waiting)]

    def _kept(self, registry: str) -> KeptResults:
        return KeptResults(self._cache, self.version, registry)

    def _spend(self, usage: Usage) -> None:
        self.usage = self.usage + usage


__all__ = ["ExtractionPlan", "ExtractorOptions", "LLMExtractor", "Outcome"]
