"""Many questions under one fairness constraint, as in the paper: rankings whose predicted Rb over all of them is right.

Each opinion question brings its entity's whole pool. Polarity is +1, -1, or neutral, a third type that moves nothing;
the solver is the exact one for typed documents. Questions that are factual, ask for one side, or have fewer than k
opinions stay outside the constraint and are answered by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from langgraph.runtime import Runtime
from numpy.typing import NDArray

from agents.context import RagContext
from agents.fairness.faro import bias_error
from agents.fairness.multigroup import MultigroupSolution, solve_multigroup
from agents.fairness.multigroup_problem import MultigroupProblem, oracle, prepare_types
from agents.nodes.enhance import enhance
from agents.nodes.link import link
from agents.nodes.rerank import rerank
from agents.nodes.retrieve import retrieve
from agents.nodes.route import route
from agents.ordering import KEPT, PositionWeights, Z, population_bias, position_weights
from agents.pools import opinion_pool
from agents.receipts import frontier_points
from agents.state import RagState, fresh
from store.errors import NoCandidates, UsageError
from store.receipt import FrontierPoint

#: Bias that one document of each type adds: positive, neutral, negative.
VECTORS = ((1.0,), (0.0,), (-1.0,))
#: Supported points of a frontier at the most.
MOST_POINTS = 60


@dataclass(frozen=True, eq=False)
class BatchItem:
    """One question with its candidates: ids, relevance, types (rows of ``VECTORS``), and the population's bias."""

    index: int
    question: str
    ids: NDArray[np.int64]
    relevance: NDArray[np.float64]
    types: NDArray[np.int64]
    population: float


@dataclass(frozen=True, eq=False)
class Batch:
    """The questions of one constraint.

    Attributes
    ----------
    items
        Those under it.
    outside
        Index of each of the others, with the reason.
    population
        Mean bias of the questions' populations, in [-1, 1].
    reachable
        Lowest and highest predicted Rb of any rankings.
    """

    items: tuple[BatchItem, ...]
    outside: dict[int, str]
    problem: MultigroupProblem
    weights: PositionWeights
    population: float
    reachable: tuple[float, float]


@dataclass(frozen=True, eq=False)
class BatchSolution:
    """Rankings of all questions.

    Attributes
    ----------
    solved
        What the optimiser returned, for the shrunk tolerance.
    target, tau
        The constraint as asked.
    margin, standard_error
        What the tolerance was shrunk by, and the predicted Rb's error.
    natural
        Predicted Rb by relevance alone.
    """

    solved: MultigroupSolution
    target: float
    tau: float
    margin: float
    standard_error: float
    natural: float

    @property
    def predicted(self) -> float:
        """Predicted Rb of the rankings."""
        return float(self.solved.bias[0])

    @property
    def relevance_kept(self) -> float:
        """Share of the most relevant rankings' relevance."""
        top = self.solved.top_relevance
        return self.solved.relevance / top if top > 0 else 1.0

    @property
    def met(self) -> bool:
        """Whether the predicted Rb lies within the tolerance that was asked for."""
        return abs(self.predicted - self.target) <= self.tau + 1e-9


@dataclass(frozen=True, slots=True)
class BiasPoint:
    """One supported point of relevance against predicted Rb."""

    bias: float
    relevance_kept: float
    chosen: bool = False


async def candidates(context: RagContext, question: str, options: dict[str, Any]) -> RagState:
    """Run the graph's nodes up to the candidates, without generating anything."""
    runtime: Runtime[RagContext] = Runtime(context=context)
    state = fresh(question, "", "", options)
    state.update(await route(state, runtime))  # type: ignore[typeddict-item]
    state.update(link(state, runtime))  # type: ignore[typeddict-item]
    state.update(await enhance(state, runtime))  # type: ignore[typeddict-item]
    state.update(retrieve(state, runtime))  # type: ignore[typeddict-item]
    return state


async def prepare_batch(
    context: RagContext, questions: Sequence[str], k: int, options: dict[str, Any] | None = None
) -> Batch:
    """Collect the candidates of every question.

    Raises
    ------
    NoCandidates
        No question is on opinions with at least k documents.
    """
    items, outside = [], {}
    for index, question in enumerate(questions):
        state = await candidates(context, question, {**(options or {}), "k": k})
        reason = _outside(state, k)
        if reason:
            outside[index] = reason
            continue
        pool = opinion_pool(context, {**state, "options": {}})
        ids = np.asarray(state["candidates"], dtype=np.int64)
        rows = np.searchsorted(pool.stances.document_ids, ids)
        types = 1 - np.sign(pool.stances.scores[rows]).astype(np.int64)
        relevance = np.asarray(state["relevance"], dtype=np.float64)
        items.append(BatchItem(index, question, ids, relevance, types, population_bias(pool.target)))
    if not items:
        reasons = "; ".join(dict.fromkeys(outside.values())) or "there are none"
        raise NoCandidates(
            f"no question of the batch falls under the constraint ({reasons})", "use a smaller -k"
        )
    weights = position_weights(context, k)
    problem = _problem(items, weights)
    low, high = (float(problem.bias_of(oracle(problem, [nu]).pattern)[0]) for nu in (1e6, -1e6))
    population = float(np.mean([item.population for item in items]))
    return Batch(tuple(items), outside, problem, weights, population, (low, high))


