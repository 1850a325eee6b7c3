"""The opinion lexicon: one valence, -4 to 4, for a word or phrase of English reviews.

Three sources, the later ones weaker: our own ``data/valence.json`` (what reviews mean by a word), the VADER
lexicon (Hutto and Gilbert 2014, MIT) and the opinion lexicon of Hu and Liu (KDD 2004, CC BY 4.0), which has signs
only. Where the two published ones disagree on the sign, Hu and Liu's, made for reviews, is kept at half strength.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

#: Valence given to a word that only Hu and Liu list, and to one on which the lexicons disagree.
SIGN_ONLY: Final = 1.6
DISPUTED: Final = 0.8
#: VADER was made for social media: a word that only VADER lists counts for less.
VADER_ONLY: Final = 0.8


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Valences in [-4, 4].

    ``phrases`` maps the first word of a phrase to ``(words, valence)`` pairs, the longest first.
    """

    words: dict[str, float]
    phrases: dict[str, tuple[tuple[tuple[str, ...], float], ...]]


@cache
def lexicon() -> Lexicon:
    """Load and merge the three sources (about 60 ms, once a process)."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    folder = files("store.enrich") / "data"
    signs = {
        line[1:]: 1.0 if line[0] == "+" else -1.0
        for line in (folder / "opinion_words.txt").read_text(encoding="utf-8").splitlines()
        if line[:1] in "+-"
    }
    words = {word: sign * SIGN_ONLY for word, sign in signs.items()}
    for word, valence in SentimentIntensityAnalyzer().lexicon.items():
        sign = signs.get(word)
        if sign is None:
            words[word] = VADER_ONLY * valence
        else:
            words[word] = valence if sign * valence > 0 else sign * DISPUTED
    own = json.loads((folder / "valence.json").read_text(encoding="utf-8"))
    words.update(own["words"])
    phrases: dict[str, list[tuple[tuple[str, ...], float]]] = {}
    for phrase, valence in own["phrases"].items():
        parts = tuple(phrase.split())
        phrases.setdefault(parts[0], []).append((parts, float(valence)))
    return Lexicon(
        words,
        {
            first: tuple(sorted(rest, key=lambda pair: (-len(pair[0]), pair[0])))
            for first, rest in phrases.items()
        },
    )


__all__ = ["DISPUTED", "SIGN_ONLY", "VADER_ONLY", "Lexicon", "lexicon"]
