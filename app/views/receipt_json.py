"""The audit receipt as JSON: one document, schema ``receipt/1``, keys sorted, numbers unrounded."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from app.views.safe import json_text
from store.receipt import AuditReceipt


def plain_json(value: Any) -> Any:
    """Return ``value`` with tuples as lists and what JSON cannot hold (NaN, infinities) as null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain_json(item) for item in value]
    return value


def dump_json(value: Any, *, indent: int | None = 2) -> str:
    """Return stable JSON (sorted keys) that a terminal shows without obeying anything inside it."""
    dumped = json.dumps(plain_json(value), ensure_ascii=False, allow_nan=False, indent=indent, sort_keys=True)
    return json_text(dumped)


def receipt_document(receipt: AuditReceipt) -> dict[str, Any]:
    """Return the receipt as plain data with its schema's name under ``schema``."""
    data = receipt.model_dump(mode="python")
    return {"schema": data.pop("schema_name"), **data}


def receipt_json(receipt: AuditReceipt) -> str:
    """Return the receipt as an indented JSON document that ends in a line feed."""
    return dump_json(receipt_document(receipt)) + "\n"


def receipt_from_json(text: str) -> AuditReceipt:
    """Read back what :func:`receipt_json` wrote; raises ``ValueError`` for anything else."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("schema") != "receipt/1":
        raise ValueError("not a receipt/1 document")
    data["schema_name"] = data.pop("schema")
    return AuditReceipt.model_validate(data)


__all__ = ["dump_json", "plain_json", "receipt_document", "receipt_from_json", "receipt_json"]
