"""The evaluations as jobs: which data, which model, where what they computed is kept."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from app.bootstrap import Parts
from app.calibration import Calibrations
from app.evaluation_corpora import CorpusRequest, Say, Tell, build_corpus, mini_data, whole_set
from app.evaluation_numbers import named, numbers
from app.evaluation_request import (
    ALL,
    EVALUATIONS,
    ON_CORPUS,
    REVIEWS,
    SETS,
    WEIGHTS,
    WHOLE_WEIGHTS,
    EvaluationRequest,
    check,
)
from app.events import Finished, Progress
from app.jobs import Report, stream_coroutine
from store.errors import NoCandidates, UsageError

if TYPE_CHECKING:
    from agents.evaluation.all import Suite
    from agents.evaluation.report import EvaluationReport
    from agents.evaluation.report_kept import Kept

T = TypeVar("T")


class Evaluations:
    """Runs evaluations; each run is an iterator whose last event is ``Finished(EvaluationReport or Suite)``.

    Parameters
    ----------
    say
        Told what takes long, in a line.
    pace
        Told how many evaluations of ``all`` are done and how long the rest takes, where no bar shows it.
    """

    def __init__(self, parts: Parts, say: Say = lambda text: None, pace: Say = lambda text: None) -> None:
        self._parts = parts
        self._say = say
        self._pace = pace

    async def run(self, request: EvaluationRequest) -> AsyncGenerator[Progress | Finished]:
        """Measure what is asked for. An interrupted run continues with the same cache.

        Raises
        ------
        UsageError
            There is no such evaluation, a set is missing, or the request does not fit.
        """
        check(request)
        if request.mini:
            request = replace(request, data=mini_data(request.cache))
        job = self._all if request.name == ALL else self._one
        async with aclosing(_stream(lambda tell: job(request, tell))) as events:
            async for event in events:
                yield event

    @property
    def workers(self) -> int:
        """Calls that the configured generator takes at once."""
        generator = self._parts.settings.models.for_role("generator")
        return generator.limits.concurrency if generator else 1

    async def _all(self, request: EvaluationRequest, tell: Tell) -> Suite:
        from agents.evaluation.all import Part, run_all
        from agents.evaluation.report_kept import Kept, key_of

        def part(name: str) -> Part:
            one = replace(request, name=name, reviews=request.reviews or REVIEWS)
            key = key_of("all/3", name, self._depends_on(one))
            return Part(
                name,
                (WEIGHTS if request.mini else WHOLE_WEIGHTS)[name],
                key,
                lambda tell: self._one(one, tell),
            )

        def told(stage: str, done: int, total: int, note: str) -> None:
            if stage == "evaluate all" and done < total:
                self._pace(f"{done} of {total} evaluations are done{', ' + note if note else ''}")
            tell(stage, done, total, note)

        return await run_all([part(name) for name in EVALUATIONS], Kept(request.cache, "all"), told)

    async def _one(self, request: EvaluationRequest, tell: Tell) -> EvaluationReport:
        from agents.evaluation.report_kept import Kept

        kept = Kept(request.cache, f"{request.name}-kept")
        make: dict[str, Callable[[EvaluationRequest, Kept, Tell], Awaitable[EvaluationReport]]] = {
            "extraction": self._labels,
            "router": self._labels,
            "faro": self._faro,
            "orag": self._orag,
            "warp": self._warp,
            "rewriting": self._rewriting,
        }
        report = await make[request.name](request, kept, tell)
        return named(report, request, lambda: self._whole(request))

    async def _labels(self, request: EvaluationRequest, kept: Kept, tell: Tell) -> EvaluationReport:
        from agents.evaluation.labels import extraction_report, router_report

        tell(request.name, 0, 1, "")
        make = extraction_report if request.name == "extraction" else router_report
        assert request.data is not None, "checked"
        return await asyncio.to_thread(make, request.data, request.seed)

    async def _faro(self, request: EvaluationRequest, kept: Kept, tell: Tell) -> EvaluationReport:
        from agents.evaluation.embedding_cache import CachedEmbedder
        from agents.evaluation.faro import SETS as FARO_SETS
        from agents.evaluation.faro import FaroSettings, faro_report

        embedder = self._parts.embedder
        cached = CachedEmbedder(embedder.embed, embedder.fingerprint, request.cache)
        sets = (request.only,) if request.only else tuple(FARO_SETS)
        settings = FaroSettings(
            numbers(request).sizes,
            request.tau,
            request.questions,
            request.calibrating,
            request.seed,
            self.workers,
        )
        model = self._parts.chat("generator")
        if model is not None:
            most = settings.most_calls(len(sets))
            self._say(f"{model.model} answers: at most {most:,} calls, about half of that")
        assert request.data is not None, "checked"
        return await faro_report(
            request.data,
            Calibrations(self._parts).chooser(),
            cached,
            settings,
            embedder=embedder.fingerprint,
            sets=sets,
            kept=kept,
            progress=lambda what, done, total: tell(what, done, total, ""),
        )

    async def _warp(self, request: EvaluationRequest, kept: Kept, tell: Tell) -> EvaluationReport:
        from agents.evaluation.warp import WarpSettings, warp_report
        from agents.evaluation.warp_data import warp_corpus

        built = await self._corpora(request, tell, split=False)
        own = numbers(request)
        settings = WarpSettings(k=own.sizes[-1], draws=own.draws, seed=request.seed)

        def job() -> EvaluationReport:
            parts = built[0]
            found = parts.repository.corpus(parts.settings.corpus)
            read = warp_corpus(parts.context(found), own.limits)
            progress = lambda what, done, total: tell(f"warp: {what}", done, total, "")  # noqa: E731
            return warp_report(read, settings, kept=kept, progress=progress)

        try:
            return await asyncio.to_thread(job)
        finally:
            await _close(built)

    async def _orag(self, request: EvaluationRequest, kept: Kept, tell: Tell) -> EvaluationReport:
        from agents.evaluation.fidelity import FidelitySettings, fidelity
        from agents.evaluation.orag import OragSettings
        from agents.evaluation.orag_data import orag_corpus
        from agents.evaluation.orag_report import orag_report

        def progress(what: str, done: int, total: int) -> None:
            tell(what, done, total, "")

        built = await self._corpora(request, tell, split=True)
        own = numbers(request)
        settings = OragSettings(own.sizes, draws=own.draws, seed=request.seed)
        written = FidelitySettings(workers=self.workers, seed=request.seed)
        try:
            contexts = [parts.context(parts.repository.corpus(parts.settings.corpus)) for parts in built]
            progress("search the knowledge bases", 0, 1)
            corpora, left_out = [], []
            for each in contexts:
                read = partial(orag_corpus, each, own.limits, depth=max(settings.sizes))
                try:
                    corpora.append(await asyncio.to_thread(read))
                except NoCandidates as error:
                    # The first extractor's labels are what all is judged by; the others are compared with it.
                    if not corpora:
                        raise
                    left_out.append(f"sigma by extractor: {each.extractor} is left out: {error.message}")
            more, plots, notes = await fidelity(
                contexts[0], corpora[0], written, kept=kept, progress=progress
            )
            make = partial(orag_report, corpora, settings, kept=kept, progress=progress)
            return await asyncio.to_thread(make, more=more, plots=plots, notes=[*notes, *left_out])
        finally:
            await _close(built)

    async def _rewriting(self, request: EvaluationRequest, kept: Kept, tell: Tell) -> EvaluationReport:
        from agents.evaluation.rewriting import rewriting_report
        from agents.probes.redocred import find_redocred
        from app.probes import BUNDLED, ProbeRequest, Probes

        probes = Probes(self._parts)
        source = BUNDLED if request.data is None or request.mini else str(find_redocred(request.data))
        prepared = await asyncio.to_thread(
            probes.prepare, ProbeRequest(source=source, seed=request.seed, cache=request.cache)
        )
        async with aclosing(probes.run(prepared)) as events:
            async for event in events:
                if isinstance(event, Finished):
                    return rewriting_report(event.result)
                tell(f"rewriting: {event.stage}", event.done, event.total or 0, event.note)
        raise AssertionError("a probe ends with its report")

    async def _corpora(self, request: EvaluationRequest, tell: Tell, *, split: bool) -> list[Parts]:
        """Return the parts of each corpus: built by each extractor, or the one of the workspace."""
        if request.data is None and not request.mini:
            found = self._parts.repository.corpus(request.corpus or self._parts.settings.corpus)
            if not found.extractor:
                raise UsageError(f"the corpus `{found.name}` has no opinions yet", "run `evenhand enrich`")
            settings = self._parts.settings.model_copy(update={"corpus": found.name})
            return [Parts(settings, self._parts.project)]
        data = None if request.mini else request.data
        wanted = CorpusRequest(data, request.cache, request.reviews, request.seed, split)
        return [
            await build_corpus(self._parts, replace(wanted, extractor=extractor), tell, self._say)
            for extractor in (request.extractors if split else request.extractors[:1])
        ]

    def _whole(self, request: EvaluationRequest) -> int | None:
        """Return the reviews of the whole set that the corpus is of; None for a corpus of the workspace."""
        if request.data is None and not request.mini:
            return None
        return whole_set(None if request.mini else request.data)

    def _depends_on(self, request: EvaluationRequest) -> list[Any]:
        """Return what the figures of an evaluation depend on beside the program's code."""
        from agents.evaluation.report import versions

        settings = self._parts.settings
        models = [getattr(settings.models.for_role(role), "model", "") for role in ("generator", "enhancer")]
        about = [
            request.mini,
            request.seed,
            request.sizes,
            request.questions,
            request.calibrating,
            request.only,
        ]
        about += [request.tau, request.draws, request.mentions, request.reviews, request.extractors]
        files = [] if request.data is None else _sizes(request.data, SETS[request.name])
        labels = self._parts.extractor("lexical").version
        return [about, files, models, self._parts.embedder.fingerprint, labels, versions()]


