"""How sure a model was of each sentiment that it wrote: from the tokens' log probabilities, where a server gives them.

At the token where the word after ``"sentiment": "`` begins, the probability of the token that was written is divided by
that of all tokens there that could begin one of the labels, and so on until only one label is left. What this says is
how far the model itself hesitated, not how often it is right: only labels checked by hand tell that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final, get_args

from store.records import OpinionUnit, Sentiment

LABELS: Final[tuple[str, ...]] = get_args(Sentiment)
#: No model is as sure as its log probabilities say.
HIGHEST: Final = 0.99
_FIELD: Final = re.compile(r'(?<!\\)"sentiment"\s*:\s*"')


def certainties(text: str, logprobs: Sequence[Mapping[str, float]], count: int) -> list[float | None]:
    """Return, for each of ``count`` opinions in order, the probability of its sentiment in (0, 0.99], or None.

    Parameters
    ----------
    text
        The answer, as JSON text.
    logprobs
        A row a token: log probabilities of the likeliest tokens there, the one written first.
    """
    unknown: list[float | None] = [None] * count
    starts = [match.end() for match in _FIELD.finditer(text)]
    tokens = [next(iter(row), "") for row in logprobs]
    shift = "".join(tokens).find(text) if tokens else -1
    if len(starts) != count or shift < 0:
        return unknown
    begins = [0, *accumulate(len(token) for token in tokens)]
    return [_certainty(start + shift, tokens, begins, logprobs) for start in starts]


def _certainty(
    start: int, tokens: Sequence[str], begins: Sequence[int], rows: Sequence[Mapping[str, float]]
) -> float | None:
    index = next(i for i in range(len(tokens)) if begins[i] <= start < begins[i + 1])
    lead = tokens[index][: start - begins[index]]
    said, probability = "", 1.0
    while index < len(tokens):
        row, chosen = rows[index], tokens[index]
        possible = [
            math.exp(value)
            for token, value in row.items()
            if token.startswith(lead) and _could_be(said + token[len(lead) :])
        ]
        said += chosen[len(lead) :]
        if not _could_be(said):
            return None
        probability *= math.exp(row[chosen]) / sum(possible)
        if '"' in said or sum(label.startswith(said) for label in LABELS) == 1:
            return min(HIGHEST, max(probability, 1e-6))
        index, lead = index + 1, ""
    return None


def _could_be(beginning: str) -> bool:
    word, closed, _ = beginning.partition('"')
    return word in LABELS if closed else any(label.startswith(word) for label in LABELS)


def seconded(entity: str, start: int, end: int, score: int, others: Sequence[OpinionUnit]) -> float | None:
    """Return the probability that another extractor gives to the sign of a label, or None where it is silent.

    Its opinion on the same words counts, else all its opinions on that entity in the document.
    """
    same = [unit for unit in others if unit.entity == entity]
    near = [unit for unit in same if unit.start < end and start < unit.end] or same
    if not near:
        return None
    sign = (score > 0) - (score < 0)
    agreed = [
        unit.confidence if (unit.score > 0) - (unit.score < 0) == sign else 1 - unit.confidence
        for unit in near
    ]
    return sum(agreed) / len(agreed)


__all__ = ["HIGHEST", "LABELS", "certainties", "seconded"]
