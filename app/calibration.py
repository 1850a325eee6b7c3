"""Calibration as a job: which questions, what it will cost, the run, and the fits that exist."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.bootstrap import Parts
from app.events import Finished, Progress
from app.jobs import Report, stream_coroutine
from store.errors import UsageError

if TYPE_CHECKING:
    from agents.calibration import CalibrationOutcome, CalibrationQuestion, Check
    from agents.fairness.designs import Design, Plan
    from agents.models.chooser import Chooser
    from store.calibrations import CalibrationRecord, CalibrationStore

#: ``questions`` value that stands for the corpus.
CORPUS = "corpus"
#: What answers are ordered by.
POLARITY = "polarity"
#: Questions where no budget is given; 50 of 8 runs give a standard error of about .045.
DEFAULT_QUESTIONS = 50
#: Questions that a check asks at the most.
CHECK_QUESTIONS = 50


@dataclass(frozen=True, slots=True)
class CalibrationRequest:
    """What to measure.

    Attributes
    ----------
    questions
        Path of a question set, or ``corpus``.
    budget
        Most calls of the design; None for ``DEFAULT_QUESTIONS`` questions.
    validate
        Settings to check the fit on; 0 for none.
    check_questions
        Question set of the check; empty holds questions of the same source back.
    """

    attribute: str
    k: int
    questions: str
    design: Design = "blocks"
    budget: int | None = None
    validate: int = 0
    check_questions: str = ""
    seed: int = 0
    temperature: float = 0.0
    corpus: str = ""


@dataclass(frozen=True)
class Prepared:
    """What a calibration will do, said beforehand; ``remarks`` on what it will not."""

    request: CalibrationRequest
    questions: list[CalibrationQuestion]
    check: Check | None
    plan: Plan
    clusters: int
    model: str
    source: str
    remarks: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """Calls in all, the check's included."""
        return self.plan.calls + (self.check.calls if self.check else 0)