def _sizes(data: Path, sets: Sequence[str]) -> list[tuple[str, int]]:
    """Return the files of some data sets with their sizes: what tells one version of a set from another."""
    files = [path for name in sets for path in sorted((data / name).glob("*"))]
    return [(str(path.relative_to(data)), path.stat().st_size) for path in files]


async def _close(built: Sequence[Parts]) -> None:
    for parts in built:
        await parts.aclose()


def cache_folder(cache: Path | None) -> Path:
    """Return the folder for what an evaluation computes: the one given, or one that the system may clear."""
    return cache or Path(tempfile.gettempdir()) / "evenhand-evaluate"


class _Stopped(Exception):
    """A job was asked to stop: raised where it next tells how far it is."""


def _stream(job: Callable[[Tell], Awaitable[T]]) -> AsyncGenerator[Progress | Finished]:
    """Yield a job's progress and, last, its result; closing the iterator stops the job where it next tells of it."""
    loop = asyncio.get_running_loop()
    stop = threading.Event()

    async def work(report: Report) -> T:
        def tell(stage: str, done: int, total: int, note: str) -> None:
            # Called from the threads of a job as well.
            if stop.is_set():
                raise _Stopped
            event = Progress(stage, done, total or None, done / total if total else None, note)
            loop.call_soon_threadsafe(report, event)

        try:
            return await job(tell)
        finally:
            stop.set()

    return stream_coroutine(work)


__all__ = [
    "ALL",
    "EVALUATIONS",
    "ON_CORPUS",
    "EvaluationRequest",
    "Evaluations",
    "cache_folder",
    "check",
]
