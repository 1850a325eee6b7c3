"""Random instances of the binary and multi-group reranking problems, shared by the tests of this package."""

from __future__ import annotations

import json
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from agents.fairness.faro_problem import RerankProblem, prepare

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "data" / "golden_faro.json").read_text(encoding="utf-8")
)


@st.composite
def instances(draw: st.DrawFn, questions: int = 8, candidates: int = 8, k_most: int = 5) -> dict[str, Any]:
    """Arguments of ``prepare``: ties, rounding, empty groups, negative, zero and equal weights, negative relevance."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    Q = draw(st.integers(1, questions))
    k = draw(st.integers(1, k_most))
    N = draw(st.integers(k, max(k, candidates)))
    R = rng.normal(0.5, 0.3, (Q, N))
    if draw(st.booleans()):
        R = np.round(R, 1)
    a = np.where(rng.random((Q, N)) < draw(st.sampled_from((0.0, 0.2, 0.5, 0.8, 1.0))), 1, -1)
    w = {
        "plain": np.sort(rng.random(k))[::-1] * 0.5,
        "signed": rng.normal(0, 0.3, k),
        "negative": -rng.random(k) * 0.4,
        "equal": np.full(k, 0.25),
        "with_zero": np.where(np.arange(k) == k - 1, 0.0, rng.random(k) * 0.4),
        "lattice": np.round(rng.normal(0.1, 0.3, k), 1),
    }[draw(st.sampled_from(("plain", "signed", "negative", "equal", "with_zero", "lattice")))]
    return {"relevance": R, "attribute": a, "weights": w, "intercept": float(np.round(rng.normal(0, 0.3), 3))}


def typical(
    rng: np.random.Generator, Q: int, k: int, *, N: int = 20, skew: float = 0.75, b: float = -0.2
) -> RerankProblem:
    """An instance like the paper's: relevances near .75, one group more frequent, falling weights."""
    R = np.clip(rng.normal(0.75, 0.1, (Q, N)), 0, 1)
    a = np.where(rng.random((Q, N)) < skew, -1, 1)
    w = np.arange(1, k + 1) ** -0.7
    return prepare(R, a, np.round(0.9 * w / w.sum(), 4), b)


def enumerate_optimum(problem: RerankProblem, tau: float, target: float = 0.0) -> float | None:
    """Best relevance over every ranking of every question, or None if none meets the constraint."""
    per_question = []
    for q in range(problem.questions):
        best: dict[float, float] = {}
        for ranking in permutations(range(problem.relevance.shape[1]), problem.k):
            index = list(ranking)
            bias = round(float(problem.attribute[q, index] @ problem.weights), 12)
            best[bias] = max(best.get(bias, -np.inf), float(problem.relevance[q, index].sum()))
        per_question.append(list(best.items()))
    found = None
    for combination in product(*per_question):
        rb = sum(c[0] for c in combination) / problem.questions + problem.intercept
        if abs(rb - target) <= tau + 1e-9:
            relevance = sum(c[1] for c in combination)
            found = relevance if found is None else max(found, relevance)
    return found
