"""Builders of realistic receipts: opinion, factual, counting, degraded, and one with hostile text everywhere."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from store.receipt import (
    AuditReceipt,
    CitationAudit,
    CountAudit,
    Degradation,
    Distribution,
    EnhancementAudit,
    EntityAudit,
    Estimate,
    FilterAudit,
    FrontierPoint,
    GroupAudit,
    GroupShare,
    MarginAudit,
    ModelAudit,
    OpinionAudit,
    OpinionSummary,
    PositionAudit,
    RankedDocument,
    RouteAudit,
    SelectionAudit,
    StageAudit,
    VerificationAudit,
)

#: Text that must never act: terminal codes, links, clipboard, markup, scripts, invisible and reordering characters.
HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example/\x07link\x1b]8;;\x07 \x1b]52;c;ZXZpbA==\x07 \x9b2J \x00\x08\x7f"
    '[/] [bold red]x[/bold red] <script>alert(1)</script> <img src=x onerror=alert(1)> "\' onload="x" '
    "a\u200bb\u200dc\ufeffd \u202egnp.exe\u202c \u2066iso\u2069 \u2028line\u2029para \U000e0041tag "
    "| pipe ` tick ``` ~~~ ![i](http://evil.example/i.png) [l](javascript:alert(1)) "
    "http://evil.example www.evil.example "
    "]]> --> </style></title></svg></table> &lt; &#x3c; ${x} =cmd() "
    "\r\n# heading\n- item\n1. one\n> q\t手机 👩‍👩‍👧 e\u0301"
)

_NAMES = ("Anna", "Ben", "Chloe", "Dai", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jun", "Kay", "Lou")


def _ranking(k: int, cited: frozenset[int], weights: tuple[float, ...] | None) -> tuple[RankedDocument, ...]:
    scores = (20, -20, 10, 30, -30, -10, 20, 0, 20, -20, 30, 10)
    regions = (
        "UK",
        "Australia",
        "UK",
        "USA",
        "Germany",
        "UK",
        "Asia",
        "USA",
        "UK",
        "Australia",
        "Germany",
        "Asia",
    )
    return tuple(
        RankedDocument(
            rank=i + 1,
            document_id=100 + 7 * i,
            external_id=f"lounge-{100 + 7 * i}",
            title=f"Business lounge, visit by {_NAMES[i % 12]}",
            subject=("Heathrow T5", "Doha", "Frankfurt B", "Sydney")[i % 4],
            date=f"2015-0{1 + i % 9}-1{i % 10}",
            rating=float(1 + (scores[i % 12] + 30) // 15),
            relevance=round(0.93 - 0.031 * i, 3),
            score=scores[i % 12],
            polarity=(scores[i % 12] > 0) - (scores[i % 12] < 0),
            groups={"region": regions[i % 12]},
            cited=i + 1 in cited,
            position_weight=weights[i] if weights else None,
        )
        for i in range(k)
    )


def opinion_receipt(k: int = 12) -> AuditReceipt:
    """An opinion question answered in full: calibrated order, groups, frontier, quotes checked."""
    weights = tuple(round(0.16 / (1 + 0.25 * i), 3) for i in range(k))
    return AuditReceipt(
        answer_id="3f9a1c",
        question="What do people think about the food in the lounges?",
        standalone_question="What do people think about the food in the lounges?",
        asked_at="2026-11-29T10:15:00Z",
        corpus="lounges",
        corpus_documents=2259,
        answer=(
            "Of 861 reviews that speak of the food, 58% are positive and 33% negative; 9% are neutral.\n\n"
            "- Mostly positive: “a wide choice of hot and cold food” [1], “the best breakfast of any lounge” [4].\n"
            "- Mostly negative: “stale sandwiches and nothing hot” [2], “food ran out by eight” [5].\n"
        ),
        route=RouteAudit(kind="opinion", confidence=0.94, reason="asks what people think of something"),
        filters=(FilterAudit(name="subject", value="business lounge", phrase="the lounges", documents=1873),),
        entities=(
            EntityAudit(
                key="food", name="food", confidence=0.98, reason="named in the question", documents=861
            ),
        ),
        enhancement=EnhancementAudit(method="none"),
        models=(
            ModelAudit(role="embedder", name="all-MiniLM-L6-v2 int8"),
            ModelAudit(
                role="generator",
                name="qwen3-4b",
                prompt="generate",
                prompt_version="1",
                prompt_sha="9c1f77aa01b2",
            ),
        ),
        stages=(
            StageAudit(name="route", seconds=0.0021),
            StageAudit(name="link", seconds=0.0043),
            StageAudit(name="retrieve", seconds=0.041),
            StageAudit(name="rerank", seconds=0.028),
            StageAudit(
                name="generate", seconds=2.314, prompt_tokens=3120, completion_tokens=214, cost=0.0031
            ),
            StageAudit(name="verify", seconds=0.006),
        ),
        selection=SelectionAudit(
            method="exact",
            k=k,
            pool=861,
            pool_source="all documents on food",
            lam=0.55,
            beta=0.3,
            relevance_kept=0.962,
        ),
        opinion=OpinionAudit(
            labels="lexical",
            target="population",
            target_shares=tuple(c / 861 for c in (104, 112, 69, 78, 121, 240, 137)),
            population=Distribution(
                counts=(104, 112, 69, 78, 121, 240, 137), source="SQL, all documents on food"
            ),
            candidates=Distribution(counts=(21, 20, 14, 19, 26, 62, 38), source="dense and BM25, fused"),
            retrieved=Distribution(counts=(1, 2, 1, 1, 2, 3, 2)),
            cited=Distribution(counts=(1, 1, 0, 0, 1, 1, 1)),
            plain=Distribution(counts=(0, 0, 0, 1, 2, 4, 5)),
            w1={
                "candidates": Estimate(value=1.31, low=0.92, high=1.84, method="bootstrap"),
                "retrieved": Estimate(value=0.84, low=0.61, high=2.9, method="bootstrap"),
                "cited": Estimate(value=2.41, low=1.2, high=7.4, method="bootstrap"),
                "plain": Estimate(value=11.06, low=7.9, high=14.2, method="bootstrap"),
            },
            floor=0.79,
            summaries={
                "population": OpinionSummary(
                    sigma=20.1,
                    impact_sigma=6.2,
                    entity_match=1.0,
                    markers=("delight", "disappointment", "frustration"),
                    evidence=("anecdotal", "personal"),
                ),
                "retrieved": OpinionSummary(
                    sigma=19.8,
                    impact_sigma=6.0,
                    entity_match=1.0,
                    markers=("delight", "frustration"),
                    evidence=("personal",),
                ),
                "plain": OpinionSummary(
                    sigma=9.1,
                    impact_sigma=5.1,
                    entity_match=0.67,
                    markers=("delight",),
                    evidence=("personal",),
                ),
            },
            label_quality="sign right in 86% of 2,000 hand-labelled clauses",
        ),
        groups=(
            GroupAudit(
                attribute="region",
                categories=(
                    GroupShare(
                        value="UK", population=290, population_share=0.37, retrieved=4, retrieved_share=0.333
                    ),
                    GroupShare(
                        value="Australia",
                        population=164,
                        population_share=0.209,
                        retrieved=2,
                        retrieved_share=0.167,
                    ),
                    GroupShare(
                        value="USA", population=133, population_share=0.17, retrieved=2, retrieved_share=0.167
                    ),
                    GroupShare(
                        value="Germany",
                        population=101,
                        population_share=0.129,
                        retrieved=2,
                        retrieved_share=0.167,
                    ),
                    GroupShare(
                        value="Asia",
                        population=96,
                        population_share=0.122,
                        retrieved=2,
                        retrieved_share=0.167,
                    ),
                ),
                coverage=1.0,
                coverage_matched=1.0,
                largest_gap=0.045,
                plain_largest_gap=0.213,
                unknown_population=0.089,
                unknown_retrieved=0.0,
                constrained=True,
            ),
        ),
        position=PositionAudit(
            calibrated=True,
            note="42 documents orders, fitted on lounges",
            model="qwen3-4b",
            predicted=0.26,
            standard_error=0.04,
            target=0.25,
            natural=0.61,
        ),
        ranking=_ranking(k, frozenset({1, 2, 3, 4, 5}), weights),
        plain_ranking=(107, 121, 163, 100, 204, 142),
        frontier=(
            FrontierPoint(lam=0.0, relevance_kept=1.0, w1=11.06, largest_gap=0.213),
            FrontierPoint(lam=0.2, relevance_kept=0.991, w1=4.2, largest_gap=0.11),
            FrontierPoint(lam=0.55, relevance_kept=0.962, w1=0.84, largest_gap=0.045, chosen=True),
            FrontierPoint(lam=0.8, relevance_kept=0.931, w1=0.8, largest_gap=0.04),
            FrontierPoint(lam=1.0, relevance_kept=0.884, w1=0.79, largest_gap=0.038),
        ),
        citations=(
            CitationAudit(
                number=1,
                document_id=100,
                quote="a wide choice of hot and cold food",
                start=31,
                end=65,
                verified=True,
            ),
            CitationAudit(
                number=2,
                document_id=107,
                quote="stale sandwiches and nothing hot",
                start=4,
                end=36,
                verified=True,
            ),
            CitationAudit(
                number=4,
                document_id=121,
                quote="the best breakfast of any lounge",
                start=88,
                end=120,
                verified=True,
            ),
            CitationAudit(
                number=5, document_id=128, quote="food ran out by eight", start=12, end=33, verified=True
            ),
        ),
        verification=VerificationAudit(
            quotes=4,
            quotes_verified=4,
            answer_distribution=Distribution(counts=(1, 1, 0, 0, 0, 1, 1)),
            amplification=1.04,
        ),
    )


def sampled_receipt() -> AuditReceipt:
    """The same question answered from a probability sample, with its margins of error."""
    base = opinion_receipt()
    assert base.selection is not None
    return base.model_copy(
        update={
            "selection": base.selection.model_copy(
                update={"method": "balanced", "lam": None, "beta": None, "seed": 0, "frame": 430}
            ),
            "margins": (
                MarginAudit(
                    attribute="opinion",
                    value="positive",
                    estimate=7 / 12,
                    low=0.49,
                    high=0.67,
                    known=12,
                    counted=0.578,
                    balanced=True,
                ),
                MarginAudit(
                    attribute="opinion",
                    value="negative",
                    estimate=4 / 12,
                    low=0.24,
                    high=0.43,
                    known=12,
                    counted=0.331,
                    balanced=True,
                ),
                MarginAudit(attribute="rating", estimate=3.25, low=2.41, high=4.0, known=12, counted=3.31),
                MarginAudit(attribute="region", value="UK", estimate=1.0, known=1, counted=0.37),
            ),
        }
    )


def factual_receipt() -> AuditReceipt:
    """A factual question: no opinions, no groups."""
    return AuditReceipt(
        answer_id="81be02",
        question="Which lounges at Heathrow have showers?",
        standalone_question="Which lounges at Heathrow have showers?",
        asked_at="2026-11-29T10:16:00Z",
        corpus="lounges",
        corpus_documents=2259,
        answer="Showers are mentioned at Heathrow Terminal 5 [1] and Terminal 3 [2].",
        route=RouteAudit(kind="factual", confidence=0.88, reason="asks for a fact: which"),
        enhancement=EnhancementAudit(
            method="rewrite", texts=("Heathrow lounge showers",), prompt="rewrite v1"
        ),
        models=(ModelAudit(role="generator", name="extractive"),),
        stages=(StageAudit(name="route", seconds=0.002), StageAudit(name="retrieve", seconds=0.05)),
        selection=SelectionAudit(method="relevance", k=3, pool=200, pool_source="dense and BM25, fused"),
        ranking=tuple(
            RankedDocument(
                rank=i + 1,
                document_id=40 + i,
                external_id=f"r{40 + i}",
                title=f"Heathrow T{5 - 2 * i} lounge",
                relevance=0.9 - 0.1 * i,
                cited=i < 2,
            )
            for i in range(3)
        ),
        citations=(
            CitationAudit(
                number=1, document_id=40, quote="two clean showers", start=5, end=22, verified=True
            ),
            CitationAudit(number=2, document_id=41),
        ),
        verification=VerificationAudit(quotes=1, quotes_verified=1),
    )


def counting_receipt() -> AuditReceipt:
    """A question that SQL answers."""
    return AuditReceipt(
        answer_id="c0c0a5",
        question="How many reviews complain about the wifi?",
        standalone_question="How many reviews complain about the wifi?",
        asked_at="2026-11-29T10:17:00Z",
        corpus="lounges",
        corpus_documents=2259,
        answer="123 of 456 reviews that speak of the wifi are negative (27%).",
        route=RouteAudit(kind="counting", confidence=0.97, reason="asks how many"),
        entities=(EntityAudit(key="wifi", name="wifi", confidence=1.0, reason="named", documents=456),),
        counts=(
            CountAudit(
                label="negative on wifi",
                value=123,
                total=456,
                share=123 / 456,
                sql="SELECT count(DISTINCT document_id)\nFROM opinions\nWHERE entity_id = :entity AND score < 0",
                parameters={"entity": "wifi"},
                low=0.23,
                high=0.313,
            ),
        ),
        stages=(StageAudit(name="route", seconds=0.002), StageAudit(name="count", seconds=0.004)),
    )


def degraded_receipt() -> AuditReceipt:
    """An opinion answer with everything that can be missing or weak."""
    whole = opinion_receipt()
    assert whole.opinion is not None
    return whole.model_copy(
        update={
            "answer_id": "dead01",
            "degradations": (
                Degradation(
                    stage="enhance", reason="no model is configured, so the question was searched as it is"
                ),
                Degradation(
                    stage="generate",
                    reason="the model did not answer in 60 s; the extractive answer is shown",
                ),
            ),
            "unmet": (
                "only 3 documents of Germany exist, 4 were due",
                "the predicted output bias could not reach the target",
            ),
            "unmatched": "champagne bar",
            "position": PositionAudit(
                calibrated=False, note="not calibrated for this model", model="extractive"
            ),
            "ranking": _ranking(12, frozenset({1, 2}), None),
            "verification": VerificationAudit(
                quotes=4,
                quotes_verified=3,
                findings=("quote 4 is not in document 121",),
                revised=True,
                amplification=1.8,
            ),
            "citations": (
                *whole.citations[:2],
                CitationAudit(number=4, document_id=121, quote="the best brunch of any lounge"),
            ),
            "opinion": whole.opinion.model_copy(
                update={
                    "cited": Distribution(counts=(0,) * 7),
                    "target": "parity",
                    "target_shares": (0.1, 0.2, 0.15, 0.1, 0.15, 0.2, 0.1),
                    "w1": {key: value for key, value in whole.opinion.w1.items() if key != "cited"},
                }
            ),
        }
    )


def hostile_receipt(text: str = HOSTILE) -> AuditReceipt:
    """A receipt with ``text`` in every field that can hold text."""
    literals = {"kind", "side", "schema_name"}

    def poison(value: Any) -> Any:
        if isinstance(value, BaseModel):
            fields = {name: getattr(value, name) for name in type(value).model_fields}
            return value.model_copy(
                update={name: old if name in literals else poison(old) for name, old in fields.items()}
            )
        if isinstance(value, str):
            return text
        if isinstance(value, tuple):
            return tuple(poison(item) for item in value)
        if isinstance(value, dict):
            keep = all(isinstance(item, BaseModel) for item in value.values())
            return {(key if keep else text): poison(item) for key, item in value.items()}
        return value

    base = degraded_receipt().model_copy(
        update={
            "counts": counting_receipt().counts,
            "enhancement": factual_receipt().enhancement,
            "margins": sampled_receipt().margins,
        }
    )
    poisoned: AuditReceipt = poison(base)
    return poisoned


__all__ = [
    "HOSTILE",
    "counting_receipt",
    "degraded_receipt",
    "factual_receipt",
    "hostile_receipt",
    "opinion_receipt",
    "sampled_receipt",
]
