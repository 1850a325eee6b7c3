"""Verify: every citation exists, every quote is verbatim, the answer's own distribution is the population's."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from agents.checks import check_answer
from agents.context import RagContext
from agents.nodes.marks import degraded
from agents.state import RagState


def verify(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Check the answer; a deviation over tolerance is named for one revision, then marked."""
    context = runtime.context
    checked = check_answer(context, state)
    update: dict[str, Any] = {
        "citations": [c.model_dump() for c in checked.citations],
        "verification": checked.audit.model_dump(),
        "deviation": "",
    }
    if checked.deviation:
        may_revise = (
            context.chat("generator") is not None and state["revisions"] < context.settings.max_revisions
        )
        if may_revise and state["models"][-1]["name"] != "extractive (embedded)":
            update |= {"deviation": checked.deviation, "revisions": state["revisions"] + 1}
            return update
        # `audit --fail-over degraded=0` must see what the checks found.
        update["degradations"] = degraded(state, "verify", checked.deviation)
    return update


def needs_revision(state: RagState) -> bool:
    """Return whether the answer must be written once more."""
    return bool(state["deviation"])


__all__ = ["needs_revision", "verify"]
