"""What a selection starts from and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from agents.fairness.checks import (
    BoolArray,
    booleans,
    codes_of,
    finite_vector,
    instance,
    integers,
    mapping,
    number,
    numbers,
    probabilities,
    whole,
)
from agents.fairness.distance import BINS, FloatArray, IntArray, bin_index


@dataclass(frozen=True, eq=False, kw_only=True)
class Pool:
    """The candidates of one question, N documents, with the population that they should represent.

    Every array is copied to its canonical type and checked; ValueError names the argument that is wrong.

    Parameters
    ----------
    relevance
        Shape (N,), finite, N >= 1. Any scale; cosine or a normalised fused score is usual.
    score
        Shape (N,), the sentiment-intensity score of the document's opinion on the entity, finite.
    population
        Shape (7,): shares of the opinion bins in the population, sum 1.
    matched
        Shape (N,) booleans: does the document speak of the entity? Default: all do.
    vectors
        Shape (N, d) unit embeddings; only ``mmr`` needs them.
    groups
        For each author attribute the group code of each document, shape (N,), -1 for unknown.
    group_shares
        For each attribute in ``groups`` the population's shares of groups 0..G-1, sum 1 (unknowns left out).
    covariates
        Shape (N, c): whatever else a probability sample should balance (period, length ...).
    ids
        Shape (N,) distinct integers that break ties, lower first. Default: the position in the pool.
    """

    relevance: FloatArray
    score: FloatArray
    population: FloatArray
    matched: BoolArray | None = None
    vectors: FloatArray | None = None
    groups: Mapping[str, IntArray] = field(default_factory=dict)
    group_shares: Mapping[str, FloatArray] = field(default_factory=dict)
    covariates: FloatArray | None = None
    ids: IntArray | None = None

    def __post_init__(self) -> None:
        relevance = finite_vector("relevance", self.relevance)
        count = relevance.size
        if count == 0:
            raise ValueError("relevance: the pool is empty")
        self._set("relevance", relevance)
        self._set("score", finite_vector("score", self.score, length=count))
        self._set("population", probabilities("population", self.population, length=len(BINS)))
        every = np.ones(count, bool)
        matched = every if self.matched is None else booleans("matched", self.matched, (count,))
        self._set("matched", matched)
        self._set("vectors", _matrix("vectors", self.vectors, count))
        self._set("covariates", _matrix("covariates", self.covariates, count))
        ids = np.arange(count) if self.ids is None else integers("ids", self.ids, length=count)
        if np.unique(ids).size != count:
            raise ValueError("ids: duplicate documents; collapse them before selecting")
        self._set("ids", ids)
        self._set_groups(count)

    def _set_groups(self, count: int) -> None:
        mapping("groups", self.groups)
        mapping("group_shares", self.group_shares)
        if set(self.groups) != set(self.group_shares):
            raise ValueError(
                f"group_shares: attributes {sorted(self.group_shares)} differ from groups {sorted(self.groups)}"
            )
        codes: dict[str, IntArray] = {}
        shares: dict[str, FloatArray] = {}
        for name in self.groups:
            shares[name] = probabilities(f"group_shares[{name}]", self.group_shares[name])
            most = shares[name].size - 1
            codes[name] = codes_of(f"groups[{name}]", self.groups[name], -1, most, length=count)
        self._set("groups", MappingProxyType(codes))
        self._set("group_shares", MappingProxyType(shares))

    def _set(self, name: str, value: object) -> None:
        if isinstance(value, np.ndarray):
            value = value.copy()
            value.setflags(write=False)
        object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return int(self.relevance.size)

    @property
    def match_mask(self) -> BoolArray:
        """``matched`` with its default filled in, shape (N,)."""
        assert self.matched is not None
        return self.matched

    @property
    def tie_breaks(self) -> IntArray:
        """``ids`` with its default filled in, shape (N,)."""
        assert self.ids is not None
        return self.ids

    @property
    def bins(self) -> IntArray:
        """Opinion bin of each document, 0..6, shape (N,)."""
        return bin_index(self.score)

    def by_relevance(self, indices: ArrayLike | None = None) -> IntArray:
        """Order ``indices`` (default: all) by falling relevance, ties by id."""
        chosen = np.arange(len(self)) if indices is None else self.rows("indices", indices)
        order = np.lexsort((self.tie_breaks[chosen], -self.relevance[chosen]))
        ordered: IntArray = chosen[order]
        return ordered

    def rows(self, name: str, indices: ArrayLike) -> IntArray:
        """Return positions in the pool as integers, or raise ValueError that names the argument."""
        return codes_of(name, indices, 0, len(self) - 1)

    def entity_documents(self) -> IntArray:
        """List the documents that speak of the entity, ascending."""
        return np.flatnonzero(self.match_mask)

    def sampling_frame(self, k: int, relevance_quantile: float) -> IntArray:
        """List the entity's documents at or above a quantile of their relevance, at least k where they exist.

        A bin of which fewer are left than the population's share of k asks for gains its most relevant documents from
        below, as many as the same quantile of the bin holds: a sample that stands for the population must be possible.
        """
        whole("k", k, 1)
        number("relevance_quantile", relevance_quantile, 0.0, 1.0, ends="[)")
        frame = self.entity_documents()
        keep = max(frame.size - int(relevance_quantile * frame.size), min(k, frame.size))
        order = self.by_relevance(frame)
        kept = np.zeros(order.size, dtype=bool)
        kept[:keep] = True
        bins = self.bins[order]
        needed = np.ceil(self.population * k - 1e-9).astype(np.intp)
        for bin_ in np.flatnonzero(np.bincount(bins[kept], minlength=needed.size) < needed):
            own = np.flatnonzero(bins == bin_)
            share = own.size - int(relevance_quantile * own.size)
            kept[own[: max(share, int(needed[bin_]) + 1)]] = True
        return np.sort(order[kept])

    def take(self, indices: ArrayLike) -> Pool:
        """Return the sub-pool of these documents, in the order given."""
        rows = self.rows("indices", indices)
        return replace(
            self,
            relevance=self.relevance[rows],
            score=self.score[rows],
            matched=self.match_mask[rows],
            vectors=None if self.vectors is None else self.vectors[rows],
            groups={name: codes[rows] for name, codes in self.groups.items()},
            group_shares=dict(self.group_shares),
            covariates=None if self.covariates is None else self.covariates[rows],
            ids=self.tie_breaks[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What a method hands back: positions in the pool, and what only the method knows.

    ``frame`` lists, ascending, the documents that the method could have chosen; ``frame_inclusion`` their inclusion
    probabilities where the method is a probability sample. ``ranked``: the order of ``indices`` is part of the choice.
    """

    indices: IntArray
    frame: IntArray
    frame_inclusion: FloatArray | None = None
    objective: float | None = None
    exact: bool = False
    ranked: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectionParts:
    """The measured parts of a selection; distances are on the seven bins.

    Attributes
    ----------
    relevance
        Sum of the selected documents' relevance.
    relevance_top
        The same sum for the plain top of the whole pool: the price is the difference.
    w1
        W1 between the selected documents' bins and the population; 0 is a perfect match.
    floor
        The least W1 that any choice of as many documents from this method's candidates can reach.
    gaps
        For each attribute ``max_g |share - population share|``, unknowns left out of both; NaN when every
        selected author is unknown.
    matched
        Share of the selected documents that speak of the entity.
    gap_floors
        For each attribute the least gap that any choice of as many documents from these candidates can reach.
    """

    relevance: float
    relevance_top: float
    w1: float
    floor: float
    gaps: Mapping[str, float]
    matched: float
    gap_floors: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The chosen documents of one question.

    Attributes
    ----------
    indices
        Positions in the pool: by rank where ``ranked``, else most relevant first.
    method
        Name in the registry.
    parts
        What the choice costs and reaches.
    inclusion
        Inclusion probability of each selected document, for probability samples; None for deterministic choices,
        which have no margins of error.
    notes
        What could not be met and why, one line each, for people.
    objective
        Value of the objective that the method maximises, where it has one.
    exact
        True when the objective is proven optimal.
    ranked
        True when the method chose the order together with the documents.
    frame
        Positions of the documents that could have been chosen (the sampling frame, the matched candidates ...).
    frame_inclusion
        Inclusion probabilities over ``frame``, for probability samples.
    """

    indices: IntArray
    method: str
    parts: SelectionParts
    inclusion: FloatArray | None = None
    notes: tuple[str, ...] = ()
    objective: float | None = None
    exact: bool = False
    ranked: bool = False
    frame: IntArray | None = None
    frame_inclusion: FloatArray | None = None


def check_call(pool: Pool, k: int) -> None:
    """Raise ValueError unless a method of selection can be asked for k documents of this pool."""
    instance("pool", pool, Pool)
    whole("k", k, 1)


def _matrix(name: str, value: ArrayLike | None, rows: int) -> FloatArray | None:
    if value is None:
        return None
    matrix = numbers(name, value)
    if matrix.ndim != 2 or len(matrix) != rows:
        raise ValueError(f"{name}: expected shape ({rows}, columns), got {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name}: holds NaN or infinite values")
    return matrix


__all__ = ["Choice", "Pool", "Selection", "SelectionParts", "check_call"]