class Calibrations:
    """Measures position weights and reads those there are."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._vectors: dict[str, Any] = {}

    @cached_property
    def store(self) -> CalibrationStore:
        """Where they are kept."""
        from store.calibrations import CalibrationStore

        return CalibrationStore(self._parts.database)

    def fits(self, corpus: str = "") -> list[tuple[CalibrationRecord, str]]:
        """Return all fits, newest first, and why each is not used now: empty for one that is."""
        from agents.models.chooser import identity

        known = self._attributes(corpus)
        model, prompt_sha = identity(self._parts.chat("generator"), self._parts.embedder.fingerprint)
        seen: set[tuple[str, str, str, int]] = set()
        listed = []
        for fit in self.store.fits():
            key = (fit.model, fit.prompt_sha, fit.attribute, fit.k)
            reason = "another model" if fit.model != model else ""
            if not reason and fit.prompt_sha != prompt_sha:
                reason = "another prompt" if self._parts.chat("generator") else "another embedder"
            if not reason and key in seen:
                reason = "replaced by a newer one"
            if not reason and known is not None and fit.attribute not in known:
                reason = "no such author attribute"
            seen.add(key)
            listed.append((fit, reason))
        return listed

    def prepare(self, request: CalibrationRequest) -> Prepared:
        """Collect the questions and plan the calls; asks no model.

        Raises
        ------
        UsageError
            Questions, k, budget or design do not fit.
        NoCandidates
            The corpus has too few documents of both signs.
        """
        from agents.calibration import Check, clusters
        from agents.fairness.designs import block_size, grid_settings, plan

        if request.attribute != POLARITY and request.questions == CORPUS:
            raise UsageError(
                f"a corpus has no options for `{request.attribute}`",
                "use --attribute polarity, or --questions FILE",
            )
        try:
            runs = block_size(request.k) if request.design == "blocks" else len(grid_settings(request.k))
        except ValueError as error:
            raise UsageError(str(error)) from None
        wanted = DEFAULT_QUESTIONS if request.budget is None else request.budget // runs
        if wanted < 2:
            raise UsageError(
                f"--budget {request.budget} is less than two questions of {runs} runs",
                f"give at least {2 * runs}",
            )
        own_check = request.validate > 0 and not request.check_questions
        held = min(CHECK_QUESTIONS, wanted) if own_check else 0
        found = self._questions(request, request.questions, wanted + held)
        check = None
        if held and len(found) < wanted + held:
            # Too few for both: a quarter is held back.
            wanted = max(2, len(found) - len(found) // 4)
        if request.validate:
            second = found[wanted:]
            if request.check_questions:
                second = self._questions(request, request.check_questions, CHECK_QUESTIONS)
            check = Check(second or found[:held], request.validate, held_out=bool(second))
        questions = found[:wanted]
        if len(set(clusters(questions).tolist())) < 2:
            raise UsageError("all questions are on one thing", "give questions on at least two")
        return Prepared(
            request=request,
            questions=questions,
            check=check,
            plan=plan(request.k, questions=len(questions), design=request.design),
            clusters=len(set(clusters(questions).tolist())),
            model=self.chooser(request.temperature).name,
            source=request.questions if request.questions == CORPUS else Path(request.questions).name,
            remarks=self._remarks(request),
        )

    async def run(self, prepared: Prepared) -> AsyncGenerator[Progress | Finished]:
        """Make the calls that are missing; last comes ``Finished(CalibrationOutcome)``.

        Raises
        ------
        ModelCallError
            The model failed; what was asked is kept, and running again continues.
        Unwritable
            The answers could not be kept; none is asked for.
        """
        from agents.calibration import calibrate

        request = prepared.request
        if self._parts.workspace.has_own_database:
            # Said before calls are paid for.
            self._parts.workspace.require_writable()
        generator = self._parts.settings.models.for_role("generator")

        async def job(report: Report) -> CalibrationOutcome:
            def progress(done: int, total: int) -> None:
                report(Progress("calibrate", done, total, done / total if total else None))

            return await calibrate(
                prepared.questions,
                self.chooser(request.temperature),
                self.store,
                attribute=request.attribute,
                k=request.k,
                design=request.design,
                seed=request.seed,
                workers=generator.limits.concurrency if generator else 1,
                check=prepared.check,
                source=prepared.source,
                progress=progress,
            )

        async with aclosing(stream_coroutine(job)) as events:
            async for event in events:
                yield event

    def result(self, outcome: CalibrationOutcome, prepared: Prepared) -> dict[str, Any]:
        """Return a fit as it is stored and shown."""
        from agents.calibration import pack

        return pack(outcome, prepared.source)

    def chooser(self, temperature: float = 0.0) -> Chooser:
        """Return who answers: the configured generator, or the embedded stand-in."""
        from agents.models.chooser import ExtractiveChooser, LLMChooser

        chat = self._parts.chat("generator")
        if chat is not None:
            return LLMChooser(chat, temperature)
        return ExtractiveChooser(self._embed, self._parts.embedder.fingerprint)

    def _attributes(self, corpus: str) -> tuple[str, ...] | None:
        """Return what answers on the corpus can be held to; None where no one corpus is meant."""
        found = self._parts.repository.corpora()
        name = corpus or self._parts.settings.corpus
        meant = [each for each in found if each.name == name] if name else found
        if len(meant) != 1:
            return None
        return (POLARITY, *sorted(self._parts.repository.attribute_values(meant[0].id)))

    def _remarks(self, request: CalibrationRequest) -> tuple[str, ...]:
        known = self._attributes(request.corpus)
        if known is None or request.attribute in known:
            return ()
        return (
            f"the corpus has no author attribute {request.attribute} (it has {', '.join(known[1:]) or 'none'}): "
            "ask cannot use these weights",
        )

    def _questions(self, request: CalibrationRequest, source: str, limit: int) -> list[CalibrationQuestion]:
        if source == CORPUS:
            from agents.corpus_questions import corpus_questions

            corpus = self._parts.repository.corpus(request.corpus or self._parts.settings.corpus)
            found = corpus_questions(self._parts.context(corpus), request.k, limit, request.seed)
            # Entities take turns in the fit and in what is held back for the check.
            order = sorted(range(len(found)), key=lambda i: hash_order(found[i].text, request.seed))
            return [found[i] for i in order]
        from agents.questions import read_questions

        return read_questions(Path(source), request.k, self._embed, limit=limit, seed=request.seed)

    def _embed(self, texts: Any) -> Any:
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._parts.embedder.embed(new), strict=True))
        return np.stack([self._vectors[text] for text in texts])


def hash_order(text: str, seed: int) -> str:
    """Return a key that sorts texts at random, the same way every time."""
    import hashlib

    return hashlib.sha256(f"{seed} {text}".encode()).hexdigest()


__all__ = ["CORPUS", "CalibrationRequest", "Calibrations", "Prepared"]
