"""Methods that choose the order together with the documents: ours by position weights, and FARO's as published.

FARO sees no more of a document than its polarity: +1, -1, or 0 for a neutral one. Its published algorithms know two
groups; here a neutral document counts nothing in Rb.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from agents.fairness.checks import finite_vector, instance, number
from agents.fairness.distance import BINS, FloatArray, IntArray
from agents.fairness.faro_grid import published_prices
from agents.fairness.faro_problem import SLACK
from agents.fairness.faro_question import solve_question
from agents.fairness.opinion import check_weight, recommended_weights, select_weighted
from agents.fairness.pool import Choice, Pool, check_call
from agents.fairness.scale import zero_and_unit

#: Most documents whose order ``exact-weighted`` chooses: its programme runs over all subsets of the positions.
MOST_WEIGHTED: Final = 12
#: Seconds that the linear programme may take.
_PATIENCE: Final = 20.0


@dataclass(frozen=True, eq=False)
class _Aimed:
    """What a method that aims at an output bias starts from.

    ``rows`` are the entity's documents, most relevant first, with ``relevance`` and ``polarity``; ``weights`` those of
    the ranks that there are documents for; ``goal`` the Rb aimed at.
    """

    frame: IntArray
    rows: IntArray
    relevance: FloatArray
    polarity: IntArray
    weights: FloatArray
    goal: float

    def bias(self, ranking: IntArray) -> float:
        """Return the Rb of a ranking (places in ``rows``), without the intercept."""
        return float(self.polarity[ranking] @ self.weights)


def exact_weighted(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    weights: FloatArray | None = None,
    lam: float | None = None,
) -> Choice:
    """Find documents and their order together: relevance and W1 of the distribution as position weights count it.

    Shape of ``weights``: (k,), negative ones clipped to 0 (and said); default 1/k, with which the choice is that of
    ``exact`` without author groups. At most :data:`MOST_WEIGHTED` documents.
    """
    check_call(pool, k)
    if lam is not None:
        check_weight("lam", lam)
    if k > MOST_WEIGHTED:
        raise ValueError(f"k: exact-weighted orders at most {MOST_WEIGHTED} documents, got {k}")
    frame = pool.entity_documents()
    size = min(k, frame.size)
    if size == 0:
        return Choice(frame, frame)
    given = _by_rank(weights, size, k)
    counted, notes = np.maximum(given, 0.0), []
    if not counted.sum() > 0:
        counted = np.full(size, 1 / size)
        notes.append("no position weight is positive: every rank counts alike")
    elif (given < 0).any():
        notes.append(
            f"negative position weights count 0 in the distance ({int((given < 0).sum())} of {size})"
        )
    # Ties go to the lower id, as everywhere: the programme takes the first of equals.
    rows = frame[np.argsort(pool.tie_breaks[frame], kind="stable")]
    lam = recommended_weights(size)[0] if lam is None else lam
    result = select_weighted(pool.relevance[rows], pool.score[rows], pool.population, counted, lam=lam)
    ranking = rows[result.indices]
    for weight in np.unique(counted):  # ranks that count alike are free: the more relevant first
        alike = counted == weight
        ranking[alike] = pool.by_relevance(ranking[alike])
    return Choice(
        ranking, frame, objective=result.objective, exact=result.optimal, ranked=True, notes=tuple(notes)
    )


def faro(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    weights: FloatArray | None = None,
    intercept: float = 0.0,
    target: float | None = None,
    tau: float = 0.1,
) -> Choice:
    """Take the most relevant documents that some order brings within ``tau`` of the target Rb: FARO for one question.

    ``weights`` (k,) default to 1/k, with which Rb is the mean polarity shown; ``target`` to the population's polarity
    times their sum. Exact, neutral documents included.
    """
    _check_aim(pool, k, intercept, target, tau)
    if not (aimed := _aimed(pool, k, weights, target)).rows.size:
        return Choice(aimed.frame, aimed.frame)
    solved = solve_question(
        aimed.relevance, aimed.polarity, aimed.weights, intercept, target=aimed.goal, tau=tau
    )
    exact = solved.feasible and solved.status != "certified"
    notes = () if solved.feasible else (_unmet(aimed.goal, tau, solved.reachable),)
    return Choice(aimed.rows[solved.ranking], aimed.frame, exact=exact, ranked=True, notes=notes)


def faro_grid(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    weights: FloatArray | None = None,
    intercept: float = 0.0,
    target: float | None = None,
    tau: float = 0.1,
) -> Choice:
    """Run FARO's algorithm 2 on one question: 81 prices, a Hungarian assignment each, the most relevant that will do.

    Options as those of :func:`faro`. Where no price meets the target the ranking nearest to it is returned, and a note
    says so; ``faro`` often meets it there.
    """
    from scipy.optimize import linear_sum_assignment

    _check_aim(pool, k, intercept, target, tau)
    if not (aimed := _aimed(pool, k, weights, target)).rows.size:
        return Choice(aimed.frame, aimed.frame)
    relevance, goal = aimed.relevance, aimed.goal
    tried: list[tuple[float, float, IntArray]] = []
    for price in published_prices():
        reward = relevance[:, None] - price * np.outer(aimed.polarity, aimed.weights)
        documents, ranks = linear_sum_assignment(reward, maximize=True)
        ranking = documents[np.argsort(ranks)]
        outside = abs(aimed.bias(ranking) + intercept - goal) - tau
        tried.append((max(outside, 0.0), -float(relevance[ranking].sum()), ranking))
    within = [each for each in tried if each[0] <= SLACK]
    best = min(within or tried, key=lambda each: (0.0 if within else each[0], each[1]))
    unmet = (
        f"no ranking of the published grid of prices brings the predicted Rb within {tau:g} of {goal:+.2f}"
    )
    return Choice(aimed.rows[best[2]], aimed.frame, ranked=True, notes=() if within else (unmet,))


def linear_program(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    weights: FloatArray | None = None,
    intercept: float = 0.0,
    target: float | None = None,
    tau: float = 0.1,
) -> Choice:
    """Run FARO's baseline (section 5.2) on one question: a linear programme over documents and ranks, made whole.

    Options as those of :func:`faro`. Making it whole often breaks the constraint; a note says so. Without any solution
    the most relevant documents are shown.
    """
    from scipy import sparse
    from scipy.optimize import linear_sum_assignment, linprog

    _check_aim(pool, k, intercept, target, tau)
    if not (aimed := _aimed(pool, k, weights, target)).rows.size:
        return Choice(aimed.frame, aimed.frame)
    rows, relevance, goal, size = aimed.rows, aimed.relevance, aimed.goal, aimed.weights.size
    bias = np.outer(aimed.polarity, aimed.weights).reshape(1, -1)
    once = sparse.kron(sparse.eye_array(rows.size), np.ones((1, size)))
    filled = sparse.kron(np.ones((1, rows.size)), sparse.eye_array(size))
    zero, unit = zero_and_unit(relevance[None, :], np.ones((1, rows.size), bool))
    found = linprog(
        -np.repeat((relevance - zero) / unit, size),
        A_ub=sparse.vstack((once, sparse.csr_array(bias), sparse.csr_array(-bias))).tocsr(),
        b_ub=np.concatenate((np.ones(rows.size), [goal + tau - intercept, intercept + tau - goal])),
        A_eq=filled.tocsr(),
        b_eq=np.ones(size),
        bounds=(0, 1),
        method="highs",
        options={"time_limit": _PATIENCE},
    )
    if found.status != 0:
        why = "has no solution" if found.status == 2 else f"found none in {_PATIENCE:g} s"
        note = (
            f"no ranking by lp: the linear programme {why} within {tau:g} of {goal:+.2f}; most relevant shown"
        )
        return Choice(rows[:size], aimed.frame, ranked=True, notes=(note,))
    documents, ranks = linear_sum_assignment(found.x.reshape(rows.size, size), maximize=True)
    ranking = documents[np.argsort(ranks)]
    reached = aimed.bias(ranking) + intercept
    broken = (
        f"no ranking made whole from lp has its predicted Rb within {tau:g} of {goal:+.2f}: {reached:+.2f}"
    )
    notes = () if abs(reached - goal) <= tau + SLACK else (broken,)
    return Choice(rows[ranking], aimed.frame, ranked=True, notes=notes)


def probabilistic(
    pool: Pool,
    k: int,
    rng: np.random.Generator,
    *,
    weights: FloatArray | None = None,
    intercept: float = 0.0,
    target: float | None = None,
) -> Choice:
    """Draw the polarity of each rank and fill it with the most relevant unused document (FARO eq. 2).

    The embedding bias is the same at every rank, the one that brings the expected Rb to the target, as far as there is
    one: ``(target - intercept) / sum(weights)``, within what the share of neutral documents leaves. Neutral ones keep
    the population's share. Seeded, but no probability sample: documents have no inclusion probabilities.
    """
    _check_aim(pool, k, intercept, target)
    instance("rng", rng, np.random.Generator)
    if not (aimed := _aimed(pool, k, weights, target)).rows.size:
        return Choice(aimed.frame, aimed.frame)
    rows, polarity, size = aimed.rows, aimed.polarity, aimed.weights.size
    total = float(aimed.weights.sum())
    neutral = float(pool.population[np.sign(BINS) == 0].sum())
    lean = (aimed.goal - intercept) / total if abs(total) > SLACK else float(np.sign(BINS) @ pool.population)
    lean = float(np.clip(lean, neutral - 1, 1 - neutral))
    chances = np.clip([(1 - neutral - lean) / 2, neutral, (1 - neutral + lean) / 2], 0.0, 1.0)
    wanted = rng.choice(np.asarray([-1, 0, 1]), size, p=chances / chances.sum())
    free, ranking, forced = np.ones(rows.size, bool), [], 0
    for group in wanted:
        own = np.flatnonzero(free & (polarity == group))
        forced += not own.size
        place = int(own[0]) if own.size else int(np.flatnonzero(free)[0])
        free[place] = False
        ranking.append(place)
    note = f"only documents of another side were left for {forced} of {size} ranks"
    return Choice(rows[ranking], aimed.frame, ranked=True, notes=(note,) if forced else ())


def _by_rank(weights: FloatArray | None, size: int, k: int) -> FloatArray:
    """Return the weights of the ranks that there are documents for, shape (size,)."""
    if weights is None:
        return np.full(size, 1 / size)
    given = finite_vector("weights", weights)
    if given.size not in (k, size):
        raise ValueError(f"weights: expected one for each of k = {k} ranks, got {given.size}")
    return given[:size]


def _check_aim(pool: Pool, k: int, intercept: float, target: float | None, tau: float = 0.0) -> None:
    check_call(pool, k)
    number("intercept", intercept)
    number("tau", tau, 0.0)
    if target is not None:
        number("target", target)


def _aimed(pool: Pool, k: int, weights: FloatArray | None, target: float | None) -> _Aimed:
    frame = pool.entity_documents()
    rows = pool.by_relevance(frame)
    size = min(k, frame.size)
    given = _by_rank(weights, size, k) if size else np.empty(0)
    goal = float(np.sign(BINS) @ pool.population) * float(given.sum()) if target is None else float(target)
    polarity = np.sign(pool.score[rows]).astype(np.int64)
    return _Aimed(frame, rows, pool.relevance[rows], polarity, given, goal)


def _unmet(goal: float, tau: float, reachable: tuple[float, float]) -> str:
    low, high = np.clip(reachable, -1.0, 1.0)
    return f"no ranking brings the predicted Rb within {tau:g} of {goal:+.2f} (reachable {low:+.2f} to {high:+.2f})"


__all__ = [
    "MOST_WEIGHTED",
    "exact_weighted",
    "faro",
    "faro_grid",
    "linear_program",
    "probabilistic",
]
