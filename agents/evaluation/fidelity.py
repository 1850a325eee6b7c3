"""Generation fidelity (O-RAG's open problem 6): what the answer claims against the population and the retrieved.

Each question goes through the whole graph. An answer claims a distribution in two ways: by the views that it reports
(its voices, in seven bins) and by the shares that it states. *Amplification* is the distance of the voices to the
population minus that of the retrieved documents: above zero the writing skewed what was retrieved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.checks import writer_of
from agents.context import RagContext
from agents.evaluation.orag_data import TEMPLATES, OragCorpus
from agents.evaluation.orag_tests import cluster_bootstrap
from agents.evaluation.report import Plot, Point, Series, Table
from agents.evaluation.report_kept import Kept, key_of
from agents.events import AnswerReady
from agents.fairness.distance import BINS, w1_bins, wasserstein_p
from agents.models.extractive import NAME as EXTRACTIVE
from agents.state import fresh
from agents.verification import verify
from agents.verification.bins import Side
from agents.verification.lexical import lexical_claim_bin
from agents.verification.shares import stated_shares
from store.ports import Role
from store.receipt import AuditReceipt

Progressed = Callable[[str, int, int], None]

#: Questions asked on every entity: the breadth questions, whose answers speak of all sides.
KINDS: Final = ("general", "experience")
#: Selections that the answers stand on.
SELECTIONS: Final = (("plain top-k of the entity", "relevance"), ("ours", "auto"))


@dataclass(frozen=True, slots=True)
class FidelitySettings:
    """What is asked: documents an answer stands on, most entities, and calls to a model at once."""

    k: int = 20
    entities: int = 12
    workers: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Claimed:
    """What one answer claims, measured; None where there is nothing to measure.

    Attributes
    ----------
    writer
        Who wrote it: a model that failed is replaced by the embedded writer.
    stated
        Largest difference, in percentage points, between a stated share of a side and the population's.
    findings
        What the checks found wrong.
    """

    writer: str
    retrieved: float | None
    cited: float | None
    answer: float | None
    w2: float | None
    amplification: float | None
    stated: float | None
    findings: int


async def fidelity(
    context: RagContext,
    corpus: OragCorpus,
    settings: FidelitySettings | None = None,
    *,
    kept: Kept | None = None,
    progress: Progressed = lambda what, done, total: None,
) -> tuple[list[Table], list[Plot], list[str]]:
    """Answer the breadth questions on every entity with each generator, and measure what the answers claim.

    The embedded writer always answers; a configured model beside it. No answer is stored in the workspace.

    Returns
    -------
    tuple
        Tables, plots and notes for the report.
    """
    chosen = settings or FidelitySettings()
    store = kept or Kept()
    model = context.chat("generator")
    writers: list[tuple[str, RagContext]] = [(EXTRACTIVE, replace(context, chat=lambda role: None))]
    if model is not None:
        writers.append((model.model, replace(context, chat=_only_generator(context))))
    asked = [
        (place, question.text)
        for place, entity in enumerate(corpus.entities[: chosen.entities])
        for question in entity.questions
        if question.kind in KINDS
    ]
    about = (corpus.name, corpus.size, corpus.extractor)
    total, done = len(asked) * len(writers) * len(SELECTIONS), 0
    rows: list[tuple[Any, ...]] = []
    series: list[Series] = []
    for writer, own in writers:
        slots = asyncio.Semaphore(1 if writer == EXTRACTIVE else max(1, chosen.workers))
        for name, method in SELECTIONS:

            async def one(
                text: str,
                method: str = method,
                writer: str = writer,
                own: RagContext = own,
                slots: Any = slots,
            ) -> Claimed:
                nonlocal done
                key = key_of("fidelity/1", *about, writer, text, method, asdict(chosen))
                async with slots:
                    if key not in store:
                        store.put(key, asdict(await _ask(own, text, method, chosen)))
                done += 1
                progress("generation fidelity", done, total)
                return Claimed(**store[key])

            found = await asyncio.gather(*(one(text) for _, text in asked))
            clusters = np.array([place for place, _ in asked])
            rows.append(_row(writer, name, found, clusters, chosen.seed))
            series.append(_series(f"{writer}, {name}", found, ours=method == "auto"))
    notes = [
        "fidelity: an answer's voices are its quotes, with their documents' labels, and what the embedded claim "
        "classifier reads in its cited clauses; the same for every writer"
    ]
    if model is None:
        notes.append(
            "fidelity: no model is configured as generator, so that the embedded writer alone is measured"
        )
    return [_table(rows, chosen.k)], [_plot(series)], notes


def claimed(receipt: AuditReceipt, texts: Mapping[int, str]) -> Claimed:
    """Measure what an answer claims, by the same reading of every writer's answers.

    Parameters
    ----------
    texts
        Text of each ranked document, by its id.
    """
    opinion, checked = receipt.opinion, receipt.verification
    writer = writer_of([each.model_dump() for each in receipt.models])
    if opinion is None or not opinion.population.n or not opinion.retrieved.n:
        return Claimed(writer, None, None, None, None, None, None, len(checked.findings))
    ranked = [each for each in receipt.ranking if each.document_id in texts]
    read = verify(
        receipt.answer,
        {str(each.rank): texts[each.document_id] for each in ranked},
        population=opinion.population.counts,
        retrieved=opinion.retrieved.counts,
        classify=lexical_claim_bin,
        stances={str(each.rank): each.score for each in ranked if each.score is not None},
    )
    truth, told = opinion.population.shares, read.distribution
    return Claimed(
        writer,
        w1_bins(opinion.retrieved.shares, truth),
        w1_bins(opinion.cited.shares, truth) if opinion.cited.n else None,
        read.distance,
        None if told is None else float(np.sqrt(wasserstein_p(BINS, BINS, told, truth, 2.0))),
        read.amplification,
        stated_gap(receipt.answer, truth),
        len(checked.findings),
    )


def stated_gap(answer: str, population: Sequence[float]) -> float | None:
    """Return the largest gap between a share that the answer states and the true one, in points; None without one.

    Parameters
    ----------
    population
        Shares of the seven bins. The first share stated of each side counts.
    """
    stated: dict[Side, float] = {}
    for sentence in answer.replace("\n", ". ").split(". "):
        for each in stated_shares(sentence):
            stated.setdefault(each.side, each.share)
    if not stated:
        return None
    true: dict[Side, float] = {
        "negative": sum(population[:3]),
        "neutral": population[3],
        "positive": sum(population[4:]),
    }
    return 100 * max(abs(share - true[side]) for side, share in stated.items())


async def _ask(context: RagContext, text: str, method: str, settings: FidelitySettings) -> Claimed:
    from agents.graph import build_graph

    options = {
        "k": settings.k,
        "method": method,
        "route": "opinion",
        "seed": settings.seed,
        "enhancement": "none",
    }
    # An answer that was never begun is stored nowhere.
    state = fresh(text, "evaluation", context.today().isoformat(timespec="seconds"), options)
    receipt = None
    async for event in build_graph().astream(
        state, {"recursion_limit": 50}, context=context, stream_mode="custom"
    ):
        if isinstance(event, AnswerReady):
            receipt = event.receipt
    assert receipt is not None, "the graph ends with the audit"
    records = context.repository.documents([each.document_id for each in receipt.ranking])
    return claimed(receipt, {document: record.text for document, record in records.items()})


def _only_generator(context: RagContext) -> Callable[[Role], Any]:
    # Only the writing is compared: routing and claims stay the embedded ones.
    return lambda role: context.chat(role) if role == "generator" else None


def _row(
    writer: str, name: str, found: Sequence[Claimed], clusters: NDArray[np.int64], seed: int
) -> tuple[Any, ...]:
    # Answers that the embedded writer gave in a failed model's place say nothing of the model.
    own = [each.writer == writer or writer == EXTRACTIVE for each in found]
    kept = [each for each, is_own in zip(found, own, strict=True) if is_own]
    groups = clusters[np.array(own, dtype=bool)]
    cells: list[Any] = []
    for measure in ("retrieved", "cited", "answer", "amplification", "w2"):
        values = _column(kept, measure)
        known = ~np.isnan(values)
        mean = float(values[known].mean()) if known.any() else float("nan")
        cells.append(mean)
        if measure in ("answer", "amplification"):
            low, high = (
                cluster_bootstrap(values[known], groups[known], seed)[:2] if known.any() else (mean, mean)
            )
            cells += [low, high]
    stated = _column(kept, "stated")
    told = stated[~np.isnan(stated)]
    return (
        f"{writer}, {name}",
        len(kept),
        *cells,
        float((~np.isnan(stated)).mean()) if len(stated) else float("nan"),
        float(told.mean()) if told.size else float("nan"),
        float(np.mean([each.findings > 0 for each in kept])) if kept else float("nan"),
        len(found) - len(kept),
    )


def _column(found: Sequence[Claimed], name: str) -> NDArray[np.float64]:
    values = [getattr(each, name) for each in found]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _table(rows: Sequence[tuple[Any, ...]], k: int) -> Table:
    columns = (
        "writer and documents",
        "answers",
        "W1 retrieved",
        "W1 cited",
        "W1 answer",
        "W1 answer low",
        "W1 answer high",
        "amplification",
        "amplification low",
        "amplification high",
        "W2 answer",
        "states shares",
        "stated gap, points",
        "with findings",
        "fell back",
    )
    words = {kind: template.format(entity="…") for kind, template in TEMPLATES}
    notes = (
        "all distances are to the population; amplification: W1 of the answer's voices minus W1 of the retrieved; "
        "above zero the writing skewed what was retrieved",
        "an extractive answer quotes a few voices, which cannot match seven bins: compare writers, not with zero",
        "asked: " + "; ".join(words[kind] for kind in KINDS),
        "fell back: answers that a failed model left to the embedded writer, not counted",
        "the paper has no such figure: its annotators preferred answers from the enriched knowledge base in 79.2 %",
    )
    return Table(f"generation fidelity, k = {k}", columns, tuple(rows), notes)


def _series(name: str, found: Sequence[Claimed], *, ours: bool) -> Series:
    points = []
    for place, measure in enumerate(("retrieved", "cited", "answer")):
        values = _column(found, measure)
        if not np.isnan(values).all():
            points.append(Point(float(place), float(np.nanmean(values)), label=measure))
    return Series(name, tuple(points), ours)


def _plot(series: Sequence[Series]) -> Plot:
    return Plot(
        "from the documents to the answer",
        "line",
        "retrieved, cited, told",
        "W1 to the population, labels",
        tuple(series),
        "a line that rises from left to right amplifies: the answer is farther from the population than its documents",
    )


__all__ = ["KINDS", "SELECTIONS", "Claimed", "FidelitySettings", "claimed", "fidelity", "stated_gap"]
