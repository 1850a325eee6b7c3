"""From a head's probabilities and a clause's words to a sentiment, its strength and its confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from store.enrich.cues import CONDITION, CONTRAST, DIMINISHERS, EMPTY, INTENSIFIERS
from store.enrich.deeds import BLAMING
from store.enrich.features import Analysis
from store.enrich.patterns import (
    ADVICE,
    FACT,
    HAPPENED,
    INDIFFERENT,
    MIXED,
    PARTED,
    PRESSED,
    RHETORICAL,
    SARCASM,
    SUBJECTS,
    UNREAL,
    side_taken,
)
from store.enrich.spans import sentence_start, word_range
from store.enrich.turns import turn
from store.records import Intensity, Sentiment

#: Odds of neutral against an opinion, relative to the training sets. Half of the targets in MAMS and Hu and Liu
#: are neutral; on texts without labels the prior re-estimated by EM (Saerens, Latinne and Decaestecker 2002) gives
#: 0.17 for hotel and 0.19 for lounge reviews.
NEUTRAL_ODDS: Final = 0.18
#: A question asks and does not tell; a condition speaks of what may be, not of what was.
QUESTION_ODDS: Final = 16.0
CONDITION_ODDS: Final = 4.0
#: Odds of neutral, times these, for a place, a time or a number with no word of more valence than ``PLAIN``, and for a
#: clause with no word of valence that tells of nothing that happened, unless it is pressed ("only", "still").
FACT_ODDS: Final = 15.0
DESCRIBING_ODDS: Final = 3.0
PLAIN: Final = 1.2
#: Signs closer than this are not told apart: mixed where there are words of both, else neutral.
UNDECIDED: Final = 0.06
#: Strength is the margin of the head, 0 to 1, and a quarter of the strongest valence, 0 to 1, together; what counts
#: as medium and high. The lexicon's words of praise are stronger than its blame ("great" 3.1, "terrible" -2.1).
PRAISE: Final = (1.1, 1.55)
BLAME: Final = (0.85, 1.25)
#: Words of both signs with this valence, joined ("nice yet noisy"), make a clause on one entity mixed.
MIXED_VALENCE: Final = 1.0
MIXED_CONFIDENCE: Final = 0.5
#: Sums of valence of two clauses on one entity that make it mixed ("gorgeous but scratches easily").
TURN_VALENCE: Final = 0.8
#: Log-odds that the lexicon's lean, and the naming words' own valence, add to the head's.
LEXICON_WEIGHT: Final = 1.0
TOLD_WEIGHT: Final = 2.0
FOLLOW_WEIGHT: Final = 2.0
#: Log-odds of a phrase that takes a side ("in favour of", "I have had better").
SIDE_WEIGHT: Final = 2.5
#: Odds of neutral where no word of the lexicon stands in the clauses: the head alone is a weak witness.
UNTOLD_ODDS: Final = 0.3
#: Confidence that "I don't mind either way" is no side, unless a word as strong as this stands beside it.
INDIFFERENCE: Final = 0.7
STRONG: Final = 2.0
#: Most confidence in a word of praise, and in one of blame, that looks like sarcasm.
UNSURE: Final = 0.4
SOUR: Final = 0.6

#: Part of a full side that a bare clause takes against the clause it turns from.
TURNED_SIDE: Final = 0.5
#: Words after a conjunction that are looked at for the blame that a plain adjective stands against.
IMPLIED_REACH: Final = 5

_LINKING: Final[frozenset[str]] = frozenset(
    ["is", "was", "are", "were", "looks", "looked", "feels", "felt", "seems"]
)
TURNERS: frozenset[str] = CONTRAST
_LINKS: Final[frozenset[str]] = frozenset(["and", "yet", "but", "or", ",", "though", "although", "/", "&"])
#: Pronouns by which a clause that turns speaks of what came before.
_REFERS: Final[frozenset[str]] = frozenset(
    ["it", "its", "they", "them", "their", "he", "him", "his", "she", "her", "one", "you"]
)
_ENDS: Final[frozenset[str]] = frozenset([";", ":", "(", ")"])


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one clause says of one entity; ``confidence`` is the probability that the sentiment is right."""

    sentiment: Sentiment
    intensity: Intensity
    confidence: float


