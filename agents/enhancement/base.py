"""What an enhancement is, and how it falls back."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Literal, Protocol

import prompts
from agents.fencing import neutralise
from agents.models.errors import MalformedOutput, ModelCallError, TruncatedOutput
from agents.models.structured import refusal_in
from store.ports import ChatMessage, ChatModel, ChatRequest, Usage

logger = logging.getLogger(__name__)

EnhancementMethod = Literal["none", "rewrite", "hyde", "query2doc", "multi_query"]

#: A question longer than this is searched with as it is: no model improves it.
LONGEST_QUESTION = 4000


@dataclass(frozen=True, slots=True)
class Enhancement:
    """What is searched with.

    Attributes
    ----------
    texts
        Never empty. Several texts are retrieved for one by one and fused.
    method
        What was really done: ``none`` after a fallback.
    asked
        What was asked for.
    prompt, prompt_sha
        The prompt version (``hyde.v1``) and its hash; empty for ``none``.
    lexical
        The text for BM25 where it should differ from ``texts[0]``, else empty.
    degraded_reason
        Why it fell back, in one line, or empty.
    """

    texts: tuple[str, ...]
    method: EnhancementMethod
    asked: EnhancementMethod
    prompt: str = ""
    prompt_sha: str = ""
    lexical: str = ""
    degraded_reason: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)


class Enhancer(Protocol):
    """One method of query enhancement."""

    async def enhance(self, question: str, chat: ChatModel | None) -> Enhancement:
        """Return what to search with. Never raises for a model's failure: it falls back, marked."""
        ...


def none(question: str, asked: EnhancementMethod = "none", reason: str = "") -> Enhancement:
    """Return the bare question, marked with the reason when something else was asked for."""
    if reason:
        logger.info("enhancement %s falls back to none: %s", asked, reason)
    return Enhancement((question,), "none", asked, degraded_reason=reason)


def unfit(question: str, chat: ChatModel | None) -> str:
    """Return why a question cannot be enhanced, or an empty string."""
    if chat is None:
        return "no language model is configured for the role enhancer"
    if len(question) > LONGEST_QUESTION:
        return f"the question has more than {LONGEST_QUESTION} characters"
    return ""


async def write(
    chat: ChatModel, stage: str, question: str, max_tokens: int, *, whole: bool = False
) -> tuple[str, Enhancement]:
    """Let the model write one text from a prompt that wants only ``question``.

    Returns the text, white space folded, and an Enhancement that holds it with prompt, model and usage; methods
    replace what they need. A passage may be cut by the token limit and still serve; ``whole`` forbids it.

    Raises
    ------
    ModelCallError
        When the model fails, refuses, writes nothing, or not the whole.
    """
    rendered = prompts.load(stage).render(question=neutralise(question))
    messages = (ChatMessage("system", rendered.system), ChatMessage("user", rendered.user))
    reply = await chat.complete(
        ChatRequest(
            messages=messages,
            role="enhancer",
            max_tokens=max_tokens,
            prompt_name=rendered.name,
            prompt_sha=rendered.sha256,
        )
    )
    if refusal := refusal_in(reply):
        raise MalformedOutput(f"{chat.model}: refused to write ({refusal})")
    if whole and reply.finish_reason == "length":
        raise TruncatedOutput(f"{chat.model}: the text was cut after {max_tokens} tokens")
    text = " ".join(reply.text.split())
    if not text:
        raise MalformedOutput(f"{chat.model}: wrote nothing")
    return text, Enhancement(
        texts=(text,),
        method="none",
        asked="none",
        prompt=rendered.name,
        prompt_sha=rendered.sha256,
        model=chat.model,
        usage=reply.usage,
    )


def because(error: ModelCallError) -> str:
    """Return the reason of a fallback in one line."""
    return error.message


__all__ = [
    "LONGEST_QUESTION",
    "Enhancement",
    "EnhancementMethod",
    "Enhancer",
    "because",
    "none",
    "unfit",
    "write",
]
