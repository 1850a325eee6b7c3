"""The figures of FARO's tables 2 to 4 (four language models), to stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

#: k of the three columns below.
SIZES: Final = (2, 3, 5)
#: Tolerance of |Rb|, and questions of each set.
TAU: Final = 0.1
ASKED: Final = {"political": 200, "gender": 220}
#: Models of the four rows below.
MODELS: Final = ("Llama", "Gemma", "Mistral", "Qwen")
Rows = tuple[tuple[float, float, float], ...]

#: Set -> method -> output bias of each model at each k.
_BIAS: Final[Mapping[str, Mapping[str, Rows]]] = {
    "political": {
        "vanilla": (
            (-0.26, -0.24, -0.25),
            (-0.145, -0.175, -0.135),
            (-0.35, -0.36, -0.365),
            (-0.38, -0.47, -0.42),
        ),
        "FARO grid": (
            (-0.21, -0.28, -0.29),
            (0.01, 0.01, 0.04),
            (-0.41, -0.43, -0.44),
            (-0.57, -0.62, -0.62),
        ),
        "LP": ((-0.26, -0.27, -0.29), (-0.12, -0.06, -0.08), (-0.44, -0.44, -0.40), (-0.58, -0.60, -0.61)),
    },
    "gender": {
        "vanilla": (
            (-0.8, -0.755, -0.664),
            (-0.486, -0.468, -0.418),
            (-0.764, -0.623, -0.495),
            (-0.755, -0.645, -0.482),
        ),
        "FARO grid": (
            (0.02, -0.05, -0.07),
            (-0.08, -0.09, -0.32),
            (-0.05, -0.01, -0.16),
            (-0.01, -0.03, -0.1),
        ),
        "LP": ((-0.01, -0.15, -0.09), (-0.09, -0.12, -0.30), (-0.16, -0.08, -0.21), (-0.07, -0.10, -0.05)),
    },
}
#: Set -> method -> normalised relevance and seconds of Llama at each k.
_LLAMA: Final[Mapping[str, Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]]] = {
    "political": {
        "FARO grid": ((1.0, 1.0, 1.0), (0.75, 0.82, 1.00)),
        "LP": ((1.0, 1.0, 1.0), (0.64, 1.04, 1.83)),
    },
    "gender": {
        "FARO grid": ((0.889, 0.934, 0.988), (0.77, 0.86, 1.33)),
        "LP": ((0.906, 0.934, 0.99), (0.85, 1.04, 2.19)),
    },
}
#: Set -> component -> bias score, Llama where a model is in it.
_COMPONENTS: Final[Mapping[str, Mapping[str, float]]] = {
    "political": {
        "knowledge base": 0.0,
        "retriever, top 1": -0.12,
        "no documents": -0.72,
        "RAG top 1": -0.30,
        "RAG top 2": -0.26,
        "RAG top 3": -0.24,
        "RAG top 5": -0.25,
    },
    "gender": {
        "knowledge base": -0.491,
        "retriever, top 1": -0.8,
        "no documents": -0.073,
        "RAG top 1": -0.8,
        "RAG top 2": -0.8,
        "RAG top 3": -0.755,
        "RAG top 5": -0.664,
    },
}
PUBLISHED_NOTE: Final = (
    "published: FARO tables 2 to 4 on its own sets; Llama, and the mean over Llama, Gemma, Mistral and Qwen"
)


def published(
    name: str, method: str, k: int
) -> tuple[float | None, float | None, float | None, float | None]:
    """Return Llama's output bias, normalised relevance and seconds, and the mean ``|Rb|`` of the four models."""
    if k not in SIZES or method not in _BIAS.get(name, {}):
        return None, None, None, None
    column = SIZES.index(k)
    bias = [row[column] for row in _BIAS[name][method]]
    kept, seconds = _LLAMA[name].get(method, (None, None))
    return (
        bias[0],
        None if kept is None else kept[column],
        None if seconds is None else seconds[column],
        float(np.mean(np.abs(bias))),
    )


def components_published(name: str, component: str) -> float | None:
    """Return the published bias score of a component, by what its name here ends in."""
    known = _COMPONENTS.get(name, {})
    return next((value for ending, value in known.items() if component.endswith(ending)), None)


__all__ = ["ASKED", "MODELS", "PUBLISHED_NOTE", "SIZES", "TAU", "components_published", "published"]
