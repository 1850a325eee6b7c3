"""Routing by a language model: factual, opinion or both, with a confidence and the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

import prompts
from agents.fencing import neutralise
from agents.models.structured import Refused, ask
from store.ports import ChatMessage, ChatModel, ChatRequest, Usage

_LONGEST = 4000


class RouteAnswer(BaseModel):
    """What the model returns."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["factual", "opinion", "both"]
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class LLMRoute:
    """The kind of answer that a question wants. ``confidence`` is the model's own word, in [0, 1]: not calibrated."""

    kind: Literal["factual", "opinion", "both"]
    confidence: float
    reason: str
    prompt: str = ""
    prompt_sha: str = ""
    usage: Usage = field(default_factory=Usage)


async def route(question: str, chat: ChatModel) -> LLMRoute:
    """Classify a question; only its first 4000 characters are sent.

    Raises
    ------
    ModelCallError
        When the model fails or refuses: the caller falls back to the rules, marked.
    """
    rendered = prompts.load("route").render(question=neutralise(question[:_LONGEST]))
    request = ChatRequest(
        messages=(ChatMessage("system", rendered.system), ChatMessage("user", rendered.user)),
        role="router",
        max_tokens=120,
        prompt_name=rendered.name,
        prompt_sha=rendered.sha256,
    )
    answer = await ask(chat, request, RouteAnswer)
    if isinstance(answer, Refused):
        raise answer.error()
    confidence = min(1.0, max(0.0, answer.value.confidence))
    reason = " ".join(answer.value.reason.split())[:120]
    return LLMRoute(answer.value.kind, confidence, reason, rendered.name, rendered.sha256, answer.usage)


__all__ = ["LLMRoute", "RouteAnswer", "route"]
