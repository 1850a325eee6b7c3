"""What every command shares: settings from flags, the two streams, progress, errors as one line and an exit code."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from app.cli.interrupts import INTERRUPTED, Interrupted, interruptible, kept_by

if TYPE_CHECKING:
    from app.bootstrap import Parts
    from app.catalog import Catalog
    from app.events import Finished, Progress
    from app.service import Service
    from app.settings import Settings

T = TypeVar("T")

DONE, FAILED, USAGE, UNREACHABLE, PARTIAL, CHECK_FAILED = 0, 1, 2, 3, 4, 5


@dataclass
class Shell:
    """The options given before the command, and what is made of them on first use."""

    workspace: Path | None = None
    config: Path | None = None
    corpus: str = ""
    quiet: bool = False
    verbose: int = 0
    color: str = "auto"
    ascii: bool = False
    debug: bool = False
    command: str = ""
    overrides: dict[str, Any] = field(default_factory=dict)
    _parts: Parts | None = None

    @property
    def settings(self) -> Settings:
        """The settings, with the flags on top."""
        return self.parts.settings

    @property
    def parts(self) -> Parts:
        """The live adapters."""
        if self._parts is None:
            from app.bootstrap import Parts
            from app.logs import configure
            from app.settings import load_settings
            from store.access import can_write

            flags = {
                "workspace": str(self.workspace) if self.workspace else None,
                "corpus": self.corpus or None,
                "log_level": {0: None, 1: "INFO"}.get(self.verbose, "DEBUG"),
                **self.overrides,
            }
            settings, project = load_settings(self.config, flags)
            self._parts = Parts(settings, project)
            workspace = self._parts.workspace
            logged = workspace.root.is_dir() and can_write(workspace.log_path)
            configure(workspace.log_path if logged else None, settings.log_level)
        return self._parts

    def close(self) -> None:
        """Close what a command opened."""
        if self._parts is not None:
            self._parts.close()

    @property
    def service(self) -> Service:
        """The use cases."""
        from app.service import Service

        return Service(self.parts)

    @property
    def catalog(self) -> Catalog:
        """Reads and curation."""
        from app.catalog import Catalog

        return Catalog(self.parts)


def shell(context: typer.Context) -> Shell:
    """Return the shell of a command's context."""
    found = context.find_object(Shell)
    assert found is not None, "the root callback sets it"
    return found


def out(text: str) -> None:
    """Write a result to stdout."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def note(text: str) -> None:
    """Write a diagnostic to stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def out_json(schema: str, document: dict[str, Any]) -> None:
    """Write one JSON document with its schema's name to stdout."""
    from app.views.receipt_json import dump_json

    out(dump_json({"schema": schema, **document}))


def width() -> int:
    """Return the width of the terminal, 100 where there is none."""
    if not sys.stdout.isatty():
        return 100
    return max(40, min(os.get_terminal_size(sys.stdout.fileno()).columns, 140))


def run_async(task: Coroutine[Any, Any, T], parts: Parts, kept: Callable[[], str] = str) -> T:
    """Run a coroutine and close what it opened.

    Parameters
    ----------
    kept
        Asked at Ctrl-C: what is kept of the work, in words.

    Raises
    ------
    Interrupted
        Ctrl-C ended it.
    """

    async def whole() -> T:
        with interruptible(kept):
            try:
                return await task
            finally:
                await parts.aclose()

    try:
        return asyncio.run(whole())
    except asyncio.CancelledError:
        raise Interrupted from None


def run_job(shell: Shell, events: AsyncIterator[Progress | Finished]) -> Any:
    """Run a job to its end with a progress bar on stderr; returns its result.

    Raises
    ------
    Interrupted
        Ctrl-C asked the job to stop; it keeps what it did.
    """
    from app.cli.progress import ProgressBar
    from app.events import Finished

    async def consume() -> Any:
        result = None
        with ProgressBar(enabled=not shell.quiet) as bar:
            async for event in events:
                if isinstance(event, Finished):
                    result = event.result
                else:
                    bar.show(event)
        return result

    return run_async(consume(), shell.parts, lambda: kept_by(shell.command))


def write_output(path: Path | None, text: str, force: bool = False) -> None:
    """Write to a file (never half, never over another one unasked), or to stdout for None or ``-``.

    Raises
    ------
    UsageError
        The file exists and ``force`` is not given.
    StoreError
        It cannot be written.
    """
    from app.files import write_whole

    if path is None or str(path) == "-":
        out(text)
        return
    write_whole(path, text, force)
    note(f"written to {path}")


__all__ = [
    "CHECK_FAILED",
    "DONE",
    "FAILED",
    "INTERRUPTED",
    "PARTIAL",
    "UNREACHABLE",
    "USAGE",
    "Interrupted",
    "Shell",
    "note",
    "out",
    "out_json",
    "run_async",
    "run_job",
    "shell",
    "width",
    "write_output",
]
