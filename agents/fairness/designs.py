"""Which groups to show at which position when measuring position weights (FARO, stage 2).

``grid`` is the paper's: every combination of the levels V2, V3 or V5, the same for each question. ``blocks`` gives
each question one small two-level orthogonal array whose columns are multiplied by random signs: main effects stay
orthogonal within a question, and interactions alias at random instead of always into the same weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from agents.fairness.checks import instance, number, one_of, whole

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Design = Literal["grid", "blocks"]

#: Levels of Eb_p in the paper (section 6.3); other k use the two extremes.
PUBLISHED_LEVELS: Final[dict[int, tuple[float, ...]]] = {
    2: (1.0, 3 / 5, 1 / 5, -1 / 5, -3 / 5, -1.0),
    3: (1.0, 1 / 3, -1 / 3, -1.0),
    5: (-1.0, 1.0),
}

#: SE(w_p) * sqrt(calls) of ``blocks``, simulated: generators with chance in the answer, and temperature 0.
_BLOCK_NOISE: Final[dict[str, tuple[float, float]]] = {"random": (0.87, 0.91), "deterministic": (0.60, 0.60)}
#: The same for ``grid`` with 200 questions, fitted by realised groups with question effects.
_GRID_NOISE: Final[dict[str, dict[int, float]]] = {
    "random": {2: 1.17, 3: 1.41},
    "deterministic": {2: 1.86, 3: 1.71},
}
_GRID_NOISE_OTHER: Final[dict[str, float]] = {"random": 1.15, "deterministic": 0.90}
#: Smallest standard error that can be planned for; the calls that a smaller one needs are beyond counting.
LEAST_ERROR: Final = 1e-6


@dataclass(frozen=True, eq=False)
class Runs:
    """Calls to make, in the order to make them.

    Attributes
    ----------
    question
        Shape (n,): index of the question.
    probabilities
        Shape (n, k): chance that a position takes group +1; 0 or 1 in ``blocks``.
    first_option
        Shape (n,): group (+1 or -1) shown as option A, balanced so that a liking for the letter is not measured.
    """

    design: Design
    question: Integers
    probabilities: Floats
    first_option: Integers

    @property
    def calls(self) -> int:
        """How many calls that is."""
        return int(self.question.size)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a calibration will cost and how precise it will be, said beforehand.

    ``standard_error`` is the expected SE of one position weight, ``half_width`` the 95 % interval's half width.
    """

    design: Design
    k: int
    questions: int
    runs_per_question: int
    calls: int
    standard_error: float

    @property
    def half_width(self) -> float:
        """Half width of the expected 95 % interval."""
        return 1.96 * self.standard_error


def grid_settings(k: int) -> Floats:
    """All settings of the paper's grid, shape (S, k): 36 for k = 2, 64 for k = 3, 32 for k = 5."""
    _check_k(k)
    levels = PUBLISHED_LEVELS.get(k, (-1.0, 1.0))
    if len(levels) ** k > 4096:
        raise ValueError(f"k: {k} positions have more than 4096 settings; use the design 'blocks'")
    return np.array(list(product(levels, repeat=k)))


def block_size(k: int) -> int:
    """Return the runs of one question in ``blocks``: 2, 4, 8 for k = 1, 2, 3-7, then the next power of two above k."""
    _check_k(k)
    return max(1 << min(k, 3), 1 << k.bit_length())


def orthogonal_array(runs: int) -> Integers:
    """Two-level array of strength two, shape (runs, runs - 1), entries -1 and +1; runs is a power of two.

    Columns are products of the basic factors; those with an odd number of factors come first, so that the first
    half of the columns has no main effect aliased with a two-factor interaction.
    """
    if whole("runs", runs, 2) & (runs - 1):
        raise ValueError(f"runs: expected a power of two, got {runs}")
    words = sorted(range(1, runs), key=lambda word: (word.bit_count() % 2 == 0, word.bit_count(), word))
    index = np.arange(runs)
    parity = np.array([[(int(i) & word).bit_count() % 2 for word in words] for i in index])
    return np.asarray(1 - 2 * parity, dtype=np.int64)


