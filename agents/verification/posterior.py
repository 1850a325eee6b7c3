"""The voices of an answer held against the population, when it is not sure what each voice says.

A hard count of misread voices accuses right answers and clears wrong ones. So every voice has a probability for each
side; the numbers of positive and of negative voices then have a joint distribution (Poisson binomial), the rules are
applied to every pair of numbers that is possible, and an answer is accused where they would accuse it with a
probability of more than ``ACCUSED``. Where all voices are sure this is the hard count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.verification.bins import Side

Floats = NDArray[np.float64]
#: Finding and message by the numbers of positive and negative voices, or nothing.
Rule = Callable[[int, int], list[tuple[str, str]]]

ACCUSED: Final = 0.5
#: How often voices of each kind are met at all, before anything is read: positive, negative, neutral.
BASE: Final = (0.45, 0.45, 0.10)
#: Voices that a right answer may be away from the numbers that are due, as a standard deviation.
_SPREAD: Final = 0.8
#: Voices beyond this number are scaled down to it: shares, not numbers, are then what counts.
MOST: Final = 60


@dataclass(frozen=True, slots=True)
class Reading:
    """Voices that stand and fall together: how many, and the probabilities that they are of each side."""

    voices: int
    positive: float
    negative: float
    neutral: float


def reading(voices: int, bin_: int | None, sure: float) -> Reading:
    """Return the reading of a claim in this bin, which is right with probability ``sure``; None tells nothing."""
    if bin_ is None:
        return Reading(voices, *BASE)
    side = 0 if bin_ > 0 else 1 if bin_ < 0 else 2
    rest = 1 - sure
    # A view that is misread is more often of the other side than none at all.
    shares = [rest / 2] * 3 if side == 2 else [0.8 * rest, 0.8 * rest, 0.2 * rest]
    shares[side] = sure
    return Reading(voices, *shares)


def posterior(readings: Sequence[Reading], true: Mapping[Side, float]) -> Floats:
    """Return P(positive voices = i, negative voices = j), float64 of shape (n + 1, n + 1), summing to 1.

    Half of the prior belongs to answers that mirror the population, half to all others.
    """
    total = sum(entry.voices for entry in readings)
    if total > MOST:
        readings = [
            Reading(max(1, round(e.voices * MOST / total)), e.positive, e.negative, e.neutral)
            for e in readings
        ]
    n = sum(entry.voices for entry in readings)
    read = _counts(readings, n)
    unread = _counts([Reading(e.voices, *BASE) for e in readings], n)
    likelihood = np.divide(read, unread, out=np.zeros_like(read), where=unread > 0)
    weighed: Floats = likelihood * _prior(unread, n, true)
    result: Floats = weighed / weighed.sum()
    return result


def _counts(readings: Sequence[Reading], n: int) -> Floats:
    found = np.zeros((n + 1, n + 1))
    found[0, 0] = 1.0
    for entry in readings:
        v = entry.voices
        grown = entry.neutral * found
        grown[v:, :] += entry.positive * found[: n + 1 - v, :]
        grown[:, v:] += entry.negative * found[:, : n + 1 - v]
        found = grown
    return found


def _prior(possible: Floats, n: int, true: Mapping[Side, float]) -> Floats:
    places: NDArray[np.int64] = np.indices(possible.shape)
    i, j = places[0], places[1]
    feasible = possible > 0
    away = (i - n * true["positive"]) ** 2 + (j - n * true["negative"]) ** 2
    # Far from everything that is possible the weights would all vanish.
    right = np.where(feasible, np.exp(-(away - away[feasible].min()) / (2 * _SPREAD**2)), 0.0)
    # Any split of the voices that hold a view, with as many neutral ones as are met.
    neutral = np.bincount((n - i - j)[feasible], possible[feasible], minlength=n + 1)
    splits = np.bincount((n - i - j)[feasible], minlength=n + 1)
    other = np.zeros_like(possible)
    other[feasible] = (neutral / np.maximum(splits, 1))[(n - i - j)[feasible]]
    result: Floats = right / right.sum() / 2 + other / other.sum() / 2
    return result


def judge(readings: Sequence[Reading], true: Mapping[Side, float], rule: Rule) -> list[tuple[str, str]]:
    """Return the findings of ``rule`` at the likeliest numbers that it objects to, where it probably objects.

    ``rule`` is called with numbers of positive and negative voices that add up to at most all voices.
    """
    probabilities = posterior(readings, true)
    accused = 0.0
    kinds: dict[tuple[str, ...], float] = {}
    best: dict[tuple[str, ...], tuple[float, list[tuple[str, str]]]] = {}
    for i, j in zip(*np.nonzero(probabilities > 1e-6), strict=True):
        found = rule(int(i), int(j))
        if not found:
            continue
        p = float(probabilities[i, j])
        accused += p
        kind = tuple(name for name, _ in found)
        kinds[kind] = kinds.get(kind, 0.0) + p
        if p > best.get(kind, (0.0, []))[0]:
            best[kind] = (p, found)
    if accused <= ACCUSED:
        return []
    return best[max(kinds, key=lambda kind: kinds[kind])][1]


__all__ = ["ACCUSED", "BASE", "MOST", "Reading", "judge", "posterior", "reading"]
