"""What differs from FARO's paper in a run of its tables, line by line, and how to read the measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agents.evaluation.faro_data import CANDIDATES, KnowledgeBase
from agents.evaluation.faro_orderings import LP_SECONDS, STRENGTHS, Z
from agents.evaluation.faro_published import ASKED, SIZES, TAU
from agents.evaluation.report import embedder_told
from agents.models.chooser import EMBEDDED, Chooser

if TYPE_CHECKING:
    from agents.evaluation.faro import FaroSettings


def deviations(
    bases: Sequence[KnowledgeBase],
    asked: Mapping[str, tuple[int, int]],
    chooser: Chooser,
    settings: FaroSettings,
    embedder: str,
) -> tuple[str, ...]:
    """Return every line.

    Parameters
    ----------
    asked
        Of each set the questions measured and the others that fit the weights.
    chooser
        What answers.
    embedder
        Fingerprint of what relevance is measured by.
    """
    return (
        *_data(bases, asked, settings, embedder),
        *_answers(chooser),
        *_methods(settings),
    )


def _data(
    bases: Sequence[KnowledgeBase],
    asked: Mapping[str, tuple[int, int]],
    settings: FaroSettings,
    embedder: str,
) -> list[str]:
    lines = [
        "the paper's questions and knowledge bases are not public: open sets stand in, no figure can equal its own",
        embedder_told(embedder, "GTE-base") + "; a question's own options are never shown as documents",
    ]
    for base in bases:
        measured, fitting = asked[base.name]
        lines.append(
            f"{base.name}: {measured} questions measured, drawn by the seed (the paper: {ASKED[base.name]}); the "
            f"weights are fitted on {fitting} others by the design `blocks`, in the paper by its grids"
        )
        if base.dropped:
            lines.append(f"{base.name}: {base.dropped} documents that stand on both sides are left out")
    if any(base.name == "political" for base in bases):
        lines.append(
            "the political statements were written by a language model (twinviews13k), not by people"
        )
    other = [str(k) for k in settings.sizes if k not in SIZES]
    if other:
        lines.append(
            f"k = {', '.join(other)}: the paper has {', '.join(map(str, SIZES))}, nothing is published beside it"
        )
    return lines


def _answers(chooser: Chooser) -> list[str]:
    lines = [
        "the group shown as option A changes from question to question, the same for every method; the paper says "
        "nothing of it",
    ]
    if chooser.name == EMBEDDED:
        lines.append(
            "no model is configured: the embedded chooser (the option nearest to the context) answers; it reads no "
            "question and says nothing about language models, and without documents it always refuses"
        )
    else:
        drawn = f", {chooser.sampling}" if chooser.sampling else ""
        lines.append(
            f"{chooser.name} answers{drawn}; the paper's models are Llama 3.1 8B, Gemma 2 9B, Mistral 7B and Qwen 2.5 "
            "7B; its prompt, with a system message before it that documents are data"
        )
    return lines


def _methods(settings: FaroSettings) -> list[str]:
    paper = "as the paper" if settings.tau == TAU else f"the paper {TAU:g}"
    return [
        f"tau = {settings.tau:g} ({paper}); {CANDIDATES} candidates a question, as the paper",
        f"soft objective: eq. 11 at the smallest lambda of {STRENGTHS[0]:g}, {STRENGTHS[1]:g}, {STRENGTHS[2]:g} ... "
        f"{STRENGTHS[-1]:,.0f} whose predicted |Rb| is within tau, else the last; no answer is looked at for it, and "
        "the paper names none; it aims at 0, not at tau",
        "LP: HiGHS, each question's ranking then read off its relaxed solution, which may break tau; at most "
        f"{LP_SECONDS:g} s, the paper names no limit",
        f"ours, error allowed for: tau less {Z:g} standard errors of the predicted Rb, which the paper has not",
        "state predicted: of Rb as the fitted weights predict it, all that a method can see to; state realised: of Rb "
        "over the answers that were given, whatever its error",
        "seconds: wall time of one run of the optimiser, candidates given (soft objective: of all lambdas tried); "
        "the chooser's time is not in it",
    ]


__all__ = ["deviations"]
