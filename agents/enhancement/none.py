"""No enhancement: the question as it was asked."""

from __future__ import annotations

from agents.enhancement.base import Enhancement, none
from store.ports import ChatModel


class NoEnhancement:
    """Search with the bare question."""

    async def enhance(self, question: str, chat: ChatModel | None) -> Enhancement:
        """Return the question; the model is not called."""
        del chat
        return none(question)


__all__ = ["NoEnhancement"]
