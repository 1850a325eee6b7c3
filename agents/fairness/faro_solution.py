"""What the exact optimiser returns, and how a pattern of plus positions becomes one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from agents.fairness.faro_problem import SLACK, Booleans, Floats, Integers, RerankProblem, Side
from agents.fairness.faro_repair import enumerable, enumerate_exact

Status = Literal[
    "natural", "reordered", "optimal", "certified", "infeasible", "infeasible_integer", "unresolved"
]


@dataclass(frozen=True, eq=False)
class FaroSolution:
    """A ranking of every question with its price and its proof.

    Attributes
    ----------
    status
        ``natural``: the relevance ranking met the constraint and is returned unchanged. ``reordered``: the most
        relevant documents in another order, no relevance lost. ``optimal``: proven best. ``certified``: within
        ``gap`` of the bound. ``infeasible``: no ranking, not even a fractional one, meets the constraint; the
        ranking is the nearest. ``infeasible_integer``: only fractional ones do. ``unresolved``: none was found and
        none excluded. In the last three ``feasible`` is False.
    ranking
        Shape (Q, k): candidate indices by position.
    bias
        Predicted Rb of the ranking (eq. 8), in the units of the answers' bias score.
    relevance, bound
        Summed relevance, and the optimum of the linear relaxation (NaN if infeasible).
    embedding_bias
        Shape (k,): mean group by position (eq. 7), in [-1, 1].
    price
        Signed ``mu`` of eqs. 15-17 at the solution; 0 where no relevance is given up, positive where Rb is held down.
    target, tau
        The constraint ``|Rb - target| <= tau`` as optimised.
    asked, margin
        Where a calibration's error was given: the tolerance asked for, and z standard errors of the predicted Rb.
    standard_error
        Of the predicted Rb, from the calibration's covariance; NaN if none was given.
    problem
        What was solved; ``reachable`` and the other properties are read from it.
    """

    status: Status
    ranking: Integers
    bias: float
    relevance: float
    bound: float
    embedding_bias: Floats
    price: float
    target: float
    tau: float
    problem: RerankProblem = field(repr=False)
    asked: float = float("nan")
    margin: float = 0.0
    standard_error: float = float("nan")

    @property
    def reachable(self) -> tuple[float, float]:
        """Lowest and highest predicted Rb of any ranking."""
        return self.problem.reachable

    @property
    def top_relevance(self) -> float:
        """Relevance of the relevance ranking, the most there is."""
        return self.problem.top_relevance

    @property
    def touched(self) -> int:
        """Questions whose ranking differs from the relevance ranking."""
        return int((self.ranking != self.problem.natural).any(axis=1).sum())

    @property
    def collapsed(self) -> int:
        """Duplicate documents that were set aside."""
        return self.problem.collapsed

    @property
    def feasible(self) -> bool:
        """Whether the predicted Rb meets the constraint (slack 1e-9)."""
        return self.status in ("natural", "reordered", "optimal", "certified")

    @property
    def margin_kept(self) -> bool:
        """Whether the prediction stays within the tolerance asked, its margin included."""
        asked = self.tau if np.isnan(self.asked) else self.asked
        return self.feasible and abs(self.bias - self.target) + self.margin <= asked + 1e-6

    @property
    def gap(self) -> float:
        """Relevance that the optimum could at most add; 0 when proven optimal, NaN if infeasible."""
        if not self.feasible:
            return float("nan")
        return 0.0 if self.status != "certified" else max(0.0, self.bound - self.relevance)

    @property
    def relative_gap(self) -> float:
        """``gap`` over the relevance of the ranking's magnitude."""
        return self.gap / max(abs(self.relevance), 1e-300)

    @property
    def normalised_relevance(self) -> float:
        """``(Rel - Min) / (Max - Min)`` of eq. 18; 1 when nothing was given up or nothing could be."""
        least = self.problem.bottom_relevance
        spread = self.top_relevance - least
        return 1.0 if spread <= 0 else (self.relevance - least) / spread


