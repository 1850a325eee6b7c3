"""Retrievers and enhancements whose effect is planted, and what the probe says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from agents.probes import Bias, Diagnosis, ProbeQuery, build_pairs
from agents.probes.diagnosis import diagnose, recommend
from agents.probes.report import Finding
from agents.probes.statistics import Change, Floats, Interval, PairedT
from tests.agents.probes.planted import (
    Pairs,
    Planted,
    Score,
    by_entity,
    by_frequency,
    by_length,
    by_offset,
    by_overlap,
    made_facts,
    noise,
)

MARK = " enhanced"


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    return build_pairs(made_facts(60), 50)


def diagnosed(pairs: Pairs, score: Score, *, enhanced: bool = False) -> Diagnosis:
    def queries(mark: str) -> dict[Bias, list[ProbeQuery | None]]:
        return {
            bias: [ProbeQuery((pair.question + mark,), pair.question) for pair in each]
            for bias, each in pairs.items()
        }

    conditions = {"none": queries(""), **({"rewrite": queries(MARK)} if enhanced else {})}
    return diagnose(Planted("planted", score), pairs, conditions, tests=5)  # type: ignore[arg-type]


def significant(found: Diagnosis) -> set[str]:
    return {row.bias for row in found.findings if row.significant and row.test.t > 0}


def test_length_is_brevity_and_nothing_else_but_foil(pairs: Pairs) -> None:
    found = diagnosed(pairs, by_length)
    assert significant(found) == {"brevity", "foil"}
    brevity, foil = found.finding("brevity", "none"), found.finding("foil", "none")
    assert brevity is not None
    assert brevity.rho == pytest.approx(-1)
    assert foil is not None
    assert foil.accuracy == 0, "the foil is the shorter one"


def test_first_offset_is_position(pairs: Pairs) -> None:
    found = diagnosed(pairs, by_offset(pairs))
    assert significant(found) == {"position"}
    position = found.finding("position", "none")
    assert position is not None
    assert position.rho is not None
    assert position.rho < -0.8
    brevity = found.finding("brevity", "none")
    assert brevity is not None
    assert brevity.test.t == 0, "the evidence stands first in both"


def test_term_overlap_is_literal(pairs: Pairs) -> None:
    found = diagnosed(pairs, by_overlap)
    # The union counts distinct terms: such a retriever does prefer what is short or repeats itself.
    assert significant(found) == {"literal", "brevity", "repetition", "foil"}
    literal = found.finding("literal", "none")
    assert literal is not None
    assert literal.rho == pytest.approx(1)
    position = found.finding("position", "none")
    assert position is not None
    assert position.test.t == 0


def test_term_frequency_is_repetition(pairs: Pairs) -> None:
    found = diagnosed(pairs, by_frequency)
    assert {"repetition", "foil"} <= significant(found)
    assert not {"brevity", "position"} & significant(found)
    repetition = found.finding("repetition", "none")
    assert repetition is not None
    assert repetition.rho == pytest.approx(1)


def test_random_is_nothing(pairs: Pairs) -> None:
    found = diagnosed(pairs, noise)
    assert not any(row.significant for row in found.findings)
    foil = found.finding("foil", "none")
    assert foil is not None
    assert 0.3 < foil.accuracy < 0.7
    assert found.relevance["none"] == pytest.approx(0.5, abs=0.05)


Bent = Callable[[bool, ProbeQuery, Sequence[str]], Floats]


def bent(pairs: Pairs, score: Bent) -> Diagnosis:
    """A relevant retriever with every surface bias; what the enhancement does to it is ``score``'s."""
    return diagnosed(
        pairs, lambda query, documents: score(MARK in query.text, query, documents), enhanced=True
    )


def biased(pairs: Pairs) -> Score:
    offset = by_offset(pairs)

    def score(query: ProbeQuery, documents: Sequence[str]) -> Floats:
        plain = ProbeQuery((query.lexical,), query.lexical)
        return (
            0.1 * by_length(plain, documents)
            + 0.005 * offset(plain, documents)
            + 80 * by_overlap(plain, documents)
            + 3 * by_frequency(plain, documents)
            + 0.5 * noise(plain, documents)
        )

    return score


def verdicts(found: Diagnosis) -> dict[str, str | None]:
    return {row.bias: row.verdict for row in found.findings if row.condition == "rewrite"}


def test_an_enhancement_that_only_adds_noise_masks(pairs: Pairs) -> None:
    surface = biased(pairs)
    found = bent(
        pairs, lambda on, q, d: 50 * by_entity(q, d) + surface(q, d) + (6 * noise(q, d) if on else 0)
    )
    for each in ("brevity", "literal", "position", "repetition"):
        row = found.finding(each, "rewrite")  # type: ignore[arg-type]
        assert row is not None
        assert abs(row.test.t) < abs(row.plain_t), "noise lowers |t|"
    judged = verdicts(found)
    assert judged.pop("foil") in ("masked", "unchanged")
    assert set(judged.values()) == {"masked"}
    assert found.recommendation.method == "none"


