"""Rerank: which documents (the selection method), then in which order (calibrated position weights)."""

from __future__ import annotations

from typing import Any

import numpy as np
from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.fairness.measure import shortfalls
from agents.fairness.opinion import least_distance
from agents.fairness.recommendation import recommended_method
from agents.fairness.selection import METHODS, measure, select
from agents.ordering import POLARITY, ordered, population_bias, position_weights
from agents.pools import Groups, fairness_pool, opinion_pool
from agents.receipts import stance_rows
from agents.state import RagState
from store.errors import UsageError
from store.receipt import PositionAudit, SelectionAudit
from store.records import BINS


def rerank(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Choose k documents and their order."""
    context = runtime.context
    k = int(state["options"].get("k", context.settings.k))
    if not state["candidates"] or (state["unmatched"] and state["route"]["kind"] != "factual"):
        return {"chosen": [], "selection": _nothing(k), "position": None}
    if not state["pool_source"].startswith("all "):
        return _by_relevance(state, k)
    if state["options"].get("chosen"):
        return _as_given(state, context)
    return _by_opinion(state, context, k)


def _by_relevance(state: RagState, k: int) -> dict[str, Any]:
    ids = state["candidates"][:k]
    audit = SelectionAudit(
        method="relevance", k=len(ids), pool=len(state["candidates"]), pool_source=state["pool_source"]
    )
    return {"chosen": ids, "selection": audit.model_dump(), "position": None, "inclusion": []}


def _by_opinion(state: RagState, context: RagContext, k: int) -> dict[str, Any]:
    options, settings = state["options"], context.settings
    method = str(options.get("method", settings.method))
    if method == "auto":
        method = recommended_method(k)
    if method not in METHODS:
        raise UsageError(
            f"there is no selection method `{method}`", f"use auto or one of {', '.join(METHODS)}"
        )
    pool = opinion_pool(context, state)
    seed = int(options.get("seed", settings.seed))
    ids = pool.stances.document_ids
    relevance = np.zeros(len(ids))
    relevance[np.searchsorted(ids, state["candidates"])] = state["relevance"]
    balance = str(options.get("balance", settings.balance))
    vectors = None
    if method == "mmr":
        query = context.searcher.embed_query(state["enhancement"]["texts"][0])
        vectors = context.searcher.best_vectors(context.corpus.id, query, ids)
    problem, groups = fairness_pool(pool, relevance, balance, vectors)
    weights = {name: options[name] for name in ("lam", "beta") if options.get(name) is not None}
    own: dict[str, Any] = weights if method == "exact" else {}
    if method == "balanced":
        # The more relevant half, but never so few that the sample has nothing to choose from.
        own = {"relevance_quantile": float(np.clip(1 - 3 * k / max(len(ids), 1), 0.0, 0.5))}
    chosen = select(method, problem, k, np.random.default_rng(seed), **own)
    rows = chosen.indices
    # No more than k of a bin can be chosen: the floor needs no more of each.
    supply = np.repeat(BINS, np.minimum(pool.population, len(rows)))
    floor = least_distance(supply, pool.target, len(rows)) if len(rows) else None
    polarity = np.sign(pool.stances.scores[rows]).astype(np.int64)
    measured = position_weights(context, len(rows))
    goal = measured.goal(str(options.get("target", settings.target)), population_bias(pool.target))
    order, position = ordered(measured, relevance[rows], polarity, goal, settings.tau)
    rows = rows[order]
    audit = SelectionAudit(
        method=method,
        k=len(rows),
        pool=len(ids),
        pool_source=state["pool_source"],
        lam=weights.get("lam", 0.02 * len(rows)) if method == "exact" else None,
        beta=weights.get("beta", 0.5 * len(rows)) if method == "exact" and groups else None,
        seed=seed if chosen.inclusion is not None else None,
        relevance_kept=_kept(chosen.parts.relevance, chosen.parts.relevance_top),
        notes=_notes(shortfalls(problem, k, rows, problem.entity_documents()), groups),
    )
    inclusion = [] if chosen.inclusion is None else [float(p) for p in chosen.inclusion[order]]
    return {
        "chosen": [int(i) for i in ids[rows]],
        "weights": measured.weights.tolist() if measured.calibrated else [],
        "inclusion": inclusion,
        "selection": {
            **audit.model_dump(),
            "floor": floor,
            "balanced": groups.attribute if groups else "",
        },
        "position": position.model_dump(),
        "unmet": [note for note in audit.notes if note.startswith("only ")],
    }


def _as_given(state: RagState, context: RagContext) -> dict[str, Any]:
    """Take the documents and the order that one constraint over many questions gave (``agents.batch``)."""
    given = state["options"]["chosen"]
    pool = opinion_pool(context, state)
    ids = pool.stances.document_ids
    relevance = np.zeros(len(ids))
    relevance[np.searchsorted(ids, state["candidates"])] = state["relevance"]
    rows = stance_rows(pool, given["ids"])
    problem, groups = fairness_pool(pool, relevance, str(context.settings.balance))
    parts = measure(problem, rows)
    measured = position_weights(context, len(rows))
    polarity = np.sign(pool.stances.scores[rows]).astype(np.float64)
    predicted, error = measured.predict(polarity)
    position = PositionAudit(
        calibrated=measured.calibrated,
        note=given["note"],
        model=measured.model,
        predicted=predicted if measured.calibrated else None,
        standard_error=error if measured.calibrated else None,
    )
    audit = SelectionAudit(
        method=given["method"],
        k=len(rows),
        pool=len(ids),
        pool_source=state["pool_source"],
        relevance_kept=_kept(parts.relevance, parts.relevance_top),
        notes=(given["note"],),
    )
    return {
        "chosen": [int(i) for i in ids[rows]],
        "weights": measured.weights.tolist() if measured.calibrated else [],
        "inclusion": [],
        "selection": {
            **audit.model_dump(),
            "floor": parts.floor,
            "balanced": groups.attribute if groups else "",
        },
        "position": position.model_dump(),
        "unmet": [given["unmet"]] if given.get("unmet") else [],
    }


def _notes(notes: tuple[str, ...], groups: Groups | None) -> tuple[str, ...]:
    if groups is None:
        return notes
    prefix = f"of {groups.attribute} group "
    named = []
    for note in notes:
        head, found, rest = note.partition(prefix)
        code, _, tail = rest.partition(" ")
        if found and code.isdigit():
            note = f"{head}with {groups.attribute} {groups.names[int(code)]} {tail}"
        named.append(note)
    return tuple(named)


def _kept(relevance: float, top: float) -> float | None:
    return relevance / top if top > 0 else None


def _nothing(k: int) -> dict[str, Any]:
    return SelectionAudit(method="none", k=0, pool=0, pool_source="nothing found").model_dump()


__all__ = ["POLARITY", "rerank"]
