"""Calibration questions built from a corpus: its entities, and documents that speak well or ill of them."""

from __future__ import annotations

from typing import Final

import numpy as np

from agents.calibration import CalibrationQuestion
from agents.context import RagContext
from store.errors import NoCandidates

PLUS, MINUS = "mostly positive", "mostly negative"

#: Phrasings, so that one entity gives several questions, each with documents of its own.
_TEMPLATES: Final = (
    "What do people think of the {entity}?",
    "How is the {entity}?",
    "What is the general opinion on the {entity}?",
    "What have people experienced with the {entity}?",
    "How satisfied are people with the {entity}?",
    "How would you sum up what is said about the {entity}?",
    "Is the {entity} any good?",
    "What should one expect of the {entity}?",
)


def corpus_questions(context: RagContext, k: int, count: int, seed: int = 0) -> list[CalibrationQuestion]:
    """Build at most ``count`` questions on polarity, with k documents of each sign, no document used twice.

    The options are "mostly positive" (+1) and "mostly negative" (-1). Neutral documents are left out. Entities take
    turns, the most discussed first; questions on one entity share a cluster.

    Raises
    ------
    NoCandidates
        Fewer than two entities have k documents of each sign.
    """
    sides = []
    ids = context.entity_ids()
    for entity in context.entities():
        pool = context.opinions.pool(context.corpus, [ids[entity.key]], context.extractor)
        plus, minus = pool.document_ids[pool.scores > 0], pool.document_ids[pool.scores < 0]
        room = min(len(plus), len(minus)) // k
        if room:
            sides.append((room, entity, plus, minus))
    if len(sides) < 2:
        raise NoCandidates(
            f"fewer than two entities have {k} documents of each sign",
            "use a smaller --k, a larger corpus, or --questions FILE",
        )
    sides.sort(key=lambda side: (-side[0], side[1].key))
    slices = {entity.key: 0 for _, entity, _, _ in sides}
    while sum(slices.values()) < count:
        before = sum(slices.values())
        for room, entity, _, _ in sides:
            if slices[entity.key] < min(room, len(_TEMPLATES)) and sum(slices.values()) < count:
                slices[entity.key] += 1
        if sum(slices.values()) == before:
            break
    rng = np.random.default_rng(seed)
    questions = []
    for _, entity, plus, minus in sides:
        parts = slices[entity.key]
        drawn = rng.permutation(plus), rng.permutation(minus)
        for part in range(parts):
            text = _TEMPLATES[part].format(entity=entity.name)
            shown = np.concatenate([_most_relevant(context, text, side[part::parts], k) for side in drawn])
            relevance = context.searcher.similarities(
                context.corpus.id, context.searcher.embed_query(text), shown
            )
            texts = context.repository.documents([int(i) for i in shown])
            questions.append(
                CalibrationQuestion(
                    text=text,
                    plus=PLUS,
                    minus=MINUS,
                    documents=tuple(texts[int(i)].text for i in shown),
                    groups=(1,) * k + (-1,) * k,
                    relevance=tuple(float(value) for value in relevance),
                    cluster=entity.key,
                )
            )
    return questions


def _most_relevant(context: RagContext, text: str, ids: np.ndarray, k: int) -> np.ndarray:
    relevance = context.searcher.similarities(context.corpus.id, context.searcher.embed_query(text), ids)
    return ids[np.lexsort((ids, -relevance))[:k]]


__all__ = ["MINUS", "PLUS", "corpus_questions"]
