"""Linear heads over named features: inference in numpy, weights in one npz, no pickle.

A head is a multinomial logistic regression, ``softmax(temperature * (W f + b))``. The file holds, for each head,
its class names, its feature names (one text, one name a line), a float16 matrix of shape (features, classes), an
intercept and a temperature. ``agents.evaluation.train_heads`` makes it; ``data/heads.md`` is its card.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Final

import numpy as np
from numpy.typing import NDArray

from store.enrich.features import Features

FILE: Final = "heads.npz"


@dataclass(frozen=True, slots=True)
class Head:
    """One trained classifier.

    Attributes
    ----------
    classes
        Names of the classes, in the order of the columns.
    index
        Feature name -> row of ``weights``.
    weights
        Shape (features, classes).
    intercept
        Shape (classes,).
    temperature
        Multiplies the scores: below 1 it takes confidence away.
    """

    classes: tuple[str, ...]
    index: dict[str, int]
    weights: NDArray[np.float32]
    intercept: NDArray[np.float32]
    temperature: float = 1.0

    def scores(self, features: Sequence[Features]) -> NDArray[np.float32]:
        """Return the scores before the softmax, shape (len(features), classes); unknown features count 0."""
        result = np.tile(self.intercept, (len(features), 1))
        index = self.index
        for row, named in enumerate(features):
            hits = [(index[name], value) for name, value in named.items() if name in index]
            if hits:
                rows, values = zip(*hits, strict=True)
                result[row] += np.asarray(values, dtype=np.float32) @ self.weights[list(rows)]
        return result

    def probabilities(self, features: Sequence[Features]) -> NDArray[np.float32]:
        """Return calibrated class probabilities, shape (len(features), classes), rows summing to 1."""
        scores = self.scores(features) * np.float32(self.temperature)
        scores -= scores.max(axis=1, keepdims=True, initial=-np.inf) if len(features) else 0
        odds = np.exp(scores)
        return np.asarray(odds / odds.sum(axis=1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Heads:
    """The shipped heads by name, and the first 12 hex digits of the file's sha256."""

    by_name: dict[str, Head]
    sha: str


@cache
def shipped() -> Heads:
    """Load the heads that are shipped with the program (once a process)."""
    content = (files("store.enrich") / "data" / FILE).read_bytes()
    return Heads(unpack(content), hashlib.sha256(content).hexdigest()[:12])


def pack(heads: dict[str, Head]) -> bytes:
    """Return ``heads`` as the bytes of an npz file."""
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, head in heads.items():
        ordered = sorted(head.index, key=head.index.__getitem__)
        arrays[f"{name}.classes"] = np.array(head.classes)
        arrays[f"{name}.features"] = np.frombuffer("\n".join(ordered).encode(), dtype=np.uint8)
        arrays[f"{name}.weights"] = head.weights.astype(np.float16)
        arrays[f"{name}.intercept"] = head.intercept.astype(np.float32)
        arrays[f"{name}.temperature"] = np.array(head.temperature, dtype=np.float32)
    buffer = BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack(content: bytes) -> dict[str, Head]:
    """Read what ``pack`` wrote."""
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        names = sorted({key.rpartition(".")[0] for key in arrays.files})
        return {
            name: Head(
                tuple(str(label) for label in arrays[f"{name}.classes"]),
                {f: i for i, f in enumerate(arrays[f"{name}.features"].tobytes().decode().split("\n"))},
                arrays[f"{name}.weights"].astype(np.float32),
                arrays[f"{name}.intercept"].astype(np.float32),
                float(arrays[f"{name}.temperature"]),
            )
            for name in names
        }


__all__ = ["FILE", "Head", "Heads", "pack", "shipped", "unpack"]
