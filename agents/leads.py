"""Which of several values is first, and whether its lead is more than chance.

The first value is held against every other one, each at 95 %: its lead is that over all of them. Against a runner-up of
equal size this is the test of Gutmann and Maymin (1987) and of Hung and Fithian (2019), which needs no correction for
having looked for the first; values differ in size here, so that all are asked, not the runner-up alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from agents.fairness.quality import wilson

T = TypeVar("T")
#: Half-width of a 95 % interval in standard errors.
_Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of ``n`` numbers and the variance of one of them."""

    value: float
    n: int
    variance: float

    @property
    def interval(self) -> tuple[float, float]:
        """The normal 95 % interval."""
        half = _Z * math.sqrt(self.variance / self.n)
        return self.value - half, self.value + half


def counts_apart(first: int, second: int) -> tuple[float, float, float]:
    """Return the share of the first of two counts in their sum, less one half, and its 95 % interval (Wilson).

    Documents that both counts hold make this wider than it need be, never narrower.
    """
    n = first + second
    found = wilson(first / n if n else 0.5, n)
    return found.value - 0.5, found.low - 0.5, found.high - 0.5


def means_apart(first: Mean, second: Mean) -> tuple[float, float, float]:
    """Return the difference of two means and its 95 % interval (normal, unequal variances)."""
    apart = first.value - second.value
    half = _Z * math.sqrt(first.variance / first.n + second.variance / second.n)
    return apart, apart - half, apart + half


def pooled_variance(means: Sequence[Mean]) -> float:
    """Return the variance of one number around its own mean, over all means; 0 where none has two numbers."""
    free = sum(mean.n - 1 for mean in means if mean.n)
    return sum(mean.variance * mean.n for mean in means) / free if free else 0.0


def not_behind(first: T, others: Sequence[T], apart: Callable[[T, T], tuple[float, float, float]]) -> list[T]:
    """Return those of the others from which the first is not told apart, in their order."""
    return [each for each in others if (found := apart(first, each))[1] <= 0 <= found[2]]


def slope(times: Sequence[int], means: Sequence[Mean]) -> tuple[float, float, float]:
    """Return the change a period on the straight line of least squares over all documents, and its 95 % interval.

    For shares this is the trend of Cochran (1954) and Armitage (1955), its variance that around the line.

    Raises
    ------
    ValueError
        Fewer than two periods or three documents: there is no line.
    """
    total = sum(mean.n for mean in means)
    if len(set(times)) < 2 or total < 3:
        raise ValueError("a line needs two periods and three documents")
    centre = sum(mean.n * t for t, mean in zip(times, means, strict=True)) / total
    middle = sum(mean.n * mean.value for mean in means) / total
    spread = sum(mean.n * (t - centre) ** 2 for t, mean in zip(times, means, strict=True))
    moved = sum(mean.n * (t - centre) * (mean.value - middle) for t, mean in zip(times, means, strict=True))
    change = moved / spread
    left = sum(
        mean.n * (mean.variance + (mean.value - middle - change * (t - centre)) ** 2)
        for t, mean in zip(times, means, strict=True)
    )
    half = _Z * math.sqrt(left / (total - 2) / spread)
    return change, change - half, change + half


__all__ = ["Mean", "counts_apart", "means_apart", "not_behind", "pooled_variance", "slope"]
