"""What an answer's sentences say, as opinion bins: claims classified by a language model, for verification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

import prompts
from agents.fencing import fence, neutralise
from agents.models.errors import ModelCallError
from agents.models.structured import ask_batch
from store.ports import ChatMessage, ChatModel, ChatRequest
from store.records import Intensity, Sentiment, score_of


class ClaimAnswer(BaseModel):
    """One claim, as the model classifies it."""

    model_config = ConfigDict(extra="forbid")

    id: str
    sentiment: Sentiment
    intensity: Intensity


class ClaimsAnswer(BaseModel):
    """The whole answer."""

    model_config = ConfigDict(extra="forbid")

    claims: list[ClaimAnswer]


#: Assumed probability that a model's sign of a claim is right; models do not say it themselves.
CERTAINTY = 0.9


def prompt_of_claims() -> tuple[str, str]:
    """Return name and hash of the prompt."""
    prompt = prompts.load("classify_claims")
    return prompt.name, prompt.sha256


async def classify_claims(
    claims: Sequence[str], subject: str, chat: ChatModel
) -> tuple[list[int | None], ModelCallError | None]:
    """Return each claim's score in {-30, ..., 30}, None where the model gave none, and the first failure, if any."""
    labelled = {f"C{number}": claim for number, claim in enumerate(claims, 1)}

    def build(part: Mapping[str, str]) -> ChatRequest:
        fenced = fence(list(part.items()))
        rendered = prompts.load("classify_claims").render(
            subject=neutralise(subject), claims=fenced.text, ids=", ".join(fenced.ids)
        )
        return ChatRequest(
            messages=(ChatMessage("system", rendered.system), ChatMessage("user", rendered.user)),
            role="verifier",
            max_tokens=50 + 40 * len(part),
            prompt_name=rendered.name,
            prompt_sha=rendered.sha256,
        )

    result = await ask_batch(
        chat,
        labelled,
        build=build,
        model=ClaimsAnswer,
        entries=lambda answer, _: [(claim.id.strip(), _score(claim)) for claim in answer.claims],
    )
    return [result.done.get(label) for label in labelled], next(iter(result.failed.values()), None)


def _score(claim: ClaimAnswer) -> int:
    intensity: Intensity = "low" if claim.intensity == "none" else claim.intensity
    return score_of(claim.sentiment, intensity)


__all__ = ["CERTAINTY", "ClaimAnswer", "ClaimsAnswer", "classify_claims", "prompt_of_claims"]
