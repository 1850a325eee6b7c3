"""Answers that fit a pydantic model: asked for by JSON schema, checked, repaired once, split when cut.

The order of the checks matters. A refusal is looked for first, then ``finish_reason``: a cut answer can be valid
JSON and still be half the answer, and repairing it would cost a full prompt for nothing. JSON is parsed by the
JSON parser or not at all. The one repair call names the faults and never shows the bad output again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from agents.models.errors import (
    ContextTooLong,
    MalformedOutput,
    ModelCallError,
    NotAnApi,
    Refusal,
    RequestRejected,
    TruncatedOutput,
)
from store.ports import ChatMessage, ChatModel, ChatReply, ChatRequest, Usage

logger = logging.getLogger(__name__)

T = TypeVar("T", bound=BaseModel)
Value = TypeVar("Value")
Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")

#: Failures that a single item can cause, content filters (RequestRejected) included.
_MAY_BE_ONE_ITEM = (MalformedOutput, ContextTooLong, Refusal, RequestRejected)

_APOLOGIES = (
    "i'm sorry",
    "i’m sorry",
    "i am sorry",
    "sorry,",
    "i cannot",
    "i can't",
    "i can’t",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "as an ai",
)


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A valid answer. ``repaired`` when it took the second call; ``usage`` is that of all calls."""

    value: T
    reply: ChatReply
    usage: Usage
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The model declined. ``reason`` is in its own words, shortened."""

    reason: str
    usage: Usage

    def error(self) -> Refusal:
        """Return the exception for callers that cannot go on."""
        return Refusal(f"the model refused: {self.reason}")


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema that strict servers accept: every property required, none beyond those named.

    Kept by model, and shared: not to be changed by the caller.
    """
    return _strict(model.model_json_schema())


def _strict(node: dict[str, Any]) -> dict[str, Any]:
    strict: dict[str, Any] = {}
    for name, value in node.items():
        if name in ("default", "title"):
            continue
        if name in ("properties", "$defs"):
            strict[name] = {key: _strict(entry) for key, entry in value.items()}
        elif isinstance(value, dict):
            strict[name] = _strict(value)
        elif isinstance(value, list):
            strict[name] = [_strict(entry) if isinstance(entry, dict) else entry for entry in value]
        else:
            strict[name] = value
    if "properties" in strict:
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict


async def ask(chat: ChatModel, request: ChatRequest, model: type[T]) -> Parsed[T] | Refused:
    """Ask once, and once more if the answer does not validate.

    Raises
    ------
    TruncatedOutput
        When the token limit cut the answer.
    MalformedOutput
        When neither answer fits the schema.
    ModelCallError
        What :meth:`ChatModel.complete` raises.
    """
    request = replace(request, json_schema=schema_of(model), schema_name=model.__name__.strip("_").lower())
    reply = await chat.complete(request)
    usage = reply.usage
    if refusal := refusal_in(reply):
        return Refused(refusal, usage)
    try:
        return Parsed(_parse(reply, model), reply, usage)
    except ValidationError as error:
        faults = describe(error)
    logger.info("%s: answer does not fit %s (%s); one repair", chat.model, request.schema_name, faults)
    again = ChatMessage(
        "user",
        f"Your answer was not used: {faults}. Answer the request above afresh, as one JSON object that fits the "
        "schema, and nothing else.",
    )
    # Chat templates want the roles to alternate, so the note joins the last message.
    last = request.messages[-1]
    joined = ChatMessage(last.role, f"{last.content}\n\n{again.content}")
    reply = await chat.complete(replace(request, messages=(*request.messages[:-1], joined)))
    usage = usage + reply.usage
    if refusal := refusal_in(reply):
        return Refused(refusal, usage)
    try:
        return Parsed(_parse(reply, model), reply, usage, repaired=True)
    except ValidationError as error:
        faults = describe(error)
    raise MalformedOutput(f"{chat.model}: two answers did not fit the schema ({faults})")


def _parse(reply: ChatReply, model: type[T]) -> T:
    if reply.finish_reason == "length":
        raise TruncatedOutput(f"{reply.model}: the answer was cut by the token limit")
    return model.model_validate_json(unwrap(reply.text))