def test_an_enhancement_that_says_nothing_masks(pairs: Pairs) -> None:
    surface = biased(pairs)
    found = bent(
        pairs,
        lambda on, q, d: 0.01 * noise(q, d) if on else 50 * by_entity(q, d) + surface(q, d),
    )
    assert set(verdicts(found).values()) == {"masked"}
    assert found.relevance["rewrite"] == pytest.approx(0.5, abs=0.05)


def test_an_enhancement_that_lowers_the_preferences_mitigates(pairs: Pairs) -> None:
    surface = biased(pairs)

    def score(on: bool, query: ProbeQuery, documents: Sequence[str]) -> Floats:
        # Something unrelated to the features must remain, else rho stays whole however small the preference is.
        rest = noise(ProbeQuery((query.lexical, "rest"), ""), documents)
        return 50 * by_entity(query, documents) + (0.1 if on else 1) * surface(query, documents) + rest

    found = bent(pairs, score)
    assert {verdicts(found)[each] for each in ("brevity", "literal", "position", "repetition")} == {
        "mitigated"
    }
    assert found.recommendation.method == "rewrite"
    assert "mitigates" in found.recommendation.reason


def test_an_enhancement_that_raises_them_is_worse_and_scale_is_not(pairs: Pairs) -> None:
    surface = biased(pairs)

    def score(on: bool, query: ProbeQuery, documents: Sequence[str]) -> Floats:
        return (
            50 * by_entity(query, documents)
            + (4 if on else 1) * surface(query, documents)
            + 3 * noise(query, documents)
        )

    assert {verdicts(bent(pairs, score))[each] for each in ("brevity", "literal", "position")} == {"worse"}
    same = bent(pairs, lambda on, q, d: (7 if on else 1) * (50 * by_entity(q, d) + surface(q, d)))
    assert set(verdicts(same).values()) == {"unchanged"}


def test_an_enhancement_is_compared_on_its_own_pairs(pairs: Pairs) -> None:
    few: dict[Bias, list[ProbeQuery | None]] = {
        bias: [ProbeQuery((pair.question,), pair.question) if i % 2 else None for i, pair in enumerate(each)]
        for bias, each in pairs.items()
    }
    plain: dict[Bias, list[ProbeQuery | None]] = {
        bias: [ProbeQuery((pair.question,), pair.question) for pair in each] for bias, each in pairs.items()
    }
    found = diagnose(Planted("p", by_overlap), pairs, {"none": plain, "hyde": few}, tests=5)
    row, whole = found.finding("literal", "hyde"), found.finding("literal", "none")
    assert row is not None
    assert whole is not None
    assert row.test.n == 25
    assert row.test.t == row.plain_t != whole.test.t
    assert found.plain_relevance["hyde"] == found.relevance["hyde"], "relevance too"


FLAT = Interval(0.0, -1.0, 1.0)


def finding(condition: str, bias: str, verdict: str, accuracy: float = 0.1) -> Finding:
    test = PairedT(10, 1.0, 1.0, 3.0, 0.01)
    change = Change(FLAT, FLAT, FLAT, FLAT, "score")
    return Finding(bias, condition, test, 0.02, True, 0.1, accuracy, 5.0, 0.2, 0.1, change, verdict)  # type: ignore[arg-type]


def test_the_recommendation_weighs_mitigated_against_worse_and_never_counts_masking() -> None:
    relevance = {"none": 0.99, "rewrite": 0.99, "hyde": 0.99, "query2doc": 0.99, "multi_query": 0.9}
    rows = [
        finding("rewrite", "brevity", "masked"),
        finding("rewrite", "literal", "masked"),
        finding("hyde", "brevity", "mitigated"),
        finding("hyde", "literal", "worse"),
        finding("query2doc", "brevity", "mitigated"),
        finding("query2doc", "literal", "unchanged"),
        finding("multi_query", "brevity", "mitigated"),
        finding("multi_query", "literal", "mitigated"),
        finding("hyde_cpt", "brevity", "mitigated"),
        finding("hyde_cpt", "literal", "mitigated"),
    ]
    plain = dict.fromkeys(relevance, 0.99)
    found = recommend(rows, relevance, plain)  # type: ignore[arg-type]
    assert found.method == "query2doc", "multi-query loses relevance, pretraining cannot answer"
    worse = [*rows, finding("query2doc", "foil", "worse"), finding("query2doc", "position", "mitigated")]
    refused = recommend(worse, relevance, plain)  # type: ignore[arg-type]
    assert refused.method == "none"
    assert "query2doc makes foil worse" in refused.reason
    assert recommend([], {}, {}).reason == "no enhancement was measured"
