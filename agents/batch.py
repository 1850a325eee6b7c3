"""Many questions under one fairness constraint, as in the paper: their candidates, and what is to be held in place.

Each opinion question brings its entity's whole pool. What is held in place is polarity (+1, -1, or neutral, a third
type that moves nothing), the shares of author groups, or both (``agents.batch_components``). Questions that are
factual, ask for one side, or have fewer than k opinions stay outside the constraint and are answered by themselves.
The rankings come from ``agents.batch_solutions``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from langgraph.runtime import Runtime
from numpy.typing import NDArray

from agents.batch_components import (
    Component,
    Part,
    check_attributes,
    intercepts,
    join,
    make_part,
    shared_weights,
)
from agents.context import RagContext
from agents.fairness.multigroup_problem import MultigroupProblem, oracle, prepare_types
from agents.nodes.enhance import enhance
from agents.nodes.link import link
from agents.nodes.rerank import rerank
from agents.nodes.retrieve import retrieve
from agents.nodes.route import route
from agents.ordering import POLARITY, PositionWeights
from agents.pools import OpinionPool, opinion_pool
from agents.receipts import frontier_points
from agents.state import RagState, fresh
from store.errors import NoCandidates
from store.receipt import FrontierPoint

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BatchItem:
    """One question with its candidates: their ids and relevance."""

    index: int
    question: str
    ids: Integers
    relevance: Floats


@dataclass(frozen=True, eq=False)
class Batch:
    """The questions of one constraint.

    Attributes
    ----------
    items
        Those under it.
    outside
        Index of each of the others, with the reason.
    components
        What the constraint holds in place, d of them.
    problem
        Candidates and their types; its components are these.
    weights, weights_of
        Position weights of all components, and the attribute that they were measured for (empty for 1/k).
    reachable
        Shape (d, 2): lowest and highest value of each component by itself, over any rankings.
    """

    items: tuple[BatchItem, ...]
    outside: dict[int, str]
    components: tuple[Component, ...]
    problem: MultigroupProblem
    weights: PositionWeights
    weights_of: str
    reachable: Floats

    @property
    def attributes(self) -> tuple[str, ...]:
        """What it is about, as asked."""
        return tuple(dict.fromkeys(component.attribute for component in self.components))


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
    context: RagContext,
    questions: Sequence[str],
    k: int,
    options: dict[str, Any] | None = None,
    attributes: Sequence[str] = (POLARITY,),
) -> Batch:
    """Collect the candidates of every question, and what ``attributes`` (polarity, author attributes) say of them.

    Raises
    ------
    NoCandidates
        No question is on opinions with at least k documents.
    UsageError
        An attribute is given twice, unknown, known of too few authors, or cannot share the others' position weights.
    """
    check_attributes(context, attributes)
    weights, weights_of = shared_weights(context, k, attributes)
    items: list[BatchItem] = []
    outside: dict[int, str] = {}
    pools: list[OpinionPool] = []
    rows: list[Integers] = []
    for index, question in enumerate(questions):
        state = await candidates(context, question, {**(options or {}), "k": k})
        reason = _outside(state, k)
        if reason:
            outside[index] = reason
            continue
        pool = opinion_pool(context, {**state, "options": {}})
        ids = np.asarray(state["candidates"], dtype=np.int64)
        pools.append(pool)
        rows.append(np.searchsorted(pool.stances.document_ids, ids))
        items.append(BatchItem(index, question, ids, np.asarray(state["relevance"], dtype=np.float64)))
    if not items:
        reasons = "; ".join(dict.fromkeys(outside.values())) or "there are none"
        hint = "use a smaller -k" if "fewer than" in reasons else "ask what people think of an entity"
        raise NoCandidates(f"no question of the batch falls under the constraint ({reasons})", hint)
    parts = [make_part(attribute, pools, rows) for attribute in attributes]
    return make_batch(items, outside, parts, weights, weights_of)


def make_batch(
    items: Sequence[BatchItem],
    outside: dict[int, str],
    parts: Sequence[Part],
    weights: PositionWeights,
    weights_of: str,
) -> Batch:
    """Lay candidates and attributes out for the solver, and see how far each component can be moved."""
    width = max(len(item.ids) for item in items)
    types, present, vectors, components = join(parts, width)
    relevance = np.zeros(types.shape)
    for row, item in enumerate(items):
        relevance[row, : len(item.ids)] = item.relevance
    problem = prepare_types(
        relevance, types, vectors, weights.weights, intercepts(components, weights), present=present
    )
    reachable = np.empty((len(components), 2))
    for g in range(len(components)):
        for side, price in enumerate((1e6, -1e6)):
            answer = oracle(problem, price * np.eye(len(components))[g])
            reachable[g, side] = components[g].value(float(problem.bias_of(answer.pattern)[g]))
    return Batch(tuple(items), outside, components, problem, weights, weights_of, reachable)


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
    "candidates",
    "make_batch",
    "prepare_batch",
    "question_frontier",
]
