"""What enhancements write for the probed questions: kept by hash, one passage for HyDE and Query2Doc."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

import prompts
from agents.enhancement import MultiQuery, enhancer
from agents.enhancement.query2doc import REPEATS
from agents.models.cache import Cache
from agents.probes.retrievers import ProbeQuery
from store.ports import ChatModel

logger = logging.getLogger(__name__)

Condition = Literal["none", "rewrite", "hyde", "query2doc", "multi_query", "hyde_cpt", "query2doc_cpt"]
#: What a model writes, by prompt stage; ``hyde`` is the passage that HyDE and Query2Doc share.
Kind = Literal["rewrite", "hyde", "multi_query"]

#: The enhancements that answers can use.
ENHANCEMENTS: Final[tuple[Condition, ...]] = ("rewrite", "hyde", "query2doc", "multi_query")
#: Those that train on the pair's own document: for the laboratory.
PRETRAINED: Final[tuple[Condition, ...]] = ("hyde_cpt", "query2doc_cpt")
KIND_OF: Final[Mapping[Condition, Kind]] = {
    "rewrite": "rewrite",
    "hyde": "hyde",
    "query2doc": "hyde",
    "multi_query": "multi_query",
}
#: A kind that fails so many times from its start on is given up.
_GIVE_UP: Final = 5


class PassageWriter(Protocol):
    """Writes a passage for a question after learning a document (continual pretraining)."""

    @property
    def name(self) -> str:
        """The model and how it is trained."""
        ...

    def write(self, document: str, question: str) -> str:
        """Return the passage, empty where nothing was written; the same for the same document and question."""
        ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing to write."""

    kind: Kind
    question: str


@dataclass
class Written:
    """What was written.

    Attributes
    ----------
    texts
        By kind and question; the bare question stands where the model failed.
    failed
        By kind, the questions where it failed, each with the reason.
    called, reused
        Calls made now, and taken from the cache.
    stopped
        Why not everything was written, or empty.
    """

    texts: dict[tuple[Kind, str], tuple[str, ...]] = field(default_factory=dict)
    failed: dict[Kind, dict[str, str]] = field(default_factory=dict)
    called: int = 0
    reused: int = 0
    stopped: str = ""
    model: str = ""


async def write_all(
    wanted: Iterable[Wanted],
    chat: ChatModel,
    cache: Cache | None,
    *,
    workers: int = 1,
    seconds: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Written:
    """Write what is wanted, in order, as far as the time allows; each text is kept as soon as it is there.

    Parameters
    ----------
    cache
        Keeps texts by model, prompt and question; a run that was interrupted or stopped continues.
    workers
        Calls at once.
    seconds
        After so long nothing new is begun; None for no limit. What the cache holds costs no time.
    """
    todo = list(dict.fromkeys(wanted))
    done = Written(model=chat.model)
    started, finished = clock(), 0
    queue = iter(todo)

    async def work() -> None:
        nonlocal finished
        for item in queue:
            key = cache_key(item, chat.model)
            held = cache.get(key) if cache is not None else None
            if held is not None and held.get("texts"):
                done.texts[item.kind, item.question] = tuple(str(text) for text in held["texts"])
                done.reused += 1
            elif seconds is not None and clock() - started >= seconds:
                done.stopped = f"stopped after {seconds / 60:.0f} minutes"
                continue
            elif not _given_up(done, item.kind):
                await _write(item, chat, cache, key, done)
            finished += 1
            progress(finished, len(todo))

    await asyncio.gather(*(work() for _ in range(max(1, workers))))
    return done


def query_of(condition: Condition, question: str, texts: tuple[str, ...]) -> ProbeQuery:
    """Return what is searched with, of the texts that were written.

    HyDE searches with the passage, Query2Doc with the question and the passage (for BM25 the question five times),
    multi-query with the question and its phrasings.
    """
    if condition in ("query2doc", "query2doc_cpt"):
        passage = " ".join(texts)
        weighted = " ".join([question] * REPEATS + [passage])
        return ProbeQuery((f"{question} {passage}",), weighted, weighted)
    return ProbeQuery(texts, question)


def cache_key(item: Wanted, model: str) -> str:
    """Return the hex key of a text: what was asked, of which model, by which prompt version."""
    prompt = prompts.load(item.kind)
    content = json.dumps(["probe", model, prompt.name, prompt.sha256, item.question])
    return hashlib.sha256(content.encode()).hexdigest()


async def _write(item: Wanted, chat: ChatModel, cache: Cache | None, key: str, done: Written) -> None:
    method: Any = MultiQuery() if item.kind == "multi_query" else enhancer(item.kind)
    made = await method.enhance(item.question, chat)
    done.called += 1
    if made.degraded_reason:
        done.failed.setdefault(item.kind, {})[item.question] = made.degraded_reason
        done.texts[item.kind, item.question] = (item.question,)
        return
    done.texts[item.kind, item.question] = made.texts
    if cache is not None:
        cache.put(
            key, {"kind": item.kind, "question": item.question, "model": chat.model, "texts": made.texts}
        )


def _given_up(done: Written, kind: Kind) -> bool:
    failures = len(done.failed.get(kind, {}))
    return failures >= _GIVE_UP and failures == sum(each == kind for each, _ in done.texts)


__all__ = [
    "ENHANCEMENTS",
    "KIND_OF",
    "PRETRAINED",
    "Condition",
    "Kind",
    "PassageWriter",
    "Wanted",
    "Written",
    "cache_key",
    "query_of",
    "write_all",
]
