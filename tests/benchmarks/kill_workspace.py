"""Kill -9 at random moments of ingest and of enrich, through to the indexes; then run again and compare.

    python -m tests.benchmarks.kill_workspace [--kills 20] [--rows 300] [--seed 0]

After every kill the same command is run to its end: the books must balance, SQL = Chroma = BM25, and documents,
opinions and stances must equal those of a run that nobody interrupted.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

THINGS = ("room", "staff", "breakfast", "pool", "wifi", "bed", "bathroom", "location", "parking", "bar")
VERDICTS = ("was great", "was awful", "was not bad", "could be better", "was perfect", "was dirty and broken")
COMMAND = [sys.executable, "-m", "app.cli", "-q", "--workspace"]
TABLES = {
    "documents": "SELECT external_id, text FROM documents ORDER BY external_id",
    "opinions": (
        "SELECT d.external_id, e.key, o.score, o.quote FROM opinions o JOIN documents d ON d.id = o.document_id"
        " JOIN entities e ON e.id = o.entity_id ORDER BY 1, 2, 3, 4"
    ),
    "stances": (
        "SELECT d.external_id, e.key, s.score FROM stances s JOIN documents d ON d.id = s.document_id"
        " JOIN entities e ON e.id = s.entity_id ORDER BY 1, 2"
    ),
    "units": "SELECT kind, text_hash, count(*) FROM units GROUP BY kind, text_hash ORDER BY 1, 2",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    source = folder / "reviews.csv"
    _write(source, arguments.rows, chance)
    failed = 0
    for stage in ("ingest", "enrich"):
        start = folder / f"{stage}-start"
        if stage == "enrich":
            _run(start, ["ingest", str(source)])
        command = ["ingest", str(source)] if stage == "ingest" else ["enrich"]
        reference = folder / f"{stage}-reference"
        if start.exists():
            shutil.copytree(start, reference)
        began = time.monotonic()
        _run(reference, command)
        seconds = time.monotonic() - began
        wanted = _contents(reference)
        print(
            f"{stage}: {seconds:.1f} s without a kill; {', '.join(f'{k} {len(v)}' for k, v in wanted.items())}"
        )
        for number in range(arguments.kills):
            workspace = folder / f"{stage}-{number}"
            if start.exists():
                shutil.copytree(start, workspace)
            moment = chance.uniform(0.05, 1.0) * seconds
            done = _kill(workspace, command, moment)
            _run(workspace, command)
            doctor = subprocess.run(
                [*COMMAND, str(workspace), "doctor"], capture_output=True, text=True, check=False
            )
            differ = [name for name, rows in _contents(workspace).items() if rows != wanted[name]]
            good = doctor.returncode == 0 and not differ
            failed += not good
            state = "was done" if done else "killed"
            print(
                f"  {stage} {number + 1:2d}: {state} after {moment:4.1f} s: {'ok' if good else 'WRONG'} {differ or ''}"
            )
            if not good:
                print(doctor.stdout)
            shutil.rmtree(workspace)
    print("no loss, no double, SQL = Chroma = BM25 after every kill" if not failed else f"{failed} WRONG")
    return int(failed > 0)


def _write(path: Path, rows: int, chance: random.Random) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("id,text\n")
        for i in range(rows):
            said = [f"The {thing} {chance.choice(VERDICTS)}" for thing in chance.sample(THINGS, 3)]
            file.write(f"{i},{'. '.join(said)} on day {i}.\n")


def _run(workspace: Path, command: list[str]) -> None:
    done = subprocess.run([*COMMAND, str(workspace), *command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr}")


def _kill(workspace: Path, command: list[str], moment: float) -> bool:
    process = subprocess.Popen(
        [*COMMAND, str(workspace), *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(timeout=moment)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return False
    return True


def _contents(workspace: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(workspace / "evenhand.db") as connection:
        return {name: connection.execute(query).fetchall() for name, query in TABLES.items()}


if __name__ == "__main__":
    sys.exit(main())
