"""A workspace: the folder that holds one database, its rebuildable indexes and its write lock."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from store.access import can_write
from store.errors import StoreError, Unwritable, WorkspaceBusy


class Workspace:
    """Paths and the write lock of one workspace folder.

    Parameters
    ----------
    root
        The folder; created by ``create``.
    database_url
        SQLAlchemy URL, or empty for the SQLite file in the folder.
    """

    def __init__(self, root: Path, database_url: str = "") -> None:
        self.root = root
        self.database_url = database_url or f"sqlite:///{root / 'evenhand.db'}"
        self.has_own_database = not database_url

    @property
    def database_path(self) -> Path:
        """The SQLite file of a workspace without a configured database."""
        return self.root / "evenhand.db"

    @property
    def chroma_path(self) -> Path:
        """Folder of the persistent Chroma client."""
        return self.root / "chroma"

    @property
    def checkpoints_path(self) -> Path:
        """SQLite file of the conversations' checkpoints."""
        return self.root / "checkpoints.db"

    @property
    def model_cache_path(self) -> Path:
        """Folder of cached model replies; they quote documents, so erasing clears it."""
        return self.root / "model-cache"

    @property
    def log_path(self) -> Path:
        """Log file."""
        return self.root / "logs" / "evenhand.log"

    def bm25_path(self, corpus_id: int, kind: str) -> Path:
        """File of one BM25 index."""
        return self.root / "bm25" / f"corpus-{corpus_id}-{kind}.npz"

    def exists(self) -> bool:
        """Whether the workspace was created."""
        return self.root.is_dir() and (not self.has_own_database or self.database_path.is_file())

    def create(self) -> None:
        """Make the folder, readable by its owner only.

        Raises
        ------
        StoreError
            The folder cannot be made.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(
                f"cannot create the workspace {self.root} ({error.strerror})", "name another with --workspace"
            ) from error

    def can_be_written(self) -> bool:
        """Whether the folder, and its own database if it holds one, can be written."""
        return can_write(self.root) and (not self.has_own_database or can_write(self.database_path))

    @contextmanager
    def writing(self, timeout: float) -> Iterator[None]:
        """Hold the write lock: one writer at a time, readers are not kept out.

        Raises
        ------
        WorkspaceBusy
            Another process holds the lock longer than ``timeout`` seconds.
        Unwritable
            The folder or the lock file cannot be written.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.root / "write.lock")
        owner = self.root / "write.pid"
        self.require_writable()
        try:
            lock.acquire(timeout=timeout)
        except Timeout as error:
            who = "unknown"
            with suppress(OSError):
                who = owner.read_text().strip() or who
            raise WorkspaceBusy(
                f"another process (pid {who}) is writing to the workspace {self.root}",
                "wait for it to finish and run again",
            ) from error
        except OSError as error:
            raise self._unwritable(error.strerror or str(error)) from error
        try:
            owner.write_text(str(os.getpid()))
            yield
        finally:
            owner.unlink(missing_ok=True)
            lock.release()

    def require_writable(self) -> None:
        """Raise Unwritable where the folder, or its own database, cannot be written."""
        if not self.can_be_written():
            raise self._unwritable("it is read-only")

    def _unwritable(self, reason: str) -> Unwritable:
        return Unwritable(f"to the workspace {self.root}", reason, "check the folder's permissions")

    def is_being_written(self) -> bool:
        """Whether some process (this one included) holds the write lock."""
        from filelock import FileLock, Timeout

        owner = self.root / "write.pid"
        if not owner.exists():
            # Nobody is asked for the lock then: two readers that probe it at once would take each other for a writer.
            return False
        lock = FileLock(self.root / "write.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return True
        except OSError:
            return False
        # The writer was killed.
        owner.unlink(missing_ok=True)
        lock.release()
        return False


__all__ = ["Workspace"]
