"""The wheel carries what it needs, and its migrations run where it is installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_it_carries_prompts_migrations_and_demo_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for needed in (
        "prompts/answer_opinions.v1.md",
        "migrations/env.py",
        "migrations/versions/v0001_first_schema.py",
        "app/demo/lounges.csv.gz",
        "app/demo/SOURCE.md",
        "store/data/minilm-tokenizer.json",
        "app/views/receipt.css",
    ):
        assert needed in names
    assert not [name for name in names if name.startswith("tests/")]


def test_its_migrations_run_when_installed_elsewhere(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import store.database as d\n"
        "assert d.__file__.startswith(sys.argv[1]), d.__file__\n"
        "base = d.Database('sqlite:///' + sys.argv[2]); base.upgrade(); base.check_revision()\n"
        "print(base.revision())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(site), str(tmp_path / "new.db")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    from store.database import HEAD_REVISION

    assert done.stdout.strip() == HEAD_REVISION
