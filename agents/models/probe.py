"""What an endpoint can do, found out by asking it: for ``evenhand doctor``."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from agents.models.chat import OpenAIChat
from agents.models.errors import (
    MalformedOutput,
    ModelCallError,
    ModelNotFound,
    RequestRejected,
    ServerFault,
)
from agents.models.structured import Refused, ask
from store.ports import ChatMessage, ChatReply, ChatRequest

Status = Literal["ok", "lacking", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class ProbeCheck:
    """One finding. ``lacking`` is a missing feature that the program works around; ``failed`` needs the user."""

    name: str
    status: Status
    detail: str
    hint: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """All findings about one endpoint."""

    base_url: str
    model: str
    checks: tuple[ProbeCheck, ...]

    @property
    def ok(self) -> bool:
        """Nothing failed."""
        return all(check.status != "failed" for check in self.checks)


class _YesNo(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answer: Literal["yes", "no"]


async def probe(chat: OpenAIChat) -> ProbeReport:
    """Ask five short things; after the first failure to reach the server the rest is skipped. Never raises for it."""
    steps: list[tuple[str, Callable[[OpenAIChat], Awaitable[tuple[Status, str]]]]] = [
        ("reachable", _reachable),
        ("answers", _answers),
        ("streaming", _streams),
        ("schema output", _schema),
        ("logprobs", _logprobs),
    ]
    checks: list[ProbeCheck] = []
    for name, step in steps:
        if any(check.status == "failed" for check in checks):
            checks.append(ProbeCheck(name, "skipped", "after the failure above"))
            continue
        started = monotonic()
        try:
            status, detail = await step(chat)
            checks.append(ProbeCheck(name, status, detail, seconds=monotonic() - started))
        except ModelCallError as error:
            checks.append(ProbeCheck(name, "failed", error.message, error.hint, monotonic() - started))
    limit = chat.context_tokens
    checks.append(
        ProbeCheck("context", "ok", f"{limit} tokens")
        if limit
        else ProbeCheck("context", "lacking", "the server does not say", "set models.context_tokens")
    )
    return ProbeReport(chat.settings.base_url, chat.model, tuple(checks))


async def _reachable(chat: OpenAIChat) -> tuple[Status, str]:
    try:
        records = await chat.list_models()
    except ModelNotFound:
        return "lacking", "the server does not list its models"
    names = [str(record.get("id")) for record in records]
    mine = next((record for record in records if record.get("id") == chat.model), None)
    listed = mine if mine is not None else records[0] if len(records) == 1 else None
    if listed is not None and (limit := context_of(listed)) is not None:
        chat.quirks.context_tokens = limit
    if mine is not None:
        return "ok", f"{chat.model} is listed"
    # Servers of a single model often answer to any name.
    return "lacking", f"{chat.model} is not among the models listed: {', '.join(names[:5]) or 'none'}"


def context_of(record: Any) -> int | None:
    """Return the context in tokens that a model record names: vLLM's, llama.cpp's, or others', or None."""
    meta = record.get("meta")
    for value in (
        record.get("max_model_len"),
        meta.get("n_ctx") if isinstance(meta, dict) else None,
        record.get("context_length"),
        record.get("context_window"),
    ):
        if isinstance(value, int) and value > 0:
            return value
    return None


async def _answers(chat: OpenAIChat) -> tuple[Status, str]:
    reply = await chat.complete(_request("Say hello.", max_tokens=64 if not chat.quirks.reasoning else 512))
    system = "" if chat.quirks.system_role else "; no system role"
    reasoning = "; sends reasoning" if chat.quirks.reasoning else ""
    return "ok", f"{reply.usage.seconds:.2f} s for {reply.usage.completion_tokens} tokens{system}{reasoning}"


async def _streams(chat: OpenAIChat) -> tuple[Status, str]:
    started, first, pieces = monotonic(), 0.0, 0
    async with aclosing(chat.stream(_request("Count from one to five.", max_tokens=64))) as stream:
        async for piece in stream:
            if not isinstance(piece, ChatReply):
                first = first or monotonic() - started
                pieces += 1
    return ("ok" if pieces > 1 else "lacking"), f"first token after {first:.2f} s, {pieces} pieces"


async def _schema(chat: OpenAIChat) -> tuple[Status, str]:
    # The question has a natural answer in prose: only a server that holds to the schema gives JSON.
    request = _request("Is water wet? Explain at length in plain prose.", max_tokens=256)
    try:
        answer = await ask(chat, request, _YesNo)
    except (MalformedOutput, RequestRejected, ServerFault) as error:
        return "lacking", f"the schema is not kept ({error.message})"
    if isinstance(answer, Refused):
        return "lacking", "the model refused"
    if chat.quirks.schema_mode != "json_schema" or answer.repaired:
        how = "after a repair" if answer.repaired else f"by {chat.quirks.schema_mode}"
        return "lacking", f"valid {how}; json_schema is not enforced"
    return "ok", json.dumps(answer.value.model_dump())


async def _logprobs(chat: OpenAIChat) -> tuple[Status, str]:
    reply = await chat.complete(_request("Say yes.", max_tokens=16, logprobs=True))
    if reply.logprobs:
        return "ok", f"{len(reply.logprobs[0])} alternatives a token"
    return "lacking", "none given"


def _request(text: str, *, max_tokens: int, logprobs: bool = False) -> ChatRequest:
    messages = (ChatMessage("system", "You are brief."), ChatMessage("user", text))
    return ChatRequest(messages=messages, max_tokens=max_tokens, logprobs=logprobs)


__all__ = ["ProbeCheck", "ProbeReport", "Status", "context_of", "probe"]
