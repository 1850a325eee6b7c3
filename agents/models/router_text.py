"""What the router reads: a question without case and punctuation, in words and clauses.

Case and punctuation tell data sets apart rather than kinds of question, so neither reaches a decision: the
text is folded (NFKC, lower case, plain quotes and hyphens), and punctuation only marks where a clause ends.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

_QUOTES = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "`": "'",
        "“": '"',
        "”": '"',
        "‐": "-",
        "‑": "-",
        "–": "-",
        "—": "-",
        "−": "-",
    }
)
_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[?!;:.,()]|%")
_CONTRACTIONS = {
    "what's": "what is", "whats": "what is", "how's": "how is", "hows": "how is", "where's": "where is", "who's": "who is",
    "when's": "when is", "it's": "it is", "that's": "that is", "there's": "there is", "here's": "here is", "what're": "what are",
    "isn't": "is not", "isnt": "is not", "aren't": "are not", "arent": "are not", "wasn't": "was not", "weren't": "were not",
    "don't": "do not", "dont": "do not", "doesn't": "does not", "doesnt": "does not", "didn't": "did not", "didnt": "did not",
    "can't": "can not", "cannot": "can not", "couldn't": "could not", "won't": "will not", "wouldn't": "would not",
    "shouldn't": "should not", "hasn't": "has not", "haven't": "have not", "hadn't": "had not", "i'd": "i would", "i'm": "i am",
    "i've": "i have", "they've": "they have", "they're": "they are", "you're": "you are", "we're": "we are", "let's": "let us",
}  # fmt: skip
_STARTERS = frozenset(
    "what how is are was were do does did can could should would will which who whom when where why has have had".split()
)
_PREFIX = re.compile(
    r"^(?:(?:please|hi|hello|hey|so|well|ok|okay|um|and|but|also|then|just|question) )*"
    r"(?:(?:(?:can|could|would|will) (?:you|u|someone|anyone|anybody)(?: please)?(?: kindly)? (?:tell|show|inform|let)(?: me| us)?(?: know)?"
    r"|(?:i|we) (?:would|want|need|wish|am|are|d)(?: just)?(?: like| love| trying)?(?: to)? (?:know|find out|ask|learn|understand|see|hear|figure out|wondering|curious)"
    r"|i was wondering|i wonder|(?:do|does) (?:you|anyone|anybody|someone) (?:happen to )?know|any idea|tell me|tell us|let me know"
    r"|my question is|find out|help me understand|please)(?: (?:about|if|whether))? )+"
)


@lru_cache(maxsize=1)
def lexicon() -> dict[str, Any]:
    """Return the router's word lists (``data/router_lexicon.json``): strings of words as frozen sets."""
    raw = json.loads(resources.files("agents.models").joinpath("data/router_lexicon.json").read_text("utf-8"))
    return {key: frozenset(value.split()) if isinstance(value, str) else value for key, value in raw.items()}


def fold(text: str) -> str:
    """Return ``text`` in NFKC, lower case, with plain quotes and hyphens."""
    return unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a question: its words, and the same words joined by single blanks."""

    words: tuple[str, ...]
    text: str


def make_clause(words: Iterable[str]) -> Clause:
    """Return the clause of ``words``, without opening courtesies ("could you tell me whether ...")."""
    text = " ".join(words)
    rest = _PREFIX.sub("", text + " ").strip()
    if rest and rest != text:
        text = rest
    return Clause(tuple(text.split()), text)


def tokens(question: str) -> list[str]:
    """Return folded words, contractions opened, with ``? ! ; : . , ( )`` and ``%`` as tokens of their own."""
    found: list[str] = []
    for token in _TOKEN.findall(fold(question)):
        opened = _CONTRACTIONS.get(token)
        if opened is not None:
            found.extend(opened.split())
        else:
            found.append("percent" if token == "%" else token.removesuffix("'s"))
    return found


def clauses(words: Sequence[str]) -> list[Clause]:
    """Split into clauses that each ask something.

    A clause ends at ``? ! ; .`` and before "and" / "but" / "or" / a comma that is followed by a question word or
    an auxiliary ("does it have showers and are they clean").
    """
    pieces: list[list[str]] = [[]]
    for i, word in enumerate(words):
        after = words[i + 1] if i + 1 < len(words) else ""
        later = words[i + 2] if i + 2 < len(words) else ""
        if word in "?!;.":
            pieces.append([])
        elif word in {"and", "but", "or", ","} and pieces[-1]:
            joined = after if after not in {"and", "but", "also", "so", "if", "then"} else later
            if joined in _STARTERS and not (word == "or" and joined in {"not"}):
                pieces.append([])
        elif word not in {",", ":", "(", ")"}:
            pieces[-1].append(word)
            continue
        if word in {"and", "or", "but"} and pieces[-1]:
            pieces[-1].append(word)
    made = [make_clause(piece) for piece in pieces if piece]
    return [c for c in made if c.words]


__all__ = ["Clause", "clauses", "fold", "lexicon", "make_clause", "tokens"]
