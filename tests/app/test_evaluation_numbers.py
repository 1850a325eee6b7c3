"""The numbers of an evaluation by its options, and how the report names them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.evaluation.report import EvaluationReport, Source
from app.evaluation_numbers import MINI, WHOLE, named, numbers, told
from app.evaluation_request import EvaluationRequest

WARP = EvaluationRequest("warp", Path())


def test_what_is_given_goes_before_what_the_small_sets_have() -> None:
    assert numbers(WARP) == WHOLE["warp"]
    assert numbers(replace(WARP, mini=True)) == MINI["warp"]
    given = numbers(replace(WARP, mini=True, sizes=(5,), draws=3, mentions=7))
    assert (given.sizes, given.draws, given.mentions, given.most) == ((5,), 3, 7, 12)
    assert given.limits.mentions == 7
    assert numbers(EvaluationRequest("faro", Path(), mini=True)).sizes == (2, 3, 5)
    assert numbers(EvaluationRequest("orag", Path(), mini=True)).most == 6


def test_a_report_names_the_options_it_was_given_and_what_mini_changed() -> None:
    assert told(WARP) == ()
    assert told(replace(WARP, sizes=(5,), mentions=20, extractors=("llm",))) == (
        "run with -k 5 --mentions 20 --extractor llm",
    )
    (first, stars, second) = told(replace(WARP, mini=True, draws=6))
    assert "rounded mean" in stars
    assert first == "run with --mini --draws 6"
    assert "entities of 40 documents in place of 100" in second
    assert "draws" not in second, "that one was given"
    orag = told(EvaluationRequest("orag", Path(), mini=True))[-1]
    for part in (
        "10 draws of a random method in place of 20",
        "entities of 60 documents in place of 100",
        "6 entities at the most in place of 12",
    ):
        assert part in orag
    assert told(EvaluationRequest("router", Path(), mini=True))[0] == "run with --mini"
    assert any("an extract" in line for line in told(EvaluationRequest("rewriting", Path())))
    assert told(EvaluationRequest("rewriting", Path(), data=Path())) == ()
    assert told(EvaluationRequest("faro", Path(), tau=0.2, mentions=9)) == ("run with --tau 0.2",), (
        "what an evaluation does not read is not named"
    )


@pytest.mark.parametrize(("whole", "extract"), [(2264, ", an extract of 2,264"), (400, ""), (None, "")])
def test_a_corpus_that_is_not_the_whole_set_is_called_an_extract(whole: int | None, extract: str) -> None:
    report = EvaluationReport("warp", 0, (Source("lounges", 400, "documents"),), (), ("one",), {})
    found = named(report, replace(WARP, mini=True), lambda: whole)
    assert found.sources[0].extract == extract
    assert found.deviations[0] == "one"
    assert len(found.deviations) == 4


def test_other_evaluations_keep_their_sources() -> None:
    report = EvaluationReport("faro", 0, (Source("political", 10, "documents"),), (), (), {})

    def no() -> int:
        raise AssertionError("not asked for")

    assert named(report, EvaluationRequest("faro", Path()), no).sources == report.sources
