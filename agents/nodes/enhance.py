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
    reason = ""
    if method == "auto":
        method, reason = _recommended(context, state["route"]["kind"] == "factual")
    if method == "none":
        plain = EnhancementAudit(method="none", texts=(state["standalone"],)).model_dump()
        marked = {"degradations": degraded(state, "enhance", reason)} if reason else {}
        return {"enhancement": plain, **marked}
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


def _recommended(context: RagContext, factual: bool) -> tuple[str, str]:
    """Return what a probe recommends, and why there is no recommendation where there is none.

    Facts are found by hybrid search, opinions by the embedder alone. A recommendation holds for the model that wrote
    the probe's queries.
    """
    from agents.probes.retrievers import hybrid_key

    dense = context.searcher.fingerprint
    probe = None
    for key in (hybrid_key(dense), dense) if factual else (dense,):
        probe = probe or context.calibrations.latest_probe(key, context.corpus.id)
    if probe is None:
        return "none", "no enhancement is recommended for this retriever yet: run `evenhand probe`"
    method, model = str(probe.get("recommendation", "none")), str(probe.get("model", ""))
    chat = context.chat("enhancer")
    if method != "none" and chat is not None and chat.model != model:
        return (
            "none",
            f"{method} was recommended with {model}, not {chat.model}: run `evenhand probe` again",
        )
    return method, ""


__all__ = ["enhance"]
