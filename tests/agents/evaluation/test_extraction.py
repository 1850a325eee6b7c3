"""The evaluation of the extractor: measures by hand, loaders on small files, folds that leave a product out."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from agents.evaluation.aspects import measure, pair_orders, reliability
from agents.evaluation.extraction import orientation
from agents.evaluation.extraction_data import (
    RatedReview,
    product_sentences,
    rated_reviews,
    skytrax_registry,
    target_examples,
)
from agents.evaluation.measures import by_class, by_sign, calibration_error, cut, retrieved
from agents.evaluation.train_heads import product_targets, sided_clauses
from store.records import OpinionUnit

MAMS = """<?xml version="1.0"?><sentences><sentence><text>Good food but rude waiter.</text><aspectTerms>
<aspectTerm from="5" polarity="positive" term="food" to="9"/>
<aspectTerm from="19" polarity="negative" term="waiter" to="25"/></aspectTerms></sentence></sentences>"""

LOUNGES = (
    "content,comfort_rating,cleanliness_rating,bar_beverages_rating,catering_rating,washrooms_rating,"
    "wifi_connectivity_rating,staff_service_rating\n"
    '"Kind staff, no wifi",4,,3.0,1.0,0,1.0,5.0\n'
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "huliu_product_reviews"
    folder.mkdir()
    for product in ("A", "B"):
        (folder / f"1_{product}.txt").write_text(
            "* header *\n[t]a title\n"
            "zoom[+3], screen[-1][u]##the zoom is great .\n"
            "battery[-2]##the battery is awful , i do n't like it .\n"
            "##i bought it in june , zoom and all .\n"
            "lens[+1],menu[-1]##good lens , bad menu .\n"
        )
    (tmp_path / "mams_atsa").mkdir()
    (tmp_path / "mams_atsa" / "train.xml.gz").write_bytes(gzip.compress(MAMS.encode()))
    (tmp_path / "mams_atsa" / "val.xml").write_text(MAMS)
    (tmp_path / "skytrax").mkdir()
    (tmp_path / "skytrax" / "lounge.csv.gz").write_bytes(gzip.compress(LOUNGES.encode()))
    return tmp_path


def test_product_sentences(data: Path) -> None:
    sentences = [sentence for sentence in product_sentences(data) if sentence.product == "A"]
    assert [sentence.orientation for sentence in sentences] == [1, -1, 0, 0]
    assert [sentence.opinionated for sentence in sentences] == [True, True, False, True]
    assert sentences[0].features == (("zoom", 3, ""), ("screen", -1, "u"))
    assert "don't" in sentences[1].text


def test_product_targets_stand_in_their_sentence(data: Path) -> None:
    targets = product_targets([sentence for sentence in product_sentences(data) if sentence.product == "A"])
    found = [(target.text[target.start : target.end], target.polarity) for target in targets]
    assert found == [("zoom", 1), ("battery", -1), ("zoom", 0), ("lens", 1), ("menu", -1)]


def test_target_examples(data: Path) -> None:
    for part in ("train", "val"):
        food, waiter = target_examples(data, part)
        assert food.text[food.start : food.end] == "food"
        assert (food.polarity, waiter.polarity) == (1, -1)
        assert food.others == ((waiter.start, waiter.end),)
    assert sided_clauses(target_examples(data, "train")) == [("Good food", 1), ("but rude waiter.", -1)]


def test_rated_reviews_drop_missing_and_zero_ratings(data: Path) -> None:
    (review,) = rated_reviews(data)
    assert review.ratings == {"comfort": 4.0, "bar": 3.0, "catering": 1.0, "wifi": 1.0, "staff": 5.0}


def test_missing_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="Hu and Liu"):
        product_sentences(tmp_path)


def test_the_seven_aspects_share_no_word() -> None:
    words = [word for entity in skytrax_registry() for word in entity.aliases]
    assert len(skytrax_registry()) == 7
    assert len(words) == len(set(words))


def test_orientation_reports_every_baseline(data: Path) -> None:
    found = orientation(data)
    assert set(found) == {"majority", "vader", "lexicon", "head, product left out"}
    assert all(row["sentences"] == 4 for row in found.values())
    assert found["lexicon"]["accuracy"] == 1.0


def test_measures_by_hand() -> None:
    truth = np.array([1, 1, -1, -1])
    assert by_sign(truth, np.array([1, 0, -1, -1]))["accuracy"] == 0.75
    assert by_class(np.array([1, 0, -1, 0]), np.array([1, 0, 0, 1]))["neutral"] == 0.5
    assert cut([0.04, -0.06, 0.5, 0.0]).tolist() == [0, -1, 1, 0]
    row = retrieved(np.array([True, True, False, False]), np.array([True, False, True, False]))
    assert (row["precision"], row["recall"], row["f1"]) == (0.5, 0.5, 0.5)
    assert calibration_error(np.array([0.95, 0.95]), np.array([True, False])) == pytest.approx(0.45)
    assert calibration_error(np.array([]), np.array([], dtype=bool)) == 0.0


def test_pair_order_counts_ties_half_and_needs_a_gap_of_two() -> None:
    reviews = [RatedReview("", {"staff": 5.0, "bar": 3.0, "wifi": 4.0})]
    assert pair_orders(reviews, [{"staff": 10.0, "bar": -10.0, "wifi": 99.0}]).tolist() == [1.0]
    assert pair_orders(reviews, [{"staff": -10.0, "bar": 10.0}]).tolist() == [0.0]
    assert pair_orders(reviews, [{"staff": 0.0, "bar": 0.0}]).tolist() == [0.5]
    assert measure(reviews, [{"staff": 10.0, "bar": -10.0}])["pairs"] == 1


def test_neutral_is_wrong_where_a_sign_is_asked() -> None:
    reviews = [RatedReview("", {"staff": 5.0}), RatedReview("", {"staff": 1.0})]
    row = measure(reviews, [{"staff": 0.0}, {"staff": -10.0}])["aspects"]["staff"]
    assert (row["high"], row["low"], row["rated"]) == (0.0, 1.0, 2)


def test_reliability_leaves_neutral_units_out() -> None:
    def unit(score: int, confidence: float) -> OpinionUnit:
        side = "positive" if score > 0 else "neutral"
        return OpinionUnit("staff", side, "none", score, 10, (), "unknown", "q", 0, 1, confidence)

    row = reliability([RatedReview("", {"staff": 5.0})], [[unit(10, 0.95), unit(0, 0.5)]])
    assert row["unit accuracy"] == 1.0
    assert row["calibration error"] == pytest.approx(0.05)
    assert row["units without a side"] == 0.5
