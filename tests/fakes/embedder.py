"""A fast embedder for tests where the model's quality does not matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from zlib import crc32

import numpy as np

from store.ports import FloatMatrix, FloatVector

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Signed feature hashing of words, as unit vectors: equal words in any order give equal vectors.

    Attributes
    ----------
    texts
        Every text that was embedded, in order: a test counts them.
    before
        Called with the texts before they are embedded; it may raise.
    """

    max_tokens = 64

    def __init__(self, name: str = "hashing", dimension: int = 24) -> None:
        self.name = name
        self.dimension = dimension
        self.texts: list[str] = []
        self.before: Callable[[Sequence[str]], None] = lambda _: None

    @property
    def fingerprint(self) -> str:
        return f"{self.name}/{self.dimension}/crc32"

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in _WORD.finditer(text)]

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        self.before(texts)
        self.texts.extend(texts)
        return (
            np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, self.dimension), "f4")
        )

    def embed_query(self, text: str) -> FloatVector:
        return self._vector(text)

    def _vector(self, text: str) -> FloatVector:
        vector = np.zeros(self.dimension, dtype=np.float32)
        # A text without words still has a direction.
        vector[0] = 0.01
        for word in _WORD.findall(text.casefold())[: self.max_tokens]:
            code = crc32(f"{self.name} {word}".encode())
            vector[code % self.dimension] += 1.0 if code & 0x80000000 else -1.0
        return (vector / np.linalg.norm(vector)).astype(np.float32)
