"""Features of a target in its sentence, and of a sentence alone, for the linear heads.

A feature is a name and a value. Dense features sum the valences (``polarity.valences``) by place: side of the
target, clause, distance, and whether another target stands nearer. Sparse features are words and word pairs by
place, with a mark where a negator stands before them. No tagger, no parser, no vectors.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from store.enrich.clauses import Clause, clauses
from store.enrich.cues import CONTRAST
from store.enrich.polarity import TOKEN, hush, is_negator, valences, words_of

#: Value of a sparse feature: below 1, so that the same penalty weighs more on single words than on valences.
SPARSE: Final = 0.3
#: Farthest word, in words from the target, that is a feature with its side.
WINDOW: Final = 8

Features = dict[str, float]


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text cut into words, clauses and sentences; all lists but ``clauses`` have one item a word."""

    starts: list[int]
    ends: list[int]
    words: list[str]
    values: list[float]
    clauses: list[Clause]
    clause_of: list[int]
    sentence_of: list[int]
    negated: list[bool]

    def index_at(self, position: int) -> int:
        """Index of the last word that starts at or before the character offset; 0 before the first."""
        return max(0, bisect_right(self.starts, position) - 1)


def analyse(text: str, places: Sequence[int] | None = None) -> Analysis:
    """Cut ``text`` into words with their valences, clauses and sentences.

    With ``places`` (character offsets), only the sentences that hold one have valences; the others are left at 0.
    """
    matches = list(TOKEN.finditer(text))
    starts = [match.start() for match in matches]
    words = [match.group().lower().replace("’", "'") for match in matches]
    found = clauses(text)
    clause_of: list[int] = []
    current, last = 0, len(found) - 1
    for start in starts:
        while current < last and start >= found[current + 1].start:
            current += 1
        clause_of.append(current)
    sentence_of = [found[index].sentence for index in clause_of]
    wanted: set[int] | None = None
    if places is not None:
        wanted = (
            {sentence_of[max(0, bisect_right(starts, place) - 1)] for place in places} if starts else set()
        )
    values: list[float] = []
    first = 0
    while first < len(words):
        stop = first
        while stop < len(words) and sentence_of[stop] == sentence_of[first]:
            stop += 1
        if wanted is None or sentence_of[first] in wanted:
            values.extend(valences(words[first:stop], found[clause_of[first]].question))
        else:
            values.extend([0.0] * (stop - first))
        first = stop
    return Analysis(
        starts,
        [match.end() for match in matches],
        words,
        values,
        found,
        clause_of,
        sentence_of,
        _negated(words, sentence_of),
    )


def weigh(analysis: Analysis, clauses_there: Sequence[int]) -> float:
    """Give a sentence that ``analyse`` left at 0 its valences; return their sum.

    ``clauses_there`` are the indices of all of its clauses.
    """
    first, last = analysis.clauses[clauses_there[0]], analysis.clauses[clauses_there[-1]]
    low = analysis.index_at(first.start)
    high = analysis.index_at(last.end - 1) + 1
    words = analysis.words[low:high]
    values = valences(words, first.question)
    hush(words, values)
    analysis.values[low:high] = values
    return sum(values)


def _negated(words: list[str], sentence_of: list[int]) -> list[bool]:
    marks = [False] * len(words)
    negator = -9
    for i, word in enumerate(words):
        if i and sentence_of[i] != sentence_of[i - 1]:
            negator = -9
        marks[i] = i - negator <= 3
        if word in {"no", "without"} or is_negator(word):
            negator = i
    return marks


def target_features(
    analysis: Analysis, start: int, end: int, others: Sequence[tuple[int, int]] = (), topic: bool = True
) -> Features:
    """Return the features of the target at ``[start, end)``.

    Parameters
    ----------
    analysis
        The text that the target is in.
    start, end
        Character offsets of the target.
    others
        Offsets of the other targets of the text: an opinion word nearer to one of them is likely theirs.
    topic
        Whether the target's own words are features.
    """
    a = analysis.index_at(start)
    b = a + 1
    while b < len(analysis.words) and analysis.starts[b] < end:
        b += 1
    low, high = _sentence_bounds(analysis, a, b)
    rivals = [
        index
        for index in (analysis.index_at(left) for left, _ in others)
        if low <= index < high and not a <= index < b
    ]
    features: Features = {}
    _valence_features(analysis, a, b, low, high, rivals, features)
    _shape_features(analysis, a, low, high, rivals, features)
    _word_features(analysis, a, b, low, high, topic, features)
    return features


def _sentence_bounds(analysis: Analysis, a: int, b: int) -> tuple[int, int]:
    sentence_of = analysis.sentence_of
    low, high = a, b
    while low and sentence_of[low - 1] == sentence_of[a]:
        low -= 1
    while high < len(sentence_of) and sentence_of[high] == sentence_of[a]:
        high += 1
    return low, high


