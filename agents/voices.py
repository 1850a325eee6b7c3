"""Whom an extractive answer quotes: quotes whose own score is of their document's side, in proportion to the target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.fairness.distance import histogram, w1_bins
from agents.fairness.pool import Pool
from agents.fairness.selection import select
from agents.models.extractive import Voice
from agents.models.extractive_quotes import opening, quotable, wording
from agents.pools import OpinionPool, opinion_pool
from agents.state import RagState
from store.opinions import Quote

#: So many voices are looked for at least, where the documents have as many.
FEWEST = 5
#: Distance (score units) that one voice more may cost: few proportionate voices say more than many of one side.
_COST_OF_A_VOICE = 0.2
#: So near to the target nothing is gained by leaving voices out.
_NEAR = 3.0


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A voice that may be chosen, with the stance of its document."""

    voice: Voice
    stance: int


def choose_voices(state: RagState, context: RagContext) -> list[Voice]:
    """Choose whom to quote: as many as asked for, as near to the target as those chosen allow, in order of rank."""
    pool = opinion_pool(context, state)
    candidates = _candidates(context, state, pool)
    if not candidates:
        return []
    wanted = min(int(state["options"].get("voices", context.settings.voices)), len(candidates))
    picked = _in_proportion(candidates, wanted, pool.target)
    return [candidates[i].voice for i in picked]


def _candidates(context: RagContext, state: RagState, pool: OpinionPool) -> list[_Candidate]:
    """Return one voice a document that has one, by rank, the same words once."""
    stance = dict(zip(pool.stances.document_ids.tolist(), pool.stances.scores.tolist(), strict=True))
    ranks = {document: rank for rank, document in enumerate(state["chosen"], 1) if document in stance}
    texts = context.documents(ranks)
    by_document: dict[int, list[Quote]] = {}
    entities = context.with_descendants(state["entity_ids"])
    for quote in context.opinions.quotes(list(ranks), entities, context.extractor):
        by_document.setdefault(quote.document_id, []).append(quote)
    found, said = [], set[str]()
    for document, rank in ranks.items():
        for quote in by_side(by_document.get(document, []), stance[document]):
            text = texts[document].text if document in texts else ""
            words = wording(quote.quote)
            if words in said or not quotable(quote.quote, text[quote.end : quote.end + 8]):
                continue
            said.add(words)
            lead = opening(quote.quote)
            voice = Voice(rank, document, quote.quote[lead:], quote.start + lead, quote.score)
            found.append(_Candidate(voice, stance[document]))
            break
    return found


def by_side(quotes: list[Quote], stance: int) -> list[Quote]:
    """Return a document's quotes whose own score is of the document's side, the nearest to its stance first."""
    own = [quote for quote in quotes if np.sign(quote.score) == np.sign(stance)]
    return sorted(own, key=lambda quote: (abs(quote.score - stance), -quote.confidence, quote.start))


def _in_proportion(candidates: list[_Candidate], wanted: int, target: NDArray[np.float64]) -> list[int]:
    """Return the indices of the voices: ``wanted`` of them, or fewer where the documents lack words of one side."""
    scores = np.asarray([each.stance for each in candidates], dtype=np.float64)
    ids = np.asarray([each.voice.document_id for each in candidates], dtype=np.intp)
    subset = Pool(relevance=np.linspace(1.0, 0.5, len(candidates)), score=scores, population=target, ids=ids)
    best: tuple[float, list[int]] | None = None
    for count in range(wanted, min(FEWEST, wanted) - 1, -1):
        rows = select("exact", subset, count, lam=float(count), beta=0.0).indices
        away = _away(scores[rows].astype(np.int64), target)
        cost = away + _COST_OF_A_VOICE * (wanted - count)
        if best is None or cost < best[0]:
            best = (cost, sorted(int(i) for i in rows))
        if count == wanted and away <= _NEAR:
            break
    assert best is not None, "there is at least one candidate"
    return best[1]


def _away(scores: NDArray[np.int64], target: NDArray[np.float64]) -> float:
    """Return W1 to the target plus ten times the largest gap of a side's share: the headings show the sides."""
    shares = histogram(scores)
    sides = [abs(float((shares - target)[part].sum())) for part in (slice(0, 3), slice(3, 4), slice(4, 7))]
    return w1_bins(shares, target) + 10 * max(sides)


__all__ = ["FEWEST", "by_side", "choose_voices"]
