"""The embedded opinion extractor: one opinion a clause and entity, with no language model."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from store.enrich.clauses import Clause, clauses
from store.enrich.emotions import markers_of
from store.enrich.evidence import evidence_of, is_personal
from store.enrich.impact import impact_of
from store.enrich.language import detect
from store.enrich.matcher import EntityMatcher
from store.enrich.polarity import compound, label
from store.records import Extraction, OpinionUnit, RegistryEntity, score_of

VERSION: Final = "1"


class LexicalExtractor:
    """Implements ``store.ports.OpinionExtractor`` with lexicons and rules."""

    @property
    def name(self) -> str:
        """``lexical``."""
        return "lexical"

    @property
    def version(self) -> str:
        """Version of the rules."""
        return VERSION

    def extract(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> Iterator[Extraction]:
        """Yield one Extraction a document, in input order.

        Opinions stand in the order of their clauses; each entity has at most one opinion a clause.
        """
        matcher = EntityMatcher(registry)
        for document_id, text in documents:
            yield self._extract(document_id, text, matcher)

    def _extract(self, document_id: int, text: str, matcher: EntityMatcher) -> Extraction:
        language = detect(text)
        if language != "en":
            return Extraction(document_id, (), language)
        mentions = matcher.find(text)
        if not mentions:
            return Extraction(document_id, (), language)
        spans = clauses(text)
        starts = [clause.start for clause in spans]
        counts = Counter(mention.entity for mention in mentions)
        personal = is_personal(text)
        named: dict[int, dict[str, None]] = {}
        for mention in mentions:
            index = bisect_right(starts, mention.start) - 1
            if index >= 0 and mention.start < spans[index].end:
                named.setdefault(index, {})[mention.entity] = None
        opinions = [
            _unit(text, spans[index], entity, counts[entity], personal)
            for index, entities in named.items()
            for entity in entities
        ]
        return Extraction(document_id, tuple(opinions), language)


def _unit(text: str, clause: Clause, entity: str, mentions: int, personal: bool) -> OpinionUnit:
    quote = text[clause.start : clause.end]
    value = compound(quote)
    if clause.question:
        value *= 0.5
    sentiment, intensity = label(value)
    return OpinionUnit(
        entity=entity,
        sentiment=sentiment,
        intensity=intensity,
        score=score_of(sentiment, intensity),
        impact=impact_of(quote, intensity, mentions),
        markers=markers_of(quote),
        evidence=evidence_of(quote, quote, personal),
        quote=quote,
        start=clause.start,
        end=clause.end,
        confidence=round(0.5 + 0.4 * abs(value), 3),
    )


__all__ = ["VERSION", "LexicalExtractor"]
