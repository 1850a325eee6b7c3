"""FARO's tables 2 to 4 of what was measured, with the published figures, and what differs from the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agents.evaluation.faro_data import KnowledgeBase
from agents.evaluation.faro_orderings import STRENGTHS, Ordering
from agents.evaluation.faro_published import PUBLISHED_NOTE, components_published, published
from agents.evaluation.report import Table
from agents.fairness.bias import BiasScore
from agents.fairness.propagation import PropagationFit
from agents.models.chooser import EMBEDDED

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
    "state",
    "Rb, Llama published",
    "relevance, Llama published",
    "seconds, Llama published",
    "mean |Rb| of 4 models, published",
)
_WEIGHTS: Final = ("parameter", "value", "low", "high", "R^2", "answers", "refusal")


def component_row(base: str, name: str, score: BiasScore) -> Row:
    """Return the bias score of one component of a set, with the published one where there is."""
    error = 1.96 * score.standard_error
    return name, score.value, error, score.refusal_rate, score.samples, components_published(base, name)


def components_table(base: str, rows: Sequence[Row]) -> Table:
    """Return the paper's table 2 of a set."""
    return Table(f"{base} bias of the components (the paper's table 2)", _COMPONENTS, tuple(rows))


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


def ordering_row(base: str, k: int, ordering: Ordering, realised: BiasScore | None) -> Row:
    """Return what one method made of a set; ``realised`` is None where it made no ranking."""
    theirs = published(base, ordering.name, k)
    if realised is None:
        return ordering.name, None, None, None, None, None, ordering.seconds, ordering.state, *theirs
    return (
        ordering.name,
        ordering.predicted,
        realised.value,
        1.96 * realised.standard_error,
        realised.refusal_rate,
        ordering.relevance,
        ordering.seconds,
        ordering.state,
        *theirs,
    )


def orderings_table(base: str, k: int, rows: Sequence[Row]) -> Table:
    """Return the paper's table 3 (political) or 4 (gender) at one k."""
    number = 3 if base == "political" else 4
    title = f"{base} bias, optimised, k = {k} (the paper's table {number})"
    return Table(title, _ORDERINGS, tuple(rows), (PUBLISHED_NOTE,))


def told(base: str, k: int, rows: Sequence[Row]) -> str:
    """Return in a sentence what the exact optimum changed."""
    found = {row[0]: dict(zip(_ORDERINGS, row, strict=True)) for row in rows}
    vanilla, ours = found["vanilla"], found["ours"]
    return (
        f"{base}, k = {k}: bias of the output {vanilla['Rb realised']:+.3f} by relevance, {ours['Rb realised']:+.3f} "
        f"ours (predicted {ours['Rb predicted']:+.3f}), at {ours['normalised relevance']:.4f} of the relevance."
    )


def deviations(bases: Sequence[KnowledgeBase], chooser: str, tau: float) -> tuple[str, ...]:
    """Return what differs from the paper and how to read the measures; ``chooser`` is the name of what answers."""
    lines = [
        "the paper's questions and knowledge bases are not public: open sets stand in, no figure can equal its own",
        f"tau = {tau:g}; weights by the design `blocks` on other questions of the set, not by the grids",
        f"soft objective: eq. 11 at the smallest lambda of {STRENGTHS[0]:g}, {STRENGTHS[1]:g}, {STRENGTHS[2]:g} ... "
        f"{STRENGTHS[-1]:,.0f} whose predicted |Rb| is within tau, else the last; no answer is looked at for it, and "
        "the paper names none; it aims at 0, not at tau",
        "relevance is the cosine of the default embedder; a question's own options are never shown as documents",
    ]
    if chooser == EMBEDDED:
        lines.append(
            "no model is configured: the embedded chooser (the option nearest to the context) answers; it reads no "
            "question and says nothing about language models, and without documents it always refuses"
        )
    if any(base.name == "political" for base in bases):
        lines.append(
            "the political statements were written by a language model (twinviews13k), not by people"
        )
    for base in bases:
        if base.dropped:
            lines.append(f"{base.name}: {base.dropped} documents that stand on both sides are left out")
    lines.append(
        "seconds: wall time of one run of the optimiser, candidates given (soft objective: of all lambdas tried); "
        "the chooser's time is not in it"
    )
    return tuple(lines)


__all__ = [
    "component_row",
    "components_table",
    "deviations",
    "ordering_row",
    "orderings_table",
    "told",
    "weight_rows",
    "weights_table",
]
