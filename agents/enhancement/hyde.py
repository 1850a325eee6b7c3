"""HyDE: search with the embedding of a passage that a model invents (Gao et al., 2023), zero-shot."""

from __future__ import annotations

from dataclasses import replace

from agents.enhancement.base import Enhancement, because, none, unfit, write
from agents.models.errors import ModelCallError
from store.ports import ChatModel


class Hyde:
    """Search with a generated passage in place of the question; BM25 keeps the question."""

    async def enhance(self, question: str, chat: ChatModel | None) -> Enhancement:
        """Return the passage, or the bare question, marked."""
        if (reason := unfit(question, chat)) or chat is None:
            return none(question, "hyde", reason)
        try:
            passage, written = await write(chat, "hyde", question, max_tokens=256)
        except ModelCallError as error:
            return none(question, "hyde", because(error))
        return replace(written, texts=(passage,), method="hyde", asked="hyde", lexical=question)


__all__ = ["Hyde"]
