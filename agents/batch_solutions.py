"""The rankings of a batch: under its constraint, by the soft objective, and the frontier of what Rb costs.

The solvers are those for typed documents (``agents.fairness.multigroup``), for any number of components.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.batch import Batch
from agents.batch_components import check_target, errors, goals
from agents.fairness.faro_problem import SLACK
from agents.fairness.multigroup import MultigroupSolution, solve_multigroup
from agents.fairness.multigroup_nearest import nearest_rankings
from agents.fairness.multigroup_problem import MultigroupProblem, oracle
from agents.fairness.multigroup_soft import solve_soft_types
from agents.ordering import KEPT, POLARITY
from store.errors import UsageError
from store.verdicts import Verdict, Z, gravest, judge

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Of a soft objective: beyond it relevance is lost in rounding.
MOST_STRENGTH: Final = 1e12
#: Seconds after which rankings are sought in haste.
PATIENCE: Final = 20.0
#: Supported points of a frontier at the most.
MOST_POINTS = 60


@dataclass(frozen=True, slots=True)
class SoftObjective:
    """``Rel - strength * (Rb - target)^2`` of rankings (FARO eq. 11), and the most that any could have."""

    strength: float
    value: float
    bound: float


@dataclass(frozen=True, eq=False)
class BatchSolution:
    """Rankings of all questions.

    Attributes
    ----------
    ranking
        Shape (Q, k): candidates of each question by position.
    status
        What the optimiser says (:class:`agents.fairness.multigroup.MultigroupSolution`), or ``soft``.
    predicted, target, natural
        Shape (d,): each component as ranked, as asked for, and by relevance alone.
    margin, standard_error
        Shape (d,): what the tolerance was to be shrunk by (a tenth of it is kept), and the error of what is predicted.
    shown
        Shape (d,): how many of the documents shown are of the group; for polarity, hold a view of either sign.
    tau
        The tolerance as asked; None for a soft objective, which tolerates at a price.
    relevance_kept
        Share of the most relevant rankings' relevance.
    gap
        Relevance (or soft objective) that the optimum could at most add; NaN where the constraint is not met.
    soft
        The soft objective, where one was asked for.
    """

    ranking: Integers
    status: str
    predicted: Floats
    target: Floats
    natural: Floats
    margin: Floats
    standard_error: Floats
    shown: Integers
    tau: float | None
    relevance_kept: float
    gap: float
    soft: SoftObjective | None = None

    @property
    def within(self) -> NDArray[np.bool_]:
        """Whether each component lies within the tolerance that was asked for, shape (d,)."""
        if self.tau is None:
            return np.ones(self.target.size, dtype=bool)
        return np.asarray([each != "not met" for each in self.verdicts])

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Whether each component meets its target, the calibration's error considered; none of a soft objective."""
        if self.tau is None:
            return ()
        each = zip(self.predicted.tolist(), self.target.tolist(), self.standard_error.tolist(), strict=True)
        return tuple(judge(predicted, target, self.tau, error) for predicted, target, error in each)

    @property
    def verdict(self) -> Verdict | None:
        """The gravest of them; None for a soft objective."""
        return gravest(self.verdicts) if self.verdicts else None

    @property
    def met(self) -> bool:
        """Whether all do; a soft objective leaves nothing to be met."""
        return bool(self.within.all())

    @property
    def worst(self) -> int:
        """The component farthest from its target."""
        return int(np.argmax(np.abs(self.predicted - self.target)))


@dataclass(frozen=True, slots=True)
class BiasPoint:
    """One supported point of relevance, summed and as a share of the most there is, against predicted Rb."""

    bias: float
    relevance: float
    relevance_kept: float


