"""Rerank: which documents (the selection method), then in which order (calibrated position weights)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from langgraph.runtime import Runtime

from agents.choosing import BALANCING, Desk, choose
from agents.context import RagContext
from agents.corrections import measured_quality
from agents.fairness.measure import shortfalls
from agents.fairness.opinion import least_distance
from agents.fairness.pool import SelectionParts
from agents.fairness.recommendation import LEXICAL_QUALITY, recommended_method
from agents.fairness.selection import AIMED_METHODS, METHODS, RANDOM_METHODS, measure
from agents.margins import sample_margins
from agents.ordering import (
    POLARITY,
    PositionWeights,
    as_ranked,
    ordered,
    population_bias,
    position_weights,
    unmet_words,
    weighted_w1,
)
from agents.pools import Groups, OpinionPool, fairness_pool, opinion_pool
from agents.receipts import stance_rows
from agents.state import RagState
from store.errors import UsageError
from store.receipt import PositionAudit, SelectionAudit
from store.records import BINS

#: A gap that was to be balanced and exceeds the least possible by more is told as not met.
WIDE: Final = 0.1


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
    wanted = options.get("bias_target")
    if wanted is not None and not (measured.calibrated or method in AIMED_METHODS):
        raise UsageError(
            f"{method} aims at no output bias while position weights are not calibrated (target {wanted:g})",
            "use --method faro, or calibrate first",
        )
    aim = str(options.get("target", settings.target)) if wanted is None else float(wanted)
    goal = measured.goal(aim, population_bias(pool.target))
    tau = float(options.get("tau", settings.tau))
    weighed = {name: float(options[name]) for name in ("lam", "beta") if options.get(name) is not None}
    desk = Desk(problem, groups, measured, goal, tau, np.random.default_rng(seed))
    made = choose(method, desk, k, weighed)
    chosen, rows = made.selection, made.selection.indices
    polarity = np.sign(pool.stances.scores[rows]).astype(np.int64)
    if chosen.ranked:
        shown = polarity.astype(np.float64)
        natural = shown[np.argsort(-relevance[rows], kind="stable")]
        note = "the order came with the choice"
        position = as_ranked(measured, natural, shown, made.goal, tau, note)
    else:
        order, position = ordered(measured, relevance[rows], polarity, goal, tau)
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
        seed=seed if method in RANDOM_METHODS else None,
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
            *_unmet(audit.notes, unmet_words(position)),
            *_unknown_bias(measured, wanted),
            *_parity_missed(pool),
            *(_wide_gaps(chosen.parts, groups) if asked else ()),
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


def _unmet(notes: tuple[str, ...], order: str) -> list[str]:
    found = [note for note in notes if note.startswith(("only ", "no ranking "))]
    # A method that found no ranking has said already that the order does not meet its target.
    return [*found, order] if order and not any(each.startswith("no ranking ") for each in found) else found


def _parity_missed(pool: OpinionPool) -> list[str]:
    """Say that a target of equal sides cannot be met by documents of one side."""
    counts = pool.population
    sides = {"positive": sum(counts[4:]), "negative": sum(counts[:3])}
    if not pool.target_name.startswith("parity") or all(sides.values()):
        return []
    absent = " and no ".join(name for name, number in sides.items() if not number)
    return [f"parity: no {absent} document exists, so the target is what there is"]


def _unknown_bias(measured: PositionWeights, wanted: object) -> list[str]:
    """Say that an output bias asked for by number was aimed at with weights that nobody measured."""
    if wanted is None or measured.calibrated:
        return []
    return [
        f"target {wanted} was aimed at with equal weights: {measured.note}, so whether the answer meets it is unknown"
    ]


def _wide_gaps(parts: SelectionParts, groups: tuple[Groups, ...]) -> list[str]:
    """Name the attributes that were asked for and are left farther from the population than they had to be."""
    wide = []
    for each in groups:
        gap, floor = parts.gaps[each.attribute], parts.gap_floors[each.attribute]
        if gap > floor + WIDE:
            wide.append(
                f"{each.attribute}: a largest gap of {100 * gap:.0f} points is left, {100 * floor:.0f} would be "
                "possible for it alone; the rest of what was asked for weighed more"
            )
    return wide


def _kept(relevance: float, top: float) -> float | None:
    return relevance / top if top > 0 else None


def _nothing(k: int) -> dict[str, Any]:
    return SelectionAudit(method="none", k=0, pool=0, pool_source="nothing found").model_dump()


__all__ = ["POLARITY", "rerank"]
