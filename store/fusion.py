"""Reciprocal rank fusion: joins rankings without comparing their scores."""

from __future__ import annotations

from collections.abc import Sequence

#: The constant of Cormack, Clarke and Buettcher (SIGIR 2009).
RRF_K = 60


def reciprocal_rank_fusion(rankings: Sequence[Sequence[int]], k: int = RRF_K) -> list[tuple[int, float]]:
    """Fuse rankings of ids, best first: score = sum over rankings of 1 / (k + rank), rank from 1.

    An id that a ranking repeats counts at its first place only. Ties are broken by id.

    Returns
    -------
    list of (id, score)
        Every id of any ranking, by falling score.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        seen: set[int] = set()
        for item in ranking:
            if item in seen:
                continue
            seen.add(item)
            scores[item] = scores.get(item, 0.0) + 1.0 / (k + len(seen))
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


__all__ = ["RRF_K", "reciprocal_rank_fusion"]
