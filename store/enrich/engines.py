"""Where bulk extraction runs: in this process, in a pool of local processes, or on Ray (extra ``ray``)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from store.errors import ConfigurationError, EnrichmentError
from store.ports import OpinionExtractor
from store.records import Extraction, RegistryEntity
from store.workers import deaf_to_interrupts

Batch = Sequence[tuple[int, str]]
Outcome = list[Extraction | Exception]


class Engine(Protocol):
    """Runs an extractor over batches and yields outcomes in the order of the batches."""

    def run(self, batches: Iterable[Batch]) -> Iterator[Outcome]:
        """Yield, for each batch, one Extraction or one Exception a document."""
        ...


def extract_batch(extractor: OpinionExtractor, registry: Sequence[RegistryEntity], batch: Batch) -> Outcome:
    """Extract one batch; a document that fails becomes its exception and does not harm the others."""
    try:
        found = list(extractor.extract(batch, registry))
        if [extraction.document_id for extraction in found] != [document_id for document_id, _ in batch]:
            raise EnrichmentError("the extractor returned other documents than it was given")
    except Exception as error:  # noqa: BLE001 - any document may fail; each is tried alone and its reason kept
        if len(batch) == 1:
            return [error]
        return [outcome for document in batch for outcome in extract_batch(extractor, registry, [document])]
    entities = {entity.key for entity in registry}
    return [_checked(extraction, text, entities) for extraction, (_, text) in zip(found, batch, strict=True)]


def _checked(extraction: Extraction, text: str, entities: set[str]) -> Extraction | Exception:
    """Return the extraction, or an error where it is not of known entities and of the text's own words."""
    for unit in extraction.opinions:
        if unit.entity not in entities:
            return EnrichmentError(f"the extractor named the unknown entity `{unit.entity}`")
        if text[unit.start : unit.end] != unit.quote:
            return EnrichmentError("the extractor quoted words that are not in the text")
    return extraction


class InProcess:
    """Extracts one batch after the other."""

    def __init__(self, extractor: OpinionExtractor, registry: Sequence[RegistryEntity]) -> None:
        self._extractor, self._registry = extractor, registry

    def run(self, batches: Iterable[Batch]) -> Iterator[Outcome]:
        """Yield the outcome of each batch."""
        for batch in batches:
            yield extract_batch(self._extractor, self._registry, batch)


class Windowed:
    """Keeps a bounded number of batches under way with any submitter, in order, in bounded memory."""

    def __init__(self, submit: Callable[[Batch], Any], result: Callable[[Any], Outcome], window: int) -> None:
        self._submit, self._result, self._window = submit, result, window

    def run(self, batches: Iterable[Batch]) -> Iterator[Outcome]:
        """Yield the outcome of each batch, in the order of the batches."""
        under_way: deque[Any] = deque()
        for batch in batches:
            under_way.append(self._submit(batch))
            if len(under_way) >= self._window:
                yield self._result(under_way.popleft())
        while under_way:
            yield self._result(under_way.popleft())


@contextmanager
def open_engine(
    kind: str, workers: int, extractor: OpinionExtractor, registry: Sequence[RegistryEntity]
) -> Iterator[Engine]:
    """Open the engine of that name (``local`` or ``ray``) for the time of one run.

    Raises
    ------
    ConfigurationError
        Unknown engine, or Ray is not installed.
    EnrichmentError
        A worker process died.
    """
    if kind == "ray":
        yield _ray(workers, extractor, registry)
    elif kind != "local":
        raise ConfigurationError(f"`enrich.engine` is `{kind}`", "use `local` or `ray`")
    elif workers <= 1:
        yield InProcess(extractor, registry)
    else:
        from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
        from multiprocessing import get_context

        def submit(batch: Batch) -> Any:
            with deaf_to_interrupts():
                return pool.submit(extract_batch, extractor, registry, batch)

        try:
            with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
                yield Windowed(submit, lambda future: future.result(), 2 * workers)
        except BrokenExecutor as error:
            raise EnrichmentError(
                "a worker process of the enrichment died",
                "run again to continue, with fewer `enrich.workers`",
            ) from error


def _ray(workers: int, extractor: OpinionExtractor, registry: Sequence[RegistryEntity]) -> Engine:
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "`enrich.engine` is `ray`, and ray is not installed", "run `pip install ray`"
        ) from error
    if not ray.is_initialized():
        ray.init(num_cpus=workers or None, log_to_driver=False)
    remote = ray.remote(extract_batch)
    shared = ray.put((extractor, list(registry)))

    def submit(batch: Batch) -> Any:
        return remote.remote(*ray.get(shared), batch)

    return Windowed(submit, ray.get, 2 * max(workers, 2))


__all__ = ["Batch", "Engine", "InProcess", "Outcome", "Windowed", "extract_batch", "open_engine"]
