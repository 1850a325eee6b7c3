"""A real HTTP server on loopback that speaks the OpenAI API and can misbehave in every way that servers do.

It runs in a thread of its own, so that synchronous clients can be tested too. Each request takes the next
behaviour of the script; when the script is empty, ``default`` answers.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return "\n".join(str(message["content"]) for message in self.body.get("messages", []))

    @property
    def documents(self) -> dict[str, str]:
        """Id -> text of the fenced documents in the prompt."""
        found = re.findall(
            r"<document (\w+) id=([\w-]+)>\n(.*?)\n</document \1 id=\2>", self.prompt, re.DOTALL
        )
        return {name: text for _, name, text in found}


Behaviour = Callable[[Request, asyncio.StreamWriter], Awaitable[bool | None]]


def http(
    status: int,
    body: bytes,
    kind: str = "application/json",
    headers: dict[str, str] | None = None,
    length: int | None = None,
) -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {kind}", f"Content-Length: {length or len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def completion(content: Any, finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def replies(
    payload: Any,
    status: int = 200,
    delay: float = 0.0,
    headers: dict[str, str] | None = None,
    kind: str = "application/json",
) -> Behaviour:
    """Answer with a JSON body (or bytes as they are)."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        if delay:
            await asyncio.sleep(delay)
        writer.write(http(status, body, kind, headers))

    return behave


def says(content: Any, finish_reason: str = "stop", delay: float = 0.0, **message: Any) -> Behaviour:
    """Answer with one completion."""
    return replies(completion(content, finish_reason, **message), delay=delay)


def fails(status: int, message: str = "no", headers: dict[str, str] | None = None, **error: Any) -> Behaviour:
    """Answer with an API error."""
    return replies({"error": {"message": message, **error}}, status=status, headers=headers)


def chunk(content: str | None, finish_reason: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": content, **delta}, "finish_reason": finish_reason}
    record = {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "fake",
        "choices": [choice],
    }
    return b"data: " + json.dumps(record).encode() + b"\n\n"


STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def streams(
    *pieces: str, finish_reason: str | None = "stop", gap: float = 0.0, done: bool = True
) -> Behaviour:
    """Stream pieces; without ``finish_reason`` and ``done`` it just ends, as a proxy that gives up does."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> bool:
        writer.write(STREAM_HEAD)
        for piece in pieces:
            writer.write(chunk(piece))
            await writer.drain()
            if gap:
                await asyncio.sleep(gap)
        if finish_reason:
            writer.write(chunk(None, finish_reason))
        if done:
            usage = {
                "id": "x",
                "model": "fake",
                "choices": [],
                "usage": {"prompt_tokens": 7, "completion_tokens": 3},
            }
            writer.write(b"data: " + json.dumps(usage).encode() + b"\n\n")
            writer.write(b"data: [DONE]\n\n")
        return False

    return behave


def resets(*pieces: str) -> Behaviour:
    """Reset the connection: after the pieces in a stream, or at once."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> bool:
        if pieces:
            writer.write(STREAM_HEAD)
            for piece in pieces:
                writer.write(chunk(piece))
            await writer.drain()
            await asyncio.sleep(0.05)
        writer.transport.abort()
        return False

    return behave


def silent(seconds: float = 60.0) -> Behaviour:
    """Accept the request and say nothing."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> bool:
        await asyncio.sleep(seconds)
        return False

    return behave


def blank_body() -> Behaviour:
    """Send the headers and then spaces without end, as some gateways do to keep a connection open."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b"    \n")
            await writer.drain()
            await asyncio.sleep(0.02)

    return behave


def blank_stream() -> Behaviour:
    """Stream white space without end, as models do that are lost under a JSON grammar."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> bool:
        writer.write(STREAM_HEAD)
        while True:
            writer.write(chunk(" \n" * 50))
            await writer.drain()
            await asyncio.sleep(0)

    return behave


def extraction(request: Request, *, leave_out: int = 0) -> dict[str, Any]:
    """Return a right extraction answer: the document's first three words as a positive opinion on ``room``."""
    documents = list(request.documents.items())
    return {
        "documents": [
            {
                "id": name,
                "language": "en",
                "opinions": [
                    {
                        "entity": "room",
                        "sentiment": "positive",
                        "intensity": "high",
                        "impact": "low",
                        "markers": ["delight"],
                        "evidence": "personal",
                        "quote": " ".join(text.split()[:3]),
                    }
                ],
            }
            for name, text in documents[: len(documents) - leave_out]
        ]
    }


def extracts(delay: float = 0.0, leave_out: int = 0) -> Behaviour:
    """Answer extraction prompts rightly, except for the last ``leave_out`` documents."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        if delay:
            await asyncio.sleep(delay)
        content = json.dumps(extraction(request, leave_out=leave_out))
        writer.write(http(200, json.dumps(completion(content)).encode()))

    return behave


@dataclass(repr=False)
class MisbehavingServer:
    """Use as a context manager; ``requests`` holds what arrived, ``hung_up`` how many clients hung up early."""

    default: Behaviour = field(default_factory=lambda: says("fine"))
    script: deque[Behaviour] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    hung_up: int = 0
    open_now: int = 0
    most_open: int = 0

    def __enter__(self) -> MisbehavingServer:
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def then(self, *behaviours: Behaviour) -> None:
        """Append to the script."""
        self.script.extend(behaviours)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, limit=2**24)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (request := await self._read(reader)) is not None:
                self.requests.append(request)
                self.open_now += 1
                self.most_open = max(self.most_open, self.open_now)
                try:
                    behaviour = self.script.popleft() if self.script else self.default
                    answer = asyncio.ensure_future(behaviour(request, writer))
                    closed = asyncio.ensure_future(reader.read(1))
                    await asyncio.wait({answer, closed}, return_when=asyncio.FIRST_COMPLETED)
                    if not answer.done():
                        self.hung_up += 1
                        answer.cancel()
                    await asyncio.gather(answer, return_exceptions=True)
                    closed.cancel()
                    await asyncio.gather(closed, return_exceptions=True)
                    if not answer.cancelled() and isinstance(answer.exception(), ConnectionError):
                        self.hung_up += 1
                    await writer.drain()
                    if answer.cancelled() or answer.exception() or answer.result() is False:
                        return
                finally:
                    self.open_now -= 1
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return
        finally:
            self._tasks.discard(task)
            writer.close()

    @staticmethod
    async def _read(reader: asyncio.StreamReader) -> Request | None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        return Request(method, path, headers, json.loads(body) if body else {})
