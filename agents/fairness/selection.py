"""Choose documents by a named method: the one door that the agent and the evaluation use.

    selection = select("exact", pool, k=20, rng=np.random.default_rng(7))

Every method takes the same :class:`Pool` and returns the same :class:`Selection`. ``METHODS`` names them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from agents.fairness import baselines, methods, ranked_methods, warp
from agents.fairness.checks import instance
from agents.fairness.measure import measure, shortfalls
from agents.fairness.pool import Choice, Pool, Selection, SelectionParts, check_call

#: ``method(pool, k, rng, **its own options)``: chooses k documents, fewer only where its candidates are fewer.
Method = Callable[..., Choice]

#: Every selection method by name.
METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "exact": methods.exact,
        "exact-w2": methods.exact_w2,
        "exact-weighted": ranked_methods.exact_weighted,
        "balanced": methods.balanced,
        "faro": ranked_methods.faro,
        "relevance": baselines.relevance,
        "mmr": baselines.mmr,
        "dpp": baselines.dpp,
        "kl": baselines.kl,
        "js": baselines.js,
        "opinion-mmr": baselines.opinion_mmr,
        "w1-greedy": warp.w1_greedy,
        "w1-mmr": warp.w1_mmr,
        "wassrank-ot": warp.wassrank_ot,
        "faro-grid": ranked_methods.faro_grid,
        "lp": ranked_methods.linear_program,
        "probabilistic": ranked_methods.probabilistic,
        "random": methods.random_entity,
        "stratified": methods.stratified,
    }
)

#: Probability samples: only they have inclusion probabilities.
SAMPLES: Final = frozenset({"balanced", "random", "stratified"})
#: Methods that draw at random and need a generator.
RANDOM_METHODS: Final = SAMPLES | {"probabilistic"}
#: Methods that order by position weights, and aim at a predicted output bias.
AIMED_METHODS: Final = frozenset({"faro", "faro-grid", "lp", "probabilistic"})


def select(
    method: str, pool: Pool, k: int, rng: np.random.Generator | None = None, **options: Any
) -> Selection:
    """Select k documents of the pool by the method of this name.

    Parameters
    ----------
    method
        A name in :data:`METHODS`.
    pool
        The candidates and the population.
    k
        Documents to select, at least 1. With fewer candidates than k all are taken and a note says so.
    rng
        Source of chance; required by the random methods, unused by the others.
    options
        The method's own: ``lam, beta, p`` (exact), ``trade_off`` (mmr ...), ``relevance_quantile`` (samples),
        ``weights`` of the positions, shape (k,) (exact-weighted, faro and its baselines).

    Returns
    -------
    Selection
        Most relevant first, unless the method chose the order too.

    Raises
    ------
    ValueError
        Unknown method or option, k < 1, or a random method without ``rng``; begins with the argument's name.
    """
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method: no selection method {method!r}; known are {', '.join(METHODS)}")
    check_call(pool, k)
    if rng is None:
        if method in RANDOM_METHODS:
            raise ValueError(f"rng: {method} is a random method and needs a generator")
        rng = np.random.default_rng(0)
    instance("rng", rng, np.random.Generator)
    try:
        choice = METHODS[method](pool, k, rng, **options)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        raise ValueError(f"options: {method} takes no such option ({error})") from error
    indices = choice.indices if choice.ranked else pool.by_relevance(choice.indices)
    inclusion = None
    if choice.frame_inclusion is not None:
        inclusion = choice.frame_inclusion[np.searchsorted(choice.frame, indices)]
    return Selection(
        indices=indices,
        method=method,
        parts=measure(pool, indices, choice.frame),
        inclusion=inclusion,
        notes=choice.notes + shortfalls(pool, k, indices, choice.frame),
        objective=choice.objective,
        exact=choice.exact,
        ranked=choice.ranked,
        frame=choice.frame,
        frame_inclusion=choice.frame_inclusion,
    )


__all__ = [
    "AIMED_METHODS",
    "METHODS",
    "RANDOM_METHODS",
    "SAMPLES",
    "Method",
    "Pool",
    "Selection",
    "SelectionParts",
    "measure",
    "select",
]
