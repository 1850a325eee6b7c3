"""The use cases. Both faces call this and nothing below it."""

from __future__ import annotations

import asyncio
import gc
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.apart import rebuild_apart
from app.bootstrap import Parts
from app.events import AnswerBegun, AnswerEvent, Finished, Progress
from app.jobs import Cancelled, Report, stream_job
from app.keeping import AnswerKeeper, checkpointer, marked_unstored
from store.errors import NoCandidates, Unwritable, UsageError

if TYPE_CHECKING:
    from store.answers import AnswerStore
    from store.enrich.pipeline import EnrichReport
    from store.indexing import IndexReport
    from store.ingest.report import IngestReport
    from store.ports import OpinionExtractor

#: Longest question that is answered.
LONGEST_QUESTION = 10_000
DEFAULT_CORPUS = "default"


@dataclass(frozen=True, slots=True)
class Ingested:
    """The books of an ingest, and what was indexed."""

    books: IngestReport
    index: IndexReport | None


@dataclass(frozen=True, slots=True)
class Enriched:
    """What enrichment found, and what was indexed."""

    report: EnrichReport
    index: IndexReport | None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased."""

    documents: int
    answers: int


class Service:
    """Use cases over one workspace."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._memo: Any = None
        self._graph: Any = None

    # -- questions

    async def ask(
        self,
        question: str,
        corpus: str = "",
        *,
        thread: str | None = None,
        options: dict[str, Any] | None = None,
    ) -> AsyncGenerator[AnswerBegun | AnswerEvent]:
        """Answer a question: yields ``AnswerBegun``, what happens and, last, ``AnswerReady``.

        The question is stored before the answer starts, its text about once a second while it is written, and what
        there is when the stream is closed early. Where the database cannot be written, an answer outside of a
        conversation is given all the same, and marked as not stored.

        Parameters
        ----------
        thread
            Conversation that the question belongs to; earlier turns resolve what it leaves out.
        options
            ``k, method, target, route, enhancement, balance, seed, lam, beta, filters, voices, one_sided``.

        Raises
        ------
        UsageError
            Empty or far too long question, unknown corpus or option.
        NoCandidates
            The corpus is empty.
        Unwritable
            The question belongs to a conversation, and that cannot be stored.
        """
        question = check_question(question)
        found = self.parts.repository.corpus(corpus or self.parts.settings.corpus)
        if not found.documents:
            raise NoCandidates(f"the corpus `{found.name}` has no documents", "run `evenhand ingest FILE`")
        # The embedder loads in native code: it does so beside the imports that follow.
        warm = asyncio.get_running_loop().run_in_executor(None, self.parts.searcher.embed_query, question)
        from agents.context import Memo
        from agents.graph import build_graph
        from agents.state import fresh

        if self._graph is None:
            # Compiling costs as much as answering: once a process.
            self._memo, self._graph = Memo(), build_graph()
            # What the imports made stays: the collector need not walk it at each question (a tenth of its time).
            gc.freeze()
        context = self.parts.context(found, self._memo)
        await warm
        answers = self._answers(kept=thread is not None)
        context = replace(context, answers=answers)
        # A locked database may take its time: not on the loop, where a stop could not be heard.
        answer_id = await asyncio.to_thread(_begin, answers, found.id, question, thread)
        state = fresh(question, answer_id, datetime.now(UTC).isoformat(timespec="seconds"), options or {})
        text: list[str] = []
        kept = AnswerKeeper(answers, answer_id)
        outcome = "failed"
        try:
            outcome = "stopped"
            yield AnswerBegun(answer_id)
            async with checkpointer(self.parts.workspace.checkpoints_path, thread) as saver:
                graph = self._graph
                if saver is not None:
                    graph = graph.copy(update={"checkpointer": saver})
                config = {"configurable": {"thread_id": thread or answer_id}, "recursion_limit": 50}
                stream = graph.astream(state, config, context=context, stream_mode="custom")
                async with aclosing(stream):
                    async for event in stream:
                        piece = getattr(event, "text", None)
                        if type(event).__name__ == "TokenReceived" and piece:
                            text.append(piece)
                            kept.so_far(text)
                        elif type(event).__name__ == "AnswerRevised":
                            text.clear()
                        outcome = "done" if type(event).__name__ == "AnswerReady" else "stopped"
                        yield marked_unstored(event, answers) if outcome == "done" else event
        except Exception:
            outcome = "failed"
            raise
        finally:
            await kept.settle()
            if outcome != "done":
                answers.interrupt(answer_id, "".join(text), outcome)

    def _answers(self, kept: bool) -> AnswerStore:
        """Return where one answer is stored; unless it must be ``kept``, an answer may also go without."""
        from store.answers import PassingAnswerStore

        return self.parts.answers if kept else PassingAnswerStore(self.parts.database)

    # -- knowledge

    async def ingest(
        self,
        path: Path,
        corpus: str = "",
        *,
        overrides: Any = None,
        source: str | None = None,
        sync: bool = False,
        index: bool = True,
        options: dict[str, Any] | None = None,
    ) -> AsyncIterator[Progress | Finished]:
        """Read a file or folder into a corpus and index it; last comes ``Finished(Ingested)``."""
        name = corpus or self.parts.settings.corpus or DEFAULT_CORPUS

        def job(report: Report, cancelled: Cancelled) -> Ingested:
            from store.ingest.pipeline import ingest

            parts, chunks = self.parts, self.parts.settings.store.chunks
            with parts.workspace.writing(parts.settings.store.lock_timeout):
                corpus_id = parts.repository.create_corpus(name)
                with parts.repository.dropped_if_empty(corpus_id):
                    books = ingest(
                        parts.database,
                        corpus_id,
                        path,
                        overrides=overrides,
                        source_name=source,
                        embedder_spans=parts.embedder.token_spans if index else None,
                        # Two places are the model's own start and end marks.
                        max_tokens=(chunks.tokens or parts.embedder.max_tokens) - 2,
                        overlap=chunks.overlap,
                        sync=sync,
                        progress=lambda p: report(
                            Progress("ingest", p.rows, None, p.fraction, f"{p.quarantined} quarantined")
                        ),
                        cancelled=cancelled,
                        **(options or {}),
                    )
                parts.repository.touch(corpus_id)
                done = self._index(corpus_id, report, cancelled) if index and not cancelled() else None
            return Ingested(books, done)

        async for event in stream_job(job):
            yield event

    async def enrich(
        self,
        corpus: str = "",
        *,
        extractor: str = "",
        refresh_registry: bool = False,
        retry: bool = False,
        split: bool = False,
        index: bool = True,
    ) -> AsyncIterator[Progress | Finished]:
        """Find entities and opinions and index the enriched documents; last comes ``Finished(Enriched)``."""
        found = self.parts.repository.corpus(corpus or self.parts.settings.corpus)

        def job(report: Report, cancelled: Cancelled) -> Enriched:
            from store.enrich.pipeline import EnrichOptions, EnrichPipeline

            parts, chosen = self.parts, self.parts.settings.enrich
            kinds = ("enriched", "split") if split or chosen.split else ("enriched",)
            options = EnrichOptions(
                chosen.seed, chosen.engine, chosen.workers, refresh_registry, retry, kinds
            )
            chosen_extractor = _stoppable(parts.extractor(extractor), chosen.workers, cancelled)
            pipeline = EnrichPipeline(parts.database, chosen_extractor, parts.embedder.embed, options)
            with parts.workspace.writing(parts.settings.store.lock_timeout):
                result = pipeline.run(
                    found.id, lambda p: report(_progress(p.stage, p.done, p.total)), cancelled
                )
                done = self._index(found.id, report, cancelled) if index and not cancelled() else None
            return Enriched(result, done)

        async for event in stream_job(job):
            yield event

    async def retry(
        self,
        corpus: str = "",
        *,
        source: str | None = None,
        overrides: Any = None,
        encoding: str | None = None,
    ) -> AsyncIterator[Progress | Finished]:
        """Try the quarantined rows again; last comes ``Finished(list of books, index report)``."""
        found = self.parts.repository.corpus(corpus or self.parts.settings.corpus)

        def job(report: Report, cancelled: Cancelled) -> tuple[list[IngestReport], IndexReport]:
            from store.ingest.retry import retry

            parts, chunks = self.parts, self.parts.settings.store.chunks
            with parts.workspace.writing(parts.settings.store.lock_timeout):
                books = retry(
                    parts.database,
                    found.id,
                    source=source,
                    overrides=overrides,
                    encoding=encoding,
                    embedder_spans=parts.embedder.token_spans,
                    max_tokens=(chunks.tokens or parts.embedder.max_tokens) - 2,
                    overlap=chunks.overlap,
                    cancelled=cancelled,
                )
                parts.repository.touch(found.id)
                return books, self._index(found.id, report, cancelled)

        async for event in stream_job(job):
            yield event

    async def rebuild(self) -> AsyncIterator[Progress | Finished]:
        """Make Chroma and BM25 anew from SQL, for every corpus; last comes ``Finished(None)``."""

        def job(report: Report, cancelled: Cancelled) -> None:
            parts = self.parts
            with parts.workspace.writing(parts.settings.store.lock_timeout):
                parts.indexer.forget_indexes()
                for corpus in parts.repository.corpora():
                    self._index(corpus.id, report, cancelled)

        async for event in stream_job(job):
            yield event

    async def forget(
        self, corpus: str = "", *, document: str = "", author: str = ""
    ) -> AsyncIterator[Progress | Finished]:
        """Erase documents everywhere, vectors, answers and conversations included; last ``Finished(Forgotten)``."""
        found = self.parts.repository.corpus(corpus or self.parts.settings.corpus)
        ids = self.parts.repository.find_documents(found.id, external_id=document, author=author)
        if not ids:
            what = f"document with the id `{document}`" if document else f"document of the author `{author}`"
            raise UsageError(f"the corpus `{found.name}` has no {what}")

        def job(report: Report, cancelled: Cancelled) -> Forgotten:
            from store.erasure import erase

            parts = self.parts
            with parts.workspace.writing(parts.settings.store.lock_timeout):
                gone = parts.answers.delete_citing(ids)
                erase(parts.database, ids, parts.workspace.checkpoints_path)
                parts.repository.touch(found.id)
                shutil.rmtree(parts.workspace.model_cache_path, ignore_errors=True)
                # Chroma keeps deleted vectors in its files: the folder is made anew from SQL.
                parts.indexer.forget_indexes()
                rebuild_apart(parts.settings, parts.project)
            return Forgotten(len(ids), gone)

        async for event in stream_job(job):
            yield event

    def _index(self, corpus_id: int, report: Report, cancelled: Cancelled) -> IndexReport:
        from store.ingest.pending import chunk_pending

        chunks = self.parts.settings.store.chunks
        chunk_pending(
            self.parts.database,
            corpus_id,
            embedder_spans=self.parts.embedder.token_spans,
            max_tokens=(chunks.tokens or self.parts.embedder.max_tokens) - 2,
            overlap=chunks.overlap,
            cancelled=cancelled,
        )
        return self.parts.indexer.bring_up(
            corpus_id, lambda p: report(_progress(f"index {p.kind}", p.done, p.total)), cancelled
        )


