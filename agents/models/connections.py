"""Clients that send a request again which was lost on a connection that the server had meanwhile given up.

Servers close connections that they have promised to keep: llama.cpp after every streamed answer, most others after five
idle seconds. A request sent in that moment is lost before the server reads it. The pool cannot know; sent again on a
connection of its own it is no second try, so it counts for none.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Client


class _Course:
    """How far a request came, by the trace events of the connection pool."""

    def __init__(self) -> None:
        self._connected = self._answered = False

    @property
    def stale(self) -> bool:
        """It went out on a connection of an earlier request, and no answer began."""
        return not (self._connected or self._answered)

    def see(self, event: str, _: Any) -> None:
        self._connected |= ".connect_" in event
        self._answered |= event.endswith("receive_response_headers.complete")

    async def see_async(self, event: str, info: Any) -> None:
        self.see(event, info)


@cache
def async_client_class() -> type[AsyncClient]:
    """Return the openai library's default asynchronous client, with lost requests sent again."""
    import httpx2
    import openai

    class AsyncKept(openai.DefaultAsyncHttpxClient):
        async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            # Ends: every lost request takes one idle connection out of the pool.
            while True:
                course = _Course()
                request.extensions["trace"] = course.see_async
                try:
                    return await super().send(request, **options)
                except (httpx2.NetworkError, httpx2.RemoteProtocolError):
                    if not course.stale:
                        raise

    return AsyncKept


@cache
def client_class() -> type[Client]:
    """Return the synchronous one, otherwise as :func:`async_client_class`."""
    import httpx2
    import openai

    class Kept(openai.DefaultHttpxClient):
        def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            while True:
                course = _Course()
                request.extensions["trace"] = course.see
                try:
                    return super().send(request, **options)
                except (httpx2.NetworkError, httpx2.RemoteProtocolError):
                    if not course.stale:
                        raise

    return Kept


__all__ = ["async_client_class", "client_class"]
