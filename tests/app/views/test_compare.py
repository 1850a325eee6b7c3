"""Two receipts side by side: what differs, in words and figures."""

from __future__ import annotations

import json

import pytest

from app.views.compare import compare, compare_json, compare_markdown, compare_text, comparison_words
from app.views.layout import width_of
from store.receipt import Estimate
from tests.app.views.test_safe import HIDDEN
from tests.fakes.receipts import counting_receipt, factual_receipt, hostile_receipt, opinion_receipt


def relevance_receipt():
    first = opinion_receipt()
    ranking = (
        first.ranking[1].model_copy(update={"rank": 1}),
        first.ranking[0].model_copy(update={"rank": 2}),
        first.ranking[2],
        first.ranking[3].model_copy(update={"document_id": 999, "rank": 4}),
    )
    w1 = {**first.opinion.w1, "retrieved": Estimate(value=11.06)}
    return first.model_copy(
        update={
            "answer_id": "b",
            "ranking": ranking,
            "selection": first.selection.model_copy(update={"method": "relevance", "relevance_kept": 1.0}),
            "frontier": tuple(p.model_copy(update={"chosen": p.lam == 0.0}) for p in first.frontier),
            "opinion": first.opinion.model_copy(update={"w1": w1, "retrieved": first.opinion.plain}),
        }
    )


def test_documents() -> None:
    compared = compare(opinion_receipt(), relevance_receipt())
    assert compared.common == (100, 107, 114)
    assert compared.moved == ((100, 1, 2), (107, 2, 1))
    assert compared.only_b == (999,)
    assert len(compared.only_a) == 9
    assert compared.settings == (("method", "exact", "relevance"),)


def test_words() -> None:
    assert comparison_words(compare(opinion_receipt(), relevance_receipt())) == [
        "retrieved documents: the first is closer to the target, W1 0.8 and 11.1",
        "cited documents: both are as close to the target, W1 2.4 and 2.4",
        "3 documents in common, of 12 and 4; 2 at another rank",
    ]
    words = comparison_words(compare(opinion_receipt(), factual_receipt()))
    assert words[0].startswith("! the two answers are not to one question")


def test_text() -> None:
    shown = compare_text(opinion_receipt(), relevance_receipt(), 80)
    assert "W1 retrieved         0.84   11.06  +10.22  first\n" in shown
    assert "relevance kept      0.962   1.000  +0.038  second\n" in shown
    assert "method   exact  relevance\n" in shown
    assert "                  2 " in shown


def test_equal_receipts_differ_in_nothing() -> None:
    data = json.loads(compare_json(opinion_receipt(), opinion_receipt()))
    assert data["schema"] == "comparison/1"
    assert data["settings"] == {}
    assert data["documents"]["moved"] == []
    assert all(figure["change"] == 0 for figure in data["figures"].values())


@pytest.mark.parametrize("width", [40, 60, 120])
@pytest.mark.parametrize("ascii", [False, True])
def test_hostile_text(width: int, ascii: bool) -> None:
    shown = compare_text(hostile_receipt(), opinion_receipt(), width, ascii)
    assert max(map(width_of, shown.split("\n"))) <= width
    assert not HIDDEN.search(shown)
    assert not ascii or shown.isascii()
    assert not HIDDEN.search(compare_json(hostile_receipt(), opinion_receipt()))
    assert "\\<script\\>" in compare_markdown(hostile_receipt(), opinion_receipt())
    assert "<script>" not in compare_markdown(hostile_receipt(), opinion_receipt())


def test_receipts_without_opinions() -> None:
    assert "P " not in compare_text(counting_receipt(), factual_receipt())
