"""Opinion extraction by a language model (O-RAG section 4): batched, concurrent, cached, stopped by no document.

Every document that goes in comes out exactly once, in order, enriched or with the reason why not. What the model
says is believed only as far as it can be checked: the entity must be in the registry, the quote must stand in that
document's own text, the ids must be those that were sent.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import Final

import prompts
from agents.fencing import fence, neutralise
from agents.models.cache import Cache, MemoryCache
from agents.models.certainty import certainties
from agents.models.chat import OpenAIChat
from agents.models.errors import (
    FATAL,
    MalformedOutput,
    ModelCallError,
    ModelUnreachable,
    NotAnApi,
    RequestRejected,
)
from agents.models.extraction_records import ExtractionPlan, ExtractorOptions, Outcome
from agents.models.extraction_schema import (
    Answered,
    ExtractionAnswer,
    Names,
    Verified,
    pack,
    unpack,
    verify,
)
from agents.models.settings import Price
from agents.models.structured import ask_batch, schema_of
from agents.models.usage import estimate_tokens
from store.errors import EnrichmentError, Postponed
from store.ports import ChatMessage, ChatModel, ChatReply, ChatRequest, OpinionExtractor, Usage
from store.records import Extraction, OpinionUnit, RegistryEntity

logger = logging.getLogger(__name__)

#: Changes when what is made of an answer changes.
_RULES: Final = "2"
#: Seconds that a server which failed too often is left alone by :meth:`LLMExtractor.extract`.
_REST: Final = 60.0
_OPEN: Final = (
    "An opinion on a thing that is missing from the list also counts: "
    "give its short common name in lower case."
)
#: No word on the documents: they wait for the next run.
_SERVER_AT_FAULT: Final[tuple[type[ModelCallError], ...]] = (*FATAL, ModelUnreachable, NotAnApi)
#: Many of these in a row are the server's or the settings' fault as well, one may be the document's.
_SUSPICIOUS: Final[tuple[type[ModelCallError], ...]] = (*_SERVER_AT_FAULT, RequestRejected)
_CLOSED: Final = "Leave out opinions on anything else."


@dataclass(slots=True)
class _Slot:
    document_id: int
    text: str
    result: asyncio.Future[Verified | ModelCallError]
    cached: bool = False


@dataclass(slots=True)
class _Run:
    """The state of one run."""

    names: Names
    registry: str
    digest: str
    entities: tuple[RegistryEntity, ...]
    in_flight: dict[str, asyncio.Future[Verified | ModelCallError]] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    failures_in_a_row: int = 0
    stopped_by: ModelCallError | None = None


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
        self._prompt = prompts.load("extract")
        self.usage = Usage()
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
        parts = (
            self._chat.model,
            self._prompt.sha256,
            _schema_digest(),
            _RULES,
            str(self._options.open_discovery),
            self._second.version if self._second else "",
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    @property
    def open_discovery(self) -> bool:
        """Whether entities outside the registry are asked for."""
        return self._options.open_discovery

    def plan(
        self, documents: Iterable[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> ExtractionPlan:
        """Return what a run over these documents would take, without calling anything."""
        run = self._start(registry)
        total = cached = duplicates = calls = prompt_tokens = completion_tokens = 0
        seen: set[str] = set()
        sizes: list[int] = []
        overhead = estimate_tokens(self._prompt.system + self._prompt.user + run.registry)

        def flush() -> None:
            nonlocal calls, prompt_tokens, completion_tokens
            calls += 1
            prompt_tokens += overhead + sum(sizes) + 30 * len(sizes)
            completion_tokens += self._answer_room(len(sizes))
            sizes.clear()

        for _, text in documents:
            total += 1
            key = self._key(text, run)
            if not text.strip():
                continue
            if key in seen:
                duplicates += 1
                continue
            seen.add(key)
            if self._cached(key, text) is not None:
                cached += 1
                continue
            size = estimate_tokens(text)
            if sizes and self._full(len(sizes), sum(sizes), size):
                flush()
            sizes.append(size)
        if sizes:
            flush()
        cost = self._price.cost(prompt_tokens, completion_tokens)
        return ExtractionPlan(total, cached, duplicates, calls, prompt_tokens, completion_tokens, cost)

    async def run(
        self, documents: Iterable[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> AsyncGenerator[Outcome]:
        """Yield one Outcome a document, in input order, while later documents are under way.

        Equal texts are asked about once. Closing the generator cancels what is under way.
        """
        run = self._start(registry)
        window: deque[_Slot] = deque()
        batch: dict[str, _Slot] = {}
        size = 0
        limit = self._options.workers
        # Bounded memory: results that wait for a slow one before them.
        longest = max(64, 8 * limit * self._options.documents)
        try:
            for document_id, text in documents:
                slot = self._slot(document_id, text, run)
                window.append(slot)
                key = self._key(text, run)
                if not slot.result.done() and key not in run.in_flight:
                    run.in_flight[key] = slot.result
                    tokens = estimate_tokens(text)
                    if batch and self._full(len(batch), size, tokens):
                        self._send(batch, run)
                        batch, size = {}, 0
                    batch[key] = slot
                    size += tokens
                    if len(batch) >= self._options.documents:
                        self._send(batch, run)
                        batch, size = {}, 0
                while len(run.tasks) >= limit or len(window) >= longest:
                    if not run.tasks:
                        self._send(batch, run)
                        batch, size = {}, 0
                    await asyncio.wait(run.tasks, return_when=asyncio.FIRST_COMPLETED)
                    # Tasks leave the set in a callback, which runs after the wait returns.
                    await asyncio.sleep(0)
                    while window and window[0].result.done():
                        yield self._outcome(window.popleft(), run)
                while window and window[0].result.done():
                    yield self._outcome(window.popleft(), run)
            if batch:
                self._send(batch, run)
            while window:
                await asyncio.wait([window[0].result])
                yield self._outcome(window.popleft(), run)
        finally:
            for task in run.tasks:
                task.cancel()
            await asyncio.gather(*run.tasks, return_exceptions=True)

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
            The server was at fault, not the first document that failed.
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
            return [outcome async for outcome in self.run(documents, registry)]
        # Another loop may be using the shared client for another role.
        shared, self._chat = self._chat, self._chat.clone()
        try:
            return [outcome async for outcome in self.run(documents, registry)]
        finally:
            await self._chat.aclose()
            self._chat = shared

    # Inside a run --------------------------------------------------------------------------------------------

    def _start(self, registry: Sequence[RegistryEntity]) -> _Run:
        lines = [_line(entity) for entity in registry]
        text = "\n".join(lines) if lines else "(none)"
        digest = hashlib.sha256(f"{self.version}\n{text}".encode("utf-8", "replace")).hexdigest()
        return _Run(Names(registry), text, digest, tuple(registry))

    def _slot(self, document_id: int, text: str, run: _Run) -> _Slot:
        key = self._key(text, run)
        if (shared := run.in_flight.get(key)) is not None:
            return _Slot(document_id, text, shared, cached=True)
        slot = _Slot(document_id, text, asyncio.get_running_loop().create_future())
        if not text.strip():
            slot.result.set_result(Verified("und", ()))
        elif (known := self._cached(key, text)) is not None:
            slot.cached = True
            slot.result.set_result(known)
        return slot

    def _send(self, batch: dict[str, _Slot], run: _Run) -> None:
        task = asyncio.create_task(self._batch(dict(batch), run))
        run.tasks.add(task)
        task.add_done_callback(run.tasks.discard)

    async def _batch(self, batch: Mapping[str, _Slot], run: _Run) -> None:
        items = {f"D{number}": (key, slot) for number, (key, slot) in enumerate(batch.items(), 1)}
        try:
            if run.stopped_by is not None:
                self._settle_all(batch, run, run.stopped_by)
                return
            found = await self._ask({label: slot.text for label, (_, slot) in items.items()}, run)
            for label, (key, slot) in items.items():
                believed = self._believe(found[label], slot.text, run)
                if isinstance(believed, _NoQuotes) and len(items) > 1:
                    # Perhaps another document spoke for it: once more, alone.
                    alone = await self._ask({label: slot.text}, run)
                    believed = self._believe(alone[label], slot.text, run)
                self._settle(key, slot, believed, run)
            self._watch(found.values(), run)
        except BaseException as error:
            # A fault of this program, or a cancellation from below: whoever waits for these documents gets it, not
            # silence.
            for slot in batch.values():
                if slot.result.done():
                    continue
                if isinstance(error, asyncio.CancelledError):
                    slot.result.set_result(_Untried(ModelUnreachable("the call was cancelled")))
                else:
                    slot.result.set_exception(error)
                    slot.result.exception()
            raise
        finally:
            for key in batch:
                run.in_flight.pop(key, None)

    async def _ask(self, texts: Mapping[str, str], run: _Run) -> dict[str, Answered | ModelCallError]:
        result = await ask_batch(
            self._chat,
            texts,
            build=lambda part: self._request(part, run),
            model=ExtractionAnswer,
            entries=_entries,
        )
        self.usage = self.usage + result.usage
        return {**result.failed, **result.done}

    def _believe(self, found: Answered | ModelCallError, text: str, run: _Run) -> Verified | ModelCallError:
        if isinstance(found, ModelCallError):
            return found
        verified = verify(
            found.document,
            text,
            run.names,
            open_discovery=self._options.open_discovery,
            certainties=found.certainties,
            others=self._others(found, text, run),
        )
        if verified.unquoted and not verified.opinions and not verified.unlisted:
            return _NoQuotes(
                f"{self.name}: none of the {verified.unquoted} quotes stands in the document's text"
            )
        return verified

    def _others(self, found: Answered, text: str, run: _Run) -> Sequence[OpinionUnit]:
        if self._second is None or not found.document.opinions or None not in found.certainties:
            return ()
        return next(iter(self._second.extract([(0, text)], run.entities))).opinions

    def _settle(self, key: str, slot: _Slot, result: Verified | ModelCallError, run: _Run) -> None:
        if isinstance(result, Verified):
            self._cache.put(key, pack(result))
        if not slot.result.done():
            slot.result.set_result(result)

    def _settle_all(self, batch: Mapping[str, _Slot], run: _Run, error: ModelCallError) -> None:
        for key, slot in batch.items():
            self._settle(key, slot, _Untried(error), run)

    def _watch(self, found: Iterable[Answered | ModelCallError], run: _Run) -> None:
        """Stop sending once the server, not the documents, has failed many times in a row."""
        answers = list(found)
        blamed: list[ModelCallError] = [a for a in answers if isinstance(a, _SUSPICIOUS)]
        if not blamed or any(isinstance(answer, Answered) for answer in answers):
            run.failures_in_a_row = 0
            return
        run.failures_in_a_row += 1
        if run.failures_in_a_row >= self._options.give_up_after and run.stopped_by is None:
            run.stopped_by = blamed[0]
            logger.error("%s failed %d times in a row; the rest is left", self.name, run.failures_in_a_row)

    def _outcome(self, slot: _Slot, run: _Run) -> Outcome:
        result = slot.result.result()
        if isinstance(result, ModelCallError):
            untried = isinstance(result, _Untried)
            postponed = untried or isinstance(result, _SERVER_AT_FAULT)
            return Outcome(slot.document_id, reason=str(result), untried=untried, postponed=postponed)
        return Outcome(
            slot.document_id,
            Extraction(slot.document_id, result.opinions, result.language),
            discovered=result.discovered,
            unquoted=result.unquoted,
            unlisted=result.unlisted,
            cached=slot.cached,
        )

    def _request(self, part: Mapping[str, str], run: _Run) -> ChatRequest:
        fenced = fence(list(part.items()))
        rendered = self._prompt.render(
            registry=run.registry,
            documents=fenced.text,
            ids=", ".join(fenced.ids),
            open_rule=_OPEN if self._options.open_discovery else _CLOSED,
        )
        return ChatRequest(
            messages=(ChatMessage("system", rendered.system), ChatMessage("user", rendered.user)),
            role="extractor",
            max_tokens=self._answer_room(len(part)),
            logprobs=True,
            prompt_name=rendered.name,
            prompt_sha=rendered.sha256,
        )

    def _answer_room(self, documents: int) -> int:
        return 50 + self._options.answer_tokens * documents

    def _full(self, documents: int, size: int, tokens: int) -> bool:
        return documents >= self._options.documents or size + tokens > self._options.tokens

    def _key(self, text: str, run: _Run) -> str:
        return hashlib.sha256(f"{run.digest}\n{text}".encode("utf-8", "replace")).hexdigest()

    def _cached(self, key: str, text: str) -> Verified | None:
        value = self._cache.get(key)
        return unpack(value, text) if value is not None else None


class _NoQuotes(MalformedOutput):
    """Not one quote of the answer stands in the document."""


class _Untried(ModelCallError):
    """The document was not sent, because of an earlier failure of the server."""

    def __init__(self, cause: ModelCallError) -> None:
        super().__init__(f"not tried, since the model failed too often in a row: {cause.message}", cause.hint)


def _entries(answer: ExtractionAnswer, reply: ChatReply) -> list[tuple[str, Answered]]:
    total = sum(len(document.opinions) for document in answer.documents)
    sure = iter(certainties(reply.text, reply.logprobs, total))
    return [
        (document.id.strip(), Answered(document, tuple(islice(sure, len(document.opinions)))))
        for document in answer.documents
    ]


def _schema_digest() -> str:
    return hashlib.sha256(json.dumps(schema_of(ExtractionAnswer), sort_keys=True).encode()).hexdigest()


def _line(entity: RegistryEntity) -> str:
    # Names come from documents too (bootstrap), so they are data like any other.
    names = [entity.name, *(alias for alias in entity.aliases if alias != entity.name.lower())][:6]
    under = f" (part of {neutralise(entity.parent)})" if entity.parent else ""
    return " ".join(f"{neutralise(entity.key)}: {neutralise('; '.join(names))}{under}".split())


__all__ = ["ExtractionPlan", "ExtractorOptions", "LLMExtractor", "Outcome"]