def check_question(question: str) -> str:
    """Return the question without surrounding space.

    Raises
    ------
    UsageError
        It is empty, longer than ``LONGEST_QUESTION`` characters, or no text.
    """
    if any("\ud800" <= char <= "\udfff" for char in question):
        raise UsageError("the question is no valid UTF-8 text", "type it again, or set the terminal to UTF-8")
    # NUL cannot be stored by PostgreSQL and means nothing in a question.
    question = question.replace("\0", "").strip()
    if not question:
        raise UsageError(
            "the question is empty", 'ask something, as in: evenhand ask "What do people think of the staff?"'
        )
    if len(question) > LONGEST_QUESTION:
        raise UsageError(
            f"the question has {len(question):,} characters, more than {LONGEST_QUESTION:,}",
            "ask a shorter one",
        )
    return question


def _stoppable(extractor: OpinionExtractor, workers: int, cancelled: Cancelled) -> OpinionExtractor:
    """Let an extractor by a model end its calls when the job is asked to stop; one that is sent elsewhere cannot."""
    if workers <= 1 and hasattr(extractor, "stopped"):
        extractor.stopped = cancelled
    return extractor


def _begin(answers: AnswerStore, corpus_id: int, question: str, thread: str | None) -> str:
    """Store the question, and the conversation that it begins; returns the answer's id."""
    if thread is None:
        return answers.begin(corpus_id, question)
    try:
        answers.ensure_thread(corpus_id, thread, question)
        return answers.begin(corpus_id, question, thread)
    except Unwritable as error:
        raise Unwritable(
            "the conversation", error.reason, "ask outside of one, with `evenhand ask QUESTION`"
        ) from error


def _progress(stage: str, done: int, total: int) -> Progress:
    return Progress(stage, done, total, done / total if total else None)


__all__ = [
    "DEFAULT_CORPUS",
    "LONGEST_QUESTION",
    "Enriched",
    "Forgotten",
    "Ingested",
    "Service",
    "check_question",
]
