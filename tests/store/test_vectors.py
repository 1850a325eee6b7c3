from __future__ import annotations

import socket
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import store.vectors
from store.errors import (
    ConfigurationError,
    EmbedderMismatch,
    IndexReadOnly,
    IndexUnavailable,
    ServiceUnreachable,
)
from store.vectors import ChromaIndex, ChromaStore
from tests.contracts.test_vector_index import chroma_server, free_port, unit_vectors

__all__ = ["chroma_server"]


@pytest.fixture
def chroma(tmp_path: Path) -> Iterator[ChromaStore]:
    found = ChromaStore(tmp_path / "chroma")
    yield found
    found.close()


def index_of(chroma: ChromaStore, kind: str = "raw", fingerprint: str = "fp/12/a") -> ChromaIndex:
    return chroma.collection(1, kind, fingerprint, 12)


def test_batches_stay_under_the_client_s_limit(chroma: ChromaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(chroma.client()), "get_max_batch_size", lambda _: 7)
    sizes: list[int] = []
    index = index_of(chroma)
    index.add([0], unit_vectors(1))
    collection = index._collection
    upsert = type(collection).upsert

    def count(self: object, ids: list[str], embeddings: object) -> None:
        sizes.append(len(ids))
        upsert(self, ids=ids, embeddings=embeddings)

    monkeypatch.setattr(type(collection), "upsert", count)
    index.add(range(30), unit_vectors(30))
    assert sizes == [7, 7, 7, 7, 2]
    assert index.ids() == set(range(30))


def test_more_than_one_page_of_ids(chroma: ChromaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.vectors, "PAGE", 8)
    index = index_of(chroma)
    index.add(range(24), unit_vectors(24))
    assert index.ids() == set(range(24))


def test_neither_texts_nor_metadata_are_stored(chroma: ChromaStore) -> None:
    index_of(chroma).add(range(5), unit_vectors(5))
    held = (
        chroma.client()
        .get_collection("corpus-1-raw", embedding_function=None)
        .get(include=["metadatas", "documents"])
    )
    assert held["documents"] == [None] * 5
    assert held["metadatas"] == [None] * 5
    chroma.close()
    with closing(sqlite3.connect(chroma.path / "chroma.sqlite3")) as connection:
        assert connection.execute("SELECT count(*) FROM embedding_metadata").fetchone() == (0,)


def test_another_embedder_is_refused(chroma: ChromaStore) -> None:
    index_of(chroma).add([1], unit_vectors(1))
    other = index_of(chroma, fingerprint="fp/12/b")
    uses: list[Callable[[], object]] = [
        lambda: other.add([2], unit_vectors(1)),
        lambda: other.search(unit_vectors(1)[0], 1),
        lambda: other.delete([1]),
        other.ids,
        other.count,
    ]
    for use in uses:
        with pytest.raises(EmbedderMismatch, match="was built with `fp/12/a`, not with `fp/12/b`") as caught:
            use()
        assert caught.value.exit_code == 2
        assert "evenhand doctor --rebuild" in caught.value.hint
    assert index_of(chroma).ids() == {1}


@pytest.mark.parametrize("shape", [(2, 11), (3, 12)])
def test_vectors_of_another_shape_are_refused(chroma: ChromaStore, shape: tuple[int, int]) -> None:
    with pytest.raises(EmbedderMismatch, match=r"do not fit corpus-1-raw \(12 dimensions\)"):
        index_of(chroma).add([1, 2], np.ones(shape, dtype=np.float32))
    assert index_of(chroma).count() == 0


def test_kinds_and_corpora_are_apart_and_can_be_dropped(chroma: ChromaStore) -> None:
    index_of(chroma).add([1], unit_vectors(1))
    index_of(chroma, "enriched").add([2], unit_vectors(1))
    chroma.collection(2, "raw", "fp/12/a", 12).add([3], unit_vectors(1))
    chroma.drop(1, "raw")
    chroma.drop(1, "raw")
    assert index_of(chroma).ids() == set()
    assert index_of(chroma, "enriched").ids() == {2}
    assert chroma.collection(2, "raw", "fp/12/a", 12).ids() == {3}


def wreck(chroma: ChromaStore, how: str) -> None:
    chroma.close()
    database = chroma.path / "chroma.sqlite3"
    if how == "deleted":
        database.unlink()
    elif how == "not a database":
        database.write_bytes(b"a letter to my aunt" * 500)
    elif how == "damaged inside":
        raw = database.read_bytes()
        database.write_bytes(raw[:4096] + b"\xff" * (len(raw) - 4096))
    else:
        files = [file for file in chroma.path.glob("*/*") if file.is_file()]
        assert files
        for file in files:
            file.write_bytes(b"\xff" * file.stat().st_size)


