"""Options, plan and outcomes of an extraction by a language model."""

from __future__ import annotations

from dataclasses import dataclass

from agents.models.extraction_schema import Discovered
from store.records import Extraction


@dataclass(frozen=True, slots=True)
class ExtractorOptions:
    """How documents are put to the model.

    Attributes
    ----------
    documents
        Most documents in a call. 1 keeps documents from ever seeing each other.
    tokens
        Most tokens of document text in a call, about.
    answer_tokens
        Room for the answer, a document.
    workers
        Calls at once; the endpoint's own limits hold as well.
    give_up_after
        Calls in a row that fail because of the server; the rest is then listed without being tried.
    open_discovery
        Ask for entities outside the registry too.
    """

    documents: int = 4
    tokens: int = 3000
    answer_tokens: int = 500
    workers: int = 8
    give_up_after: int = 8
    open_discovery: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document: ``extraction`` or, when it is None, ``reason`` why not.

    ``untried`` marks documents that were not sent, because the server had failed too often in a row; ``postponed``
    these and all others that failed through no fault of their own: the next run tries them.
    """

    document_id: int
    extraction: Extraction | None = None
    reason: str = ""
    discovered: tuple[Discovered, ...] = ()
    unquoted: int = 0
    unlisted: int = 0
    cached: bool = False
    untried: bool = False
    postponed: bool = False


@dataclass(frozen=True, slots=True)
class ExtractionPlan:
    """What a run would take. Tokens are estimates; ``completion_tokens`` is the most that may be paid for."""

    documents: int
    cached: int
    duplicates: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


__all__ = ["ExtractionPlan", "ExtractorOptions", "Outcome"]
