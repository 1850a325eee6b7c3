"""Judge the extractor by what reviewers themselves rated: seven aspects of airport lounges (Skytrax).

The ratings were given by the authors of the texts, aspect by aspect, and nothing is fitted to them. A whole-review
score cannot tell two aspects of one review apart, so the order of pairs is the measure that matters.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.extraction_data import (
    SKYTRAX_RATINGS,
    RatedReview,
    rated_reviews,
    skytrax_registry,
)
from agents.evaluation.measures import NEUTRAL, calibration_error, vader
from store.enrich.lexical import LexicalExtractor
from store.enrich.polarity import compound
from store.ports import OpinionExtractor
from store.records import OpinionUnit

#: One score for each aspect that a review names.
AspectScores = list[dict[str, float]]


def aspects(data: Path, extractor: OpinionExtractor | None = None) -> dict[str, Any]:
    """Return, by method, the balanced accuracy of the sign and the share of pairs in the right order.

    The score of an aspect is the mean over its opinion units: of ``unit.score`` for the extractor, of the compound
    score of the unit's quote for VADER and for the bare lexicon, whole and cut into bins. ``whole review`` is VADER on
    all of the text.
    """
    reviews = rated_reviews(data)
    used = extractor or LexicalExtractor()
    extractions = list(
        used.extract([(i, review.text) for i, review in enumerate(reviews)], skytrax_registry())
    )
    units = [extraction.opinions for extraction in extractions]
    whole = [vader(review.text) for review in reviews]
    scored: dict[str, AspectScores] = {
        "majority": [dict.fromkeys(_names(unit), 1.0) for unit in units],
        "whole review": [dict.fromkeys(_names(unit), whole[i]) for i, unit in enumerate(units)],
        "vader, clause": _means(units, lambda unit: vader(unit.quote)),
        "lexicon, clause": _means(units, lambda unit: compound(unit.quote)),
        "lexicon, seven bins": _means(units, lambda unit: _bin(compound(unit.quote))),
        used.name: _means(units, lambda unit: float(unit.score)),
    }
    found: dict[str, Any] = {name: measure(reviews, scores) for name, scores in scored.items()}
    found[used.name].update(reliability(reviews, units))
    return found


def measure(reviews: Sequence[RatedReview], scores: AspectScores) -> dict[str, Any]:
    """Score aspect scores against ratings.

    ``balanced accuracy`` is the mean over aspects of the mean of two shares: ratings 1-2 scored below zero and
    ratings 4-5 above; zero is wrong. ``pair order`` is over pairs of aspects of one review whose ratings differ by
    two or more, ties half. ``spearman`` rewards whole-review scores too: read it beside the pairs.
    """
    by_aspect = {}
    for aspect in SKYTRAX_RATINGS:
        rated = [
            (review.ratings[aspect], score[aspect])
            for review, score in zip(reviews, scores, strict=True)
            if aspect in score and aspect in review.ratings
        ]
        low = [score < 0 for rating, score in rated if rating <= 2]
        high = [score > 0 for rating, score in rated if rating >= 4]
        by_aspect[aspect] = {
            "spearman": _spearman(rated),
            "low": round(float(np.mean(low)), 4) if low else 0.0,
            "high": round(float(np.mean(high)), 4) if high else 0.0,
            "rated": len(low) + len(high),
        }
    pairs = pair_orders(reviews, scores)
    return {
        "balanced accuracy": round(
            float(np.mean([(row["low"] + row["high"]) / 2 for row in by_aspect.values()])), 4
        ),
        "pair order": round(float(pairs.mean()), 4) if len(pairs) else 0.0,
        "pairs": len(pairs),
        "spearman": round(float(np.mean([row["spearman"] for row in by_aspect.values()])), 4),
        "aspects": by_aspect,
    }


def pair_orders(reviews: Sequence[RatedReview], scores: AspectScores) -> NDArray[np.float64]:
    """Return 1, 0.5 or 0 for each pair of named aspects whose ratings differ by at least 2."""
    orders = []
    for review, score in zip(reviews, scores, strict=True):
        named = [aspect for aspect in score if aspect in review.ratings]
        for one, other in itertools.combinations(named, 2):
            gap = review.ratings[one] - review.ratings[other]
            if abs(gap) >= 2:
                orders.append(0.5 + 0.5 * float(np.sign((score[one] - score[other]) * gap)))
    return np.asarray(orders)


def reliability(reviews: Sequence[RatedReview], units: Sequence[Sequence[OpinionUnit]]) -> dict[str, float]:
    """Compare the units' confidence with how often their sign is that of the rating (3 left out).

    A clause may rightly blame what the author rates well as a whole, so the gap is an upper bound.
    """
    confidence, right = [], []
    neutral = total = 0
    for review, opinions in zip(reviews, units, strict=True):
        for unit in opinions:
            total += 1
            neutral += unit.score == 0
            rating = review.ratings.get(unit.entity, 3.0)
            if rating != 3 and unit.score:
                confidence.append(unit.confidence)
                right.append((unit.score > 0) == (rating > 3))
    return {
        "unit accuracy": round(float(np.mean(right)), 4) if right else 0.0,
        "calibration error": calibration_error(np.asarray(confidence), np.asarray(right)),
        "units": total,
        "units without a side": round(neutral / max(total, 1), 4),
    }


def _spearman(rated: Sequence[tuple[float, float]]) -> float:
    """Rank correlation of rating and score, in [-1, 1]; 0 where either is constant."""
    from scipy.stats import spearmanr

    ratings, scores = [rating for rating, _ in rated], [score for _, score in rated]
    if len(set(ratings)) < 2 or len(set(scores)) < 2:
        return 0.0
    return round(float(spearmanr(ratings, scores).statistic), 4)


def _bin(value: float) -> float:
    """Cut a compound score into the seven bins, evenly enough that each is used."""
    size = abs(value)
    step = 0 if size < NEUTRAL else 10 if size < 0.4 else 20 if size < 0.7 else 30
    return float(np.copysign(step, value))


def _means(units: Sequence[Sequence[OpinionUnit]], value: Callable[[OpinionUnit], float]) -> AspectScores:
    found: AspectScores = []
    for opinions in units:
        by_entity: dict[str, list[float]] = {}
        for unit in opinions:
            by_entity.setdefault(unit.entity, []).append(value(unit))
        found.append({entity: float(np.mean(values)) for entity, values in by_entity.items()})
    return found


def _names(opinions: Sequence[OpinionUnit]) -> list[str]:
    return list(dict.fromkeys(unit.entity for unit in opinions))


__all__ = ["AspectScores", "aspects", "measure", "pair_orders", "reliability"]
