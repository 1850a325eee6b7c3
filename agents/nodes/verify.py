"""Verify: every citation exists, every quote is verbatim, the views told and cited are the population's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from langgraph.runtime import Runtime

from agents.checks import check_answer, own_words, writer_of
from agents.context import RagContext
from agents.models.claims import prompt_of_claims
from agents.models.extractive import NAME as EXTRACTIVE
from agents.nodes.marks import degraded, used_model
from agents.state import RagState
from agents.verification import Read


async def verify(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Check the answer; a deviation over tolerance is named for one revision, then marked."""
    context = runtime.context
    read, marks = await _read_by_model(state, context)
    checked = check_answer(context, cast(RagState, {**state, **marks}), read)
    update: dict[str, Any] = {
        "citations": [c.model_dump() for c in checked.citations],
        "verification": checked.audit.model_dump(),
        "deviation": "",
        **marks,
    }
    if checked.deviation:
        may_revise = (
            context.chat("generator") is not None and state["revisions"] < context.settings.max_revisions
        )
        if may_revise and writer_of(state["models"]) != EXTRACTIVE:
            update |= {"deviation": checked.deviation, "revisions": state["revisions"] + 1}
            return update
    # `audit --fail-over degraded=0` must see what the checks found.
    if found := [each for each in (checked.deviation, *checked.marks) if each]:
        update["degradations"] = degraded(cast(RagState, {**state, **marks}), "verify", *found)
    return update


async def _read_by_model(state: RagState, context: RagContext) -> tuple[Mapping[str, Read], dict[str, Any]]:
    """Return what the model of the role ``verifier`` reads in the answer's claims, where the settings want that."""
    if context.settings.verifier != "model" or state["selection"].get("floor") is None:
        return {}, {}
    written = writer_of(state["models"])
    if written == EXTRACTIVE:
        # Its words are quotes and counts from SQL: there is nothing to read.
        return {}, {}
    chat = context.chat("verifier")
    if chat is None:
        reason = "no language model is configured for the role verifier: claims were read by the embedded classifier"
        return {}, {"degradations": degraded(state, "verify", reason)}
    from agents.models.claims import CERTAINTY, classify_claims
    from agents.verification import claim_texts

    records = context.repository.documents(state["chosen"])
    documents = {str(rank): records[d].text for rank, d in enumerate(state["chosen"], 1) if d in records}
    texts = claim_texts(own_words(state), documents)
    subject = ", ".join(item["name"] for item in state["entities"]) or "the subject"
    bins, failure = await classify_claims(texts, subject, chat)
    # Before the writer, whose name stands last; a revision is read again by the same model.
    mark = used_model({**state, "models": []}, "verifier", chat.model, *prompt_of_claims())
    marks: dict[str, Any] = {"models": [*mark, *(m for m in state["models"] if m not in mark)]}
    if failure is not None:
        reason = (
            f"{failure.message}: {bins.count(None)} of {len(texts)} claims read by the embedded classifier"
        )
        marks["degradations"] = degraded(state, "verify", reason)
    found = zip(texts, bins, strict=True)
    return {text: Read(bin_, CERTAINTY) for text, bin_ in found if bin_ is not None}, marks


def needs_revision(state: RagState) -> bool:
    """Return whether the answer must be written once more."""
    return bool(state["deviation"])


__all__ = ["needs_revision", "verify"]
