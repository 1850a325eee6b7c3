"""Embeddings kept on disk by the hash of their text, so that an evaluation run again costs no embedding."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from store.hashing import text_hash

Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: Texts embedded before what is new is written: an interrupted run continues there.
_PIECE: Final = 2_000


class CachedEmbedder:
    """Embeds texts once; vectors lie in ``FOLDER/embeddings-FINGERPRINT.npz``.

    Parameters
    ----------
    embed
        Texts to unit vectors, shape (n, dimension).
    fingerprint
        Of the embedder: vectors of another one are in another file.
    folder
        Where the file is; made when first written. None keeps vectors in memory only.
    """

    def __init__(self, embed: Embed, fingerprint: str, folder: Path | None = None) -> None:
        self._embed = embed
        name = f"embeddings-{hashlib.sha256(fingerprint.encode()).hexdigest()[:12]}.npz"
        self._path = None if folder is None else folder / name
        self._known: dict[str, NDArray[np.float32]] = {}
        if self._path is not None and self._path.exists():
            with np.load(self._path) as data:
                keys = [row.tobytes().hex() for row in data["keys"]]
                self._known = dict(zip(keys, data["vectors"], strict=True))

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of these texts, shape (n, dimension), n >= 1."""
        keys = [text_hash(text) for text in texts]
        fresh = list(
            {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}.items()
        )
        for first in range(0, len(fresh), _PIECE):
            piece = fresh[first : first + _PIECE]
            vectors = self._embed([text for _, text in piece])
            self._known.update(zip((key for key, _ in piece), vectors, strict=True))
            # Single questions and options are quick to embed again; writing the file for each is not.
            if len(piece) >= 100 or first:
                self._write()
        return np.stack([self._known[key] for key in keys])

    def _write(self) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        keys = np.stack([np.frombuffer(bytes.fromhex(key), np.uint8) for key in self._known])
        part = self._path.with_name(f".{os.getpid()}.{self._path.name}")
        np.savez(part, keys=keys, vectors=np.stack(list(self._known.values())))
        part.replace(self._path)


__all__ = ["CachedEmbedder", "Embed"]
