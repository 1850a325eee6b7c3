"""The embedding port over an OpenAI-compatible embeddings endpoint."""

from __future__ import annotations

import hashlib
import logging
import random
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.models.client import open_sync_client
from agents.models.errors import (
    BrokenReply,
    MalformedOutput,
    ModelCallError,
    ModelTimeout,
    NotAnApi,
    RateLimited,
)
from agents.models.settings import EmbeddingSettings
from agents.models.translate import translate
from agents.models.usage import estimate_tokens
from store.errors import EmbedderMismatch
from store.ports import FloatMatrix, FloatVector, Usage

if TYPE_CHECKING:
    from openai import OpenAI

logger = logging.getLogger(__name__)

_WORD = re.compile(r"\w+|[^\w\s]")
_PROBE = "Evenhand embeds this sentence to know the model."


class OpenAIEmbedder:
    """Fulfils ``store.ports.Embedder``. Synchronous, as ingest is; one request at a time.

    The server's tokenizer is not known here, so :meth:`token_spans` splits words into pieces of at most four
    characters, which errs on the side of more tokens, and texts are cut to ``max_tokens`` of these before they
    are sent.

    The fingerprint holds name, dimension and prefixes. A server's weights cannot be hashed, and its vectors differ
    in the last digits from call to call, so a model changed behind its name is not noticed. The first use of
    ``dimension`` or ``fingerprint`` calls the server, unless the settings give the dimension.
    """

    def __init__(
        self,
        settings: EmbeddingSettings,
        *,
        sleep: Callable[[float], None] = time.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self.settings = settings
        self.usage = Usage()
        self._sleep = sleep
        self._rng = rng or random.Random()
        self._client: OpenAI | None = None
        self._dimension = settings.dimension
        self._where = f"{settings.model} at {settings.base_url}"

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._where})"

    @property
    def name(self) -> str:
        """The served model's name."""
        return self.settings.model

    @property
    def dimension(self) -> int:
        """Length of a vector. Raises ModelCallError when the server must be asked and fails."""
        if self._dimension is None:
            return int(self._call([_PROBE]).shape[1])
        return self._dimension

    @property
    def fingerprint(self) -> str:
        """Name, dimension and a hash of the prefixes."""
        prefixes = f"{self.settings.query_prefix}\n{self.settings.document_prefix}"
        digest = hashlib.sha256(prefixes.encode()).hexdigest()[:8]
        return f"{self.settings.model}:{self.dimension}:{digest}"

    @property
    def max_tokens(self) -> int:
        """Longest input, in tokens, that is embedded without truncation."""
        return self.settings.max_tokens

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Character offsets ``(start, end)`` of about each token: words in pieces of at most four characters."""
        return [
            (start, min(start + 4, match.end()))
            for match in _WORD.finditer(text)
            for start in range(match.start(), match.end(), 4)
        ]

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed documents: float32 of shape (len(texts), dimension), rows of unit L2 norm.

        Raises
        ------
        ModelCallError
            After the retries that the settings allow.
        EmbedderMismatch
            When vectors of another length arrive than the corpus was built with.
        """
        prefix = self.settings.document_prefix
        rows = [
            self._call([self._cut(prefix + text) for text in texts[start : start + self.settings.batch]])
            for start in range(0, len(texts), self.settings.batch)
        ]
        return np.concatenate(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> FloatVector:
        """Embed one query: float32 of shape (dimension,), unit L2 norm. Raises as :meth:`embed`."""
        vector: FloatVector = self._call([self._cut(self.settings.query_prefix + text)])[0]
        return vector

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _cut(self, text: str) -> str:
        spans = self.token_spans(text[: 16 * self.max_tokens])
        # Servers refuse an empty input; a space embeds as nothing in particular.
        return (text[: spans[self.max_tokens - 1][1]] if len(spans) > self.max_tokens else text) or " "

    def _call(self, texts: list[str]) -> FloatMatrix:
        tries = 0
        while True:
            tries += 1
            try:
                return self._call_once(texts)
            except ModelCallError as error:
                wait = self._wait(error, tries)
            self._sleep(wait)

    def _call_once(self, texts: list[str]) -> FloatMatrix:
        import openai

        if self._client is None:
            self._client = open_sync_client(self.settings)
        started = time.monotonic()
        try:
            response: Any = self._client.embeddings.create(
                model=self.settings.model,
                input=texts,
                encoding_format="float",
                extra_body=dict(self.settings.extra_body) or None,
            )
        except (openai.OpenAIError, ValueError, TypeError) as error:
            # The library raises a bare ValueError when there is no data.
            failure = translate(error, where=self._where, key=self.settings.key())
        else:
            matrix = self._read(response, len(texts))
            tokens = getattr(getattr(response, "usage", None), "prompt_tokens", None)
            count = tokens if isinstance(tokens, int) else sum(estimate_tokens(text) for text in texts)
            seconds = time.monotonic() - started
            self.usage = self.usage + Usage(1, count, 0, seconds, self.settings.price.cost(count, 0))
            return matrix
        raise failure

    def _read(self, response: Any, expected: int) -> FloatMatrix:
        data = getattr(response, "data", None)
        if isinstance(response, str) or not isinstance(data, list):
            raise NotAnApi(f"{self._where}: the reply is not a list of embeddings")
        if len(data) != expected:
            raise BrokenReply(f"{self._where}: {expected} texts sent, {len(data)} vectors returned")
        if sorted(_index(entry) for entry in data) == list(range(expected)):
            data = sorted(data, key=_index)
        try:
            matrix = np.asarray([entry.embedding for entry in data], dtype=np.float32)
        except (ValueError, TypeError, AttributeError):
            raise MalformedOutput(f"{self._where}: the vectors are not numbers of one length") from None
        if matrix.ndim != 2 or not np.isfinite(matrix).all():
            raise MalformedOutput(f"{self._where}: the vectors are not finite numbers of one length")
        if self._dimension is None:
            self._dimension = matrix.shape[1]
        elif matrix.shape[1] != self._dimension:
            raise EmbedderMismatch(
                f"{self._where}: vectors of {matrix.shape[1]} numbers, expected {self._dimension}",
                "set models.embedder.dimension to the model's own, and rebuild with evenhand doctor --rebuild",
            )
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not (norms > 0).all():
            raise MalformedOutput(f"{self._where}: a vector is all zeros")
        unit: FloatMatrix = (matrix / norms).astype(np.float32)
        return unit

    def _wait(self, error: ModelCallError, tries: int) -> float:
        retries = self.settings.retries
        attempts = (
            min(retries.attempts, 2) if isinstance(error, ModelTimeout | BrokenReply) else retries.attempts
        )
        if not error.retryable or tries >= attempts:
            raise error
        wait = min(retries.backoff * 2.0 ** (tries - 1), retries.longest_wait) * self._rng.uniform(0.5, 1.0)
        if isinstance(error, RateLimited) and error.retry_after is not None:
            if error.retry_after > retries.longest_wait:
                raise error
            wait = max(wait, error.retry_after)
        logger.info("%s; try %d of %d in %.1f s", error.message, tries + 1, attempts, wait)
        return wait


def _index(entry: object) -> int:
    index = getattr(entry, "index", None)
    return index if isinstance(index, int) else -1


__all__ = ["OpenAIEmbedder"]
