"""Rebuilds the indexes in a process of its own, which never saw what was erased.

The vector index writes blocks of memory to its files without clearing them first; in a process that has read a text,
pieces of that text can end up on disk.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from app.settings import Settings
from store.workers import deaf_to_interrupts


def rebuild_apart(settings: Settings, project: Path | None) -> None:
    """Bring the indexes of every corpus up in a fresh process; the caller holds the write lock."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with deaf_to_interrupts():
            # Ctrl-C would leave what was erased without its indexes.
            rebuilt = pool.submit(_rebuild, settings.model_copy(), project)
        rebuilt.result()


def _rebuild(settings: Settings, project: Path | None) -> None:
    from app.bootstrap import Parts

    parts = Parts(settings, project)
    try:
        for corpus in parts.repository.corpora():
            parts.indexer.bring_up(corpus.id)
    finally:
        parts.chroma.close()
        parts.database.close()


__all__ = ["rebuild_apart"]
