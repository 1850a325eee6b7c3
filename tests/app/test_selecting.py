"""The selection methods beyond the two modes, on the command line and a small real corpus."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from agents.fairness.distance import BINS, wasserstein_p
from agents.fairness.selection import METHODS
from app.demo import MAPS
from app.views.words import gap_line
from store.receipt import AuditReceipt
from tests.app.conftest import Run

FOOD = "What do travellers think of the food?"


def receipt_of(run: Run, library: Path, *options: str, question: str = FOOD) -> AuditReceipt:
    ran = run("ask", question, "--json", *options, workspace=library)
    assert ran.code == 0, ran.err
    document = dict(json.loads(ran.out)["receipt"])
    document.pop("schema", None)
    return AuditReceipt.model_validate(document)


def calibrated(run: Run, library: Path, k: int) -> None:
    ran = run("calibrate", "-k", str(k), "--budget", "64", "--json", workspace=library)
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_answers_with_a_whole_receipt(run: Run, library: Path, method: str) -> None:
    receipt = receipt_of(run, library, "--method", method, "-k", "6")
    selection = receipt.selection
    assert selection is not None
    assert receipt.opinion is not None
    assert (selection.method, selection.k, len(receipt.ranking)) == (method, 6, 6)
    assert receipt.opinion.w1["retrieved"].value >= (receipt.opinion.floor or 0) - 1e-9
    constrained = any(group.constrained for group in receipt.groups)
    assert constrained == (method in {"exact", "exact-w2", "balanced"}), "only these balance author groups"
    assert (selection.lam is not None) == method.startswith("exact")


def test_exact_w2_is_nearest_by_its_own_distance(run: Run, library: Path) -> None:
    squared = receipt_of(run, library, "--method", "exact-w2", "-k", "8", "--balance", "none")
    plain = receipt_of(run, library, "--method", "exact", "-k", "8", "--balance", "none")
    assert squared.selection is not None
    assert squared.opinion is not None

    def w2(receipt: AuditReceipt) -> float:
        assert receipt.opinion is not None
        scores = [each.score for each in receipt.ranking]
        return float(np.sqrt(wasserstein_p(scores, BINS, None, receipt.opinion.target_shares, 2.0)))

    assert squared.selection.distance_name == "W2"
    assert squared.selection.distance == pytest.approx(w2(squared))
    lam = squared.selection.lam or 0.0
    relevance = [sum(each.relevance for each in receipt.ranking) for receipt in (squared, plain)]
    assert relevance[0] - lam * w2(squared) >= relevance[1] - lam * w2(plain) - 1e-9
    shown = run("audit", squared.answer_id, workspace=library)
    assert "lambda weighs W2, which is" in shown.out


def test_exact_weighted_counts_opinions_as_the_ranks_do(run: Run, library: Path) -> None:
    calibrated(run, library, 4)
    receipts = {
        name: receipt_of(run, library, "--method", name, "-k", "4") for name in ("exact-weighted", "exact")
    }
    weighted = receipts["exact-weighted"]
    assert weighted.selection is not None
    assert weighted.opinion is not None
    assert weighted.position is not None
    counted = np.maximum([each.position_weight for each in weighted.ranking], 0)
    scores = [each.score for each in weighted.ranking]
    own = wasserstein_p(scores, BINS, counted, weighted.opinion.target_shares)
    assert weighted.selection.distance == pytest.approx(own)
    assert weighted.position.weighted_w1 == pytest.approx(own)
    assert weighted.position.note == "the order came with the choice"
    lam = weighted.selection.lam or 0.0
    other = receipts["exact"]
    assert other.position is not None
    gain = [
        sum(each.relevance for each in receipt.ranking) - lam * (receipt.position.weighted_w1 or 0)
        for receipt in (weighted, other)
        if receipt.position
    ]
    assert gain[0] >= gain[1] - 1e-9, "no other choice and order is better by its objective"


def test_faro_for_one_question_meets_its_target(run: Run, library: Path) -> None:
    calibrated(run, library, 5)
    receipt = receipt_of(run, library, "--method", "faro", "-k", "5")
    position = receipt.position
    assert position is not None
    assert position.calibrated
    assert position.predicted is not None
    assert position.target is not None
    weights = [each.position_weight or 0.0 for each in receipt.ranking]
    polarity = [each.polarity for each in receipt.ranking]
    natural = receipt_of(run, library, "--method", "relevance", "-k", "5").position
    assert natural is not None
    assert natural.natural is not None
    met = abs(position.predicted - position.target) <= 0.1 + 1e-9
    assert met or any("no ranking brings" in each for each in receipt.unmet)
    assert abs(position.predicted - position.target) <= abs(natural.natural - position.target) + 1e-9
    intercept = position.predicted - float(np.dot(weights, polarity))
    other = position.natural
    by_relevance = sorted(receipt.ranking, key=lambda each: -each.relevance)
    assert other == pytest.approx(
        intercept + float(np.dot(weights, [each.polarity for each in by_relevance]))
    )


@pytest.mark.parametrize("method", ["faro", "faro-grid", "lp"])
def test_a_value_of_the_output_bias_is_aimed_at(run: Run, library: Path, method: str) -> None:
    for goal in (0.6, -0.2):
        options = ("--method", method, "-k", "5", "--target", str(goal), "--tau", "0.01")
        receipt = receipt_of(run, library, *options)
        shown = float(np.mean([each.polarity for each in receipt.ranking]))
        assert abs(shown - goal) <= 0.01 + 1e-9 or any("no ranking" in each for each in receipt.unmet)
        if method == "faro":
            assert abs(shown - goal) <= 0.01 + 1e-9
    assert receipt.opinion is not None
    assert receipt.opinion.target_shares == pytest.approx(receipt.opinion.population.shares)


def test_the_probabilistic_reranker_shows_its_seed(run: Run, library: Path) -> None:
    receipt = receipt_of(run, library, "--method", "probabilistic", "-k", "10", "--seed", "3")
    again = receipt_of(run, library, "--method", "probabilistic", "-k", "10", "--seed", "3")
    assert [each.document_id for each in receipt.ranking] == [each.document_id for each in again.ranking]
    assert receipt.selection is not None
    assert receipt.selection.seed == 3
    assert receipt.margins == (), "it is no probability sample"


def test_a_sample_has_margins_and_an_exact_choice_none(run: Run, library: Path) -> None:
    assert receipt_of(run, library, "--method", "exact", "-k", "10").margins == ()
    for method in ("balanced", "random", "stratified"):
        receipt = receipt_of(run, library, "--method", method, "-k", "10")
        assert receipt.selection is not None
        assert receipt.opinion is not None
        assert 10 <= (receipt.selection.frame or 0) <= receipt.selection.pool
        sides = {each.value: each for each in receipt.margins if each.attribute == "opinion"}
        assert set(sides) == {"positive", "neutral or mixed", "negative"}
        counts = receipt.opinion.population.counts
        assert sides["positive"].counted == pytest.approx(sum(counts[4:]) / sum(counts))
        shown = sum((each.score or 0) > 0 for each in receipt.ranking) / 10
        assert sides["positive"].estimate == pytest.approx(shown)
        for each in receipt.margins:
            assert each.low is not None
            assert each.high is not None
            assert 0 <= each.low <= each.estimate <= each.high <= 1
            assert each.high - each.low > 0.01, "a sample of whole documents has a width"
        width = {name: (each.high or 0) - (each.low or 0) for name, each in sides.items()}
        if method == "random":
            assert max(width.values()) > 0.3, "nothing was balanced"
        else:
            assert max(width.values()) < 0.3, "the sides were"
        assert {each.attribute for each in receipt.margins} == {"opinion", "country"}
        for form, words in (
            ("text", "Margins of error"),
            ("markdown", "## Margins"),
            ("html", "Margins of error"),
        ):
            assert words in run("audit", receipt.answer_id, "--format", form, workspace=library).out


def test_a_sample_for_another_target_stands_for_that_and_has_no_margins(run: Run, library: Path) -> None:
    for target in ("parity", "1,1,1,1,1,1,1"):
        assert receipt_of(run, library, "--method", "balanced", "-k", "10", "--target", target).margins == ()
    side = run(
        "ask",
        "What are the biggest complaints about the food?",
        "--method",
        "balanced",
        "-k",
        "5",
        workspace=library,
    )
    assert side.code == 0
    assert "Margins of error" in run("audit", "last", workspace=library).out


def test_the_mean_rating_has_a_margin_where_ratings_are_known(run: Run, rated: Path) -> None:
    receipt = receipt_of(run, rated, "--method", "balanced", "-k", "12")
    mean = next(each for each in receipt.margins if each.attribute == "rating")
    ratings = [each.rating for each in receipt.ranking if each.rating is not None]
    assert (mean.value, mean.known) == ("", len(ratings))
    assert mean.estimate == pytest.approx(np.mean(ratings))
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < mean.estimate < mean.high
    assert "mean rating" in run("audit", receipt.answer_id, workspace=rated).out


@pytest.fixture
def rated(run: Run, reviews: Path, tmp_path: Path) -> Path:
    """A workspace whose documents carry a rating."""
    folder = tmp_path / "rated"
    options = [part for pair in MAPS for part in ("--map", pair)]
    options += ["--map", "rating=staff_service_rating"]
    for command in (["ingest", str(reviews), *options], ["enrich"]):
        ran = run("--corpus", "lounges", *command, workspace=folder)
        assert ran.code == 0, ran.err
    return folder


@pytest.fixture
def twofold(run: Run, reviews: Path, tmp_path: Path) -> Path:
    """A workspace whose authors have two attributes."""
    folder = tmp_path / "twofold"
    options = [part for pair in MAPS for part in ("--map", pair)]
    options += ["--attribute", "country=author_country", "--attribute", "recommends=recommended"]
    for command in (["ingest", str(reviews), *options], ["enrich"]):
        ran = run("--corpus", "lounges", *command, workspace=folder)
        assert ran.code == 0, ran.err
    return folder


def test_several_author_attributes_are_balanced_together(run: Run, twofold: Path) -> None:
    both = receipt_of(run, twofold, "--method", "exact", "-k", "8", "--balance", "country, recommends")
    assert {group.attribute for group in both.groups if group.constrained} == {"country", "recommends"}
    widest = max(group.largest_gap for group in both.groups if group.constrained)
    assert next(point.largest_gap for point in both.frontier if point.chosen) == pytest.approx(widest)
    one = receipt_of(run, twofold, "--method", "exact", "-k", "8", "--balance", "country")
    total = [sum(group.largest_gap for group in each.groups) for each in (both, one)]
    assert total[0] <= total[1] + 1e-9, "the second attribute is nearer than where it was left alone"
    drawn = receipt_of(run, twofold, "--method", "balanced", "-k", "8", "--balance", "country,recommends")
    assert sum(group.constrained for group in drawn.groups) == 2
    ran = run("ask", FOOD, "--method", "exact-w2", "--balance", "country,recommends", workspace=twofold)
    assert ran.code == 2
    assert "exact-w2 balances one author attribute, not country, recommends" in ran.err


def test_a_target_of_huge_shares_is_a_target(run: Run, library: Path) -> None:
    receipt = receipt_of(run, library, "-k", "4", "--target", "1e308,1e308,0,0,0,1e308,1e308")
    assert receipt.opinion is not None
    assert receipt.opinion.target_shares == pytest.approx((0.25, 0.25, 0, 0, 0, 0.25, 0.25))


@pytest.fixture
def one_sided(run: Run, tmp_path: Path) -> Path:
    """A workspace of twelve documents that all blame one thing."""
    path = tmp_path / "cafe.csv"
    rows = [f"{n},The cafe was terrible and the coffee awful on visit {n}." for n in range(12)]
    path.write_text("id,text\n" + "\n".join(rows), encoding="utf-8")
    folder = tmp_path / "negative"
    for command in (["ingest", str(path)], ["enrich"]):
        assert run(*command, workspace=folder).code == 0
    return folder


def test_nothing_on_the_side_asked_for_is_said_and_all_is_shown(run: Run, one_sided: Path) -> None:
    ran = run("ask", "What do people like about the cafe?", "-k", "4", workspace=one_sided)
    assert ran.code == 0, ran.err
    assert "0 % positive" in ran.out
    assert "12 documents hold a view on cafe, none is positive: all are shown" in ran.err


def test_the_headline_the_gate_and_the_frontier_tell_one_gap(run: Run, library: Path) -> None:
    for method in ("exact", "relevance"):
        receipt = receipt_of(run, library, "--method", method, "-k", "8")
        widest = max(group.largest_gap for group in receipt.groups)
        assert gap_line(receipt).startswith(f"largest author gap {round(100 * widest)} pts")
        over = run("audit", receipt.answer_id, "--fail-over", f"gap={widest + 1e-6}", workspace=library)
        assert over.code == 0
        assert (
            run("audit", receipt.answer_id, "--fail-over", f"gap={widest - 0.01}", workspace=library).code
            == 5
        )
        chosen = next(point for point in receipt.frontier if point.chosen)
        assert chosen.largest_gap == pytest.approx(widest)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--method", "relevance", "--balance", "country"], "relevance balances no author groups: country"),
        (["--batch", "x.txt", "--balance", "country"], "--batch takes no --balance"),
        (["--target", "1e308,1e308,1e308,1e308,1e308,1,nan"], "a target needs seven shares"),
        (["--method", "exact-weighted", "-k", "13"], "exact-weighted chooses at most 12 documents, not 13"),
        (["--method", "exact", "--balance", "country,shoe"], "no author attribute `shoe`"),
        (["--method", "exact", "--balance", " , "], "names no author attribute"),
        (["--method", "best"], "there is no selection method `best`"),
        (["--method", "faro", "--target", "1.2"], "an output bias lies from -1 to 1"),
        (["--method", "exact", "--target", "0.2", "-k", "3"], "exact aims at no output bias"),
        (["--method", "faro", "--tau", "nan"], "Invalid value for '--tau'"),
    ],
)
def test_what_cannot_be_chosen_is_said(run: Run, library: Path, options: list[str], fault: str) -> None:
    question = [] if "--batch" in options else [FOOD]
    ran = run("ask", *question, *options, workspace=library)
    assert ran.code == 2
    assert fault in ran.err
    assert ran.err.count("\n") <= 2


def test_an_attribute_that_was_asked_for_and_is_left_far_off_is_told(run: Run, twofold: Path) -> None:
    held = receipt_of(run, twofold, "--method", "exact", "-k", "8", "--balance", "country")
    assert not any("a largest gap of" in each for each in held.unmet)
    left = receipt_of(run, twofold, "--method", "balanced", "-k", "3", "--seed", "5", "--balance", "country")
    gap = next(group.largest_gap for group in left.groups if group.attribute == "country")
    told = [each for each in left.unmet if each.startswith("country: a largest gap of")]
    assert bool(told) == (gap > left_floor(left) + 0.1)


def left_floor(receipt: AuditReceipt) -> float:
    """The least gap of countries that three documents can have: no third of a document can be shown."""
    shares = next(group for group in receipt.groups if group.attribute == "country").categories
    target = [each.population_share for each in shares]
    best = 1.0
    for counts in itertools.product(range(4), repeat=len(target)):
        if sum(counts) == 3:
            best = min(best, max(abs(c / 3 - t) for c, t in zip(counts, target, strict=True)))
    return best


def test_parity_without_another_side_is_said(run: Run, one_sided: Path) -> None:
    receipt = receipt_of(run, one_sided, "-k", "4", "--target", "parity", question="How is the cafe?")
    assert "parity: no positive document exists, so the target is what there is" in receipt.unmet
