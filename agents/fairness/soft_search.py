"""Whole rankings for the soft objective ``Rel - strength * (Rb - target)^2``: all of them, or those near the relaxed.

The relaxation says which Rb is wanted and bounds the objective from above. It is concave, so whatever beats the best
ranking known by ``gap`` or less lies within ``sqrt(gap / strength)`` of the wanted Rb: exchanges are looked for there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from agents.fairness.faro_problem import Floats, Integers
from agents.fairness.faro_repair import MAX_MOVES, best_combination

#: Most sums of bias that :func:`best_sum` tells apart, and most options of a question that it is given.
MOST_SUMS, MOST_OPTIONS = 1 << 17, 1 << 12
#: More questions than this and their sums are too many.
MOST_QUESTIONS: Final = 17
#: Rounds of exchanges at the most, and the gap, relative to the spread of relevance, that is worth none.
ROUNDS: Final = 8
_CLOSE: Final = 1e-6
#: Parts of the widest window with a better ranking in it that exchanges are looked for in.
WINDOWS: Final = (1.0, 0.25, 0.06, 0.015)


class Exchange(NamedTuple):
    """Changes of single questions: whose, what each adds to the summed bias, and the relevance it costs."""

    question: Integers
    shift: Floats
    loss: Floats


def close_enough(top: float, bottom: float, questions: int) -> float:
    """Gap that is not improved any further, from the most and the least relevance that can be shown."""
    return _CLOSE * (top - bottom) * min(1.0, 200 / questions) + 1e-12 * max(abs(top), abs(bottom))


def countable(questions: int, options: int) -> bool:
    """Whether :func:`best_sum` is worth a try."""
    return questions <= MOST_QUESTIONS and (
        options <= MOST_OPTIONS or (questions == 1 and options <= MOST_SUMS)
    )


def best_sum(
    options: Sequence[tuple[Floats, Floats]], value: Callable[[Floats, Floats], Floats]
) -> list[int] | None:
    """Option of each question with the largest ``value(summed bias, summed relevance)``; None where they are too many.

    ``options`` holds the bias and the relevance (-inf where impossible) of what each question may show. Of sums that
    are equal but for rounding the most relevant is kept; ``value`` must rise with it.
    """
    scale = 1e-12 * sum(float(np.abs(bias).max()) for bias, _ in options)
    total, worth = np.zeros(1), np.zeros(1)
    trail: list[tuple[Integers, Integers]] = []
    for bias, relevance in options:
        own = _distinct(bias, relevance, scale)
        if total.size * own.size > MOST_SUMS:
            return None
        sums = (total[:, None] + bias[own]).ravel()
        gains = (worth[:, None] + relevance[own]).ravel()
        kept = _distinct(sums, gains, scale)
        trail.append((kept // own.size, own[kept % own.size]))
        total, worth = sums[kept], gains[kept]
    at = int(np.argmax(value(total, worth)))
    chosen: list[int] = []
    for parent, option in reversed(trail):
        chosen.append(int(option[at]))
        at = int(parent[at])
    return chosen[::-1]


def _distinct(bias: Floats, relevance: Floats, scale: float) -> Integers:
    """Most relevant entry of each distinct bias; impossible ones are left out."""
    possible = np.flatnonzero(relevance > -np.inf)
    key = np.rint(bias[possible] / scale) if scale > 0 else np.zeros(possible.size)
    order = np.lexsort((-relevance[possible], key))
    first = np.append(True, key[order][1:] != key[order][:-1])
    return np.asarray(possible[order[first]])


def partway(step: Floats, room: float) -> tuple[list[int], list[int]]:
    """Questions whose steps add up to just below ``room``, the largest first, and those just above it."""
    taken: list[int] = []
    rest: list[int] = []
    for q in np.argsort(-step, kind="stable").tolist():
        if step[q] <= 0:
            break
        if step[q] <= room:
            room -= float(step[q])
            taken.append(q)
        else:
            rest.append(q)
    return taken, taken + rest[-1:]


def best_exchange(
    moves: Exchange, offset: float, wanted: float, curvature: float, gap: float
) -> tuple[tuple[int, ...], float]:
    """Return the exchanges of one to four questions that gain most, and what they gain: ((), 0.0) if nothing does.

    Parameters
    ----------
    offset
        Summed bias now, less its target.
    wanted
        Summed bias of the relaxation's optimum, less its target.
    curvature
        Weight of the square of the offset.
    gap
        What the best ranking can at most gain.
    """
    # At the relaxation's price the objective falls by the reduced cost, and by the squared distance to the wanted sum.
    reduced = moves.loss + 2.0 * curvature * wanted * moves.shift
    cheapest = np.arange(reduced.size)
    if reduced.size > MAX_MOVES:
        spread = cheapest * 0.6180339887498949 % 1.0
        cheapest = np.lexsort((spread, reduced))[:MAX_MOVES]
    question, shift, cost = moves.question[cheapest], moves.shift[cheapest], reduced[cheapest]
    now = curvature * (offset - wanted) ** 2
    reach = float(np.sqrt(max(gap, 0.0) / curvature)) if curvature > 0 else np.inf
    members: tuple[int, ...] = ()
    most = 0.0
    for part in WINDOWS:
        centre, half = wanted - offset, reach * part
        found = best_combination(question, shift, cost, cost, centre - half, centre + half, now - most)
        if found is None:
            continue
        gain = now - curvature * (found.gain - centre) ** 2 - found.loss
        if gain > most:
            members, most = tuple(int(cheapest[member]) for member in found.moves), gain
    return members, most


__all__ = ["Exchange", "best_exchange", "best_sum", "close_enough", "countable", "partway"]
