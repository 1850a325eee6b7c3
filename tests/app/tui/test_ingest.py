"""Ingest and enrichment from within: the mapping before, progress on the way, stopping, faults in words."""

from __future__ import annotations

import csv
import threading
from pathlib import Path

import pytest
from textual.widgets import Button, Input

from app.bootstrap import Parts
from app.events import Progress
from app.jobs import stream_job
from app.settings import Settings
from app.tui.screens.ingest import IngestScreen
from app.tui.widgets.lines import LinesPane
from app.views.layout import width_of
from app.views.progress import progress_line
from tests.app.tui.conftest import until
from tests.app.tui.hosts import Host, press, seed, seen, settle


def few(reviews: Path, target: Path, count: int = 6) -> Path:
    with reviews.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[: count + 1]
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return target


def said(pilot) -> str:
    return "\n".join(pilot.app.screen.query_one(LinesPane).lines)


async def test_a_new_workspace_from_a_file_to_opinions(tmp_path: Path, reviews: Path) -> None:
    file = few(reviews, tmp_path / "lounges.csv")
    folder = tmp_path / "new"
    async with Host(folder, IngestScreen(), corpus="").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = pilot.app.screen
        screen.query_one("#ingest-path", Input).value = str(file)
        screen.query_one("#ingest-map", Input).value = "text=content subject=airline_name"
        await press(pilot, "enter")
        assert "text = content" in said(pilot)
        assert "attribute country = author_country" in said(pilot)
        assert not folder.exists(), "nothing is stored before it is said"
        assert screen.focused is screen.query_one("#ingest-start")
        await press(pilot, "enter")
        text = said(pilot)
        assert "rows read 6 = new 6 + updated 0 + unchanged 0 + quarantined 0" in text
        assert "documents 6 = enriched 6" in text
        assert pilot.app.corpus == "default"
        await press(pilot, "escape")
        assert pilot.app.result is True
    parts = Parts(Settings(workspace=str(folder)))
    assert [(each.name, each.documents) for each in parts.repository.corpora()] == [("default", 6)]
    assert parts.registry.load(1)
    parts.close()


@pytest.mark.parametrize(
    ("path", "maps", "words"),
    [
        ("", "", "no file named"),
        ("no-such-file.csv", "", "no-such-file.csv"),
        ("{file}", "text=Nothing", "Nothing"),
        ("{file}", "texd=content", "did you mean 'text'?"),
        ("{file}", 'text="content', "close the quotation mark"),
        ("{empty}", "", "empty"),
    ],
)
async def test_what_is_wrong_is_said_and_nothing_stored(tmp_path, reviews, path, maps, words) -> None:
    file = few(reviews, tmp_path / "lounges.csv", 2)
    (tmp_path / "empty.csv").write_text("")
    folder = tmp_path / "new"
    path = path.format(file=file, empty=tmp_path / "empty.csv")
    async with Host(folder, IngestScreen(path or None), corpus="").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        pilot.app.screen.query_one("#ingest-map", Input).value = maps
        await press(pilot, "f5")
        assert said(pilot).startswith("! ")
        assert words in " ".join(said(pilot).split())
        assert not pilot.app.screen.busy
        await press(pilot, "escape")
        assert pilot.app.result is False
    assert not folder.exists()


async def test_progress_is_shown_and_escape_stops_the_job(tmp_path, sqlite_template, reviews) -> None:
    folder = seed(sqlite_template, tmp_path / "w")
    file = few(reviews, tmp_path / "lounges.csv", 2)
    ended: list[str] = []

    def job(report, cancelled) -> str:
        done = 0
        while not cancelled():
            done += 1
            report(Progress("ingest", done, None, 0.25, "0 quarantined"))
            import time

            time.sleep(0.01)
        ended.append("asked to stop")
        return "books"

    host = Host(folder, IngestScreen(file))
    host.service.ingest = lambda *_a, **_k: stream_job(job)  # type: ignore[method-assign]
    async with host.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("f5")
        for _ in range(300):
            await pilot.pause(0.01)
            if " 25%" in seen(pilot):
                break
        assert "ingest  " in seen(pilot)
        screen = pilot.app.screen
        assert screen.busy
        assert all(each.disabled for each in screen.query(Button))
        await pilot.press("f5", "f7")
        await press(pilot, "escape")
        assert ended == ["asked to stop"]
        assert "stopped; what was done is kept" in " ".join(said(pilot).split())
        assert not screen.busy
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, IngestScreen)


async def test_a_busy_workspace_and_an_unknown_corpus(tmp_path, sqlite_template, reviews) -> None:
    from filelock import FileLock

    folder = seed(sqlite_template, tmp_path / "w")
    file = few(reviews, tmp_path / "lounges.csv", 2)
    host = Host(folder, IngestScreen(file))
    settings = host.service.parts.settings
    host.service.parts.settings = settings.model_copy(
        update={"store": settings.store.model_copy(update={"lock_timeout": 0.2})}
    )
    async with host.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        with FileLock(folder / "write.lock"):
            await press(pilot, "f6")
        assert said(pilot).startswith("! ")
        pilot.app.screen.query_one("#ingest-corpus", Input).value = "lounge"
        await press(pilot, "f7")
        assert "did you mean `lounges`?" in " ".join(said(pilot).split())


async def test_another_writer_is_waited_for_by_name_until_escape(tmp_path, sqlite_template, reviews) -> None:
    from filelock import FileLock

    folder = seed(sqlite_template, tmp_path / "w")
    file = few(reviews, tmp_path / "lounges.csv", 2)
    async with Host(folder, IngestScreen(file)).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        with FileLock(folder / "write.lock"):
            (folder / "write.pid").write_text("4711")
            await pilot.press("f5")
            await until(lambda: "waiting for another writer (pid 4711)" in seen(pilot), pilot)
            await pilot.press("escape")
            await until(lambda: not pilot.app.screen.busy, pilot, 2)
            assert "stopped" in said(pilot)
            (folder / "write.pid").unlink()


async def test_a_step_that_takes_its_time_is_named_and_escape_is_answered_at_once(
    tmp_path, sqlite_template, reviews, monkeypatch
) -> None:
    monkeypatch.setattr("app.tui.widgets.job.QUIET_SECONDS", 0.2)
    folder = seed(sqlite_template, tmp_path / "w")
    host = Host(folder, IngestScreen())
    go_on = threading.Event()

    def job(report, cancelled) -> None:
        report(Progress("registry", 61, 61, 1.0))
        go_on.wait(20)

    host.service.enrich = lambda _corpus: stream_job(job)  # type: ignore[method-assign]
    async with host.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("f7")
        await until(lambda: "reading the first documents for opinions ... 1 s" in seen(pilot), pilot)
        assert "100 %" not in seen(pilot)
        await pilot.press("escape")
        await until(lambda: "stopping after this step (registry)" in seen(pilot), pilot, 1)
        go_on.set()
        await settle(pilot)
        assert not pilot.app.screen.busy


@pytest.mark.parametrize("width", [20, 60, 80])
@pytest.mark.parametrize("ascii", [False, True])
def test_progress_in_a_line(width: int, ascii: bool) -> None:
    for fraction in (None, 0.0, 0.004, 0.5, 1.0):
        progress = Progress("index \x1b[31mraw", 1234, 5000, fraction, "3 quarantined")
        shown = progress_line(progress, 10.0, width, ascii=ascii)
        assert width_of(shown) <= width
        assert "\x1b" not in shown
        assert not ascii or shown.isascii()
    assert "1,234/5,000  123/s  0:10 left" in progress_line(Progress("x", 1234, 5000, 0.5), 10.0, 80)
