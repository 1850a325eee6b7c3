"""One run of an extraction: documents in batches, calls beside each other, one outcome a document, in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass

from agents.models.errors import ModelCallError, ModelUnreachable
from agents.models.extraction_belief import Belief, NoQuotes, entries
from agents.models.extraction_faults import Untried, Watch, failed
from agents.models.extraction_kept import KeptResults
from agents.models.extraction_prompt import ExtractionPrompt
from agents.models.extraction_records import ExtractorOptions, Outcome
from agents.models.extraction_schema import Answered, ExtractionAnswer, Verified
from agents.models.structured import ask_batch
from agents.models.usage import estimate_tokens
from store.ports import ChatModel, Usage
from store.records import Extraction


@dataclass(slots=True)
class _Slot:
    document_id: int
    text: str
    result: asyncio.Future[Verified | ModelCallError]
    cached: bool = False


class ExtractionRun:
    """The state of one run.

    Parameters
    ----------
    registry
        As text, for the prompt.
    spend
        Told of the usage of each call.
    """

    def __init__(
        self,
        chat: ChatModel,
        options: ExtractorOptions,
        registry: str,
        *,
        prompt: ExtractionPrompt,
        kept: KeptResults,
        belief: Belief,
        spend: Callable[[Usage], None],
    ) -> None:
        self._chat, self._options, self._registry = chat, options, registry
        self._prompt, self._kept, self._belief, self._spend = prompt, kept, belief, spend
        self._watch = Watch(chat.model, options.give_up_after)
        self._in_flight: dict[str, asyncio.Future[Verified | ModelCallError]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._batch: dict[str, _Slot] = {}
        self._size = 0

    async def outcomes(self, documents: Iterable[tuple[int, str]]) -> AsyncGenerator[Outcome]:
        """Yield one Outcome a document, in input order; closing the generator cancels what is under way."""
        window: deque[_Slot] = deque()
        limit = self._options.workers
        # Bounded memory: results that wait for a slow one before them.
        longest = max(64, 8 * limit * self._options.documents)
        try:
            for document_id, text in documents:
                slot = self._slot(document_id, text)
                window.append(slot)
                key = self._kept.key(text)
                if not slot.result.done() and key not in self._in_flight:
                    self._in_flight[key] = slot.result
                    self._add(key, slot)
                while len(self._tasks) >= limit or len(window) >= longest:
                    if not self._tasks:
                        self._send()
                    await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
                    # Tasks leave the set in a callback, which runs after the wait returns.
                    await asyncio.sleep(0)
                    while window and window[0].result.done():
                        yield _outcome(window.popleft())
                while window and window[0].result.done():
                    yield _outcome(window.popleft())
            if self._batch:
                self._send()
            while window:
                await asyncio.wait([window[0].result])
                yield _outcome(window.popleft())
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _slot(self, document_id: int, text: str) -> _Slot:
        key = self._kept.key(text)
        if (shared := self._in_flight.get(key)) is not None:
            return _Slot(document_id, text, shared, cached=True)
        slot = _Slot(document_id, text, asyncio.get_running_loop().create_future())
        if not text.strip():
            slot.result.set_result(Verified("und", ()))
        elif (known := self._kept.get(key, text)) is not None:
            slot.cached = True
            slot.result.set_result(known)
        return slot

    def _add(self, key: str, slot: _Slot) -> None:
        """Put a document into the batch that is gathered, and send what is full."""
        tokens = estimate_tokens(slot.text)
        if self._batch and self._prompt.full(len(self._batch), self._size, tokens):
            self._send()
        self._batch[key] = slot
        self._size += tokens
        if len(self._batch) >= self._options.documents:
            self._send()

    def _send(self) -> None:
        task = asyncio.create_task(self._work(self._batch))
        self._batch, self._size = {}, 0
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, batch: Mapping[str, _Slot]) -> None:
        items = {f"D{number}": (key, slot) for number, (key, slot) in enumerate(batch.items(), 1)}
        try:
            if (stop := self._watch.stopped_by) is not None:
                for key, slot in batch.items():
                    self._settle(key, slot, Untried(stop))
                return
            found = await self._ask({label: slot.text for label, (_, slot) in items.items()})
            for label, (key, slot) in items.items():
                believed = self._belief.believe(found[label], slot.text)
                if isinstance(believed, NoQuotes) and len(items) > 1:
                    # Perhaps another document spoke for it: once more, alone.
                    alone = await self._ask({label: slot.text})
                    believed = self._belief.believe(alone[label], slot.text)
                self._settle(key, slot, believed)
            self._watch.note(found.values())
        except BaseException as error:
            # A fault of this program, or a cancellation from below: whoever waits for these documents gets it, not
            # silence.
            for slot in batch.values():
                if slot.result.done():
                    continue
                if isinstance(error, asyncio.CancelledError):
                    slot.result.set_result(Untried(ModelUnreachable("the call was cancelled")))
                else:
                    slot.result.set_exception(error)
                    slot.result.exception()
            raise
        finally:
            for key in batch:
                self._in_flight.pop(key, None)

    async def _ask(self, texts: Mapping[str, str]) -> dict[str, Answered | ModelCallError]:
        result = await ask_batch(
            self._chat,
            texts,
            build=lambda part: self._prompt.request(part, self._registry),
            model=ExtractionAnswer,
            entries=entries,
        )
        self._spend(result.usage)
        return {**result.failed, **result.done}

    def _settle(self, key: str, slot: _Slot, result: Verified | ModelCallError) -> None:
        if isinstance(result, Verified):
            self._kept.put(key, result)
        if not slot.result.done():
            slot.result.set_result(result)


def _outcome(slot: _Slot) -> Outcome:
    result = slot.result.result()
    if isinstance(result, ModelCallError):
        return failed(slot.document_id, result)
    return Outcome(
        slot.document_id,
        Extraction(slot.document_id, result.opinions, result.language),
        discovered=result.discovered,
        unquoted=result.unquoted,
        unlisted=result.unlisted,
        cached=slot.cached,
    )


__all__ = ["ExtractionRun"]