def solve_batch(batch: Batch, tau: float, target: float | str = "proportional") -> BatchSolution:
    """Find the most relevant rankings that hold every component within ``tau`` of its target.

    The tolerance is shrunk by the calibration's error. A number as target is the Rb of polarity; author groups that
    are held beside it keep the population's shares.

    Raises
    ------
    UsageError
        The tolerance is negative or no number, or a number is the target where polarity is not held.
    """
    if not np.isfinite(tau) or tau < 0:
        raise UsageError(f"the tolerance is {tau}", "give a number that is not negative")
    check_target(target, batch.attributes)
    problem, goal = batch.problem, goals(batch.components, batch.weights, target)
    margin = np.zeros(goal.size)
    started = monotonic()
    room = np.full(goal.size, float(tau))
    solved = _solve(batch, room, goal, _share_of_time(started))
    for _ in range(5):
        error = _errors(batch, solved.pattern)
        if (Z * error <= margin + 1e-12).all():
            break
        # The error depends on the rankings, and the rankings on the tolerance that the error leaves.
        margin = np.maximum(margin, Z * error)
        narrower = np.maximum(tau - margin, KEPT * tau)
        if not np.array_equal(narrower, room):
            room = narrower
            solved = _solve(batch, room, goal, _share_of_time(started))
    if not solved.feasible:
        solved = _less_near(batch, solved, room, goal, tau, _share_of_time(started))
    return BatchSolution(
        ranking=solved.ranking,
        status=solved.status,
        predicted=_values(batch, solved.bias),
        target=goal,
        natural=_values(batch, problem.bias_of(problem.natural_pattern)),
        margin=margin,
        standard_error=_errors(batch, solved.pattern),
        shown=_shown(problem, solved.pattern),
        tau=tau,
        relevance_kept=_kept(problem, solved.relevance),
        gap=solved.gap,
    )


def solve_batch_soft(batch: Batch, strength: float, target: float | str = "proportional") -> BatchSolution:
    """Find the best rankings known of the soft objective (FARO eq. 11), for polarity alone; few questions exactly.

    Raises
    ------
    UsageError
        The strength is negative or no number, or another attribute than polarity is held.
    """
    if not 0 <= strength <= MOST_STRENGTH:
        raise UsageError(
            f"the weight of the soft objective is {strength}", f"give a number from 0 to {MOST_STRENGTH:g}"
        )
    if batch.attributes != (POLARITY,):
        raise UsageError("the soft objective is for polarity alone", "leave the other attributes out")
    problem, goal = batch.problem, goals(batch.components, batch.weights, target)
    found = solve_soft_types(problem, strength, float(goal[0]))
    pattern = np.take_along_axis(problem.types, found.ranking, axis=1)
    return BatchSolution(
        ranking=found.ranking,
        status="soft",
        predicted=_values(batch, np.asarray([found.bias])),
        target=goal,
        natural=_values(batch, problem.bias_of(problem.natural_pattern)),
        margin=np.zeros(1),
        standard_error=_errors(batch, pattern),
        shown=_shown(problem, pattern),
        tau=None,
        relevance_kept=_kept(problem, found.relevance),
        gap=found.bound - found.objective,
        soft=SoftObjective(strength, found.objective, found.bound),
    )


def rankings(batch: Batch, solution: BatchSolution) -> dict[int, list[int]]:
    """Return the document ids of each question under the constraint, in order, by the question's index."""
    return {
        item.index: [int(i) for i in item.ids[row]]
        for item, row in zip(batch.items, solution.ranking, strict=True)
    }


