"""A stored answer's choice made again at other points of its frontier: the receipt says what to read, SQL is the truth.

Nothing is generated. The pool is read as it is now; where it is no longer what the receipt counted, that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.fairness.distance import histogram, w1_bins
from agents.frontier import exact_choices
from agents.ordering import ordered, population_bias, position_weights
from agents.pools import Groups, OpinionPool, opinion_pool
from agents.receipts import stance_rows, widest_gap
from agents.state import RagState
from store.errors import NoCandidates
from store.receipt import AuditReceipt, FrontierPoint, PositionAudit, RankedDocument
from store.records import DocumentRecord

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Weights of W1 a document that are tried: those of the receipt, and more between them.
LAMBDAS: Final = (0.0, 0.0003, 0.0006, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)


@dataclass(frozen=True)
class Reranking:
    """The documents of one point, in the order that the position weights give them.

    Attributes
    ----------
    point
        Lambda, relevance kept, W1 and largest author gap.
    ranking
        Its documents by rank.
    position
        What the order predicts, and why it is so.
    polarity
        Mean polarity of what is shown, in [-1, 1]: Rb with weights 1/k.
    """

    point: FrontierPoint
    ranking: tuple[RankedDocument, ...]
    position: PositionAudit
    polarity: float


@dataclass(frozen=True)
class AnswerFrontier:
    """All points of an answer's frontier by rising W1, then rising relevance; one of them is the choice made.

    ``stale`` says how the pool differs from the one that the receipt counted; empty where it is the same.
    """

    points: tuple[Reranking, ...]
    attribute: str
    stale: str = ""

    @property
    def chosen(self) -> int:
        """Index of the choice made."""
        return next(index for index, each in enumerate(self.points) if each.point.chosen)


def answer_frontier(context: RagContext, receipt: AuditReceipt) -> AnswerFrontier:
    """Return the frontier of a stored answer with the ranking at each of its points.

    Raises
    ------
    NoCandidates
        The answer is not on opinions, or nothing of its pool is left.
    """
    if receipt.opinion is None or not receipt.ranking:
        raise NoCandidates("there is no frontier: the answer is not on opinions", "ask what people think")
    pool = opinion_pool(context, _state(context, receipt))
    chosen = stance_rows(pool, [each.document_id for each in receipt.ranking])
    if not len(chosen):
        raise NoCandidates("there is no frontier: the documents of this answer are gone", "ask again")
    texts = receipt.enhancement.texts or (receipt.standalone_question,)
    query = context.searcher.embed_query(texts[0])
    kind = context.settings.knowledge_base
    relevance = context.searcher.similarities(context.corpus.id, query, pool.stances.document_ids, kind)
    return _Desk(context, receipt, pool, relevance.astype(np.float64)).frontier(chosen)


class _Desk:
    """What all points of one answer share."""

    def __init__(
        self, context: RagContext, receipt: AuditReceipt, pool: OpinionPool, relevance: Floats
    ) -> None:
        self.context, self.receipt, self.pool, self.relevance = context, receipt, pool, relevance
        self.groups = _constrained(receipt, pool)
        self.k = len(receipt.ranking)
        self.top = float(np.sort(relevance)[-self.k :].sum())
        self.weights = position_weights(context, min(self.k, len(relevance)))

    def frontier(self, chosen: Integers) -> AnswerFrontier:
        found: dict[frozenset[int], tuple[float | None, Integers, bool]] = {
            frozenset(chosen.tolist()): (self._lam(), chosen, True)
        }
        for each in exact_choices(self.pool, self.relevance, self.k, LAMBDAS):
            found.setdefault(frozenset(each.rows.tolist()), (each.lam, each.rows, False))
        rows = sorted({int(row) for _, held, _ in found.values() for row in held})
        ids = [int(i) for i in self.pool.stances.document_ids[rows]]
        documents = self.context.documents(ids)
        made = [self._at(*each, documents) for each in found.values()]
        made.sort(key=lambda each: (each.point.w1, each.point.relevance_kept))
        return AnswerFrontier(tuple(made), ", ".join(g.attribute for g in self.groups), self._stale())

    def _lam(self) -> float | None:
        made = self.receipt.selection
        return made.lam if made and not made.distance_name else None

    def _at(
        self, lam: float | None, rows: Integers, chosen: bool, documents: dict[int, DocumentRecord]
    ) -> Reranking:
        point = FrontierPoint(
            lam=lam,
            relevance_kept=float(self.relevance[rows].sum() / self.top) if self.top > 0 else 1.0,
            w1=w1_bins(histogram(self.pool.stances.scores[rows]), self.pool.target),
            largest_gap=widest_gap(self.groups, rows),
            chosen=chosen,
        )
        polarity = np.sign(self.pool.stances.scores[rows]).astype(np.int64)
        if chosen:
            # What was shown stays as it was shown.
            position = self.receipt.position or PositionAudit(calibrated=False, note="")
            return Reranking(point, self.receipt.ranking, position, float(polarity.mean()))
        goal = self.weights.goal(_target_name(self.receipt), population_bias(self.pool.target))
        order, position = ordered(
            self.weights, self.relevance[rows], polarity, goal, self.context.settings.tau
        )
        return Reranking(point, self._ranked(rows[order], documents), position, float(polarity.mean()))

    def _ranked(self, rows: Integers, documents: dict[int, DocumentRecord]) -> tuple[RankedDocument, ...]:
        stances, weights = self.pool.stances, self.weights
        cited = {each.document_id for each in self.receipt.ranking if each.cited}
        ranked = []
        for rank, row in enumerate(rows.tolist(), 1):
            record = documents[int(stances.document_ids[row])]
            score = int(stances.scores[row])
            ranked.append(
                RankedDocument(
                    rank=rank,
                    document_id=record.id,
                    external_id=record.external_id,
                    title=record.title,
                    subject=record.subject,
                    date=record.date,
                    rating=record.rating,
                    relevance=float(self.relevance[row]),
                    score=score,
                    polarity=int(np.sign(score)),
                    groups=record.attributes,
                    cited=record.id in cited,
                    position_weight=float(weights.weights[rank - 1]) if weights.calibrated else None,
                )
            )
        return tuple(ranked)

    def _stale(self) -> str:
        opinion = self.receipt.opinion
        assert opinion is not None, "only answers on opinions have a frontier"
        if self.pool.population != opinion.population.counts:
            now, then = len(self.pool.stances), opinion.population.n
            return f"the corpus has changed since: {now:,} documents hold a view now, {then:,} did then"
        held = dict(zip(self.pool.stances.document_ids.tolist(), self.relevance, strict=True))
        moved = [
            d for d in self.receipt.ranking if abs(held.get(d.document_id, d.relevance) - d.relevance) > 1e-3
        ]
        return "the relevance of its documents is measured otherwise now" if moved else ""


def _state(context: RagContext, receipt: AuditReceipt) -> RagState:
    """Return what ``opinion_pool`` reads of a state, from the receipt."""
    ids = context.entity_ids()
    filters = [{"name": each.name, "value": each.value} for each in receipt.filters]
    period = next((each["value"].split("..") for each in filters if each["name"] == "period"), [])
    name = _target_name(receipt)
    shares: Sequence[float] = receipt.opinion.target_shares if receipt.opinion else ()
    return RagState(
        entity_ids=[ids[each.key] for each in receipt.entities if each.key in ids],
        filters=filters,
        period=period,
        route={"side": receipt.route.side},
        options={"target": list(shares) if name == "given" else name},
    )


def _target_name(receipt: AuditReceipt) -> str:
    return receipt.opinion.target.partition(",")[0] if receipt.opinion else "proportional"


def _constrained(receipt: AuditReceipt, pool: OpinionPool) -> tuple[Groups, ...]:
    constrained = [each.attribute for each in receipt.groups if each.constrained]
    names = constrained or [each.attribute for each in receipt.groups]
    return tuple(pool.groups[name] for name in names if name in pool.groups)


__all__ = ["AnswerFrontier", "Reranking", "answer_frontier"]
