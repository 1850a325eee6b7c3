"""Coverage and author fairness of a retrieved set (O-RAG sections 4 and 5.1, appendix L).

Group codes are 0..G-1, -1 for an unknown author. Unknown authors are left out of every share and counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.checks import booleans, codes_of, non_negative, number, whole
from agents.fairness.distance import FloatArray, IntArray

T = TypeVar("T")

#: Documents of prior weight by which a small group's share is drawn to the population's.
PRIOR = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class GroupCoverage:
    """How a retrieved set covers the categories of one author attribute.

    Attributes
    ----------
    shares, population
        Shape (G,): shares among known authors; all NaN when no author is known.
    gaps
        Shape (G,): ``|share - population|``.
    shrunk_gaps
        Shape (G,): see :func:`group_coverage`.
    largest_gap, largest_shrunk_gap
        ``max_g Delta_g`` of O-RAG eq. 8 over the population's non-empty groups; NaN when no author is known.
    coverage
        Share of the population's non-empty categories present among the documents, in [0, 1].
    matched_coverage
        The same among entity-matched documents only (the appendix-L control).
    unknown
        Share of the documents whose author is unknown.
    """

    shares: FloatArray
    population: FloatArray
    gaps: FloatArray
    shrunk_gaps: FloatArray
    largest_gap: float
    largest_shrunk_gap: float
    coverage: float
    matched_coverage: float
    unknown: float


def group_coverage(
    codes: ArrayLike, population_counts: ArrayLike, matched: ArrayLike | None = None, *, prior: float = PRIOR
) -> GroupCoverage:
    """Compare a retrieved set's author groups with the population's.

    The gap of a group with N_g documents in the population is shrunk to ``gap * N_g / (N_g + prior)``, because the
    population's own share of a small group is uncertain: at N_g = ``prior`` half of the gap counts. Raw gaps stand
    beside.

    Parameters
    ----------
    codes
        Shape (n,): group of each retrieved document, -1 for unknown.
    population_counts
        Shape (G,): documents of each group in the population, known authors only.
    matched
        Shape (n,) booleans: does the document speak of the entity? Default: all do.
    prior
        Prior weight in documents, at least 0; 0 shrinks nothing.
    """
    counts = non_negative("population_counts", population_counts)
    if counts.sum() <= 0:
        raise ValueError("population_counts: expected at least one document")
    number("prior", prior, 0.0)
    groups = checked_codes(codes, counts.size)
    mask = np.ones(groups.size, bool) if matched is None else booleans("matched", matched, groups.shape)
    exists = counts > 0
    target = counts / counts.sum()
    shares = group_shares(groups, counts.size)
    gaps = np.abs(shares - target)
    shrunk = gaps * np.divide(counts, counts + prior, out=np.zeros_like(counts), where=exists)
    return GroupCoverage(
        shares=shares,
        population=target,
        gaps=gaps,
        shrunk_gaps=shrunk,
        largest_gap=float(gaps.max()),
        largest_shrunk_gap=float(shrunk.max()),
        coverage=_present(groups, exists),
        matched_coverage=_present(groups[mask], exists),
        unknown=float((groups < 0).mean()) if groups.size else float("nan"),
    )


def group_shares(codes: ArrayLike, count: int) -> FloatArray:
    """Shares of groups 0..count-1 among the known authors, shape (count,); NaN when no author is known."""
    groups = checked_codes(codes, whole("count", count, 1))
    known = np.bincount(groups[groups >= 0], minlength=count)
    return known / known.sum() if known.sum() else np.full(count, np.nan)


def entity_match_rate(matched: ArrayLike) -> float:
    """Share of the retrieved documents that speak of the entity, in [0, 1]; NaN for no documents."""
    mask = booleans("matched", matched)
    return float(mask.mean()) if mask.size else float("nan")


def marker_count(markers: Iterable[Sequence[str]]) -> int:
    """Count the distinct emotional markers among the retrieved opinions (O-RAG section 5.1)."""
    rows = _words("markers", markers)
    if any(isinstance(row, str) for row in rows):
        raise ValueError("markers: expected a list of markers for each opinion, got one word")
    return len({marker for row in rows for marker in _words("markers", row)})


def evidence_coverage(
    evidence: Iterable[str], kinds: Sequence[str] = ("personal", "anecdotal", "data-driven")
) -> float:
    """Share of the kinds of evidence present among the retrieved opinions, in [0, 1]."""
    wanted, found = _words("kinds", kinds), set(_words("evidence", evidence))
    if not wanted:
        raise ValueError("kinds: expected at least one kind of evidence")
    return sum(kind in found for kind in wanted) / len(wanted)


def checked_codes(codes: ArrayLike, count: int) -> IntArray:
    """Return group codes as integers, or raise ValueError where one is not in -1..count-1."""
    return codes_of("codes", codes, -1, count - 1)


def _words(name: str, value: Iterable[T]) -> list[T]:
    """Return the members; a single word would be taken for its letters."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name}: expected several words, got {value!r}")
    return list(value)


def _present(groups: IntArray, exists: np.ndarray) -> float:
    seen = np.zeros(exists.size, bool)
    seen[groups[groups >= 0]] = True
    return float((seen & exists).sum() / exists.sum())


__all__ = [
    "PRIOR",
    "GroupCoverage",
    "checked_codes",
    "entity_match_rate",
    "evidence_coverage",
    "group_coverage",
    "group_shares",
    "marker_count",
]
