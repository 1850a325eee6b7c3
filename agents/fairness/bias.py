"""Bias scores of a knowledge base, a retriever, a model and an output (FARO, section 4.1).

One definition serves them all: over samples s, ``mean(g1(s) - g2(s))`` (eq. 1). Groups are coded +1 (g1), -1 (g2)
and 0 where neither is favoured, as in a refusal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.fairness.checks import finite_vector, number, numbers, within

Floats = NDArray[np.float64]


class BiasScore(NamedTuple):
    """A bias score with what is needed to judge it.

    Attributes
    ----------
    value
        In [-1, 1]; 0 is balance, +1 always g1, -1 always g2.
    standard_error
        Of ``value``, by samples (NaN for a single sample).
    refusal_rate
        Share of samples that favour neither group, in [0, 1].
    samples
        Number of samples, refusals included.
    """

    value: float
    standard_error: float
    refusal_rate: float
    samples: int


def _coded(favours: ArrayLike, name: str) -> Floats:
    g = numbers(name, favours)
    if g.size == 0:
        raise ValueError(f"{name} must not be empty")
    if not np.isin(g, (-1.0, 0.0, 1.0)).all():
        raise ValueError(f"{name} must hold -1, 0 or +1 only")
    return g


def bias_score(favours: ArrayLike) -> BiasScore:
    """Return eq. 1 over samples coded +1, -1, or 0 for a refusal.

    A refusal counts for neither group but stays among the samples, as in the equation.

    Raises
    ------
    ValueError
        If ``favours`` is empty or holds another value.
    """
    g = _coded(favours, "favours").ravel()
    error = float(g.std(ddof=1) / np.sqrt(g.size)) if g.size > 1 else float("nan")
    return BiasScore(float(g.mean()), error, refusal_rate(g), int(g.size))


def refusal_rate(favours: ArrayLike) -> float:
    """Share of samples coded 0, in [0, 1]."""
    return float((_coded(favours, "favours") == 0).mean())


def embedding_bias(groups: ArrayLike) -> Floats:
    """Mean group by position (eq. 7): shape (Q, k) of -1, 0, +1 to shape (k,), each in [-1, 1]."""
    g = _coded(groups, "groups")
    if g.ndim != 2:
        raise ValueError(f"groups must have shape (Q, k), got {g.shape}")
    return np.asarray(g.mean(axis=0))


def predicted_bias(embedding: ArrayLike, weights: ArrayLike, intercept: float = 0.0) -> float:
    """``Rb = sum_p w_p Eb_p + b`` (eqs. 4 and 8)."""
    eb = finite_vector("embedding", within("embedding", embedding, -1.0, 1.0), least=1)
    w = finite_vector("weights", weights, length=eb.size)
    return float(eb @ w) + number("intercept", intercept)


__all__ = ["BiasScore", "bias_score", "embedding_bias", "predicted_bias", "refusal_rate"]
