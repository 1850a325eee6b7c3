"""The audit of an answer, driven by keys over a real answer; nothing generated, everything ranked again."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from textual.widgets import Static

from agents.ordering import PositionWeights
from app.bootstrap import Parts
from app.cli.main import main
from app.frontiers import Frontiers, changes
from app.service import Service
from app.settings import Settings
from app.tui.screens.audit import AuditScreen
from app.tui.screens.dialogs import ConfirmDialog, LineDialog
from app.tui.screens.source import SourceScreen
from app.tui.widgets.lines import LinesPane
from app.tui.widgets.rows import RowsPane
from store.receipt import AuditReceipt
from tests.app.tui.hosts import Host, add_answer, press, seed, seen, settle
from tests.fakes.receipts import (
    counting_receipt,
    degraded_receipt,
    factual_receipt,
    hostile_receipt,
    opinion_receipt,
)

FOOD = "What do travellers think of the food?"


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory, library_template: Path) -> tuple[Path, list[str]]:
    """The library with two answers on opinions."""
    folder = Path(shutil.copytree(library_template, tmp_path_factory.mktemp("audit") / "workspace"))
    for question in (FOOD, "What are the biggest complaints about the food?"):
        assert main(["--workspace", str(folder), "ask", question, "-k", "8", "--json"]) == 0
    parts = Parts(Settings(workspace=str(folder)))
    ids = [record.id for record in parts.answers.newest()][::-1]
    parts.close()
    return folder, ids


@pytest.fixture
def seeded(tmp_path: Path, sqlite_template: Path) -> Path:
    return seed(sqlite_template, tmp_path / "seeded")


def pane(pilot, number: int) -> list[str]:
    return pilot.app.screen.query_one(f"#panel-{number}", LinesPane).lines


def stored(folder: Path, answer: str) -> AuditReceipt:
    parts = Parts(Settings(workspace=str(folder)))
    found = parts.answers.get(answer).receipt
    parts.close()
    assert found is not None
    return found


async def test_the_four_panels_say_what_the_receipt_holds(answered) -> None:
    folder, ids = answered
    receipt = stored(folder, ids[0])
    async with Host(folder, AuditScreen(ids[0], ids)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "answer 1 of 2" in seen(pilot)
        assert FOOD in seen(pilot)
        opinions = "\n".join(pane(pilot, 1))
        assert f"population {receipt.opinion.population.n}" in opinions
        assert all(words in opinions for words in ("retrieved:", "cited:", "plain top-k:", "W1"))
        await press(pilot, "2")
        assert "largest gap" in seen(pilot)
        await press(pilot, "4")
        shown = pilot.app.screen.query_one("#ranks", RowsPane)
        assert shown.row_count == len(receipt.ranking)
        assert f"{receipt.ranking[0].relevance:.3f}" in seen(pilot)
        await press(pilot, "down")
        assert any(text.startswith("#2 ") for text in pilot.app.screen.query_one("#source", LinesPane).lines)
        await press(pilot, "5")
        assert pane(pilot, 5)[0].startswith("AUDIT RECEIPT")


async def test_moving_the_point_ranks_again_at_once(answered) -> None:
    folder, ids = answered
    receipt = stored(folder, ids[0])
    async with Host(folder, AuditScreen(ids[0], ids)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = pilot.app.screen
        frontier = screen.frontier
        assert len(frontier.points) > 2
        # The points of the receipt are among them, with the same figures.
        known = {(round(p.point.w1, 6), round(p.point.relevance_kept, 6)) for p in frontier.points}
        assert {(round(p.w1, 6), round(p.relevance_kept, 6)) for p in receipt.frontier} <= known
        assert not frontier.stale
        await press(pilot, "3")
        assert "This is the choice made" in seen(pilot)
        last = len(frontier.points) - 1
        for _ in range(last):
            await pilot.press("right")
        await settle(pilot)
        assert screen.point == last
        there = frontier.points[last]
        changed = changes(receipt.ranking, there.ranking)
        shown = "\n".join(pane(pilot, 3))
        assert f"{len(changed.entered)} document" in shown
        assert shown.count("NEW") == len(changed.entered)
        assert shown.count("OUT") == len(changed.left)
        assert f"point {last + 1} of {last + 1}" in shown
        assert "mean polarity shown" in shown
        await press(pilot, "right")
        assert screen.point == last
        await press(pilot, "left")
        assert screen.point == last - 1


async def test_each_point_is_what_asking_there_would_choose(answered) -> None:
    folder, ids = answered
    parts = Parts(Settings(workspace=str(folder)))
    frontier = Frontiers(parts).of(ids[0])
    points = [each for each in frontier.points if not each.point.chosen and each.point.lam]
    assert points
    for point in points:
        options = {"k": 8, "method": "exact", "balance": "none", "lam": point.point.lam}
        receipt = None
        async for event in Service(parts).ask(FOOD, options=options):
            receipt = getattr(event, "receipt", receipt)
        assert receipt is not None
        assert [each.document_id for each in receipt.ranking] == [each.document_id for each in point.ranking]
        assert [e.relevance for e in receipt.ranking] == pytest.approx([e.relevance for e in point.ranking])
    await parts.aclose()


async def test_a_calibration_orders_every_point(answered, monkeypatch) -> None:
    folder, ids = answered
    weights = np.array([0.3, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02])
    measured = PositionWeights(weights, 0.1, np.eye(9) * 1e-6, "a model", True)
    monkeypatch.setattr("agents.reranking.position_weights", lambda _context, k: measured)
    parts = Parts(Settings(workspace=str(folder)))
    frontier = Frontiers(parts).of(ids[0])
    parts.close()
    for each in frontier.points:
        if each.point.chosen:
            continue
        polarity = np.sign([document.score for document in each.ranking])
        assert each.position.predicted == pytest.approx(float(polarity @ weights) + 0.1)
        assert [d.position_weight for d in each.ranking] == pytest.approx(list(weights))
        low, high = sorted(polarity) @ np.sort(weights)[::-1], sorted(polarity) @ np.sort(weights)
        reachable = low + 0.1 <= each.position.target <= high + 0.1
        assert not reachable or abs(each.position.predicted - each.position.target) <= 0.2


async def test_a_corpus_that_changed_since_is_said(answered, tmp_path) -> None:
    folder, ids = answered
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    shown = {each.document_id for each in stored(folder, ids[0]).ranking}
    parts = Parts(Settings(workspace=str(copy)))
    gone = next(i for i in range(1, 80) if i not in shown)
    pool = Frontiers(parts).of(ids[0])
    assert not pool.stale
    others = [i for i in range(1, 81) if i not in shown]
    parts.repository.delete_documents([gone, *others[:10]])
    parts.repository.touch(1)
    parts.close()
    async with Host(copy, AuditScreen(ids[0])).run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        assert "! the corpus has changed since" in seen(pilot)


@pytest.mark.parametrize("where", ["app.catalog.Catalog.receipt", "app.frontiers.Frontiers.of"])
async def test_what_nobody_foresaw_is_said(seeded, monkeypatch, where) -> None:
    answer = add_answer(seeded, opinion_receipt())

    def fail(*_arguments: object) -> None:
        raise RuntimeError("boom [/] \x1b[31m")

    monkeypatch.setattr(where, fail)
    async with Host(seeded, AuditScreen(answer)).run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.1)
        for _ in range(100):
            await pilot.press("3")
            if "boom [/]" in seen(pilot):
                break
        assert "unexpected RuntimeError: boom [/] ␛[31m" in seen(pilot)


async def test_a_side_that_was_asked_for_stays_the_only_one(answered) -> None:
    folder, ids = answered
    async with Host(folder, AuditScreen(ids[1], ids)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        frontier = pilot.app.screen.frontier
        assert not frontier.stale
        assert all(each.score < 0 for point in frontier.points for each in point.ranking)


async def test_answers_are_gone_through_and_a_source_is_opened(answered) -> None:
    folder, ids = answered
    receipt = stored(folder, ids[0])
    cited = next(each for each in receipt.ranking if each.cited)
    async with Host(folder, AuditScreen(ids[1], ids)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "left_square_bracket")
        assert pilot.app.screen.answer_id == ids[0]
        assert "answer 1 of 2" in seen(pilot)
        await press(pilot, "left_square_bracket", "4", *["down"] * (cited.rank - 1), "enter")
        screen = pilot.app.screen
        assert isinstance(screen, SourceScreen)
        assert screen.document_id == cited.document_id
        quote = next(c.quote for c in receipt.citations if c.document_id == cited.document_id)
        start, end = screen.spans[0]
        assert screen.view.record.text[start:end] == quote
        assert "country" in seen(pilot)
        await press(pilot, "escape", "escape")
        assert not isinstance(pilot.app.screen, AuditScreen)


async def test_export_by_ending_and_never_over_a_file_unasked(seeded, tmp_path) -> None:
    answer = add_answer(seeded, opinion_receipt())
    target = tmp_path / "out.html"
    async with Host(seeded, AuditScreen(answer)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for content in ("", "mine"):
            if content:
                target.write_text(content)
            await pilot.press("e")
            await settle(pilot)
            assert isinstance(pilot.app.screen, LineDialog)
            pilot.app.screen.query_one("Input").value = str(target)
            await pilot.press("enter")
            await settle(pilot)
            if content:
                assert isinstance(pilot.app.screen, ConfirmDialog)
                await pilot.press("n")
            await settle(pilot)
            assert target.read_text().startswith("<!" if not content else "mine")
        await pilot.press("e")
        await settle(pilot)
        pilot.app.screen.query_one("Input").value = str(tmp_path / "out.doc")
        await pilot.press("enter")
        await settle(pilot)
        assert not (tmp_path / "out.doc").exists()
        assert any("cannot be written as `.doc`" in each.message for each in pilot.app._notifications)


@pytest.mark.parametrize("make", [factual_receipt, counting_receipt, degraded_receipt])
async def test_every_route_has_words_in_every_panel(seeded, make) -> None:
    receipt = make()
    answer = add_answer(seeded, receipt)
    async with Host(seeded, AuditScreen(answer)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for number in (5, 3, 2, 1):
            await press(pilot, str(number))
            assert any(line.strip() for line in pane(pilot, number))
        strip = pilot.app.screen.query_one("#audit-warnings", Static)
        assert not strip.display, "panel 1 says it itself"
        if receipt.degradations:
            assert receipt.degradations[0].reason in pane(pilot, 1)[0]
            await press(pilot, "2")
            assert strip.display
            assert receipt.degradations[0].reason in seen(pilot)
            await pilot.resize_terminal(140, 40)
            await settle(pilot)
            assert seen(pilot).count(receipt.degradations[0].reason[:40]) == 2, "more than the strip holds"
            await pilot.resize_terminal(80, 24)
            await settle(pilot)
        if receipt.opinion is not None:
            await press(pilot, "3")
            assert "are gone" in seen(pilot)


async def test_an_answer_without_a_receipt_says_so(seeded) -> None:
    async with Host(seeded, AuditScreen("nothing-here")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "there is no answer" in seen(pilot)
        await press(pilot, "3", "4", "right", "s", "e", "z", "left_square_bracket", "escape")
        assert not isinstance(pilot.app.screen, AuditScreen)


async def test_panels_sets_and_zoom_at_every_size(seeded) -> None:
    answer = add_answer(seeded, opinion_receipt())
    async with Host(seeded, AuditScreen(answer)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = pilot.app.screen
        assert [n for n in range(1, 6) if screen.query_one(f"#panel-{n}").display] == [1]
        await press(pilot, "s")
        assert any(" C " in line for line in pane(pilot, 1))
        await press(pilot, "s", "s")
        assert all(any(f" {letter} " in line for line in pane(pilot, 1)) for letter in "PRCT")
        await pilot.resize_terminal(140, 40)
        await settle(pilot)
        assert [n for n in range(1, 6) if screen.query_one(f"#panel-{n}").display] == [1, 2, 3, 4]
        screen.query_one("#panel-2").focus()
        await press(pilot, "z")
        assert [n for n in range(1, 6) if screen.query_one(f"#panel-{n}").display] == [2]
        assert screen.query_one("#panel-2").size.width > 120
        await press(pilot, "z", "5")
        assert [n for n in range(1, 6) if screen.query_one(f"#panel-{n}").display] == [5]
        for width, height in ((60, 16), (40, 12), (200, 50), (20, 6), (80, 24)):
            await pilot.resize_terminal(width, height)
            await settle(pilot)
        await press(pilot, "4")
        assert "4 Sources" in seen(pilot)


@pytest.mark.parametrize("ascii", [False, True])
async def test_hostile_receipts_are_only_text(seeded, ascii) -> None:
    answer = add_answer(seeded, hostile_receipt())
    async with Host(seeded, AuditScreen(answer), ascii=ascii).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for key in ("1", "2", "3", "4", "5"):
            await pilot.press(key)
            await settle(pilot)
            text = seen(pilot)
            assert not any(c in text for c in "\x1b\x07\x9b\u202e\u200b\u2066")
            if ascii:
                assert text.isascii()
        assert "alert(1)" in "\n".join(pane(pilot, 5))
