"""Multi-query: several phrasings, retrieved for one by one and fused."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

import prompts
from agents.enhancement.base import Enhancement, because, none, unfit
from agents.fencing import neutralise
from agents.models.errors import ModelCallError
from agents.models.structured import Refused, ask
from store.ports import ChatMessage, ChatModel, ChatRequest


class Phrasings(BaseModel):
    """What the model returns."""

    model_config = ConfigDict(extra="forbid")

    questions: list[str]


class MultiQuery:
    """Search with the question and ``count`` other phrasings of it."""

    def __init__(self, count: int = 3) -> None:
        if not 1 <= count <= 10:
            raise ValueError(f"count must be from 1 to 10, got {count}")
        self.count = count

    async def enhance(self, question: str, chat: ChatModel | None) -> Enhancement:
        """Return the question first and then its phrasings, or the bare question, marked."""
        if (reason := unfit(question, chat)) or chat is None:
            return none(question, "multi_query", reason)
        rendered = prompts.load("multi_query").render(question=neutralise(question), count=str(self.count))
        messages = (ChatMessage("system", rendered.system), ChatMessage("user", rendered.user))
        request = ChatRequest(
            messages=messages,
            role="enhancer",
            max_tokens=80 * self.count + 40,
            prompt_name=rendered.name,
            prompt_sha=rendered.sha256,
        )
        try:
            answer = await ask(chat, request, Phrasings)
        except ModelCallError as error:
            return none(question, "multi_query", because(error))
        if isinstance(answer, Refused):
            return none(question, "multi_query", f"{chat.model} refused: {answer.reason}")
        phrasings = (" ".join(text.split()) for text in answer.value.questions)
        texts = tuple(dict.fromkeys([question, *(text for text in phrasings if text)]))[: self.count + 1]
        if len(texts) == 1:
            return none(question, "multi_query", f"{chat.model} gave no other phrasing")
        return Enhancement(
            texts=texts,
            method="multi_query",
            asked="multi_query",
            prompt=rendered.name,
            prompt_sha=rendered.sha256,
            model=chat.model,
            usage=answer.usage,
        )


__all__ = ["MultiQuery", "Phrasings"]
