"""Every way that a model call fails.

Tree, with what the caller may do::

    ModelCallError                    exit 1
    ├── ModelUnreachable              exit 3  retryable   refused, reset, no route, name not found
    │   ├── ModelTimeout              exit 3  retryable   connection, first token, whole call
    │   ├── ServerFault               exit 3  retryable   5xx
    │   └── RateLimited               exit 3  retryable   429, with the server's Retry-After
    ├── AuthenticationFailed          exit 2              401, 403
    ├── ModelNotFound                 exit 2              404
    ├── QuotaExhausted                exit 1              429 that waiting does not cure
    ├── RequestRejected               exit 1              other 4xx
    ├── ContextTooLong                exit 1              the prompt does not fit: make it smaller
    ├── Refusal                       exit 1              the model will not answer
    └── MalformedOutput               exit 1              the reply is no answer
        ├── NotAnApi                  exit 2              an HTML page, text: wrong base URL
        ├── BrokenReply             exit 1  retryable   no choices, no content, a body that is no whole JSON
        └── TruncatedOutput           exit 1              cut by the token limit: split or raise it

Messages hold what the server said, shortened, with the key blotted out. No error keeps the request, the response
or the library's exception: those hold the key in their headers.
"""

from __future__ import annotations

from typing import ClassVar

from store.errors import AgentError, ServiceUnreachable


class ModelCallError(AgentError):
    """A call to a model failed.

    ``status`` is the HTTP status, or 0 when there was none; ``said`` the server's own words, redacted.
    """

    default_hint: ClassVar[str] = "see models.base_url and models.model"

    def __init__(self, message: str, hint: str = "", *, status: int = 0) -> None:
        super().__init__(message, hint or self.default_hint)
        self.status = status
        self.said = ""


class ModelUnreachable(ModelCallError, ServiceUnreachable):
    """The server cannot be reached, or the connection broke."""

    exit_code = 3
    retryable = True
    default_hint = "is the server running, and is models.base_url right?"


class ModelTimeout(ModelUnreachable):
    """The server took too long. ``phase`` is ``connection``, ``first token`` or ``whole call``."""

    def __init__(self, message: str, hint: str = "", *, phase: str = "whole call") -> None:
        setting = {"connection": "connect", "first token": "first_token"}.get(phase, "total")
        super().__init__(message, hint or f"raise models.timeouts.{setting} if the server is merely slow")
        self.phase = phase


class ServerFault(ModelUnreachable):
    """The server answered with a fault of its own (5xx)."""

    default_hint = "the server's own log says more; models.retries.attempts sets how often to try"


class RateLimited(ModelUnreachable):
    """Too many requests. ``retry_after`` is the server's wish in seconds, or None."""

    default_hint = "set models.limits.requests_per_minute and tokens_per_minute to what the server allows"

    def __init__(self, message: str, hint: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(message, hint, status=429)
        self.retry_after = retry_after


class AuthenticationFailed(ModelCallError):
    """The server does not accept the key."""

    exit_code = 2
    default_hint = "set models.api_key (EVENHAND_MODELS__API_KEY) or models.api_key_file"


class ModelNotFound(ModelCallError):
    """The server does not serve this model, or has no such path."""

    exit_code = 2
    default_hint = "set models.model to one that the server lists; models.base_url usually ends in /v1"


class QuotaExhausted(ModelCallError):
    """The account has no credit left: waiting does not help."""

    default_hint = "the account behind models.api_key has no credit left"


class RequestRejected(ModelCallError):
    """The server understood the request and will not serve it."""

    default_hint = "the server may not support an option; evenhand doctor shows which"


class ContextTooLong(ModelCallError):
    """The prompt does not fit the model's context. ``limit`` is in tokens, or None when unknown."""

    default_hint = "use fewer or shorter documents, or a model with a larger context (models.context_tokens)"

    def __init__(self, message: str, hint: str = "", *, limit: int | None = None, status: int = 0) -> None:
        super().__init__(message, hint, status=status)
        self.limit = limit


class Refusal(ModelCallError):
    """The model declines to answer."""

    default_hint = "another model may answer; see models.model"


class MalformedOutput(ModelCallError):
    """The reply is not what was asked for."""

    default_hint = "the model may be too weak for this task; see models.model"


class NotAnApi(MalformedOutput):
    """What answers is no OpenAI-compatible API: the reply is a page or plain text."""

    exit_code = 2
    default_hint = "check models.base_url: it usually ends in /v1"


class BrokenReply(MalformedOutput):
    """The reply has no choices or no content, or is not whole JSON."""

    retryable = True


class TruncatedOutput(MalformedOutput):
    """The reply was cut by the token limit."""

    default_hint = "raise models.max_tokens, or ask for less at once"


#: Failures that every further call to the same endpoint would share.
FATAL: tuple[type[ModelCallError], ...] = (AuthenticationFailed, ModelNotFound, QuotaExhausted)

__all__ = [
    "FATAL",
    "AuthenticationFailed",
    "BrokenReply",
    "ContextTooLong",
    "MalformedOutput",
    "ModelCallError",
    "ModelNotFound",
    "ModelTimeout",
    "ModelUnreachable",
    "NotAnApi",
    "QuotaExhausted",
    "RateLimited",
    "Refusal",
    "RequestRejected",
    "ServerFault",
    "TruncatedOutput",
]
