"""Query2Doc: the question joined with a passage that a model writes (Wang et al., 2023), zero-shot."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agents.enhancement.base import Enhancement, because, none, unfit, write
from agents.models.errors import ModelCallError
from store.ports import ChatModel

#: For sparse retrieval the question is repeated, so that the longer passage does not drown it.
REPEATS: Final = 5


class Query2Doc:
    """Search with ``question + passage``; for BM25 the question five times and then the passage."""

    async def enhance(self, question: str, chat: ChatModel | None) -> Enhancement:
        """Return the joined text, or the bare question, marked."""
        if (reason := unfit(question, chat)) or chat is None:
            return none(question, "query2doc", reason)
        try:
            passage, written = await write(chat, "query2doc", question, max_tokens=256)
        except ModelCallError as error:
            return none(question, "query2doc", because(error))
        return replace(
            written,
            texts=(f"{question} {passage}",),
            method="query2doc",
            asked="query2doc",
            lexical=" ".join([question] * REPEATS + [passage]),
        )


__all__ = ["REPEATS", "Query2Doc"]
