"""Small helpers that append to the lists of the state."""

from __future__ import annotations

from typing import Any

from agents.state import RagState
from store.receipt import Degradation, ModelAudit


def degraded(state: RagState, stage: str, *reasons: str) -> list[dict[str, str]]:
    """Return the degradations with these reasons added, each once."""
    marks = [Degradation(stage=stage, reason=reason).model_dump() for reason in reasons]
    known = list(state.get("degradations", ()))
    return known + [mark for mark in marks if mark not in known]


def used_model(
    state: RagState, role: str, name: str, prompt: str = "", sha: str = ""
) -> list[dict[str, Any]]:
    """Return the models with this one added."""
    base, _, version = prompt.rpartition(".")
    mark = ModelAudit(role=role, name=name, prompt=base or prompt, prompt_version=version, prompt_sha=sha)
    return [*state.get("models", ()), mark.model_dump()]


__all__ = ["degraded", "used_model"]
