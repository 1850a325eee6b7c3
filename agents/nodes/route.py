"""Route: factual, opinion, both or counting, and the limits that the question states."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.models.router import QuestionRouter
from agents.models.router_subjects import match_subjects
from agents.state import RagState
from store.receipt import RouteAudit


def route(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Decide what kind of question this is; an explicit ``route`` option wins over the router."""
    context = runtime.context
    # Names of things are not judgements ("Comfort Inn").
    names = match_subjects(state["question"], tuple(context.subjects()))
    names = (*names, *(entity.name for entity in context.entities()))
    found = QuestionRouter(context.today().date()).route(state["question"], names=names)
    wanted = state["options"].get("route")
    audit = RouteAudit(
        kind=wanted or found.kind,
        confidence=1.0 if wanted else found.confidence,
        reason=f"asked for by the user (the router says {found.kind}: {found.reason})"
        if wanted
        else found.reason,
        side=found.side,
        overridden=wanted is not None,
    )
    if state["options"].get("one_sided") is False:
        audit = audit.model_copy(update={"side": None})
    route_state = {**audit.model_dump(), "count": found.count, "groups": list(found.groups)}
    if found.period is None:
        return {"route": route_state, "period": []}
    return {"route": route_state, "period": [found.period.start or "", found.period.end or ""]}


__all__ = ["route"]