def plan(
    k: int,
    *,
    questions: int | None = None,
    calls: int | None = None,
    standard_error: float | None = None,
    design: Design = "blocks",
    answers: Literal["random", "deterministic"] = "random",
) -> Plan:
    """Relate questions, calls and expected precision; give exactly one of the three.

    The factors are simulated (section E of the design notes): SE is about .91 / sqrt(calls) for ``blocks`` on a
    generator with chance in its answers and .60 / sqrt(calls) at temperature 0.

    Raises
    ------
    ValueError
        If not exactly one of questions, calls and standard_error is given, or an argument is out of range.
    """
    if sum(value is not None for value in (questions, calls, standard_error)) != 1:
        raise ValueError("questions, calls, standard_error: give exactly one of them")
    one_of("design", design, ("grid", "blocks"))
    one_of("answers", answers, ("random", "deterministic"))
    if questions is not None:
        whole("questions", questions, 1)
    if calls is not None:
        whole("calls", calls, 1)
    if standard_error is not None:
        number("standard_error", standard_error, LEAST_ERROR)
    if design == "blocks":
        runs = block_size(k)
        noise = _BLOCK_NOISE[answers][0 if k <= 2 else 1]
    else:
        runs = grid_settings(k).shape[0]
        noise = _GRID_NOISE[answers].get(k, _GRID_NOISE_OTHER[answers])
    if standard_error is not None:
        questions = int(np.ceil((noise / standard_error) ** 2 / runs))
    elif calls is not None:
        questions = calls // runs
        if questions < 2:
            raise ValueError(f"calls: a budget of {calls} is less than two questions of {runs} runs")
    assert questions is not None
    total = questions * runs
    return Plan(design, k, questions, runs, total, noise / float(np.sqrt(total)))


def runs_of(design: Design, k: int, questions: int, rng: np.random.Generator) -> Runs:
    """Lay out every call of a calibration.

    Raises
    ------
    ValueError
        If k or questions is not positive, or the design is unknown.
    """
    whole("questions", questions, 1)
    one_of("design", design, ("grid", "blocks"))
    instance("rng", rng, np.random.Generator)
    if design == "grid":
        settings = (grid_settings(k) + 1.0) / 2.0
        S = settings.shape[0]
        # Alternate the letter over questions and settings, so that neither is tied to it.
        first = 1 - 2 * ((np.arange(questions)[:, None] + rng.permutation(S)[None, :]) % 2)
        return Runs(
            design, np.repeat(np.arange(questions), S), np.tile(settings, (questions, 1)), first.ravel()
        )
    runs = block_size(k)
    array = orthogonal_array(runs)
    signs = rng.choice((-1, 1), size=(questions, 1, k))
    groups = array[None, :, :k] * signs
    letter_sign = np.where(np.arange(questions) % 2 == 0, 1, -1)[:, None]
    # A spare column keeps the letter orthogonal to every position; without one it is constant in a question.
    letter = array[None, :, k] if k < runs - 1 else np.ones((1, runs), dtype=np.int64)
    first = (letter * letter_sign).astype(np.int64)
    shuffled = np.argsort(rng.random((questions, runs)), axis=1)
    groups = np.take_along_axis(groups, shuffled[:, :, None], axis=1)
    first = np.take_along_axis(first, shuffled, axis=1)
    return Runs(
        design,
        np.repeat(np.arange(questions), runs),
        (groups.reshape(-1, k) + 1.0) / 2.0,
        first.ravel(),
    )


def _check_k(k: int) -> None:
    whole("k", k, 1)


__all__ = [
    "PUBLISHED_LEVELS",
    "Design",
    "Plan",
    "Runs",
    "block_size",
    "grid_settings",
    "orthogonal_array",
    "plan",
    "runs_of",
]
