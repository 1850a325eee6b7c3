"""Route: factual, opinion, both or counting, and the limits that the question states."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import Any

from langgraph.runtime import Runtime

from agents.breakdown_columns import read
from agents.context import RagContext
from agents.follow_ups import few_words
from agents.models.router import Kind, QuestionRouter, Route
from agents.models.router_breakdown import Asked
from agents.models.router_limits import counts_authors
from agents.models.router_subjects import match_subjects
from agents.models.router_text import class_of, clauses, tokens
from agents.nodes.marks import degraded, used_model
from agents.state import RagState
from store.enrich.question_people import is_asked, judges
from store.errors import ApplicationError
from store.receipt import RouteAudit


async def route(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Decide what kind of question this is; an explicit ``route`` option wins over the router.

    The embedded router always reads the limits that the question states (side, groups, period, counting); with
    ``agent.router = "model"`` the model decides between facts and views, and where it fails the embedded router's word
    stands, marked.
    """
    context = runtime.context
    # Names of things are not judgements ("Comfort Inn").
    names = match_subjects(state["question"], tuple(context.subjects()))
    things = (entity.name for entity in context.entities())
    names = (*names, *(name for name in things if not _asked(state["question"], name)))
    found = QuestionRouter(context.today().date()).route(state["question"], names=names)
    if found.kind != "counting":
        found = _authors_counted(found, state["question"], context)
    asked = read(state["question"], context, names)
    if asked is not None:
        more = found.kind == "both" and len(clauses(tokens(state["question"]))) > 1
        if not more:
            found = _broken_down(found, asked, rated=context.opinions.rated(context.corpus.id))
    if last := _asked_before(state, found):
        found = replace(found, kind=last["kind"], side=found.side or last["side"], count=last["count"])
        found = replace(found, reason="asks in few words what was asked before")
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
    update: dict[str, Any] = {}
    if context.settings.router == "model" and not wanted and found.kind != "counting":
        audit, update = await _by_model(state, context, audit)
    if state["options"].get("one_sided") is False:
        audit = audit.model_copy(update={"side": None})
    update["route"] = {**audit.model_dump(), "count": found.count, "groups": list(found.groups)}
    update["breakdown"] = {} if asked is None else asdict(asked)
    if found.period is None:
        return {**update, "period": []}
    return {**update, "period": [found.period.start or "", found.period.end or ""]}


def _asked_before(state: RagState, found: Route) -> dict[str, Any]:
    """Return the route of the turn before, where few words ask the same of others; nothing elsewhere."""
    previous = (state.get("history") or [])[-1:]
    if not previous or found.kind == "counting" or not few_words(state["question"]):
        return {}
    return previous[0].get("route", {})


def _asked(question: str, name: str) -> bool:
    """Tell whether a question asks people by the name of an entity: "Do players like the sound?"."""
    if class_of(name.casefold()) != "PPL":
        return False
    found = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE)
    return any(is_asked(question, *match.span()) or judges(question, *match.span()) for match in found)


def _authors_counted(found: Route, question: str, context: RagContext) -> Route:
    """Return the route of a count of authors by what the corpus tells of them: "what share of visitors is German".

    Only where the corpus has attributes: "how many people live in France" is a question of fact elsewhere.
    """
    asked = counts_authors(question)
    if asked is None or not context.attribute_values():
        return found
    reason = f"asks for a {asked} of the documents' authors"
    return replace(found, kind="counting", confidence=0.95, reason=reason, side=None, count=asked)


def _broken_down(found: Route, asked: Asked, *, rated: bool) -> Route:
    """Return the route of a question for counts by value; of what people write about it stays one for views."""
    side = asked.measure if asked.measure in ("positive", "negative") else None
    if asked.kind == "attribute" and not asked.name:
        return found
    if asked.kind == "entity":
        kind: Kind = "opinion" if found.kind == "factual" else found.kind
        return replace(found, kind=kind, side=found.side or side)
    return replace(
        found,
        kind="counting",
        confidence=0.95,
        reason=f"asks for counts by {asked.noun}",
        side=side,
        count="mean" if rated and (asked.measure == "rating" or asked.kind == "rating") else "number",
    )


async def _by_model(
    state: RagState, context: RagContext, embedded: RouteAudit
) -> tuple[RouteAudit, dict[str, Any]]:
    """Return the model's decision with its mark, or the embedded one with the reason why."""
    chat = context.chat("router")
    if chat is None:
        reason = "no language model is configured for the role router: routed by the embedded router"
        return embedded, {"degradations": degraded(state, "route", reason)}
    from agents.models.llm_router import route as ask_model

    try:
        found = await ask_model(state["question"], chat)
    except ApplicationError as error:
        reason = f"{error.message}: routed by the embedded router instead"
        return embedded, {"degradations": degraded(state, "route", reason)}
    change = {
        "kind": found.kind,
        "confidence": found.confidence,
        "reason": f"{chat.model}: {found.reason} (embedded: {embedded.kind})",
        # Facts have no side.
        "side": None if found.kind == "factual" else embedded.side,
    }
    models = used_model(state, "router", chat.model, found.prompt, found.prompt_sha)
    return embedded.model_copy(update=change), {"models": models}


__all__ = ["route"]
