"""``evaluate faro``: tables 2 to 4 of the paper (FARO, section 7) with whichever chooser is configured.

For each set and k: position weights are fitted on questions that are not measured; then the relevance ranking
(vanilla), the published grid, the linear programme and the exact optimum order the |Nq| = 20 candidates of every
question under ``|Rb| <= tau``, and the chooser answers on each ordering. Predicted Rb is eq. 8, realised Rb eq. 1 over
the answers.

Full size: ``evenhand evaluate faro --data DIR --cache FOLDER`` (the cache holds the 28,000 embeddings).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.calibration import calibrate
from agents.evaluation.embedding_cache import Embed
from agents.evaluation.faro_data import (
    CANDIDATES,
    KnowledgeBase,
    Question,
    Retrieved,
    calibration_questions,
    gender,
    political,
    retrieve,
    split,
)
from agents.evaluation.faro_plots import frontier_plot, weights_plot
from agents.evaluation.faro_published import PUBLISHED_NOTE, components_published, published
from agents.evaluation.report import EvaluationReport, Plot, Source, Table, versions
from agents.evaluation.report_kept import Kept, key_of
from agents.fairness.bias import BiasScore, bias_score
from agents.fairness.designs import block_size
from agents.fairness.faro import prepare, solve
from agents.fairness.faro_grid import faro_grid
from agents.fairness.faro_problem import RerankProblem
from agents.fairness.linear_program import solve_linear_program
from agents.fairness.propagation import PropagationFit
from agents.models.chooser import EMBEDDED, Chooser

Integers = NDArray[np.int64]
Progressed = Callable[[str, int, int], None]

#: The sets of the paper's tables 3 and 4.
SETS: Final = {"political": political, "gender": gender}
#: Questions measured, as many as in the paper's political set.
QUESTIONS: Final = 200
#: Questions that the weights are fitted on.
CALIBRATING: Final = 50
#: Standard errors that the last row shrinks the tolerance by.
Z: Final = 1.645
#: Longest run of the linear programme in seconds.
_LP_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class FaroSettings:
    """What is run.

    Attributes
    ----------
    sizes
        Documents shown, the paper's k.
    tau
        Tolerance of ``|Rb|``, 0.1 in the paper.
    questions, calibrating
        Most questions to measure on, and to fit the weights on.
    workers
        Calls under way at once.
    """

    sizes: tuple[int, ...] = (2, 3, 5)
    tau: float = 0.1
    questions: int = QUESTIONS
    calibrating: int = CALIBRATING
    seed: int = 0
    workers: int = 1

    def most_calls(self, sets: int) -> int:
        """Return the most calls that so many sets take: answers repeat, so it is about half of that."""
        runs = sum(block_size(k) for k in self.sizes)
        return sets * (self.questions * (2 + 5 * len(self.sizes)) + self.calibrating * runs)


@dataclass(frozen=True, eq=False)
class Ordering:
    """What one method made of all questions: candidates by position, shape (Q, k), and how."""

    name: str
    ranking: Integers
    predicted: float
    relevance: float
    seconds: float
    state: str


class Answers:
    """Asks a chooser on the documents of a ranking; the same documents in the same order are asked once.

    Most questions keep their ranking under most methods, which spares a model half of its calls.
    """

    def __init__(
        self,
        chooser: Chooser,
        base: KnowledgeBase,
        questions: Sequence[Question],
        found: Retrieved,
        settings: FaroSettings,
        kept: Kept | None = None,
    ) -> None:
        self._chooser, self._base, self._questions = chooser, base, questions
        self._found, self._settings = found, settings
        self._kept = kept or Kept()

    async def __call__(self, ranking: Integers | None) -> Integers:
        """Return the group that each answer favours, 0 for a refusal, shape (Q,).

        Every second question shows group +1 as option A, the same ones for every method, so that a liking for the
        letter cancels. ``ranking`` is shape (Q, k), or None to show no document.
        """
        slots = asyncio.Semaphore(max(1, self._settings.workers))
        asks = (self._chooser.name, self._chooser.prompt_sha, self._chooser.sampling, self._settings.seed)

        async def one(row: int, question: Question) -> int:
            index = [] if ranking is None else self._found.index[row, ranking[row]].tolist()
            first = 1 if row % 2 == 0 else -1
            options = (question.plus, question.minus) if first > 0 else (question.minus, question.plus)
            shown = [self._base.documents[i] for i in index]
            key = f"answer/{key_of(*asks, question.text, options, shown)}"
            if key not in self._kept:
                async with slots:
                    choice = await self._chooser.choose(
                        shown, question.text, *options, run=self._settings.seed
                    )
                self._kept.put(key, 0 if choice.letter is None else first if choice.letter == "A" else -first)
            return int(self._kept[key])

        tasks = [one(row, question) for row, question in enumerate(self._questions)]
        return np.asarray(await asyncio.gather(*tasks), dtype=np.int64)


class CallLog:
    """Keeps the calls of calibrations with everything else that an evaluation keeps; it stores no fit."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def observed(self, plan_sha: str) -> dict[tuple[int, int], int | None]:
        """Return the outcomes so far, by question and run."""
        found = {}
        for rest, outcome in self._kept.under(f"call/{plan_sha}/").items():
            question, run = rest.split("/")
            found[int(question), int(run)] = outcome
        return found

    def observe(
        self, plan_sha: str, question: int, run: int, realised: list[int], outcome: int | None
    ) -> None:
        """Keep one outcome."""
        self._kept.put(f"call/{plan_sha}/{question}/{run}", outcome)

    def save(self, **row: Any) -> int:
        """Keep no fit: those of the workspace are for answering."""
        return 0


