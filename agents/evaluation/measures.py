"""The measures and the VADER baseline that the evaluations of the extractor share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: VADER's own cut between neutral and an opinion.
NEUTRAL: Final = 0.05

Signs = NDArray[np.int64]


@cache
def _analyser() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def vader(text: str) -> float:
    """VADER's compound score, in [-1, 1]: the baseline (Hutto and Gilbert 2014)."""
    return float(_analyser().polarity_scores(text)["compound"])


def cut(scores: Sequence[float]) -> Signs:
    """Cut scores in [-1, 1] into signs; less than ``NEUTRAL`` away from zero is 0."""
    values = np.asarray(scores, dtype=float)
    return np.where(np.abs(values) < NEUTRAL, 0, np.sign(values)).astype(np.int64)


def by_sign(truth: Signs, found: Signs) -> dict[str, float]:
    """Accuracy over signs, and recall of each; 0 in ``found`` is wrong."""
    return {
        "accuracy": _share(found == truth),
        "positive": _share(found[truth > 0] == 1),
        "negative": _share(found[truth < 0] == -1),
        "sentences": len(truth),
    }


def by_class(truth: Signs, found: Signs) -> dict[str, float]:
    """Accuracy over negative (-1), neutral (0) and positive (1), and recall of each."""
    recalls = {
        name: _share(found[truth == value] == value)
        for value, name in ((-1, "negative"), (0, "neutral"), (1, "positive"))
    }
    return {"accuracy": _share(found == truth), **recalls, "targets": len(truth)}


def retrieved(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> dict[str, float]:
    """Precision, recall and F1 of what was found."""
    hits = float((truth & found).sum())
    precision, recall = hits / max(float(found.sum()), 1.0), hits / max(float(truth.sum()), 1.0)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return {
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(f1, 4),
        "sentences": len(truth),
    }


def calibration_error(
    confidence: NDArray[np.floating[Any]], right: NDArray[np.bool_], bins: int = 10
) -> float:
    """Return the expected calibration error: mean gap between confidence and share right over bins, in [0, 1]."""
    if not len(confidence):
        return 0.0
    places = np.minimum((np.asarray(confidence) * bins).astype(int), bins - 1)
    gaps = [
        abs(float(confidence[places == place].mean() - right[places == place].mean()))
        * float((places == place).mean())
        for place in np.unique(places)
    ]
    return round(float(sum(gaps)), 4)


def _share(right: NDArray[np.bool_]) -> float:
    return round(float(right.mean()), 4) if len(right) else 0.0


__all__ = ["NEUTRAL", "Signs", "by_class", "by_sign", "calibration_error", "cut", "retrieved", "vader"]
