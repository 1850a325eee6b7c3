"""Simulated generators with known position weights."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["linear", "hetero", "deterministic"]
Floats = NDArray[np.float64]


def answers(
    kind: Kind, question: NDArray[np.int64], e: Floats, w: Floats, b: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Answers -1 or +1: chance linear in the groups; with question effects; or a threshold without chance."""
    Q = int(question.max()) + 1
    u = rng.standard_normal(Q)[question]
    if kind == "deterministic":
        return np.where(b + 0.6 * u + e @ w > 0, 1, -1)
    if kind == "hetero":
        own = w + 0.15 * rng.standard_normal((Q, w.size))[question]
        chance = np.clip((1 + b + 0.3 * u + (e * own).sum(axis=1)) / 2, 0, 1)
    else:
        chance = (1 + b + e @ w) / 2
    return np.where(rng.random(question.size) < chance, 1, -1)


def truth(kind: Kind, w: Floats, b: float) -> Floats:
    """Best linear fit ``(w, b)`` over very many questions."""
    if kind == "linear":
        return np.append(w, b)
    rng = np.random.default_rng(12345)
    Q = 200_000
    e = rng.choice((-1.0, 1.0), size=(Q, w.size))
    y = answers(kind, np.arange(Q), e, w, b, rng)
    return np.asarray(np.linalg.lstsq(np.column_stack((e, np.ones(Q))), y, rcond=None)[0])
