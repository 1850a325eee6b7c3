from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from store.errors import StoreError, WorkspaceBusy
from store.workspace import Workspace
from tests.store.helpers import Store
from tests.store.test_indexing import check

HOLD = """
import sys, time
from pathlib import Path
from store.workspace import Workspace
with Workspace(Path(sys.argv[1])).writing(20):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
    Path(sys.argv[1], "was-held").touch()
"""

INDEX = """
import sys
from pathlib import Path
from store.database import Database
from store.errors import WorkspaceBusy
from store.indexing import Indexer
from store.vectors import ChromaStore
from store.workspace import Workspace
from tests.fakes.embedder import HashingEmbedder
root, timeout, pause = Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
workspace = Workspace(root)
embedder = HashingEmbedder()
def slow(texts):
    import time
    print("embedding", flush=True)
    time.sleep(pause)
embedder.before = slow
import store.indexing
store.indexing.WINDOW = 10
database, chroma = Database(workspace.database_url), ChromaStore(workspace.chroma_path)
try:
    with workspace.writing(timeout):
        Indexer(database, workspace, chroma, embedder).bring_up(1)
except WorkspaceBusy as error:
    print(error)
    sys.exit(error.exit_code)
chroma.close()
"""


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path.cwd(),
    )


def finish(process: subprocess.Popen[str], timeout: float = 120) -> str:
    output, _ = process.communicate(timeout=timeout)
    return output


def test_paths(tmp_path: Path) -> None:
    own, served = Workspace(tmp_path / "w"), Workspace(tmp_path / "w", "postgresql+psycopg://h/db")
    assert own.database_url == f"sqlite:///{tmp_path / 'w' / 'evenhand.db'}"
    assert not own.exists()
    own.create()
    own.create()
    assert (own.root.stat().st_mode & 0o777) == 0o700
    assert not own.exists()
    assert served.exists()
    own.database_path.touch()
    assert own.exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot create the workspace") as caught:
        Workspace(tmp_path / "file" / "w").create()
    assert caught.value.hint == "name another with --workspace"


def test_a_lock_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(StoreError, match="cannot write to the workspace"),
        Workspace(tmp_path / "file").writing(0),
    ):
        pass


def test_the_second_writer_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    holder = start(HOLD, tmp_path, 60)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert workspace.is_being_written()
        with (
            pytest.raises(WorkspaceBusy, match=rf"another process \(pid {holder.pid}\) is writing") as caught,
            workspace.writing(0.2),
        ):
            pass
        assert caught.value.retryable
        assert caught.value.hint == "wait for it to finish and run again"
    finally:
        holder.kill()
        finish(holder)
    # A killed writer leaves its note behind, and no lock.
    assert (tmp_path / "write.pid").exists()
    assert not workspace.is_being_written()
    with workspace.writing(0.2):
        assert (tmp_path / "write.pid").read_text() == str(os.getpid())
        assert workspace.is_being_written()
    assert not (tmp_path / "write.pid").exists()


def test_the_second_writer_waits(tmp_path: Path) -> None:
    holder = start(HOLD, tmp_path, 0.5)
    assert holder.stdout is not None
    holder.stdout.readline()
    with Workspace(tmp_path).writing(60):
        assert (tmp_path / "was-held").exists()
    finish(holder)


def test_readers_do_not_take_each_other_for_writers(tmp_path: Path) -> None:
    from filelock import FileLock

    workspace = Workspace(tmp_path)
    # What another reader's probe looks like at its worst moment.
    with FileLock(tmp_path / "write.lock"):
        assert not workspace.is_being_written()


def test_an_exception_frees_the_lock(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    with pytest.raises(ZeroDivisionError), workspace.writing(0):
        raise ZeroDivisionError
    assert not workspace.is_being_written()


def test_two_processes_that_index_at_once(store: Store) -> None:
    """The second gives up with the pid of the first, or waits for it; nothing is embedded or held twice."""
    store.add([f"review number {n}" for n in range(30)])
    store.reopen()
    root = store.workspace.root
    first = start(INDEX, root, 20, 0.5)
    assert first.stdout is not None
    assert first.stdout.readline() == "embedding\n"
    hasty, patient = start(INDEX, root, 0.1, 0), start(INDEX, root, 100, 0)
    said = finish(hasty)
    assert hasty.returncode == 1
    assert f"another process (pid {first.pid}) is writing to the workspace" in said
    assert finish(first).count("embedding") == 2
    assert first.returncode == 0
    assert finish(patient) == ""
    assert patient.returncode == 0
    check(store)


def test_a_killed_indexer_leaves_what_can_be_finished(store: Store) -> None:
    store.add([f"review number {n}" for n in range(30)])
    store.reopen()
    for _ in range(2):
        process = start(INDEX, store.workspace.root, 20, 0.3)
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        process.kill()
        finish(process)
    with store.workspace.writing(5):
        store.indexer.bring_up(store.corpus)
    check(store)