async def faro_report(
    data: Path,
    chooser: Chooser,
    embed: Embed,
    settings: FaroSettings | None = None,
    *,
    sets: Sequence[str] = tuple(SETS),
    kept: Kept | None = None,
    progress: Progressed = lambda what, done, total: None,
) -> EvaluationReport:
    """Measure every set and k.

    Parameters
    ----------
    data
        Folder of the data sets.
    chooser
        Answers the multiple-choice questions.
    embed
        Texts to unit vectors: relevance is the cosine.
    kept
        Where every answer is kept as it comes, so that an interrupted run continues.
    progress
        Called with the set, and k-runs done and in all; and with calls done and in all while weights are fitted.

    Raises
    ------
    UsageError
        A set is missing or too small.
    ModelCallError
        The chooser failed.
    """
    chosen = settings or FaroSettings()
    log = kept or Kept()
    bases = [SETS[name](data) for name in sets]
    tables: list[Table] = []
    plots: list[Plot] = []
    summary: list[str] = []
    sources: list[Source] = []
    for base in bases:
        asked, calibrating = split(base, chosen.questions, chosen.calibrating, chosen.seed)
        found = retrieve(base, asked, embed)
        sources.append(Source(base.name, len(base.documents), f"documents: {base.source}"))
        sources.append(
            Source(base.name, len(asked), f"questions measured; {len(calibrating)} others fit the weights")
        )
        ask = Answers(chooser, base, asked, found, chosen, log)
        first = np.zeros((len(asked), 1), dtype=np.int64)
        base_rows: list[tuple[Any, ...]] = [
            _component("knowledge base", bias_score(base.groups)),
            _component("retriever, top 1", bias_score(found.groups[:, 0])),
            _component(f"retriever, top {CANDIDATES}", bias_score(found.groups.ravel())),
            _component(f"{chooser.name}, no documents", bias_score(await ask(None))),
            _component(f"{chooser.name}, RAG top 1", bias_score(await ask(first))),
        ]
        weights: list[tuple[Any, ...]] = []
        fits: dict[int, PropagationFit] = {}
        results: list[Table] = []
        for done, k in enumerate(chosen.sizes):
            progress(base.name, done, len(chosen.sizes))
            fitted = fits[k] = await _fit(
                base, calibrating, k, chooser, embed, chosen, CallLog(log), progress
            )
            weights.extend(_weights(k, fitted))
            rows: list[tuple[Any, ...]] = []
            made = orderings(found, fitted, chosen.tau)
            for ordering in made:
                realised = bias_score(await ask(ordering.ranking)) if len(ordering.ranking) else None
                theirs = published(base.name, ordering.name, k)
                rows.append((*_result(ordering, realised, chosen.tau), *theirs))
                if ordering.name == "vanilla" and realised is not None:
                    base_rows.append(_component(f"{chooser.name}, RAG top {k}", realised))
            results.append(
                Table(
                    f"{base.name} bias, optimised, k = {k} (the paper's table {3 if base.name == 'political' else 4})",
                    _COLUMNS,
                    tuple(rows),
                    (PUBLISHED_NOTE,),
                )
            )
            summary.append(_told(base.name, k, rows))
        progress(base.name, len(chosen.sizes), len(chosen.sizes))
        plots.append(weights_plot(base.name, fits))
        plots.append(frontier_plot(base.name, found, fitted, made))
        columns = ("component", "bias score", "± 95 %", "refusal", "samples", "published (Llama)")
        components = tuple((*row, components_published(base.name, str(row[0]))) for row in base_rows)
        tables.append(Table(f"{base.name} bias of the components (the paper's table 2)", columns, components))
        tables.append(
            Table(f"{base.name}: position weights fitted on other questions", _WEIGHTS, tuple(weights))
        )
        tables.extend(results)
    return EvaluationReport(
        "faro",
        chosen.seed,
        tuple(sources),
        tuple(tables),
        _deviations(bases, chooser, chosen),
        versions(),
        tuple(plots),
        tuple(summary),
    )


def _told(name: str, k: int, rows: Sequence[tuple[Any, ...]]) -> str:
    found = {row[0]: dict(zip(_COLUMNS, row, strict=True)) for row in rows}
    vanilla, ours = found["vanilla"], found["ours"]
    return (
        f"{name}, k = {k}: bias of the output {vanilla['Rb realised']:+.3f} by relevance, {ours['Rb realised']:+.3f} "
        f"ours (predicted {ours['Rb predicted']:+.3f}), at {ours['normalised relevance']:.4f} of the relevance."
    )


