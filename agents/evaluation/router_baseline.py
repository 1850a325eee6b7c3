"""A bag-of-words head for the router, to stand beside the rules; never shipped.

Logistic regression on hashed words and word pairs, fitted by gradient descent. Trained on one source it learns the
source: leaving one source out shows how little of it travels.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.router import Classify, RoutedQuestion, Score, score
from agents.models.router_text import tokens

_BUCKETS = 4096


def _features(question: str) -> NDArray[np.float64]:
    words = [word for word in tokens(question) if word[0].isalnum()]
    row = np.zeros(_BUCKETS)
    for gram in [*words, *(" ".join(pair) for pair in pairwise(words))]:
        row[crc32(gram.encode()) % _BUCKETS] = 1.0
    return row / max(1.0, float(np.sqrt(row.sum())))


def fit_bag_of_words(
    questions: Sequence[RoutedQuestion], *, steps: int = 300, penalty: float = 1e-4
) -> Classify:
    """Fit factual against opinion on ``questions`` (classes weighted alike) and return the classifier."""
    x = np.stack([_features(q.question) for q in questions])
    y = np.array([q.kind == "opinion" for q in questions], dtype=float)
    share = y.mean()
    weight = np.where(y > 0, 0.5 / max(share, 1e-9), 0.5 / max(1 - share, 1e-9)) / len(y)
    coefficients, bias = np.zeros(_BUCKETS), 0.0
    for _ in range(steps):
        error = weight * (1 / (1 + np.exp(-(x @ coefficients + bias))) - y)
        coefficients -= 20.0 * (x.T @ error + penalty * coefficients)
        bias -= 2.0 * float(error.sum())
    return lambda question: "opinion" if _features(question) @ coefficients + bias > 0 else "factual"


def leave_one_source_out(questions: Sequence[RoutedQuestion]) -> dict[str, Score]:
    """Score the head on each source (``family``) after training on all others."""
    scores = {}
    for source in sorted({q.family for q in questions}):
        training = [q for q in questions if q.family != source]
        scores[source] = score([q for q in questions if q.family == source], fit_bag_of_words(training))
    return scores


__all__ = ["fit_bag_of_words", "leave_one_source_out"]
