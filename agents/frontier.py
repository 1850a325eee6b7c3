"""The exact choices that lie on the relevance-fairness frontier of one pool: which documents, at which lambda."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.fairness.pool import Pool
from agents.fairness.selection import select
from agents.pools import OpinionPool
from store.records import BINS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FrontierChoice:
    """One choice of the frontier.

    Attributes
    ----------
    lam
        Weight of W1 that gives it, the smallest of those asked for.
    rows
        Rows of the pool, most relevant first.
    relevance, w1
        Sum of the relevance, and W1 to the target.
    """

    lam: float
    rows: Integers
    relevance: float
    w1: float


def exact_choices(
    pool: OpinionPool, relevance: Floats, k: int, lambdas: Sequence[float]
) -> tuple[FrontierChoice, ...]:
    """Return the distinct exact choices of k documents, by rising lambda.

    Parameters
    ----------
    relevance
        Shape (n,), one value a row of the pool.
    lambdas
        Weights of W1 a document: the selection's lambda is ``k`` times each.
    """
    ids, scores = pool.stances.document_ids, pool.stances.scores
    # Only the k most relevant of each bin can be chosen: leaving the others out changes nothing.
    order = np.lexsort((ids, -relevance))
    kept = np.sort(np.concatenate([order[scores[order] == value][:k] for value in BINS]))
    problem = Pool(
        relevance=relevance[kept],
        score=scores[kept].astype(np.float64),
        population=pool.target,
        ids=ids[kept].astype(np.intp),
    )
    choices: dict[tuple[int, ...], FrontierChoice] = {}
    for lam in lambdas:
        found = select("exact", problem, k, lam=lam * k)
        key = tuple(sorted(int(i) for i in found.indices))
        rows = np.asarray(kept[found.indices], dtype=np.int64)
        choices.setdefault(
            key, FrontierChoice(lam * k, rows, float(found.parts.relevance), float(found.parts.w1))
        )
    return tuple(choices.values())


__all__ = ["FrontierChoice", "exact_choices"]
