"""The embedded claim classifier: a clause of an answer -> its opinion bin, with the extractor's lexicon and heads."""

from __future__ import annotations

from store.enrich.features import sentence_features
from store.enrich.heads import shipped
from store.enrich.polarity import valences, words_of

#: Below this probability of being an opinion, a clause without a word of judgement holds no view.
_OPINION = 0.5
_MEDIUM, _HIGH = 1.0, 2.2


def lexical_claim_bin(claim: str) -> int | None:
    """Return the bin of ``claim`` in {-30, ..., 30}, or None where it holds no view."""
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
        return 0
    size = max(praise, blame)
    strength = 30 if size >= _HIGH else 20 if size >= _MEDIUM else 10
    return strength if lean > 0 else -strength


__all__ = ["lexical_claim_bin"]
