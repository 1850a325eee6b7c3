"""Count: "how many" and "what share" are answered from SQL, with the statement shown."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.corrections import corrected
from agents.pools import document_filter
from agents.state import RagState
from store.opinions import DocumentFilter
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
    low, high = _corrected(context, state["entity_ids"], where, side)
    audits = [
        CountAudit(
            label=label,
            value=found.value,
            total=found.total,
            share=found.value / found.total if found.total else 0.0,
            sql=found.sql,
            low=low,
            high=high,
        ).model_dump()
    ]
    return {"counts": audits}


def _corrected(
    context: RagContext, entity_ids: list[int], where: DocumentFilter, side: str | None
) -> tuple[float | None, float | None]:
    """Return the interval of the side's share corrected for label errors; nothing without a side or reviews."""
    if side is None or not entity_ids:
        return None, None
    found = corrected(
        context,
        context.opinions.pool(context.corpus, entity_ids, context.extractor, where).counts,
        entity_ids,
    )
    if found is None:
        return None, None
    share = found.shares[2 if side == "positive" else 0]
    return share.low, share.high


__all__ = ["count"]
