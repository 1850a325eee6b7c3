"""A workspace that cannot be written: what only reads works, an answer is given and marked, the rest says so."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.answers import AnswerStore
from store.errors import Unwritable
from tests.app.conftest import Run
from tests.fakes.misbehaving import MisbehavingServer

FOOD = "What do travellers think of the food?"


@pytest.fixture
def closed(library: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workspace that may not be written, also where the tests run as root; nothing in it may change."""
    may = os.access

    def access(path: str | Path, mode: int) -> bool:
        return may(path, mode) and not (mode == os.W_OK and Path(path).is_relative_to(library))

    monkeypatch.setattr("store.access.os.access", access)
    before = _contents(library)
    yield library
    assert _contents(library) == before


def _contents(folder: Path) -> dict[str, bytes]:
    # Readers of an unfinished log share its index; what is learnt of a server is kept where that can be.
    passed = ("-shm", "model-quirks.json")
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(passed))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("question", [FOOD, "How many reviewers are unhappy with the food?"])
def test_an_answer_is_given_and_marked_as_not_stored(run: Run, closed: Path, question: str) -> None:
    told = run("ask", question, workspace=closed)
    assert told.code == 0, told.err
    assert "food" in told.out
    assert "! store: not stored: the workspace cannot be written (attempt to write a readonly" in told.err
    assert "evenhand audit" not in told.err
    receipt = json.loads(run("ask", question, "--json", workspace=closed).out)["receipt"]
    assert [mark["stage"] for mark in receipt["degradations"]] == ["store"]
    assert "no answers yet" in run("audit", "--list", workspace=closed).out


def test_a_batch_is_answered(run: Run, closed: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text(f"{FOOD}\nWhat do travellers think of the staff?\n")
    ran = run("ask", "--batch", questions, "-k", "5", workspace=closed)
    assert ran.code in (0, 4), ran.err
    first, second, _ = map(json.loads, ran.out.splitlines())
    for each in (first, second):
        assert "store" in [mark["stage"] for mark in each["receipt"]["degradations"]]


@pytest.mark.parametrize(
    "command",
    [
        ["frontier", FOOD],
        ["entities", "list"],
        ["entities", "show", "food"],
        ["entities", "export"],
        ["entities", "review"],
        ["export", "documents"],
        ["export", "answers"],
        ["enrich", "--quality"],
        ["enrich", "--failed"],
        ["enrich", "--dry-run"],
        ["calibrate", "--list"],
        ["calibrate", "--dry-run", "-k", "2"],
        ["probe", "--list"],
        ["audit", "--list"],
        ["-vv", "entities", "list"],
    ],
    ids=" ".join,
)
def test_what_only_reads_works(run: Run, closed: Path, command: list[str]) -> None:
    ran = run("--workspace", closed, *command)
    assert ran.code == 0, ran.err
    assert ran.out
    assert "error" not in ran.err


def test_the_receipt_of_an_earlier_answer(
    run: Run, library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert run("ask", FOOD, workspace=library).code == 0
    monkeypatch.setattr("store.access.os.access", lambda path, mode: mode != os.W_OK)
    ran = run("audit", "--dimensions", workspace=library)
    assert ran.code == 0, ran.err
    assert "AUDIT RECEIPT" in ran.out


def test_doctor_calls_nothing_wrong(run: Run, closed: Path) -> None:
    ran = run("doctor", "--json", workspace=closed)
    assert ran.code == 0, ran.out
    checks = json.loads(ran.out)["checks"]
    assert not [check for check in checks if check["state"] == "wrong"]
    noted = {check["name"]: check["detail"] for check in checks if check["state"] == "note"}
    assert noted["workspace"].startswith("read-only")
    assert "SQL = BM25" in noted["corpus lounges"]
    assert "cannot be written" in noted["corpus lounges"]


def test_doctor_still_sees_what_is_wrong(run: Run, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for index in (library / "bm25").glob("*raw.npz"):
        index.unlink()
    monkeypatch.setattr("store.access.os.access", lambda path, mode: mode != os.W_OK)
    ran = run("doctor", workspace=library)
    assert ran.code == 5
    assert (
        "raw: the vector index is not opened, for its folder cannot be written, BM25 out of date" in ran.out
    )


def test_vectors_are_searched_in_sql(run: Run, closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = "Which lounges have a smoking room?"
    expected = json.loads(run("ask", question, "--json", workspace=closed).out)["receipt"]
    monkeypatch.setenv("EVENHAND_STORE__EXACT_BELOW", "0")
    ran = run("ask", question, "--json", workspace=closed)
    assert ran.code == 0, ran.err
    receipt = json.loads(ran.out)["receipt"]
    marks = {mark["stage"]: mark["reason"] for mark in receipt["degradations"]}
    assert "not opened, for its folder cannot be written: exact search over SQL" in marks["retrieve"]
    assert "rebuild" not in marks["retrieve"]
    assert [row["document_id"] for row in receipt["ranking"]] == [
        row["document_id"] for row in expected["ranking"]
    ]


@pytest.mark.parametrize(
    "command",
    [
        ["enrich"],
        ["ingest", "--retry"],
        ["entities", "rename", "food", "meals"],
        ["doctor", "--rebuild"],
        ["db", "upgrade"],
        ["calibrate", "-k", "2", "--budget", "16", "--quiet"],
        ["ask", FOOD, "--thread", "t1"],
    ],
    ids=" ".join,
)
def test_what_must_write_says_so_in_one_line(run: Run, closed: Path, command: list[str]) -> None:
    quiet = ["--quiet"] if "--quiet" in command else []
    ran = run("--workspace", closed, *quiet, *[part for part in command if part != "--quiet"])
    assert ran.code == 1, ran.out
    assert ran.err.startswith("evenhand: error: cannot write ")
    assert ran.err.count("\n") == 1


def test_no_call_is_paid_for_whose_answer_could_not_be_kept(
    run: Run, closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MisbehavingServer() as server:
        monkeypatch.setenv("EVENHAND_MODELS__BASE_URL", server.base_url)
        monkeypatch.setenv("EVENHAND_MODELS__MODEL", "fake")
        ran = run("calibrate", "-k", "2", "--budget", "16", workspace=closed)
    assert ran.code == 1
    assert "cannot write to the workspace" in ran.err
    assert server.requests == []


def test_a_new_file_is_not_read_into_it(run: Run, closed: Path, reviews: Path) -> None:
    ran = run("ingest", reviews, workspace=closed)
    assert ran.code == 1
    assert ran.err.count("\n") == 1
    assert "(it is read-only); check the folder's permissions" in ran.err


def test_an_answer_that_the_full_disk_refuses_at_its_end_is_given(
    run: Run, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise Unwritable("the database", "database or disk is full", "free some disk space and run again")

    monkeypatch.setattr(AnswerStore, "finish", full)
    ran = run("ask", FOOD, "--json", workspace=library)
    assert ran.code == 0, ran.err
    marks = json.loads(ran.out)["receipt"]["degradations"]
    assert [mark["reason"] for mark in marks] == [
        "not stored: the workspace cannot be written (database or disk is full)"
    ]
