"""A multiple-choice answer (FARO section 6.1): what the calibration of position weights asks of a model."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import prompts
from agents.fencing import fence, neutralise
from store.ports import ChatMessage, ChatModel, ChatReply, ChatRequest, Usage

PROMPT: Final = "choose_option"
_LETTER: Final = re.compile(r"^\W*(?:(?:answer|choice|option)\b\W*){0,2}([AB])(?![\w'’])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the model chose.

    Attributes
    ----------
    letter
        None for a refusal or an answer that is no letter: it counts for neither option.
    probability_a
        Of A against B at the first letter, in [0, 1], where the server gives log probabilities, else None. It needs
        far fewer runs than letters for the same standard error.
    text
        What the model wrote.
    """

    letter: Literal["A", "B"] | None
    probability_a: float | None
    text: str
    prompt_sha: str
    usage: Usage = field(default_factory=Usage)


async def choose(
    chat: ChatModel,
    question: str,
    option_a: str,
    option_b: str,
    documents: Sequence[str],
    *,
    temperature: float = 0.0,
    seed: int | None = None,
) -> Choice:
    """Let the model choose between two options on the documents, in their order.

    Which group is option A must be balanced by the caller, or the letter's own bias is measured instead.

    Raises
    ------
    ModelCallError
        When the model fails; a refusal is a Choice without a letter.
    """
    fenced = fence([(f"D{rank}", text) for rank, text in enumerate(documents, 1)])
    rendered = prompts.load(PROMPT).render(
        documents=fenced.text or "(none)",
        question=neutralise(question),
        option_a=neutralise(option_a),
        option_b=neutralise(option_b),
    )
    reply = await chat.complete(
        ChatRequest(
            messages=(ChatMessage("system", rendered.system), ChatMessage("user", rendered.user)),
            role="generator",
            max_tokens=8,
            temperature=temperature,
            seed=seed,
            logprobs=True,
            prompt_name=rendered.name,
            prompt_sha=rendered.sha256,
        )
    )
    return Choice(read_letter(reply), probability(reply.logprobs), reply.text, rendered.sha256, reply.usage)


def read_letter(reply: ChatReply) -> Literal["A", "B"] | None:
    """Return the letter that an answer begins with: ``A``, ``(b)``, ``Answer: B.``, but not ``A good hotel``."""
    if reply.refusal or (match := _LETTER.match(reply.text)) is None:
        return None
    rest = reply.text[match.end() :].lstrip()
    # "A" also begins sentences; after a letter that is an answer comes punctuation, a new line or nothing.
    if rest and rest[0].isalnum() and "\n" not in reply.text[match.end() : len(reply.text) - len(rest)]:
        return None
    return "A" if match[1].upper() == "A" else "B"


def probability(logprobs: Sequence[Mapping[str, float]]) -> float | None:
    """Return P(A) / (P(A) + P(B)) at the first token where either is among the likeliest, or None."""
    for row in logprobs:
        mass = {"A": 0.0, "B": 0.0}
        for token, value in row.items():
            letter = token.strip(" ()[]*.:\n\t").upper()
            if letter in mass:
                mass[letter] += math.exp(value)
        total = mass["A"] + mass["B"]
        if total > 0:
            return mass["A"] / total
    return None


__all__ = ["PROMPT", "Choice", "choose", "probability", "read_letter"]