def _valence_features(
    analysis: Analysis, a: int, b: int, low: int, high: int, rivals: list[int], features: Features
) -> None:
    clause = analysis.clause_of[a]
    totals: dict[str, float] = {}
    left: tuple[int, float, bool] | None = None
    right: tuple[int, float, bool] | None = None
    for i in range(low, high):
        value = analysis.values[i]
        if not value:
            continue
        if i < a:
            distance, side = a - i, "left"
        elif i >= b:
            distance, side = i - b + 1, "right"
        else:
            distance, side = 0, "target"
        there = analysis.clause_of[i]
        sign = "+" if value > 0 else "-"
        size = abs(value) / 2
        places = [("sentence", size), ("decay", size * math.exp(-distance / 3))]
        if there == clause:
            places += [("clause " + side, size), ("clause decay", size * math.exp(-distance / 5))]
        else:
            offset = there - clause
            places.append(("before" if offset == -1 else "after" if offset == 1 else "far", size))
        if all(abs(i - rival) >= distance for rival in rivals):
            places.append(("own", size))
        if not any(i < rival < a or b <= rival < i for rival in rivals):
            places.append(("open", size))
            if there == clause:
                places.append(("open clause", size))
        for place, amount in places:
            totals[place + sign] = totals.get(place + sign, 0.0) + amount
        if side == "left":
            left = (distance, value, there == clause)
        elif side == "right" and right is None:
            right = (distance, value, there == clause)
    features.update(totals)
    for name, nearest in (("nearest left", left), ("nearest right", right)):
        if nearest is None:
            features[name + " none"] = 1.0
            continue
        distance, value, same = nearest
        sign = "+" if value > 0 else "-"
        features[f"{name}{sign}{'in' if same else 'out'}{min(distance, 6)}"] = 1.0
        features[name + sign] = abs(value) / 2 * math.exp(-distance / 3)
    for place in ("clause decay", "sentence", "open clause", "own", "decay"):
        positive, negative = totals.get(place + "+", 0.0), totals.get(place + "-", 0.0)
        if positive or negative:
            features["net " + place] = math.tanh(positive - negative)
        else:
            features["none " + place] = 1.0
        if positive and negative:
            features["both " + place] = 1.0


def _shape_features(
    analysis: Analysis, a: int, low: int, high: int, rivals: list[int], features: Features
) -> None:
    clause = analysis.clauses[analysis.clause_of[a]]
    if clause.opening:
        features["opens " + clause.opening] = 1.0
    if clause.contrasted:
        features["contrasted"] = 1.0
    if clause.question:
        features["question"] = 1.0
    features["clauses"] = 0.2 * (analysis.clause_of[high - 1] - analysis.clause_of[low])
    features["words"] = min(high - low, 80) / 40
    features["rivals"] = 0.3 * min(len(rivals), 10)
    features["place"] = (a - low) / (high - low)


def _word_features(
    analysis: Analysis, a: int, b: int, low: int, high: int, topic: bool, features: Features
) -> None:
    words, negated, clause_of = analysis.words, analysis.negated, analysis.clause_of
    clause = clause_of[a]
    for i in range(low, high):
        word = words[i]
        if a <= i < b:
            if topic:
                features["t:" + word] = SPARSE
            continue
        if word.isdigit():
            word = "0"
        marked = "!" + word if negated[i] else word
        distance = i - a if i < a else i - b + 1
        near = -WINDOW <= distance <= WINDOW
        if near:
            side = "L" if distance < 0 else "R"
            features[side + ":" + marked] = SPARSE
            if -4 <= distance <= 5:
                features[f"{distance}:{word}"] = SPARSE
        features["s:" + marked] = SPARSE
        if clause_of[i] == clause:
            features["c:" + marked] = SPARSE
            if near and i + 1 < high and not a <= i + 1 < b:
                features[f"{side}:{word} {words[i + 1]}"] = SPARSE
    if a - 2 >= low:
        features[f"<:{words[a - 2]} {words[a - 1]}"] = SPARSE
    if b + 1 < high:
        features[f">:{words[b]} {words[b + 1]}"] = SPARSE
    if b + 2 < high:
        features[f">:{words[b]} {words[b + 1]} {words[b + 2]}"] = SPARSE
    if a - 1 >= low and b < high:
        features[f"<>:{words[a - 1]} {words[b]}"] = SPARSE


def sentence_features(text: str) -> Features:
    """Return the features of a whole sentence, with no target."""
    words = words_of(text)
    values = valences(words, text.rstrip().endswith("?"))
    positive = [value / 2 for value in values if value > 0]
    negative = [-value / 2 for value in values if value < 0]
    features: Features = {
        "positive": sum(positive),
        "negative": sum(negative),
        "positives": len(positive) / 2,
        "negatives": len(negative) / 2,
        "most positive": max(positive, default=0.0),
        "most negative": max(negative, default=0.0),
        "net": math.tanh(sum(positive) - sum(negative)),
        "any": float(bool(positive or negative)),
        "both": float(bool(positive and negative)),
        "words": min(len(words), 60) / 30,
        "short": float(len(words) < 6),
        "question": float("?" in words),
        "exclamation": float("!" in words),
    }
    told = [value for value in values if value]
    if told:
        features["first"], features["last"] = math.tanh(told[0] / 2), math.tanh(told[-1] / 2)
    turn = max((i for i, word in enumerate(words) if word in CONTRAST), default=0)
    if turn:
        features["after turn"] = math.tanh(sum(values[turn:]) / 2)
        features["before turn"] = math.tanh(sum(values[:turn]) / 2)
        features["turn"] = 1.0
    plain = ["0" if word.isdigit() else word for word in words]
    for i, (word, negation) in enumerate(zip(plain, _negated(words, [0] * len(words)), strict=True)):
        features["s:!" + word if negation else "s:" + word] = SPARSE
        if i + 1 < len(plain):
            features[f"b:{word} {plain[i + 1]}"] = SPARSE
        if i + 2 < len(plain):
            features[f"b:{word} {plain[i + 1]} {plain[i + 2]}"] = SPARSE
    return features


__all__ = [
    "SPARSE",
    "WINDOW",
    "Analysis",
    "Features",
    "analyse",
    "sentence_features",
    "target_features",
    "weigh",
]
