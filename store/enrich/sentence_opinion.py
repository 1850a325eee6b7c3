"""Whether a sentence or clause holds an opinion at all, and its side, with no target named.

The extractor does not use these heads for its units: on ratings in another domain they did not order the aspects
of a review better than the target head (``data/heads.md``). They answer where no entity is known, such as which
share of the opinion clauses of a corpus the registry has linked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from store.enrich.features import sentence_features
from store.enrich.heads import shipped


def opinion_shares(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the probability in [0, 1] that each text holds an opinion, shape (len(texts),)."""
    return _second("opinion", texts)


def positive_shares(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the probability in [0, 1] that each text, taken to hold an opinion, praises; shape (len(texts),)."""
    return _second("orientation", texts)


def _second(head: str, texts: Sequence[str]) -> NDArray[np.float32]:
    rows = [sentence_features(text) for text in texts]
    return np.asarray(shipped().by_name[head].probabilities(rows)[:, 1], dtype=np.float32)


__all__ = ["opinion_shares", "positive_shares"]
