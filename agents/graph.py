"""The whole agent on one screen: its nodes, its edges, its retry policy.

route -> link -> (count -> generate -> audit)
              -> (enhance -> retrieve -> rerank -> generate -> verify -> [once more: generate] -> audit)
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import RetryPolicy

from agents.context import RagContext
from agents.events import StageFinished, StageStarted
from agents.nodes.audit import audit
from agents.nodes.count import count
from agents.nodes.enhance import enhance
from agents.nodes.generate import generate
from agents.nodes.link import link
from agents.nodes.rerank import rerank
from agents.nodes.retrieve import retrieve
from agents.nodes.route import route
from agents.nodes.verify import needs_revision, verify
from agents.state import RagState
from store.errors import ApplicationError, WorkspaceBusy
from store.receipt import StageAudit

Node = Callable[[RagState, Runtime[RagContext]], dict[str, Any] | Awaitable[dict[str, Any]]]


def _is_busy(error: Exception) -> bool:
    return isinstance(error, WorkspaceBusy) and isinstance(error, ApplicationError)


def build_graph(checkpointer: Any = None) -> Any:
    """Return the compiled graph.

    Parameters
    ----------
    checkpointer
        Keeps conversations; without one every question stands alone.
    """
    graph: Any = StateGraph(RagState, context_schema=RagContext)
    busy = RetryPolicy(max_attempts=3, retry_on=_is_busy)
    for name, node in (
        ("route", route),
        ("link", link),
        ("count", count),
        ("enhance", enhance),
        ("retrieve", retrieve),
        ("rerank", rerank),
        ("generate", generate),
        ("verify", verify),
    ):
        graph.add_node(name, timed(name, node), retry_policy=busy)
    graph.add_node("audit", audit, retry_policy=busy)

    graph.add_edge(START, "route")
    graph.add_edge("route", "link")
    graph.add_conditional_edges("link", _counts, {True: "count", False: "enhance"})
    graph.add_edge("count", "generate")
    graph.add_edge("enhance", "retrieve")
    graph.add_edge("retrieve", "rerank")
    graph.add_edge("rerank", "generate")
    graph.add_edge("generate", "verify")
    graph.add_conditional_edges("verify", needs_revision, {True: "generate", False: "audit"})
    graph.add_edge("audit", END)
    return graph.compile(checkpointer=checkpointer)


def timed(name: str, node: Node) -> Callable[[RagState, Runtime[RagContext]], Any]:
    """Wrap a node: announce it, time it, and keep its seconds in the state for the receipt."""

    def finish(
        state: RagState, runtime: Runtime[RagContext], update: dict[str, Any], started: float
    ) -> dict[str, Any]:
        seconds = runtime.context.clock() - started
        runtime.stream_writer(StageFinished(name, seconds, _detail(name, {**state, **update})))
        return {**update, "stages": [*state["stages"], StageAudit(name=name, seconds=seconds).model_dump()]}

    if inspect.iscoroutinefunction(node):

        @wraps(node)
        async def run_async(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
            runtime.stream_writer(StageStarted(name))
            started = runtime.context.clock()
            return finish(state, runtime, await node(state, runtime), started)

        return run_async

    @wraps(node)
    def run(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
        runtime.stream_writer(StageStarted(name))
        started = runtime.context.clock()
        update: Any = node(state, runtime)
        return finish(state, runtime, update, started)

    return run


def _counts(state: RagState) -> bool:
    return bool(state["route"]["kind"] == "counting")


def _detail(name: str, state: dict[str, Any]) -> str:
    if name == "route":
        return str(state["route"]["kind"])
    if name == "link":
        return ", ".join(item["name"] for item in state["entities"]) or "no entity"
    if name == "enhance":
        return str(state["enhancement"]["method"])
    if name == "retrieve":
        return f"{len(state['candidates'])} candidates"
    if name == "rerank":
        return f"{state['selection']['method']}, {len(state['chosen'])} documents"
    return ""


__all__ = ["build_graph", "timed"]