def unwrap(text: str) -> str:
    """Return the inside of one Markdown code block around the whole text: the wrapping of servers without schemas.

    That is all that is ever taken off: what is inside is parsed as it stands.
    """
    text = text.strip()
    if len(text) > 6 and text.startswith("```") and text.endswith("```"):
        first, _, rest = text[3:-3].partition("\n")
        if first.strip().lower() in ("", "json"):
            return rest
    return text


def refusal_in(reply: ChatReply) -> str:
    """Return why the model refuses, or an empty string. An apology in place of JSON is a refusal."""
    if reply.refusal:
        return _short(reply.refusal)
    text = reply.text.lstrip()
    if not text.startswith(("{", "[", "`")) and text.lower().startswith(_APOLOGIES):
        return _short(text)
    return ""


def describe(error: ValidationError) -> str:
    """Return the faults without any of the bad output: places and kinds, at most four."""
    faults = []
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        place = [str(part) for part in fault["loc"]]
        if fault["type"] == "extra_forbidden":
            place = place[:-1]  # the last part is the model's own word
        faults.append(f"{'.'.join(place) or 'the answer'}: {fault['type'].replace('_', ' ')}")
    more = f" and {len(faults) - 4} more" if len(faults) > 4 else ""
    return "; ".join(faults[:4]) + more


def _short(text: str) -> str:
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return text if len(text) <= 160 else text[:159] + "…"


@dataclass(slots=True)
class BatchResult(Generic[Key, Value]):
    """What became of a batch: every key is in exactly one of ``done`` and ``failed``."""

    done: dict[Key, Value] = field(default_factory=dict)
    failed: dict[Key, ModelCallError] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


async def ask_batch(
    chat: ChatModel,
    items: Mapping[Key, Item],
    *,
    build: Callable[[Mapping[Key, Item]], ChatRequest],
    model: type[BaseModel],
    entries: Callable[[Any, ChatReply], Sequence[tuple[Key, Value]]],
) -> BatchResult[Key, Value]:
    """Ask about several items at once and account for each.

    Answers are taken by id, never by position. Ids that were not sent are dropped; ids that are missing, or come
    twice, are asked for again by themselves. An answer that is cut, too long, refused or malformed splits the
    batch in half, down to single items, so that one bad item costs no other its answer.

    Parameters
    ----------
    build
        Makes the request for a part of the items.
    model
        The pydantic model of the whole answer.
    entries
        Reads ``(key, value)`` pairs from a valid answer and the reply that it came in.
    """
    result: BatchResult[Key, Value] = BatchResult()
    if not items:
        return result
    keys = list(items)
    failure: ModelCallError
    try:
        outcome = await ask(chat, build(items), model)
    except ModelCallError as error:
        if not isinstance(error, _MAY_BE_ONE_ITEM) or isinstance(error, NotAnApi):
            # The server, not the items: splitting would only repeat it.
            result.failed = dict.fromkeys(keys, error)
            return result
        failure = error
    else:
        result.usage = outcome.usage
        if isinstance(outcome, Parsed):
            found = entries(outcome.value, outcome.reply)
            returned = [key for key, _ in found]
            result.done = {key: value for key, value in found if key in items and returned.count(key) == 1}
            rest = {key: item for key, item in items.items() if key not in result.done}
            if not rest:
                return result
            if result.done:
                _merge(result, await ask_batch(chat, rest, build=build, model=model, entries=entries))
                return result
            failure = MalformedOutput(f"{chat.model}: the answer holds none of the ids that were sent")
        else:
            failure = outcome.error()
    if len(keys) == 1:
        result.failed[keys[0]] = failure
        return result
    half = len(keys) // 2
    parts = [{key: items[key] for key in part} for part in (keys[:half], keys[half:])]
    for part in await asyncio.gather(
        *(ask_batch(chat, part, build=build, model=model, entries=entries) for part in parts)
    ):
        _merge(result, part)
    return result


def _merge(result: BatchResult[Key, Value], part: BatchResult[Key, Value]) -> None:
    result.done.update(part.done)
    result.failed.update(part.failed)
    result.usage = result.usage + part.usage


__all__ = [
    "BatchResult",
    "Parsed",
    "Refused",
    "ask",
    "ask_batch",
    "describe",
    "refusal_in",
    "schema_of",
    "unwrap",
]
