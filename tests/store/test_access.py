from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.access import can_write


def deny(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    """Let these not be written, also where the tests run as root."""
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: may(path, mode) and Path(path) not in paths)


def test_what_can_be_written_or_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "file", tmp_path / "new", tmp_path / "new" / "deep" / "file"):
        assert can_write(path)


def test_a_file_needs_its_folder_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    deny(monkeypatch, tmp_path)
    assert not can_write(tmp_path / "file")
    assert not can_write(tmp_path / "new")
    assert not can_write(tmp_path / "new" / "deep")


def test_a_file_that_is_read_only_in_a_folder_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    deny(monkeypatch, tmp_path / "file")
    assert not can_write(tmp_path / "file")
    assert can_write(tmp_path / "other")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_permissions_are_what_counts(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert not can_write(tmp_path / "new")
    finally:
        tmp_path.chmod(0o700)
