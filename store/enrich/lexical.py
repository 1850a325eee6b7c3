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
from numpy.typing import NDArray

from store.enrich.comparisons import compared
from store.enrich.cues import CONTRAST
from store.enrich.emotions import markers_of
from store.enrich.evidence import evidence_of, is_personal
from store.enrich.features import Analysis, Features, analyse, target_features, weigh
from store.enrich.heads import Head, shipped
from store.enrich.impact import impact_of
from store.enrich.judgement import Judgement, judge
from store.enrich.language import detect
from store.enrich.matcher import EntityMatcher, Mention
from store.enrich.polarity import hush
from store.enrich.registry_words import lemma, lemmas
from store.enrich.spans import going_on, quote_span, sentence_span, speaking
from store.enrich.turns import turn
from store.records import Extraction, OpinionUnit, RegistryEntity, score_of

#: Mentions that are looked at together: bounds the memory that one long document takes.
BATCH: Final = 256
#: Version of the rules; the head's hash is added to it.
RULES: Final = "10"


@dataclass(frozen=True, slots=True)
class Reading:
    """What the extractor sees for one entity in one clause, before it is put into words.

    Attributes
    ----------
    entity
        Key of the registry entity.
    clauses
        Indices in ``Analysis.clauses`` of the clauses that speak of it; the first one names it.
    shares
        Calibrated probabilities of negative, neutral and positive, summing to 1.
    alone
        Whether these clauses name no other entity.
    lean
        Valences of the words about it, nearer ones more, squashed to (-1, 1).
    told
        Valence of the naming words themselves ("true to size", "noisy"); 0 for a plain name.
    after
        Indices of the clauses of the next sentence, where that goes on about the entity.
    compared
        Side of the comparison that it stands in: above 0 where it is the better of the two.
    """

    entity: str
    clauses: tuple[int, ...]
    shares: tuple[float, float, float]
    alone: bool
    lean: float = 0.0
    told: float = 0.0
    after: tuple[int, ...] = ()
    compared: float = 0.0


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
            hush(analysis.words, analysis.values)
            _silence(analysis, mentions)
            counts = Counter(mention.entity for mention in mentions)
            personal = is_personal(text)
            units = tuple(
                _unit(text, analysis, reading, counts[reading.entity], personal)
                for reading in _distinct(text, analysis, read(analysis, mentions, head))
            )
            yield Extraction(document_id, units, language)


