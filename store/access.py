"""Whether a place can be written: asked before it is tried, because trying may take long or leave something behind."""

from __future__ import annotations

import os
from pathlib import Path


def can_write(path: Path) -> bool:
    """Tell whether a folder, or a file and the folder that holds it, can be written, or made where there is none."""
    if os.path.isfile(path):
        # SQLite and whole-or-not-at-all writing make files beside it.
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    while not os.path.exists(path) and path != path.parent:
        path = path.parent
    return os.access(path, os.W_OK)


__all__ = ["can_write"]
