"""What stands before an ingest: the file looked at, its mapping shown, the workspace made; for faces that ask first."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.bootstrap import Parts
from store.errors import UsageError

if TYPE_CHECKING:
    from store.ingest.columns import Mapping
    from store.ingest.overrides import Overrides


@dataclass(frozen=True)
class Preview:
    """A file that can be read, what its columns become, and what the user said about them."""

    path: Path
    mapping: Mapping
    overrides: Overrides
    columns: tuple[str, ...]
    sample: dict[str, str]


def preview(path: str, maps: str = "", attributes: str = "") -> Preview:
    """Open a file or folder and decide its mapping; stores nothing.

    Parameters
    ----------
    maps, attributes
        Values of ``--map`` and ``--attribute``, apart by blanks, quoted where they hold one.

    Raises
    ------
    UsageError
        No path, a wrong path, mapping or column.
    IngestError
        The file cannot be read, or has no rows.
    """
    from store.ingest.overrides import parse_overrides
    from store.ingest.plan import plan

    if not path.strip():
        raise UsageError("no file named", "type the path of a file or folder")
    overrides = parse_overrides(_split(maps), _split(attributes))
    file = Path(path.strip()).expanduser()
    planned = plan(file, overrides=overrides)
    sample = planned.sample[0] if planned.sample else {}
    return Preview(file, planned.mapping, overrides, tuple(planned.columns), sample)


def ensure_workspace(parts: Parts) -> bool:
    """Make the workspace where there is none; returns whether it is new."""
    return False if parts.workspace.exists() else parts.create()


def other_writer(parts: Parts) -> str:
    """Return the process that is writing to the workspace now, empty where none is."""
    workspace = parts.workspace
    if not workspace.exists() or not workspace.is_being_written():
        return ""
    try:
        return (workspace.root / "write.pid").read_text().strip() or "unknown"
    except OSError:
        # It ended between the two looks.
        return ""


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"`{text}` cannot be read ({error})", "close the quotation mark") from None


__all__ = ["Preview", "ensure_workspace", "other_writer", "preview"]
