"""A chat model that says what it is told."""

from __future__ import annotations

from collections.abc import AsyncIterator

from store.ports import ChatReply, ChatRequest, Usage


class FakeChatModel:
    """Replies from a script; an exception in it is raised. ``requests`` holds what was asked."""

    model = "fake"

    def __init__(self, *script: str | ChatReply | Exception) -> None:
        self.script = list(script)
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        reply = self.script.pop(0)
        if isinstance(reply, Exception):
            raise reply
        usage = Usage(calls=1, prompt_tokens=10, completion_tokens=5)
        return reply if isinstance(reply, ChatReply) else ChatReply(reply, "stop", "fake", usage)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        reply = await self.complete(request)
        for word in reply.text.split(" "):
            yield word if reply.text.startswith(word) else f" {word}"
        yield reply
