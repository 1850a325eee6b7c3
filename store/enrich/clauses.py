"""Split a text into sentences and clauses, with character offsets and without a parser.

Spans index the stored text as it is: ``text[span.start:span.end]`` is the span's words. The splitter never
changes, normalises or drops a character, so a quote can always be found again.

A clause is what one opinion fits in. Sentences end at terminal punctuation and line breaks; clauses end at
contrastive and subordinating conjunctions, semicolons and spaced dashes, and at a comma or ``and`` when a new
subject and a verb follow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from store.enrich.cues import (
    ABBREVIATIONS,
    CONCESSION,
    CONDITION,
    CONTRAST,
    DIMINISHERS,
    EMPTY,
    INTENSIFIERS,
    JOIN,
)
from store.enrich.lexicon import lexicon

_END: Final = re.compile(r"[.!?…。！？]+[\"'”’)\]]*(?=\s|$|[A-Z\"“(])|[\r\n]+|[.!?]{2,}")
_CUT: Final = re.compile(
    r"""(?P<hard>;|\s[-–—]+\s|—|–|\s\#\s)
      |,?\s+(?P<word>even\ though|in\ spite|but|however|yet|nevertheless|nonetheless|although|though|tho|despite
         |albeit|whilst|while|whereas|except|because(?!\s+of\b)|unless|if)\b
      |(?P<soft>,\s*(?:(?:and|so|or|plus|which)\s+)?|\s+(?:and|so|plus)\s+|:\s+)""",
    re.VERBOSE | re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"""\b(?:is|are|was|were|am|be|been|isn|aren|wasn|weren|has|have|had|hasn|haven|hadn|does|do|did|doesn|don|didn
      |can|could|will|would|should|cannot|couldn|wouldn|won|shouldn|must|may|might|got|get|gets|made|make|makes
      |went|go|goes|came|come|comes|took|take|takes|gave|give|gives|felt|feel|feels|looked|look|looks|seemed|seem
      |seems|needed|need|needs|work|works|worked|lack|lacks|lacked|love|loved|hate|hated|like|liked|enjoyed
      |offered|offers|provided|provides|served|serves|found|find|left|kept|keep|keeps|told|said|stayed|thought
      |wanted|want|recommend|wish|ate|tasted|tastes|smelled|smells|wasnt|didnt|dont|doesnt|isnt|[a-z]{3,}ed)\b
      |['’](?:s|re|m|ve|d|ll)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    r"(?:i|we|you|he|she|it|they|there|this|that|these|those|the|a|an|our|my|their|his|her|its|your|no|some|"
    r"everything|everyone|nothing|nobody|staff|service|food|also|then|overall)\b",
    re.IGNORECASE,
)
_QUESTION_OPENING: Final = re.compile(
    r"\s*(?:(?:and|but|so|or)\s+)?(?:what|why|how|when|where|who|which|whose|is|are|was|were|do|does|did|can|could|will"
    r"|would|should|has|have|any|anyone|anybody)\b",
    re.IGNORECASE,
)
_NO_TURN: Final = re.compile(
    r"\b(?:anything|nothing|none|all)\s+but\b|\bbut\s+(?:also|not\s+least)\b", re.IGNORECASE
)
_SEPARATOR: Final = re.compile(r"[,;]|\s(?:and|but)\s|\s[-–—]+\s")
_LETTERS: Final = re.compile(r"[a-z][a-z'’-]*")
#: Longest sentence, in characters, that is looked at as one: longer runs are cut at white space.
MAX_SENTENCE: Final = 600
#: A line longer than this, in characters, may be wrapped; a shorter one is a line of its own.
WRAPPED: Final = 50
#: How far, in characters, a verb is looked for after a comma or "and".
LOOK_AHEAD: Final = 160


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a text.

    Attributes
    ----------
    start, end
        Character offsets in the text, white space at the edges excluded; ``start < end``.
    sentence
        0-based index of its sentence.
    opening
        The conjunction it opens with, in lower case, or an empty string.
    contrasted
        A later clause of the sentence turns against this one.
    question
        Its sentence is a question.
    """

    start: int
    end: int
    sentence: int
    opening: str = ""
    contrasted: bool = False
    question: bool = False


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the ``(start, end)`` offsets of the sentences of ``text``, in order, none empty, none overlapping."""
    spans: list[tuple[int, int]] = []
    begin = 0
    for found in _END.finditer(text):
        if _is_abbreviation(text, found.start(), found.group()) or _is_wrapped(text, found):
            continue
        _append(text, begin, found.end(), spans)
        begin = found.end()
    _append(text, begin, len(text), spans)
    return spans


def clauses(text: str) -> list[Clause]:
    """Return the clauses of ``text``, in order, none empty, none overlapping."""
    found: list[Clause] = []
    for index, (start, end) in enumerate(sentences(text)):
        found.extend(_clauses_of(text, start, end, index))
    return found


def has_verb(words: Sequence[str]) -> bool:
    """Whether a verb that the splitter knows is among the words."""
    return _VERB.search(" ".join(words)) is not None


def opens_with_verb(word: str) -> bool:
    """Whether a word can only be read as a verb: a known one, or one that ends in -ed, -es or -ing."""
    return _VERB.fullmatch(word) is not None or word.endswith(("n't", "es", "ing"))


def opens_with_subject(piece: str) -> bool:
    """Whether the words open with a pronoun, an article or another word that starts a subject."""
    return _SUBJECT.match(piece) is not None


def _clauses_of(text: str, start: int, end: int, index: int) -> list[Clause]:
    sentence = text[start:end]
    question = "?" in sentence[-4:] and (
        _QUESTION_OPENING.match(sentence) is not None or sentence.rstrip("\"'”’)]").endswith("?")
    )
    cuts: list[tuple[int, int, str]] = [(0, 0, _opening(sentence))]
    for cut in _CUT.finditer(sentence):
        previous = cuts[-1][1]
        if cut["word"]:
            position, opening = cut.start("word"), cut["word"].lower()
            if _is_bare(sentence[previous : cut.start()]):
                continue
            if opening == "but" and _NO_TURN.search(sentence, max(0, position - 12), cut.end() + 12):
                continue
            if opening in {"yet", "though", "tho", "however"} and _adverbial(sentence, cut.end(), opening):
                continue
        elif cut["hard"]:
            position, opening = cut.end(), ""
        else:
            position, opening = cut.end(), cut.group().strip(" ,:\t").lower()
            after = sentence[cut.end() : cut.end() + LOOK_AHEAD]
            told = (
                _SUBJECT.match(after)
                and _VERB.search(after)
                and _VERB.search(sentence, previous, cut.start())
            )
            if not told and not (cut.group().startswith(",") and _is_listed(sentence, previous, cut)):
                continue
        if sentence[previous : cut.start()].strip():
            cuts.append((cut.start(), position, opening or _opening(sentence[position:])))
    pieces = [
        (begin, cuts[i + 1][0] if i + 1 < len(cuts) else len(sentence), opening)
        for i, (_, begin, opening) in enumerate(cuts)
    ]
    turns = [i for i, (_, _, opening) in enumerate(pieces) if opening in CONTRAST and i]
    last_turn = turns[-1] if turns else -1
    spans: list[Clause] = []
    for i, (begin, stop, opening) in enumerate(pieces):
        left, right = _strip(text, start + begin, start + stop)
        if left < right:
            spans.append(Clause(left, right, index, opening, i < last_turn, question))
    return spans


def _opening(piece: str) -> str:
    match = re.match(r"\W*(even though|in spite|\w+)", piece, re.IGNORECASE)
    word = match[1].lower() if match else ""
    return word if word in CONTRAST or word in CONCESSION or word in CONDITION or word in JOIN else ""


def _is_listed(sentence: str, previous: int, cut: re.Match[str]) -> bool:
    """Whether the comma parts two verdicts of a list, "nice room, awful breakfast", each with its own thing."""
    following = _SEPARATOR.search(sentence, cut.end())
    stop = following.start() if following else len(sentence)
    return _is_verdict(sentence[max(previous, cut.start() - LOOK_AHEAD) : cut.start()]) and _is_verdict(
        sentence[cut.end() : stop]
    )


def _is_bare(piece: str) -> bool:
    """Whether the words only praise or blame, as in "clean but cramped room": the thing is still to come."""
    known = lexicon().words
    words = _LETTERS.findall(piece.lower())
    return (
        bool(words)
        and any(known.get(word) for word in words)
        and all(
            known.get(word) or word in EMPTY or word in INTENSIFIERS or word in DIMINISHERS for word in words
        )
    )


def _is_verdict(piece: str) -> bool:
    known = lexicon().words
    praised = named = False
    for word in _LETTERS.findall(piece.lower()):
        if known.get(word):
            praised = True
        elif len(word) > 2 and word not in EMPTY and not word.endswith("ly"):
            named = True
    return praised and named


def _adverbial(sentence: str, after: int, word: str) -> bool:
    """Whether ``though``, ``yet`` or ``however`` stands at the end or inside, not before a clause."""
    rest = sentence[after:].lstrip(" ,")
    if word == "yet":
        return not (_SUBJECT.match(rest) and _VERB.search(rest))
    return len(rest.strip(" .!?)")) < 3


def _is_abbreviation(text: str, at: int, ending: str) -> bool:
    if not ending.startswith(".") or len(ending) > 1:
        return False
    match = re.search(r"[\w.]+$", text[max(0, at - 12) : at])
    word = match.group().lower() if match else ""
    after = text[at + 1 : at + 3].strip()
    return word in ABBREVIATIONS and not (
        word in {"etc", "a.m", "p.m", "hrs", "mins", "min", "no"} and after[:1].isupper()
    )


def _is_wrapped(text: str, found: re.Match[str]) -> bool:
    """Whether a single line break only wraps a long line: the next one goes on in lower case."""
    line = found.start() - text.rfind("\n", 0, found.start())
    return (
        line > WRAPPED and found.group() in {"\n", "\r\n"} and text[found.end() : found.end() + 1].islower()
    )


def _append(text: str, begin: int, stop: int, spans: list[tuple[int, int]]) -> None:
    start, end = _strip(text, begin, stop)
    while end - start > MAX_SENTENCE:
        cut = text.rfind(" ", start + MAX_SENTENCE // 2, start + MAX_SENTENCE)
        cut = cut if cut > start else start + MAX_SENTENCE
        left, right = _strip(text, start, cut)
        spans.append((left, right))
        start, end = _strip(text, cut, end)
    if start < end:
        spans.append((start, end))


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


__all__ = [
    "LOOK_AHEAD",
    "MAX_SENTENCE",
    "WRAPPED",
    "Clause",
    "clauses",
    "has_verb",
    "opens_with_subject",
    "opens_with_verb",
    "sentences",
]
