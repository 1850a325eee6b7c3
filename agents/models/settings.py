"""Settings of model endpoints: values only, no clients. ``app.settings`` includes them and reads the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from store.errors import ConfigurationError
from store.ports import Role


class _Settings(BaseModel):
    # hide_input_in_errors: a validation error must not print a key that stands in the wrong place.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Price(_Settings):
    """What a model costs, in any one currency, per million tokens."""

    prompt_per_million: float = Field(
        0.0, ge=0, description="price of a million tokens sent, in any currency"
    )
    completion_per_million: float = Field(0.0, ge=0, description="price of a million tokens written")

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the cost of one call, in the currency of the prices."""
        return (
            prompt_tokens * self.prompt_per_million + completion_tokens * self.completion_per_million
        ) / 1_000_000


class Limits(_Settings):
    """How much may be asked of a server; None means no limit."""

    concurrency: int = Field(8, ge=1, le=1024, description="calls under way at once")
    requests_per_minute: int | None = Field(None, ge=1, description="none: no limit")
    tokens_per_minute: int | None = Field(None, ge=1, description="none: no limit")


class Timeouts(_Settings):
    """Seconds. ``first_token`` also bounds the gap between two pieces of a stream; ``total`` bounds one try."""

    connect: float = Field(5.0, gt=0, description="seconds")
    first_token: float = Field(120.0, gt=0, description="seconds, also between two pieces of a stream")
    total: float = Field(600.0, gt=0, description="seconds of one try")


class Retries(_Settings):
    """``attempts`` counts the first try. Waits double from ``backoff`` to ``longest_wait``, in seconds."""

    attempts: int = Field(4, ge=1, le=20, description="tries of a call, the first included")
    backoff: float = Field(0.5, ge=0, description="seconds before the second try; doubles")
    longest_wait: float = Field(60.0, ge=0, description="seconds")


class EndpointSettings(_Settings):
    """One OpenAI-compatible endpoint: vLLM, llama.cpp, Ollama, OpenAI ...

    The key comes from ``api_key`` (best from the environment) or from the first line of ``api_key_file``.
    ``context_tokens`` overrides what the server says of itself. ``extra_body`` is passed on as it is.
    """

    base_url: str
    model: str = Field(min_length=1)
    api_key: SecretStr | None = None
    api_key_file: Path | None = None
    price: Price = Price()
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()
    retries: Retries = Retries()
    context_tokens: int | None = Field(None, ge=128)
    extra_body: dict[str, Any] = Field(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http:// or https:// address, such as http://127.0.0.1:8000/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            # Addresses reach logs, receipts and caches; credentials must not.
            raise ValueError("must not hold a user name, password or query; put the key in api_key")
        return value.rstrip("/")

    def key(self) -> str | None:
        """Return the key in clear, or None.

        Raises
        ------
        ConfigurationError
            When ``api_key_file`` cannot be read or is empty.
        """
        if self.api_key is not None:
            return self.api_key.get_secret_value() or None
        if self.api_key_file is None:
            return None
        try:
            lines = self.api_key_file.expanduser().read_text(encoding="utf-8").split()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"the key file {self.api_key_file} cannot be read ({type(error).__name__})",
                "set models.api_key_file to a readable text file that holds only the key",
            ) from None
        if not lines:
            raise ConfigurationError(
                f"the key file {self.api_key_file} is empty", "put the key on its first line"
            )
        return lines[0]


class EndpointOverride(_Settings):
    """What one role does differently; what is not given is taken from the common endpoint."""

    base_url: str | None = Field(None, description="address of an OpenAI-compatible server, ending in /v1")
    model: str | None = Field(None, description="name as the server lists it")
    api_key: SecretStr | None = Field(None, description="best given in the environment")
    api_key_file: Path | None = Field(None, description="file whose first line is the key")
    price: Price | None = None
    limits: Limits | None = None
    timeouts: Timeouts | None = None
    retries: Retries | None = None
    context_tokens: int | None = Field(None, description="none: what the server says")
    extra_body: dict[str, Any] | None = Field(None, description="passed on with each call as it is")


class EmbeddingSettings(EndpointSettings):
    """An OpenAI-compatible embeddings endpoint.

    ``dimension`` is checked against what arrives; None takes what the first call gives. ``query_prefix`` and
    ``document_prefix`` serve models that want them (``query: ``, ``passage: ``).
    """

    dimension: int | None = Field(None, ge=1, description="checked; none: what the first call gives")
    max_tokens: int = Field(512, ge=16, description="longest text")
    batch: int = Field(64, ge=1, le=2048, description="texts a call")
    query_prefix: str = Field("", description="for models that want one")
    document_prefix: str = Field("", description="for models that want one")


class ModelsSettings(EndpointOverride):
    """One endpoint for all roles, or one a role; a role without base URL and model uses no language model."""

    router: EndpointOverride | None = Field(
        None, description="the endpoint that routes questions: keys as above"
    )
    enhancer: EndpointOverride | None = Field(
        None, description="the endpoint that rewrites search texts: keys as above"
    )
    extractor: EndpointOverride | None = Field(
        None, description="the endpoint that labels opinions: keys as above"
    )
    generator: EndpointOverride | None = Field(
        None, description="the endpoint that writes answers: keys as above"
    )
    verifier: EndpointOverride | None = Field(
        None, description="the endpoint that checks answers: keys as above"
    )
    embedder: EmbeddingSettings | None = Field(
        None, description="for `store.embedder.kind` endpoint: keys as above, and"
    )

    def for_role(self, role: Role) -> EndpointSettings | None:
        """Return the endpoint of a role, or None when none is configured.

        A role with a base URL of its own does not inherit the common key: keys belong to one server.

        Raises
        ------
        ConfigurationError
            When there is a base URL without a model, or the other way round.
        """
        common = {name: getattr(self, name) for name in EndpointOverride.model_fields}
        own: EndpointOverride | None = getattr(self, role)
        values = {name: value for name, value in common.items() if value is not None}
        if own is not None:
            if own.base_url is not None and own.base_url != self.base_url:
                values.pop("api_key", None)
                values.pop("api_key_file", None)
            if own.api_key is not None or own.api_key_file is not None:
                values.pop("api_key", None)
                values.pop("api_key_file", None)
            for name in EndpointOverride.model_fields:
                if (value := getattr(own, name)) is not None:
                    values[name] = value
        if "base_url" not in values and "model" not in values:
            return None
        for name in ("base_url", "model"):
            if name not in values:
                raise ConfigurationError(
                    f"the {role} has no {name}",
                    f"set models.{name}, or models.{role}.{name} for this role alone",
                )
        return EndpointSettings(**values)


__all__ = [
    "EmbeddingSettings",
    "EndpointOverride",
    "EndpointSettings",
    "Limits",
    "ModelsSettings",
    "Price",
    "Retries",
    "Timeouts",
]
