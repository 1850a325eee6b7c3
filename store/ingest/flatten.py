"""JSON values become columns of text."""

from __future__ import annotations

import json
from typing import Any

from store.ingest.encoding import storable


def flatten(record: dict[str, Any]) -> dict[str, str]:
    """Return a JSON object as columns: nested objects by dotted names, lists of plain values joined by commas."""
    fields: dict[str, str] = {}
    _into(fields, "", record)
    return fields


def _into(fields: dict[str, str], prefix: str, record: dict[str, Any]) -> None:
    for key, value in record.items():
        name = prefix + (key if key.isprintable() else storable(key))
        if isinstance(value, str):
            fields[name] = value
        elif isinstance(value, dict):
            _into(fields, f"{name}.", value)
        else:
            fields[name] = as_text(value)


def as_text(value: Any) -> str:
    """Return a plain value, or a list, as text; nothing is the empty text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value != value:
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, list):
        if all(isinstance(item, str | int | float) for item in value):
            return ", ".join(as_text(item) for item in value)
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


__all__ = ["as_text", "flatten"]