def judge(
    analysis: Analysis,
    clauses: Sequence[int],
    quote: str,
    shares: tuple[float, float, float],
    *,
    alone: bool = True,
    lean: float = 0.0,
    told: float = 0.0,
    sentence: str = "",
    after: Sequence[int] = (),
    compared: float = 0.0,
) -> Judgement:
    """Judge what some clauses of ``analysis`` say of an entity.

    Parameters
    ----------
    clauses
        Indices of the clauses that speak of it; the first one names it.
    quote
        Their words.
    shares
        The head's probabilities of negative, neutral and positive under the prior of its training sets.
    alone
        Whether the clauses name no other entity, so that every word of them is on this one.
    lean
        What the lexicon makes of the words about the entity, in (-1, 1): the head knows its training domains
        better than the lexicon, the lexicon knows more words.
    told
        Valence of the naming words themselves: "true to size" says what it thinks of the fit.
    sentence
        The whole sentence, where it holds more than ``quote``.
    after
        Indices of the clauses of the next sentence that go on about it; ``quote`` holds their words too.
    compared
        Side of the comparison that the entity stands in, in [-1, 1].
    """
    negative, neutral, positive = shares
    clause = analysis.clauses[clauses[0]]
    values = [[analysis.values[i] for i in word_range(analysis, index)] for index in clauses]
    best, worst = _strongest(
        [*values, *([analysis.values[i] for i in word_range(analysis, index)] for index in after)]
    )
    blaming = clause.question and BLAMING.search(sentence or quote) is not None
    asked = clause.question and not blaming and RHETORICAL.search(quote) is None
    side = compared or side_taken(quote)
    side = side or (-1.0 if blaming or UNREAL.search(sentence or quote) else turn(quote))
    side = side or _turned(analysis, clauses[0], values)
    if side:
        # "I have had better": the praise is of something else.
        tilt = SIDE_WEIGHT * side + (lean if lean * side > 0 else lean * (1.0 - abs(side)))
    else:
        tilt = 0.0 if asked else LEXICON_WEIGHT * lean + TOLD_WEIGHT * math.tanh(told)
    tilt += FOLLOW_WEIGHT * _follow(analysis, after)
    positive, negative = positive * math.exp(tilt), negative * math.exp(-tilt)
    odds = NEUTRAL_ODDS if best or worst or side else UNTOLD_ODDS
    odds *= QUESTION_ODDS if asked else 1.0
    if not side and max(best, worst) < PLAIN and not PRESSED.search(quote):
        if FACT.search(quote):
            odds *= FACT_ODDS
        elif not (best or worst) and not HAPPENED.search(quote):
            odds *= DESCRIBING_ODDS
    if clause.opening in CONDITION or ADVICE.search(quote):
        odds *= 1.0 if side else CONDITION_ODDS * (2.0 if ADVICE.search(quote) else 1.0)
    total = positive + negative + odds * neutral
    positive, neutral, negative = positive / total, odds * neutral / total, negative / total
    sarcastic = SARCASM.search(quote) is not None
    if sarcastic and positive >= negative:
        return Judgement("neutral", "none", round(min(UNSURE, positive), 3))
    if MIXED.search(quote) is not None:
        return Judgement("mixed", "none", max(MIXED_CONFIDENCE, round(1.0 - abs(positive - negative), 3)))
    if _indifferent(analysis, clauses, quote):
        return Judgement("neutral", "none", round(max(INDIFFERENCE, neutral), 3))
    undecided = abs(positive - negative) < UNDECIDED
    if neutral >= 0.5 or (undecided and min(best, worst) == 0):
        return Judgement("neutral", "none", round(neutral, 3))
    turning = after and analysis.clauses[after[0]].opening in CONTRAST
    if (
        undecided
        or _both(analysis, (*clauses, *after) if turning else clauses, alone)
        or _countered(analysis, clauses, after, positive > negative)
        or _shared(analysis, clauses, sentence)
    ):
        return Judgement("mixed", "none", round(max(MIXED_CONFIDENCE, 1.0 - abs(positive - negative)), 3))
    sentiment: Sentiment = "positive" if positive > negative else "negative"
    medium, high = PRAISE if positive > negative else BLAME
    strength = abs(positive - negative) + (best if positive > negative else worst) / 4
    intensity: Intensity = "high" if strength >= high else "medium" if strength >= medium else "low"
    confidence = min(SOUR, negative) if sarcastic else max(positive, negative)
    return Judgement(sentiment, intensity, round(confidence, 3))


def _indifferent(analysis: Analysis, clauses: Sequence[int], quote: str) -> bool:
    """Whether the writer takes no side, and no strong word beside that phrase says otherwise."""
    match = INDIFFERENT.search(quote)
    if match is None:
        return False
    origin = analysis.clauses[clauses[0]].start
    start, end = origin + match.start(), origin + match.end()
    return all(
        abs(analysis.values[i]) < STRONG or start <= analysis.starts[i] < end
        for clause in clauses
        for i in word_range(analysis, clause)
    )


