"""Pictures of audit, source, explore and ingest; looked at, and kept. ``--snapshot-update`` takes them anew."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from app.tui.screens.audit import AuditScreen
from app.tui.screens.explore import ExploreScreen
from app.tui.screens.ingest import IngestScreen
from app.tui.screens.source import SourceScreen
from tests.app.tui.hosts import Host, canned_frontier, press, seed, settle
from tests.app.tui.pictures import pictured
from tests.fakes.receipts import degraded_receipt, opinion_receipt

pytestmark = pictured
SMALL, WIDE = (80, 24), (140, 40)


@pytest.fixture
def folder(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("app.frontiers.Frontiers.of", lambda *_: canned_frontier())
    monkeypatch.setattr("app.catalog.Catalog.receipt", lambda *_: opinion_receipt())
    return seed(sqlite_template, tmp_path / "w")


def after(*keys: str) -> Any:
    async def run(pilot: Any) -> None:
        await settle(pilot)
        await press(pilot, *keys)

    return run


@pytest.mark.parametrize("panel", [1, 2, 3, 4, 5])
def test_audit_panel(snap_compare: Any, folder: Path, panel: int) -> None:
    host = Host(folder, AuditScreen("3f9a1c", ["3f9a1c", "other"]))
    assert snap_compare(host, terminal_size=SMALL, run_before=after(str(panel)))


def test_audit_point_moved(snap_compare: Any, folder: Path) -> None:
    host = Host(folder, AuditScreen("3f9a1c"))
    assert snap_compare(host, terminal_size=SMALL, run_before=after("3", "right"))


@pytest.mark.parametrize("panel", [1, 2])
def test_audit_degraded(snap_compare: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, panel: int) -> None:
    monkeypatch.setattr("app.catalog.Catalog.receipt", lambda *_: degraded_receipt())
    host = Host(folder, AuditScreen("3f9a1c"))
    assert snap_compare(host, terminal_size=SMALL, run_before=after(str(panel)))


def test_audit_wide(snap_compare: Any, folder: Path) -> None:
    host = Host(folder, AuditScreen("3f9a1c"))
    assert snap_compare(host, terminal_size=WIDE, run_before=after("3", "right"))


@pytest.mark.parametrize("size", [SMALL, WIDE])
def test_audit_without_colour(
    snap_compare: Any, folder: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "NO_COLOR", "1")
    host = Host(folder, AuditScreen("3f9a1c"))
    assert snap_compare(host, terminal_size=size, run_before=after())


def test_audit_in_ascii(snap_compare: Any, folder: Path) -> None:
    host = Host(folder, AuditScreen("3f9a1c"), ascii=True)
    assert snap_compare(host, terminal_size=SMALL, run_before=after("3", "left"))


def test_audit_small(snap_compare: Any, folder: Path) -> None:
    host = Host(folder, AuditScreen("3f9a1c"))
    assert snap_compare(host, terminal_size=(60, 16), run_before=after())


def test_source(snap_compare: Any, folder: Path) -> None:
    assert snap_compare(Host(folder, SourceScreen(2)), terminal_size=SMALL, run_before=after())


@pytest.mark.parametrize("view", ["corpora", "entities", "documents", "quarantine"])
def test_explore(snap_compare: Any, folder: Path, view: str) -> None:
    host = Host(folder, ExploreScreen(view))
    assert snap_compare(host, terminal_size=SMALL, run_before=after("down"))


def test_explore_wide(snap_compare: Any, folder: Path) -> None:
    assert snap_compare(Host(folder, ExploreScreen()), terminal_size=WIDE, run_before=after())


def test_ingest(snap_compare: Any, folder: Path, reviews: Path) -> None:
    async def run(pilot: Any) -> None:
        await settle(pilot)
        pilot.app.screen.query_one("#ingest-path").value = "lounges.csv"

    assert snap_compare(Host(folder, IngestScreen(reviews)), terminal_size=SMALL, run_before=run)