def batch_frontier(batch: Batch) -> list[BiasPoint]:
    """Return the supported frontier of relevance against predicted Rb of polarity, by rising Rb.

    Polarity is the first attribute; whatever else the constraint holds does not bend its curve. Between two neighbours
    a third is sought at the price that makes them equal, until there is none (Aneja and Nair, 1979); at most
    ``MOST_POINTS``, which then are still exact but not all.

    Raises
    ------
    UsageError
        Polarity is not the first attribute.
    """
    if batch.attributes[0] != POLARITY:
        raise UsageError("only polarity has a frontier", "give --attribute polarity first")
    problem = batch.problem
    first = np.eye(len(batch.components))[0]
    found: dict[float, float] = {}

    def at(nu: float) -> tuple[float, float]:
        pattern = problem.natural_pattern if nu == 0 else oracle(problem, nu * first).pattern
        bias = float(problem.bias_of(pattern)[0])
        relevance = problem.relevance_of(problem.ranking(pattern))
        key = round(bias, 12)
        found[key] = max(found.get(key, -np.inf), relevance)
        return bias, relevance

    open_pairs = [(at(1e4), at(0.0)), (at(0.0), at(-1e4))]
    while open_pairs and len(found) < MOST_POINTS:
        # The widest gap first, so that a frontier that is cut short is even.
        open_pairs.sort(key=lambda pair: pair[1][0] - pair[0][0])
        left, right = open_pairs.pop()
        if right[0] - left[0] < 1e-9:
            continue
        mu = (right[1] - left[1]) / (right[0] - left[0])
        middle = at(mu / problem.questions)
        gain = (middle[1] - mu * middle[0]) - (left[1] - mu * left[0])
        if gain > 1e-9 and left[0] + 1e-12 < middle[0] < right[0] - 1e-12:
            open_pairs += [(left, middle), (middle, right)]
    return [
        BiasPoint(bias, relevance, _kept(problem, relevance)) for bias, relevance in sorted(found.items())
    ]


def _solve(batch: Batch, room: Floats, goal: Floats, time_limit: float) -> MultigroupSolution:
    """Solve for components within ``room`` of ``goal``, as shown: what lies beyond -1 or +1 on the line is shown as it.

    So where the tolerance reaches an end of the scale, the line is free beyond it.
    """
    low, high = goal - room, goal + room
    bounded = np.asarray([not each.group for each in batch.components])
    reach = float(np.abs(batch.weights.weights).sum() + abs(batch.weights.intercept))
    low = np.where(bounded & (low <= -1), np.minimum(low, -reach), low)
    high = np.where(bounded & (high >= 1), np.maximum(high, reach), high)
    return solve_multigroup(batch.problem, (high - low) / 2, (low + high) / 2, time_limit=time_limit)


def _less_near(
    batch: Batch, nearest: MultigroupSolution, room: Floats, goal: Floats, tau: float, time_limit: float
) -> MultigroupSolution:
    """Solve once more where no rankings lie within ``room``, for as little more of the tolerance as it takes."""
    distance = np.abs(_values(batch, nearest.bias) - goal)
    within = bool((distance <= tau + SLACK).all())
    wider = np.maximum(room, distance + SLACK) if within else np.full(goal.size, float(tau))
    again = _solve(batch, wider, goal, time_limit)
    return again if again.feasible else nearest_rankings(batch.problem, again)


def _share_of_time(started: float) -> float:
    """Return the seconds of one programme of the solver, which makes up to ten: less the longer all has taken."""
    return float(np.clip((PATIENCE - (monotonic() - started)) / 10, 0.1, 2.0))


def _values(batch: Batch, linear: Floats) -> Floats:
    return np.asarray(
        [each.value(number) for each, number in zip(batch.components, linear.tolist(), strict=True)]
    )


def _shown(problem: MultigroupProblem, pattern: Integers) -> Integers:
    return np.asarray((problem.vectors[pattern] != 0).sum(axis=(0, 1)), dtype=np.int64)


def _errors(batch: Batch, pattern: Integers) -> Floats:
    return errors(batch.components, batch.weights, batch.problem.vectors[pattern].mean(axis=0))


def _kept(problem: MultigroupProblem, relevance: float) -> float:
    return relevance / problem.top_relevance if problem.top_relevance > 0 else 1.0


__all__ = [
    "BatchSolution",
    "BiasPoint",
    "SoftObjective",
    "batch_frontier",
    "rankings",
    "solve_batch",
    "solve_batch_soft",
]
