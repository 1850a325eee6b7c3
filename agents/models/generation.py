"""What a generator is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from store.ports import Usage

AnswerKind = Literal["factual", "opinion"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A document in the order in which the model shall see it.

    ``label`` is how the model cites it, unique in the answer: letters and digits (``D1``).
    """

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Proportions:
    """The population's view of one subject, counted in SQL and given to the model, not left to it.

    Attributes
    ----------
    subject
        What the views are on.
    shares
        Side to share in [0, 1], in the order to report them, as in ``{"positive": .62, "negative": .38}``.
    n
        Documents counted.
    """

    subject: str
    shares: Mapping[str, float]
    n: int

    def text(self) -> str:
        """Return one line a side, in whole per cent that add up to 100."""
        percents = whole_percents(self.shares)
        lines = [f"- {side}: {percent} %" for side, percent in percents.items()]
        return "\n".join([*lines, f"- counted: {self.n} documents"])


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One question with everything that its answer may rest on.

    ``deviation`` names what was wrong with the last answer, when this is the one revision.
    """

    question: str
    kind: AnswerKind
    passages: tuple[Passage, ...]
    proportions: Proportions | None = None
    deviation: str = ""


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """The model's answer.

    Attributes
    ----------
    text
        As the model wrote it, links defused and citations of ids that it was not given taken out.
    cited
        Labels cited, in order of first use; each is one of those given.
    invented
        Labels cited that were not given: already out of ``text``, kept for the receipt.
    truncated
        The token limit cut the answer; it must be marked.
    shortened
        Documents were shortened to fit the model's context; it must be marked.
    """

    text: str
    cited: tuple[str, ...]
    invented: tuple[str, ...] = ()
    truncated: bool = False
    shortened: bool = False
    refusal: str = ""
    model: str = ""
    prompt: str = ""
    prompt_sha: str = ""
    usage: Usage = field(default_factory=Usage)


def whole_percents(shares: Mapping[str, float]) -> dict[str, int]:
    """Round each share to whole per cent by itself, halves up: equal counts read alike, here and in every table.

    The sum may be 99 or 101.

    Raises
    ------
    ValueError
        When a share is negative or not finite.
    """
    if any(not 0 <= share < float("inf") for share in shares.values()):
        raise ValueError(f"shares must be finite and not negative, got {dict(shares)}")
    return {side: int(100 * share + 0.5 + 1e-9) for side, share in shares.items()}


__all__ = ["AnswerKind", "GeneratedAnswer", "GenerationRequest", "Passage", "Proportions", "whole_percents"]
