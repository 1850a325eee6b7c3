"""The trade-off in pictures and words; the panels at every width; hostile text stays text."""

from __future__ import annotations

import pytest

from app.frontiers import changes
from app.views import audit_panels as panels
from app.views.layout import width_of
from app.views.tradeoff import bias_words, change_table, change_words, group_bars, point_words, tradeoff_plot
from store.receipt import FrontierPoint, PositionAudit, RankedDocument
from tests.app.tui.hosts import canned_frontier
from tests.app.views.test_tables import HIDDEN
from tests.fakes.receipts import (
    counting_receipt,
    degraded_receipt,
    factual_receipt,
    hostile_receipt,
    opinion_receipt,
)


def point(w1: float, kept: float, *, chosen: bool = False) -> FrontierPoint:
    return FrontierPoint(lam=0.1, relevance_kept=kept, w1=w1, largest_gap=0.12, chosen=chosen)


def ranked(*ids: int) -> tuple[RankedDocument, ...]:
    return tuple(
        RankedDocument(rank=rank, document_id=i, external_id=f"d{i}", relevance=1 / rank, score=10)
        for rank, i in enumerate(ids, 1)
    )


def test_the_plot_marks_made_and_looked_at() -> None:
    points = [point(1.0, 0.9), point(2.0, 0.95, chosen=True), point(5.0, 1.0)]
    lines = tradeoff_plot(points, 2, 60, 10)
    assert lines[1].startswith(" 100% │")
    assert lines[1].endswith("○")
    assert lines[-3].startswith("  90% │●")
    assert sum(line.count("◆") for line in lines[1:]) == 1
    both = "\n".join(tradeoff_plot(points, 1, 60, 10)[1:])
    assert "◈" in both
    assert "◆" not in both
    plain = tradeoff_plot(points, 1, 60, 10, ascii=True)
    assert all(line.isascii() for line in plain)
    assert any("&" in line for line in plain)
    assert tradeoff_plot([], 0) == []
    assert len(tradeoff_plot([point(1.0, 1.0)], 0, 60, 9)) == 9


def test_changes_by_hand() -> None:
    changed = changes(ranked(1, 2, 3, 4), ranked(2, 1, 5, 4))
    assert [each.document_id for each in changed.entered] == [5]
    assert [each.document_id for each in changed.left] == [3]
    assert [(was, each.document_id, each.rank) for was, each in changed.moved] == [(2, 2, 1), (1, 1, 2)]
    assert not changes(ranked(1, 2), ranked(1, 2))
    words = change_words(changed, point(3.0, 0.98), point(1.5, 0.93))
    assert words == "1 document would enter, 1 leave, 2 move: 1.50 nearer (W1) and 5.0% less relevance."
    assert change_words(changes(ranked(1), ranked(1)), point(1, 1), point(1, 1)) == "Nothing would change."
    lines = change_table(ranked(2, 1, 5, 4), changed, 60)
    assert [line.split()[:2] for line in lines[2:]] == [
        ["1", "2"],
        ["2", "1"],
        ["3", "NEW"],
        ["4", "="],
        ["OUT", "3"],
    ]


def test_a_point_and_its_order_in_words() -> None:
    assert point_words(point(1.25, 0.931), 0, 4, "country") == (
        "point 1 of 4, lambda 0.100, relevance kept 93.1% (price 6.9%), W1 1.25, country gap 12 points"
    )
    assert point_words(point(1, 1, chosen=True), 1, 4).startswith("This is the choice made: point 2 of 4")
    measured = PositionAudit(calibrated=True, note="", predicted=0.21, standard_error=0.05, target=0.25)
    assert bias_words(measured, 0.4) == "predicted Rb +0.21 +/- 0.08, target +0.25"
    judged = measured.model_copy(update={"tau": 0.1, "verdict": "met as estimated"})
    assert bias_words(judged, 0.4) == (
        "predicted Rb +0.21 +/- 0.08, target +0.25 +/- 0.1; "
        "met as estimated: the calibration's error is too large to be sure"
    )
    missed = measured.model_copy(update={"tau": 0.01, "verdict": "not met", "reachable": (-0.4, 0.21)})
    assert bias_words(missed, 0.4).endswith(
        "; not met: 0.040 from the target; these documents reach -0.400 to +0.210"
    )
    unknown = PositionAudit(calibrated=False, note="no position weights for k = 3")
    assert bias_words(unknown, 0.4).startswith(
        "mean polarity shown +0.40; Rb cannot be predicted: not calibrated"
    )


def test_groups_say_who_is_missing() -> None:
    lines = group_bars("region", [("UK", 0.5, 0.75), ("Chile", 0.25, 0.0), ("手机", 0.25, 0.25)], 60)
    assert lines[1].endswith("75% +25!")
    assert lines[3].endswith("0% MISSED")
    assert lines[5].endswith("25% 0")
    assert len({width_of(line[: line.index("%")]) for line in lines}) == 1


@pytest.mark.parametrize("width", [40, 58, 76, 136])
@pytest.mark.parametrize("ascii", [False, True])
@pytest.mark.parametrize(
    "make", [opinion_receipt, degraded_receipt, factual_receipt, counting_receipt, hostile_receipt]
)
def test_panels_fit_and_are_only_text(make, width: int, ascii: bool) -> None:
    receipt = make()
    frontier = canned_frontier(receipt) if receipt.opinion is not None else None
    drawn = [panels.group_panel(receipt, width, ascii=ascii), panels.rank_table(receipt, width, ascii=ascii)]
    drawn += [panels.opinion_panel(receipt, each, width, ascii=ascii) for each in panels.COMPARED]
    drawn += [
        panels.rank_words(receipt, width, ascii=ascii),
        panels.warning_lines(receipt, width, 3, ascii=ascii),
    ]
    for cursor in range(len(frontier.points)) if frontier else (0,):
        drawn.append(panels.tradeoff_panel(receipt, frontier, cursor, width, 20, ascii=ascii))
    drawn += [panels.source_lines(receipt, each, width, ascii=ascii) for each in receipt.ranking[:2]]
    drawn.append([panels.title_line(receipt, "answer 1 of 2", width, ascii=ascii)[:width]])
    for lines in drawn:
        for line in lines:
            assert width_of(line) <= width, line
            assert not HIDDEN.search(line)
            assert not ascii or line.isascii()
