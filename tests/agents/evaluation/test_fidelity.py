"""What an answer claims, measured from its receipt, and the asking itself on a small workspace."""

from __future__ import annotations

import pytest

from agents.evaluation.fidelity import Claimed, claimed, stated_gap
from agents.evaluation.fidelity import _row as fidelity_row
from agents.fairness.distance import w1_bins
from agents.models.extractive import NAME
from store.receipt import ModelAudit
from tests.fakes.receipts import factual_receipt, opinion_receipt

POPULATION = (0.1, 0.1, 0.1, 0.2, 0.1, 0.2, 0.2)


def test_stated_shares_are_held_against_the_population() -> None:
    assert stated_gap("62 % were positive, 20 % neutral and 30 % negative.", POPULATION) == pytest.approx(
        12.0
    )
    assert stated_gap("Half were positive. Later: 90 % positive.", POPULATION) == pytest.approx(0.0)
    assert stated_gap("People like it.", POPULATION) is None


def test_claims_are_read_from_the_answer_not_believed() -> None:
    receipt = opinion_receipt()
    assert receipt.opinion is not None
    shown = {each.document_id: "The staff were rude. The staff were great." for each in receipt.ranking}
    truth = receipt.opinion.population.shares
    first = receipt.ranking[0]
    said = receipt.model_copy(
        update={"answer": f"People say: \u201cThe staff were great.\u201d [{first.rank}]"}
    )
    found = claimed(said, shown)
    assert found.retrieved == pytest.approx(w1_bins(receipt.opinion.retrieved.shares, truth))
    assert found.answer is not None
    assert found.amplification == pytest.approx(found.answer - found.retrieved)
    assert first.score is not None
    one_voice = [float(value == first.score) for value in range(-30, 31, 10)]
    assert found.answer == pytest.approx(w1_bins(one_voice, truth)), "one voice, and its label"
    silent = claimed(receipt.model_copy(update={"answer": "Nothing is said."}), shown)
    assert silent.answer is None
    assert silent.amplification is None


def test_an_answer_of_fact_has_nothing_to_measure() -> None:
    found = claimed(factual_receipt(), {})
    assert found.answer is None
    assert found.retrieved is None


def test_the_writer_is_the_last_generator_whoever_read_after_it() -> None:
    took_part = (("generator", "first"), ("generator", "second"), ("verifier", "reader"))
    models = tuple(ModelAudit(role=role, name=name) for role, name in took_part)
    assert claimed(opinion_receipt().model_copy(update={"models": models}), {}).writer == "second"
    assert claimed(opinion_receipt().model_copy(update={"models": models[2:]}), {}).writer == NAME


def test_answers_of_a_failed_model_are_not_counted_for_it() -> None:
    import numpy as np

    def one(writer: str, answer: float) -> Claimed:
        return Claimed(writer, 1.0, 1.0, answer, 2.0, answer - 1.0, None, 0)

    answers = [one("model", 3.0), one(NAME, 9.0), one("model", 5.0)]
    row = fidelity_row("model", "ours", answers, np.array([0, 0, 1]), 0)
    assert row[0] == "model, ours"
    assert row[1] == 2
    assert row[4] == pytest.approx(4.0)
    assert row[-1] == 1
