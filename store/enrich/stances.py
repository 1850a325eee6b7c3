"""From opinion units to one stance an entity a document, and to the enriched documents that are indexed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.opinions import to_bin
from store.records import OpinionUnit, RegistryEntity


@dataclass(frozen=True, slots=True)
class StanceRecord:
    """What one document holds of one entity, its descendants included."""

    entity: str
    score: int
    impact: int
    markers: tuple[str, ...]
    evidence: str
    opinions: int
    confidence: float


def lineage(registry: Sequence[RegistryEntity]) -> dict[str, tuple[str, ...]]:
    """Return, for every entity, itself and its ancestors, nearest first."""
    parents = {entity.key: entity.parent for entity in registry}
    lines: dict[str, tuple[str, ...]] = {}
    for key in parents:
        line: list[str] = []
        current: str | None = key
        while current is not None and current in parents and current not in line:
            line.append(current)
            current = parents[current]
        lines[key] = tuple(line)
    return lines


def stances(opinions: Sequence[OpinionUnit], lines: Mapping[str, tuple[str, ...]]) -> list[StanceRecord]:
    """Join a document's opinion units to one stance for each entity and each of its ancestors.

    The score is the bin nearest to the confidence-weighted mean of the units' scores.
    """
    by_entity: dict[str, list[OpinionUnit]] = {}
    for unit in opinions:
        for key in lines.get(unit.entity, ()):
            by_entity.setdefault(key, []).append(unit)
    return [_stance(key, units) for key, units in by_entity.items()]


def enriched_text(entity: RegistryEntity, units: Sequence[OpinionUnit], attributes: Mapping[str, str]) -> str:
    """Return the text of the enriched document: content together with its metadata (O-RAG section 4)."""
    stance = _stance(entity.key, units)
    sentiment, intensity = _words(stance.score)
    facts = [f"sentiment: {sentiment}", f"intensity: {intensity}", f"evidence: {stance.evidence}"]
    if stance.markers:
        facts.append(f"emotion: {', '.join(stance.markers)}")
    facts.extend(f"{name}: {value}" for name, value in sorted(attributes.items()) if value)
    return f"{entity.name}. {split_text(units)} ({'; '.join(facts)})"


def split_text(units: Sequence[OpinionUnit]) -> str:
    """Return the entity's own words of a document, without metadata (the papers' split-only ablation)."""
    return " … ".join(dict.fromkeys(unit.quote.strip() for unit in units))


def _stance(key: str, units: Sequence[OpinionUnit]) -> StanceRecord:
    # A clause that only names the entity says nothing against one that judges it.
    judging = [unit for unit in units if unit.score] or list(units)
    weights = [max(unit.confidence, 0.05) for unit in judging]
    mean = sum(w * unit.score for w, unit in zip(weights, judging, strict=True)) / sum(weights)
    evidence = Counter(unit.evidence for unit in units if unit.evidence != "unknown")
    return StanceRecord(
        entity=key,
        score=to_bin(mean),
        impact=max(unit.impact for unit in units),
        markers=tuple(sorted({marker for unit in units for marker in unit.markers})),
        evidence=min(evidence, key=lambda kind: (-evidence[kind], kind)) if evidence else "unknown",
        opinions=len(units),
        confidence=sum(weights) / len(weights),
    )


def _words(score: int) -> tuple[str, str]:
    sentiment = "positive" if score > 0 else "negative" if score < 0 else "neutral"
    return sentiment, {30: "high", 20: "medium", 10: "low", 0: "none"}[abs(score)]


__all__ = ["StanceRecord", "enriched_text", "lineage", "split_text", "stances"]
