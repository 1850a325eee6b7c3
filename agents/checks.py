"""What is checked of a written answer: the pure functions of ``agents.verification`` on what the store holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.context import RagContext
from agents.corrections import corrected, corrected_sentence
from agents.models.extractive import NAME as EXTRACTIVE
from agents.pools import opinion_pool
from agents.representation import Shortfall, shortfall
from agents.state import RagState
from agents.verification import Read, Verification, verify
from store.receipt import CitationAudit, Distribution, VerificationAudit
from store.records import BINS

#: Findings that hold whatever the target is.
_ALWAYS = frozenset({"invented citation", "altered quote", "misattributed quote", "wrong share"})


@dataclass(frozen=True, slots=True)
class Checked:
    """The citations with their verdicts, the audit, and what was found.

    ``deviation`` asks for a revision (or is empty); ``marks`` are said with the answer, as no revision can mend them.
    """

    citations: tuple[CitationAudit, ...]
    audit: VerificationAudit
    deviation: str
    marks: tuple[str, ...] = ()


def writer_of(models: Sequence[Mapping[str, Any]]) -> str:
    """Return the name of the model that wrote the answer last, of all that took part."""
    return next((str(used["name"]) for used in reversed(models) if used["role"] == "generator"), EXTRACTIVE)


def own_words(state: RagState) -> str:
    """Return the answer without the parts counted in SQL that it begins with: they are no claims of its writer."""
    return state["answer"].removeprefix(state.get("comparison", "")).lstrip("\n")


def check_answer(context: RagContext, state: RagState, read: Mapping[str, Read] | None = None) -> Checked:
    """Check citations, quotes, stated shares, and the distribution of the views that the answer reports and cites.

    ``read`` holds what a model has read in the answer's claims; the embedded classifier reads the others.
    """
    # The receipt needs those of plain relevance as well: read together.
    records = context.documents([*state["chosen"], *state["plain"]])
    texts = {str(rank): records[d].text for rank, d in enumerate(state["chosen"], 1) if d in records}
    found, faults = _verify(context, state, texts, read or {})
    far = _far(context, state)
    marks: tuple[str, ...] = ()
    if far is not None and far.mendable:
        faults += (far.message,)
    elif far is not None:
        marks = (far.message,)
    findings = faults + marks
    citations = _citations(state, texts, found)
    quotes = [c for c in citations if c.quote]
    distribution = None
    if found.distribution is not None:
        voices = max(sum(claim.voices for claim in found.claims), 1)
        counts = tuple(int(n) for n in np.rint(np.asarray(found.distribution) * voices))
        distribution = Distribution(counts=counts, source="views that the answer reports")
    audit = VerificationAudit(
        quotes=len(quotes),
        quotes_verified=sum(c.verified for c in quotes),
        findings=findings,
        revised=state["revisions"] > 0,
        answer_distribution=distribution,
        amplification=found.amplification,
    )
    return Checked(citations, audit, "; ".join(faults), marks)


def _far(context: RagContext, state: RagState) -> Shortfall | None:
    """Return what the documents cited fall short of, where the answer is on opinions."""
    if state["selection"].get("floor") is None:
        return None
    return shortfall(context, state, opinion_pool(context, state), writer_of(state["models"]) == EXTRACTIVE)


def _verify(
    context: RagContext, state: RagState, texts: dict[str, str], read: Mapping[str, Read]
) -> tuple[Verification, tuple[str, ...]]:
    if state["selection"].get("floor") is None:
        found = verify(own_words(state), texts)
        return found, tuple(f.message for f in found.findings)
    pool = opinion_pool(context, state)
    stance = dict(zip(pool.stances.document_ids.tolist(), pool.stances.scores.tolist(), strict=True))
    written = writer_of(state["models"])
    options: dict[str, Any] = {}
    if written != EXTRACTIVE:
        from agents.verification.lexical import lexical_claim

        options["classify"] = lambda text: read[text] if text in read else lexical_claim(text)
    side = state["route"]["side"]
    whole = opinion_pool(context, {**state, "route": {**state["route"], "side": None}}) if side else pool
    answer = own_words(state)
    if written == EXTRACTIVE:
        # The corrected shares that stand beside the counted ones are not claims to hold against the counts.
        answer = answer.replace(
            corrected_sentence(corrected(context, whole.population, state["entity_ids"])), ""
        )
    found = verify(
        answer,
        texts,
        population=whole.population if side is None else pool.population,
        retrieved=_counts([stance[d] for d in state["chosen"] if d in stance]),
        stances={str(rank): stance[d] for rank, d in enumerate(state["chosen"], 1) if d in stance},
        side=side,
        **options,
    )
    proportional = pool.target_name.startswith("proportional")
    kept = [f for f in found.findings if proportional or f.kind in _ALWAYS]
    if side is not None:
        # Shares that are stated are those of all views; only the voices are of the one side.
        shares = verify(answer, texts, population=whole.population, **options)
        kept = [f for f in kept if f.kind != "wrong share"]
        kept += [f for f in shares.findings if f.kind == "wrong share"]
    return found, tuple(dict.fromkeys(f.message for f in kept))


def _citations(state: RagState, texts: dict[str, str], found: Verification) -> tuple[CitationAudit, ...]:
    """Return the citations as stored; a model's get the quotes that stand beside them."""
    citations = []
    for citation in state["citations"]:
        label = str(citation["number"])
        quote, start, end = citation["quote"], citation["start"], citation["end"]
        if quote:
            verified = texts.get(label, "")[start:end] == quote
        else:
            quote = next((check.quote for check in found.quotes if check.label == label), "")
            verified = label in texts
        citations.append(CitationAudit(**{**citation, "quote": quote, "verified": verified}))
    return tuple(citations)


def _counts(scores: list[int]) -> list[float]:
    return [float(n) for n in np.bincount((np.asarray(scores) + 30) // 10, minlength=len(BINS))]


__all__ = ["Checked", "check_answer", "own_words", "writer_of"]
