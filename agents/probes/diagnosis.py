"""From scores to findings, and from findings to the enhancement to use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from agents.probes.features import features
from agents.probes.generation import ENHANCEMENTS, Condition
from agents.probes.pairs import Bias, ProbePair
from agents.probes.report import Diagnosis, Finding, Recommendation
from agents.probes.retrievers import ProbeQuery, Retriever
from agents.probes.statistics import (
    Floats,
    Measured,
    bonferroni,
    change,
    foil_accuracy,
    foil_verdict,
    paired_t,
    rho_of,
    verdict,
)

#: Level of significance, after the correction.
ALPHA: Final = 0.05
#: Loss of relevance (share of foreign documents below the own) from which an enhancement is not recommended.
RELEVANCE_LOSS: Final = 0.02

#: By condition and bias: the query of each pair, in the pairs' order; as many as were written, from the first on.
Queries = Mapping[Condition, Mapping[Bias, Sequence[ProbeQuery | None]]]


def diagnose(
    retriever: Retriever,
    pairs: Mapping[Bias, Sequence[ProbePair]],
    queries: Queries,
    *,
    tests: int,
    seed: int = 0,
) -> Diagnosis:
    """Measure every bias of a retriever with every kind of query.

    Parameters
    ----------
    queries
        ``none`` has a query for every pair; another condition may have None where nothing was written: both it and the
        plain query are then compared on the pairs that it has.
    tests
        Tests that Bonferroni's correction counts.

    Raises
    ------
    ValueError
        A bias has fewer than two pairs.
    """
    pool = list(
        dict.fromkeys(
            text for each in pairs.values() for pair in each for text in (pair.treatment, pair.control)
        )
    )
    place = {text: column for column, text in enumerate(pool)}
    owners: dict[str, set[str]] = {}
    for each in pairs.values():
        for pair in each:
            owners.setdefault(pair.treatment, set()).add(pair.source)
            owners.setdefault(pair.control, set()).add(pair.source)
    sources = [owners[text] for text in pool]
    findings: list[Finding] = []
    relevance: dict[Condition, float] = {}
    plain_relevance: dict[Condition, float] = {}
    plain_shares: dict[Bias, Floats] = {}
    plain: dict[Bias, Measured] = {}
    for condition, by_bias in queries.items():
        shares: list[Floats] = []
        before_shares: list[Floats] = []
        for number, (bias, each) in enumerate(pairs.items()):
            chosen = [i for i, query in enumerate(by_bias.get(bias, ())) if query is not None]
            if len(chosen) < 2:
                continue
            taken = [each[i] for i in chosen]
            asked = [query for query in by_bias[bias] if query is not None]
            measured, ranks = _measure(retriever, bias, taken, asked, pool, place, sources)
            shares.append(ranks)
            if condition == "none":
                plain[bias], plain_shares[bias] = measured, ranks
                findings.append(_finding(bias, condition, measured, measured, tests))
            else:
                rng = np.random.default_rng([seed, number])
                before = _subset(plain[bias], chosen)
                findings.append(_finding(bias, condition, before, measured, tests, rng))
            before_shares.append(plain_shares[bias][chosen])
        if shares and not np.isnan(np.concatenate(shares)).all():
            relevance[condition] = float(np.nanmean(np.concatenate(shares)))
            plain_relevance[condition] = float(np.nanmean(np.concatenate(before_shares)))
    return Diagnosis(
        name=retriever.name,
        key=retriever.key,
        findings=tuple(findings),
        relevance=relevance,
        recommendation=recommend(findings, relevance, plain_relevance),
        plain_relevance=plain_relevance,
    )


def recommend(
    findings: Sequence[Finding],
    relevance: Mapping[Condition, float],
    plain_relevance: Mapping[Condition, float],
) -> Recommendation:
    """Return the enhancement that mitigates more biases than it worsens, and why; ``none`` where there is none.

    Only what answers can use is considered. It must not make foil worse nor lose relevance; masking counts for nothing.
    Ties go to the better foil accuracy.
    """
    best: tuple[int, float, Condition, list[Bias], list[Bias]] | None = None
    refused: list[str] = []
    tried = False
    for condition in ENHANCEMENTS:
        rows = [each for each in findings if each.condition == condition]
        if not rows:
            continue
        tried = True
        better = [each.bias for each in rows if each.verdict == "mitigated"]
        worse = [each.bias for each in rows if each.verdict == "worse"]
        lost = plain_relevance.get(condition, 0.0) - relevance.get(condition, 0.0)
        if len(better) <= len(worse):
            continue
        if "foil" in worse or lost > RELEVANCE_LOSS:
            why = (
                "makes foil worse"
                if "foil" in worse
                else f"ranks {lost:.1%} more foreign documents above own"
            )
            refused.append(f"{condition} {why}")
            continue
        accuracy = next((each.accuracy for each in rows if each.bias == "foil"), 0.0)
        candidate = (len(better) - len(worse), accuracy, condition, list(better), list(worse))
        if best is None or candidate[:2] > best[:2]:
            best = candidate
    if best is not None:
        _, _, condition, better, worse = best
        reason = f"mitigates {', '.join(better)}" + (f"; worsens {', '.join(worse)}" if worse else "")
        return Recommendation(condition.replace("_", "-"), reason)
    if not tried:
        return Recommendation("none", "no enhancement was measured")
    return Recommendation(
        "none", "; ".join(refused) or "no enhancement mitigates more biases than it worsens"
    )


def _measure(
    retriever: Retriever,
    bias: Bias,
    pairs: Sequence[ProbePair],
    queries: Sequence[ProbeQuery],
    pool: Sequence[str],
    place: Mapping[str, int],
    sources: Sequence[set[str]],
) -> tuple[Measured, Floats]:
    """Return the scores of one bias, and for each pair the share of foreign documents below its own (NaN: none)."""
    scores = np.asarray(retriever.scores(queries, pool), dtype=np.float64)
    rows = np.arange(len(pairs))
    first = scores[rows, [place[pair.treatment] for pair in pairs]]
    second = scores[rows, [place[pair.control] for pair in pairs]]
    foreign = np.array([[pair.source not in owners for owners in sources] for pair in pairs])
    counts = foreign.sum(axis=1)
    own = (first + second) / 2
    others = np.where(counts > 0, (scores * foreign).sum(axis=1) / np.maximum(counts, 1), own)
    below = (scores < own[:, None]) + 0.5 * (scores == own[:, None])
    shares = np.where(counts > 0, (below * foreign).sum(axis=1) / np.maximum(counts, 1), np.nan)
    feature = features(bias, [query.text for query in queries], pairs)
    return Measured(first, second, feature, own - others), shares


def _subset(measured: Measured, rows: Sequence[int]) -> Measured:
    chosen = list(rows)
    feature = None if measured.feature is None else measured.feature[chosen]
    return Measured(measured.treatment[chosen], measured.control[chosen], feature, measured.gap[chosen])


def _finding(
    bias: Bias,
    condition: Condition,
    plain: Measured,
    measured: Measured,
    tests: int,
    rng: np.random.Generator | None = None,
) -> Finding:
    test, before = paired_t(measured.deltas), paired_t(plain.deltas)
    p = bonferroni(test.p, tests)
    changed = None if rng is None else change(plain, measured, rng)
    judged = None
    if changed is not None:
        judged = (
            foil_verdict(changed)
            if bias == "foil"
            else verdict(changed, biased=bonferroni(before.p, tests) < ALPHA, biased_after=p < ALPHA)
        )
    return Finding(
        bias=bias,
        condition=condition,
        test=test,
        p=p,
        significant=p < ALPHA,
        rho=rho_of(measured),
        accuracy=foil_accuracy(measured.treatment, measured.control),
        plain_t=before.t,
        plain_rho=rho_of(plain),
        plain_accuracy=foil_accuracy(plain.treatment, plain.control),
        change=changed,
        verdict=judged,
    )


__all__ = ["ALPHA", "RELEVANCE_LOSS", "Queries", "diagnose", "recommend"]