def read(analysis: Analysis, mentions: Sequence[Mention], head: Head) -> list[Reading]:
    """Return one reading a run of clauses and entity; ``mentions`` are in text order, several are averaged."""
    if not mentions:
        return []
    places: dict[tuple[int, str], list[int]] = {}
    by_sentence: dict[int, list[Mention]] = {}
    for row, mention in enumerate(mentions):
        word = analysis.index_at(mention.start)
        places.setdefault((analysis.clause_of[word], mention.entity), []).append(row)
        by_sentence.setdefault(analysis.sentence_of[word], []).append(mention)
    features = (
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
    shares: list[NDArray[np.float32]] = []
    leans: list[float] = []
    for batch in _batches(features):
        shares.append(head.probabilities(batch))
        leans.extend(_lean(found) for found in batch)
    probabilities = np.concatenate(shares)
    named = Counter(clause for clause, _ in places)
    last_named = {analysis.clauses[clause].sentence: clause for clause in named}
    readings = []
    for (clause, entity), members in places.items():
        negative, neutral, positive = probabilities[members].mean(axis=0).tolist()
        last = analysis.index_at(mentions[members[-1]].end - 1)
        sentence = analysis.clauses[clause].sentence
        sole = len({mention.entity for mention in by_sentence[sentence]}) == 1
        after: tuple[int, ...] = ()
        if last_named[sentence] == clause and named[clause] == 1:
            after = going_on(analysis, clause, last_named, alone=sole)
        readings.append(
            Reading(
                entity,
                speaking(analysis, clause, last, named),
                (negative, neutral, positive),
                named[clause] == 1,
                float(np.mean([leans[member] for member in members])),
                _told(analysis, [mentions[member] for member in members]),
                after,
                compared(analysis, clause, analysis.index_at(mentions[members[0]].start)),
            )
        )
    return readings


def _silence(analysis: Analysis, mentions: Sequence[Mention]) -> None:
    """Take the valence from the words of a plain name: "support" and "waiting room" neither praise nor blame."""
    for mention in mentions:
        word = analysis.index_at(mention.start)
        while word < len(analysis.words) and analysis.starts[word] < mention.end:
            if analysis.values[word] and lemma(analysis.words[word]) in lemmas(mention.entity):
                analysis.values[word] = 0.0
            word += 1


def _lean(features: Features) -> float:
    """Mean of the head's two sums of valences about the target: of its clause, and of those nearest to it."""
    return (features.get("net clause decay", 0.0) + features.get("net own", 0.0)) / 2


def _told(analysis: Analysis, mentions: Sequence[Mention]) -> float:
    """Valence of the words that name the entity, negation included; its plain name ("support") says nothing."""
    total = 0.0
    for mention in mentions:
        word = analysis.index_at(mention.start)
        while word < len(analysis.words) and analysis.starts[word] < mention.end:
            total += analysis.values[word]
            word += 1
    return total


def _batches(rows: Iterator[Features]) -> Iterator[list[Features]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _after(text: str, analysis: Analysis, reading: Reading) -> tuple[int, ...]:
    """Return the clauses of the next sentence that go on about the entity, where they take a side."""
    if not reading.after:
        return ()
    start, end = analysis.clauses[reading.after[0]].start, analysis.clauses[reading.after[-1]].end
    turning = analysis.clauses[reading.after[0]].opening in CONTRAST
    return reading.after if weigh(analysis, reading.after) or turning or turn(text[start:end]) else ()


def _sentence(text: str, analysis: Analysis, clause: int) -> str:
    start, end = sentence_span(analysis.clauses, clause)
    return text[start:end]


def _distinct(text: str, analysis: Analysis, readings: Sequence[Reading]) -> list[Reading]:
    """Join the readings of one entity whose quotes would overlap: the sentence is then quoted once."""
    found: list[Reading] = []
    place: dict[str, int] = {}
    for reading in readings:
        at = place.get(reading.entity)
        if at is not None:
            last = found[at]
            if quote_span(text, analysis, last.clauses)[1] > quote_span(text, analysis, reading.clauses)[0]:
                found[at] = _joined(last, reading)
                continue
        place[reading.entity] = len(found)
        found.append(reading)
    return found


def _joined(left: Reading, right: Reading) -> Reading:
    shares = tuple((a + b) / 2 for a, b in zip(left.shares, right.shares, strict=True))
    return Reading(
        left.entity,
        tuple(sorted({*left.clauses, *right.clauses})),
        (shares[0], shares[1], shares[2]),
        left.alone and right.alone,
        (left.lean + right.lean) / 2,
        left.told + right.told,
        right.after,
        left.compared or right.compared,
    )


def _unit(text: str, analysis: Analysis, reading: Reading, mentions: int, personal: bool) -> OpinionUnit:
    after = _after(text, analysis, reading)
    first, last = analysis.clauses[reading.clauses[0]], analysis.clauses[(*reading.clauses, *after)[-1]]
    words = text[first.start : last.end]
    verdict: Judgement = judge(
        analysis,
        reading.clauses,
        words,
        reading.shares,
        alone=reading.alone,
        lean=reading.lean,
        told=reading.told,
        sentence=_sentence(text, analysis, reading.clauses[0]),
        after=after,
        compared=reading.compared,
    )
    start, end = quote_span(text, analysis, reading.clauses)
    end = max(end, last.end)
    return OpinionUnit(
        entity=reading.entity,
        sentiment=verdict.sentiment,
        intensity=verdict.intensity,
        score=score_of(verdict.sentiment, verdict.intensity),
        impact=impact_of(words, verdict.intensity, mentions),
        markers=markers_of(words),
        evidence=evidence_of(words, words, personal),
        quote=text[start:end],
        start=start,
        end=end,
        confidence=verdict.confidence,
    )


__all__ = ["RULES", "LexicalExtractor", "Reading", "read"]
