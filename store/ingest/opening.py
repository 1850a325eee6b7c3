"""Opens a file as bytes, unpacked; recognises what it is by its first bytes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO, Final, cast

from store.errors import IngestError, UsageError

CHUNK: Final = 1 << 20
_PIECE: Final = 1 << 16
#: First bytes of formats that people rename or pass by mistake.
_MAGIC: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"PAR1", "parquet"),
    (b"\xd0\xcf\x11\xe0", "old Excel"),
    (b"%PDF", "PDF"),
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"SQLite format 3", "SQLite database"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ", "xz archive"),
)


def magic(path: Path) -> str:
    """Return the name of the binary format that the first bytes show, or an empty text."""
    with reading(path), path.open("rb") as file:
        start = file.read(16)
    return next((name for prefix, name in _MAGIC if start.startswith(prefix)), "")


def check_exists(path: Path) -> None:
    """Raise UsageError for a path that does not exist and IngestError for one without content."""
    if not path.exists():
        near = _nearest(path)
        raise UsageError(f"no such file: {path}", f"did you mean {near}?" if near else "check the path")
    if not (path.is_file() or path.is_dir()):
        raise UsageError(f"{path} is neither a file nor a folder", "write a pipe's rows to a file first")
    if path.is_file() and path.stat().st_size == 0:
        raise IngestError(f"{path} is empty", "nothing was stored")


class ByteSource:
    """A file's bytes, unpacked when it is gzip, with the share read so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.packed = magic(path) == "gzip"
        self.size = max(1, path.stat().st_size)
        self._raw: BinaryIO | None = None

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open from the start."""
        with reading(self.path), self.path.open("rb") as raw:
            self._raw = raw
            if not self.packed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield cast(BinaryIO, unpacked)

    def sample(self, size: int = CHUNK) -> bytes:
        """Return the first ``size`` unpacked bytes."""
        with self.open() as file:
            return read_block(file, size)

    def fraction(self) -> float | None:
        """Share of the (packed) bytes read, in [0, 1]."""
        if self._raw is None or self._raw.closed:
            return None
        return min(1.0, self._raw.tell() / self.size)


def read_block(file: BinaryIO, size: int) -> bytes:
    """Return the next ``size`` bytes, fewer at the end or where gzip data are damaged.

    Looking at a file must not fail on damage further on: reading its rows will, after the rows before it.
    """
    parts: list[bytes] = []
    missing = size
    while missing > 0:
        try:
            part = cast(BufferedIOBase, file).read1(min(missing, _PIECE))
        except (EOFError, zlib.error, gzip.BadGzipFile):
            break
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the faults of reading a file into IngestError.

    Raises
    ------
    IngestError
        The file cannot be opened, or its gzip data are damaged or cut short.
    """
    try:
        yield
    except (gzip.BadGzipFile, zlib.error) as error:
        raise IngestError(f"{path} is damaged gzip data ({error})", "get the file again") from error
    except EOFError as error:
        raise IngestError(
            f"{path} is cut short: its gzip data have no end",
            "get the file again",
        ) from error
    except PermissionError as error:
        raise IngestError(f"cannot read {path}: permission denied", "check the file's permissions") from error
    except OSError as error:
        raise IngestError(f"cannot read {path}: {error.strerror or error}", "check the file") from error


def _nearest(path: Path) -> Path | None:
    from difflib import get_close_matches

    if not path.parent.is_dir():
        return None
    names = [entry.name for entry in path.parent.iterdir()]
    found = get_close_matches(path.name, names, n=1, cutoff=0.7)
    return path.parent / found[0] if found else None


__all__ = ["CHUNK", "ByteSource", "check_exists", "magic", "read_block", "reading"]
