"""Whom an extractive answer quotes: quotes whose own score is of their document's side, in proportion to the target."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from agents.context import RagContext
from agents.models.extractive import Voice
from agents.models.extractive_quotes import opening, quotable, same_words
from agents.pools import OpinionPool, opinion_pool
from agents.state import RagState
from agents.voice_choice import in_proportion
from store.opinions import Quote


@dataclass(frozen=True, slots=True)
class Candidate:
    """A voice that may be chosen, with the stance of its document, and its words and side: quoted once of all alike."""

    voice: Voice
    stance: int
    words: tuple[str, int]


def choose_voices(state: RagState, context: RagContext) -> list[Voice]:
    """Choose whom to quote: as many as asked for, as near to the target as those chosen allow, in order of rank."""
    pool = opinion_pool(context, state)
    candidates = quotable_voices(context, state, pool)
    if not candidates:
        return []
    wanted = int(state["options"].get("voices", context.settings.voices))
    said = [each.words for each in candidates]
    picked = in_proportion([each.stance for each in candidates], said, wanted, pool.target)
    shared = Counter(said)
    return [replace(candidates[i].voice, shared=shared[said[i]]) for i in picked]


def quotable_voices(context: RagContext, state: RagState, pool: OpinionPool) -> list[Candidate]:
    """Return one voice a document that has one, by rank."""
    stance = dict(zip(pool.stances.document_ids.tolist(), pool.stances.scores.tolist(), strict=True))
    ranks = {document: rank for rank, document in enumerate(state["chosen"], 1) if document in stance}
    texts = context.documents(ranks)
    by_document: dict[int, list[Quote]] = {}
    entities = context.with_descendants(state["entity_ids"])
    for quote in context.opinions.quotes(list(ranks), entities, context.extractor):
        by_document.setdefault(quote.document_id, []).append(quote)
    found = []
    for document, rank in ranks.items():
        for quote in by_side(by_document.get(document, []), stance[document]):
            text = texts[document].text if document in texts else ""
            if not quotable(quote.quote, text[quote.end : quote.end + 8]):
                continue
            lead = opening(quote.quote)
            voice = Voice(rank, document, quote.quote[lead:], quote.start + lead, quote.score)
            words = (same_words(quote.quote), int(np.sign(stance[document])))
            found.append(Candidate(voice, stance[document], words))
            break
    return found


def by_side(quotes: list[Quote], stance: int) -> list[Quote]:
    """Return a document's quotes whose own score is of the document's side, the nearest to its stance first."""
    own = [quote for quote in quotes if np.sign(quote.score) == np.sign(stance)]
    return sorted(own, key=lambda quote: (abs(quote.score - stance), -quote.confidence, quote.start))


__all__ = ["Candidate", "by_side", "choose_voices", "quotable_voices"]
