"""The embedded claim classifier: a clause of an answer -> its opinion bin, with the extractor's lexicon and heads."""

from __future__ import annotations

import math

from agents.verification.records import Read
from store.enrich.features import sentence_features
from store.enrich.heads import shipped
from store.enrich.polarity import valences, words_of

#: Below this probability of being an opinion, a clause without a word of judgement holds no view.
_OPINION = 0.5
_MEDIUM, _HIGH = 1.0, 2.2


#: Sign and certainty by the lean, fitted by eye between sentences that people labelled (Hu and Liu, on which the heads
#: were trained) and those of reviews with one or five stars (hotels, clothing), whose labels are rough.
_FLOOR, _SLOPE, _CAP = 0.3, 1.5, 0.97
#: A lean too small to call one is seldom a truly mixed view.
_SURE_OF_MIXED = 0.4


def lexical_claim(claim: str) -> Read | None:
    """Return the bin of ``claim`` in {-30, ..., 30} and the probability of its sign, or None where it holds no view."""
    heads = shipped().by_name
    features = [sentence_features(claim)]
    opinion = float(heads["opinion"].probabilities(features)[0, 1])
    values = valences(words_of(claim))
    praise, blame = sum(v for v in values if v > 0), -sum(v for v in values if v < 0)
    if max(praise, blame) == 0 and opinion < _OPINION:
        return None
    positive = float(heads["orientation"].probabilities(features)[0, 1])
    lean = (2 * positive - 1) + (praise - blame) / 4
    if abs(lean) < 0.15:
        return Read(0, _SURE_OF_MIXED)
    size = max(praise, blame)
    strength = 30 if size >= _HIGH else 20 if size >= _MEDIUM else 10
    sure = min(_CAP, 1 / (1 + math.exp(-(_FLOOR + _SLOPE * abs(lean)))))
    return Read(strength if lean > 0 else -strength, sure)


def lexical_claim_bin(claim: str) -> int | None:
    """Return the bin alone."""
    found = lexical_claim(claim)
    return None if found is None else found.bin


__all__ = ["lexical_claim", "lexical_claim_bin"]
