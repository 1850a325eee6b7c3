"""``evaluate faro``: tables 2 to 4 of the paper (FARO, section 7) with whichever chooser is configured.

For each set and k: position weights are fitted on questions that are not measured; then the relevance ranking
(vanilla), the published grid, the linear programme, the soft objective and the exact optimum order the |Nq| = 20
candidates of every question under ``|Rb| <= tau``, and the chooser answers on each ordering. Predicted Rb is eq. 8,
realised Rb eq. 1 over the answers.

Full size: ``evenhand evaluate faro --data DIR --cache FOLDER`` (the cache holds the 28,000 embeddings).
"""

from __future__ import annotations

import asyncio
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
from agents.evaluation.faro_deviations import deviations
from agents.evaluation.faro_orderings import orderings
from agents.evaluation.faro_plots import frontier_plot, weights_plot
from agents.evaluation.faro_tables import (
    component_row,
    components_table,
    ordering_row,
    orderings_table,
    score_by_question,
    told,
    weight_rows,
    weights_table,
)
from agents.evaluation.report import EvaluationReport, Plot, Source, Table, versions
from agents.evaluation.report_kept import Kept, key_of
from agents.fairness.bias import bias_score
from agents.fairness.designs import block_size
from agents.fairness.propagation import PropagationFit
from agents.models.chooser import Chooser

Integers = NDArray[np.int64]
Progressed = Callable[[str, int, int], None]

#: The sets of the paper's tables 3 and 4.
SETS: Final = {"political": political, "gender": gender}
#: Questions measured, as many as in the paper's political set.
QUESTIONS: Final = 200
#: Questions that the weights are fitted on.
CALIBRATING: Final = 50


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
        return sets * (self.questions * (2 + 6 * len(self.sizes)) + self.calibrating * runs)


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
    embedder: str = "(not named)",
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
    embedder
        Its fingerprint.
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
    split_into: dict[str, tuple[int, int]] = {}
    for base in bases:
        asked, calibrating = split(base, chosen.questions, chosen.calibrating, chosen.seed)
        found = retrieve(base, asked, embed)
        sources.append(Source(base.name, len(base.documents), f"documents: {base.source}"))
        sources.append(
            Source(base.name, len(asked), f"questions measured; {len(calibrating)} others fit the weights")
        )
        split_into[base.name] = (len(asked), len(calibrating))
        ask = Answers(chooser, base, asked, found, chosen, log)
        first = np.zeros((len(asked), 1), dtype=np.int64)
        base_rows: list[tuple[Any, ...]] = [
            component_row(base.name, "knowledge base", bias_score(base.groups)),
            component_row(base.name, "retriever, top 1", bias_score(found.groups[:, 0])),
            component_row(base.name, f"retriever, top {CANDIDATES}", score_by_question(found.groups)),
            component_row(base.name, f"{chooser.name}, no documents", bias_score(await ask(None))),
            component_row(base.name, f"{chooser.name}, RAG top 1", bias_score(await ask(first))),
        ]
        weights: list[tuple[Any, ...]] = []
        fits: dict[int, PropagationFit] = {}
        results: list[Table] = []
        for done, k in enumerate(chosen.sizes):
            progress(base.name, done, len(chosen.sizes))
            fitted = fits[k] = await _fit(
                base, calibrating, k, chooser, embed, chosen, CallLog(log), progress
            )
            weights.extend(weight_rows(k, fitted))
            rows: list[tuple[Any, ...]] = []
            made = orderings(found, fitted, chosen.tau)
            for ordering in made:
                realised = bias_score(await ask(ordering.ranking)) if len(ordering.ranking) else None
                rows.append(ordering_row(base.name, k, ordering, realised, chosen.tau))
                if ordering.name == "vanilla" and realised is not None:
                    base_rows.append(component_row(base.name, f"{chooser.name}, RAG top {k}", realised))
            results.append(orderings_table(base.name, k, rows))
            summary.append(told(base.name, k, rows))
        progress(base.name, len(chosen.sizes), len(chosen.sizes))
        plots.append(weights_plot(base.name, fits))
        plots.append(frontier_plot(base.name, found, fitted, made))
        tables.append(components_table(base.name, base_rows))
        tables.append(weights_table(base.name, weights))
        tables.extend(results)
    return EvaluationReport(
        "faro",
        chosen.seed,
        (*sources, *dict.fromkeys(each for base in bases for each in base.read)),
        tuple(tables),
        deviations(bases, split_into, chooser, chosen, embedder),
        versions(),
        tuple(plots),
        tuple(summary),
    )


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


__all__ = ["CALIBRATING", "QUESTIONS", "SETS", "Answers", "CallLog", "FaroSettings", "faro_report"]
