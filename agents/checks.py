"""What is checked of a written answer, on top of the pure functions of ``agents.verification``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.context import RagContext
from agents.fairness.distance import w1_bins
from agents.pools import opinion_pool
from agents.state import RagState
from store.receipt import CitationAudit, Distribution, VerificationAudit
from store.records import BINS


@dataclass(frozen=True, slots=True)
class Checked:
    """The citations with their verdicts, the audit, and the deviation that asks for a revision (or nothing)."""

    citations: tuple[CitationAudit, ...]
    audit: VerificationAudit
    deviation: str


def check_answer(context: RagContext, state: RagState) -> Checked:
    """Check citations, quotes, and the distribution of what the answer cites."""
    ids = sorted({c["document_id"] for c in state["citations"]})
    texts = {d: record.text for d, record in context.repository.documents(ids).items()}
    citations, findings = [], []
    for citation in state["citations"]:
        text = texts.get(citation["document_id"])
        quote, start, end = citation["quote"], citation["start"], citation["end"]
        verified = text is not None and (not quote or text[start:end] == quote)
        if not verified:
            findings.append(f"the quote of citation [{citation['number']}] is not in the document")
        citations.append(CitationAudit(**{**citation, "verified": verified}))
    distribution, amplification, deviation = _distribution(context, state)
    if deviation:
        findings.append(deviation)
    quotes = [c for c in citations if c.quote]
    audit = VerificationAudit(
        quotes=len(quotes),
        quotes_verified=sum(c.verified for c in quotes),
        findings=tuple(findings),
        revised=state["revisions"] > 0,
        answer_distribution=distribution,
        amplification=amplification,
    )
    wrong_quotes = next((f for f in findings if "quote of citation" in f), "")
    return Checked(tuple(citations), audit, wrong_quotes or deviation)


def _distribution(context: RagContext, state: RagState) -> tuple[Distribution | None, float | None, str]:
    if state["selection"].get("floor") is None or not state["citations"]:
        return None, None, ""
    pool = opinion_pool(context, state)
    stance = dict(zip(pool.stances.document_ids.tolist(), pool.stances.scores.tolist(), strict=True))
    cited = [stance[d] for d in dict.fromkeys(c["document_id"] for c in state["citations"]) if d in stance]
    retrieved = [stance[d] for d in state["chosen"]]
    if not cited:
        return None, None, ""
    answer, given = _counts(cited), _counts(retrieved)
    distance = w1_bins(answer / answer.sum(), pool.target)
    amplification = distance - w1_bins(given / given.sum(), pool.target)
    # Few voices cannot match seven shares: only what goes beyond the granularity counts.
    limit = context.settings.tolerance + 30.0 / len(cited)
    deviation = ""
    if distance > limit:
        deviation = f"the answer's cited opinions are {distance:.1f} points (W1) from the target, more than {limit:.1f} allowed"
    return (
        Distribution(counts=tuple(int(c) for c in answer), source="documents cited"),
        amplification,
        deviation,
    )


def _counts(scores: list[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.bincount((np.asarray(scores) + 30) // 10, minlength=len(BINS)).astype(np.float64)


__all__ = ["Checked", "check_answer"]
