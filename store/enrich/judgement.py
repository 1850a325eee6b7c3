"""From a head's probabilities and a clause's words to a sentiment, its strength and its confidence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from store.enrich.clauses import Clause
from store.enrich.cues import CONDITION, DIMINISHERS, INTENSIFIERS
from store.enrich.features import Analysis
from store.records import Intensity, Sentiment

#: Odds of neutral against an opinion, relative to the training sets. Half of the targets in MAMS and Hu and Liu
#: are neutral; on texts without labels the prior re-estimated by EM (Saerens, Latinne and Decaestecker 2002) gives
#: 0.17 for hotel and 0.19 for lounge reviews.
NEUTRAL_ODDS: Final = 0.18
#: A question asks and does not tell; a condition speaks of what may be, not of what was.
QUESTION_ODDS: Final = 16.0
CONDITION_ODDS: Final = 4.0
#: Signs closer than this are not told apart: mixed where there are words of both, else neutral.
UNDECIDED: Final = 0.06
#: Strength is the margin of the head, 0 to 1, and a quarter of the strongest valence, 0 to 1, together; what counts
#: as medium and high. The lexicon's words of praise are stronger than its blame ("great" 3.1, "terrible" -2.1).
PRAISE: Final = (1.1, 1.55)
BLAME: Final = (0.85, 1.25)
#: Words of both signs with this valence, joined ("nice yet noisy"), make a clause on one entity mixed.
MIXED_VALENCE: Final = 1.0
MIXED_CONFIDENCE: Final = 0.5
#: Most confidence in a word of praise, and in one of blame, that looks like sarcasm.
UNSURE: Final = 0.4
SOUR: Final = 0.6

_PRAISED: Final = (
    r"luxury|luxurious|deluxe|clean|renovated|fresh|free|gourmet|quiet|friendly|helpful|service|hot|breakfast"
    r"|continental|view|ocean\sview|suite|upgraded?|customer\sservice|hospitality|great|nice|non-?smoking"
)
_SARCASM: Final = re.compile(
    r"\byeah,?\sright\b|\bthanks\sfor\snothing\b|\bso\smuch\sfor\b|\bif\syou\scan\scall\b"
    r"|\bso[-\s]called\b"
    r"|\b(?:oh|wow|gee),?\s(?:great|joy|wonderful|lovely|fantastic|fun|how)\b"
    r"|\bhow\s(?:lovely|nice|wonderful|kind)\sof\b|\bwhat\sa\s(?:joke|treat|surprise)\b|\bbig\ssurprise\b"
    r"|\bgood\sluck\s(?:with|getting|finding|trying)\b|\bunless\syou\s(?:like|love|enjoy)\b"
    r"|\bif\syou\s(?:like|love|enjoy)\s(?:being|having|waiting|the\ssmell)\b"
    r"|\bjust\swhat\s(?:i|we|you)\s(?:need|needed|want|wanted)\b|(?<!\w)/s(?!\w)|\blol\b.*\bnot\b$"
    rf'|["“](?:{_PRAISED})["”]'
    r"|\b(?:great|nice|good|excellent|fantastic|brilliant|lovely),?\s(?:job|work|start)\b.*\bnot\b",
    re.IGNORECASE,
)
_LINKS: Final[frozenset[str]] = frozenset(["and", "yet", "but", "or", ",", "though", "/", "&"])
_RHETORICAL: Final = re.compile(r"\b(?:why|who|how hard|how can|how could|really|seriously)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one clause says of one entity; ``confidence`` is the probability that the sentiment is right."""

    sentiment: Sentiment
    intensity: Intensity
    confidence: float


def judge(
    analysis: Analysis,
    clause: int,
    quote: str,
    shares: tuple[float, float, float],
    *,
    alone: bool = True,
) -> Judgement:
    """Judge what clause number ``clause`` of ``analysis`` says of an entity.

    Parameters
    ----------
    quote
        The words of the clause.
    shares
        The head's probabilities of negative, neutral and positive under the prior of its training sets.
    alone
        Whether the clause names no other entity, so that every word of it is on this one.
    """
    negative, neutral, positive = shares
    odds = NEUTRAL_ODDS * _hypothetical(analysis.clauses[clause], quote)
    total = positive + negative + odds * neutral
    positive, neutral, negative = positive / total, odds * neutral / total, negative / total
    best, worst = _strongest(analysis, clause)
    sarcastic = _SARCASM.search(quote) is not None
    if sarcastic and positive >= negative:
        return Judgement("neutral", "none", round(min(UNSURE, positive), 3))
    undecided = abs(positive - negative) < UNDECIDED
    if neutral >= 0.5 or (undecided and min(best, worst) == 0):
        return Judgement("neutral", "none", round(neutral, 3))
    if undecided or (alone and min(best, worst) >= MIXED_VALENCE and _joined(analysis, clause)):
        return Judgement("mixed", "none", round(max(MIXED_CONFIDENCE, 1.0 - abs(positive - negative)), 3))
    sentiment: Sentiment = "positive" if positive > negative else "negative"
    medium, high = PRAISE if positive > negative else BLAME
    strength = abs(positive - negative) + (best if positive > negative else worst) / 4
    intensity: Intensity = "high" if strength >= high else "medium" if strength >= medium else "low"
    confidence = min(SOUR, negative) if sarcastic else max(positive, negative)
    return Judgement(sentiment, intensity, round(confidence, 3))


def _hypothetical(clause: Clause, quote: str) -> float:
    if clause.question and _RHETORICAL.search(quote) is None:
        return QUESTION_ODDS
    return CONDITION_ODDS if clause.opening in CONDITION else 1.0


def _indices(analysis: Analysis, clause: int) -> range:
    first = analysis.index_at(analysis.clauses[clause].start)
    stop = first
    while stop < len(analysis.words) and analysis.clause_of[stop] <= clause:
        stop += 1
    return range(first, stop)


def _strongest(analysis: Analysis, clause: int) -> tuple[float, float]:
    """Largest positive valence and size of the largest negative one in the clause, each in [0, 4]."""
    values = [analysis.values[i] for i in _indices(analysis, clause)]
    return min(max(values, default=0.0), 4.0), min(-min(values, default=0.0), 4.0)


def _joined(analysis: Analysis, clause: int) -> bool:
    """Whether praise and blame stand side by side with only a conjunction and degree words between."""
    last = 0.0
    linked = False
    for i in _indices(analysis, clause):
        value, word = analysis.values[i], analysis.words[i]
        if abs(value) >= MIXED_VALENCE:
            if linked and last * value < 0:
                return True
            last, linked = value, False
        elif word in _LINKS:
            linked = last != 0
        elif word not in INTENSIFIERS and word not in DIMINISHERS:
            last, linked = 0.0, False
    return False


__all__ = [
    "BLAME",
    "CONDITION_ODDS",
    "MIXED_CONFIDENCE",
    "MIXED_VALENCE",
    "NEUTRAL_ODDS",
    "PRAISE",
    "QUESTION_ODDS",
    "SOUR",
    "UNDECIDED",
    "UNSURE",
    "Judgement",
    "judge",
]
