"""The embedded generator: it writes nothing of its own but counts, and lets the documents speak in verbatim quotes.

An opinion answer gives the population's shares (from SQL) and voices of every side in proportion; a factual answer
gives the sentences that share most with the question. ``[n]`` cites the document of rank n.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agents.models.extractive_quotes import fold, quotable, same_words, shorten
from agents.models.generation import whole_percents

NAME = "extractive (embedded)"
#: Numbers shown beside one quote, and one more where that is the last.
_NUMBERS = 3

#: Up to an end mark before space (not the point in "4.00"), a line break, or the end.
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?![\s\"'”’)]|$))+(?:[.!?]+[\"'”’)]*|\n|$)")
_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = """
a about all also am an and any are as at be because been before being but by can could did do does doing done for from
get give had has have having he her here him his how i if in into is it its just like me more most my no not of off on
one only or other our out over please she should so some such tell than that the their them then there these they
think this those to too up us very was we were what when where which while who whom why will with would you your
people guests reviewers reviews review say said saying opinion opinions many much kind available offer offered offers
"""
_STOP = frozenset(re.findall(r"\w+", _STOP_WORDS))


@dataclass(frozen=True, slots=True)
class Voice:
    """One document's quote that may be cited; ``shared`` counts the documents that could be cited for its words."""

    number: int
    document_id: int
    quote: str
    start: int
    score: int
    shared: int = 1


@dataclass(frozen=True, slots=True)
class Cited:
    """One citation of a written answer."""

    number: int
    document_id: int
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Written:
    """An answer and its citations."""

    text: str
    citations: tuple[Cited, ...]


def opinion_answer(
    subject: str,
    counts: Sequence[int],
    documents: int,
    voices: Sequence[Voice],
    side: str | None,
    labels: str,
    corrected: str = "",
    within: str = "",
    everything: int = 0,
) -> Written:
    """Write an opinion answer.

    Parameters
    ----------
    subject
        What the opinions are on.
    counts
        The whole population's documents by bin, -30 ... +30.
    documents
        Documents that the question could have drawn on.
    voices
        The documents quoted, in order of rank, already in proportion; the same words are quoted once.
    side
        ``positive`` or ``negative`` when only one side was asked for.
    labels
        Whose labels the counts are.
    corrected
        A sentence on the shares corrected for label errors, with a space before it; empty without reviews.
    within
        The limits that the question states, as they stand behind "documents"; empty without any.
    everything
        Documents of the whole corpus, said beside ``documents`` where there are limits.
    """
    n = sum(counts)
    shares = whole_percents(
        {"positive": sum(counts[4:]) / n, "neutral or mixed": counts[3] / n, "negative": sum(counts[:3]) / n}
    )
    parts = ", ".join(f"{percent} % {name}" for name, percent in shares.items())
    base = f"Of {documents:,} documents"
    if within:
        base += f"{within} ({everything:,} in the whole corpus)"
    lead = f"{base}, {n:,} {'holds' if n == 1 else 'hold'} a view on {subject}: {parts} ({labels} labels).{corrected}"
    if side is not None:
        lead += f" You asked for the {side} side; the voices below are from it alone."
    sections = [lead]
    cited: list[Cited] = []
    for name, sign in (("Positive", 1), ("Negative", -1), ("Neutral or mixed", 0)):
        chosen = [v for v in voices if (v.score > 0) - (v.score < 0) == sign]
        if chosen:
            said: dict[str, list[Voice]] = {}
            for voice in chosen:
                said.setdefault(same_words(voice.quote), []).append(voice)
            lines = [f"{name}, {len(chosen)} of {len(voices)} voices:"]
            for alike in said.values():
                lines.append(f"- “{fold(shorten(alike[0].quote))}” {_numbers(alike)}")
                cited += [_cited(voice) for voice in alike]
            sections.append("\n".join(lines))
    if not voices:
        sections.append("No quotable words were found.")
    return Written("\n\n".join(sections), tuple(cited))


def _numbers(alike: Sequence[Voice]) -> str:
    """Return the documents of one quote: their numbers, of many the first ones and how many more there are."""
    shown = alike if len(alike) <= _NUMBERS + 1 else alike[:_NUMBERS]
    text = "".join(f"[{voice.number}]" for voice in shown)
    more = len(alike) - len(shown)
    if not more:
        return text
    of = f" of {alike[0].shared}" if alike[0].shared > len(alike) else ""
    return f"{text} and {more} more{of} documents in the same words"


def _cited(voice: Voice) -> Cited:
    quote = shorten(voice.quote)
    return Cited(voice.number, voice.document_id, quote, voice.start, voice.start + len(quote))


def factual_answer(question: str, documents: Sequence[tuple[int, int, str]], most: int = 3) -> Written | None:
    """Quote the sentences that answer the question best; None when no document shares a word with it.

    Parameters
    ----------
    documents
        ``(number, id, text)`` in order of rank.
    most
        Sentences quoted at the most.
    """
    wanted = content_words(question)
    sentences = [
        (number, document_id, match.start(), match.group())
        for number, document_id, text in documents
        for match in _SENTENCE.finditer(text)
        if quotable(match.group())
    ]
    if not wanted or not sentences:
        return None
    words = [content_words(sentence) for *_, sentence in sentences]
    frequency = Counter(word for found in words for word in found & wanted)
    scored = []
    for (number, document_id, start, sentence), found in zip(sentences, words, strict=True):
        shared = found & wanted
        if shared:
            weight = sum(math.log(1 + len(sentences) / frequency[word]) for word in shared)
            # An earlier rank counts for more, as it does in rank fusion.
            score = weight / math.sqrt(len(found) + 4) * (1 + 1 / (1 + number))
            scored.append((-score, number, start, document_id, sentence))
    if not scored:
        return None
    best: list[tuple[float, int, int, int, str]] = []
    seen: set[str] = set()
    for item in sorted(scored):
        key = fold(item[4]).casefold()
        if key not in seen and len(best) < most:
            seen.add(key)
            best.append(item)
    cited = []
    lines = []
    for _, number, start, document_id, sentence in sorted(best, key=lambda item: (item[1], item[2])):
        lead = len(sentence) - len(sentence.lstrip())
        quote = shorten(sentence.strip())
        cited.append(Cited(number, document_id, quote, start + lead, start + lead + len(quote)))
        lines.append(f"- “{fold(quote)}” [{number}]")
    return Written("The documents say:\n" + "\n".join(lines), tuple(cited))


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
    "opinion_answer",
]
