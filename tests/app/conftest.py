"""One small real corpus for all tests of the faces: 80 bundled reviews, ingested and enriched once a session."""

from __future__ import annotations

import csv
import gzip
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.cli.main import main
from app.demo import ATTRIBUTES, MAPS, corpus_file
from store.embedders import BundledMiniLM
from tests.fakes.embeddings import EmbeddingCache

REVIEWS = 80


@dataclass(frozen=True)
class Ran:
    """What a command printed and returned."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture(scope="session", autouse=True)
def _cached_embeddings() -> Iterator[None]:
    cache = EmbeddingCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BundledMiniLM, "embed", cache.wrap(BundledMiniLM.embed))
        yield
    cache.save()


@pytest.fixture(scope="session")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first reviews of the bundled corpus as a CSV file."""
    path = tmp_path_factory.mktemp("data") / "lounges.csv"
    with corpus_file() as bundled, gzip.open(bundled, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[: REVIEWS + 1]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture(scope="session")
def library_template(tmp_path_factory: pytest.TempPathFactory, reviews: Path) -> Path:
    """A workspace with those reviews, ingested and enriched."""
    folder = tmp_path_factory.mktemp("library") / "workspace"
    options = [part for pair in MAPS for part in ("--map", pair)]
    options += [part for pair in ATTRIBUTES for part in ("--attribute", pair)]
    base = ["--workspace", str(folder), "--corpus", "lounges", "--quiet"]
    assert main([*base, "ingest", str(reviews), *options]) == 0
    assert main([*base, "enrich"]) == 0
    return folder


@pytest.fixture
def library(tmp_path: Path, library_template: Path) -> Path:
    """A copy of that workspace, free to be changed."""
    return Path(shutil.copytree(library_template, tmp_path / "workspace"))


@pytest.fixture(autouse=True)
def _alone(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EVENHAND_WORKSPACE", "EVENHAND_CORPUS", "EVENHAND_CONFIG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    monkeypatch.chdir(home)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""

    def call(*arguments: str | Path, workspace: Path | None = None) -> Ran:
        capsys.readouterr()
        prefix = [] if workspace is None else ["--workspace", str(workspace)]
        code = main([*prefix, *map(str, arguments)])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
