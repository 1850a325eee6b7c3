"""W2 over several opinion dimensions (O-RAG eq. 8): sentiment-intensity, impact and kind of evidence, by POT.

POT takes a second to load: this is measured for an audit and in the evaluation, never while a question is answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.context import RagContext
from agents.fairness.distance import w2_multivariate
from agents.pools import OpinionPool, opinion_pool
from agents.receipts import stance_rows
from agents.state import RagState
from store.errors import UsageError
from store.opinions import Quote
from store.receipt import AuditReceipt

Floats = NDArray[np.float64]

EVIDENCE: Final = ("personal", "anecdotal", "data-driven")
#: Points between two kinds of evidence: as between a medium opinion and a neutral one.
_APART: Final = 20.0


def opinion_points(score: ArrayLike, impact: ArrayLike, evidence: Sequence[str]) -> Floats:
    """Return opinions as points, shape (n, 5): score in [-30, 30], impact in [10, 30], and the kind of evidence."""
    kinds = np.array([[kind == name for name in EVIDENCE] for kind in evidence], dtype=np.float64)
    columns = kinds.reshape(-1, len(EVIDENCE)) * _APART / np.sqrt(2)
    return np.column_stack([np.asarray(score, float), np.asarray(impact, float), columns])


def dimension_distance(points: Floats, chosen: ArrayLike) -> float:
    """Return W2 between the opinions at ``chosen`` rows and all of them; NaN where none is chosen.

    Equal opinions are joined with their mass, which leaves the distance as it is.
    """
    rows = np.asarray(chosen, dtype=np.intp)
    if not rows.size:
        return float("nan")
    everyone, mass = np.unique(points, axis=0, return_counts=True)
    some, own = np.unique(points[rows], axis=0, return_counts=True)
    return w2_multivariate(some, everyone, own, mass)


def evidence_kinds(documents: Sequence[int], quotes: Sequence[Quote]) -> list[str]:
    """Return the kind of evidence that each document gives most often, empty where it gives none."""
    by_document: dict[int, Counter[str]] = {}
    for quote in quotes:
        if quote.evidence in EVIDENCE:
            by_document.setdefault(quote.document_id, Counter())[quote.evidence] += 1
    found = [by_document.get(int(document), Counter()) for document in documents]
    return [min(kinds, key=lambda kind: (-kinds[kind], kind)) if kinds else "" for kinds in found]


def with_dimensions(context: RagContext, receipt: AuditReceipt) -> AuditReceipt:
    """Return a receipt with W2 over the opinion dimensions of the retrieved, the cited and the plain documents.

    Raises
    ------
    UsageError
        The answer is not on opinions, or the corpus is not the one that it was given on.
    """
    opinion = receipt.opinion
    if opinion is None:
        raise UsageError("this answer stands on no opinions", "name another answer")
    pool = _pool(context, receipt)
    if tuple(pool.population) != tuple(opinion.population.counts):
        raise UsageError(
            "the opinions have changed since this answer: its distances cannot be measured again",
            "ask the question again",
        )
    stances = pool.stances
    entities = context.with_descendants(_entity_ids(context, receipt))
    ids = stances.document_ids.tolist()
    points = opinion_points(
        stances.scores,
        stances.impacts,
        evidence_kinds(ids, context.opinions.quotes(ids, entities, context.extractor)),
    )
    sets = {
        "retrieved": [each.document_id for each in receipt.ranking],
        "cited": list(dict.fromkeys(each.document_id for each in receipt.citations)),
        "plain": list(receipt.plain_ranking),
    }
    found = {
        name: dimension_distance(points, stance_rows(pool, documents)) for name, documents in sets.items()
    }
    known = {name: value for name, value in found.items() if value == value}
    return receipt.model_copy(update={"opinion": opinion.model_copy(update={"w2": known})})


def _pool(context: RagContext, receipt: AuditReceipt) -> OpinionPool:
    filters = [each.model_dump() for each in receipt.filters]
    period = next((each.value.split("..") for each in receipt.filters if each.name == "period"), [])
    state = {
        "entity_ids": _entity_ids(context, receipt),
        "filters": filters,
        "period": period,
        "route": {"side": receipt.route.side},
    }
    return opinion_pool(context, cast(RagState, state))


def _entity_ids(context: RagContext, receipt: AuditReceipt) -> list[int]:
    known = context.entity_ids()
    return [known[each.key] for each in receipt.entities if each.key in known]


__all__ = ["EVIDENCE", "dimension_distance", "evidence_kinds", "opinion_points", "with_dimensions"]
