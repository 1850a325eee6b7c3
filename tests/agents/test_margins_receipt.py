"""The margins that the receipt of a sample carries: what counts as balanced, what is left to chance, what has none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.fairness.balanced import balance_columns
from agents.fairness.margins import design_margin, share_margin
from agents.fairness.pool import Pool, Selection, SelectionParts
from agents.margins import sample_margins
from agents.pools import Groups, OpinionPool
from store.opinions import StancePool
from store.receipt import MarginAudit

COUNT = 40
SCORES = np.tile([30, -30, 0, 10, -10, 20, -20, 0, 0, -30], 4)
REGION = np.repeat([0, 1], 20)
#: One rating in seven is far from the others.
STARS = np.where(np.arange(COUNT) % 7 == 0, 1.0, 5.0)


def pools(stars: NDArray[np.float64] = STARS) -> tuple[OpinionPool, Pool]:
    """Return forty documents with a rating and a region, the first twenty of region `north`."""
    scores = SCORES.astype(np.int64)
    population = np.bincount((scores + 30) // 10, minlength=7) / COUNT
    stances = StancePool(
        document_ids=np.arange(COUNT),
        scores=scores,
        impacts=np.ones(COUNT, np.int64),
        confidences=np.ones(COUNT),
        dates=("",) * COUNT,
        ratings=stars,
        lengths=np.full(COUNT, 10),
    )
    shares = np.bincount(REGION) / COUNT
    region = Groups("region", ("north", "south"), REGION.astype(np.int64), shares, 0.0)
    problem = Pool(
        relevance=np.linspace(1, 0.1, COUNT),
        score=scores,
        population=population,
        groups={"region": REGION},
        group_shares={"region": shares},
    )
    return OpinionPool(stances, population, "proportional", {"region": region}), problem


def sample(
    rows: NDArray[np.int64], frame: NDArray[np.int64], chances: NDArray[np.float64], method: str = "balanced"
) -> Selection:
    """Return the documents ``rows`` as drawn from ``frame`` with these inclusion probabilities."""
    return Selection(
        indices=rows,
        method=method,
        parts=SelectionParts(0.0, 0.0, 0.0, 0.0, {}, 1.0, {}),
        inclusion=chances[np.searchsorted(frame, rows)],
        frame=frame,
        frame_inclusion=chances,
    )


def found(margins: tuple[MarginAudit, ...]) -> dict[tuple[str, str], MarginAudit]:
    """Return the margins by attribute and value."""
    return {(each.attribute, each.value): each for each in margins}


@pytest.mark.parametrize(("off", "balanced"), [(0.15, True), (0.25, False), (1.0, False)])
def test_a_share_is_balanced_only_where_the_design_expects_it_to_a_fifth_of_a_document(
    off: float, balanced: bool
) -> None:
    pool, problem = pools()
    chances = np.where(REGION == 0, 5 + off, 5 - off) / 20
    drawn = sample(np.arange(0, COUNT, 4), np.arange(COUNT), chances)
    margin = found(sample_margins(pool, problem, drawn))["region", "north"]
    assert margin.balanced == balanced
    assert margin.low is not None
    assert margin.high is not None
    # What is held is about a document of ten off either way; what is left to chance more than two.
    assert (margin.high - margin.low < 0.25) == balanced


def test_a_share_that_the_design_misses_is_told_as_if_left_to_chance() -> None:
    pool, problem = pools()
    chances = np.where(REGION == 0, 6.0, 14.0) / 20
    rows = np.arange(0, COUNT, 2)
    drawn = sample(rows, np.arange(COUNT), chances)
    margin = found(sample_margins(pool, problem, drawn))["region", "north"]
    has = (REGION[rows] == 0).astype(float)
    chance = share_margin(has, chances[rows])
    assert (margin.estimate, margin.low, margin.high) == pytest.approx(
        (chance.estimate, chance.low, chance.high)
    )
    columns = balance_columns(problem.bins, [(REGION, 2)])[rows]
    held = share_margin(has, chances[rows], columns)
    assert chance.high - chance.low > 2 * (held.high - held.low), "which the balance would seem to explain"


@pytest.mark.parametrize("rows", [range(COUNT), range(1)])
def test_a_census_and_a_single_document_have_no_margins(rows: range) -> None:
    pool, problem = pools()
    chosen, chances = np.array(rows), np.full(COUNT, len(rows) / COUNT)
    assert sample_margins(pool, problem, sample(chosen, np.arange(COUNT), chances, "random")) == ()


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_mean_rating_stays_on_its_scale(mirrored: bool) -> None:
    stars = 6 - STARS if mirrored else STARS
    pool, problem = pools(stars)
    rows = np.arange(10)
    drawn = sample(rows, np.arange(COUNT), np.full(COUNT, 0.25), "random")
    margin = found(sample_margins(pool, problem, drawn))["rating", ""]
    free = design_margin(stars[rows], np.full(10, 0.25))
    assert margin.estimate == free.estimate
    if mirrored:
        assert free.high > 6, "two ratings far from the others make for a long tail"
        assert (margin.low, margin.high) == (pytest.approx(free.low), 5.0)
    else:
        assert free.low < 0
        assert (margin.low, margin.high) == (1.0, pytest.approx(free.high))
