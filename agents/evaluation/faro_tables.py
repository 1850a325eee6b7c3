"""FARO's tables 2 to 4 of what was measured, with the published figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.faro_orderings import Ordering, state
from agents.evaluation.faro_published import PUBLISHED_NOTE, components_published, published
from agents.evaluation.report import Table
from agents.fairness.bias import BiasScore, bias_score
from agents.fairness.propagation import PropagationFit

#: Cells of one row of a table, in the order of its columns.
Row = tuple[Any, ...]

_COMPONENTS: Final = ("component", "bias score", "± 95 %", "refusal", "samples", "published (Llama)")
_ORDERINGS: Final = (
    "method",
    "Rb predicted",
    "Rb realised",
    "± 95 %",
    "refusal",
    "normalised relevance",
    "seconds",
    "state predicted",
    "state realised",
    "Rb, Llama published",
    "relevance, Llama published",
    "seconds, Llama published",
    "mean |Rb| of 4 models, published",
)
#: Under a table with a score of answers that are all alike.
_ALIKE: Final = (
    "± is - where all answers are alike: they tell nothing of their error, and up to 3 of as many answers may be "
    "otherwise in the long run (95 %)"
)
_WEIGHTS: Final = ("parameter", "value", "low", "high", "R^2", "answers", "refusal")


def component_row(base: str, name: str, score: BiasScore) -> Row:
    """Return the bias score of one component of a set, with the published one where there is."""
    published = components_published(base, name)
    return name, score.value, margin(score), score.refusal_rate, score.samples, published


def score_by_question(groups: NDArray[np.int64]) -> BiasScore:
    """Return the bias score of n documents a question, shape (Q, n): those of one question are one sample."""
    means = groups.mean(axis=1)
    error = float(means.std(ddof=1) / np.sqrt(means.size)) if means.size > 1 else float("nan")
    return bias_score(groups.ravel())._replace(standard_error=error)


def margin(score: BiasScore) -> float | None:
    """Return half the 95 % interval of a bias score; None where all samples are alike, which tell nothing of it."""
    return 1.96 * score.standard_error if score.standard_error > 0 else None


def _told_alike(rows: Sequence[Row], columns: Sequence[str]) -> tuple[str, ...]:
    place = columns.index("± 95 %")
    return (_ALIKE,) if any(row[place] is None and row[place - 1] is not None for row in rows) else ()


def components_table(base: str, rows: Sequence[Row]) -> Table:
    """Return the paper's table 2 of a set."""
    title = f"{base} bias of the components (the paper's table 2)"
    return Table(title, _COMPONENTS, tuple(rows), _told_alike(rows, _COMPONENTS))


def weight_rows(k: int, fitted: PropagationFit) -> list[Row]:
    """Return the weight of each rank and the intercept, with their intervals."""
    values = [*fitted.weights.tolist(), fitted.intercept]
    names = [f"k = {k}: w{p}" for p in range(1, k + 1)] + [f"k = {k}: intercept b"]
    return [
        (name, value, float(low), float(high), fitted.r_squared, fitted.answers, fitted.refusal_rate)
        for name, value, (low, high) in zip(names, values, fitted.interval, strict=True)
    ]


def weights_table(base: str, rows: Sequence[Row]) -> Table:
    """Return the position weights of a set, of all k."""
    return Table(f"{base}: position weights fitted on other questions", _WEIGHTS, tuple(rows))


def ordering_row(base: str, k: int, ordering: Ordering, realised: BiasScore | None, tau: float) -> Row:
    """Return what one method made of a set; ``realised`` is None where it made no ranking."""
    theirs = published(base, ordering.name, k)
    if realised is None:
        return ordering.name, None, None, None, None, None, ordering.seconds, ordering.state, None, *theirs
    return (
        ordering.name,
        ordering.predicted,
        realised.value,
        margin(realised),
        realised.refusal_rate,
        ordering.relevance,
        ordering.seconds,
        ordering.state,
        state(realised.value, tau),
        *theirs,
    )


def orderings_table(base: str, k: int, rows: Sequence[Row]) -> Table:
    """Return the paper's table 3 (political) or 4 (gender) at one k."""
    number = 3 if base == "political" else 4
    title = f"{base} bias, optimised, k = {k} (the paper's table {number})"
    return Table(title, _ORDERINGS, tuple(rows), (PUBLISHED_NOTE, *_told_alike(rows, _ORDERINGS)))


def told(base: str, k: int, rows: Sequence[Row]) -> str:
    """Return in a sentence what the exact optimum changed."""
    found = {row[0]: dict(zip(_ORDERINGS, row, strict=True)) for row in rows}
    vanilla, ours = found["vanilla"], found["ours"]
    return (
        f"{base}, k = {k}: bias of the output {vanilla['Rb realised']:+.3f} by relevance, {ours['Rb realised']:+.3f} "
        f"ours (predicted {ours['Rb predicted']:+.3f}), at {ours['normalised relevance']:.4f} of the relevance."
    )


__all__ = [
    "component_row",
    "components_table",
    "margin",
    "ordering_row",
    "orderings_table",
    "score_by_question",
    "told",
    "weight_rows",
    "weights_table",
]
