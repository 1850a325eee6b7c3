"""Vectors of the texts that the tests embed, kept by text hash: the model runs only for texts that are new.

``UPDATE_TEST_EMBEDDINGS=1 python -m pytest tests/app`` writes the file anew with what that run embedded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from store.embedders import BundledMiniLM
from store.hashing import text_hash
from store.ports import FloatMatrix

FILE = Path(__file__).parent.parent / "data" / "embeddings.npz"


class EmbeddingCache:
    """Stands between a test run and the bundled model's ``embed``."""

    def __init__(self) -> None:
        self._known: dict[str, np.ndarray] = {}
        self._used: dict[str, np.ndarray] = {}
        if FILE.exists():
            with np.load(FILE) as data:
                keys = [row.tobytes().hex() for row in data["keys"]]
                self._known = dict(zip(keys, data["vectors"].astype(np.float32), strict=True))

    def wrap(
        self, embed: Callable[[BundledMiniLM, Sequence[str]], FloatMatrix]
    ) -> Callable[..., FloatMatrix]:
        """Return ``embed`` with the known texts answered from the file."""

        def cached(model: BundledMiniLM, texts: Sequence[str]) -> FloatMatrix:
            keys = [text_hash(text) for text in texts]
            fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
            if fresh:
                self._known.update(zip(fresh, embed(model, list(fresh.values())), strict=True))
            rows = [self._known[key] for key in keys]
            self._used.update(zip(keys, rows, strict=True))
            matrix = np.stack(rows) if rows else np.zeros((0, model.dimension), np.float32)
            return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)

        return cached

    def save(self) -> None:
        """Write what was used, when asked to."""
        if os.environ.get("UPDATE_TEST_EMBEDDINGS") == "1":
            keys = np.stack([np.frombuffer(bytes.fromhex(key), np.uint8) for key in self._used])
            np.savez_compressed(
                FILE, keys=keys, vectors=np.stack(list(self._used.values())).astype(np.float16)
            )
