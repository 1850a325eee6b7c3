"""The seams: what the store and the agents need from the outside, as Protocols.

The openai client implements the chat and embedding ports in ``agents.models``; the local embedders live in
``store.embedders``; ``app.bootstrap`` joins them. Every port has a contract suite under ``tests/contracts``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from store.records import Extraction, RegistryEntity

FloatMatrix = NDArray[np.float32]
FloatVector = NDArray[np.float32]

Role = Literal["router", "enhancer", "extractor", "generator", "verifier"]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Human-readable model name."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """Name, dimension and content hash: two embedders with one fingerprint give equal vectors."""
        ...

    @property
    def max_tokens(self) -> int:
        """Longest input, in tokens, that is embedded without truncation."""
        ...

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Character offsets ``(start, end)`` of each token of ``text``, without special tokens."""
        ...

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed documents: float32 of shape (len(texts), dimension), rows of unit L2 norm."""
        ...

    def embed_query(self, text: str) -> FloatVector:
        """Embed one query: float32 of shape (dimension,), unit L2 norm."""
        ...


class VectorIndex(Protocol):
    """A rebuildable nearest-neighbour index of unit vectors, keyed by unit id."""

    def add(self, ids: Sequence[int], vectors: FloatMatrix) -> None:
        """Add or replace vectors."""
        ...

    def delete(self, ids: Sequence[int]) -> None:
        """Remove ids; unknown ids are ignored."""
        ...

    def search(self, vector: FloatVector, n: int) -> list[tuple[int, float]]:
        """Return the at most n nearest ids with cosine similarity, best first."""
        ...

    def ids(self) -> set[int]:
        """All ids held."""
        ...

    def count(self) -> int:
        """How many ids are held."""
        ...


class LexicalIndex(Protocol):
    """A rebuildable BM25 index, keyed by unit id."""

    def build(self, items: Iterable[tuple[int, str]]) -> None:
        """Replace the index by one over these texts and persist it."""
        ...

    def search(self, query: str, n: int) -> list[tuple[int, float]]:
        """Return the at most n best ids with a positive BM25 score, best first."""
        ...

    def ids(self) -> set[int]:
        """All ids held."""
        ...


class OpinionExtractor(Protocol):
    """Finds the opinions on registry entities in documents."""

    @property
    def name(self) -> str:
        """``lexical`` or the model's name; shown wherever its labels appear."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the output may change (rules, heads, prompt hash, model)."""
        ...

    def extract(
        self, documents: Sequence[tuple[int, str]], registry: Sequence[RegistryEntity]
    ) -> Iterator[Extraction]:
        """Yield one Extraction a document, in input order."""
        ...


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked of a chat model.

    ``json_schema`` asks for output that validates against it; ``prompt_name`` and ``prompt_sha`` identify the
    prompt version for the receipt, the cache and the calibration.
    """

    messages: tuple[ChatMessage, ...]
    role: Role = "generator"
    max_tokens: int = 1024
    temperature: float = 0.0
    json_schema: Mapping[str, Any] | None = None
    schema_name: str = "output"
    logprobs: bool = False
    seed: int | None = None
    prompt_name: str = ""
    prompt_sha: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, seconds and cost of one call or of many (add with ``+``)."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
            self.cost + other.cost,
            self.cached + other.cached,
        )


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A whole answer of a chat model. ``finish_reason`` is the server's (``stop``, ``length``, ``refusal``)."""

    text: str
    finish_reason: str
    model: str
    usage: Usage = field(default_factory=Usage)
    refusal: str = ""
    logprobs: tuple[Mapping[str, float], ...] = ()


@runtime_checkable
class ChatModel(Protocol):
    """A chat-completion endpoint."""

    @property
    def model(self) -> str:
        """The served model's name."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole answer; raises ``agents.models.errors.ModelCallError`` or a subclass."""
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield text pieces as they arrive and, last, the whole ChatReply."""
        ...


__all__ = [
    "ChatMessage",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "Embedder",
    "FloatMatrix",
    "FloatVector",
    "LexicalIndex",
    "OpinionExtractor",
    "Role",
    "Usage",
    "VectorIndex",
]