_COLUMNS: Final = (
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


def orderings(found: Retrieved, fitted: PropagationFit, tau: float) -> list[Ordering]:
    """Order the candidates of all questions by every method; seconds include sorting them.

    Returns
    -------
    list of Ordering
        vanilla, FARO's grid, the linear programme (left out where it found nothing), ours, and ours with the tolerance
        shrunk by the calibration's error.
    """

    def fresh() -> tuple[RerankProblem, float]:
        started = time.perf_counter()
        return prepare(found.relevance, found.groups, fitted.weights, fitted.intercept), started

    problem, started = fresh()
    natural = problem.natural
    took = time.perf_counter() - started
    bias = problem.predicted_bias(problem.natural_pattern)
    made = [Ordering("vanilla", natural, bias, 1.0, took, _state(bias, tau))]
    problem, started = fresh()
    grid = faro_grid(problem, tau)
    took = time.perf_counter() - started
    state = "" if grid.feasible else "no price feasible: nearest"
    made.append(Ordering("FARO grid", grid.ranking, grid.bias, grid.normalised_relevance, took, state))
    problem, started = fresh()
    relaxed = solve_linear_program(problem, tau, time_limit=_LP_SECONDS)
    took = time.perf_counter() - started
    if relaxed.status == "solved":
        kept = _normalised(problem, relaxed.relevance)
        state = "" if relaxed.feasible else "rounding broke the constraint"
        made.append(Ordering("LP", relaxed.ranking, relaxed.bias, kept, took, state))
    else:
        nothing = np.empty((0, fitted.k), dtype=np.int64)
        made.append(Ordering("LP", nothing, float("nan"), float("nan"), took, relaxed.status))
    for name, z in (("ours", 0.0), ("ours, error allowed for", Z)):
        problem, started = fresh()
        solution = solve(problem, tau, covariance=fitted.covariance if z else None, z=z)
        took = time.perf_counter() - started
        kept = _normalised(problem, solution.relevance)
        made.append(Ordering(name, solution.ranking, solution.bias, kept, took, solution.status))
    return made


async def _fit(
    base: KnowledgeBase,
    questions: Sequence[Question],
    k: int,
    chooser: Chooser,
    embed: Embed,
    settings: FaroSettings,
    log: CallLog,
    progress: Progressed,
) -> PropagationFit:
    outcome = await calibrate(
        calibration_questions(base, questions, k, embed),
        chooser,
        log,
        attribute=base.name,
        k=k,
        seed=settings.seed,
        workers=max(1, settings.workers),
        progress=lambda done, total: progress(f"{base.name}, weights for k = {k}", done, total),
    )
    return outcome.fit


def _weights(k: int, fitted: PropagationFit) -> list[tuple[Any, ...]]:
    values = [*fitted.weights.tolist(), fitted.intercept]
    names = [f"k = {k}: w{p}" for p in range(1, k + 1)] + [f"k = {k}: intercept b"]
    return [
        (name, value, float(low), float(high), fitted.r_squared, fitted.answers, fitted.refusal_rate)
        for name, value, (low, high) in zip(names, values, fitted.interval, strict=True)
    ]


def _component(name: str, score: BiasScore) -> tuple[Any, ...]:
    return name, score.value, 1.96 * score.standard_error, score.refusal_rate, score.samples


def _result(ordering: Ordering, realised: BiasScore | None, tau: float) -> tuple[Any, ...]:
    if realised is None:
        return ordering.name, None, None, None, None, None, ordering.seconds, ordering.state
    return (
        ordering.name,
        ordering.predicted,
        realised.value,
        1.96 * realised.standard_error,
        realised.refusal_rate,
        ordering.relevance,
        ordering.seconds,
        ordering.state or _state(ordering.predicted, tau),
    )


def _state(bias: float, tau: float) -> str:
    return "within tau" if abs(bias) <= tau + 1e-9 else "outside tau"


def _normalised(problem: RerankProblem, relevance: float) -> float:
    spread = problem.top_relevance - problem.bottom_relevance
    return (relevance - problem.bottom_relevance) / spread if spread > 0 else 1.0


def _deviations(bases: Sequence[KnowledgeBase], chooser: Chooser, settings: FaroSettings) -> tuple[str, ...]:
    lines = [
        "the paper's questions and knowledge bases are not public: open sets stand in, no figure can equal its own",
        f"tau = {settings.tau:g}; weights by the design `blocks` on other questions of the set, not by the grids",
        "relevance is the cosine of the default embedder; a question's own options are never shown as documents",
    ]
    if chooser.name == EMBEDDED:
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
        "seconds: wall time of one run of the optimiser, candidates given; the chooser's time is not in it"
    )
    return tuple(lines)


__all__ = [
    "CALIBRATING",
    "QUESTIONS",
    "SETS",
    "Answers",
    "CallLog",
    "FaroSettings",
    "Ordering",
    "faro_report",
    "orderings",
]
