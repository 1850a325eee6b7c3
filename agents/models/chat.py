"""The chat port over any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from copy import copy
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from agents.models.cache import Cache, pack, request_key, unpack
from agents.models.client import open_client
from agents.models.collector import StreamCollector
from agents.models.errors import (
    BrokenReply,
    ContextTooLong,
    MalformedOutput,
    ModelCallError,
    ModelTimeout,
    ModelUnreachable,
    NotAnApi,
    RateLimited,
    RequestRejected,
    ServerFault,
)
from agents.models.limits import RateLimiter
from agents.models.payload import (
    RawReply,
    build_payload,
    on_the_wire,
    read_completion,
    read_usage,
    settle,
)
from agents.models.quirks import QuirkBook, Quirks
from agents.models.settings import EndpointSettings
from agents.models.translate import error_inside, redact, translate
from agents.models.usage import UsageMeter, estimate_tokens
from store.ports import ChatReply, ChatRequest, Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

logger = logging.getLogger(__name__)

#: A model that has gone astray under a JSON grammar sends white space for ever.
_LONGEST_BLANK = 2000
#: Waiting longer or asking a confused model again and again seldom helps.
_TRIES_OF_SLOW_OR_BROKEN = 2


@dataclass(slots=True)
class _Bound:
    """What belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    client: AsyncOpenAI
    limiter: RateLimiter


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that nothing has come of yet: which try it is, of at most how many, and when the first one began."""

    number: int
    most: int
    since: float


class OpenAIChat:
    """Fulfils ``store.ports.ChatModel``. One object may serve several roles and many tasks at once.

    Parameters
    ----------
    settings
        Address, key, model, limits, time-outs, retries.
    meter
        Where use is counted, by the request's role.
    quirks
        What is known of servers; share one book in a process.
    cache
        Keeps replies to requests of temperature 0; None keeps none.
    clock, sleep, rng
        For tests: seconds, waiting, and the jitter of waits.

    Cancelling the task, or closing the stream, closes the connection, at which servers stop generating. Close
    streams that are left early with ``contextlib.aclosing``.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        *,
        meter: UsageMeter | None = None,
        quirks: QuirkBook | None = None,
        cache: Cache | None = None,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self.settings = settings
        self.meter = meter if meter is not None else UsageMeter()
        self.quirks: Quirks = (quirks if quirks is not None else QuirkBook()).of(
            settings.base_url, settings.model
        )
        self._cache = cache
        self._clock = clock
        self._sleep = sleep
        self._rng = rng or random.Random()
        self._where = f"{settings.model} at {settings.base_url}"
        self._bound: _Bound | None = None
        #: What is waited for now (of several calls at once, the newest): for whoever shows that something goes on.
        self.waiting: Attempt | None = None

    def __repr__(self) -> str:
        return f"OpenAIChat({self._where})"

    def __getstate__(self) -> dict[str, Any]:
        # To another process goes everything but the connections.
        return {**self.__dict__, "_bound": None}

    def forget_quirks(self) -> None:
        """Forget what was learnt of the server: the next calls find it out anew."""
        self.quirks.reset()

    def clone(self) -> OpenAIChat:
        """Return a client of the same server with connections of its own, for use in another event loop.

        Meter, quirks and cache are shared; the limits hold for each clone by itself.
        """
        clone = copy(self)
        clone._bound = None
        return clone

    @property
    def model(self) -> str:
        """The served model's name."""
        return self.settings.model

    @property
    def context_tokens(self) -> int | None:
        """Prompt and answer together, in tokens: from the settings, else as learnt from the server, else None."""
        return self.settings.context_tokens or self.quirks.context_tokens

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole answer. A refusal is a reply with ``refusal`` set, not an error.

        Raises
        ------
        ModelCallError
            One of ``agents.models.errors``, after the retries that the settings allow.
        """
        key = ""
        if self._cache is not None and request.temperature == 0:
            key = request_key(self.settings.base_url, self.model, request)
            if (value := self._cache.get(key)) is not None and (cached := unpack(value)) is not None:
                self.meter.add(request.role, cached.usage)
                return cached
        tries, since = 0, monotonic()
        try:
            while True:
                tries += 1
                self.waiting = Attempt(tries, self.settings.retries.attempts, since)
                try:
                    reply = await self._complete_once(request)
                    break
                except ModelCallError as error:
                    wait = self._wait_before_retry(error, tries)
                await self._sleep(wait)
        finally:
            self.waiting = None
        if self._cache is not None and key and reply.finish_reason != "length" and not reply.refusal:
            self._cache.put(key, pack(reply))
        return reply

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply]:
        """Yield pieces of the answer as they arrive and, last, the whole ChatReply.

        A failure is retried only while nothing has been yielded; later it is raised, and what was yielded is
        then no whole answer.

        Raises
        ------
        ModelCallError
            As :meth:`complete`.
        """
        tries, since = 0, monotonic()
        while True:
            tries += 1
            begun = False
            self.waiting = Attempt(tries, self.settings.retries.attempts, since)
            pieces = self._stream_once(request)
            try:
                async for piece in pieces:
                    begun, self.waiting = True, None
                    yield piece
                return
            except ModelCallError as error:
                if begun:
                    raise
                wait = self._wait_before_retry(error, tries)
            finally:
                self.waiting = None
                await pieces.aclose()
            await self._sleep(wait)

    async def aclose(self) -> None:
        """Close the connections."""
        bound, self._bound = self._bound, None
        if bound is not None and bound.loop is asyncio.get_running_loop():
            await bound.client.close()

    async def list_models(self) -> list[Mapping[str, Any]]:
        """Return the server's model records, as it gives them. Raises ModelCallError."""
        client = self._bind().client
        failure: ModelCallError
        try:
            async with asyncio.timeout(self.settings.timeouts.total):
                page = await client.models.list()
            records = getattr(page, "data", None)
            if isinstance(records, list):
                return [record.to_dict() for record in records if hasattr(record, "to_dict")]
            failure = NotAnApi(f"{self._where}: the list of models is no JSON list")
        except TimeoutError:
            failure = ModelTimeout(f"{self._where}: no list of models in time")
        except (self._library_error(), ValueError) as error:
            failure = self._translate(error)
        raise failure

    # One try -------------------------------------------------------------------------------------------------

    async def _complete_once(self, request: ChatRequest) -> ChatReply:
        bound = self._bind()
        async with bound.limiter.slot(self._expected_tokens(request)) as reservation:
            while True:
                payload = build_payload(request, self.settings, self.quirks)
                started = self._clock()
                try:
                    async with asyncio.timeout(self.settings.timeouts.total):
                        completion: Any = await bound.client.chat.completions.create(**on_the_wire(payload))
                except TimeoutError:
                    failure: ModelCallError = ModelTimeout(
                        f"{self._where}: no whole answer in {self.settings.timeouts.total:g} s"
                    )
                except (self._library_error(), ValueError) as error:
                    failure = self._translate(error)
                else:
                    # Some gateways report a fault with status 200.
                    if (
                        found := error_inside(completion, where=self._where, key=self.settings.key())
                    ) is not None:
                        self._count_failure(request, started)
                        raise found
                    try:
                        raw = read_completion(completion, request, self._where)
                    except ModelCallError:
                        # Paid for all the same.
                        self._count_failure(request, started, *read_usage(completion))
                        raise
                    return self._finish(raw, request, started, reservation.settle)
                if not self._adapt(payload, failure):
                    self._count_failure(request, started)
                    raise failure

    async def _stream_once(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply]:
        bound = self._bind()
        async with bound.limiter.slot(self._expected_tokens(request)) as reservation:
            started = self._clock()
            deadline = asyncio.get_running_loop().time() + self.settings.timeouts.total
            collected = StreamCollector()
            stream: Any = None
            done = False
            try:
                stream = await self._open_stream(bound.client, request, deadline)
                while (chunk := await self._next_chunk(stream, deadline, begun=collected.begun)) is not None:
                    shown = collected.take(chunk)
                    if collected.blank > _LONGEST_BLANK:
                        raise MalformedOutput(f"{self._where}: the model sends white space without end")
                    if shown:
                        yield shown
                if not collected.finish_reason:
                    raise ModelUnreachable(f"{self._where}: the stream broke off in the middle of the answer")
                if rest := collected.filter.close():
                    yield rest
                raw = settle(collected.raw(), request, self._where)
                reply = self._finish(raw, request, started, reservation.settle)
                done = True
            finally:
                if stream is not None:
                    await stream.close()
                if not done:
                    self._count_failure(request, started, *self._arrived(request, collected))
            yield reply

    async def _open_stream(self, client: AsyncOpenAI, request: ChatRequest, deadline: float) -> Any:
        while True:
            payload = build_payload(request, self.settings, self.quirks)
            payload["stream"] = True
            if self.quirks.stream_usage:
                payload["stream_options"] = {"include_usage": True}
            try:
                async with asyncio.timeout_at(self._first_deadline(deadline)):
                    stream = await client.chat.completions.create(**on_the_wire(payload))
            except TimeoutError:
                failure: ModelCallError = ModelTimeout(
                    f"{self._where}: no first token in {self.settings.timeouts.first_token:g} s",
                    phase="first token",
                )
            except (self._library_error(), ValueError) as error:
                failure = self._translate(error, streaming=True)
            else:
                kind = stream.response.headers.get("content-type", "text/event-stream")
                if "event-stream" in kind:
                    return stream
                await stream.close()
                raise NotAnApi(f"{self._where}: asked for a stream, got {kind.partition(';')[0][:60]}")
            if not self._adapt(payload, failure):
                raise failure

    async def _next_chunk(self, stream: Any, deadline: float, *, begun: bool) -> Any:
        """Return the next chunk, or None at the end. The time-out never spans a ``yield``."""
        limit = self._first_deadline(deadline)
        try:
            async with asyncio.timeout_at(limit):
                return await anext(stream, None)
        except TimeoutError:
            if limit >= deadline:
                failure: ModelCallError = ModelTimeout(
                    f"{self._where}: no whole answer in {self.settings.timeouts.total:g} s"
                )
            else:
                what = "the stream stood still for" if begun else "no first token in"
                failure = ModelTimeout(
                    f"{self._where}: {what} {self.settings.timeouts.first_token:g} s", phase="first token"
                )
        except (self._library_error(), ValueError) as error:
            failure = self._translate(error, streaming=True)
        raise failure

    def _first_deadline(self, deadline: float) -> float:
        return min(deadline, asyncio.get_running_loop().time() + self.settings.timeouts.first_token)

    # Around one try ------------------------------------------------------------------------------------------

    def _wait_before_retry(self, error: ModelCallError, tries: int) -> float:
        """Return the seconds to wait before the next try, or raise ``error`` when there is none."""
        retries = self.settings.retries
        attempts = retries.attempts
        if isinstance(error, ModelTimeout | BrokenReply):
            attempts = min(attempts, _TRIES_OF_SLOW_OR_BROKEN)
        if not error.retryable or tries >= attempts:
            raise error
        wait = min(retries.backoff * 2.0 ** (tries - 1), retries.longest_wait) * self._rng.uniform(0.5, 1.0)
        if isinstance(error, RateLimited) and error.retry_after is not None:
            if error.retry_after > retries.longest_wait:
                raise error
            wait = max(error.retry_after, wait)
            # The other tasks would only be refused as well.
            self._bind().limiter.hold(error.retry_after)
        logger.info("%s; try %d of %d in %.1f s", error.message, tries + 1, attempts, wait)
        return wait

    def _adapt(self, payload: Mapping[str, Any], failure: ModelCallError) -> bool:
        """Learn from a refused request; True when it is worth sending again, changed."""
        if isinstance(failure, ContextTooLong) and failure.limit is not None:
            self.quirks.context_tokens = failure.limit
        rejected = isinstance(failure, RequestRejected)
        schema_fault = isinstance(failure, ServerFault) and "response_format" in payload
        if not (rejected or schema_fault):
            return False
        learnt = self.quirks.learn(payload, failure.said)
        if learnt is None:
            return False
        logger.info("%s: learnt: %s", self._where, learnt)
        return True

    def _finish(
        self, raw: RawReply, request: ChatRequest, started: float, settle_tokens: Callable[[int], None]
    ) -> ChatReply:
        settle_tokens(raw.prompt_tokens + raw.completion_tokens)
        usage = Usage(
            calls=1,
            prompt_tokens=raw.prompt_tokens,
            completion_tokens=raw.completion_tokens,
            seconds=self._clock() - started,
            cost=self.settings.price.cost(raw.prompt_tokens, raw.completion_tokens),
        )
        self.meter.add(request.role, usage)
        if raw.reasoning:
            self.quirks.reasoning = True
        return ChatReply(
            text=raw.text,
            finish_reason=raw.finish_reason,
            model=raw.model or self.model,
            usage=usage,
            # It is shown and stored: a server that repeats what it was sent must not put the key there.
            refusal=redact(raw.refusal, self.settings.key()) if raw.refusal else "",
            logprobs=raw.logprobs,
        )

    def _count_failure(
        self, request: ChatRequest, started: float, prompt_tokens: int = 0, completion_tokens: int = 0
    ) -> None:
        """Count a try that gave no answer: its time, and the tokens that are paid for all the same."""
        usage = Usage(
            calls=1,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            seconds=self._clock() - started,
            cost=self.settings.price.cost(prompt_tokens, completion_tokens),
        )
        self.meter.add(request.role, usage)

    @staticmethod
    def _arrived(request: ChatRequest, collected: StreamCollector) -> tuple[int, int]:
        """Return about how many tokens a broken stream has cost: none when nothing arrived."""
        tokens = collected.tokens()
        return (sum(estimate_tokens(m.content) for m in request.messages) if tokens else 0), tokens

    def _expected_tokens(self, request: ChatRequest) -> int:
        return request.max_tokens + sum(estimate_tokens(message.content) for message in request.messages)

    def _translate(self, error: Exception, *, streaming: bool = False) -> ModelCallError:
        return translate(error, where=self._where, key=self.settings.key(), streaming=streaming)

    @staticmethod
    def _library_error() -> type[Exception]:
        from openai import OpenAIError

        return OpenAIError

    def _bind(self) -> _Bound:
        """Return the client and the limiter of the running loop: neither can be carried to another."""
        loop = asyncio.get_running_loop()
        if self._bound is None or self._bound.loop is not loop:
            self._bound = _Bound(
                loop,
                open_client(self.settings),
                RateLimiter(self.settings.limits, clock=self._clock, sleep=self._sleep),
            )
        return self._bound


__all__ = ["Attempt", "OpenAIChat"]
