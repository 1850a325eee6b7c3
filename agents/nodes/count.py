"""Count: "how many" and "what share" are answered from SQL, with the statement shown."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.pools import document_filter
from agents.state import RagState
from store.receipt import CountAudit


def count(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Count the documents that the question asks for, among those that its filters let through."""
    context = runtime.context
    where = document_filter(state)
    side = state["route"].get("side")
    names = ", ".join(item["name"] for item in state["entities"])
    if state["unmatched"]:
        return {"counts": [], "answer": ""}
    found = context.opinions.count(
        context.corpus.id, state["entity_ids"], context.extractor if state["entity_ids"] else "", where, side
    )
    if names and side:
        label = f"documents with a {side} view on {names}"
    elif names:
        label = f"documents with a view on {names}"
    else:
        label = "documents" if side is None else f"documents that are {side} on the whole"
    audits = [
        CountAudit(
            label=label,
            value=found.value,
            total=found.total,
            share=found.value / found.total if found.total else 0.0,
            sql=found.sql,
        ).model_dump()
    ]
    return {"counts": audits}


__all__ = ["count"]
