"""Answers written by a language model from fenced documents, with citations by id."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

import prompts
from agents.fencing import Fenced, fence, neutralise
from agents.models.errors import ContextTooLong
from agents.models.generation import GeneratedAnswer, GenerationRequest, Passage
from agents.models.structured import refusal_in
from agents.models.usage import estimate_tokens
from store.ports import ChatMessage, ChatModel, ChatReply, ChatRequest

_CITATION: Final = re.compile(r"\[([A-Za-z0-9_-]{1,64}(?:\s*[,;]\s*[A-Za-z0-9_-]{1,64})*)\](?!\()")
_LIKE_AN_ID: Final = re.compile(r"[A-Za-z]{0,2}[0-9]{1,3}")
_MARKDOWN_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)")
#: Estimates of tokens may be short by this much.
_SAFETY: Final = 0.9
_FENCE_TOKENS: Final = 40
_SHORTEST_PASSAGE: Final = 20
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

    def shortened(self, request: GenerationRequest, context_tokens: int) -> GenerationRequest:
        """Return the request with its longest passages cut so that all of them fit the model's context.

        None is left out: which documents an answer stands on is decided by relevance and balance, not by length.
        Sizes are estimated, on the safe side for English.

        Raises
        ------
        ContextTooLong
            When there would be fewer than 20 tokens a passage.
        """
        prompt = self._prompt(request)
        used = estimate_tokens(prompt.system + prompt.user + request.question + request.deviation) + 80
        room = int(_SAFETY * context_tokens) - self._max_tokens - used - _FENCE_TOKENS * len(request.passages)
        sizes = [estimate_tokens(neutralise(passage.text)) for passage in request.passages]
        limit = _level(sizes, room)
        if limit < min(_SHORTEST_PASSAGE, max(sizes, default=0)):
            raise ContextTooLong(
                f"{self.name}: {len(sizes)} documents do not fit its {context_tokens} tokens",
                limit=context_tokens,
            )
        passages = tuple(
            passage if size <= limit else Passage(passage.label, _cut(passage.text, limit / size))
            for passage, size in zip(request.passages, sizes, strict=True)
        )
        return replace(request, passages=passages)

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

        The pieces are shown before they can be checked; the last item is what counts. Documents too long for the
        model are shortened all alike, and the answer says so.

        Raises
        ------
        ModelCallError
            When the model fails.
        ContextTooLong
            When not even shortened documents fit.
        ValueError
            When an opinion answer is asked for without proportions, or labels are repeated.
        """
        limit: int | None = getattr(self._chat, "context_tokens", None)
        fitted = self.shortened(request, limit) if limit is not None else request
        begun = False
        try:
            async with aclosing(self._stream(fitted, cut=fitted != request)) as pieces:
                async for piece in pieces:
                    begun = True
                    yield piece
            return
        except ContextTooLong as error:
            # The server has just said how much it takes, or the estimate was too low.
            known = error.limit or getattr(self._chat, "context_tokens", None)
            if begun or known is None:
                raise
            limit = known if limit is None else int(0.75 * min(known, limit))
        fitted = self.shortened(request, limit)
        async with aclosing(self._stream(fitted, cut=fitted != request)) as pieces:
            async for piece in pieces:
                yield piece

    async def _stream(
        self, request: GenerationRequest, *, cut: bool
    ) -> AsyncGenerator[str | GeneratedAnswer]:
        fenced = fence([(passage.label, passage.text) for passage in request.passages])
        chat_request = self._request(request, fenced)
        pieces = self._chat.stream(chat_request)
        try:
            async for piece in pieces:
                if isinstance(piece, ChatReply):
                    yield replace(self._answer(piece, fenced, chat_request), shortened=cut)
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

    A bracket counts as a citation when every part of it looks like an id: as one of those given, or letters at most
    two and then digits. ``[d3]``, ``[D3]`` and ``[3]`` are one when only one of them was given; the text then gets
    the id as it was given. Other brackets stay.
    """
    known = {name: name for name in ids}
    by_shape: dict[str, str] = {}
    for name in known:
        by_shape.setdefault(_bare(name), name)
    cited: dict[str, None] = {}
    invented: dict[str, None] = {}

    def keep(match: re.Match[str]) -> str:
        names = re.split(r"\s*[,;]\s*", match[1])
        found = [known.get(name) or by_shape.get(_bare(name)) for name in names]
        if not all(name or _LIKE_AN_ID.fullmatch(part) for name, part in zip(found, names, strict=True)):
            return match[0]
        kept = list(dict.fromkeys(name for name in found if name))
        cited.update(dict.fromkeys(kept))
        invented.update(dict.fromkeys(part for name, part in zip(found, names, strict=True) if not name))
        return f"[{', '.join(kept)}]" if kept else ""

    cleaned = _CITATION.sub(keep, text)
    if invented:
        cleaned = re.sub(r"[ \t]+(?=[.,;:!?])|(?<=[ \t])[ \t]+", "", cleaned)
    return cleaned, tuple(cited), tuple(invented)


def _bare(name: str) -> str:
    folded = name.casefold()
    return folded.lstrip("abcdefghijklmnopqrstuvwxyz") or folded


def _level(sizes: Sequence[int], room: int) -> int:
    """Return the largest limit so that sizes cut to it add up to at most ``room``."""
    left = sorted(sizes)
    while left:
        share = room // len(left)
        if left[0] > share:
            return max(share, 0)
        room -= left.pop(0)
    return max(sizes, default=0)


def _cut(text: str, share: float) -> str:
    """Return the first ``share`` of a text, to the last word, with a mark."""
    kept = text[: max(1, int(len(text) * share) - 2)]
    return f"{kept.rsplit(None, 1)[0] if ' ' in kept else kept} …"


__all__ = ["LLMGenerator", "check_citations", "defuse"]
