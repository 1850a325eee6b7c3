"""Closed lists of English words that steer how a sentence is read."""

from __future__ import annotations

from typing import Final

# fmt: off
#: Words that deny what follows; so does every word in "n't".
NEGATORS: Final[frozenset[str]] = frozenset([
    "aint", "arent", "barely", "cannot", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hardly",
    "hasnt", "havent", "isnt", "lack", "lacked", "lacking", "lacks", "neither", "never", "nobody", "none",
    "nor", "not", "nothing", "nowhere", "rarely", "scarcely", "seldom", "shouldnt", "wasnt", "werent",
    "wont", "wouldnt",
])
#: Words that say a thing is not there.
ABSENCE: Final[frozenset[str]] = frozenset([
    "lack", "lacked", "lacking", "lacks", "minus", "no", "without", "zero",
])
#: Words that strengthen what follows.
INTENSIFIERS: Final[frozenset[str]] = frozenset([
    "absolutely", "always", "amazingly", "awfully", "completely", "especially", "exceptionally",
    "extremely", "highly", "incredibly", "insanely", "most", "particularly", "quite", "really",
    "remarkably", "ridiculously", "so", "such", "super", "terribly", "thoroughly", "too", "totally",
    "truly", "unbelievably", "utterly", "very",
])
#: Words that weaken what follows.
DIMINISHERS: Final[frozenset[str]] = frozenset([
    "almost", "bit", "fairly", "kinda", "little", "moderately", "mostly", "partly", "pretty", "rather",
    "reasonably", "relatively", "slightly", "somewhat", "sorta",
])
#: Words after which praise is a wish, so speaks against the thing as it is.
WISHES: Final[frozenset[str]] = frozenset([
    "could", "hope", "hoped", "might", "need", "needs", "should", "wish", "would",
])
#: Words that make "would" an intent, not a wish: "would recommend", "would stay again".
INTENTS: Final[frozenset[str]] = frozenset([
    "again", "consider", "definitely", "highly", "recommend", "recommended", "return", "say", "stay",
    "think",
])
#: Words that name no thing, in a list of verdicts.
EMPTY: Final[frozenset[str]] = frozenset([
    "all", "also", "always", "and", "any", "are", "been", "being", "bit", "but", "even", "extra", "for",
    "from", "had", "has", "have", "its", "just", "more", "most", "not", "our", "quite", "really", "some",
    "super", "than", "that", "the", "their", "there", "they", "this", "too", "very", "was", "were",
    "which", "who", "with", "you",
])
#: Words whose full stop does not end a sentence.
ABBREVIATIONS: Final[frozenset[str]] = frozenset([
    "a.m", "approx", "ave", "blvd", "dr", "e.g", "eg", "etc", "hr", "hrs", "i.e", "ie", "inc", "jr", "ltd",
    "min", "mins", "mr", "mrs", "ms", "no", "nr", "p.m", "prof", "rd", "sr", "st", "vs",
])
#: Conjunctions after which the writer turns: what follows outweighs what came before.
CONTRAST: Final[frozenset[str]] = frozenset([
    "but", "except", "however", "nevertheless", "nonetheless", "yet",
])
#: Conjunctions that open a conceded clause: the rest of the sentence outweighs it.
CONCESSION: Final[frozenset[str]] = frozenset([
    "albeit", "although", "despite", "even though", "in spite", "tho", "though", "whereas", "while",
    "whilst",
])
#: Conjunctions that open a condition.
CONDITION: Final[frozenset[str]] = frozenset([
    "if", "provided", "unless",
])
#: Conjunctions that join without turning.
JOIN: Final[frozenset[str]] = frozenset([
    "and", "because", "or", "plus", "since", "so", "which",
])
# fmt: on

__all__ = [
    "ABBREVIATIONS",
    "ABSENCE",
    "CONCESSION",
    "CONDITION",
    "CONTRAST",
    "DIMINISHERS",
    "EMPTY",
    "INTENSIFIERS",
    "INTENTS",
    "JOIN",
    "NEGATORS",
    "WISHES",
]