@pytest.mark.parametrize("how", ["deleted", "not a database", "damaged inside", "segment"])
def test_a_damaged_folder_is_said_so_and_can_be_made_anew(chroma: ChromaStore, how: str) -> None:
    vectors = unit_vectors(1100)
    index_of(chroma).add(range(1100), vectors)
    wreck(chroma, how)
    for _ in range(2):
        with pytest.raises(IndexUnavailable) as caught:
            index_of(chroma).search(vectors[0], 3)
        assert caught.value.hint == "run `evenhand doctor --rebuild`"
    chroma.erase()
    assert not chroma.path.exists()
    index_of(chroma).add(range(1100), vectors)
    assert index_of(chroma).search(vectors[17], 1)[0][0] == 17


def test_folder_deleted_under_an_open_client(chroma: ChromaStore) -> None:
    import shutil

    index = index_of(chroma)
    index.add(range(20), unit_vectors(20))
    shutil.rmtree(chroma.path)
    with pytest.raises(IndexUnavailable):
        index.add([99], unit_vectors(1))
    chroma.erase()
    index_of(chroma).add(range(20), unit_vectors(20))
    assert index_of(chroma).count() == 20


def test_an_index_that_cannot_be_written_is_not_opened(
    chroma: ChromaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_of(chroma).add(range(20), unit_vectors(20))
    chroma.close()
    monkeypatch.setattr(store.vectors, "can_write", lambda _: False)
    index = index_of(chroma)
    for use in (index.count, index.ids, lambda: index.search(unit_vectors(1)[0], 3)):
        with pytest.raises(IndexReadOnly, match="its folder cannot be written") as caught:
            use()
        assert caught.value.hint == "", "there is nothing to rebuild"
    monkeypatch.setattr(store.vectors, "can_write", lambda _: True)
    assert index.count() == 20


def test_closing_one_store_leaves_another_open(chroma: ChromaStore, tmp_path: Path) -> None:
    other = ChromaStore(tmp_path / "other")
    index_of(chroma).add([1], unit_vectors(1))
    index_of(other).add([2], unit_vectors(1))
    other.close()
    assert index_of(chroma).ids() == {1}
    assert index_of(other).ids() == {2}
    other.close()


def test_no_telemetry(chroma: ChromaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection to the outside")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    index_of(chroma).add([1], unit_vectors(1))
    index_of(chroma).search(unit_vectors(1)[0], 1)
    settings = chroma.client().get_settings()
    assert settings.anonymized_telemetry is False
    assert not settings.chroma_otel_collection_endpoint
    assert "posthog" not in sys.modules


def test_server_that_is_not_there() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(ServiceUnreachable, match=f"the Chroma server {url} does not answer") as caught:
        index_of(ChromaStore(Path("unused"), url)).search(unit_vectors(1)[0], 1)
    assert caught.value.exit_code == 3
    assert caught.value.hint == "start it or correct `store.chroma_url`"


def test_server_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.vectors, "HEARTBEAT_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ServiceUnreachable, match="does not answer"):
            index_of(ChromaStore(Path("unused"), url)).ids()


def test_server_that_is_no_chroma_server() -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        found.listen()

        def answer() -> None:
            while True:
                try:
                    peer, _ = found.accept()
                except OSError:
                    return
                with peer:
                    peer.recv(4096)
                    peer.sendall(
                        b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnope"
                    )

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            with pytest.raises(ServiceUnreachable, match="does not answer"):
                index_of(ChromaStore(Path("unused"), f"http://127.0.0.1:{found.getsockname()[1]}")).ids()
        finally:
            found.shutdown(socket.SHUT_RDWR)
            thread.join(5)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host", "http://"])
def test_urls_that_cannot_be_used(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"`store\.chroma_url` is"):
        ChromaStore(Path("unused"), url).client()


def test_a_server_refuses_another_embedder_and_forgets(chroma_server: str) -> None:
    chroma = ChromaStore(Path("unused"), chroma_server)
    index_of(chroma).add([1], unit_vectors(1))
    with pytest.raises(EmbedderMismatch):
        index_of(chroma, fingerprint="fp/12/b").search(unit_vectors(1)[0], 1)
    chroma.erase()
    with pytest.raises(IndexUnavailable, match="is missing"):
        index_of(chroma).search(unit_vectors(1)[0], 1)
    chroma.close()
    assert not Path("unused").exists()
