"""From a ChatRequest to what is sent, and from what arrives to a ChatReply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.models.errors import BrokenReply, MalformedOutput, NotAnApi, TruncatedOutput
from agents.models.quirks import Quirks
from agents.models.settings import EndpointSettings
from agents.models.usage import estimate_tokens
from store.ports import ChatRequest

_THINK, _UNTHINK = "<think>", "</think>"
_TOP_LOGPROBS = 5


def build_payload(request: ChatRequest, settings: EndpointSettings, quirks: Quirks) -> dict[str, Any]:
    """Return the keyword arguments of ``chat.completions.create`` for this server."""
    messages = [{"role": message.role, "content": message.content} for message in request.messages]
    payload: dict[str, Any] = {"model": settings.model, quirks.max_tokens_name: request.max_tokens}
    if request.json_schema is not None:
        _ask_for_schema(payload, messages, request, quirks)
    if not quirks.system_role:
        messages = _without_system(messages)
    payload["messages"] = messages
    if quirks.temperature:
        payload["temperature"] = request.temperature
    if request.seed is not None and quirks.seed:
        payload["seed"] = request.seed
    if request.logprobs and quirks.logprobs:
        payload["logprobs"] = True
        payload["top_logprobs"] = _TOP_LOGPROBS
    if settings.extra_body:
        payload["extra_body"] = dict(settings.extra_body)
    return payload


def on_the_wire(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload as it is handed to the library: the schema goes around its recursive key mapping.

    The same bytes are sent; the walk over a schema of some size costs more than the rest of the call.
    """
    if "response_format" not in payload:
        return dict(payload)
    handed = {name: value for name, value in payload.items() if name != "response_format"}
    handed["extra_body"] = {"response_format": payload["response_format"], **payload.get("extra_body", {})}
    return handed


def _ask_for_schema(
    payload: dict[str, Any], messages: list[dict[str, str]], request: ChatRequest, quirks: Quirks
) -> None:
    schema = dict(request.json_schema or {})
    if quirks.schema_mode == "json_schema":
        payload["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": request.schema_name, "schema": schema, "strict": True},
        }
        return
    if quirks.schema_mode == "json_object_schema":
        payload["response_format"] = {"type": "json_object", "schema": schema}
    elif quirks.schema_mode == "json_object":
        payload["response_format"] = {"type": "json_object"}
    # The server does not enforce the schema, so the words must carry it.
    words = f"\n\nAnswer with JSON only, valid against this JSON schema:\n{json.dumps(schema)}"
    messages[-1] = {**messages[-1], "content": messages[-1]["content"] + words}


