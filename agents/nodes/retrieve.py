"""Retrieve: the entity's own pool for opinions, hybrid search for facts, and the plain top-k to compare with."""

from __future__ import annotations

from typing import Any

import numpy as np
from langgraph.runtime import Runtime
from numpy.typing import NDArray

from agents.context import RagContext
from agents.nodes.marks import degraded
from agents.pools import OpinionPool, document_filter, mentioning, opinion_pool
from agents.state import RagState
from store.search import Found


def retrieve(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Find candidates: ids and relevance (cosine), best first."""
    context = runtime.context
    k = int(state["options"].get("k", context.settings.k))
    kind = state["options"].get("knowledge_base", context.settings.knowledge_base)
    enhancement = state["enhancement"]
    queries = [context.searcher.embed_query(text) for text in enhancement["texts"]]
    where = document_filter(state)
    within = context.opinions.matching(context.corpus.id, where) if where else None
    plain = _plain_top(context, queries[0], k, within, kind)
    update: dict[str, Any] = {"plain": list(plain.document_ids)}
    if plain.degradations:
        update["degradations"] = degraded(state, "retrieve", *plain.degradations)
    if state["unmatched"] and state["route"]["kind"] != "factual":
        return update | _mentioning(context, {**state, **update}, within)  # type: ignore[typeddict-item]
    if state["route"]["kind"] in {"opinion", "both"}:
        pool = opinion_pool(context, state)
        side = state["route"].get("side")
        if side and not len(pool.stances):
            route = {**state["route"], "side": None}
            pool = opinion_pool(context, {**state, "route": route})
            if len(pool.stances):
                names = ", ".join(item["name"] for item in state["entities"]) or "anything"
                reason = (
                    f"{len(pool.stances)} documents hold a view on {names}, none is {side}: all are shown"
                )
                update |= {"route": route, "degradations": degraded({**state, **update}, "retrieve", reason)}  # type: ignore[typeddict-item]
        if len(pool.stances):
            return update | _entity_pool(context, state, pool, queries[0], kind)
    words = enhancement.get("lexical") or state["standalone"]
    n = max(k, context.settings.candidates)
    found = context.searcher.hybrid(context.corpus.id, words, queries, n, within, kind)
    if found.degradations:
        update["degradations"] = degraded({**state, **update}, "retrieve", *found.degradations)  # type: ignore[typeddict-item]
    return update | {
        "candidates": list(found.document_ids),
        "relevance": list(found.relevance),
        "pool_source": "hybrid search (dense and BM25, reciprocal rank fusion)",
    }


def _mentioning(context: RagContext, state: RagState, within: NDArray[np.int64] | None) -> dict[str, Any]:
    """Take the documents that use the words of a topic that is no entity, of those within; there may be none."""
    topic = state["unmatched"]
    ids = mentioning(context, topic, within=within)
    if not ids:
        return {"candidates": [], "relevance": []}
    query = context.searcher.embed_query(state["enhancement"]["texts"][0])
    cosines = context.searcher.similarities(context.corpus.id, query, ids)
    order = np.lexsort((np.asarray(ids), -cosines))
    ids, cosines = [ids[i] for i in order], cosines[order]
    reason = (
        f"`{topic}` is no entity of this corpus: the documents that mention it are taken by relevance, "
        "not in proportion to opinions"
    )
    found: dict[str, Any] = {
        "candidates": ids,
        "relevance": [float(c) for c in cosines],
        "pool_source": f"{len(ids)} documents that mention {topic}",
        "unmatched": "",
    }
    side = state["route"].get("side")
    if side and state["route"]["kind"] in {"opinion", "both"}:
        # The side of a view is its label, and only entities have labels. A count says so in its own words.
        reason += f"; which of them are {side} on it is not known, so documents of either side may be shown"
        found["route"] = {**state["route"], "side": None}
    return found | {"degradations": degraded(state, "retrieve", reason)}


def _entity_pool(
    context: RagContext, state: RagState, pool: OpinionPool, query: Any, kind: str
) -> dict[str, Any]:
    ids = pool.stances.document_ids
    relevance = context.searcher.similarities(context.corpus.id, query, ids, kind)
    order = np.lexsort((ids, -relevance))
    names = ", ".join(item["name"] for item in state["entities"]) or "anything"
    return {
        "candidates": ids[order].tolist(),
        "relevance": relevance[order].tolist(),
        "pool_source": f"all {len(ids)} documents with an opinion on {names}",
    }


def _plain_top(context: RagContext, query: Any, k: int, within: Any, kind: str) -> Found:
    if within is None:
        return context.searcher.dense(context.corpus.id, query, k, kind)
    return context.searcher.exact(context.corpus.id, query, k, within, kind)


__all__ = ["retrieve"]
