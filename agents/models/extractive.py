"""The embedded generator: it writes nothing of its own but counts, and lets the documents speak in verbatim quotes.

An opinion answer gives the population's shares (from SQL) and voices of every side in proportion; a factual answer
gives the sentences that share most with the question. ``[n]`` cites the document of rank n.
"""

from __future__ import annotations

import re

NAME = "extractive (embedded)"

#: Longest quote, in characters; a longer clause is cut at a word.
LONGEST = 280
_SHORTEST = 12
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+[\"'”’)]*|\n|$)")
_WORD = re.compile(r"[^\W_]+")
#: Signs that would read as a citation or end the quotation early.
_UNQUOTABLE = re.compile(r"\[\s*\d+\s*\]|[“”]")
_STOP = frozenset(
    ["a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "doing", "done", "for", "from", "get", "give", "had", "has", "have", "having", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "like", "me", "more", "most", "my", "no", "not", "of", "off", "on", "one", "only", "or", "other", "our", "out", "over", "please", "she", "should", "so", "some", "such", "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "think", "this", "those", "to", "too", "up", "us", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your", "people", "guests", "reviewers", "reviews", "review", "say", "said", "saying", "opinion", "opinions", "many", "much", "kind", "available", "offer", "offered", "offers"]
)


def content_words(text: str) -> set[str]:
    """Return the words that carry meaning, without plural endings."""
    found = set()
    for match in _WORD.finditer(text.casefold()):
        word = match.group()
        if word not in _STOP and len(word) > 1:
            found.add(word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word)
    return found


__all__ = [
    "NAME",
    "Cited",
    "Voice",
    "Written",
    "content_words",
    "factual_answer",
    "fold",
    "opinion_answer",
    "quotable",
    "shorten",
]
