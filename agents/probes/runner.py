"""A whole probe: write what enhancements write, score every pair with every retriever, diagnose, recommend."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from agents.models.cache import Cache
from agents.probes.diagnosis import diagnose
from agents.probes.features import QueryStatistics, query_statistics
from agents.probes.generation import (
    ENHANCEMENTS,
    KIND_OF,
    PRETRAINED,
    Condition,
    PassageWriter,
    Wanted,
    Written,
    query_of,
    write_all,
)
from agents.probes.pairs import Bias, ProbePair
from agents.probes.report import ProbeReport
from agents.probes.retrievers import ProbeQuery, Retriever
from store.errors import UsageError
from store.ports import ChatModel

Progressed = Callable[[str, int, int], None]
Texts = dict[Condition, dict[Bias, list[ProbeQuery | None]]]
Pairs = Mapping[Bias, Sequence[ProbePair]]

NO_MODEL: Final = "no language model is configured for the role enhancer: only the plain query was measured"
SHARED: Final = "Query2Doc and HyDE use one passage a question, written by HyDE's prompt"


async def run(
    pairs: Pairs,
    retrievers: Sequence[Retriever],
    *,
    source: str,
    chat: ChatModel | None = None,
    methods: Sequence[Condition] = ENHANCEMENTS,
    enhanced_pairs: int = 100,
    pretrained: PassageWriter | None = None,
    pretrained_pairs: int = 20,
    cache: Cache | None = None,
    workers: int = 1,
    seconds: float | None = None,
    seed: int = 0,
    notes: Sequence[str] = (),
    progress: Progressed = lambda stage, done, total: None,
) -> ProbeReport:
    """Diagnose retrievers.

    Parameters
    ----------
    pairs
        From ``build_pairs`` or ``bundled_pairs``.
    chat
        Writes the enhancements; None measures the plain query alone, noted.
    enhanced_pairs, pretrained_pairs
        Pairs of each bias that the enhancements, and the continually pretrained ones, are measured on: the first ones.
    cache
        Keeps what was written, so that a run continues where another stopped.
    seconds
        After so long nothing more is written, and what is there is measured; None for no limit.
    notes
        What is known of the pairs, said in the report.
    progress
        Called with the stage, what is done of it, and its total.

    Raises
    ------
    UsageError
        A bias has fewer than two pairs, or there is no retriever.
    """
    thin = [bias for bias, each in pairs.items() if len(each) < 2]
    if thin or not pairs:
        raise UsageError(
            f"fewer than two pairs can be built for {', '.join(thin) or 'any bias'}", "give more documents"
        )
    if not retrievers:
        raise UsageError("there is no retriever to diagnose", "name one by --retriever")
    started = time.monotonic()
    texts: Texts = {"none": {bias: [_plain(pair) for pair in each] for bias, each in pairs.items()}}
    written, said = Written(), list(notes)
    if methods and chat is None:
        said.append(NO_MODEL)
    elif chat is not None and methods:
        wanted = list(_wanted(pairs, methods, enhanced_pairs))
        written = await write_all(
            wanted,
            chat,
            cache,
            workers=workers,
            seconds=seconds,
            progress=lambda done, total: progress("write", done, total),
        )
        texts |= _enhanced(pairs, methods, enhanced_pairs, written)
        said += _written_notes(written, methods)
    stopped = written.stopped
    if pretrained is not None:
        left = None if seconds is None else max(0.0, seconds - (time.monotonic() - started))
        learnt, cut, empty = await _pretrained(pairs, pretrained, pretrained_pairs, left, progress)
        texts |= {condition: each for condition, each in learnt.items() if _measurable(each)}
        said += (
            [f"{pretrained.name} wrote nothing for {empty} questions: they were not measured"]
            if empty
            else []
        )
        said += [f"continual pretraining {cut}"] if cut else []
        stopped = stopped or cut
    tests = len(retrievers) * len(pairs)
    diagnoses = []
    for number, retriever in enumerate(retrievers):
        progress("score", number, len(retrievers))
        diagnoses.append(await asyncio.to_thread(diagnose, retriever, pairs, texts, tests=tests, seed=seed))
    progress("score", len(retrievers), len(retrievers))
    return ProbeReport(
        source=source,
        seed=seed,
        pairs={bias: len(each) for bias, each in pairs.items()},
        reached={
            condition: {bias: sum(query is not None for query in each) for bias, each in by_bias.items()}
            for condition, by_bias in texts.items()
        },
        failed={
            method: len(written.failed.get(KIND_OF[method], {})) for method in methods if method in texts
        },
        diagnoses=tuple(diagnoses),
        queries={condition: _statistics(pairs, by_bias) for condition, by_bias in texts.items()},
        tests=tests,
        model=written.model,
        pretrained=pretrained.name if pretrained is not None else "",
        called=written.called,
        reused=written.reused,
        stopped=stopped,
        notes=tuple(said),
    )


def _plain(pair: ProbePair) -> ProbeQuery:
    return ProbeQuery((pair.question,), pair.question)


def _in_turn(pairs: Pairs, most: int) -> Iterator[tuple[Bias, int, ProbePair]]:
    """Yield the first pair of every bias, then the second of every bias: a run that stops has as many of each."""
    for number in range(most):
        for bias, each in pairs.items():
            if number < len(each):
                yield bias, number, each[number]


def _wanted(pairs: Pairs, methods: Sequence[Condition], most: int) -> Iterator[Wanted]:
    for _, _, pair in _in_turn(pairs, most):
        for method in methods:
            yield Wanted(KIND_OF[method], pair.question)


def _enhanced(pairs: Pairs, methods: Sequence[Condition], most: int, written: Written) -> Texts:
    texts: Texts = {}
    for method in methods:
        kind = KIND_OF[method]
        made = sum(each == kind for each, _ in written.texts)
        if not made or made == len(written.failed.get(kind, {})):
            continue
        failed = written.failed.get(kind, {})
        texts[method] = {
            bias: [
                None
                if (found := written.texts.get((kind, pair.question))) is None
                else _plain(pair)
                if pair.question in failed
                else query_of(method, pair.question, found)
                for pair in each[:most]
            ]
            for bias, each in pairs.items()
        }
    return texts


def _written_notes(written: Written, methods: Sequence[Condition]) -> list[str]:
    notes = [SHARED] if {"hyde", "query2doc"} <= set(methods) else []
    if written.stopped:
        notes.append(f"writing {written.stopped}; run again to continue")
    for kind, failed in written.failed.items():
        asked = sum(each == kind for each, _ in written.texts)
        reason = next(iter(failed.values()))
        consequence = "it was not measured" if len(failed) == asked else "the bare question was searched with"
        notes.append(
            f"{kind}: the model wrote nothing usable for {len(failed)} of {asked} questions ({reason}); {consequence}"
        )
    return notes


async def _pretrained(
    pairs: Pairs, writer: PassageWriter, most: int, seconds: float | None, progress: Progressed
) -> tuple[Texts, str, int]:
    """Let the writer learn each pair's document and write; one passage serves both conditions.

    Returns the queries, why not all were written, and for how many questions the writer wrote nothing.
    """
    started, stopped = time.monotonic(), ""
    passages: dict[tuple[str, str], str] = {}
    todo = list(_in_turn(pairs, most))
    for done, (_, _, pair) in enumerate(todo):
        if seconds is not None and time.monotonic() - started >= seconds:
            stopped = f"stopped after {done} of {len(todo)} pairs; run again to continue"
            break
        key = (pair.document, pair.question)
        if key not in passages:
            passages[key] = await asyncio.to_thread(writer.write, *key)
        progress("pretrain", done + 1, len(todo))
    texts: Texts = {condition: {} for condition in PRETRAINED}
    for condition in PRETRAINED:
        for bias, each in pairs.items():
            texts[condition][bias] = [
                query_of(condition, pair.question, (passage,))
                if (passage := passages.get((pair.document, pair.question)))
                else None
                for pair in each[:most]
            ]
    return texts, stopped, sum(not passage for passage in passages.values())


def _measurable(by_bias: Mapping[Bias, Sequence[ProbeQuery | None]]) -> bool:
    return any(query is not None for each in by_bias.values() for query in each)


def _statistics(pairs: Pairs, by_bias: Mapping[Bias, Sequence[ProbeQuery | None]]) -> QueryStatistics:
    found: dict[tuple[str, str], str] = {}
    for bias, queries in by_bias.items():
        for pair, query in zip(pairs[bias], queries, strict=False):
            if query is not None:
                found[pair.question, query.text] = pair.entity
    if not found:
        return QueryStatistics(0, 0.0, 0.0, 0.0, 0.0, 0, 0.0)
    questions, texts = zip(*found, strict=True)
    return query_statistics(questions, texts, list(found.values()))


__all__ = ["NO_MODEL", "SHARED", "Progressed", "run"]
