"""The contract of ``VectorIndex``: on the exact fake, on Chroma's folder and on a Chroma server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from store.ports import FloatMatrix, VectorIndex
from store.vectors import ChromaStore
from tests.fakes.indexes import ExactVectorIndex

DIMENSION = 12
Open = Callable[[], VectorIndex]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="module")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Chroma server on loopback, for this module."""
    port = free_port()
    folder = tmp_path_factory.mktemp("server")
    command = [Path(sys.executable).parent / "chroma", "run", "--path", folder / "data"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    why = ""
    with (folder / "log").open("wb") as log:
        try:
            server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        except OSError as error:
            why = str(error)
        else:
            until = time.monotonic() + 60
            while time.monotonic() < until and server.poll() is None:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.1)
            else:
                why = (folder / "log").read_text(errors="replace")[-500:]
        if why:
            reason = f"`chroma run` does not start: {why}"
            if os.environ.get("CI") == "true":
                pytest.fail(reason)
            pytest.skip(reason)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(timeout=30)


@pytest.fixture(params=["exact", "folder", "server"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same index anew at every call."""
    if request.param == "exact":
        kept = ExactVectorIndex()
        yield lambda: kept
        return
    url = request.getfixturevalue("chroma_server") if request.param == "server" else ""
    opened: list[ChromaStore] = []

    def open_index() -> VectorIndex:
        if opened:
            opened.pop().close()
        opened.append(ChromaStore(tmp_path / "chroma", url))
        return opened[0].collection(7, "raw", "contract/12/abc", DIMENSION)

    yield open_index
    if url:
        opened[0].erase()
    opened[0].close()


def unit_vectors(n: int, seed: int = 0) -> FloatMatrix:
    matrix = np.random.default_rng(seed).normal(size=(n, DIMENSION)).astype(np.float32)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def test_life_of_an_index(reopen: Open) -> None:
    index = reopen()
    assert (index.count(), index.ids()) == (0, set())
    index.delete([1, 2])

    vectors = unit_vectors(60)
    ids = [3 * n + 1 for n in range(60)]
    index.add(ids, vectors)
    assert (index.count(), index.ids()) == (60, set(ids))

    # The cosine is numpy's, the order is by it, and n is respected.
    query = unit_vectors(1, seed=9)[0]
    exact = sorted(zip(ids, (vectors @ query).tolist(), strict=True), key=lambda pair: -pair[1])
    found = index.search(query, 10)
    assert [item for item, _ in found] == [item for item, _ in exact[:10]]
    np.testing.assert_allclose([c for _, c in found], [c for _, c in exact[:10]], atol=1e-5)
    assert len(index.search(query, 1000)) == 60
    assert len(index.search(query, 1)) == 1

    # Adding an id again replaces its vector.
    index.add([ids[0]], query[None, :])
    assert index.count() == 60
    best, cosine = index.search(query, 1)[0]
    assert best == ids[0]
    assert cosine == pytest.approx(1.0, abs=1e-5)

    # Deleting ignores what is not there, and what is deleted is found no more.
    index.delete([ids[0], ids[1], 999_999])
    assert index.ids() == set(ids[2:])
    assert index.search(query, 1)[0][0] == next(i for i, _ in exact if i not in ids[:2])

    index = reopen()
    assert (index.count(), index.ids()) == (58, set(ids[2:]))
    assert index.search(vectors[5], 1)[0][0] == ids[5]


def test_adding_nothing(reopen: Open) -> None:
    index = reopen()
    index.add([], unit_vectors(0).reshape(0, DIMENSION))
    assert index.ids() == set()
