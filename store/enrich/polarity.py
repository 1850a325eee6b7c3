"""Polarity of a clause from the VADER lexicon and rules (Hutto and Gilbert 2014)."""

from __future__ import annotations

from functools import cache
from typing import Any

from store.records import Intensity, Sentiment


@cache
def _vader() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def compound(text: str) -> float:
    """VADER's compound score of ``text``, in [-1, 1]; 0 where no word carries valence."""
    return float(_vader().polarity_scores(text)["compound"])


def label(value: float) -> tuple[Sentiment, Intensity]:
    """Cut a polarity in [-1, 1] into a sentiment and its strength."""
    size = abs(value)
    if size < 0.05:
        return "neutral", "none"
    intensity: Intensity = "high" if size >= 0.7 else "medium" if size >= 0.4 else "low"
    return ("positive" if value > 0 else "negative"), intensity


__all__ = ["compound", "label"]
