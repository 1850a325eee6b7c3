"""Concurrency, requests a minute and tokens a minute, for one endpoint."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic

from agents.models.settings import Limits

_WINDOW = 60.0


class Reservation:
    """Tokens set aside for a call; :meth:`settle` replaces the estimate by what was used."""

    __slots__ = ("at", "tokens")

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens

    def settle(self, tokens: int) -> None:
        """Put the real number of tokens in place of the estimate."""
        if tokens > 0:
            self.tokens = tokens


class RateLimiter:
    """Admits calls so that in any 60 seconds no more start than the limits allow.

    First come, first served: calls queue for the window while they hold a slot of the concurrency limit. A call
    larger than the whole token budget is admitted alone, when nothing else is in the window.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._turn = asyncio.Lock()
        self._recent: deque[Reservation] = deque()
        self._held_until = float("-inf")
        self._bounded = limits.requests_per_minute is not None or limits.tokens_per_minute is not None

    def hold(self, seconds: float) -> None:
        """Start no call before ``seconds`` have passed: the server has asked for a pause."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[Reservation]:
        """Hold one slot while a call of about ``tokens`` tokens runs."""
        async with self._slots:
            if (pause := self._held_until - self._clock()) > 0:
                await self._sleep(pause)
            yield await self._admit(tokens) if self._bounded else Reservation(0.0, tokens)

    async def _admit(self, tokens: int) -> Reservation:
        async with self._turn:
            while (wait := self._wait(tokens)) > 0:
                await self._sleep(wait)
            reservation = Reservation(self._clock(), tokens)
            self._recent.append(reservation)
            return reservation

    def _wait(self, tokens: int) -> float:
        now = self._clock()
        while self._recent and now - self._recent[0].at >= _WINDOW:
            self._recent.popleft()
        if not self._recent:
            return 0.0
        requests, budget = self._limits.requests_per_minute, self._limits.tokens_per_minute
        waits = [0.0]
        if requests is not None and len(self._recent) >= requests:
            waits.append(self._recent[len(self._recent) - requests].at + _WINDOW - now)
        if budget is not None:
            used = tokens + sum(entry.tokens for entry in self._recent)
            for entry in self._recent:
                if used <= budget:
                    break
                used -= entry.tokens
                waits.append(entry.at + _WINDOW - now)
        # A hair more, so that rounding cannot turn the wait into a busy loop.
        return longest + 1e-3 if (longest := max(waits)) > 0 else 0.0


__all__ = ["RateLimiter", "Reservation"]
