"""What both faces draw: progress of jobs, and the agent's own events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.events import AnswerEvent, AnswerReady, AnswerRevised, StageFinished, StageStarted, TokenReceived


@dataclass(frozen=True, slots=True)
class AnswerBegun:
    """The question is stored under this id; what follows belongs to it."""

    answer_id: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: ``fraction`` in [0, 1], or None when the end is not known."""

    stage: str
    done: int
    total: int | None
    fraction: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A job's result."""

    result: Any


JobEvent = Progress | Finished

__all__ = [
    "AnswerBegun",
    "AnswerEvent",
    "AnswerReady",
    "AnswerRevised",
    "Finished",
    "JobEvent",
    "Progress",
    "StageFinished",
    "StageStarted",
    "TokenReceived",
]
