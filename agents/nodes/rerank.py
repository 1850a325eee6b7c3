"""Rerank: which documents (the selection method), then in which order (calibrated position weights)."""

from __future__ import annotations

from typing import Any

import numpy as np
from langgraph.runtime import Runtime

from agents.context import RagContext
from agents.fairness.position import order_for_target
from agents.fairness.selection import METHODS, select
from agents.pools import Groups, fairness_pool, opinion_pool
from agents.state import RagState
from store.errors import UsageError
from store.receipt import PositionAudit, SelectionAudit

#: Attribute that orders are calibrated for on opinion corpora.
POLARITY = "polarity"


def rerank(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Choose k documents and their order."""
    context = runtime.context
    k = int(state["options"].get("k", context.settings.k))
    if not state["candidates"] or (state["unmatched"] and state["route"]["kind"] != "factual"):
        return {"chosen": [], "selection": _nothing(k), "position": None}
    if not state["pool_source"].startswith("all "):
        return _by_relevance(state, k)
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
    if method not in METHODS:
        raise UsageError(f"there is no selection method `{method}`", f"use one of {', '.join(METHODS)}")
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
    chosen = select(method, problem, k, np.random.default_rng(seed), **(weights if method == "exact" else {}))
    rows = chosen.indices
    polarity = np.sign(pool.stances.scores[rows]).astype(np.int64)
    order, position, position_weights = _order(context, state, relevance[rows], polarity, pool.target)
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
        notes=_notes(chosen.notes, groups),
    )
    inclusion = [] if chosen.inclusion is None else [float(p) for p in chosen.inclusion[order]]
    return {
        "chosen": [int(i) for i in ids[rows]],
        "weights": position_weights,
        "inclusion": inclusion,
        "selection": {
            **audit.model_dump(),
            "floor": chosen.parts.floor,
            "balanced": groups.attribute if groups else "",
        },
        "position": position.model_dump(),
        "unmet": [note for note in audit.notes if note.startswith("only ")],
    }


def _order(
    context: RagContext, state: RagState, relevance: Any, polarity: Any, target: Any
) -> tuple[Any, PositionAudit, list[float]]:
    """Order the chosen documents so that the predicted Rb meets the population's (FARO eq. 8)."""
    model, prompt_sha = _generator(context)
    fit = context.calibrations.find(model=model, prompt_sha=prompt_sha, attribute=POLARITY, k=len(relevance))
    natural = np.argsort(-relevance, kind="stable")
    if fit is None:
        note = f"no position weights for k = {len(relevance)}: most relevant first"
        return natural, PositionAudit(calibrated=False, note=note, model=model), []
    weights = np.asarray(fit.result["weights"], dtype=np.float64)
    intercept = float(fit.result["intercept"])
    share = float(target[4:].sum() - target[:3].sum())
    goal = share * float(weights.sum()) if state["options"].get("target") != "parity" else 0.0
    best = order_for_target(
        relevance, polarity, weights, intercept, target=goal, tolerance=context.settings.tau
    )
    covariance = np.asarray(fit.result.get("covariance", np.zeros((len(weights) + 1,) * 2)))
    gradient = np.append(polarity[best.order], 1.0)
    error = float(np.sqrt(max(gradient @ covariance @ gradient, 0.0)))
    note = "relevance order already meets the target" if best.unchanged else "reordered to meet the target"
    if not best.met:
        low, high = best.reachable
        note = f"target {goal:+.2f} is out of reach of these documents ({low:+.2f} to {high:+.2f}): nearest order"
    audit = PositionAudit(
        calibrated=True,
        note=note,
        model=model,
        predicted=float(best.predicted),
        standard_error=error,
        target=goal,
        natural=float(weights @ polarity[natural] + intercept),
    )
    return best.order, audit, [float(w) for w in weights]


def _generator(context: RagContext) -> tuple[str, str]:
    chat = context.chat("generator")
    if chat is None:
        from agents.models.extractive import NAME

        return NAME, ""
    from prompts import load

    return chat.model, load("choose_option").sha256


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
