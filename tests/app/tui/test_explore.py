"""Looking around and curating, driven by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from app.backstage import Backstage
from app.bootstrap import Parts
from app.catalog import Catalog
from app.documents import Documents, read_filters
from app.jobs import stream_job
from app.settings import Settings
from app.tui.app import EvenhandApp
from app.tui.screens.dialogs import ConfirmDialog, LineDialog
from app.tui.screens.documents import DocumentsView
from app.tui.screens.explore import ExploreScreen
from app.tui.screens.explore_entities import EntitiesView
from app.tui.screens.ingest import IngestScreen
from app.tui.screens.source import SourceScreen
from store.errors import UsageError
from tests.app.tui.conftest import opened, until
from tests.app.tui.hosts import SCORES, Host, press, seed, seen, settle
from tests.fakes.receipts import HOSTILE


@pytest.fixture
def seeded(tmp_path: Path, sqlite_template: Path) -> Path:
    return seed(sqlite_template, tmp_path / "seeded")


@pytest.fixture
def parts(seeded: Path):
    made = Parts(Settings(workspace=str(seeded)))
    yield made
    made.close()


async def answer(pilot, key: str, value: str) -> None:
    """Press a key that asks for a line, and give it."""
    await pilot.press(key)
    await settle(pilot)
    assert isinstance(pilot.app.screen, LineDialog)
    pilot.app.screen.query_one(Input).value = value
    await pilot.press("enter")
    await settle(pilot)


async def test_entities_documents_source_and_back(seeded: Path) -> None:
    async with Host(seeded, ExploreScreen()).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        text = seen(pilot)
        assert "└ coffee" in text
        assert "food (food), 12 documents" in text
        await press(pilot, "down", "enter")
        view = pilot.app.screen.query_one(DocumentsView)
        assert view.filter.value == 'entity:"coffee"'
        assert "1 to 9 of 9 documents" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, SourceScreen)
        assert "opinion 1 of" in seen(pilot)
        await press(pilot, "escape", "escape")
        assert not isinstance(pilot.app.screen, ExploreScreen)


async def test_a_decision_is_applied_by_a_key(seeded: Path) -> None:
    host = Host(seeded, ExploreScreen())
    asked: list[str] = []

    def enrich(corpus: str):
        asked.append(corpus)
        return stream_job(lambda _report, _cancelled: (_ for _ in ()).throw(UsageError("no more of this")))

    host.service.enrich = enrich  # type: ignore[method-assign]
    async with host.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "f7")
        assert isinstance(pilot.app.screen, ExploreScreen), "there is nothing to apply"
        await answer(pilot, "r", "meals")
        assert "F7 applies it to the opinions" in seen(pilot)
        await press(pilot, "f7")
        assert isinstance(pilot.app.screen, IngestScreen)
        assert asked == ["lounges"]
        assert "no more of this" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ExploreScreen)


async def test_curation_through_the_service(seeded: Path, parts: Parts) -> None:
    async with Host(seeded, ExploreScreen()).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        view = pilot.app.screen.query_one(EntitiesView)
        await press(pilot, "G")
        assert view.selected == "wifi"
        await answer(pilot, "r", "wireless net")
        assert "rename wifi -> wireless net" in seen(pilot)
        assert view.selected == "wifi"
        await answer(pilot, "a", "wlan")
        await answer(pilot, "v", "staff")
        # The dialog stays, so there is no end to wait for.
        await pilot.press("m")
        await settle(pilot)
        pilot.app.screen.query_one(Input).value = "stuff"
        await pilot.press("enter")
        await until(lambda: "! there is no" in seen(pilot), pilot)
        assert isinstance(pilot.app.screen, LineDialog)
        assert "! there is no entity `stuff`; did you mean `staff`?" in seen(pilot)
        pilot.app.screen.query_one(Input).value = "nothing like this"
        await pilot.press("enter")
        await until(lambda: "! there is no entity `nothing like this`" in seen(pilot), pilot)
        assert "evenhand " not in seen(pilot)
        await press(pilot, "escape")
        await answer(pilot, "v", "")
        await press(pilot, "slash", *"cof")
        assert view.shown == ["food", "coffee"]
        await press(pilot, "enter", "down")
        await answer(pilot, "m", "meals")
        assert "merge coffee -> food" in seen(pilot)
        view.filter.value = ""
        await press(pilot, "G", "k")
        dropped = view.selected
        await pilot.press("d")
        await settle(pilot)
        assert isinstance(pilot.app.screen, ConfirmDialog)
        await press(pilot, "n")
        assert dropped in view.shown
        await pilot.press("d")
        await settle(pilot)
        await press(pilot, "y")
        assert dropped not in view.shown
    catalog = Catalog(parts)
    found = {each.key: each for each in catalog.entities("lounges")}
    assert sorted(found) == sorted({"food", "staff", "wifi"} - {dropped})
    assert {"coffee", "espresso"} <= set(found["food"].aliases)
    if "wifi" in found:
        assert (found["wifi"].name, found["wifi"].parent) == ("wireless net", None)
        assert "wlan" in found["wifi"].aliases
    kinds = [kind for kind, _ in parts.registry.decisions(1)]
    assert kinds == ["rename", "alias", "move", "move", "merge", "drop"]


async def test_fold_filter_and_tabs(seeded: Path) -> None:
    async with Host(seeded, ExploreScreen()).run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        view = pilot.app.screen.query_one(EntitiesView)
        await press(pilot, "x")
        assert "coffee" not in view.shown
        assert "food +" in seen(pilot)
        await press(pilot, "x", "4")
        assert "2 rows in quarantine" in seen(pilot)
        await press(pilot, "down")
        assert "␛[31mbad␛[0m [/] row" in seen(pilot)
        await press(pilot, "1")
        assert "lounges (in use)" in seen(pilot)
        assert "balanced" in seen(pilot)
        await press(pilot, "down", "enter")
        assert pilot.app.corpus == "phones"
        assert "no entities" in seen(pilot)


async def test_documents_under_filters(seeded: Path) -> None:
    async with Host(seeded, ExploreScreen("documents")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "1 to 12 of 12 documents" in seen(pilot)
        view = pilot.app.screen.query_one(DocumentsView)
        view.filter.value = "country=japan entity:food side:negative"
        await press(pilot, "slash", "enter")
        assert "1 to 2 of 2 documents" in seen(pilot)
        view.filter.value += " colour:red"
        await press(pilot, "slash", "enter")
        assert "! there is no filter `colour`" in seen(pilot)
        assert view.total == 2


async def test_pages_are_turned(seeded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tui.screens.documents.PAGE", 5)
    async with Host(seeded, ExploreScreen("documents")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p", "n", "n", "n")
        assert "11 to 12 of 12 documents" in seen(pilot)
        view = pilot.app.screen.query_one(DocumentsView)
        view.filter.value = "subject:south"
        view.reload()
        await settle(pilot)
        assert "1 to 5 of 6 documents" in seen(pilot)


async def test_another_corpus_begins_another_conversation(seeded: Path) -> None:
    made = Backstage(lambda: Parts(Settings(workspace=str(seeded))))
    made.warm = lambda: None  # type: ignore[method-assign]
    desk = EvenhandApp(made, corpus="lounges")
    try:
        async with desk.run_test(size=(80, 24)) as pilot:
            await opened(desk, pilot)
            desk.chat.thread = "an-old-one"
            await pilot.press("f4")
            await settle(pilot)
            await press(pilot, "1", "down", "enter")
            assert desk.corpus == "phones"
            assert desk.chat.thread == ""
    finally:
        made.close()


@pytest.mark.parametrize("ascii", [False, True])
async def test_hostile_names_and_texts(tmp_path: Path, sqlite_template: Path, ascii: bool) -> None:
    folder = seed(sqlite_template, tmp_path / "w", text=HOSTILE * 3, title=HOSTILE)
    made = Parts(Settings(workspace=str(folder)))
    Catalog(made).curate("rename", "food", "[/] \x1b]52;c;ZXZpbA==\x07 \u202egnp", "lounges")
    made.close()
    async with Host(folder, ExploreScreen(), ascii=ascii).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("2", "3", "4"):
            await press(pilot, key)
            text = seen(pilot)
            assert not any(c in text for c in "\x1b\x07\x9b\u202e\u200b\u2066")
            assert not ascii or text.isascii()
        await press(pilot, "2")
        await pilot.press("m")
        await settle(pilot)
        assert "[/]" in seen(pilot)


async def test_a_locked_or_missing_corpus_is_said_in_words(seeded: Path) -> None:
    async with Host(seeded, ExploreScreen(), corpus="gone").run_test(size=(60, 16)) as pilot:
        await settle(pilot)
        assert "! there is no corpus `gone`" in seen(pilot)
        await press(pilot, "3", "4", "1", "enter")
        assert pilot.app.corpus == "lounges"
        await press(pilot, "2")
        assert "food" in seen(pilot)


# -- the reads behind it


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", range(12)),
        ("number 1", [1, 10, 11]),
        ('"number 11"', [11]),
        ("r03", [3]),
        ("subject:south", range(1, 12, 2)),
        ("since:2019 until:2020-03", [9, 10]),
        ("author:author-2", [2, 7]),
        ("country:Chile", range(1, 12, 3)),
        ("entity:espresso", [n for n in range(12) if n % 4]),
        ("entity:food side:positive", [n for n, score in enumerate(SCORES) if score > 0]),
        ("entity:food side:neutral", [5]),
        ("100%", []),
    ],
)
def test_filters(parts: Parts, typed: str, expected) -> None:
    total, page = Documents(parts).page(typed, "lounges")
    assert [each.external_id for each in page] == [f"r{n:02d}" for n in expected]
    assert total == len(page)
    if "entity:" in typed:
        assert [each.score for each in page] == [SCORES[n] for n in expected]


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("sinse:2014", "did you mean `since`?"),
        ("contry:Chile", "did you mean `country`?"),
        ("country:Chili", "did you mean `Chile`?"),
        ("since:yesterday", "write 2014"),
        ("side:negative", "needs an entity"),
        ("entity:food side:sour", "use one of"),
        ("entity:foot", "did you mean `food`?"),
        ("http://x", "in quotes"),
    ],
)
def test_wrong_filters_say_what_is_right(parts: Parts, typed: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        Documents(parts).page(typed, "lounges")
    assert hint in str(caught.value)


def test_pages_follow_each_other(parts: Parts) -> None:
    documents = Documents(parts)
    total, first = documents.page("", "lounges", limit=5)
    _, second = documents.page("", "lounges", limit=5, offset=5)
    assert total == 12
    assert [each.id for each in (*first, *second)] == list(range(1, 11))


def test_words_keep_what_is_quoted() -> None:
    assert read_filters('10:30 "a: b" x country="New Zealand"', ["country"]) == (
        ("10:30", "a: b", "x"),
        {"country": "New Zealand"},
    )
