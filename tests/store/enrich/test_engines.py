from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from store.enrich.engines import InProcess, Windowed, extract_batch, open_engine
from store.errors import ConfigurationError, EnrichmentError
from store.records import Extraction, RegistryEntity
from tests.fakes.extractor import ScriptedExtractor

REGISTRY = [
    RegistryEntity("staff", "staff", None, ("staff",)),
    RegistryEntity("coffee", "coffee", None, ("coffee",)),
]
BATCHES = [
    [
        (n, f"The staff was good. The coffee was {'bad' if n % 2 else 'great'}.")
        for n in range(first, first + 4)
    ]
    for first in range(0, 20, 4)
]
POISONED = [(1, "The staff was good."), (2, "POISON"), (3, "The coffee was bad.")]


class Liar(ScriptedExtractor):
    """Breaks its word in one way for documents that hold the word LIE."""

    def __init__(self, lie: str) -> None:
        super().__init__()
        self.lie = lie

    def extract(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> Iterator[Extraction]:
        for found, (_, text) in zip(super().extract(documents, registry), documents, strict=True):
            if "LIE" not in text:
                yield found
            elif self.lie == "twice":
                yield found
                yield found
            elif self.lie == "other id":
                yield replace(found, document_id=99)
            elif self.lie == "quote":
                yield replace(found, opinions=tuple(replace(u, quote="invented") for u in found.opinions))
            elif self.lie == "entity":
                yield replace(found, opinions=tuple(replace(u, entity="sauna") for u in found.opinions))


class Mortal(ScriptedExtractor):
    """Takes its process with it."""

    def extract(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> Iterator[Extraction]:
        os._exit(9)
        yield  # type: ignore[unreachable]


def test_a_failing_document_does_not_harm_the_others() -> None:
    first, second, third = extract_batch(ScriptedExtractor(), REGISTRY, POISONED)
    assert isinstance(first, Extraction)
    assert isinstance(second, ValueError)
    assert isinstance(third, Extraction)
    assert (first.document_id, third.document_id) == (1, 3)
    assert extract_batch(ScriptedExtractor(), REGISTRY, []) == []


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        ("nothing", "other documents than it was given"),
        ("twice", "other documents than it was given"),
        ("other id", "other documents than it was given"),
        ("quote", "quoted words that are not in the text"),
        ("entity", "named the unknown entity `sauna`"),
    ],
)
def test_an_extractor_that_breaks_its_word_fails_that_document_only(lie: str, words: str) -> None:
    batch = [(1, "The staff was good."), (2, "LIE the coffee was bad."), (3, "The coffee was bad.")]
    first, second, third = extract_batch(Liar(lie), REGISTRY, batch)
    assert isinstance(first, Extraction)
    assert isinstance(third, Extraction)
    assert isinstance(second, EnrichmentError)
    assert words in str(second)


def test_interrupts_are_not_swallowed() -> None:
    class Interrupted(ScriptedExtractor):
        def extract(
            self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
        ) -> Iterator[Extraction]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extract_batch(Interrupted(), REGISTRY, POISONED)


def test_a_pool_of_processes_gives_the_same_in_the_same_order() -> None:
    batches = [*BATCHES, POISONED]
    with open_engine("local", 1, ScriptedExtractor(), REGISTRY) as engine:
        assert isinstance(engine, InProcess)
        alone = list(engine.run(batches))
    with open_engine("local", 2, ScriptedExtractor(), REGISTRY) as engine:
        assert isinstance(engine, Windowed)
        pooled = list(engine.run(batches))
    assert [[repr(outcome) for outcome in batch] for batch in pooled] == [
        [repr(o) for o in batch] for batch in alone
    ]


def test_a_worker_that_dies_is_said_so() -> None:
    with (
        pytest.raises(EnrichmentError, match="a worker process of the enrichment died") as caught,
        open_engine("local", 2, Mortal(), REGISTRY) as engine,
    ):
        list(engine.run(BATCHES))
    assert "run again" in caught.value.hint


def test_an_interrupt_from_the_terminal_is_left_to_the_one_that_they_work_for() -> None:
    with open_engine("local", 2, ScriptedExtractor(), REGISTRY) as engine:
        expected = list(engine.run(BATCHES))
        for worker in multiprocessing.active_children():
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGINT)
        assert [len(outcome) for outcome in engine.run(BATCHES)] == [len(outcome) for outcome in expected]


def test_few_batches_are_under_way_at_once() -> None:
    submitted: list[int] = []
    most = 0

    def result(future: int) -> list[Extraction | Exception]:
        nonlocal most
        most = max(most, len(submitted) - future)
        return [Extraction(future)]

    def submit(_: object) -> int:
        submitted.append(len(submitted))
        return submitted[-1]

    outcomes = list(Windowed(submit, result, 3).run(iter(BATCHES * 4)))
    assert [batch[0].document_id for batch in outcomes if isinstance(batch[0], Extraction)] == list(range(20))
    assert most == 3


def test_unknown_engines_and_ray_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(ConfigurationError, match=r"`enrich\.engine` is `spark`"),
        open_engine("spark", 1, ScriptedExtractor(), REGISTRY),
    ):
        pass
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(ConfigurationError, match="ray is not installed"),
        open_engine("ray", 1, ScriptedExtractor(), REGISTRY),
    ):
        pass
