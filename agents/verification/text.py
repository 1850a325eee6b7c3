"""An answer taken apart for checking: sentences, clauses, citations, quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_CITATION = re.compile(r"\[\s*([A-Za-z]{0,3}\d{1,9}(?:\s*[,;]\s*[A-Za-z]{0,3}\d{1,9})*)\s*\](?!\()")
_LABEL = re.compile(r"[A-Za-z]{0,3}\d+")
#: Opening and closing marks; straight double marks close with the next one.
_PAIRS = {"“": "”", "«": "»", "„": "“”", '"': '"'}
#: Single marks only where they cannot be apostrophes: a blank or bracket before, none inside a word.
_SINGLE = re.compile(r"(?<![\w'‘’])['‘]([^'‘’\n]+(?:(?<=\w)['’](?=\w)[^'‘’\n]+)*)['’](?!\w)")
_TURN = re.compile(r"(?:,|;|\s[-–—])?\s+(?:but|while|whereas|although|though|however|yet)\b,?\s+|;\s+", re.I)
#: Longest quote, in characters; a mark without a partner in that reach opens nothing.
_LONGEST = 1500
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|St|No|approx|cf)\.$", re.I)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words in quotation marks.

    ``start`` and ``end`` are the offsets of the words, without the marks, in the answer.
    """

    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or line of the answer with its citations, those that stand behind its full stop included.

    ``start`` and ``end`` are offsets in the answer. ``line`` numbers the line it stands on; ``heading`` is true of
    a line that ends in a colon.
    """

    text: str
    start: int
    end: int
    labels: tuple[str, ...]
    line: int
    heading: bool = False


@dataclass(frozen=True, slots=True)
class ClauseOfAnswer:
    """A part of a sentence that may say something else than the rest ("most liked it, but some did not")."""

    text: str
    labels: tuple[str, ...]


def citation_labels(text: str) -> tuple[str, ...]:
    """Return the labels cited in ``text`` ("[3]", "[D1, D4]"), each once, in order."""
    found = [label for group in _CITATION.findall(text) for label in _LABEL.findall(group)]
    return tuple(dict.fromkeys(found))


def without_citations(text: str) -> str:
    """Return ``text`` without citations and with single blanks."""
    return " ".join(_CITATION.sub(" ", text).split())


@lru_cache(maxsize=64)
def quotes(answer: str) -> tuple[Quoted, ...]:
    """Return the quotes of an answer, outermost first, nested ones not by themselves."""
    found: list[Quoted] = []
    i = 0
    while i < len(answer):
        closers = _PAIRS.get(answer[i])
        if closers is not None and not _inches(answer, i):
            end = _closing(answer, i, closers)
            if end > i + 1:
                found.append(Quoted(answer[i + 1 : end], i + 1, end))
                i = end
        i += 1
    masked = list(answer)
    for quote in found:
        masked[quote.start - 1 : quote.end + 1] = "\x00" * (quote.end - quote.start + 2)
    for match in _SINGLE.finditer("".join(masked)):
        if len(match[1].split()) > 1:
            found.append(Quoted(match[1], match.start(1), match.end(1)))
    return tuple(sorted(found, key=lambda quote: quote.start))


def without_quotes(text: str) -> str:
    """Return ``text`` without its quotes."""
    for quote in reversed(quotes(text)):
        text = text[: quote.start] + text[quote.end :]
    return text


def _inches(answer: str, i: int) -> bool:
    """Tell a straight mark behind a number (15" screen) from one that opens."""
    return answer[i] == '"' and i > 0 and answer[i - 1].isdigit()


def _closing(answer: str, start: int, closers: str) -> int:
    """Offset of the mark that closes the one at ``start``, nested pairs of its kind skipped; -1 without one."""
    opener, depth = answer[start], 1
    for i in range(start + 1, min(len(answer), start + _LONGEST)):
        char = answer[i]
        if char in closers and not (opener == '"' and _inches(answer, i) and '"' in answer[i + 1 : i + 80]):
            depth -= 1
            if depth == 0:
                return i
        elif char == opener and opener not in closers:
            depth += 1
        elif char == "\n" and answer[i : i + 2] == "\n\n":
            return -1
    return -1


def sentences(answer: str) -> list[Sentence]:
    """Cut an answer at line ends and sentence ends, but not inside quotes; citations go with what they follow."""
    inside = [False] * (len(answer) + 1)
    ends = set()
    for quote in quotes(answer):
        inside[quote.start : quote.end] = [True] * (quote.end - quote.start)
        if quote.words[-1:] in {".", "!", "?"}:
            ends.add(quote.end)
    made: list[Sentence] = []
    start = line = 0
    i = 0
    while i <= len(answer):
        at_end = i == len(answer)
        newline = not at_end and answer[i] == "\n" and not inside[i]
        stop = not at_end and answer[i] in ".!?" and not inside[i] and _ends(answer, i)
        stop = stop or (i in ends and _begins(answer, _behind_citations(answer, i + 1)))
        if stop:
            i = _behind_citations(answer, i + 1)
        if stop or newline or at_end:
            _append(made, answer, start, i, line)
            start = i
            line += newline
        i += not stop
    return made


def _ends(answer: str, i: int) -> bool:
    rest = answer[i + 1 :]
    if rest[:1] and rest[0] not in ' \n\t[)"”’»':
        return False
    return not _ABBREVIATION.search(answer[max(0, i - 8) : i + 1])


def _begins(answer: str, i: int) -> bool:
    """Tell whether a new sentence begins behind a quote that ended with a full stop."""
    rest = answer[i:].lstrip(" ")
    return not rest or rest[0].isupper() or rest[0] in "\n-*•“"


def _behind_citations(answer: str, i: int) -> int:
    match = re.compile(rf"[)\"”’»]*(?:\s*{_CITATION.pattern})*[.!?]*").match(answer, i)
    return match.end() if match else i


def _append(made: list[Sentence], answer: str, start: int, end: int, line: int) -> None:
    text = answer[start:end]
    kept = text.strip()
    if kept and any(char.isalnum() for char in kept):
        first = start + len(text) - len(text.lstrip())
        made.append(
            Sentence(
                kept, first, first + len(kept), citation_labels(kept), line, kept.rstrip("*_ ").endswith(":")
            )
        )


def clauses(sentence: Sentence) -> list[ClauseOfAnswer]:
    """Cut a sentence where it turns; a part without citations of its own has those of the whole sentence."""
    masked = list(sentence.text)
    for quote in quotes(sentence.text):
        masked[quote.start : quote.end] = "x" * (quote.end - quote.start)
    cuts = [0]
    for turn in _TURN.finditer("".join(masked)):
        cuts += [turn.start(), turn.end()]
    cuts.append(len(sentence.text))
    parts = [sentence.text[a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
    parts = [part for part in parts if len(without_citations(part).split()) > 1]
    return [ClauseOfAnswer(part.strip(), citation_labels(part) or sentence.labels) for part in parts]


__all__ = [
    "ClauseOfAnswer",
    "Quoted",
    "Sentence",
    "citation_labels",
    "clauses",
    "quotes",
    "sentences",
    "without_citations",
    "without_quotes",
]
