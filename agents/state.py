"""The typed state of one question: ids and small numbers; texts are read from the store where they are needed."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Turn(TypedDict):
    """One earlier turn of a conversation, as far as a follow-up needs it."""

    question: str
    entities: list[str]
    filters: list[dict[str, str]]
    answer_id: str
    route: NotRequired[dict[str, Any]]


class RagState(TypedDict, total=False):
    """State of the graph. ``history`` outlives a turn; everything else is set anew by ``fresh``."""

    history: list[Turn]
    question: str
    standalone: str
    answer_id: str
    asked_at: str
    options: dict[str, Any]
    route: dict[str, Any]
    breakdown: dict[str, Any]
    period: list[str]
    entities: list[dict[str, Any]]
    entity_ids: list[int]
    filters: list[dict[str, Any]]
    unmatched: str
    enhancement: dict[str, Any]
    candidates: list[int]
    relevance: list[float]
    pool_source: str
    plain: list[int]
    chosen: list[int]
    weights: list[float]
    inclusion: list[float]
    selection: dict[str, Any]
    position: dict[str, Any] | None
    unmet: list[str]
    counts: list[dict[str, Any]]
    comparison: str
    answer: str
    citations: list[dict[str, Any]]
    verification: dict[str, Any]
    deviation: str
    revisions: int
    models: list[dict[str, Any]]
    stages: list[dict[str, Any]]
    degradations: list[dict[str, str]]


def fresh(question: str, answer_id: str, asked_at: str, options: dict[str, Any]) -> RagState:
    """Return the input of one turn: every key but ``history`` is reset."""
    return RagState(
        question=question,
        standalone=question,
        answer_id=answer_id,
        asked_at=asked_at,
        options=options,
        route={},
        breakdown={},
        period=[],
        entities=[],
        entity_ids=[],
        filters=[],
        unmatched="",
        enhancement={},
        candidates=[],
        relevance=[],
        pool_source="",
        plain=[],
        chosen=[],
        weights=[],
        inclusion=[],
        selection={},
        position=None,
        unmet=[],
        counts=[],
        comparison="",
        answer="",
        citations=[],
        verification={},
        deviation="",
        revisions=0,
        models=[],
        stages=[],
        degradations=[],
    )


__all__ = ["RagState", "Turn", "fresh"]
