from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import prompts
from agents.models.chooser import EMBEDDED, ExtractiveChooser, LLMChooser, identity
from store.ports import ChatReply, ChatRequest, Usage
from tests.fakes.chat import FakeChatModel


def embed(texts: Sequence[str]) -> np.ndarray:
    angle = {"good": 0.0, "bad": np.pi / 2}
    return np.array(
        [[np.cos(angle[t.split()[0]]), np.sin(angle[t.split()[0]])] for t in texts], dtype=np.float32
    )


@pytest.mark.parametrize(
    ("documents", "letter"),
    [
        (["good", "bad"], "A"),
        (["bad", "good"], "B"),
        (["bad", "good", "good"], "A"),
        (["good", "bad", "bad", "good"], None),
        ([], None),
    ],
)
async def test_the_nearer_option_wins_and_earlier_ranks_count_more(
    documents: list[str], letter: str | None
) -> None:
    chooser = ExtractiveChooser(embed, "fake")
    choice = await chooser.choose(documents, "How is it?", "good", "bad")
    assert choice.letter == letter
    swapped = await chooser.choose(documents, "How is it?", "bad", "good")
    assert swapped.letter == {"A": "B", "B": "A", None: None}[letter]


def test_the_embedded_chooser_is_named_and_bound_to_its_embedder() -> None:
    chooser = ExtractiveChooser(embed, "one")
    assert (chooser.name, chooser.prompt_sha) == identity(None, "one")
    assert chooser.name == EMBEDDED
    assert identity(None, "two")[1] != chooser.prompt_sha
    assert len(chooser.prompt_sha) == 64


class Seeing(FakeChatModel):
    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        return ChatReply("B", "stop", "fake", Usage(calls=1))


async def test_a_model_is_named_by_model_and_prompt() -> None:
    chat = Seeing()
    cold, warm = LLMChooser(chat), LLMChooser(chat, temperature=0.7)
    assert (cold.name, cold.prompt_sha) == identity(chat, "any")
    assert cold.prompt_sha == prompts.load("choose_option").sha256
    assert (await cold.choose(["x"], "Which?", "one", "two", run=3)).letter == "B"
    await warm.choose(["x"], "Which?", "one", "two", run=3)
    assert [(r.temperature, r.seed) for r in chat.requests] == [(0.0, None), (0.7, 3)]
