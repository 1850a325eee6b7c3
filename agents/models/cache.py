"""Replies kept by model, parameters and prompt: the same question is not paid for twice."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections import OrderedDict
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from store.ports import ChatReply, ChatRequest, Usage


class Cache(Protocol):
    """Keeps small JSON values under hex keys. A value that is lost or damaged is a miss, never an error."""

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the value, or None."""
        ...

    def put(self, key: str, value: dict[str, Any]) -> None:
        """Keep a value."""
        ...


class MemoryCache:
    """The last ``size`` values, in this process."""

    def __init__(self, size: int = 1024) -> None:
        self._size = size
        self._values: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the value, or None."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: str, value: dict[str, Any]) -> None:
        """Keep a value, and drop the one unused for longest when there are too many."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._size:
            self._values.popitem(last=False)


class FolderCache:
    """One file a value, written whole or not at all, so that it survives kill -9 and may be shared."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the value, or None when it is absent or unreadable."""
        try:
            value = json.loads(self._path(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def put(self, key: str, value: dict[str, Any]) -> None:
        """Keep a value; a full or read-only disk loses the entry and nothing else."""
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(value, file, ensure_ascii=False)
                os.replace(temporary, path)
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def request_key(base_url: str, model: str, request: ChatRequest) -> str:
    """Return the hex key of a request: server, model, every parameter and the prompt, no credentials."""
    content = json.dumps(
        {"base_url": base_url, "model": model, **asdict(request)},
        sort_keys=True,
        ensure_ascii=True,
        default=str,
    )
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def pack(reply: ChatReply) -> dict[str, Any]:
    """Return a reply as a JSON-ready value."""
    return {
        "text": reply.text,
        "finish_reason": reply.finish_reason,
        "model": reply.model,
        "refusal": reply.refusal,
        "logprobs": [dict(row) for row in reply.logprobs],
    }


def unpack(value: dict[str, Any]) -> ChatReply | None:
    """Return the reply of :func:`pack`, with a usage that says it was cached, or None when damaged."""
    try:
        return ChatReply(
            text=str(value["text"]),
            finish_reason=str(value["finish_reason"]),
            model=str(value["model"]),
            usage=Usage(cached=1),
            refusal=str(value["refusal"]),
            logprobs=tuple({str(t): float(p) for t, p in row.items()} for row in value["logprobs"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


__all__ = ["Cache", "FolderCache", "MemoryCache", "pack", "request_key", "unpack"]