def solve_batch(batch: Batch, tau: float, target: float | str = "proportional") -> BatchSolution:
    """Find the most relevant rankings with ``|Rb - target| <= tau``, the tolerance shrunk by the calibration's error.

    Raises
    ------
    UsageError
        The tolerance is negative or no number.
    """
    if not np.isfinite(tau) or tau < 0:
        raise UsageError(f"the tolerance is {tau}", "give a number that is not negative")
    goal = batch.weights.goal(target, batch.population)
    margin, error = 0.0, 0.0
    for _ in range(6):
        solved = solve_multigroup(batch.problem, max(tau - margin, KEPT * tau), goal)
        error = bias_error(_embedding_bias(batch.problem, solved.pattern), batch.weights.covariance)
        if Z * error <= margin + 1e-12:
            break
        margin = Z * error
    natural = float(batch.problem.bias_of(batch.problem.natural_pattern)[0])
    return BatchSolution(solved, goal, tau, margin, error, natural)


def rankings(batch: Batch, solution: BatchSolution) -> dict[int, list[int]]:
    """Return the document ids of each question under the constraint, in order, by the question's index."""
    return {
        item.index: [int(i) for i in item.ids[row]]
        for item, row in zip(batch.items, solution.solved.ranking, strict=True)
    }


def batch_frontier(batch: Batch) -> list[BiasPoint]:
    """Return the supported frontier of relevance against predicted Rb, by rising Rb.

    Between two neighbours a third is sought at the price that makes them equal, until there is none (Aneja and Nair,
    1979); at most ``MOST_POINTS``, which then are still exact but not all.
    """
    problem = batch.problem
    found: dict[float, float] = {}

    def at(nu: float) -> tuple[float, float]:
        pattern = problem.natural_pattern if nu == 0 else oracle(problem, [nu]).pattern
        bias = float(problem.bias_of(pattern)[0])
        relevance = problem.relevance_of(problem.ranking(pattern))
        key = round(bias, 12)
        found[key] = max(found.get(key, -np.inf), relevance)
        return bias, relevance

    open_pairs = [(at(1e4), at(0.0)), (at(0.0), at(-1e4))]
    while open_pairs and len(found) < MOST_POINTS:
        # The widest gap first, so that a frontier that is cut short is even.
        open_pairs.sort(key=lambda pair: pair[1][0] - pair[0][0])
        left, right = open_pairs.pop()
        if right[0] - left[0] < 1e-9:
            continue
        mu = (right[1] - left[1]) / (right[0] - left[0])
        middle = at(mu / problem.questions)
        gain = (middle[1] - mu * middle[0]) - (left[1] - mu * left[0])
        if gain > 1e-9 and left[0] + 1e-12 < middle[0] < right[0] - 1e-12:
            open_pairs += [(left, middle), (middle, right)]
    top = problem.top_relevance
    return [BiasPoint(bias, relevance / top if top > 0 else 1.0) for bias, relevance in sorted(found.items())]


async def question_frontier(
    context: RagContext, question: str, options: dict[str, Any]
) -> tuple[RagState, tuple[FrontierPoint, ...]]:
    """Return relevance kept against W1 of the exact opinion choice for one question, with the chosen point.

    Raises
    ------
    NoCandidates
        The question is not on opinions, or there are none.
    """
    state = await candidates(context, question, options)
    reason = _outside(state, 1, one_side=False)
    if reason:
        raise NoCandidates(f"there is no frontier: {reason}", "ask what people think of something")
    runtime: Runtime[RagContext] = Runtime(context=context)
    state.update(rerank(state, runtime))  # type: ignore[typeddict-item]
    return state, frontier_points(state, opinion_pool(context, state))


def _problem(items: Sequence[BatchItem], weights: PositionWeights) -> MultigroupProblem:
    width = max(len(item.ids) for item in items)
    shape = (len(items), width)
    relevance, types = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    present = np.zeros(shape, dtype=bool)
    for row, item in enumerate(items):
        size = len(item.ids)
        relevance[row, :size], types[row, :size], present[row, :size] = item.relevance, item.types, True
    return prepare_types(relevance, types, VECTORS, weights.weights, weights.intercept, present=present)


def _embedding_bias(problem: MultigroupProblem, pattern: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(problem.vectors[pattern][:, :, 0].mean(axis=0))


def _outside(state: RagState, k: int, *, one_side: bool = True) -> str:
    kind = state["route"]["kind"]
    if kind in ("factual", "counting"):
        return f"it is a {kind} question"
    if state["unmatched"]:
        return f"nothing speaks of {state['unmatched']}"
    if not state["pool_source"].startswith("all "):
        return "it names no entity with opinions"
    if one_side and state["route"].get("side"):
        return f"it asks for the {state['route']['side']} side only"
    if len(state["candidates"]) < k:
        return f"fewer than {k} documents hold a view"
    return ""


__all__ = [
    "Batch",
    "BatchItem",
    "BatchSolution",
    "BiasPoint",
    "batch_frontier",
    "candidates",
    "prepare_batch",
    "question_frontier",
    "rankings",
    "solve_batch",
]
