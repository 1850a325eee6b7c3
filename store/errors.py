"""Every error that Evenhand raises on purpose.

One line says what happened, where, and what to do. The tree::

    ApplicationError
    ├── UsageError                 exit 2  wrong command, option or argument
    ├── ConfigurationError         exit 2  wrong or missing setting
    ├── StoreError                 exit 1
    │   ├── IngestError
    │   ├── EnrichmentError
    │   │   └── Postponed          not the document's fault: it waits for the next run
    │   ├── WorkspaceBusy          another process holds the write lock
    │   ├── Unwritable             read-only, or the disk is full
    │   ├── SchemaMismatch         database older or newer than this program
    │   ├── EmbedderMismatch       exit 2  corpus was built with another embedder
    │   └── IndexUnavailable       a cache (Chroma, BM25) is missing or damaged
    │       └── IndexReadOnly      Chroma cannot write its folder, and so cannot open it
    ├── AgentError                 exit 1
    │   ├── ModelCallError         (retryable or not; subclasses in agents.models)
    │   ├── Unmeasurable           a model answered too seldom to be measured
    │   └── NoCandidates
    ├── ServiceUnreachable         exit 3  a server or model does not answer
    └── CheckFailed                exit 5
"""

from __future__ import annotations

from typing import ClassVar


class ApplicationError(Exception):
    """Base of the tree: a one-line message and, where it helps, what to do next.

    Parameters
    ----------
    message
        What happened and where, in one line.
    hint
        What the reader can do about it, in one line; may be empty.
    """

    exit_code: ClassVar[int] = 1
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class UsageError(ApplicationError):
    """A command, option or argument is wrong."""

    exit_code = 2


class ConfigurationError(ApplicationError):
    """A setting is wrong or missing."""

    exit_code = 2


class StoreError(ApplicationError):
    """The knowledge store could not do what was asked."""


class IngestError(StoreError):
    """A source could not be read or recorded."""


class EnrichmentError(StoreError):
    """Entities or opinions could not be extracted or recorded."""


class Postponed(EnrichmentError):
    """A document could not be worked on for a reason that is not its own (a server is down): it stays pending."""

    retryable = True


class WorkspaceBusy(StoreError):
    """Another process is writing to this workspace."""

    retryable = True


class Unwritable(StoreError):
    """The database or the workspace cannot be written: it is read-only, or its disk is full.

    Parameters
    ----------
    where
        What cannot be written, as it follows on "cannot write".
    reason
        The system's own words.
    hint
        What the reader can do about it.
    """

    def __init__(self, where: str, reason: str, hint: str) -> None:
        super().__init__(f"cannot write {where} ({reason})", hint)
        self.reason = reason


class SchemaMismatch(StoreError):
    """The database schema is not the one this program knows."""


class EmbedderMismatch(StoreError):
    """The corpus was built with another embedder."""

    exit_code = 2


class IndexUnavailable(StoreError):
    """A rebuildable index (Chroma or BM25) is missing or damaged."""


class IndexReadOnly(IndexUnavailable):
    """Chroma writes to its folder even to read it, and that folder cannot be written; nothing else is wrong."""


class AgentError(ApplicationError):
    """The agent could not answer."""


class NoCandidates(AgentError):
    """Nothing in the corpus can be retrieved for the question."""


class Unmeasurable(AgentError):
    """A model chose too seldom for anything to be measured of it."""


class ServiceUnreachable(ApplicationError):
    """A configured server or model does not answer."""

    exit_code = 3
    retryable = True


class CheckFailed(ApplicationError):
    """A check that was asked for did not pass."""

    exit_code = 5


__all__ = [
    "AgentError",
    "ApplicationError",
    "CheckFailed",
    "ConfigurationError",
    "EmbedderMismatch",
    "EnrichmentError",
    "IndexReadOnly",
    "IndexUnavailable",
    "IngestError",
    "NoCandidates",
    "Postponed",
    "SchemaMismatch",
    "ServiceUnreachable",
    "StoreError",
    "Unmeasurable",
    "Unwritable",
    "UsageError",
    "WorkspaceBusy",
]
