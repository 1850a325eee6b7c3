"""Settings of the agent: values only; an unknown key is an error."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

EnhancementName = Literal["none", "rewrite", "hyde", "query2doc", "multi-query", "auto"]
Decider = Literal["embedded", "model"]
KnowledgeBase = Literal["raw", "enriched", "split"]


class AgentSettings(BaseModel):
    """How questions are answered."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: int = Field(default=20, ge=1, le=200, description="documents that an answer stands on")
    candidates: int = Field(
        default=200, ge=1, le=5000, description="documents retrieved for facts, and where no entity is known"
    )
    method: str = Field(
        default="auto",
        description="which documents: auto (exact or balanced, by k, as measured: agents.fairness.recommendation), "
        "exact, exact-w2, exact-weighted, balanced, faro, or the name of a baseline",
    )
    target: str | tuple[float, ...] = Field(
        default="proportional", description="proportional (to the population), parity, stars, or seven shares"
    )
    balance: str = Field(
        default="",
        description="author attributes that constrain the choice, commas between them; empty: the best known one; "
        "none: none",
    )
    enhancement: EnhancementName = Field(
        default="none", description="how the search text is made; auto: as `evenhand probe` recommended"
    )
    knowledge_base: KnowledgeBase = Field(default="raw", description="which texts are searched")
    voices: int = Field(default=10, ge=1, le=60, description="quotes in an answer of the embedded writer")
    router: Decider = Field(
        default="embedded",
        description="who tells facts from views: embedded, or model (models.router), replaced and marked if it fails",
    )
    verifier: Decider = Field(
        default="embedded",
        description="who reads what a model's sentences claim: embedded, or model (models.verifier); likewise",
    )
    seed: int = Field(default=0, ge=0, description="of every random choice")
    tolerance: float = Field(
        default=6.0,
        gt=0,
        description="W1 of the documents cited to the target: above it a model revises its answer (max_revisions), "
        "and what is still above it is marked",
    )
    tau: float = Field(default=0.1, ge=0, description="tolerated predicted output bias (FARO)")
    max_revisions: int = Field(
        default=1, ge=0, le=3, description="times that a model may rewrite an answer that failed its checks"
    )
    history: int = Field(default=6, ge=0, le=50, description="earlier turns kept for follow-ups")


__all__ = ["AgentSettings", "Decider", "EnhancementName", "KnowledgeBase"]
