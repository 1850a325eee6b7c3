"""Whether words in quotation marks stand in the document that is cited for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agents.fencing import neutralise

Verdict = Literal["verbatim", "not found", "elsewhere", "cut after a negation"]

_GAP = re.compile(r"\s*(?:\.\s?\.\s?\.|…|\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\))\s*")
_EDITED = re.compile(r"\s*\[[^\]\d]*\]\s*")
_MARKS = str.maketrans(
    dict.fromkeys("‘’‚‛`´", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("‐‑‒–—―−", "-") | {"…": "..."}
)
_NEGATION = re.compile(r"(?:\b(?:not|never|no|hardly|nor|without|barely)|n't)\s+(?:\w+\s+)?$")
#: An omission of more than this is not read over, in characters.
_LONGEST_SPAN = 300
_EDGE = " \t\n.,;:!?-'\""


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """One quote and what became of it.

    ``label`` is the document that holds it (cited or not), or "" when none does.
    """

    quote: str
    verdict: Verdict
    label: str = ""


@lru_cache(maxsize=512)
def comparable(text: str) -> str:
    """Return ``text`` without differences that change no word: case, kinds of marks, blanks, hidden characters.

    Brackets and bars read as what fencing makes of them, since that is how a model has seen the document.
    """
    plain = unicodedata.normalize("NFC", neutralise(text)).translate(_MARKS)
    return " ".join(plain.replace('"', "'").casefold().split())


def stands_in(quote: str, text: str) -> Verdict | None:
    """Tell whether ``text`` holds ``quote``: each part between omissions ("...", "[...]") whole and in this order.

    Returns
    -------
    Verdict or None
        ``verbatim``; ``cut after a negation`` where the words before the quote deny it ("not" | "good value");
        None where a part is missing.
    """
    parts = [part for gap in _GAP.split(quote) for part in _EDITED.split(gap)]
    parts = [folded for part in parts if (folded := comparable(part).strip(_EDGE))]
    if not parts:
        return None
    source = comparable(text)
    best: Verdict | None = None
    for first, _ in _runs(parts, source):
        if not _NEGATION.search(source[max(0, first - 30) : first]):
            return "verbatim"
        best = "cut after a negation"
    return best


def spanned(quote: str, text: str) -> str:
    """Return the words of ``text`` that a quote with omissions runs over, the omitted ones included; "" if not found.

    Case and marks are those of :func:`comparable`.
    """
    parts = [comparable(part).strip(_EDGE) for part in _GAP.split(quote)]
    parts = [part for part in parts if part]
    if len(parts) < 2:
        return ""
    source = comparable(text)
    first, end = next(_runs(parts, source), (0, 0))
    return source[first:end] if end - first <= _LONGEST_SPAN else ""


def _runs(parts: list[str], source: str) -> Iterator[tuple[int, int]]:
    """Yield where all parts stand in the source one after another: from each place of the first one to the end."""
    for first in _places(parts[0], source, 0):
        end = first + len(parts[0])
        for part in parts[1:]:
            place = next(_places(part, source, end), None)
            if place is None:
                break
            end = place + len(part)
        else:
            yield first, end


def _places(part: str, source: str, start: int) -> Iterator[int]:
    at = source.find(part, start)
    while at >= 0:
        before, after = source[at - 1 : at] if at else "", source[at + len(part) : at + len(part) + 1]
        if not (before.isalnum() and part[0].isalnum()) and not (after.isalnum() and part[-1].isalnum()):
            yield at
        at = source.find(part, at + 1)


def check_quote(quote: str, cited: Iterable[str], documents: Mapping[str, str]) -> QuoteCheck:
    """Look for ``quote`` in the documents ``cited`` for it, then in the others.

    ``elsewhere`` means that another document holds it than the one cited.
    """
    cited = [label for label in cited if label in documents]
    doubtful = ""
    for label in cited:
        verdict = stands_in(quote, documents[label])
        if verdict == "verbatim":
            return QuoteCheck(quote, "verbatim", label)
        doubtful = doubtful or (label if verdict else "")
    if doubtful:
        return QuoteCheck(quote, "cut after a negation", doubtful)
    for label, text in documents.items():
        if label not in cited and stands_in(quote, text):
            return QuoteCheck(quote, "elsewhere", label)
    return QuoteCheck(quote, "not found")


__all__ = ["QuoteCheck", "Verdict", "check_quote", "comparable", "spanned", "stands_in"]