def _without_system(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    others = [message for message in messages if message["role"] != "system"]
    if not system:
        return others
    if others and others[0]["role"] == "user":
        return [{"role": "user", "content": f"{system}\n\n{others[0]['content']}"}, *others[1:]]
    return [{"role": "user", "content": system}, *others]


@dataclass(frozen=True, slots=True)
class RawReply:
    """What one completion says, before usage is priced."""

    text: str
    finish_reason: str
    model: str
    refusal: str
    reasoning: str
    logprobs: tuple[Mapping[str, float], ...]
    prompt_tokens: int
    completion_tokens: int


def read_completion(completion: object, request: ChatRequest, where: str) -> RawReply:
    """Read a whole completion, trusting none of its types: servers leave out or null what the API promises.

    Raises
    ------
    NotAnApi
        When the reply is text (an HTML page, say).
    BrokenReply
        When there are no choices or there is no content.
    TruncatedOutput
        When the token limit was spent before the first word of the answer.
    """
    if isinstance(completion, str | bytes) or completion is None:
        raise NotAnApi(f"{where}: the reply is a page or plain text, not a chat completion")
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise BrokenReply(f"{where}: the reply has no choices")
    choice = choices[0]
    message = getattr(choice, "message", None)
    if message is None:
        raise BrokenReply(f"{where}: the reply has no message")
    prompt_tokens, completion_tokens = read_usage(completion)
    raw = RawReply(
        text=_string(message, "content"),
        finish_reason=_string(choice, "finish_reason"),
        model=_string(completion, "model"),
        refusal=_string(message, "refusal"),
        reasoning=reasoning_of(message),
        logprobs=read_logprobs(choice),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
    )
    return settle(raw, request, where)


def settle(raw: RawReply, request: ChatRequest, where: str) -> RawReply:
    """Part reasoning from answer, mark refusals, and raise when there is no answer at all."""
    text, thought = split_thinking(raw.text)
    reasoning = raw.reasoning or thought
    refusal = raw.refusal
    if not refusal and raw.finish_reason in ("content_filter", "refusal"):
        refusal = f"stopped by the server ({raw.finish_reason})"
    if not text.strip() and not refusal:
        if raw.finish_reason == "length":
            spent = "on reasoning" if reasoning else "without a word of the answer"
            raise TruncatedOutput(f"{where}: all {request.max_tokens} tokens were spent {spent}")
        if request.json_schema is not None and _is_json(reasoning):
            # Some servers' reasoning parsers put the whole constrained answer into the reasoning field.
            text = reasoning
        elif raw.text:
            raise MalformedOutput(f"{where}: the reply is only white space or reasoning")
        else:
            raise BrokenReply(f"{where}: the reply has no content")
    return RawReply(
        text=text,
        finish_reason=raw.finish_reason,
        model=raw.model,
        refusal=refusal,
        reasoning=reasoning,
        logprobs=raw.logprobs,
        prompt_tokens=raw.prompt_tokens
        or sum(estimate_tokens(message.content) for message in request.messages),
        completion_tokens=raw.completion_tokens or estimate_tokens(raw.text + reasoning),
    )


def split_thinking(text: str) -> tuple[str, str]:
    """Return ``(answer, thought)`` of a text that may begin with a ``<think>`` block."""
    stripped = text.lstrip()
    if not stripped.startswith(_THINK):
        return text, ""
    thought, marker, answer = stripped[len(_THINK) :].partition(_UNTHINK)
    return (answer.lstrip(), thought) if marker else ("", thought)


class ThinkFilter:
    """Holds back a leading ``<think>`` block of a stream: ``feed`` returns what may be shown."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, piece: str) -> str:
        """Take the next piece and return the part of the answer that is now certain."""
        if self._state == "open":
            return piece
        self._held += piece
        head = self._held.lstrip()
        if self._state == "start":
            if head.startswith(_THINK):
                self._state = "thinking"
            elif _THINK.startswith(head):
                return ""  # empty, or the first letters of the marker: not decided yet
            else:
                return self._open(self._held)
        _, marker, answer = self._held.partition(_UNTHINK)
        if not marker:
            return ""
        return self._open(answer.lstrip())

    def close(self) -> str:
        """Return what was held back although no block followed."""
        return self._open(self._held) if self._state == "start" else ""

    def _open(self, text: str) -> str:
        self._state, self._held = "open", ""
        return text


def read_usage(completion: object) -> tuple[int, int]:
    """Return ``(prompt, completion)`` tokens, zeros where the server does not say."""
    usage = getattr(completion, "usage", None)
    prompt, answer = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    return (prompt if isinstance(prompt, int) else 0), (answer if isinstance(answer, int) else 0)


def read_logprobs(choice: object) -> tuple[Mapping[str, float], ...]:
    """Return, a token, the log probabilities of the likeliest tokens there, the chosen one first."""
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    if not isinstance(content, list):
        return ()
    rows = []
    for entry in content:
        row = {}
        for option in (entry, *(getattr(entry, "top_logprobs", None) or ())):
            token, value = getattr(option, "token", None), getattr(option, "logprob", None)
            if isinstance(token, str) and isinstance(value, int | float):
                row[token] = float(value)
        rows.append(row)
    return tuple(rows)


def reasoning_of(message: object) -> str:
    """Return the reasoning that a server sends apart from the content, under either of its names."""
    return _string(message, "reasoning_content") or _string(message, "reasoning")


def _string(record: object, name: str) -> str:
    value = getattr(record, name, None)
    return value if isinstance(value, str) else ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


__all__ = [
    "RawReply",
    "ThinkFilter",
    "build_payload",
    "on_the_wire",
    "read_completion",
    "read_logprobs",
    "read_usage",
    "reasoning_of",
    "settle",
    "split_thinking",
]
