"""Who answers the multiple-choice questions of a calibration: the configured model, or the embedded stand-in.

Position weights belong to one chooser and one prompt; :func:`identity` names both, for storing a calibration and for
finding it again when an answer is ordered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

import prompts
from agents.models.choice import PROMPT, Choice, choose
from store.ports import ChatModel, Usage

#: Name of the embedded chooser, as stored with its calibrations and shown in receipts.
EMBEDDED: Final = "nearest option (embedded)"
#: Changes whenever the rule of the embedded chooser does.
_RULE: Final = "nearest option v1: cosine, ranks weigh 1.0 to 0.5"
#: Options whose scores differ by less than this are equally near: no choice.
_TIE: Final = 1e-9

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


class Chooser(Protocol):
    """Chooses between two options on documents in their order."""

    @property
    def name(self) -> str:
        """Name that its calibrations are stored under."""
        ...

    @property
    def prompt_sha(self) -> str:
        """Hash of everything but the model that decides how it is asked."""
        ...

    @property
    def sampling(self) -> str:
        """How its answers are drawn: part of a plan, not of the calibration's key."""
        ...

    async def choose(
        self, documents: Sequence[str], question: str, option_a: str, option_b: str, *, run: int = 0
    ) -> Choice:
        """Return A, B, or a Choice without a letter for a refusal; ``run`` seeds a model that samples."""
        ...


class LLMChooser:
    """A chat model, asked with the paper's multiple-choice prompt (FARO 6.1)."""

    def __init__(self, chat: ChatModel, temperature: float = 0.0) -> None:
        self._chat = chat
        self._temperature = temperature

    @property
    def name(self) -> str:
        """The served model's name."""
        return self._chat.model

    @property
    def prompt_sha(self) -> str:
        """Hash of the prompt."""
        return prompts.load(PROMPT).sha256

    @property
    def sampling(self) -> str:
        """Its temperature."""
        return f"temperature {self._temperature:g}"

    async def choose(
        self, documents: Sequence[str], question: str, option_a: str, option_b: str, *, run: int = 0
    ) -> Choice:
        """Ask the model.

        Raises
        ------
        ModelCallError
            The model failed; a refusal is a Choice without a letter.
        """
        seed = run if self._temperature > 0 else None
        return await choose(
            self._chat, question, option_a, option_b, documents, temperature=self._temperature, seed=seed
        )


class ExtractiveChooser:
    """The embedded stand-in where no model is configured: the option nearest to the context.

    An option's score is the mean cosine of the option with the documents, where the first document weighs 1 and the
    last one 0.5, falling linearly: the embedded writer prefers earlier ranks in the same way when it picks voices.
    It reads no question, has no opinion of its own (Lb is whatever leans in the embedding of the options), and takes
    the first 256 or so tokens of a document. Equal scores are a refusal.

    Parameters
    ----------
    embed
        Texts to unit vectors, shape (n, dimension).
    fingerprint
        Of the embedder: another embedder is another chooser.
    """

    def __init__(self, embed: Embed, fingerprint: str) -> None:
        self._embed = embed
        self._fingerprint = fingerprint
        self._known: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        """Says what it is."""
        return EMBEDDED

    @property
    def prompt_sha(self) -> str:
        """Hash of the rule and the embedder."""
        return _embedded_sha(self._fingerprint)

    @property
    def sampling(self) -> str:
        """It draws nothing."""
        return ""

    async def choose(
        self, documents: Sequence[str], question: str, option_a: str, option_b: str, *, run: int = 0
    ) -> Choice:
        """Return the nearer option; deterministic, so ``run`` changes nothing."""
        vectors = self._vectors([option_a, option_b, *documents])
        letter = None
        probability = 0.5
        if documents:
            weight = np.linspace(1.0, 0.5, len(documents))
            scores = (vectors[2:] @ vectors[:2].T).T @ weight / weight.sum()
            if abs(scores[0] - scores[1]) > _TIE:
                letter = "A" if scores[0] > scores[1] else "B"
                probability = float(letter == "A")
        return Choice(letter, probability, letter or "", self.prompt_sha, Usage(calls=1))  # type: ignore[arg-type]

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def identity(chat: ChatModel | None, fingerprint: str) -> tuple[str, str]:
    """Return model and prompt hash that the calibrations of the configured generator are stored under.

    Parameters
    ----------
    chat
        The generator's chat model; None for the embedded writer, which the embedded chooser stands for.
    fingerprint
        Of the embedder.
    """
    if chat is None:
        return EMBEDDED, _embedded_sha(fingerprint)
    return chat.model, prompts.load(PROMPT).sha256


def _embedded_sha(fingerprint: str) -> str:
    return hashlib.sha256(f"{_RULE}\n{fingerprint}".encode()).hexdigest()


__all__ = ["EMBEDDED", "Chooser", "ExtractiveChooser", "LLMChooser", "identity"]
