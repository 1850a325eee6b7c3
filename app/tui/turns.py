"""One question with its answer, as the chat knows it: widgets are drawn from this and hold no truth of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from store.answers import AnswerRecord
    from store.receipt import AuditReceipt

#: What a stage of the agent is called while it runs.
STAGES = {
    "route": "understanding the question",
    "link": "finding what it is about",
    "count": "counting",
    "enhance": "enhancing the query",
    "retrieve": "gathering candidates",
    "rerank": "choosing documents that represent everybody",
    "generate": "writing",
    "verify": "checking quotes and shares",
    "audit": "writing the receipt",
}


@dataclass
class Turn:
    """A question, what was answered so far, and how it stands.

    ``state`` is ``waiting``, ``running``, ``done``, ``stopped``, ``failed``, or ``erased`` where it is kept no longer.
    ``unasked`` marks a question that shall be asked again: nothing that can be read came of it.
    """

    question: str
    answer_id: str = ""
    text: str = ""
    state: str = "waiting"
    stage: str = ""
    error: str = ""
    receipt: AuditReceipt | None = None
    pieces: int = 0
    unasked: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def busy(self) -> bool:
        """Whether the answer is still coming."""
        return self.state in ("waiting", "running")

    @classmethod
    def from_record(cls, record: AnswerRecord) -> Turn:
        """Return a stored turn."""
        # A stored answer that is still "running" ended with the process that wrote it, or is another window's.
        state = "interrupted" if record.state == "running" else record.state
        return cls(record.question, record.id, record.text, state, receipt=record.receipt)

    def erase(self) -> None:
        """Forget the answer: it was erased from the workspace."""
        self.text, self.receipt, self.error, self.state = "", None, "", "erased"

    def apply(self, event: Any) -> str:
        """Take one event of the service; returns the text that it adds to the answer."""
        name = type(event).__name__
        if name == "TokenReceived":
            self.state, self.pieces = "running", self.pieces + 1
            self.text += event.text
            return str(event.text)
        if name == "AnswerBegun":
            self.answer_id, self.state = event.answer_id, "running"
        elif name == "StageStarted":
            self.stage = STAGES.get(event.stage, event.stage)
        elif name == "StageFinished" and event.detail:
            self.stage = f"{STAGES.get(event.stage, event.stage)}: {event.detail}"
        elif name == "AnswerRevised":
            self.stage, self.text = f"writing again: {event.reason}", ""
        elif name == "AnswerReady":
            self.text, self.receipt, self.state, self.stage = event.text, event.receipt, "done", ""
            self.answer_id = event.answer_id
        return ""


def foot(turn: Turn, ascii: bool = False) -> str:
    """Return the line under an answer: its receipt, or why there is none."""
    from app.views.safe import line

    if turn.error:
        return f"! {turn.state}: {line(turn.error, limit=400, ascii=ascii)}"
    if turn.state == "erased":
        return "! this answer was erased: a document that it quoted is no longer kept"
    if turn.state == "stopped":
        return "! stopped before its end; what was written is kept"
    if turn.state == "failed":
        return "! failed before its end; what was written is kept"
    if turn.state == "interrupted":
        return "! not finished: interrupted, or still being written in another window"
    if turn.receipt is None:
        return ""
    from app.views.words import receipt_line

    told = receipt_line(turn.receipt, ascii=ascii)
    found = first_warning(turn.receipt, "F3", ascii=ascii)
    return f"{told}\n{found}" if found else told


def first_warning(receipt: AuditReceipt, where: str, *, ascii: bool = False) -> str:
    """Return the first warning in words, and ``where`` the others are told; empty without one."""
    from app.views.safe import line
    from app.views.words import warnings

    found = warnings(receipt)
    if not found:
        return ""
    more = f" ({len(found) - 1} more: {where})" if len(found) > 1 else ""
    return f"! {line(found[0], limit=300, ascii=ascii)}{more}"


__all__ = ["STAGES", "Turn", "first_warning", "foot"]
