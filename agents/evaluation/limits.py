"""Which entities an evaluation measures: WARP's bounds, and how many are taken at the most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.fairness.distance import sentiment_entropy


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that an entity must reach; the values here are WARP's, but for ``most``, which is ours.

    Attributes
    ----------
    mentions
        Fewest documents with a view on it.
    entropy
        Least normalised entropy of its labels.
    minority
        Least share of the smaller side.
    most
        Entities taken at the most, those with the most documents.
    """

    mentions: int = 100
    entropy: float = 0.6
    minority: float = 0.1
    most: int = 12

    def debated(self, score: NDArray[np.float64]) -> bool:
        """Whether these labels, shape (n,), one a document, make an entity debated enough."""
        if len(score) < self.mentions:
            return False
        smaller = min((score < 0).mean(), (score > 0).mean())
        return bool(sentiment_entropy(score) >= self.entropy and smaller >= self.minority)

    def bounds(self) -> str:
        """Return the bounds in words."""
        return (
            f"{self.mentions} documents, entropy {self.entropy:g} and {self.minority:.0%} on the smaller side"
        )

    def told(self, taken: int, debated: int, paper: str) -> str:
        """Return what was asked of entities, whose bounds those are, how many reach them and how many are taken.

        Parameters
        ----------
        paper
            What the paper asks, in words; said as it is where these are WARP's bounds.
        """
        whole = Limits()
        own = (self.mentions, self.entropy, self.minority) == (whole.mentions, whole.entropy, whole.minority)
        theirs = paper if own else f"{paper}: {whole.bounds()}"
        cut = f", the {taken} with the most documents are taken" if taken < debated else ", all are taken"
        return (
            f"entities have at least {self.bounds()} ({theirs}); {debated} reach that{cut} "
            f"(our bound: {self.most} at the most)"
        )


__all__ = ["Limits"]
