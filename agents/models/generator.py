"""Answers written by a language model from fenced documents, with citations by id."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Final

import prompts
from agents.fencing import Fenced, fence, neutralise
from agents.models.errors import ContextTooLong
from agents.models.generation import GeneratedAnswer, GenerationRequest
from agents.models.structured import refusal_in
from agents.models.usage import estimate_tokens
from store.ports import ChatMessage, ChatModel, ChatReply, ChatRequest

_CITATION: Final = re.compile(r"\[([A-Za-z0-9_-]{1,64}(?:\s*[,;]\s*[A-Za-z0-9_-]{1,64})*)\](?!\()")
_MARKDOWN_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)")
_ADDRESS: Final = re.compile(r"(?i)\b(?:https?|ftp|file|javascript|data):(?=\S)\S*")


class LLMGenerator:
    """Writes factual and opinion answers with the model of the role ``generator``.

    Parameters
    ----------
    max_tokens
        Room for the answer.
    temperature
        0 makes answers repeatable as far as the server is.
    """

    def __init__(self, chat: ChatModel, *, max_tokens: int = 700, temperature: float = 0.0) -> None:
        self._chat = chat
        self._max_tokens = max_tokens
        self._temperature = temperature

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.model

    def fitting(self, request: GenerationRequest, context_tokens: int | None) -> int:
        """Return how many of the passages, from the first, fit the model's context. None means all.

        Estimated on the safe side; the caller decides what to leave out, since order and balance are its matter.
        """
        if context_tokens is None:
            return len(request.passages)
        prompt = self._prompt(request)
        used = estimate_tokens(prompt.system + prompt.user + request.question + request.deviation) + 80
        room = context_tokens - self._max_tokens - used
        for count, passage in enumerate(request.passages):
            room -= estimate_tokens(neutralise(passage.text)) + 30
            if room < 0:
                return count
        return len(request.passages)

    async def generate(self, request: GenerationRequest) -> GeneratedAnswer:
        """Return the whole answer. Raises as :meth:`stream`."""
        answer: GeneratedAnswer | None = None
        async with aclosing(self.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, GeneratedAnswer):
                    answer = piece
        assert answer is not None, "the stream ends with the answer"
        return answer

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[str | GeneratedAnswer]:
        """Yield the text as it is written and, last, the checked GeneratedAnswer.

        The pieces are shown before they can be checked; the last item is what counts.

        Raises
        ------
        ModelCallError
            When the model fails.
        ContextTooLong
            When there is no passage at all that fits.
        ValueError
            When an opinion answer is asked for without proportions, or labels are repeated.
        """
        fenced = fence([(passage.label, passage.text) for passage in request.passages])
        chat_request = self._request(request, fenced)
        limit = getattr(self._chat, "context_tokens", None)
        if limit is not None and request.passages and self.fitting(request, limit) == 0:
            raise ContextTooLong(f"{self.name}: not one document fits its {limit} tokens", limit=limit)
        pieces = self._chat.stream(chat_request)
        try:
            async for piece in pieces:
                if isinstance(piece, ChatReply):
                    yield self._answer(piece, fenced, chat_request)
                else:
                    yield piece
        finally:
            # Leaving early must stop the server; the port promises an iterator, ours are generators.
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    def _prompt(self, request: GenerationRequest) -> prompts.Prompt:
        return prompts.load("answer_facts" if request.kind == "factual" else "answer_opinions")

    def _request(self, request: GenerationRequest, fenced: Fenced) -> ChatRequest:
        values = {
            "question": neutralise(request.question),
            "documents": fenced.text or "(no documents)",
            "ids": ", ".join(fenced.ids) or "none",
            "revision": f"\nYour last answer had a fault. Mend it: {request.deviation}\n"
            if request.deviation
            else "",
        }
        if request.kind == "opinion":
            if request.proportions is None:
                raise ValueError("an opinion answer needs proportions")
            values["subject"] = neutralise(request.proportions.subject)
            values["proportions"] = request.proportions.text()
        rendered = self._prompt(request).render(**values)
        return ChatRequest(
            messages=(ChatMessage("system", rendered.system), ChatMessage("user", rendered.user)),
            role="generator",
            max_tokens=self._max_tokens,
            temperature=self._temperature,
            prompt_name=rendered.name,
            prompt_sha=rendered.sha256,
        )

    def _answer(self, reply: ChatReply, fenced: Fenced, request: ChatRequest) -> GeneratedAnswer:
        text, cited, invented = check_citations(defuse(reply.text), fenced.ids)
        return GeneratedAnswer(
            text=text.strip(),
            cited=cited,
            invented=invented,
            truncated=reply.finish_reason == "length",
            refusal=refusal_in(reply),
            model=reply.model,
            prompt=request.prompt_name,
            prompt_sha=request.prompt_sha,
            usage=reply.usage,
        )


def defuse(text: str) -> str:
    """Return an answer without links: Markdown links keep their words, bare addresses are named as removed.

    Documents reach the model with dead addresses; one that stands in an answer is invented or put together again.
    """
    return _ADDRESS.sub("(link removed)", _MARKDOWN_LINK.sub(r"\1", text))


def check_citations(text: str, ids: Iterable[str]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return ``(text, cited, invented)``: citations of unknown ids are taken out of the text.

    A bracket counts as a citation when it looks like one: ids separated by commas, and at least one of them either
    known or of the shape of a known one (letters, then digits). Other brackets stay.
    """
    known = set(ids)
    shapes = {_shape(name) for name in known} | {"D0", "0"}
    cited: dict[str, None] = {}
    invented: dict[str, None] = {}

    def keep(match: re.Match[str]) -> str:
        names: Sequence[str] = re.split(r"\s*[,;]\s*", match[1])
        if not any(name in known or _shape(name) in shapes for name in names):
            return match[0]
        kept = [name for name in names if name in known]
        cited.update(dict.fromkeys(kept))
        invented.update(dict.fromkeys(name for name in names if name not in known))
        return f"[{', '.join(kept)}]" if kept else ""

    cleaned = _CITATION.sub(keep, text)
    if invented:
        cleaned = re.sub(r"[ \t]+(?=[.,;:!?])|(?<=[ \t])[ \t]+", "", cleaned)
    return cleaned, tuple(cited), tuple(invented)


def _shape(name: str) -> str:
    return re.sub(r"[0-9]+", "0", re.sub(r"[a-z]+", lambda match: match[0].upper(), name))


__all__ = ["LLMGenerator", "check_citations", "defuse"]
