"""Rewrite: the question in clearer words, ``q -> q'``."""

from __future__ import annotations

from dataclasses import replace

from agents.enhancement.base import Enhancement, because, none, unfit, write
from agents.models.errors import ModelCallError
from store.ports import ChatModel

_LABELS = ("rewritten question:", "question:", "rewrite:")


class Rewrite:
    """Search with a rewritten question alone."""

    async def enhance(self, question: str, chat: ChatModel | None) -> Enhancement:
        """Return the rewritten question, or the bare one, marked."""
        if (reason := unfit(question, chat)) or chat is None:
            return none(question, "rewrite", reason)
        try:
            text, written = await write(chat, "rewrite", question, max_tokens=160, whole=True)
        except ModelCallError as error:
            return none(question, "rewrite", because(error))
        for label in _LABELS:
            if text.lower().startswith(label):
                text = text[len(label) :].strip()
        text = text.strip('"“”') or question
        return replace(written, texts=(text,), method="rewrite", asked="rewrite")


__all__ = ["Rewrite"]
