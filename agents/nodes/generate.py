"""Generate: the answer with citations, by the configured model or by the embedded extractive writer."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from agents.breakdowns import break_down
from agents.context import RagContext
from agents.corrections import corrected, corrected_sentence
from agents.events import AnswerRevised, TokenReceived
from agents.models import extractive
from agents.models.extractive import Written
from agents.models.generation import GenerationRequest, Passage, Proportions
from agents.nodes.marks import degraded, used_model
from agents.part_counts import compare
from agents.pools import opinion_pool
from agents.state import RagState
from agents.voices import choose_voices
from store.errors import ApplicationError
from store.receipt import FilterAudit, filter_words, within_words

#: Below this cosine, and without a shared word, a document says nothing on the question.
RELEVANCE_FLOOR = 0.35


async def generate(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Write the answer, beginning with what the question tells apart, each part counted by itself."""
    context = runtime.context
    compared = break_down(state, context)
    if not (compared.text or compared.warning):
        compared = compare(state, context)
    marks = degraded(state, "compare", *filter(None, [compared.warning]))
    marks = degraded({**state, "degradations": marks}, "enrich", *_unread(state, context))
    counts = [item for item in state["counts"] if not item.get("part")]
    found: dict[str, Any] = {
        "comparison": compared.text,
        "counts": [*counts, *(each.model_dump() for each in compared.counts)],
        "degradations": marks,
    }
    prepared: Any = {**state, **found, "counts": counts}
    return {**found, **await _written(prepared, runtime)}


def _unread(state: RagState, context: RagContext) -> list[str]:
    """Say how many documents no opinion was read from yet, where the answer rests on opinions."""
    if state["route"]["kind"] == "factual" or not (missing := context.unread_count()):
        return []
    total = context.document_count()
    return [f"{missing:,} of {total:,} documents are not enriched yet, so not counted: run evenhand enrich"]


