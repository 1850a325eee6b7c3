"""The one place that configures logging: a file in the workspace; never the terminal, never a key."""

from __future__ import annotations

import logging
from pathlib import Path


class _File(logging.FileHandler):
    """Our own, to be closed when another takes its place; the handlers of a host program are not."""

    of_evenhand = True


def configure(path: Path | None, level: str) -> None:
    """Log to a file at this level; without a path only warnings of our own go nowhere."""
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        if getattr(old, "of_evenhand", False):
            old.close()
    if path is None:
        root.addHandler(logging.NullHandler())
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = _File(path, encoding="utf-8", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root.addHandler(handler)
    root.setLevel(level)
    for noisy in ("httpx", "httpcore", "openai", "chromadb"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


__all__ = ["configure"]
