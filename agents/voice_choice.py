"""Which of the documents that can be quoted are cited: near the target, few quotes, the same words quoted once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.fairness.distance import histogram
from agents.fairness.pool import Pool
from agents.fairness.selection import select
from store.records import BINS

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

#: So many voices are looked for at least, where the documents have as many.
FEWEST: Final = 5
#: Distance (score units) that one voice more may cost: few proportionate voices say more than many of one side.
_COST_OF_A_VOICE: Final = 0.2
#: So near to the target nothing is gained by leaving voices out.
_NEAR: Final = 3.0
#: A step must be better by more than rounding.
_BETTER: Final = 1e-9


def in_proportion(
    stances: Sequence[int], wordings: Sequence[Hashable], wanted: int, target: Floats
) -> list[int]:
    """Choose the documents to cite.

    Parameters
    ----------
    stances
        Of the documents, by rank.
    wordings
        What stands for each document's words: documents of the same one are quoted once, with all their numbers.
    wanted
        Quotes, each of another wording; fewer where the documents lack words of one side.
    target
        Seven shares.

    Returns
    -------
    list of int
        Indices in order of rank. All documents of a wording, unless there are too many of it for the others to stand
        beside it in proportion.
    """
    scores = np.asarray(stances, dtype=np.int64)
    known = {wording: code for code, wording in enumerate(dict.fromkeys(wordings))}
    codes = np.asarray([known[each] for each in wordings], dtype=np.int64)
    first = np.asarray([int(np.flatnonzero(codes == code)[0]) for code in range(len(known))], dtype=np.int64)
    wanted, least = min(wanted, len(first)), min(FEWEST, wanted, len(scores))
    told = _each_once(scores[first], wanted, target)
    if len(first) == len(scores):
        return told
    places = (scores + 30) // 10
    available = np.zeros((len(first), len(BINS)), dtype=np.int64)
    np.add.at(available, (codes, places), 1)
    choice = _Choice(available, wanted, least, target)
    most = np.argsort(-available.sum(axis=1), kind="stable")[:wanted].tolist()
    cited = min((choice.improved(start) for start in (told, most)), key=choice.cost)
    picked = []
    for code, place in zip(*np.nonzero(cited), strict=True):
        members = np.flatnonzero((codes == code) & (places == place))
        picked += members[: cited[code, place]].tolist()
    return sorted(picked)


def _each_once(scores: Counts, wanted: int, target: Floats) -> list[int]:
    """Choose among documents of different words: ``wanted`` of them, or fewer where that is nearer to the target."""
    ids = np.arange(len(scores), dtype=np.intp)
    relevance = np.linspace(1.0, 0.5, len(scores))
    subset = Pool(relevance=relevance, score=scores.astype(np.float64), population=target, ids=ids)
    best: tuple[float, list[int]] | None = None
    for count in range(wanted, min(FEWEST, wanted) - 1, -1):
        rows = select("exact", subset, count, lam=float(count), beta=0.0).indices
        away = float(_away(histogram(scores[rows]), target))
        cost = away + _COST_OF_A_VOICE * (wanted - count)
        if best is None or cost < best[0]:
            best = (cost, sorted(int(i) for i in rows))
        if count == wanted and away <= _NEAR:
            break
    assert best is not None, "there is at least one candidate"
    return best[1]


@dataclass(frozen=True, slots=True)
class _Choice:
    """The choice where documents share their words: how many of each wording (rows) and bin (columns) are cited.

    Attributes
    ----------
    available
        Documents, shape (wordings, 7).
    wanted, least
        Quotes at the most, documents at the least.
    target
        Seven shares.
    """

    available: Counts
    wanted: int
    least: int
    target: Floats

    def improved(self, start: Sequence[int]) -> Counts:
        """Return the best choice that single steps lead to from all documents of these wordings, (wordings, 7)."""
        cited = np.zeros_like(self.available)
        cited[list(start)] = self.available[list(start)]
        cost = self.cost(cited)
        while True:
            best = min((self._by_wording(cited), self._by_document(cited)), key=lambda each: each[0])
            if best[0] >= cost - _BETTER:
                return cited
            cost, cited = best

    def cost(self, cited: Counts) -> float:
        """Return how far a choice is from what is wanted."""
        quoted = cited.sum(axis=1) > 0
        left = (self.available - cited)[quoted].sum()
        return float(self._costs(cited.sum(axis=0)[None], quoted.sum()[None], left[None])[0])

    def _costs(self, counts: Counts, quotes: Counts, left: Counts) -> Floats:
        """Return the costs of many choices.

        Parameters
        ----------
        counts
            Documents cited by bin, shape (n, 7).
        quotes
            Wordings quoted, shape (n,).
        left
            Documents of those wordings that are not cited, shape (n,).
        """
        documents = counts.sum(axis=1)
        shares = counts / np.maximum(documents, 1)[:, None]
        # All documents of a wording are cited unless that costs more distance than is called near.
        unheard = _NEAR * left / np.maximum(documents + left, 1)
        costs = _away(shares, self.target) + _COST_OF_A_VOICE * (self.wanted - quotes) + unheard
        return np.where((quotes > self.wanted) | (documents < self.least), np.inf, costs)

    def _by_wording(self, cited: Counts) -> tuple[float, Counts]:
        """Return the best choice with one wording more, one less, or one in another's place, and its cost."""
        quoted = cited.sum(axis=1) > 0
        on, off = np.flatnonzero(quoted), np.flatnonzero(~quoted)
        # -1 stands for no wording: the row of nothing at the end of what is looked up.
        out = np.concatenate([np.full(len(off), -1), on, np.repeat(on, len(off))])
        into = np.concatenate([off, np.full(len(on), -1), np.tile(off, len(on))])
        none = np.zeros((1, len(BINS)), dtype=np.int64)
        every, told = np.concatenate([self.available, none]), np.concatenate([cited, none])
        missing = np.where(np.append(quoted, False), (every - told).sum(axis=1), 0)
        costs = self._costs(
            cited.sum(axis=0) + every[into] - told[out],
            quoted.sum() + (into >= 0) - (out >= 0),
            missing.sum() - missing[out],
        )
        best = int(costs.argmin())
        changed = cited.copy()
        if out[best] >= 0:
            changed[out[best]] = 0
        if into[best] >= 0:
            changed[into[best]] = self.available[into[best]]
        return float(costs[best]), changed

    def _by_document(self, cited: Counts) -> tuple[float, Counts]:
        """Return the best choice with one document more or less of the wordings that are quoted, and its cost."""
        held = cited.sum(axis=1, keepdims=True)
        more, less = np.nonzero((cited < self.available) & (held > 0)), np.nonzero((cited > 0) & (held > 1))
        wording, place = np.concatenate([more, less], axis=1)
        if not len(wording):
            return np.inf, cited
        step = np.where(np.arange(len(wording)) < len(more[0]), 1, -1)
        missing = np.where(held > 0, self.available - cited, 0).sum()
        costs = self._costs(
            cited.sum(axis=0) + step[:, None] * np.eye(len(BINS), dtype=np.int64)[place],
            np.full(len(step), (held > 0).sum()),
            missing - step,
        )
        best = int(costs.argmin())
        changed = cited.copy()
        changed[wording[best], place[best]] += step[best]
        return float(costs[best]), changed


def _away(shares: Floats, target: Floats) -> Floats:
    """Return W1 to the target plus ten times the largest gap of a side's share: the headings show the sides.

    Parameters
    ----------
    shares
        Shape (..., 7).
    """
    gaps = shares - target
    sides = [np.abs(gaps[..., part].sum(axis=-1)) for part in (slice(0, 3), slice(3, 4), slice(4, 7))]
    distance = 10 * np.abs(np.cumsum(gaps, axis=-1)[..., :-1]).sum(axis=-1)
    return np.asarray(distance + 10 * np.max(sides, axis=0), dtype=np.float64)


__all__ = ["FEWEST", "in_proportion"]
