"""Plain records that the store hands out: no SQL, no I/O, no framework."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

Sentiment = Literal["positive", "negative", "neutral", "mixed"]
Intensity = Literal["high", "medium", "low", "none"]
Evidence = Literal["personal", "anecdotal", "data-driven", "unknown"]

#: The seven ordered opinion bins of the sentiment-intensity score (O-RAG section 4; WARP).
BINS: Final[tuple[int, ...]] = (-30, -20, -10, 0, 10, 20, 30)

IMPACT: Final[dict[str, int]] = {"high": 30, "medium": 20, "low": 10}


@dataclass(frozen=True, slots=True)
class RegistryEntity:
    """A thing that people hold views on, in one corpus.

    Attributes
    ----------
    key
        Stable slug, unique in the corpus (``front-desk``).
    name
        What a person reads (``front desk``).
    parent
        Key of the parent entity, or None for the top tier.
    aliases
        Lower-case surface forms that name it, the name's own forms included.
    """

    key: str
    name: str
    parent: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpinionUnit:
    """One opinion: who feels what about which entity, with the words that say so.

    Attributes
    ----------
    entity
        Key of the registry entity.
    sentiment, intensity
        Polarity of the clause and its strength (``none`` only for neutral and mixed).
    score
        Sentiment-intensity score in {-30, -20, -10, 0, 10, 20, 30}; mixed and neutral are 0.
    impact
        10, 20 or 30: how much the matter weighs for the author.
    markers
        Emotional markers above the confidence floor, sorted (``frustration``, ``delight`` ...).
    evidence
        What the opinion rests on.
    quote, start, end
        Exact words, with ``text[start:end] == quote`` in the stored text.
    confidence
        Calibrated probability in [0, 1] that the sign is right.
    """

    entity: str
    sentiment: Sentiment
    intensity: Intensity
    score: int
    impact: int
    markers: tuple[str, ...]
    evidence: Evidence
    quote: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found in one document.

    ``language`` is an ISO 639-1 code or ``und``; a document that is not in the extractor's language has no
    opinions and is counted as set aside.
    """

    document_id: int
    opinions: tuple[OpinionUnit, ...] = ()
    language: str = "en"


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """One ingested document (one row of a source)."""

    id: int
    corpus_id: int
    external_id: str
    text: str
    title: str = ""
    url: str = ""
    subject: str = ""
    date: str = ""
    rating: float | None = None
    author: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


def score_of(sentiment: Sentiment, intensity: Intensity) -> int:
    """Return the sentiment-intensity score of O-RAG section 4, in {-30, ..., 30}."""
    sign = {"positive": 1, "negative": -1}.get(sentiment, 0)
    return sign * {"high": 30, "medium": 20, "low": 10, "none": 0}[intensity]


__all__ = [
    "BINS",
    "IMPACT",
    "DocumentRecord",
    "Evidence",
    "Extraction",
    "Intensity",
    "OpinionUnit",
    "RegistryEntity",
    "Sentiment",
    "score_of",
]
