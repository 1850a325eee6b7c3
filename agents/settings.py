"""Settings of the agent: values only; an unknown key is an error."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

EnhancementName = Literal["none", "rewrite", "hyde", "query2doc", "multi-query", "auto"]
KnowledgeBase = Literal["raw", "enriched", "split"]


class AgentSettings(BaseModel):
    """How questions are answered.

    Attributes
    ----------
    k
        Documents that an answer stands on.
    candidates
        Documents retrieved for a question without an entity pool, and for facts.
    method
        Selection of opinion documents: ``auto`` (``exact`` or ``balanced``, by k, as measured on an independent
        target: ``agents.fairness.recommendation``), one of the two, or the name of a baseline.
    target
        ``proportional`` (the population), ``parity``, ``stars``, or seven shares.
    balance
        Author attribute whose groups constrain the selection; empty takes the best covered one, ``none`` none.
    voices
        Quotes in an answer of the embedded generator.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: int = Field(default=20, ge=1, le=200)
    candidates: int = Field(default=200, ge=1, le=5000)
    method: str = "auto"
    target: str | tuple[float, ...] = "proportional"
    balance: str = ""
    enhancement: EnhancementName = "none"
    knowledge_base: KnowledgeBase = "raw"
    voices: int = Field(default=10, ge=1, le=60)
    seed: int = 0
    tolerance: float = Field(
        default=6.0, gt=0, description="W1 of the answer to the population before it is revised"
    )
    tau: float = Field(default=0.1, ge=0)
    max_revisions: int = Field(default=1, ge=0, le=3)
    history: int = Field(default=6, ge=0, le=50, description="earlier turns kept for follow-ups")


__all__ = ["AgentSettings", "EnhancementName", "KnowledgeBase"]
