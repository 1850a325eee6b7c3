"""Count: "how many" and "what share" are answered from SQL, with the statement shown."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.corrections import corrected
from agents.models.extractive import content_words
from agents.nodes.marks import degraded
from agents.pools import RATING, document_filter
from agents.state import RagState
from store.opinions import DocumentFilter
from store.receipt import CountAudit

#: Words that ask for a count, in the form of ``content_words``.
_COUNTING = content_words(
    "count number share percent percentage proportion fraction total mention mentions mentioned talk talked speak "
    "speaks discuss comment comments commented hold holds view views document documents posts post author authors "
    "customers travellers users respondents answers reviewed wrote written customer traveller user person there"
)
_SIDES = content_words(
    "support supports supported favour favor oppose oppose opposed oppos find finds found "
    "positive negative good bad happy unhappy satisfied dissatisfied complain complains complained complaint "
    "complaints "
    "like likes liked dislike disliked love loved hate hated praise praised criticise criticised problem problems "
    "against favour favourable unfavourable pleased displeased disappointed enjoy enjoyed positively negatively feel"
)
_RATING = content_words(
    "rated rating ratings star stars score scored scores gave give given points 1 2 3 4 5 below above least most"
)
_MONTHS = content_words(
    "january february march april may june july august september october november december since before after between "
    "last year month week day today past"
)


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
    elif where.rating and side is None:
        label = f"documents rated {' and '.join(_said(sign, bound) for sign, bound in where.rating)}"
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
    update: dict[str, Any] = {"counts": audits}
    left = _left_out(context, state)
    if left:
        reason = f"the count takes no account of: {', '.join(left)}"
        update["degradations"] = degraded(state, "count", reason)
    return update


def _said(sign: str, bound: float) -> str:
    return f"{bound:g}" if sign == "=" else f"{sign} {bound:g}"


def _left_out(context: RagContext, state: RagState) -> list[str]:
    """Return the question's words that neither an entity, nor a filter, nor the side asked for stands for."""
    known = set(_COUNTING)
    names = {item["key"] for item in state["entities"]}
    for entity in context.entities():
        if entity.key in names:
            for form in (entity.name, *entity.aliases):
                known |= content_words(form)
    for item in state["filters"]:
        known |= content_words(f"{item['name']} {item['value']} {item['phrase']}")
        if item["name"] == RATING:
            known |= _RATING
    if state["period"]:
        known |= {
            word for word in content_words(state["question"]) if any(c.isdigit() for c in word)
        } | _MONTHS
    if state["route"].get("side"):
        known |= _SIDES
    return sorted(word for word in content_words(state["question"]) if word not in known)


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