class SolutionBuilder:
    """Turns patterns of plus positions into solutions of one problem and constraint."""

    def __init__(self, problem: RerankProblem, tau: float, target: float) -> None:
        self.problem, self.tau, self.target = problem, tau, target

    def meets(self, pattern: Booleans) -> bool:
        """Whether the predicted Rb of a pattern lies within the tolerance (slack 1e-9)."""
        return abs(self.problem.predicted_bias(pattern) - self.target) <= self.tau + SLACK

    def natural(self) -> FaroSolution:
        """Return the relevance ranking, unchanged."""
        return self.solution("natural", self.problem.natural_pattern, self.problem.top_relevance, 0.0)

    def solution(self, status: Status, pattern: Booleans, bound: float, price: float) -> FaroSolution:
        """Describe the ranking of one pattern."""
        problem = self.problem
        ranking = problem.natural if status == "natural" else problem.ranking(pattern)
        eb = 2.0 * pattern.sum(axis=0) / problem.questions - 1.0
        flat = ranking + (np.arange(problem.questions) * problem.relevance.shape[1])[:, None]
        return FaroSolution(
            status,
            ranking,
            float(eb @ problem.weights) + problem.intercept,
            float(problem.relevance.ravel()[flat].sum()),
            bound,
            eb,
            price,
            self.target,
            self.tau,
            problem,
        )

    def infeasible(self, side: Side) -> FaroSolution:
        """Return the ranking with the best reachable Rb, at the least loss of relevance."""
        counts = apply_events(self.problem, side, self.problem.events(side).gain.size)
        pattern = self.problem.extreme_pattern(counts, side)
        return self.solution("infeasible", pattern, float("nan"), float("nan"))

    def nearest(self, bound: float, price: float) -> FaroSolution:
        """Return the integer ranking nearest to the window; used when none lies inside."""
        problem, Q = self.problem, self.problem.questions
        low = Q * (self.target - self.tau - problem.intercept)
        high = Q * (self.target + self.tau - problem.intercept)
        best, distance = problem.natural_pattern, np.inf
        if enumerable(problem):
            best = _nearest_exact(problem, low, high)
        else:
            sides: tuple[Side, Side] = ("up", "down")
            for side in sides:
                events = problem.events(side)
                for j in range(0, events.gain.size + 1, max(1, events.gain.size // 200)):
                    pattern = problem.extreme_pattern(apply_events(problem, side, j), side)
                    total = float(problem.bias_of(pattern).sum())
                    outside = max(low - total, total - high, 0.0)
                    if outside < distance:
                        best, distance = pattern, outside
        return self.solution("infeasible_integer", best, bound, price)


def _nearest_exact(problem: RerankProblem, low: float, high: float) -> Booleans:
    """Find the pattern whose bias lies nearest to [low, high]: widen the window until it holds one."""
    reach = float(np.abs(problem.weights).sum()) * 2 * problem.questions
    narrow, wide = 0.0, reach + 1.0
    best = problem.natural_pattern
    for _ in range(50):
        middle = (narrow + wide) / 2
        pattern = enumerate_exact(problem, low - middle, high + middle)
        if pattern is None:
            narrow = middle
        else:
            best = pattern
            total = float(problem.bias_of(pattern).sum())
            outside = max(low - total, total - high, 0.0)
            if wide - narrow < 1e-9 or outside <= narrow:
                break
            wide = outside
    return best


def apply_events(problem: RerankProblem, side: Side, j: int) -> Integers:
    """Count the plus documents of each question after the first j events."""
    events = problem.events(side)
    change = np.bincount(events.question[:j], weights=events.step[:j], minlength=problem.questions)
    return problem.top_count + change.astype(np.int64)


__all__ = ["FaroSolution", "SolutionBuilder", "Status", "apply_events"]
