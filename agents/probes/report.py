"""What a probe found, as records: written by ``run``, stored, drawn by ``app.views.probes``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from agents.probes.features import QueryStatistics
from agents.probes.generation import Condition
from agents.probes.pairs import Bias
from agents.probes.statistics import Change, PairedT, Verdict


@dataclass(frozen=True, slots=True)
class Finding:
    """One bias of one retriever with one kind of query.

    Attributes
    ----------
    test
        Paired t of ``S(q, D1) - S(q, D2)``; above 0 is a preference for the surface feature.
    p
        With Bonferroni's correction.
    rho
        Of scores and feature, over both documents of each pair; None for foil.
    accuracy
        Share of pairs with ``S(q, D2) > S(q, D1)``; only foil's has a right answer.
    plain_t, plain_rho, plain_accuracy
        The plain query on the same pairs; as above for the plain query itself.
    change, verdict
        None for the plain query.
    """

    bias: Bias
    condition: Condition
    test: PairedT
    p: float
    significant: bool
    rho: float | None
    accuracy: float
    plain_t: float
    plain_rho: float | None
    plain_accuracy: float
    change: Change | None = None
    verdict: Verdict | None = None

    @property
    def delta_rho(self) -> float | None:
        """``|rho| plain - |rho| enhanced``: above 0, the scores follow the feature less than before."""
        if self.rho is None or self.plain_rho is None or self.change is None:
            return None
        return abs(self.plain_rho) - abs(self.rho)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The enhancement to use with a retriever (``none`` where none helps), and why."""

    method: str
    reason: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One retriever.

    Attributes
    ----------
    relevance
        By condition: share of other sources' documents that score below the question's own, in [0, 1]; .5 is chance.
    plain_relevance
        The plain query's on the pairs that the condition was measured on.
    """

    name: str
    key: str
    findings: tuple[Finding, ...]
    relevance: Mapping[Condition, float]
    recommendation: Recommendation
    plain_relevance: Mapping[Condition, float] = field(default_factory=dict)

    def finding(self, bias: Bias, condition: Condition) -> Finding | None:
        """Return the finding of a bias with a condition, or None where it was not measured."""
        for each in self.findings:
            if each.bias == bias and each.condition == condition:
                return each
        return None


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """All retrievers on one set of pairs.

    Attributes
    ----------
    source
        Where the pairs come from.
    pairs
        Pairs of each bias, for the plain query.
    reached
        By condition, the pairs of each bias that it was measured on.
    failed
        By condition, the questions for which the model wrote nothing usable; the bare question was searched with.
    model, pretrained
        Who wrote the enhancements, and the continually pretrained model; empty where none did.
    tests
        Tests that Bonferroni's correction counts.
    stopped
        Why not everything was written, or empty.
    notes
        What the reader must know to judge the figures.
    """

    source: str
    seed: int
    pairs: Mapping[Bias, int]
    reached: Mapping[Condition, Mapping[Bias, int]]
    failed: Mapping[Condition, int]
    diagnoses: tuple[Diagnosis, ...]
    queries: Mapping[Condition, QueryStatistics]
    tests: int
    model: str = ""
    pretrained: str = ""
    called: int = 0
    reused: int = 0
    stopped: str = ""
    notes: tuple[str, ...] = field(default=())

    def document(self) -> dict[str, Any]:
        """Return the report as plain data (schema ``probe/1``)."""
        plain = asdict(self)
        plain["diagnoses"] = [diagnosis_document(each) for each in self.diagnoses]
        return plain


def diagnosis_document(found: Diagnosis) -> dict[str, Any]:
    """Return one retriever's diagnosis as plain data; infinite t becomes text."""
    document = asdict(found)
    for row, finding in zip(document["findings"], found.findings, strict=True):
        row["delta_rho"] = finding.delta_rho
        for holder, name in ((row["test"], "t"), (row, "plain_t")):
            if abs(holder[name]) == float("inf"):
                holder[name] = "inf" if holder[name] > 0 else "-inf"
    return document


__all__ = ["Diagnosis", "Finding", "ProbeReport", "Recommendation", "diagnosis_document"]
