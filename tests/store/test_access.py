from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from store.access import can_write

#: Some user who is not root and owns nothing here.
OTHER = 65534


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


def test_permissions_are_what_counts() -> None:
    """Asked of the system itself; where the tests run as root, by a child that is somebody else."""
    # Not below pytest's own folder, which nobody else may enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        other = OTHER if os.geteuid() == 0 else os.geteuid()
        os.chown(folder, other, -1)
        for mode, wanted in ((0o500, False), (0o700, True)):
            folder.chmod(mode)
            assert asked_by(other, folder / "new") is wanted


def asked_by(user: int, path: Path) -> bool:
    """Return what ``can_write`` says to a user."""
    child = os.fork()
    if not child:
        os.setuid(user)
        os._exit(int(can_write(path)))
    return bool(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