async def _written(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    """Write the answer itself; a model that fails is replaced by the extractive writer, marked."""
    context = runtime.context
    if state["route"]["kind"] == "counting" and state["counts"]:
        whole = "In all: " if state["breakdown"] and state["comparison"] else ""
        return _spoken(runtime, state, Written(f"{whole}{_count_text(state)}", ()))
    chat = context.chat("generator")
    if chat is None or not state["chosen"]:
        return _extractive(state, runtime)
    try:
        return await _by_model(state, runtime, chat)
    except ApplicationError as error:
        written = _extractive(state, runtime)
        marks = degraded(state, "generate", f"{error.message}: answered by the embedded writer instead")
        return {**written, "degradations": marks}


def _extractive(state: RagState, runtime: Runtime[RagContext]) -> dict[str, Any]:
    context = runtime.context
    written = None
    if state["chosen"] and (not state["unmatched"] or state["route"]["kind"] == "factual"):
        if state["selection"].get("floor") is not None:
            written = _opinions(state, context)
        if state["route"]["kind"] != "opinion" or written is None:
            facts = _facts(state, context)
            if written is None:
                written = facts
            elif facts is not None and state["route"]["kind"] == "both":
                written = Written(f"{facts.text}\n\n{written.text}", facts.citations + written.citations)
    if written is None:
        written = Written("" if state["comparison"] else nothing_text(state), ())
    update = _spoken(runtime, state, written)
    return {**update, "models": used_model(state, "generator", extractive.NAME)}


def _opinions(state: RagState, context: RagContext) -> Written | None:
    whole = opinion_pool(context, {**state, "route": {**state["route"], "side": None}})
    if not sum(whole.population):
        return None
    subject = " and ".join(item["name"] for item in state["entities"]) or "what they write about"
    documents = context.document_count()
    if state["filters"]:
        documents = state["filters"][0]["documents"]
    voices = choose_voices(state, context)
    return extractive.opinion_answer(
        subject,
        whole.population,
        documents,
        voices,
        state["route"]["side"],
        context.extractor,
        corrected_sentence(corrected(context, whole.population, state["entity_ids"])),
        within_words([FilterAudit(**item) for item in state["filters"]]),
        context.document_count(),
    )


def _facts(state: RagState, context: RagContext) -> Written | None:
    ids = state["chosen"][:8]
    texts = context.documents(ids)
    numbered = [(rank, d, texts[d].text) for rank, d in enumerate(ids, 1) if d in texts]
    relevance = dict(zip(state["candidates"], state["relevance"], strict=True))
    near = max((relevance.get(d, 0.0) for d in ids), default=0.0)
    shared = extractive.content_words(state["standalone"]) & set().union(
        *(extractive.content_words(text) for _, _, text in numbered), set()
    )
    # Documents taken because they use the question's own words are on it, however far their vectors are.
    mention = "documents that mention" in state["pool_source"]
    if near < RELEVANCE_FLOOR and len(shared) < (1 if mention else 2):
        return None
    return extractive.factual_answer(state["standalone"], numbered)


def nothing_text(state: RagState) -> str:
    """Say that the corpus has nothing on the question."""
    topic = state["unmatched"]
    if topic and not state["filters"]:
        return f"Nothing in this corpus speaks of {topic}, so there is nothing to report."
    if state["filters"]:
        stated = filter_words(FilterAudit(**item) for item in state["filters"])
        does = f"speaks of {topic}" if topic else "answers the question"
        return f"No document {does} within the limits that the question states ({stated})."
    return "No document in this corpus answers the question."


def _count_text(state: RagState) -> str:
    found = state["counts"][0]
    if found["label"] == found["base"] and found["value"] == found["total"]:
        return f"{found['value']:,} {found['label']}."
    share = f"{100 * found['share']:.1f} %"
    text = f"{found['value']:,} of {found['total']:,} {found['base']} ({share}): {found['label']}."
    if found["low"] is not None and found["high"] is not None:
        text += f" Corrected for labelling errors: {100 * found['low']:.0f}-{100 * found['high']:.0f} %."
    return text


def _spoken(runtime: Runtime[RagContext], state: RagState, written: Written) -> dict[str, Any]:
    text = "\n\n".join(part for part in (state["comparison"], written.text) if part)
    runtime.stream_writer(TokenReceived(text))
    citations = [
        {"number": c.number, "document_id": c.document_id, "quote": c.quote, "start": c.start, "end": c.end}
        for c in written.citations
    ]
    return {"answer": text, "citations": citations}


async def _by_model(state: RagState, runtime: Runtime[RagContext], chat: Any) -> dict[str, Any]:
    from agents.models.generator import LLMGenerator

    context = runtime.context
    if state["deviation"]:
        runtime.stream_writer(AnswerRevised(state["deviation"]))
    texts = context.documents(state["chosen"])
    passages = tuple(
        Passage(f"{rank}", texts[d].text) for rank, d in enumerate(state["chosen"], 1) if d in texts
    )
    opinion = state["selection"].get("floor") is not None
    request = GenerationRequest(
        question=state["standalone"],
        kind="opinion" if opinion else "factual",
        passages=passages,
        proportions=_proportions(state, context) if opinion else None,
        deviation=state["deviation"],
    )
    generator = LLMGenerator(chat)
    lead = f"{state['comparison']}\n\n" if state["comparison"] else ""
    if lead:
        runtime.stream_writer(TokenReceived(lead))
    answer = None
    async for piece in generator.stream(request):
        if isinstance(piece, str):
            runtime.stream_writer(TokenReceived(piece))
        else:
            answer = piece
    assert answer is not None, "the stream ends with the answer"
    citations = [
        {
            "number": int(label),
            "document_id": state["chosen"][int(label) - 1],
            "quote": "",
            "start": None,
            "end": None,
        }
        for label in answer.cited
    ]
    reasons = []
    if answer.shortened:
        reasons.append("documents were shortened to fit the model's context")
    if answer.truncated:
        reasons.append("the model's answer was cut at its token limit")
    if answer.refusal:
        reasons.append(f"the model refused: {answer.refusal}")
    if answer.invented:
        reasons.append(f"citations that do not exist were taken out: {', '.join(answer.invented)}")
    update: dict[str, Any] = {
        "answer": lead + answer.text,
        "citations": citations,
        "models": used_model(state, "generator", answer.model, answer.prompt, answer.prompt_sha),
    }
    if reasons:
        update["degradations"] = degraded(state, "generate", *reasons)
    return update


def _proportions(state: RagState, context: RagContext) -> Proportions:
    pool = opinion_pool(context, {**state, "route": {**state["route"], "side": None}})
    counts = pool.population
    n = max(sum(counts), 1)
    shares = {
        "positive": sum(counts[4:]) / n,
        "neutral or mixed": counts[3] / n,
        "negative": sum(counts[:3]) / n,
    }
    return Proportions(
        ", ".join(item["name"] for item in state["entities"]) or "the corpus", shares, sum(counts)
    )


__all__ = ["RELEVANCE_FLOOR", "generate", "nothing_text"]
