"""The margins of error that a probability sample carries: shares of sides and groups, the mean rating."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.fairness.balanced import balance_columns
from agents.fairness.margins import (
    ROUNDING,
    Margin,
    balancing_place,
    design_margin,
    held_margin,
    landing_deviation,
    share_margin,
)
from agents.fairness.pool import Pool, Selection
from agents.pools import OpinionPool, audited
from store.receipt import MarginAudit

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

#: Documents by which an expected count may miss the population's for the sample to stand for it.
FAITHFUL: Final = 0.2
#: Sides of the opinion scale by the sign of the score.
SIDES: Final = {"positive": 1, "neutral or mixed": 0, "negative": -1}


@dataclass(frozen=True, eq=False)
class _Variable:
    """What is estimated: ``values`` of all documents of the pool, where ``known``."""

    attribute: str
    value: str
    values: Floats
    known: Booleans


def sample_margins(pool: OpinionPool, problem: Pool, sample: Selection) -> tuple[MarginAudit, ...]:
    """Return estimate and 95 % interval of everything that the receipt audits.

    None for a choice without chance, nor where the target is not the population: the sample then stands for the target;
    nor where all documents were taken, or one.

    Parameters
    ----------
    pool, problem
        The question's documents, and the same as the selection saw them.
    sample
        A selection with inclusion probabilities, its frame and indices are rows of both.
    """
    proportional = pool.target_name.partition(",")[0] == "proportional"
    if sample.inclusion is None or sample.frame is None or not proportional:
        return ()
    rows, frame = sample.indices, sample.frame
    if len(rows) == len(frame) or len(rows) < 2:
        return ()  # all were taken, or one tells nothing of chance
    columns, upon = _balance(problem, sample), _balanced_upon(problem, sample.method)
    drawn = _drawn(sample, columns)
    found = []
    for each in _variables(pool):
        values, known = np.where(each.known, each.values, 0.0), each.known
        if not known[rows].any() or np.ptp(values[known]) == 0:
            continue  # nobody says, or everybody says the same: there is nothing to estimate
        counted = float(values[known].mean())
        balanced = each.attribute in upon and _stands_for_all(sample, values, known, counted)
        if balanced:
            held = _held(sample, values[frame], counted, columns)
            margin = share_margin(values[rows], sample.inclusion, known=known[rows], held=held)
        elif each.value:
            # What the method balances, but not at the population's share, is told as if it had been left to chance.
            own = None if each.attribute in upon else drawn
            margin = share_margin(values[rows], sample.inclusion, own, known=known[rows])
        else:
            margin = _mean_margin(sample, values, known, columns)
            # A mean cannot leave the scale, whatever the interval's arithmetic says.
            scale = float(values[known].min()), float(values[known].max())
            margin = replace(margin, low=np.clip(margin.low, *scale), high=np.clip(margin.high, *scale))
        found.append(
            MarginAudit(
                attribute=each.attribute,
                value=each.value,
                estimate=margin.estimate,
                low=float(margin.low) if np.isfinite(margin.low) else None,
                high=float(margin.high) if np.isfinite(margin.high) else None,
                known=int(known[rows].sum()),
                balanced=balanced,
                counted=counted,
            )
        )
    return tuple(found)


def _stands_for_all(sample: Selection, values: Floats, known: Booleans, counted: float) -> bool:
    """Whether the share that the design expects is the one counted over all documents, to a fifth of a document.

    It is not where the frame lacks documents of a kind.
    """
    assert sample.frame is not None
    assert sample.frame_inclusion is not None
    told = float(sample.frame_inclusion @ known[sample.frame])
    expected = float(sample.frame_inclusion @ (values * known)[sample.frame])
    return told > 0 and abs(expected / told - counted) * told <= FAITHFUL


def _held(sample: Selection, values: Floats, share: float, columns: Floats | None) -> float:
    """Return the standard deviation of a balanced count, in documents."""
    if sample.method != "balanced" or columns is None:
        return ROUNDING  # a stratum's count
    place = balancing_place(values, columns) or 1 + columns.shape[1]
    assert sample.inclusion is not None
    return landing_deviation(place, share * (1 - share), sample.inclusion)


def _mean_margin(sample: Selection, values: Floats, known: Booleans, columns: Floats | None) -> Margin:
    """Return the margin of a mean: of one that the sample was balanced upon where the frame knows it of everybody."""
    rows, frame = sample.indices, sample.frame
    assert sample.inclusion is not None
    assert frame is not None
    if columns is not None and known[frame].all() and (place := balancing_place(values[frame], columns)):
        held = landing_deviation(place, float(values[frame].var()), sample.inclusion, counted=False)
        return held_margin(values[rows], sample.inclusion, held)
    return design_margin(values[rows], sample.inclusion, _drawn(sample, columns), known=known[rows])


def _drawn(sample: Selection, columns: Floats | None) -> Floats | None:
    """Return the balancing variables of the sampled documents."""
    assert sample.frame is not None
    return None if columns is None else columns[np.searchsorted(sample.frame, sample.indices)]


def _balance(problem: Pool, sample: Selection) -> Floats | None:
    """Return the balancing variables of the frame's documents; None for a sample balanced on nothing."""
    if sample.method == "random":
        return None
    frame = sample.frame
    groups, covariates = [], None
    if sample.method == "balanced":
        groups = [(codes[frame], problem.group_shares[name].size) for name, codes in problem.groups.items()]
        covariates = None if problem.covariates is None else problem.covariates[frame]
    return balance_columns(problem.bins[frame], groups, covariates)


def _balanced_upon(problem: Pool, method: str) -> frozenset[str]:
    """Return the attributes whose shares the method sets by design."""
    own = {"balanced": {"opinion", *problem.groups}, "stratified": {"opinion"}}
    return frozenset(own.get(method, ()))


def _variables(pool: OpinionPool) -> Iterator[_Variable]:
    stances = pool.stances
    everywhere = np.ones(len(stances), bool)
    for name, sign in SIDES.items():
        yield _Variable("opinion", name, (np.sign(stances.scores) == sign).astype(np.float64), everywhere)
    rated = np.isfinite(stances.ratings)
    if rated.any():
        yield _Variable("rating", "", stances.ratings, rated)
    for name, groups in sorted(pool.groups.items()):
        if not audited(groups):
            continue
        for code in groups.named:
            has = (groups.codes == code).astype(np.float64)
            yield _Variable(name, groups.names[code], has, groups.codes >= 0)


__all__ = ["SIDES", "sample_margins"]
