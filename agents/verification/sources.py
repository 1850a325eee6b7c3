"""Findings on citations and quotes: whether they come from the documents that were given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.verification.quotes import QuoteCheck, check_quote
from agents.verification.records import Finding
from agents.verification.text import Sentence, citation_labels, quotes


def check_quotes(
    answer: str, cut: Sequence[Sentence], documents: Mapping[str, str]
) -> tuple[QuoteCheck, ...]:
    """Check each quote in the documents cited in its sentence, else on its line, else in the whole answer."""
    everywhere = citation_labels(answer)
    checks = []
    for quote in quotes(answer):
        home = next((s for s in cut if s.start <= quote.start < s.end), None)
        cited = home.labels if home else ()
        if home and not cited:
            on_line = [label for s in cut if s.line == home.line for label in s.labels]
            cited = tuple(dict.fromkeys(on_line)) or everywhere
        checks.append(check_quote(quote.words, cited or everywhere, documents))
    return tuple(checks)


def source_findings(citations: Mapping[str, bool], checks: Sequence[QuoteCheck]) -> list[Finding]:
    """Return what is wrong with citations, then with quotes."""
    findings = [
        Finding("invented citation", f"[{label}] cites a document that was not given")
        for label, exists in citations.items()
        if not exists
    ]
    for check in checks:
        if check.verdict == "elsewhere":
            message = f"“{check.quote}” stands in [{check.label}], not in the document cited for it"
            findings.append(Finding("misattributed quote", message))
        elif check.verdict == "not found":
            findings.append(Finding("altered quote", f"“{check.quote}” stands in none of the documents"))
        elif check.verdict == "cut after a negation":
            message = f"“{check.quote}” leaves out the negation before it in [{check.label}]"
            findings.append(Finding("altered quote", message))
    return findings


__all__ = ["check_quotes", "source_findings"]
