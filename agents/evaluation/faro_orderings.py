"""How every method orders the candidates of all questions under ``|Rb| <= tau``: what FARO's tables compare."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.faro_data import Retrieved
from agents.fairness.faro import prepare, solve
from agents.fairness.faro_frontier import SoftSolution, solve_soft
from agents.fairness.faro_grid import faro_grid
from agents.fairness.faro_problem import SLACK, RerankProblem
from agents.fairness.linear_program import solve_linear_program
from agents.fairness.propagation import PropagationFit

Integers = NDArray[np.int64]

#: Standard errors that the last row shrinks the tolerance by.
Z: Final = 1.645
#: Strengths of the soft objective that are tried in turn: 2^-3, 2^-2 ... 2^20.
STRENGTHS: Final = tuple(2.0**power for power in range(-3, 21))
#: Longest run of the linear programme in seconds.
LP_SECONDS: Final = 60.0


@dataclass(frozen=True, eq=False)
class Ordering:
    """What one method made of all questions: candidates by position, shape (Q, k), and how."""

    name: str
    ranking: Integers
    predicted: float
    relevance: float
    seconds: float
    state: str


def orderings(found: Retrieved, fitted: PropagationFit, tau: float) -> list[Ordering]:
    """Order the candidates of all questions by every method; seconds include sorting them.

    Returns
    -------
    list of Ordering
        vanilla, FARO's grid, the linear programme (no ranking where it found nothing), the soft objective, ours, and
        ours with the tolerance shrunk by the calibration's error.
    """

    def fresh() -> tuple[RerankProblem, float]:
        started = time.perf_counter()
        return prepare(found.relevance, found.groups, fitted.weights, fitted.intercept), started

    problem, started = fresh()
    natural = problem.natural
    took = time.perf_counter() - started
    bias = problem.predicted_bias(problem.natural_pattern)
    made = [Ordering("vanilla", natural, bias, 1.0, took, state(bias, tau))]
    problem, started = fresh()
    grid = faro_grid(problem, tau)
    took = time.perf_counter() - started
    told = state(grid.bias, tau) if grid.feasible else "no price feasible: nearest"
    made.append(Ordering("FARO grid", grid.ranking, grid.bias, grid.normalised_relevance, took, told))
    problem, started = fresh()
    relaxed = solve_linear_program(problem, tau, time_limit=LP_SECONDS)
    took = time.perf_counter() - started
    if relaxed.status == "solved":
        kept = _normalised(problem, relaxed.relevance)
        told = state(relaxed.bias, tau) if relaxed.feasible else "rounding broke the constraint"
        made.append(Ordering("LP", relaxed.ranking, relaxed.bias, kept, took, told))
    else:
        nothing = np.empty((0, fitted.k), dtype=np.int64)
        made.append(Ordering("LP", nothing, float("nan"), float("nan"), took, relaxed.status))
    problem, started = fresh()
    strength, soft = smallest_strength(problem, tau)
    took = time.perf_counter() - started
    kept = _normalised(problem, soft.relevance)
    told = f"lambda = {strength:g}, {state(soft.bias, tau)}"
    made.append(Ordering("soft objective", soft.ranking, soft.bias, kept, took, told))
    for name, z in (("ours", 0.0), ("ours, error allowed for", Z)):
        problem, started = fresh()
        solution = solve(problem, tau, covariance=fitted.covariance if z else None, z=z)
        took = time.perf_counter() - started
        kept = _normalised(problem, solution.relevance)
        told = f"{solution.status}, {state(solution.bias, tau)}"
        made.append(Ordering(name, solution.ranking, solution.bias, kept, took, told))
    return made


def smallest_strength(problem: RerankProblem, tau: float) -> tuple[float, SoftSolution]:
    """Maximise ``Rel - strength * Rb^2`` (eq. 11) at the smallest of :data:`STRENGTHS` with predicted ``|Rb| <= tau``.

    The paper names no strength, so nothing but the tolerance chooses it: no answer is looked at.

    Returns
    -------
    tuple of float and SoftSolution
        The strength, and what it gives; the largest strength where none brings Rb within the tolerance.
    """
    for strength in STRENGTHS:
        soft = solve_soft(problem, strength)
        if abs(soft.bias) <= tau + SLACK:
            break
    return strength, soft


def state(bias: float, tau: float) -> str:
    """Say whether a bias is within the tolerance."""
    return "within tau" if abs(bias) <= tau + SLACK else "outside tau"


def _normalised(problem: RerankProblem, relevance: float) -> float:
    spread = problem.top_relevance - problem.bottom_relevance
    return (relevance - problem.bottom_relevance) / spread if spread > 0 else 1.0


__all__ = ["LP_SECONDS", "STRENGTHS", "Ordering", "Z", "orderings", "smallest_strength", "state"]
