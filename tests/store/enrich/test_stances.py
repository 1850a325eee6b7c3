from __future__ import annotations

import pytest

from store.enrich.stances import enriched_text, lineage, split_text, stances
from store.records import OpinionUnit, RegistryEntity, Sentiment, score_of

REGISTRY = [
    RegistryEntity("food", "food"),
    RegistryEntity("drinks", "drinks", "food"),
    RegistryEntity("coffee", "coffee", "drinks"),
    RegistryEntity("staff", "staff"),
    RegistryEntity("orphan", "orphan", "gone"),
]


def unit(entity: str, score: int, confidence: float = 0.8, **fields: object) -> OpinionUnit:
    sentiment: Sentiment = "positive" if score > 0 else "negative" if score < 0 else "neutral"
    intensity = {30: "high", 20: "medium", 10: "low", 0: "none"}[abs(score)]
    values: dict[str, object] = {
        "impact": 20,
        "markers": (),
        "evidence": "personal",
        "quote": f"{entity} {score}",
        "start": 0,
        "end": 5,
        **fields,
    }
    assert score_of(sentiment, intensity) == score  # type: ignore[arg-type]
    return OpinionUnit(
        entity=entity,
        sentiment=sentiment,
        intensity=intensity,
        score=score,
        confidence=confidence,
        **values,  # type: ignore[arg-type]
    )


def test_lineage() -> None:
    lines = lineage(REGISTRY)
    assert lines["coffee"] == ("coffee", "drinks", "food")
    assert lines["staff"] == ("staff",)
    assert lines["orphan"] == ("orphan",)


def test_a_circle_of_parents_ends() -> None:
    lines = lineage([RegistryEntity("a", "a", "b"), RegistryEntity("b", "b", "a")])
    assert lines == {"a": ("a", "b"), "b": ("b", "a")}


def test_opinions_count_for_the_ancestors_too() -> None:
    found = {
        s.entity: s
        for s in stances([unit("coffee", -30), unit("food", 30), unit("staff", 10)], lineage(REGISTRY))
    }
    assert {key: s.score for key, s in found.items()} == {
        "coffee": -30,
        "drinks": -30,
        "food": 0,
        "staff": 10,
    }
    assert found["food"].opinions == 2
    assert found["coffee"].opinions == 1


def test_the_score_is_the_bin_of_the_confidence_weighted_mean() -> None:
    [found] = stances([unit("staff", 30, 0.9), unit("staff", -30, 0.1)], lineage(REGISTRY))
    # (0.9 * 30 - 0.1 * 30) / 1.0 = 24
    assert found.score == 20
    assert found.confidence == pytest.approx(0.5)
    [unsure] = stances([unit("staff", 20, 0.0)], lineage(REGISTRY))
    assert (unsure.score, unsure.confidence) == (20, 0.05)


def test_impact_markers_and_evidence() -> None:
    [found] = stances(
        [
            unit("staff", 10, impact=10, markers=("delight",), evidence="unknown"),
            unit("staff", 10, impact=30, markers=("anger", "delight"), evidence="data-driven"),
            unit("staff", 10, evidence="anecdotal"),
        ],
        lineage(REGISTRY),
    )
    assert (found.impact, found.markers, found.evidence) == (30, ("anger", "delight"), "anecdotal")
    assert stances([unit("staff", 10, evidence="unknown")], lineage(REGISTRY))[0].evidence == "unknown"


def test_no_opinions_and_entities_that_left() -> None:
    assert stances([], lineage(REGISTRY)) == []
    assert stances([unit("sauna", 10)], lineage(REGISTRY)) == []


def test_enriched_text_holds_content_and_metadata() -> None:
    units = [
        unit("staff", 30, quote=" They smiled. ", markers=("delight",)),
        unit("staff", 20, quote="So kind!"),
    ]
    text = enriched_text(REGISTRY[3], units, {"country": "Spain", "age": ""})
    assert text == (
        "staff. They smiled. … So kind! "
        "(sentiment: positive; intensity: medium; evidence: personal; emotion: delight; country: Spain)"
    )


def test_split_text_holds_the_entity_s_own_words_once() -> None:
    assert split_text([unit("staff", 10, quote="Kind. "), unit("staff", 10, quote="Kind.")]) == "Kind."
