"""From the openai library's exceptions to ours, with every key blotted out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from agents.models.errors import (
    AuthenticationFailed,
    BrokenReply,
    ContextTooLong,
    ModelCallError,
    ModelNotFound,
    ModelTimeout,
    ModelUnreachable,
    QuotaExhausted,
    RateLimited,
    Refusal,
    RequestRejected,
    ServerFault,
)

_CONTEXT: Final = (
    "context length",
    "context_length",
    "context size",
    "context window",
    "exceed_context_size",
    "maximum context",
    "prompt is too long",
    "too many tokens",
)
_LIMIT: Final = re.compile(r"(?:context|n_ctx)\D{0,60}?(\d{3,8})")
_BEARER: Final = re.compile(r"(?i)\b(bearer|api[-_ ]?key\S{0,3})\s+\S{6,}")
_LONGEST: Final = 240


def redact(text: str, key: str | None) -> str:
    """Return server text fit for one line of a message: no key, no control characters, at most 240 characters."""
    if key and len(key) > 3:  # "x" or "-" stand for no key, and occur in any text
        text = text.replace(key, "[key]")
    text = _BEARER.sub(r"\1 [key]", text)
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def translate(error: Exception, *, where: str, key: str | None, streaming: bool = False) -> ModelCallError:
    """Return our error for one of the library's.

    The caller raises it outside the ``except`` block, so that the library's exception (which holds the request
    and with it the key) is not kept as its context.

    Parameters
    ----------
    where
        ``model at base_url``, for the message.
    key
        The key in use, to be blotted out.
    streaming
        A read that times out is then the wait for a token, else the wait for the whole answer.
    """
    import openai

    if isinstance(error, openai.APITimeoutError):
        cause = type(error.__cause__).__name__
        phase = (
            "connection"
            if "Connect" in cause or "Pool" in cause
            else "first token"
            if streaming
            else "whole call"
        )
        return ModelTimeout(f"{where}: no answer in time ({phase})", phase=phase)
    if isinstance(error, openai.APIConnectionError):
        cause = f"{type(error.__cause__).__name__}: {error.__cause__}" if error.__cause__ else str(error)
        return ModelUnreachable(f"{where}: not reachable ({redact(cause, key)})")
    if isinstance(error, openai.APIStatusError):
        return _by_status(error.status_code, error.response.headers, _said(error), _kind(error), where, key)
    if isinstance(error, openai.APIError):
        # An error event inside a stream, or a body that does not fit the library's types.
        status = int(error.code) if error.code and error.code.isdecimal() else 500
        return _by_status(status, {}, _said(error), _kind(error), where, key)
    if isinstance(error, ValueError):
        return BrokenReply(f"{where}: the reply is not whole JSON ({type(error).__name__})")
    return ModelUnreachable(f"{where}: {type(error).__name__}: {redact(str(error), key)}")


def error_inside(completion: object, *, where: str, key: str | None) -> ModelCallError | None:
    """Return the failure that a reply of status 200 reports in place of choices, or None."""
    record = getattr(completion, "error", None)
    if getattr(completion, "choices", None) or not isinstance(record, Mapping | str):
        return None
    if isinstance(record, str):
        return _by_status(500, {}, record, "", where, key)
    code = str(record.get("code", ""))
    status = int(code) if code.isdecimal() and 400 <= int(code) <= 599 else 500
    return _by_status(
        status, {}, str(record.get("message", "")), f"{code} {record.get('type', '')}", where, key
    )


def _said(error: object) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        for name in ("message", "detail", "error"):
            if isinstance(value := body.get(name), str) and value:
                return value
    return str(getattr(error, "message", "") or error)


def _kind(error: object) -> str:
    return " ".join(str(value) for name in ("code", "type", "param") if (value := getattr(error, name, None)))


def _by_status(
    status: int, headers: Mapping[str, str], said: str, kind: str, where: str, key: str | None
) -> ModelCallError:
    text = redact(said, key)
    failure = _classify(status, headers, text, f"{said} {kind}".lower(), where)
    failure.said = redact(f"{said} {kind}", key)
    return failure


def _classify(status: int, headers: Mapping[str, str], text: str, lower: str, where: str) -> ModelCallError:
    line = f"{where}: {status}: {text}" if text else f"{where}: {status}"
    if status in (401, 403):
        return AuthenticationFailed(line, status=status)
    if status == 402 or (status == 429 and "insufficient_quota" in lower):
        return QuotaExhausted(line, status=status)
    if status == 429:
        return RateLimited(line, retry_after=retry_after(headers))
    if status in (400, 413, 422, 500) and any(words in lower for words in _CONTEXT):
        match = _LIMIT.search(lower)
        return ContextTooLong(line, limit=int(match[1]) if match else None, status=status)
    if status == 400 and "content_filter" in lower:
        return Refusal(line, status=status)
    if status == 404:
        return ModelNotFound(line, status=status)
    if status >= 500 or status in (408, 409, 425):
        return ServerFault(line, status=status)
    return RequestRejected(line, status=status)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds of ``Retry-After-Ms`` or ``Retry-After`` (a number or an HTTP date), or None."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / unit
        except ValueError:
            try:
                seconds = (parsedate_to_datetime(value) - (now or datetime.now(UTC))).total_seconds()
            except (ValueError, TypeError):
                continue
        if seconds == seconds:  # not NaN
            return max(0.0, seconds)
    return None


__all__ = ["error_inside", "redact", "retry_after", "translate"]
