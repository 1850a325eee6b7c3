"""An answer checked: one call for everything that verification looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from agents.fairness.distance import w1_bins
from agents.verification.amounts import quantity_findings, share_findings
from agents.verification.balance import balance_findings
from agents.verification.bins import as_shares, by_side
from agents.verification.records import Classify, Distance, Verification
from agents.verification.sources import check_quotes, source_findings
from agents.verification.text import citation_labels, sentences
from agents.verification.voices import distribution_of, read_voices


def verify(
    answer: str,
    documents: Mapping[str, str],
    *,
    population: Sequence[float] | None = None,
    retrieved: Sequence[float] | None = None,
    classify: Classify | None = None,
    distance: Distance = w1_bins,
    stances: Mapping[str, int] | None = None,
    side: Literal["positive", "negative"] | None = None,
) -> Verification:
    """Check an answer.

    Parameters
    ----------
    answer
        The text, with citations such as ``[3]`` or ``[D1, D4]``.
    documents
        Label -> text of every document that may be cited, under the label that the answer uses.
    population, retrieved
        Counts or shares of the seven bins, -30 first. Without a population only citations and quotes are checked.
    classify
        Gives the bin of a claim.
    stances
        Label -> bin of the documents, by the labels that the population was counted with. They speak for quotes (the
        words are the document's own) and for cited claims that ``classify`` finds no view in.
    distance
        Distance of two distributions over the bins.
    side
        The one side that was asked for: then shares may still be those of all, but voices of the other side alone
        would be wrong, and none are called missing.

    Raises
    ------
    ValueError
        ``population`` or ``retrieved`` has not seven entries, a negative one, or no mass.
    """
    truth = None if population is None else as_shares("population", population)
    given = None if retrieved is None else as_shares("retrieved", retrieved)
    cut = sentences(answer)
    citations = {label: label in documents for label in citation_labels(answer)}
    checks = check_quotes(answer, cut, documents)
    findings = source_findings(citations, checks)
    claims, unread = read_voices(cut, classify, stances or {}, documents) if classify is not None else ((), 0)
    shares = distribution_of(claims)
    away = amplified = None
    if truth is not None:
        findings += share_findings(cut, truth, (len(documents), len(citations)))
        if classify is not None:
            findings += quantity_findings(cut, by_side(truth), classify)
        findings += balance_findings(cut, claims, unread, truth, side)
        if shares is not None:
            away = distance(shares, truth)
            amplified = None if given is None else away - distance(given, truth)
    return Verification(citations, checks, claims, shares, away, amplified, tuple(findings))


def claim_texts(answer: str, documents: Mapping[str, str]) -> list[str]:
    """Return the texts that :func:`verify` would classify, each once."""
    found: dict[str, None] = {}

    def note(text: str) -> None:
        found.setdefault(text)

    cut = sentences(answer)
    read_voices(cut, note, {}, documents)
    return list(found)


__all__ = ["claim_texts", "verify"]
