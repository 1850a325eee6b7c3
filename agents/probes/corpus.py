"""Facts from the user's own corpus: one sentence of a document that holds its only view on an entity."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from agents.context import RagContext
from agents.probes.facts import SLOT, Fact
from store.enrich.clauses import sentences
from store.opinions import Quote
from store.records import RegistryEntity

TEMPLATE: Final = f"What do people think of the {SLOT}?"
#: Documents of one entity that are read: enough for the pairs, and a large corpus takes no longer.
_DOCUMENTS: Final = 1500


def corpus_facts(context: RagContext, seed: int = 0) -> list[Fact]:
    """Return the usable facts of an enriched corpus in an order that the seed draws, entities of a document in turn.

    A document serves for an entity when exactly one of its sentences holds views on it, and names it once.
    """
    ids = context.entity_ids()
    rng = np.random.default_rng(seed)
    rounds: dict[int, list[tuple[str, Fact]]] = {}
    turns: dict[int, int] = {}
    for entity in context.entities():
        found = context.opinions.pool(context.corpus, [ids[entity.key]], context.extractor).document_ids
        chosen = np.sort(rng.permutation(found)[:_DOCUMENTS]).tolist()
        by_document: dict[int, list[Quote]] = {}
        for quote in context.opinions.quotes(chosen, [ids[entity.key]], context.extractor):
            by_document.setdefault(quote.document_id, []).append(quote)
        names = _names(entity)
        for document_id, record in context.repository.documents(list(by_document)).items():
            fact = _fact(str(record.external_id), record.text, by_document[document_id], names)
            if fact is not None:
                turn = turns[document_id] = turns.get(document_id, 0) + 1
                rounds.setdefault(turn, []).append((_order(fact, seed), fact))
    return [fact for turn in sorted(rounds) for _, fact in sorted(rounds[turn], key=lambda item: item[0])]


def _fact(source: str, text: str, quotes: Sequence[Quote], names: Sequence[str]) -> Fact | None:
    spans = sentences(text)
    holding = [
        i for i, span in enumerate(spans) if any(q.start < span[1] and span[0] < q.end for q in quotes)
    ]
    if len(holding) != 1:
        return None
    begin, end = spans[holding[0]]
    pattern = _pattern(names)
    found = list(pattern.finditer(text[begin:end]))
    if len(found) != 1:
        return None
    at = max(0, min(q.start for q in quotes) - begin)
    stop = min(end, max(q.end for q in quotes)) - begin
    pieces = tuple(text[a:b] for a, b in spans)
    written = found[0].group()
    return Fact(
        source=source,
        sentences=pieces,
        evidence=holding[0],
        head=found[0].span(),
        answer=(at, stop),
        names=tuple(dict.fromkeys([written, *(name for name in names if name != written.casefold())])),
        mentions=tuple(len(pattern.findall(piece)) for piece in pieces),
        answering=tuple(i in holding for i in range(len(spans))),
        template=TEMPLATE,
    )


def _names(entity: RegistryEntity) -> list[str]:
    names = [" ".join(name.split()).casefold() for name in (entity.name, *entity.aliases)]
    return [name for name in dict.fromkeys(names) if name]


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    # Longest first, so that "front desk staff" is not counted as "staff".
    ordered = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)", re.IGNORECASE)


def _order(fact: Fact, seed: int) -> str:
    return hashlib.sha256(f"{seed}\n{fact.source}\n{fact.question()}".encode()).hexdigest()


__all__ = ["TEMPLATE", "corpus_facts"]
