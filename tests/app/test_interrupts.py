"""Ctrl-C: one line at once, exit 130, and what the line says is kept is kept; batches survive a killed process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.cli.growing import GrowingFile
from store.errors import StoreError, UsageError
from tests.app.conftest import Run
from tests.fakes.misbehaving import MisbehavingServer, Request, extracts, says, silent, streams

CONTINUES = "evenhand: interrupted; what was finished is kept; run the same command again to continue\n"
SLOW = "the piece under way is being finished; Ctrl-C again ends at once\n"
PATIENT = 60.0


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    """A model that answers what it is told to, and then nothing any more."""
    with MisbehavingServer(silent()) as running:
        for role in ("GENERATOR", "EXTRACTOR"):
            monkeypatch.setenv(f"EVENHAND_MODELS__{role}__BASE_URL", running.base_url)
            monkeypatch.setenv(f"EVENHAND_MODELS__{role}__MODEL", "fake")
        monkeypatch.setenv("EVENHAND_MODELS__RETRIES__ATTEMPTS", "1")
        monkeypatch.setenv("EVENHAND_MODELS__LIMITS__CONCURRENCY", "1")
        yield running


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start commands as processes of their own; none outlives the test."""
    running: list[subprocess.Popen[str]] = []

    def call(*arguments: str | Path) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)}
        command = [sys.executable, "-m", "app.cli", *map(str, arguments)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        running.append(process)
        return process

    yield call
    for process in running:
        process.kill()
        process.communicate()


def when(process: subprocess.Popen[str], happened: Callable[[], bool]) -> None:
    """Wait until something happened; the process must still be at work then."""
    deadline = time.monotonic() + PATIENT
    while not happened():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Return the exit code and what was written to stderr."""
    _, err = process.communicate(timeout=PATIENT)
    return process.returncode, err


def test_an_interrupted_question(run: Run, library: Path, start: Start, server: MisbehavingServer) -> None:
    process = start("-w", library, "ask", "What do travellers think of the food?")
    when(process, lambda: bool(server.requests))
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, "evenhand: interrupted\n")
    assert "(stopped)" in run("audit", "--list", workspace=library).out


def test_an_interrupted_calibration_continues(library: Path, start: Start, server: MisbehavingServer) -> None:
    server.then(*[says("A")] * 5)
    command = ("-w", library, "-q", "calibrate", "-k", "2", "--budget", "16")
    process = start(*command)
    when(process, lambda: len(server.requests) == 6)
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, CONTINUES)
    server.default = says("A")
    out, err = start(*command, "--json").communicate(timeout=PATIENT)
    found = json.loads(out or err)
    assert (found["reused"], found["called"]) == (5, 11)


def test_enrichment_by_a_model_ends_at_once_when_asked_twice_and_pays_for_nothing_twice(
    run: Run, library: Path, start: Start, server: MisbehavingServer
) -> None:
    server.then(*[extracts()] * 3)
    process = start("-w", library, "enrich", "--extractor", "llm", "--no-index")
    when(process, lambda: len(server.requests) == 4)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    code, err = ended(process)
    # The second may find the process at its end already.
    assert code in (130, -signal.SIGINT)
    assert err == CONTINUES
    plan = json.loads(run("enrich", "--extractor", "llm", "--dry-run", "--json", workspace=library).out)
    assert plan["to_do"] - plan["opinions"]["cached"] == 68, "three calls of four documents are paid for"


def test_enrichment_by_a_model_stops_in_the_middle_of_a_piece(
    run: Run, library: Path, start: Start, server: MisbehavingServer
) -> None:
    server.then(*[extracts()] * 3)
    process = start("-w", library, "enrich", "--extractor", "llm", "--no-index")
    when(process, lambda: len(server.requests) == 4)
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, CONTINUES)
    waiting = run("enrich", "--failed", workspace=library).out.splitlines()
    assert len(waiting) == 68
    assert all("interrupted (tried 0 times)" in text for text in waiting)
    server.default = extracts()
    assert run("enrich", "--extractor", "llm", "--no-index", workspace=library).code == 0
    assert len(server.requests) == 4 + 17, "three answers were kept"


@pytest.mark.parametrize("what", [["--registry", "llm"], ["--agreement", "40"]], ids=" ".join)
def test_what_a_model_is_asked_beside_enrichment_ends_at_once(
    library: Path, start: Start, server: MisbehavingServer, what: list[str]
) -> None:
    server.then(extracts())
    process = start("-w", library, "enrich", *what)
    when(process, lambda: len(server.requests) == 2)
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, CONTINUES)


def test_who_waits_is_told_why(library: Path, start: Start, server: MisbehavingServer) -> None:
    process = start("-w", library, "chat", "--plain")
    assert process.stderr is not None
    assert process.stderr.readline().startswith("corpus lounges")
    process.send_signal(signal.SIGINT)
    # Its reader waits for a line that does not come.
    assert process.stderr.readline() == "evenhand: interrupted\n"
    assert process.stderr.readline() == SLOW
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, "")


def test_an_ingest_is_interrupted_between_two_pieces(run: Run, start: Start, tmp_path: Path) -> None:
    source, workspace = tmp_path / "many.csv", tmp_path / "w"
    rows = (f"{i},The food was good on day {i} and the staff were friendly\n" for i in range(60_000))
    source.write_text("id,text\n" + "".join(rows))
    process = start("-w", workspace, "ingest", source, "--no-index")
    when(process, (workspace / "write.pid").exists)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    code, err = ended(process)
    assert (code, err.removesuffix(SLOW)) == (130, CONTINUES)
    books = json.loads(run("ingest", source, "--no-index", "--json", workspace=workspace).out)["rows"]
    assert books["read"] == 60_000 == books["new"] + books["unchanged"]


def test_where_interrupts_are_ignored_they_stay_so(library: Path, start: Start) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start("-w", library, "ask", "What do travellers think of the food?")
    finally:
        signal.signal(signal.SIGINT, before)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    code, err = ended(process)
    assert code == 0, err
    assert "interrupted" not in err


def test_an_interrupt_outside_of_any_work(run: Run, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.catalog.Catalog.entities", interrupt)
    ran = run("entities", "list", workspace=library)
    assert (ran.code, ran.err) == (130, "evenhand: interrupted\n")


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Four questions in a file."""
    path = tmp_path / "questions.txt"
    things = ("food", "staff", "seats", "wifi")
    path.write_text("".join(f"What do travellers think of the {thing}?\n" for thing in things))
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_batch_that_breaks_off_keeps_the_answers_it_has(
    run: Run,
    library: Path,
    start: Start,
    server: MisbehavingServer,
    questions: Path,
    tmp_path: Path,
    number: signal.Signals,
) -> None:
    said, hush = streams("Most liked it."), silent()

    async def behave(request: Request, writer: Any) -> Any:
        return await (hush if "think of the seats?" in request.prompt else said)(request, writer)

    server.default = behave
    output = tmp_path / "answers.jsonl"
    partial = tmp_path / "answers.jsonl.partial"
    command = ("ask", "--batch", questions, "-k", "3", "--route", "opinion", "-o", output)
    process = start("-w", library, *command)
    when(process, lambda: partial.exists() and partial.read_text().count("\n") == 2)
    process.send_signal(number)
    code, err = ended(process)
    if number == signal.SIGINT:
        assert (code, err) == (130, f"evenhand: interrupted; 2 answers are kept in {partial}\n")
    kept = [json.loads(text) for text in partial.read_text().splitlines()]
    assert [each["index"] for each in kept] == [0, 1]
    assert not output.exists()
    server.default = said
    again = run(*command, workspace=library)
    assert again.code == 2
    assert f"{partial} is left of a run that broke off" in again.err
    partial.rename(tmp_path / "kept.jsonl")
    whole = run(*command, workspace=library)
    assert whole.code in (0, 4), whole.err
    assert len(output.read_text().splitlines()) == 5
    assert not partial.exists()
    assert f"written to {output}" in whole.err


def test_a_batch_that_fails_says_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = GrowingFile(tmp_path / "a.jsonl")
    file.write('{"index": 0}')
    with pytest.raises(StoreError), file:
        raise StoreError("the server went away")
    assert capsys.readouterr().err == f"1 answer is kept in {tmp_path / 'a.jsonl.partial'}\n"
    assert (tmp_path / "a.jsonl.partial").read_text() == '{"index": 0}\n'


def test_a_batch_without_an_answer_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError), GrowingFile(tmp_path / "a.jsonl"):
        raise StoreError("the server is not there")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_came_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    file = GrowingFile(path)
    file.write("{}")
    with pytest.raises(UsageError, match="exists by now"), file:
        path.write_text("mine")
    assert path.read_text() == "mine"
    assert (tmp_path / "a.jsonl.partial").read_text() == "{}\n"


def test_a_file_that_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot write .* \(No such file or directory\)"):
        GrowingFile(tmp_path / "none" / "a.jsonl")
