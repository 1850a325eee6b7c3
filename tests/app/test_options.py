"""What would be passed over in silence is refused, whatever the command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from app.cli.main import app
from app.cli.options import EVALUATED, EXCLUSIVE, MODES, NEEDS, StrictCommand
from tests.app.conftest import Run


def commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its path."""
    if not hasattr(command, "commands"):
        yield path.strip(), command
        return
    for name, each in command.commands.items():
        yield from commands(each, f"{path} {name}")


ROOT = typer.main.get_command(app)
ALL = dict(commands(ROOT))


def test_every_command_is_strict() -> None:
    assert len(ALL) > 20
    assert [path for path, command in ALL.items() if not isinstance(command, StrictCommand)] == []


def test_the_rules_name_parameters_that_there_are() -> None:
    named: dict[str, set[str]] = {}
    for path, modes in MODES.items():
        named.setdefault(path, set()).update(modes, *modes.values())
    for path, needs in NEEDS.items():
        named.setdefault(path, set()).update(needs, needs.values())
    for path, pairs in EXCLUSIVE.items():
        named.setdefault(path, set()).update(name for pair in pairs for name in pair)
    named.setdefault("evaluate", set()).update(set(EVALUATED) - {"corpus_name"})
    for path, names in named.items():
        there = {parameter.name for parameter in ALL[path].params}
        assert names <= there, path
    assert "corpus_name" in {parameter.name for parameter in ROOT.params}


REFUSED = [
    ("ingest --retry --sheet One", "--retry takes no --sheet"),
    ("ingest --retry --sync", "--retry takes no --sync"),
    ("ingest --retry --dry-run", "--retry takes no --dry-run"),
    ("enrich --review 5 --extractor llm", "--review takes no --extractor"),
    ("enrich --review-import v.csv --retry", "--review-import takes no --retry"),
    ("enrich --review-file v.csv --json", "--review-file takes no --json"),
    ("enrich --agreement 5 --dry-run", "--agreement takes no --dry-run"),
    ("enrich --failed --retry", "--failed takes no --retry"),
    ("enrich --quality --split", "--quality takes no --split"),
    ("enrich --force", "--force belongs to --review-file"),
    ("entities review --apply a.json --output b.json", "--apply takes no --output"),
    ("entities review --output b.json --json", "--output takes no --json"),
    ("ask --batch q.txt --thread t", "--batch takes no --thread"),
    ("ask --batch q.txt --receipt", "--batch takes no --receipt"),
    ("ask food? --json -o a.json", "--json and --output exclude each other"),
    ("audit --list --compare last", "--list takes no --compare"),
    ("audit --compare last --fail-over w1=5", "--compare takes no --fail-over"),
    ("audit --json --format html", "--json and --format exclude each other"),
    ("calibrate --list -k 4", "--list takes no --k"),
    ("calibrate --validate-questions q.jsonl", "--validate-questions belongs to --validate"),
    ("chat --plain --theme dark", "--plain takes no --theme"),
    ("probe --list --pairs 3", "--list takes no --pairs"),
    ("probe --cpt-pairs 3", "--cpt-pairs belongs to --cpt-model"),
    ("probe --bundled --data d", "--bundled and --data exclude each other"),
    ("probe --dry-run --json", "--dry-run and --json exclude each other"),
    ("evaluate router --tau 1", "`evaluate router` takes no --tau; leave it out; it is for faro, all"),
    ("evaluate faro --draws 3", "`evaluate faro` takes no --draws"),
    ("evaluate all -k 3", "`evaluate all` takes no -k"),
    ("evaluate warp -k 3 -k 4", "`evaluate warp` takes one -k"),
    ("evaluate router --mini --data d", "--mini and --data exclude each other"),
    ("-c lounges evaluate faro --mini", "`evaluate faro` takes no --corpus"),
    ("-c lounges evaluate orag --data d", "--corpus and --data exclude each other"),
    ("-w w demo", "`demo` takes no --workspace"),
    ("-c lounges demo", "`demo` takes no --corpus"),
    ("-w w init project", "FOLDER and --workspace exclude each other"),
]


@pytest.mark.parametrize(("line", "message"), REFUSED, ids=[line for line, _ in REFUSED])
def test_it_is_refused_in_one_line(run: Run, line: str, message: str) -> None:
    ran = run(*line.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"evenhand: error: {message}")
    assert ran.err.count("\n") == 1


def test_what_the_environment_says_may_be_passed_over(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_DATA", "nowhere")
    ran = run("probe", "--bundled", "--dry-run", "--retriever", "bm25")
    assert ran.code == 0, ran.err
