"""What happens while a question is answered, as data: the faces draw it, nothing depends on it."""

from __future__ import annotations

from dataclasses import dataclass

from store.receipt import AuditReceipt


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A node of the graph begins."""

    stage: str


@dataclass(frozen=True, slots=True)
class StageFinished:
    """A node ended, with one line about what it found."""

    stage: str
    seconds: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TokenReceived:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerRevised:
    """The answer shown so far is withdrawn and written again."""

    reason: str


@dataclass(frozen=True, slots=True)
class AnswerReady:
    """The finished answer with its receipt."""

    answer_id: str
    text: str
    receipt: AuditReceipt


AnswerEvent = StageStarted | StageFinished | TokenReceived | AnswerRevised | AnswerReady

__all__ = ["AnswerEvent", "AnswerReady", "AnswerRevised", "StageFinished", "StageStarted", "TokenReceived"]
