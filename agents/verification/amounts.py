"""Findings on what an answer says of how many: shares in numbers, "most", "hardly anyone", "evenly split"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.verification.balance import MARGIN, MINORITY
from agents.verification.bins import Side, by_side, other_side
from agents.verification.records import Classify, Finding, FindingKind
from agents.verification.shares import sides_named, stated_shares
from agents.verification.text import Sentence, clauses, without_citations, without_quotes
from agents.verification.voices import read_claim
from agents.verification.words import Amount, compared, outside, quantified, wrong_comparison


def share_findings(
    cut: Sequence[Sentence], truth: Sequence[float], samples: tuple[int, ...]
) -> list[Finding]:
    """Hold the stated shares against the population; ``samples`` as for ``stated_shares``."""
    true = by_side(truth)
    return [
        Finding(
            "wrong share",
            f"“{stated.words}” is given as {stated.side}; the true share is {100 * true[stated.side]:.0f} %",
        )
        for sentence in cut
        for stated in stated_shares(without_quotes(sentence.text), samples)
        if abs(stated.share - true[stated.side]) > stated.tolerance + 1e-9
    ]


def quantity_findings(
    cut: Sequence[Sentence], true: Mapping[Side, float], classify: Classify
) -> list[Finding]:
    """Hold "most", "hardly anyone", "evenly split" and the like against the population."""
    findings = []
    for sentence in cut:
        if sentence.heading or stated_shares(sentence.text):
            continue
        whole = without_citations(without_quotes(sentence.text))
        if (claim := compared(whole)) is not None:
            if wrong_comparison(claim, true):
                shares = f"{100 * true['positive']:.0f} % positive, {100 * true['negative']:.0f} % negative"
                kind: FindingKind = "wrong share" if claim.even else "reversed majority"
                findings.append(Finding(kind, f"“{claim.words}” is not so: {shares}"))
            continue
        for clause in clauses(sentence):
            plain = without_citations(without_quotes(clause.text))
            if (said := quantified(plain)) is not None and (side := _side_of(said.rest, classify)):
                findings += _amount_findings(plain, said.amount, side, true)
    return findings


def _side_of(text: str, classify: Classify) -> Side | None:
    """Return the side of a clause without its amount: as named, else as it reads."""
    named = [side for side in sides_named(text) if side != "neutral"]
    if named:
        return named[0] if len(set(named)) == 1 else None
    found = read_claim(classify, text)
    if found is None or found.bin == 0:
        return None
    return "positive" if found.bin > 0 else "negative"


def _amount_findings(plain: str, amount: Amount, side: Side, true: Mapping[Side, float]) -> list[Finding]:
    behind = true[other_side(side)] - true[side]
    share = f"{100 * true[side]:.0f} % are {side}"
    if amount == "half":
        return (
            [Finding("wrong share", f"“{plain}” is not so: {share}")] if outside(amount, true[side]) else []
        )
    small = amount in ("minority", "few", "hardly", "none")
    if (small and behind < -MARGIN) or (not small and behind > MARGIN):
        return [Finding("reversed majority", f"“{plain}” turns the majority round: {share}")]
    if amount == "all":
        left = true[other_side(side)]
        message = f"“{plain}” leaves out the {100 * left:.0f} % on the other side"
        return [Finding("one-sided", message)] if left >= MINORITY else []
    if outside(amount, true[side]):
        return [Finding("wrong share", f"“{plain}” says too {'little' if small else 'much'}: {share}")]
    return []


__all__ = ["quantity_findings", "share_findings"]
