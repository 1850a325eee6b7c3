"""The voices of an answer: the views that its clauses report, in bins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from agents.verification.bins import Side
from agents.verification.quotes import spanned
from agents.verification.records import Claim, Classify, Read
from agents.verification.shares import sides_named, stated_shares
from agents.verification.text import (
    ClauseOfAnswer,
    Sentence,
    clauses,
    quotes,
    without_citations,
    without_quotes,
)
from agents.verification.words import compared, quantified
from store.records import BINS

#: Assumed of a classifier that does not say how sure it is.
READ: Final = 0.85
#: Labels that the population itself was counted with cannot be wrong against it.
_KNOWN: Final = 0.995
#: That a voice is of the side whose heading it stands under.
_HEADED: Final = 0.9


def read_voices(
    cut: Sequence[Sentence], classify: Classify, stances: Mapping[str, int], documents: Mapping[str, str]
) -> tuple[tuple[Claim, ...], int]:
    """Return the views that the answer reports, and how many cited voices no view could be read from.

    Only cited clauses count, where the answer cites at all.
    """
    cites = any(sentence.labels for sentence in cut)
    claims, unread = [], 0
    under: Side | None = None
    for sentence in cut:
        if sentence.heading:
            under = _side_of_heading(sentence.text)
        if sentence.heading or (cites and not sentence.labels) or stated_shares(sentence.text):
            continue
        whole = without_citations(without_quotes(sentence.text))
        for clause in clauses(sentence):
            plain = without_citations(without_quotes(clause.text))
            if not clause.labels and (compared(whole) or quantified(plain)):
                # It counts others: no voice itself.
                continue
            known = [label for label in clause.labels if label in stances]
            quoted = len(known) == len(clause.labels) > 0 and bool(quotes(clause.text))
            found = None
            if not quoted:
                found = _under(under, read_claim(classify, _full(clause, documents)))
            if found is not None:
                claims.append(
                    Claim(clause.text, found.bin, max(1, len(clause.labels)), clause.labels, found.sure)
                )
                continue
            claims += [Claim(clause.text, stances[label], 1, (label,), _KNOWN) for label in known]
            unread += len(clause.labels) - len(known)
    return tuple(claims), unread


def _side_of_heading(text: str) -> Side | None:
    """Return the one side that a heading such as "Positive, 5 of 8 voices:" announces."""
    named = set(sides_named(text))
    return named.pop() if len(named) == 1 else None


def _under(side: Side | None, found: Read | None) -> Read | None:
    """Join what a voice says with the heading that it stands under: the reader takes it for that side."""
    if side is None:
        return found
    if side == "neutral":
        return Read(0, _HEADED)
    agrees = found is not None and found.bin != 0 and (found.bin > 0) == (side == "positive")
    bin_ = 20 if side == "positive" else -20
    if found is None or found.bin == 0:
        return Read(bin_, _HEADED)
    odds = _HEADED / (1 - _HEADED) * (found.sure / (1 - found.sure)) ** (1 if agrees else -1)
    sure = odds / (1 + odds)
    return Read(found.bin if agrees else bin_, sure) if sure >= 0.5 else Read(found.bin, 1 - sure)


def _full(clause: ClauseOfAnswer, documents: Mapping[str, str]) -> str:
    """Return the clause without citations, quotes with omissions filled from the document cited for them."""
    text = clause.text
    for quote in reversed(quotes(text)):
        texts = [documents[label] for label in clause.labels if label in documents]
        if whole := next(filter(None, (spanned(quote.words, source) for source in texts)), ""):
            text = text[: quote.start] + whole + text[quote.end :]
    return without_citations(text)


def read_claim(classify: Classify, text: str) -> Read | None:
    """Return what ``classify`` reads, with how sure that is."""
    found = classify(text)
    return Read(found, READ) if isinstance(found, int) else found


def distribution_of(claims: Sequence[Claim]) -> tuple[float, ...] | None:
    """Return the shares of the seven bins among the voices of the claims, or None without any."""
    voices = Counter[int]()
    for claim in claims:
        voices[claim.bin] += claim.voices
    total = sum(voices.values())
    return tuple(voices[bin_] / total for bin_ in BINS) if total else None


__all__ = ["READ", "distribution_of", "read_claim", "read_voices"]