def _strongest(values: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Largest positive valence and size of the largest negative one, each in [0, 4]."""
    every = [value for clause in values for value in clause]
    return min(max(every, default=0.0), 4.0), min(-min(every, default=0.0), 4.0)


def _follow(analysis: Analysis, after: Sequence[int]) -> float:
    """Lean of the next sentence that goes on about the entity, in (-1, 1)."""
    total = sum(analysis.values[i] for clause in after for i in word_range(analysis, clause))
    return math.tanh(total / 2)


def _countered(analysis: Analysis, clauses: Sequence[int], after: Sequence[int], praised: bool) -> bool:
    """Whether the next clause turns praise around without a word of blame: "is great, but they close at five"."""
    turned = [index for index in (*clauses[1:], clauses[-1] + 1, *after) if index < len(analysis.clauses)]
    return praised and any(
        _turns(
            analysis,
            index,
            analysis.clauses[clauses[0]].sentence if index not in after else None,
            index in clauses,
        )
        for index in turned
    )


def _turns(analysis: Analysis, index: int, sentence: int | None, spoken: bool) -> bool:
    """Whether a clause turns from praise and holds none; ``spoken``: it is known to go on about the entity."""
    clause = analysis.clauses[index]
    if clause.opening not in TURNERS or (sentence is not None and clause.sentence != sentence):
        return False
    every = word_range(analysis, index)
    refers = spoken or any(analysis.words[i].split("'")[0] in _REFERS for i in every)
    return refers and sum(analysis.values[i] for i in every) < TURN_VALENCE


def _shared(analysis: Analysis, clauses: Sequence[int], sentence: str) -> bool:
    """Whether the sentence parts the entity in some that are so and others that are not, from its clauses on.

    "Some are slow, others are broken" has one side all the same.
    """
    match = PARTED.search(sentence)
    if match is None:
        return False
    begin = analysis.clauses[sentence_start(analysis, clauses[0])].start
    named = analysis.clauses[clauses[0]].start <= begin + match.start() < analysis.clauses[clauses[-1]].end
    if not named:
        return False
    low, parted = analysis.index_at(begin), analysis.index_at(begin + match.end())
    high = analysis.index_at(begin + len(sentence) - 1) + 1
    before, behind = sum(analysis.values[low:parted]), sum(analysis.values[parted:high])
    return before * behind <= 0 and not (before < 0 and behind <= 0)


def _both(analysis: Analysis, clauses: Sequence[int], alone: bool) -> bool:
    """Whether both praise and blame fall on the entity: across clauses that go on about it, or side by side in one."""
    sums = [sum(analysis.values[i] for i in word_range(analysis, clause)) for clause in clauses]
    if len(sums) > 1 and max(sums) >= TURN_VALENCE and min(sums) <= -TURN_VALENCE:
        return True
    return alone and (
        any(_side_by_side(analysis, clause) for clause in clauses) or _implied(analysis, clauses)
    )


def _turned(analysis: Analysis, first: int, values: Sequence[Sequence[float]]) -> float:
    """Side of a clause without valence that turns against the one before it: "fine food, but the soup was a puzzle"."""
    clause = analysis.clauses[first]
    if clause.opening not in CONTRAST or first == 0 or any(value for each in values for value in each):
        return 0.0
    if analysis.clauses[first - 1].sentence != clause.sentence:
        return 0.0
    before = sum(analysis.values[i] for i in word_range(analysis, first - 1))
    return -TURNED_SIDE if before >= TURN_VALENCE else TURNED_SIDE if before <= -TURN_VALENCE else 0.0


def _implied(analysis: Analysis, clauses: Sequence[int]) -> bool:
    """Whether a plain adjective stands against blame: "is thorough but dry", "moving yet far too long"."""
    every = [i for clause in clauses for i in word_range(analysis, clause)]
    words, values = analysis.words, analysis.values
    for at, i in enumerate(every[2:], 2):
        if words[i] not in CONTRAST or analysis.negated[every[at - 1]]:
            continue
        before = words[every[at - 1]], words[every[at - 2]]
        if before[1] in INTENSIFIERS or before[1] in DIMINISHERS:
            before = before[0], words[every[max(0, at - 3)]]
        after = every[at + 1 : at + 1 + IMPLIED_REACH]
        plain = not any(values[j] for j in every[max(0, at - 3) : at])
        if (
            plain
            and before[1] in _LINKING
            and len(before[0]) > 3
            and before[0] not in EMPTY
            and before[0] not in {"anything", "nothing"}
            and not any(words[j] in SUBJECTS for j in after)
            and sum(values[j] for j in after) <= -TURN_VALENCE
        ):
            return True
    return False


def _side_by_side(analysis: Analysis, clause: int) -> bool:
    """Whether praise and blame are joined by a conjunction with no new subject ("nice but noisy", "kind and rude")."""
    last, least = 0.0, MIXED_VALENCE
    linked = apart = False
    for i in word_range(analysis, clause):
        value, word = analysis.values[i], analysis.words[i]
        if abs(value) >= least:
            if linked and not apart and last * value < 0:
                return True
            last, linked, apart = value, False, False
        elif word in _LINKS:
            linked, apart = last != 0, False
            least = TURN_VALENCE if word in CONTRAST else MIXED_VALENCE
        elif linked and word in SUBJECTS:
            apart = True
        elif not linked and word in _ENDS:
            last = 0.0
    return False


__all__ = [
    "BLAME",
    "CONDITION_ODDS",
    "INDIFFERENCE",
    "LEXICON_WEIGHT",
    "MIXED_CONFIDENCE",
    "MIXED_VALENCE",
    "NEUTRAL_ODDS",
    "PRAISE",
    "QUESTION_ODDS",
    "SIDE_WEIGHT",
    "SOUR",
    "STRONG",
    "TOLD_WEIGHT",
    "TURN_VALENCE",
    "UNDECIDED",
    "UNSURE",
    "UNTOLD_ODDS",
    "Judgement",
    "judge",
]
