"""Find emotional markers by weighted words and phrases, with negation and a confidence floor.

The word list is our own (``data/emotions.json``): emotion -> phrase -> weight in (0, 1], the confidence that a
reader would name the emotion on seeing the phrase. Several phrases of one emotion combine as independent
evidence, ``1 - prod(1 - weight)``. A negator up to three words before a phrase voids it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

#: Markers below this confidence are not reported.
FLOOR: Final = 0.6

_NEGATED: Final = re.compile(
    r"\b(?:not|no|never|nor|without|hardly|barely|neither|nothing|cannot|\w+n['’]?t)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Lexicon:
    pattern: re.Pattern[str]
    weights: dict[str, tuple[tuple[str, float], ...]]


@cache
def _lexicon() -> _Lexicon:
    listed = json.loads((files("store.enrich") / "data" / "emotions.json").read_text(encoding="utf-8"))
    weights: dict[str, list[tuple[str, float]]] = {}
    for emotion, phrases in listed.items():
        for phrase, weight in phrases.items():
            weights.setdefault(phrase, []).append((emotion, float(weight)))
    ordered = sorted(weights, key=lambda phrase: (-len(phrase), phrase))
    pattern = re.compile(r"\b(?:" + "|".join(re.escape(phrase) for phrase in ordered) + r")\b")
    return _Lexicon(pattern, {phrase: tuple(pairs) for phrase, pairs in weights.items()})


def markers_of(clause: str, floor: float = FLOOR) -> tuple[str, ...]:
    """Return the emotions that the words of ``clause`` carry with at least ``floor`` confidence, sorted."""
    lexicon = _lexicon()
    lowered = clause.lower().replace("’", "'")
    doubt: dict[str, float] = {}
    for found in lexicon.pattern.finditer(lowered):
        phrase = found.group()
        if _NEGATED.search(lowered, max(0, found.start() - 40), found.start()):
            continue
        for emotion, weight in lexicon.weights[phrase]:
            doubt[emotion] = doubt.get(emotion, 1.0) * (1.0 - weight)
    return tuple(sorted(emotion for emotion, rest in doubt.items() if 1.0 - rest >= floor - 1e-9))


__all__ = ["FLOOR", "markers_of"]
