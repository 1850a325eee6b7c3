"""Plots of FARO's evaluation: position weights with intervals, and the frontier with what each method made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from agents.evaluation.report import Plot, Point, Series
from agents.fairness.faro import prepare
from agents.fairness.faro_frontier import frontier
from agents.fairness.propagation import PropagationFit

if TYPE_CHECKING:
    from agents.evaluation.faro_data import Retrieved
    from agents.evaluation.faro_orderings import Ordering

#: Points of a frontier that are drawn at the most.
_DRAWN: Final = 50


def weights_plot(name: str, fits: Mapping[int, PropagationFit]) -> Plot:
    """Return position weights by rank, one line a k."""
    largest = max(fits)
    series = [
        Series(
            f"k = {k}",
            tuple(
                Point(float(rank), float(weight), float(low), float(high))
                for rank, (weight, (low, high)) in enumerate(
                    zip(fitted.weights, fitted.interval[:-1], strict=True), start=1
                )
            ),
            ours=k == largest,
        )
        for k, fitted in fits.items()
    ]
    note = "how much a document at each rank moves the answer; 95 % intervals, errors clustered by question"
    return Plot(f"{name}: weights by position", "line", "rank", "position weight", tuple(series), note)


def frontier_plot(name: str, found: Retrieved, fitted: PropagationFit, made: Sequence[Ordering]) -> Plot:
    """Return the exact frontier of relevance against predicted bias, with the methods' points on it."""
    problem = prepare(found.relevance, found.groups, fitted.weights, fitted.intercept)
    exact = frontier(problem)
    spread = problem.top_relevance - problem.bottom_relevance
    kept = (
        (exact.relevance - problem.bottom_relevance) / spread if spread > 0 else np.ones_like(exact.relevance)
    )
    shown = np.unique(np.linspace(0, len(kept) - 1, min(_DRAWN, len(kept))).round().astype(int))
    path = tuple(Point(float(exact.bias[i]), float(kept[i])) for i in shown)
    series = [Series("exact frontier", path)]
    for each in made:
        if each.name in ("vanilla", "FARO grid", "LP", "soft objective", "ours") and np.isfinite(
            each.predicted
        ):
            point = Point(each.predicted, each.relevance)
            series.append(Series(each.name, (point,), ours=each.name == "ours"))
    return Plot(
        f"{name}: frontier at k = {fitted.k}",
        "line",
        "predicted bias of the output (Rb)",
        "normalised relevance",
        tuple(series),
        "what a bias costs in relevance; every method chooses one point",
    )


__all__ = ["frontier_plot", "weights_plot"]
