"""Enhance: what is searched with, in place of the bare question."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.nodes.marks import degraded, used_model
from agents.state import RagState
from store.receipt import EnhancementAudit


async def enhance(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Apply the chosen enhancement; without a model it falls back to none, marked."""
    context = runtime.context
    method = state["options"].get("enhancement", context.settings.enhancement)
    if method == "auto":
        method = _recommended(context)
    if method == "none":
        return {"enhancement": EnhancementAudit(method="none", texts=(state["standalone"],)).model_dump()}
    from agents.enhancement.methods import enhancer

    done = await enhancer(method).enhance(state["standalone"], context.chat("enhancer"))
    update: dict[str, Any] = {
        "enhancement": {
            **EnhancementAudit(method=done.method, texts=done.texts, prompt=done.prompt).model_dump(),
            "lexical": done.lexical,
        }
    }
    if done.degraded_reason:
        update["degradations"] = degraded(state, "enhance", done.degraded_reason)
    if done.model:
        update["models"] = used_model(state, "enhancer", done.model, done.prompt, done.prompt_sha)
    return update


def _recommended(context: RagContext) -> str:
    probe = context.calibrations.latest_probe(context.searcher.fingerprint)
    return str(probe.get("recommendation", "none")) if probe else "none"


__all__ = ["enhance"]
