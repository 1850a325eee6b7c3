"""Probes as jobs: which pairs, which retrievers, the run, and the recommendations that answers use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.bootstrap import Parts
from app.evaluation import cache_folder
from app.events import Finished, Progress
from app.jobs import Report, stream_coroutine
from store.errors import UsageError

if TYPE_CHECKING:
    from agents.probes import Bias, Condition, ProbePair, ProbeReport, Retriever
    from store.calibrations import CalibrationStore

#: Sources of pairs beside a folder of data sets.
CORPUS, BUNDLED = "corpus", "bundled"
#: Retrievers with a name of their own; anything else is a sentence-transformers model.
NAMED = ("default", "bm25", "hybrid")


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """What to measure.

    Attributes
    ----------
    source
        ``corpus``, ``bundled``, or the folder that holds Re-DocRED.
    pairs, enhanced, pretrained
        Pairs of each bias for the plain query, for the enhancements, and for the continually pretrained ones.
    biases, methods
        Empty for all.
    cpt_model
        Folder of a causal model; empty leaves continual pretraining out.
    minutes
        After so long nothing more is written; None for no limit.
    cache
        Where vectors, texts and adapters are kept; None takes the workspace, or without one a temporary folder.
    """

    source: str = CORPUS
    pairs: int = 200
    enhanced: int = 100
    pretrained: int = 20
    biases: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    retrievers: tuple[str, ...] = NAMED
    cpt_model: str = ""
    minutes: float | None = None
    seed: int = 0
    corpus: str = ""
    cache: Path | None = None


@dataclass(frozen=True)
class PreparedProbe:
    """What a probe will do, said beforehand."""

    request: ProbeRequest
    source: str
    corpus_id: int | None
    pairs: Mapping[Bias, tuple[ProbePair, ...]]
    methods: tuple[Condition, ...]
    retrievers: tuple[Retriever, ...]
    model: str
    folder: Path
    notes: tuple[str, ...] = ()

    @property
    def texts(self) -> int:
        """Texts that a model must write at most, those kept from before included."""
        from agents.probes.generation import KIND_OF

        if not self.model:
            return 0
        kinds = {KIND_OF[method] for method in self.methods}
        most = self.request.enhanced
        return len(kinds) * len({pair.question for each in self.pairs.values() for pair in each[:most]})


class Probes:
    """Diagnoses retrievers and keeps what is recommended."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @cached_property
    def store(self) -> CalibrationStore:
        """Where diagnoses are kept."""
        from store.calibrations import CalibrationStore

        return CalibrationStore(self._parts.database)

    def prepare(self, request: ProbeRequest) -> PreparedProbe:
        """Build pairs and retrievers; asks no model.

        Raises
        ------
        UsageError
            A bias, a method or a data set that there is not, or too few documents for pairs.
        ConfigurationError
            A retriever cannot be loaded.
        """
        from agents.probes import BIASES, ENHANCEMENTS

        biases = _chosen("bias", request.biases, BIASES)
        methods = _chosen("method", tuple(name.replace("-", "_") for name in request.methods), ENHANCEMENTS)
        source, corpus_id, pairs = self._pairs(request, biases)
        thin = [bias for bias in biases if len(pairs.get(bias, ())) < 2]
        short = f"{source} gives fewer than two pairs for {', '.join(thin)}"
        if thin and (request.biases or len(thin) == len(biases)):
            raise UsageError(short, "name the other biases by --bias, or give more documents")
        notes = (f"{short}: not measured",) if thin else ()
        pairs = {bias: each for bias, each in pairs.items() if bias not in thin}
        folder = request.cache or (
            self._parts.workspace.model_cache_path if self._parts.workspace.exists() else cache_folder(None)
        )
        chat = self._parts.chat("enhancer")
        return PreparedProbe(
            request=request,
            source=source,
            corpus_id=corpus_id,
            pairs=pairs,
            methods=methods,
            retrievers=self._retrievers(request.retrievers, folder / "probe"),
            model=chat.model if chat is not None else "",
            folder=folder / "probe",
            notes=notes,
        )

    async def run(self, prepared: PreparedProbe) -> AsyncGenerator[Progress | Finished]:
        """Write what is missing and measure; last comes ``Finished(ProbeReport)``. Running again continues."""
        from agents.models.cache import FolderCache
        from agents.probes import run

        request = prepared.request
        endpoint = self._parts.settings.models.for_role("enhancer")

        async def job(report: Report) -> ProbeReport:
            def progress(stage: str, done: int, total: int) -> None:
                report(Progress(stage, done, total, done / total if total else None))

            pretrained = None
            if request.cpt_model:
                from agents.probes.cpt import ContinualPretrainer, CptSettings

                pretrained = await asyncio.to_thread(
                    ContinualPretrainer,
                    CptSettings(request.cpt_model, seed=request.seed),
                    prepared.folder / "cpt",
                )
            return await run(
                prepared.pairs,
                prepared.retrievers,
                source=prepared.source,
                chat=self._parts.chat("enhancer"),
                methods=prepared.methods if request.enhanced else (),
                enhanced_pairs=request.enhanced,
                pretrained=pretrained,
                pretrained_pairs=request.pretrained,
                cache=FolderCache(prepared.folder / "texts"),
                workers=endpoint.limits.concurrency if endpoint else 1,
                seconds=None if request.minutes is None else 60 * request.minutes,
                seed=request.seed,
                notes=prepared.notes,
                progress=progress,
            )

        async with aclosing(stream_coroutine(job)) as events:
            async for event in events:
                yield event

    def keep(self, prepared: PreparedProbe, report: ProbeReport) -> bool:
        """Store each retriever's diagnosis for ``--enhance auto``; returns whether there was anything to store.

        Without enhancements, or without a workspace, there is not.
        """
        from agents.probes.report import diagnosis_document

        if not report.model or len(report.reached) < 2 or not self._parts.workspace.exists():
            return False
        for found in report.diagnoses:
            result = {
                "schema": "probe/1",
                "source": report.source,
                "model": report.model,
                "pairs": dict(report.pairs),
                "reached": {condition: dict(each) for condition, each in report.reached.items()},
                **diagnosis_document(found),
                "recommendation": found.recommendation.method,
                "reason": found.recommendation.reason,
            }
            self.store.save_probe(prepared.corpus_id, found.key, result)
        return True

    def stored(self) -> list[dict[str, Any]]:
        """Return what is recommended so far, newest first, each with why it is not used now (empty for one that is)."""
        chat = self._parts.chat("enhancer")
        names = {corpus.id: corpus.name for corpus in self._parts.repository.corpora()}
        seen: set[tuple[int | None, str]] = set()
        listed = []
        for record in self.store.probes():
            key = (record.corpus_id, record.retriever)
            model = record.result.get("model", "")
            reason = "replaced by a newer one" if key in seen else ""
            if not reason and chat is not None and chat.model != model:
                reason = "another model"
            seen.add(key)
            listed.append(
                {
                    "made": record.created_at.isoformat(),
                    "corpus": names.get(record.corpus_id or 0, ""),
                    "source": record.result.get("source", ""),
                    "retriever": record.result.get("name", record.retriever),
                    "model": model,
                    "recommendation": record.result.get("recommendation", "none"),
                    "reason": record.result.get("reason", ""),
                    "why_not": reason,
                }
            )
        return listed

    def _pairs(
        self, request: ProbeRequest, biases: tuple[Bias, ...]
    ) -> tuple[str, int | None, dict[Bias, tuple[ProbePair, ...]]]:
        from agents.probes import build_pairs, bundled_pairs, corpus_facts, find_redocred, redocred_facts

        if request.source == BUNDLED:
            held = bundled_pairs()
            return "bundled pairs", None, {bias: held[bias][: request.pairs] for bias in biases}
        if request.source == CORPUS:
            corpus = self._parts.repository.corpus(request.corpus or self._parts.settings.corpus)
            if not corpus.extractor:
                raise UsageError(
                    f"the corpus `{corpus.name}` has no opinions yet",
                    "run `evenhand enrich`, or give Re-DocRED by --data or the small set by --bundled",
                )
            facts = corpus_facts(self._parts.context(corpus), request.seed)
            return f"corpus {corpus.name}", corpus.id, build_pairs(facts, request.pairs, biases)
        facts = redocred_facts(find_redocred(Path(request.source)), request.seed)
        return "Re-DocRED", None, build_pairs(facts, request.pairs, biases)

    def _retrievers(self, names: tuple[str, ...], folder: Path) -> tuple[Retriever, ...]:
        from agents.probes import BM25Retriever, DenseRetriever, HybridRetriever

        default, lexical = DenseRetriever(self._parts.embedder, folder), BM25Retriever()
        made: list[Retriever] = []
        for name in dict.fromkeys(names):
            if name == "default":
                made.append(default)
            elif name == "bm25":
                made.append(lexical)
            elif name == "hybrid":
                made.append(HybridRetriever(default, lexical))
            else:
                from store.embedders import SentenceTransformerEmbedder

                made.append(DenseRetriever(SentenceTransformerEmbedder(name), folder))
        return tuple(made)


def _chosen(what: str, asked: tuple[str, ...], known: tuple[Any, ...]) -> tuple[Any, ...]:
    wrong = [name for name in asked if name not in known]
    if wrong:
        raise UsageError(f"there is no {what} `{wrong[0]}`", f"there are {', '.join(known)}")
    return tuple(name for name in known if name in asked) if asked else known


__all__ = ["BUNDLED", "CORPUS", "NAMED", "PreparedProbe", "ProbeRequest", "Probes"]
