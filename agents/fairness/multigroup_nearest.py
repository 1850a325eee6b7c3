"""Where no rankings meet the constraints: those that come nearest, in integers.

The relaxation says how near fractional rankings come; rounded, one or two questions can end up far from that. Small
instances are solved as they are: first the least largest excess, then the most relevance that goes with it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from agents.fairness.faro_problem import SLACK
from agents.fairness.multigroup import LARGE, MultigroupSolution, solve_multigroup
from agents.fairness.multigroup_problem import MultigroupProblem
from agents.fairness.multigroup_programme import least_excess

#: Seconds for the search of the nearest rankings.
PATIENCE: Final = 5.0


def nearest_rankings(
    problem: MultigroupProblem, found: MultigroupSolution, time_limit: float = PATIENCE
) -> MultigroupSolution:
    """Return rankings whose largest excess over the tolerance is the least that was found, ``found``'s at the most.

    The status stays what it was: the constraints are not met.
    """
    if found.feasible or problem.questions * problem.k * problem.vectors.shape[0] > LARGE:
        return found
    Q = problem.questions
    low = Q * (found.target - found.tau - problem.intercept)
    high = Q * (found.target + found.tau - problem.intercept)
    pattern = least_excess(problem, low, high, time_limit / 2)
    if pattern is None:
        return found
    distance = np.abs(problem.bias_of(pattern) - found.target)
    if float((distance - found.tau).max()) > found.violation - SLACK:
        return found
    # As near as that, component by component, and then the most relevant.
    again = solve_multigroup(problem, np.maximum(found.tau, distance + SLACK), found.target)
    if not again.feasible:
        return found
    return replace(
        again,
        status=found.status,
        bound=found.bound,
        price=found.price,
        tau=found.tau,
        violation=float((np.abs(again.bias - found.target) - found.tau).max()),
    )


__all__ = ["nearest_rankings"]
