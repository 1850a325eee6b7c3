"""Chroma as the vector index: vectors and ids only.

Texts stay in SQL, so nothing readable has to be erased here. A collection carries the fingerprint of its embedder and
refuses another. Chroma takes a second to import: it is loaded with the first call.
"""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from store.access import can_write
from store.errors import (
    ConfigurationError,
    EmbedderMismatch,
    IndexReadOnly,
    IndexUnavailable,
    ServiceUnreachable,
    StoreError,
)
from store.ports import FloatMatrix, FloatVector

#: Well under every limit that machines report (166 to 41,666 items a batch).
BATCH = 1000
HEARTBEAT_SECONDS = 10.0
#: ``M_PERTURB`` of glibc's malloc.h.
_M_PERTURB = -6
#: Ids read at a time.
PAGE = 10_000


class ChromaStore:
    """The Chroma client of one workspace: a folder, or a server.

    Parameters
    ----------
    path
        Folder of the persistent client.
    url
        ``http://host:port`` of a Chroma server; empty for the folder.
    """

    def __init__(self, path: Path, url: str = "") -> None:
        self.path = path
        self.url = url
        self._client: Any = None

    def collection(self, corpus_id: int, kind: str, fingerprint: str, dimension: int) -> ChromaIndex:
        """Return the index of one kind of unit of one corpus (created when first written)."""
        return ChromaIndex(self, f"corpus-{corpus_id}-{kind}", fingerprint, dimension)

    def drop(self, corpus_id: int, kind: str) -> None:
        """Delete a collection, if there is one."""
        with _translated(self):
            client, name = self.client(), f"corpus-{corpus_id}-{kind}"
            if name in {found.name for found in client.list_collections()}:
                client.delete_collection(name)

    def erase(self) -> None:
        """Delete the whole folder, bytes and all; a server's collections are deleted one by one."""
        if self.url:
            with _translated(self):
                for found in self.client().list_collections():
                    if found.name.startswith("corpus-"):
                        self.client().delete_collection(found.name)
            return
        self.close()
        _overwrite_freed_memory()
        try:
            shutil.rmtree(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(
                f"cannot delete the vector index {self.path} ({error.strerror})",
                "check the folder's permissions",
            ) from error

    def client(self) -> Any:
        """Return the live client, opening it on first use.

        Raises
        ------
        IndexReadOnly
            There is an index, in a folder that cannot be written.
        """
        if self._client is None:
            catalogue = self.path / "chroma.sqlite3"
            if not self.url and catalogue.is_file() and not can_write(catalogue):
                raise IndexReadOnly("the vector index is not opened, for its folder cannot be written")
            import chromadb
            from chromadb.config import Settings

            quiet = Settings(anonymized_telemetry=False)
            if self.url:
                parts = urlsplit(self.url)
                if parts.scheme not in {"http", "https"} or not parts.hostname:
                    raise ConfigurationError(
                        f"`store.chroma_url` is `{self.url}`", "write it as http://host:port"
                    )
                import httpx

                # Chroma's own client waits for ever: a server that hangs is found out first.
                httpx.get(
                    f"{self.url.rstrip('/')}/api/v2/heartbeat", timeout=HEARTBEAT_SECONDS
                ).raise_for_status()
                self._client = chromadb.HttpClient(
                    host=parts.hostname,
                    port=parts.port or (443 if parts.scheme == "https" else 8000),
                    ssl=parts.scheme == "https",
                    settings=quiet,
                )
            else:
                self.path.mkdir(parents=True, exist_ok=True)
                try:
                    self._client = chromadb.PersistentClient(self.path, settings=quiet)
                except BaseException:
                    self._unregister()
                    raise
        return self._client

    def close(self) -> None:
        """Stop the client, so that its folder can be deleted or opened anew."""
        if self._client is not None:
            client, self._client = self._client, None
            # Chroma leaves its two connections to a server open.
            servers = [
                getattr(part, "_server", None) for part in (client, getattr(client, "_admin_client", None))
            ]
            sessions = [getattr(server, "_session", None) for server in servers]
            try:
                client.close()
            finally:
                self._unregister()
                for session in filter(None, sessions):
                    session.close()

    def _unregister(self) -> None:
        # Chroma keeps one live system a folder for the whole process, also one that failed to start: the next client
        # of the folder would get it again.
        from chromadb.api.shared_system_client import SharedSystemClient

        SharedSystemClient._identifier_to_system.pop(str(self.path), None)
        SharedSystemClient._identifier_to_refcount.pop(str(self.path), None)


class ChromaIndex:
    """One collection, as ``store.ports.VectorIndex``."""

    def __init__(self, store: ChromaStore, name: str, fingerprint: str, dimension: int) -> None:
        self.name = name
        self._store = store
        self._fingerprint = fingerprint
        self._dimension = dimension
        self._collection: Any = None

    def add(self, ids: Sequence[int], vectors: FloatMatrix) -> None:
        """Add or replace vectors, shape (len(ids), dimension)."""
        if vectors.shape != (len(ids), self._dimension):
            raise EmbedderMismatch(
                f"vectors of shape {vectors.shape} do not fit {self.name} ({self._dimension} dimensions)",
                "set `store.embedder` to the corpus' own embedder, or rebuild with `evenhand doctor --rebuild`",
            )
        with _translated(self._store):
            collection = self._create()
            size = min(BATCH, self._store.client().get_max_batch_size())
            for first in range(0, len(ids), size):
                part = ids[first : first + size]
                collection.upsert(ids=[str(i) for i in part], embeddings=vectors[first : first + size])

    def delete(self, ids: Sequence[int]) -> None:
        """Remove ids; unknown ids are ignored."""
        with _translated(self._store):
            collection = self._find()
            for first in range(0, len(ids) if collection else 0, BATCH):
                collection.delete(ids=[str(i) for i in ids[first : first + BATCH]])

    def search(self, vector: FloatVector, n: int) -> list[tuple[int, float]]:
        """Return the at most ``n`` nearest ids with cosine similarity, best first.

        Raises
        ------
        IndexUnavailable
            The collection is missing or damaged.
        EmbedderMismatch
            It was built with another embedder.
        ServiceUnreachable
            The Chroma server does not answer.
        """
        with _translated(self._store):
            collection = self._find()
            if collection is None:
                raise IndexUnavailable(
                    f"the vector index {self.name} is missing", "run `evenhand doctor --rebuild`"
                )
            n = min(n, collection.count())
            if n == 0:
                return []
            found = collection.query(query_embeddings=[vector], n_results=n, include=["distances"])
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [(int(i), 1.0 - float(d)) for i, d in pairs]

    def ids(self) -> set[int]:
        """All ids held."""
        with _translated(self._store):
            collection = self._find()
            found: set[int] = set()
            offset, page = 0, PAGE
            while collection:
                got = collection.get(include=[], limit=page, offset=offset)["ids"]
                found.update(int(i) for i in got)
                if len(got) < page:
                    break
                offset += page
            return found

    def count(self) -> int:
        """How many ids are held."""
        with _translated(self._store):
            collection = self._find()
            return int(collection.count()) if collection else 0

    def _create(self) -> Any:
        if self._find() is None:
            self._collection = self._store.client().create_collection(
                self.name,
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine", "ef_search": 200}},
                metadata={"fingerprint": self._fingerprint, "dimension": self._dimension},
            )
        return self._collection

    def _find(self) -> Any:
        """Return the collection, or None where there is none; only one of our own embedder is accepted."""
        if self._collection is None:
            client = self._store.client()
            if self.name not in {found.name for found in client.list_collections()}:
                return None
            collection = client.get_collection(self.name, embedding_function=None)
            found = (collection.metadata or {}).get("fingerprint")
            if found != self._fingerprint:
                raise EmbedderMismatch(
                    f"the vector index {self.name} was built with `{found}`, not with `{self._fingerprint}`",
                    "set `store.embedder` to the corpus' own embedder, or rebuild with `evenhand doctor --rebuild`",
                )
            self._collection = collection
        return self._collection


class _translated:  # noqa: N801 - reads as a verb in `with`
    """Turns Chroma's and its transport's errors into our own tree."""

    def __init__(self, store: ChromaStore) -> None:
        self._store = store

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # A panic of Chroma's Rust core is no Exception.
        panicked = type(error).__module__.startswith("pyo3")
        if error is None or isinstance(error, StoreError) or not (isinstance(error, Exception) or panicked):
            return
        from chromadb.errors import ChromaError

        if self._store.url and (isinstance(error, (ConnectionError, ValueError)) or _is_transport(error)):
            raise ServiceUnreachable(
                f"the Chroma server {self._store.url} does not answer ({_line(error)})",
                "start it or correct `store.chroma_url`",
            ) from error
        if isinstance(error, (ChromaError, OSError, RuntimeError)) or panicked or "sqlite" in _line(error):
            raise IndexUnavailable(
                f"the vector index in {self._store.path.name} cannot be used ({_line(error)})",
                "run `evenhand doctor --rebuild`",
            ) from error


def _overwrite_freed_memory() -> None:
    """Make the C library fill memory as it is handed out, from now on.

    Chroma writes its index with room for more vectors, and never clears that room: vectors that this process held
    before would come back in the new files.
    """
    try:
        ctypes.CDLL(None).mallopt(_M_PERTURB, 0x55)
    except (OSError, AttributeError, TypeError):
        # Not glibc: only Linux offers this.
        return


def _is_transport(error: BaseException) -> bool:
    return type(error).__module__.split(".")[0] in {"httpx", "httpcore"}


def _line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


__all__ = ["ChromaIndex", "ChromaStore"]
