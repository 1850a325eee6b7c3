"""Audit: the receipt is built and stored with the answer; the turn joins the conversation's history."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.events import AnswerReady
from agents.receipts import build_receipt
from agents.state import RagState, Turn
from store.receipt import StageAudit


def audit(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Build and store the receipt, and hand out the finished answer."""
    context = runtime.context
    started = context.clock()
    receipt = build_receipt(context, state)
    own = StageAudit(name="audit", seconds=context.clock() - started)
    receipt = receipt.model_copy(update={"stages": (*receipt.stages, own)})
    context.answers.finish(state["answer_id"], state["answer"], receipt)
    runtime.stream_writer(AnswerReady(state["answer_id"], state["answer"], receipt))
    turn = Turn(
        question=state["question"],
        entities=[item["key"] for item in state["entities"]],
        filters=[{name: str(f[name]) for name in ("name", "value", "phrase")} for f in state["filters"]],
        answer_id=state["answer_id"],
        route={name: state["route"].get(name) for name in ("kind", "side", "count")},
    )
    history = [*(state.get("history") or []), turn]
    keep = context.settings.history
    return {"history": history[-keep:] if keep else []}


__all__ = ["audit"]
