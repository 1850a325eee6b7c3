"""A file of answers that cost money: each line is on disk as soon as it is there, the file whole at its end."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from app.cli.console import note
from app.cli.interrupts import Interrupted
from store.errors import StoreError, UsageError


class GrowingFile:
    """Lines go to ``NAME.partial``, which becomes ``NAME`` at the end; what breaks off leaves it, and says so.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UsageError
        It exists already, or lines of a run that broke off do.
    StoreError
        It cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.partial = path.with_name(f"{path.name}.partial")
        self.lines = 0
        # Said before hours of answers, not after.
        if path.exists():
            raise UsageError(f"{path} exists already", "name another file")
        try:
            self._file = self.partial.open("x", encoding="utf-8")
        except FileExistsError:
            raise UsageError(
                f"{self.partial} is left of a run that broke off",
                "move it away, or name another file",
            ) from None
        except OSError as error:
            raise StoreError(f"cannot write {self.partial} ({error.strerror})") from None

    def write(self, line: str) -> None:
        """Add a line, so that it outlives this process.

        Raises
        ------
        StoreError
            It cannot be written.
        """
        try:
            self._file.write(f"{line.rstrip()}\n")
            self._file.flush()
        except OSError as error:
            raise StoreError(f"cannot write {self.partial} ({error.strerror})") from None
        self.lines += 1

    def kept(self) -> str:
        """Return in words what a run that breaks off now leaves; empty for nothing."""
        what = "1 answer is" if self.lines == 1 else f"{self.lines:,} answers are"
        return f"{what} kept in {self.partial}" if self.lines else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if error is None:
            self._finish()
        elif not self.lines:
            self.partial.unlink(missing_ok=True)
        elif not isinstance(error, Interrupted):
            note(self.kept())

    def _finish(self) -> None:
        if self.path.exists():
            raise UsageError(f"{self.path} exists by now", f"the results are in {self.partial}")
        try:
            self.partial.replace(self.path)
        except OSError as failure:
            raise StoreError(
                f"cannot write {self.path} ({failure.strerror})", f"the results are in {self.partial}"
            ) from None
        note(f"written to {self.path}")


__all__ = ["GrowingFile"]
