"""The embedded opinion extractor: one opinion a clause and entity, with no language model.

Text -> words, clauses and valences (``features.analyse``) -> mentions of the registry's entities
(``matcher``) -> for each mention, the trained head's probabilities of negative, neutral and positive -> a unit
with the clause as its quote. The head sees the whole sentence from the mention's place; the lexicon gives
the strength of the opinion; rules give what neither sees: mixed clauses, sarcasm, hearsay, emotion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from store.enrich.emotions import markers_of
from store.enrich.evidence import evidence_of, is_personal
from store.enrich.features import Analysis, Features, analyse, target_features
from store.enrich.heads import Head, shipped
from store.enrich.impact import impact_of
from store.enrich.judgement import Judgement, judge
from store.enrich.language import detect
from store.enrich.matcher import EntityMatcher, Mention
from store.records import Extraction, OpinionUnit, RegistryEntity, score_of

#: Mentions that are looked at together: bounds the memory that one long document takes.
BATCH: Final = 256
#: Version of the rules; the head's hash is added to it.
RULES: Final = "4"


@dataclass(frozen=True, slots=True)
class Reading:
    """What the extractor sees for one entity in one clause, before it is put into words.

    Attributes
    ----------
    entity
        Key of the registry entity.
    clause
        Index in ``Analysis.clauses``.
    shares
        Calibrated probabilities of negative, neutral and positive, summing to 1.
    alone
        Whether the clause names no other entity.
    """

    entity: str
    clause: int
    shares: tuple[float, float, float]
    alone: bool


class LexicalExtractor:
    """Implements ``store.ports.OpinionExtractor`` with lexicons, rules and a small linear head.

    Parameters
    ----------
    head
        Three-class head over target features; the shipped one where None.
    """

    def __init__(self, head: Head | None = None) -> None:
        self._head = head

    @property
    def name(self) -> str:
        """``lexical``."""
        return "lexical"

    @property
    def version(self) -> str:
        """Version of the rules and hash of the heads."""
        return f"{RULES}-{shipped().sha}" if self._head is None else f"{RULES}-own"

    def extract(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> Iterator[Extraction]:
        """Yield one Extraction a document, in input order.

        Opinions stand in the order of their clauses; each entity has at most one opinion a clause.
        """
        matcher = EntityMatcher(registry)
        head = self._head or shipped().by_name["target"]
        for document_id, text in documents:
            language = detect(text)
            mentions = matcher.find(text) if language == "en" else []
            if not mentions:
                yield Extraction(document_id, (), language)
                continue
            analysis = analyse(text, [mention.start for mention in mentions])
            counts = Counter(mention.entity for mention in mentions)
            personal = is_personal(text)
            units = tuple(
                _unit(text, analysis, reading, counts[reading.entity], personal)
                for reading in read(analysis, mentions, head)
            )
            yield Extraction(document_id, units, language)


def read(analysis: Analysis, mentions: Sequence[Mention], head: Head) -> list[Reading]:
    """Return one reading a clause and entity; ``mentions`` are in text order, several in a clause are averaged."""
    if not mentions:
        return []
    places: dict[tuple[int, str], list[int]] = {}
    by_sentence: dict[int, list[Mention]] = {}
    for row, mention in enumerate(mentions):
        word = analysis.index_at(mention.start)
        places.setdefault((analysis.clause_of[word], mention.entity), []).append(row)
        by_sentence.setdefault(analysis.sentence_of[word], []).append(mention)
    rows = (
        target_features(
            analysis,
            mention.start,
            mention.end,
            [(other.start, other.end) for other in together if other.entity != mention.entity],
            topic=False,
        )
        for together in by_sentence.values()
        for mention in together
    )
    shares = np.concatenate([head.probabilities(batch) for batch in _batches(rows)])
    named = Counter(clause for clause, _ in places)
    readings = []
    for (clause, entity), members in places.items():
        negative, neutral, positive = shares[members].mean(axis=0).tolist()
        readings.append(Reading(entity, clause, (negative, neutral, positive), named[clause] == 1))
    return readings


def _batches(rows: Iterator[Features]) -> Iterator[list[Features]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _unit(text: str, analysis: Analysis, reading: Reading, mentions: int, personal: bool) -> OpinionUnit:
    clause = analysis.clauses[reading.clause]
    quote = text[clause.start : clause.end]
    verdict: Judgement = judge(analysis, reading.clause, quote, reading.shares, alone=reading.alone)
    return OpinionUnit(
        entity=reading.entity,
        sentiment=verdict.sentiment,
        intensity=verdict.intensity,
        score=score_of(verdict.sentiment, verdict.intensity),
        impact=impact_of(quote, verdict.intensity, mentions),
        markers=markers_of(quote),
        evidence=evidence_of(quote, quote, personal),
        quote=quote,
        start=clause.start,
        end=clause.end,
        confidence=verdict.confidence,
    )


__all__ = ["RULES", "LexicalExtractor", "Reading", "read"]
