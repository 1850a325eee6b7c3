"""Rerank: which documents (the selection method), then in which order (calibrated position weights)."""

from __future__ import annotations

from typing import Any

import numpy as np
from langgraph.runtime import Runtime

from agents.choosing import BALANCING, Desk, choose
from agents.context import RagContext
from agents.corrections import measured_quality
from agents.fairness.measure import shortfalls
from agents.fairness.opinion import least_distance
from agents.fairness.recommendation import LEXICAL_QUALITY, recommended_method
from agents.fairness.selection import METHODS, measure
from agents.margins import sample_margins
from agents.ordering import POLARITY, as_ranked, ordered, population_bias, position_weights, weighted_w1
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
    reason = ""
    if method == "auto":
        quality = measured_quality(context)
        method = recommended_method(k, quality)
        reason = _why(k, quality)
    if method not in METHODS:
        raise UsageError(
            f"there is no selection method `{method}`", f"use auto or one of {', '.join(METHODS)}"
        )
    pool = opinion_pool(context, state)
    seed = int(options.get("seed", settings.seed))
    ids = pool.stances.document_ids
    relevance = np.zeros(len(ids))
    relevance[np.searchsorted(ids, state["candidates"])] = state["relevance"]
    vectors = None
    if method == "mmr":
        query = context.searcher.embed_query(state["enhancement"]["texts"][0])
        vectors = context.searcher.best_vectors(context.corpus.id, query, ids)
    asked = options.get("balance")
    if asked not in (None, "", "none") and method not in BALANCING:
        raise UsageError(
            f"{method} balances no author groups: {asked}", f"use {' or '.join(sorted(BALANCING))}"
        )
    balance = str(asked if asked is not None else settings.balance) if method in BALANCING else "none"
    problem, groups = fairness_pool(pool, relevance, balance, vectors)
    measured = position_weights(context, min(k, len(ids)))
    goal = measured.goal(str(options.get("target", settings.target)), population_bias(pool.target))
    weighed = {name: float(options[name]) for name in ("lam", "beta") if options.get(name) is not None}
    desk = Desk(problem, groups, measured, goal, settings.tau, np.random.default_rng(seed))
    made = choose(method, desk, k, weighed)
    chosen, rows = made.selection, made.selection.indices
    polarity = np.sign(pool.stances.scores[rows]).astype(np.int64)
    if chosen.ranked:
        position = as_ranked(
            measured,
            relevance[rows],
            polarity.astype(np.float64),
            made.goal,
            "the order came with the choice",
        )
    else:
        order, position = ordered(measured, relevance[rows], polarity, goal, settings.tau)
        rows = rows[order]
    scores = pool.stances.scores[rows].astype(np.float64)
    position = position.model_copy(update={"weighted_w1": weighted_w1(measured, scores, pool.target)})
    short = shortfalls(problem, k, rows, problem.entity_documents())
    # No more than k of a bin can be chosen: the floor needs no more of each.
    supply = np.repeat(BINS, np.minimum(pool.population, len(rows)))
    floor = least_distance(supply, pool.target, len(rows)) if len(rows) else None
    audit = SelectionAudit(
        method=method,
        reason=reason,
        k=len(rows),
        pool=len(ids),
        pool_source=state["pool_source"],
        lam=made.lam,
        beta=made.beta,
        distance_name=made.distance_name,
        distance=made.distance(scores, pool.target),
        seed=seed if chosen.inclusion is not None else None,
        frame=len(chosen.frame) if chosen.inclusion is not None and chosen.frame is not None else None,
        relevance_kept=_kept(chosen.parts.relevance, chosen.parts.relevance_top),
        notes=_notes(tuple(dict.fromkeys((*made.notes, *short))), groups),
    )
    inclusion = {} if chosen.inclusion is None else dict(zip(chosen.indices, chosen.inclusion, strict=True))
    return {
        "chosen": [int(i) for i in ids[rows]],
        "weights": measured.weights.tolist() if measured.calibrated else [],
        "inclusion": [float(inclusion[row]) for row in rows] if inclusion else [],
        "selection": {
            **audit.model_dump(),
            "floor": floor,
            "balanced": [each.attribute for each in groups],
            "margins": [each.model_dump() for each in sample_margins(pool, problem, chosen)],
        },
        "position": position.model_dump(),
        "unmet": [
            note
            for note in (*audit.notes, position.note)
            if note.startswith(("only ", "no ranking ", "target "))
        ],
    }


def _as_given(state: RagState, context: RagContext) -> dict[str, Any]:
    """Take the documents and the order that one constraint over many questions gave (``agents.batch``)."""
    given = state["options"]["chosen"]
    pool = opinion_pool(context, state)
    ids = pool.stances.document_ids
    relevance = np.zeros(len(ids))
    relevance[np.searchsorted(ids, state["candidates"])] = state["relevance"]
    rows = stance_rows(pool, given["ids"])
    problem, _ = fairness_pool(pool, relevance, "none")
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
            "balanced": [],
        },
        "position": position.model_dump(),
        "unmet": [given["unmet"]] if given.get("unmet") else [],
    }


def _why(k: int, quality: float | None) -> str:
    """Say what the default turned on."""
    if quality is None:
        return f"the default for k = {k} and labels not reviewed (rank correlation taken as {LEXICAL_QUALITY:.2f})"
    return f"the default for k = {k} and labels whose rank correlation with the reviews is {quality:.2f}"


def _notes(notes: tuple[str, ...], groups: tuple[Groups, ...]) -> tuple[str, ...]:
    """Put the groups' names in the place of their codes."""
    named = list(notes)
    for each in groups:
        prefix = f"of {each.attribute} group "
        for place, note in enumerate(named):
            head, found, rest = note.partition(prefix)
            code, _, tail = rest.partition(" ")
            if found and code.isdigit():
                named[place] = f"{head}with {each.attribute} {each.names[int(code)]} {tail}"
    return tuple(named)


def _kept(relevance: float, top: float) -> float | None:
    return relevance / top if top > 0 else None


def _nothing(k: int) -> dict[str, Any]:
    return SelectionAudit(method="none", k=0, pool=0, pool_source="nothing found").model_dump()


__all__ = ["POLARITY", "rerank"]
