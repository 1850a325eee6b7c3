"""What verification reads and finds, as records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agents.verification.quotes import QuoteCheck

FindingKind = Literal[
    "invented citation",
    "altered quote",
    "misattributed quote",
    "wrong share",
    "one-sided",
    "reversed majority",
    "missing minority",
    "distribution",
]
#: A claim's bin in {-30, ..., 30}, or None where it holds no view; how sure a bin alone is says ``voices.READ``.
Classify = Callable[[str], "int | Read | None"]
#: Distance of two distributions over the seven bins.
Distance = Callable[[Sequence[float], Sequence[float]], float]


class Read(NamedTuple):
    """A claim's bin, and the probability that its sign is right."""

    bin: int
    sure: float


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, in a sentence that can be put to the writer."""

    kind: FindingKind
    message: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A clause of the answer that reports a view: its bin, and how many voices it rests on.

    ``sure`` is the probability that the sign of the bin is right.
    """

    text: str
    bin: int
    voices: int
    labels: tuple[str, ...]
    sure: float = 1.0


@dataclass(frozen=True, slots=True)
class Verification:
    """The result.

    Attributes
    ----------
    citations
        Label -> whether it was given, in order of appearance.
    quotes
        Every quote with its verdict.
    claims
        The claims that the distribution rests on.
    distribution
        Shares of the seven bins among the claims' voices; None without claims or population.
    distance
        Distance of that distribution to the population (W1, in points), or None.
    amplification
        ``distance`` minus the distance of the retrieved documents, or None. Above 0 the writing skewed the answer.
    findings
        What is wrong, gravest first; empty where nothing is.
    """

    citations: Mapping[str, bool]
    quotes: tuple[QuoteCheck, ...]
    claims: tuple[Claim, ...]
    distribution: tuple[float, ...] | None
    distance: float | None
    amplification: float | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def deviation(self) -> str:
        """The findings in one line, for the one revision; "" where there are none."""
        return "; ".join(finding.message for finding in self.findings)


__all__ = ["Claim", "Classify", "Distance", "Finding", "FindingKind", "Read", "Verification"]
