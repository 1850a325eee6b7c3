"""What pairs are made of: a question, the one sentence that answers it, and the document around that sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: Stands for the entity's name in a question's template.
SLOT: Final = "{name}"


@dataclass(frozen=True, slots=True)
class Fact:
    """One answerable question on one document.

    Attributes
    ----------
    source
        The document's own name: pairs of one source are not "unrelated" to each other.
    sentences
        The document in sentences.
    evidence
        Index of the only sentence that answers.
    head
        Character span ``(start, end)`` of the entity's name in the evidence sentence; it is named there once.
    answer
        Character span of the answer in the evidence sentence.
    names
        All names that the document (or the registry) has for the entity, the one in the evidence sentence first.
    mentions
        How often each sentence names the entity.
    answering
        Whether each sentence names the answer.
    template
        The question with ``{name}`` for the entity.
    """

    source: str
    sentences: tuple[str, ...]
    evidence: int
    head: tuple[int, int]
    answer: tuple[int, int]
    names: tuple[str, ...]
    mentions: tuple[int, ...]
    answering: tuple[bool, ...]
    template: str

    @property
    def text(self) -> str:
        """The evidence sentence."""
        return self.sentences[self.evidence]

    @property
    def document(self) -> str:
        """The whole document."""
        return " ".join(self.sentences)

    @property
    def answer_text(self) -> str:
        """The answer as the evidence sentence has it."""
        return self.text[self.answer[0] : self.answer[1]]

    def question(self, name: str = "") -> str:
        """Return the question on the entity by ``name``, by the evidence sentence's own name where it is empty."""
        return self.template.replace(SLOT, name or self.names[0])

    def renamed(self, name: str) -> tuple[str, int]:
        """Return the evidence sentence with another name for the entity, and where the answer starts then."""
        start, end = self.head
        shift = len(name) - (end - start)
        at = self.answer[0] + (shift if self.answer[0] >= end else 0)
        return self.text[:start] + name + self.text[end:], at

    def others(self) -> list[int]:
        """Return the indexes of the sentences beside the evidence, in order."""
        return [i for i in range(len(self.sentences)) if i != self.evidence]


__all__ = ["SLOT", "Fact"]
