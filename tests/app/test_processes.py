"""What only shows between processes: interruption, broken pipes, PostgreSQL, conversations."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.app.conftest import Run

ASK = [sys.executable, "-m", "app.cli"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)}


def test_interrupted_ingest_keeps_what_it_did_and_continues(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "many.csv"
    with source.open("w") as file:
        file.write("id,text\n")
        for i in range(60_000):
            file.write(f"{i},The food was good on day {i} and the staff were friendly\n")
    workspace = tmp_path / "w"
    command = [*ASK, "--workspace", str(workspace), "ingest", str(source), "--no-index"]
    process = subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (workspace / "write.pid").exists():
        time.sleep(0.05)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    ran = run("ingest", source, "--no-index", "--json", workspace=workspace)
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)["rows"]
    assert rows["read"] == 60_000 == rows["new"] + rows["unchanged"]
    assert rows["quarantined"] == 0


def test_a_closed_pipe_is_no_traceback(library: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -m app.cli --workspace {library} export documents | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command], env=environment(), capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("id,")


def test_a_follow_up_is_understood_from_the_turn_before(run: Run, library: Path) -> None:
    first = run("ask", "What do travellers think of the food?", "--thread", "t1", "--json", workspace=library)
    assert first.code == 0, first.err
    second = run("ask", "And what do they complain about?", "--thread", "t1", "--json", workspace=library)
    assert second.code == 0, second.err
    receipt = json.loads(second.out)["receipt"]
    assert [entity["name"] for entity in receipt["entities"]] == ["food"]
    assert receipt["route"]["side"] == "negative"
    assert "food" in receipt["standalone_question"]
    alone = run("ask", "And what do they complain about?", "--json", workspace=library)
    assert [entity["name"] for entity in json.loads(alone.out)["receipt"]["entities"]] != ["food"]


@pytest.mark.postgres
def test_the_whole_path_on_postgresql(
    run: Run, tmp_path: Path, reviews: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENHAND_STORE__DATABASE_URL", postgres_url)
    few = tmp_path / "few.csv"
    few.write_text("\n".join(reviews.read_text().splitlines()[:41]) + "\n")
    workspace = tmp_path / "w"
    options = ["--map", "text=content", "--attribute", "country=author_country", "--map", "author=author_id"]
    ran = run("-c", "pg", "-q", "ingest", few, *options, workspace=workspace)
    assert ran.code == 0, ran.err
    assert run("-c", "pg", "-q", "enrich", workspace=workspace).code == 0
    asked = run(
        "-c", "pg", "ask", "What do travellers think of the food?", "-k", "6", "--json", workspace=workspace
    )
    assert asked.code == 0, asked.err
    receipt = json.loads(asked.out)["receipt"]
    assert len(receipt["ranking"]) == 6
    counted = run("-c", "pg", "ask", "How many reviews mention the food?", "--json", workspace=workspace)
    assert json.loads(counted.out)["receipt"]["counts"][0]["value"] > 0
    assert run("-c", "pg", "doctor", workspace=workspace).code == 0
    document = run("-c", "pg", "export", "documents", workspace=workspace).out.splitlines()[1].split(",")[0]
    assert run("-c", "pg", "-q", "forget", "--document", document, "--yes", workspace=workspace).code == 0
    assert not (workspace / "evenhand.db").exists()
