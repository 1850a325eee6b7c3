"""Builds the audit receipt of one answer from the state and the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.corrections import corrected_bins, label_quality
from agents.fairness.coverage import group_coverage
from agents.fairness.distance import bootstrap_w1, histogram, sigma, w1_bins
from agents.frontier import exact_choices
from agents.pools import MIN_AUDITED, Groups, OpinionPool, audited, opinion_pool
from agents.state import RagState
from store.receipt import (
    AuditReceipt,
    CitationAudit,
    CountAudit,
    Degradation,
    Distribution,
    EnhancementAudit,
    EntityAudit,
    Estimate,
    FilterAudit,
    FrontierPoint,
    GroupAudit,
    GroupShare,
    MarginAudit,
    ModelAudit,
    OpinionAudit,
    OpinionSummary,
    PositionAudit,
    RankedDocument,
    RouteAudit,
    SelectionAudit,
    StageAudit,
    VerificationAudit,
)
from store.records import BINS, DocumentRecord

#: Weights of W1 (times k) at which the frontier is shown; the chosen point is added.
FRONTIER_LAMBDAS = (0.0, 0.001, 0.003, 0.01, 0.05)


def build_receipt(context: RagContext, state: RagState) -> AuditReceipt:
    """Return the whole receipt; parts that do not apply are left out."""
    chosen = state["chosen"]
    documents = context.documents(sorted({*chosen, *state["plain"]}))
    base: dict[str, Any] = {
        "answer_id": state["answer_id"],
        "question": state["question"],
        "standalone_question": state["standalone"],
        "asked_at": state["asked_at"],
        "corpus": context.corpus.name,
        "corpus_documents": context.document_count(),
        "answer": state["answer"],
        "route": RouteAudit(**{k: v for k, v in state["route"].items() if k not in {"count", "groups"}}),
        "filters": tuple(FilterAudit(**f) for f in state["filters"]),
        "entities": tuple(EntityAudit(**e) for e in state["entities"]),
        "unmatched": state["unmatched"],
        "enhancement": EnhancementAudit(**{k: v for k, v in state["enhancement"].items() if k != "lexical"}),
        "models": tuple(ModelAudit(**m) for m in state["models"]),
        "stages": tuple(StageAudit(**s) for s in state["stages"]),
        "citations": tuple(CitationAudit(**c) for c in state["citations"]),
        "verification": VerificationAudit(**state["verification"]),
        "counts": tuple(CountAudit(**c) for c in state["counts"]),
        "plain_ranking": tuple(state["plain"]),
        "unmet": tuple(state["unmet"]),
        "degradations": tuple(Degradation(**d) for d in state["degradations"]),
    }
    if not chosen:
        return AuditReceipt(**base)
    selection = {k: v for k, v in state["selection"].items() if k not in {"floor", "balanced", "margins"}}
    opinion = state["selection"].get("floor") is not None
    pool = opinion_pool(context, state) if opinion else None
    base["ranking"] = _ranking(context, state, documents, pool)
    if pool is None:
        selection["relevance_kept"] = _relevance_kept(context, state)
    else:
        base["opinion"] = _opinion(context, state, pool)
        base["groups"] = _groups(state, pool)
        base["margins"] = tuple(MarginAudit(**m) for m in state["selection"].get("margins", ()))
        base["unmet"] = (*base["unmet"], *_unaudited(pool))
        base["position"] = PositionAudit(**state["position"]) if state["position"] else None
        base["frontier"] = frontier_points(state, pool)
        # One price in every place: against the pool's own most relevant, as on the frontier.
        selection["relevance_kept"] = base["frontier"][-1].relevance_kept
    base["selection"] = SelectionAudit(**selection)
    return AuditReceipt(**base)


def stance_rows(pool: OpinionPool, ids: Sequence[int]) -> NDArray[np.int64]:
    """Return the pool rows of those ids that are in the pool."""
    wanted = np.asarray(ids, dtype=np.int64)
    held = pool.stances.document_ids
    if not len(held) or not len(wanted):
        return np.zeros(0, dtype=np.int64)
    rows = np.searchsorted(held, wanted).clip(max=len(held) - 1)
    return np.asarray(rows[held[rows] == wanted])


def _relevance_kept(context: RagContext, state: RagState) -> float | None:
    """Return the relevance kept of the most relevant documents', where no pool of opinions was chosen from.

    Those are looked for among the plain top-k and the chosen: another knowledge base, or an approximate index, can rank
    other documents first.
    """
    chosen = state["chosen"]
    query = context.searcher.embed_query(state["enhancement"]["texts"][0])
    known = list(dict.fromkeys((*chosen, *state["plain"])))
    cosines = context.searcher.similarities(context.corpus.id, query, known)
    ours, most = float(cosines[: len(chosen)].sum()), float(np.sort(cosines)[-len(chosen) :].sum())
    return ours / most if most > 0 else None


def _ranking(
    context: RagContext, state: RagState, documents: dict[int, DocumentRecord], pool: OpinionPool | None
) -> tuple[RankedDocument, ...]:
    relevance = dict(zip(state["candidates"], state["relevance"], strict=True))
    cited = {c["document_id"] for c in state["citations"]}
    rows = dict.fromkeys(state["chosen"], -1)
    if pool is not None:
        held = {int(d): row for row, d in enumerate(pool.stances.document_ids)}
        rows = {d: held.get(d, -1) for d in state["chosen"]}
    ranked = []
    for rank, document_id in enumerate(state["chosen"], 1):
        record = documents.get(document_id)
        if record is None:
            continue
        row = rows[document_id]
        score = int(pool.stances.scores[row]) if pool is not None and row >= 0 else None
        ranked.append(
            RankedDocument(
                rank=rank,
                document_id=document_id,
                external_id=record.external_id,
                title=record.title,
                subject=record.subject,
                date=record.date,
                rating=record.rating,
                relevance=relevance.get(document_id, 0.0),
                score=score,
                polarity=0 if score is None else int(np.sign(score)),
                groups=record.attributes,
                matched=pool is None or row >= 0,
                cited=document_id in cited,
                position_weight=state["weights"][rank - 1] if rank <= len(state["weights"]) else None,
                inclusion_probability=state["inclusion"][rank - 1]
                if rank <= len(state["inclusion"])
                else None,
            )
        )
    return tuple(ranked)


def _opinion(context: RagContext, state: RagState, pool: OpinionPool) -> OpinionAudit:
    seed = int(state["options"].get("seed", context.settings.seed))
    everyone = opinion_pool(context, {**state, "route": {**state["route"], "side": None}})
    sets = {
        "candidates": state["candidates"],
        "retrieved": state["chosen"],
        "cited": list(dict.fromkeys(c["document_id"] for c in state["citations"])),
        "plain": state["plain"],
    }
    distributions: dict[str, Distribution] = {}
    w1: dict[str, Estimate] = {}
    summaries: dict[str, OpinionSummary] = {"population": _summary(context, state, pool, None)}
    for name, ids in sets.items():
        # The counterfactual is measured by everything it holds on the entity, not only by the side asked for.
        source = everyone if name == "plain" else pool
        rows = stance_rows(source, ids)
        scores = source.stances.scores[rows]
        distributions[name] = Distribution(counts=_counts(scores), source=_SOURCES[name])
        if len(scores):
            low, high = bootstrap_w1(scores, pool.target, np.random.default_rng(seed), draws=300)
            value = w1_bins(histogram(scores), pool.target)
            # A distance cannot fall below 0, so its percentile interval lies too high: only its width is used.
            half = (high - low) / 2
            w1[name] = Estimate(
                value=value, low=max(0.0, value - half), high=value + half, method="bootstrap over documents"
            )
        if name != "candidates":
            summaries[name] = _summary(context, state, source, ids)
    return OpinionAudit(
        labels=f"{context.extractor} labels",
        target=pool.target_name,
        target_shares=tuple(float(s) for s in pool.target),
        population=Distribution(counts=pool.population, source=state["pool_source"]),
        w1=w1,
        floor=state["selection"]["floor"],
        summaries=summaries,
        # Of both sides, even where one was asked for: an error of the labels moves documents between sides.
        corrected_shares=corrected_bins(context, everyone.population, state["entity_ids"]),
        label_quality=label_quality(context),
        **distributions,
    )


_SOURCES = {
    "candidates": "documents that could be chosen",
    "retrieved": "documents chosen",
    "cited": "documents cited by the answer",
    "plain": "documents that plain relevance would have chosen and that hold a view on the entity",
}


def _summary(
    context: RagContext, state: RagState, pool: OpinionPool, ids: Sequence[int] | None
) -> OpinionSummary:
    rows = np.arange(len(pool.stances)) if ids is None else stance_rows(pool, ids)
    markers: tuple[str, ...] | None = None
    evidence: tuple[str, ...] | None = None
    if ids is not None and len(rows) and state["entity_ids"]:
        held = [int(i) for i in pool.stances.document_ids[rows]]
        found = context.opinions.stance_details(held, state["entity_ids"], context.extractor)
        markers = tuple(sorted({m for detail in found for m in detail[0]}))
        evidence = tuple(sorted({detail[1] for detail in found} - {"unknown"}))
    return OpinionSummary(
        sigma=sigma(pool.stances.scores[rows]) if len(rows) else 0.0,
        impact_sigma=sigma(pool.stances.impacts[rows]) if len(rows) else 0.0,
        entity_match=1.0 if ids is None else len(rows) / max(len(ids), 1),
        markers=markers,
        evidence=evidence,
    )


def _groups(state: RagState, pool: OpinionPool) -> tuple[GroupAudit, ...]:
    balanced = state["selection"].get("balanced", ())
    audits = []
    for name, groups in sorted(pool.groups.items()):
        if not audited(groups):
            continue
        chosen, plain = stance_rows(pool, state["chosen"]), stance_rows(pool, state["plain"])
        retrieved, known = _group_counts(groups, chosen)
        shares = retrieved / max(retrieved.sum(), 1)
        population = np.bincount(groups.codes[groups.codes >= 0], minlength=len(groups.names))
        # Every document of the pool speaks of what was asked about: overall and among the matched are one here.
        coverage = float(np.mean(retrieved[list(groups.named)] > 0))
        audits.append(
            GroupAudit(
                attribute=name,
                categories=tuple(
                    GroupShare(
                        value=value,
                        population=int(population[i]),
                        population_share=float(groups.shares[i]),
                        retrieved=int(retrieved[i]),
                        retrieved_share=float(shares[i]),
                    )
                    for i, value in enumerate(groups.names)
                ),
                coverage=coverage,
                coverage_matched=coverage,
                largest_gap=largest_gap(groups, chosen),
                plain_largest_gap=largest_gap(groups, plain),
                shrunk_gap=group_coverage(groups.codes[chosen], population).largest_shrunk_gap
                if known
                else None,
                unknown_population=groups.unknown,
                unknown_retrieved=1 - known / max(len(chosen), 1),
                constrained=name in balanced,
                rest=groups.names[groups.rest] if groups.rest >= 0 else "",
            )
        )
    return tuple(audits)


def _unaudited(pool: OpinionPool) -> list[str]:
    """Say which attributes are known too little to be audited, or that the pool is too small for any."""
    left = {name: groups for name, groups in sorted(pool.groups.items()) if not audited(groups)}
    if left and len(pool.stances) < MIN_AUDITED:
        return [f"only {_documents(len(pool.stances))}: too few for author groups to be audited"]
    return [
        f"{name} is known for {int((groups.codes >= 0).sum()):,} of {_documents(len(groups.codes))}: "
        "too few for its groups to be audited"
        for name, groups in left.items()
        if groups.unknown < 1
    ]


def _documents(count: int) -> str:
    return f"{count:,} document{'' if count == 1 else 's'}"


def _group_counts(groups: Groups, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    codes = groups.codes[rows]
    known = codes[codes >= 0]
    return np.bincount(known, minlength=len(groups.names)), len(known)


def largest_gap(groups: Groups, rows: NDArray[np.int64]) -> float:
    """Return the largest difference of shares between these rows and the population, 1 where no value is known."""
    counts, known = _group_counts(groups, rows)
    return float(np.abs(counts / known - groups.shares).max()) if known else 1.0


def widest_gap(balanced: Sequence[Groups], rows: NDArray[np.int64]) -> float | None:
    """Return the largest gap of any of these attributes, None without one."""
    return max((largest_gap(groups, rows) for groups in balanced), default=None)


def frontier_points(state: RagState, pool: OpinionPool) -> tuple[FrontierPoint, ...]:
    """Return relevance kept (of the pool's own k most relevant) against W1 for the exact selection, lambda 0 up."""
    k = len(state["chosen"])
    ids = pool.stances.document_ids
    relevance = np.zeros(len(ids))
    relevance[np.searchsorted(ids, state["candidates"])] = state["relevance"]
    top = float(np.sort(relevance)[-k:].sum())
    names = state["selection"].get("balanced", ())
    # Where nothing is balanced, the gaps of everything that is audited are shown.
    balanced = [g for name, g in pool.groups.items() if (name in names if names else audited(g))]
    points = tuple(
        FrontierPoint(
            lam=each.lam,
            relevance_kept=each.relevance / top if top > 0 else 1.0,
            w1=each.w1,
            largest_gap=widest_gap(balanced, each.rows),
        )
        for each in exact_choices(pool, relevance, k, FRONTIER_LAMBDAS)
    )
    rows = stance_rows(pool, state["chosen"])
    chosen = FrontierPoint(
        lam=None if state["selection"].get("distance_name") else state["selection"].get("lam"),
        relevance_kept=float(relevance[rows].sum() / top) if top > 0 else 1.0,
        w1=w1_bins(histogram(pool.stances.scores[rows]), pool.target),
        largest_gap=widest_gap(balanced, rows),
        chosen=True,
    )
    return (*points, chosen)


def _counts(scores: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(int(n) for n in np.bincount((scores + 30) // 10, minlength=len(BINS)))


__all__ = ["build_receipt", "frontier_points", "largest_gap", "stance_rows", "widest_gap"]
