"""The audit receipt: the single source for every face, export and test of an answer.

Distributions are counts over the seven bins of ``store.records.BINS``; shares are in [0, 1]; W1 is in score units
(0 to 60); ranks are 1-based; seconds are wall-clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from store.verdicts import Verdict

RouteKind = Literal["factual", "opinion", "both", "counting"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RouteAudit(_Part):
    """How the question was understood."""

    kind: RouteKind
    confidence: float
    reason: str
    side: Literal["positive", "negative"] | None = None
    overridden: bool = False


class FilterAudit(_Part):
    """A restriction that the question stated (author group, period, subject)."""

    name: str
    value: str
    phrase: str
    documents: int

    @property
    def words(self) -> str:
        """The restriction as one says it: ``city = Lisbon``, ``rated 4 or more``, ``dated from 2023-01-01 on``."""
        return filter_words([self])


class EntityAudit(_Part):
    """An entity that the question was linked to."""

    key: str
    name: str
    confidence: float
    reason: str
    documents: int


class EnhancementAudit(_Part):
    """The query enhancement and the text that was searched with."""

    method: str = "none"
    texts: tuple[str, ...] = ()
    prompt: str = ""


class ModelAudit(_Part):
    """A model that took part, and the exact prompt it was given."""

    role: str
    name: str
    prompt: str = ""
    prompt_version: str = ""
    prompt_sha: str = ""


class StageAudit(_Part):
    """Time and cost of one stage of the graph."""

    name: str
    seconds: float
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class Distribution(_Part):
    """Counts over the seven opinion bins, -30 ... +30."""

    counts: tuple[int, ...]
    source: str = ""

    @property
    def n(self) -> int:
        """Number of documents counted."""
        return sum(self.counts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Shares by bin, summing to 1 (all 0 when nothing is counted)."""
        n = self.n
        return tuple(c / n if n else 0.0 for c in self.counts)


class Estimate(_Part):
    """A value with its 95 % interval, where one can be given."""

    value: float
    low: float | None = None
    high: float | None = None
    method: str = ""


class OpinionSummary(_Part):
    """Coverage figures of one set of documents (O-RAG section 4); markers and evidence are None where not read."""

    sigma: float
    impact_sigma: float
    entity_match: float
    markers: tuple[str, ...] | None = None
    evidence: tuple[str, ...] | None = None


class OpinionAudit(_Part):
    """The opinion distribution of everything between the corpus and the answer.

    ``cited`` counts the documents that the answer cites; ``plain`` is the counterfactual relevance-only top-k.
    ``w1`` holds each set's W1 to the target, by name; ``w2``, measured for an audit that asks for it, each set's W2 to
    the population over sentiment-intensity, impact and kind of evidence.
    """

    labels: str
    target: str
    target_shares: tuple[float, ...]
    population: Distribution
    candidates: Distribution
    retrieved: Distribution
    cited: Distribution
    plain: Distribution
    w1: dict[str, Estimate]
    w2: dict[str, float] = Field(default_factory=dict)
    floor: float | None = None
    summaries: dict[str, OpinionSummary] = Field(default_factory=dict)
    corrected_shares: tuple[Estimate, ...] = ()
    label_quality: str = ""


class GroupShare(_Part):
    """One category of an author attribute."""

    value: str
    population: int
    population_share: float
    retrieved: int
    retrieved_share: float

    @property
    def gap(self) -> float:
        """Retrieved share minus population share."""
        return self.retrieved_share - self.population_share


class GroupAudit(_Part):
    """One author attribute: coverage and gaps, unknown values left out of both shares and shown.

    ``shrunk_gap`` is the largest gap where that of a group of few documents counts less, whose own share is uncertain;
    ``rest`` names the category that collects values without a group of their own, and is left out of the coverage.
    """

    attribute: str
    categories: tuple[GroupShare, ...]
    coverage: float
    coverage_matched: float
    largest_gap: float
    plain_largest_gap: float
    unknown_population: float
    unknown_retrieved: float
    constrained: bool = False
    shrunk_gap: float | None = None
    rest: str = ""


class RankedDocument(_Part):
    """One retrieved document at its rank."""

    rank: int
    document_id: int
    external_id: str
    title: str = ""
    subject: str = ""
    date: str = ""
    rating: float | None = None
    relevance: float
    score: int | None = None
    polarity: int = 0
    groups: dict[str, str] = Field(default_factory=dict)
    matched: bool = True
    cited: bool = False
    position_weight: float | None = None
    inclusion_probability: float | None = None


class PositionAudit(_Part):
    """The order: predicted output bias ``Rb`` and its calibration (FARO eq. 4).

    ``weighted_w1`` is W1 to the target of the opinions as the position weights count them. ``verdict`` says whether
    ``predicted`` lies within ``tau`` of ``target``, ``reachable`` what the documents could reach in any order; none of
    the three where no target was aimed at, and in receipts from before there were verdicts.
    """

    calibrated: bool
    note: str
    attribute: str = "polarity"
    model: str = ""
    predicted: float | None = None
    standard_error: float | None = None
    target: float | None = None
    tau: float | None = None
    verdict: Verdict | None = None
    reachable: tuple[float, float] | None = None
    natural: float | None = None
    weighted_w1: float | None = None


class SelectionAudit(_Part):
    """Which documents were chosen, how (``reason``: why this method, where nobody named one), and at what price.

    ``frame`` counts the documents that a probability sample could have drawn; ``distance_name`` is what ``lam`` weighs
    where it is not W1 of the documents, ``distance`` its value.
    """

    method: str
    reason: str = ""
    k: int
    pool: int
    pool_source: str
    lam: float | None = None
    distance_name: str = ""
    distance: float | None = None
    beta: float | None = None
    seed: int | None = None
    frame: int | None = None
    relevance_kept: float | None = None
    notes: tuple[str, ...] = ()


class MarginAudit(_Part):
    """What a probability sample says of all documents that could be drawn, with its 95 % interval.

    ``attribute`` is ``opinion``, ``rating`` or an author attribute, ``value`` the side or group whose share is
    estimated; a rating's mean has no ``value``. ``known`` documents of the sample state it. ``counted`` is the same
    over all documents of the pool, by count. An interval is None where fewer than two documents state it,
    or where those that do are all alike. ``balanced``: the sample was balanced upon it, and stands for all documents,
    not only for those that could be drawn.
    """

    attribute: str
    value: str = ""
    estimate: float
    low: float | None = None
    high: float | None = None
    known: int
    counted: float
    balanced: bool = False


class FrontierPoint(_Part):
    """One point of the relevance-fairness frontier; ``lam`` is None for a choice that no lambda made.

    ``largest_gap`` is that of the balanced attributes, of all audited ones where none is balanced, None without any.
    """

    lam: float | None
    relevance_kept: float
    w1: float
    largest_gap: float | None = None
    chosen: bool = False


class CitationAudit(_Part):
    """One citation of the answer, checked against the stored text."""

    number: int
    document_id: int
    quote: str = ""
    start: int | None = None
    end: int | None = None
    verified: bool = False


class VerificationAudit(_Part):
    """What the answer was checked for, and what was found."""

    quotes: int = 0
    quotes_verified: int = 0
    findings: tuple[str, ...] = ()
    revised: bool = False
    answer_distribution: Distribution | None = None
    amplification: float | None = None


class CountAudit(_Part):
    """A number that came from SQL, with the statement that gave it; ``base`` says what the total is made of."""

    label: str
    base: str = "documents"
    value: int
    total: int
    share: float
    sql: str
    parameters: dict[str, str] = Field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    part: str = ""


class Degradation(_Part):
    """Something that is missing or weaker than it should be in this answer."""

    stage: str
    reason: str


class AuditReceipt(_Part):
    """Everything that is needed to judge whether one answer represents its corpus."""

    schema_name: str = "receipt/1"
    answer_id: str
    question: str
    standalone_question: str
    asked_at: str
    corpus: str
    corpus_documents: int
    answer: str
    route: RouteAudit
    filters: tuple[FilterAudit, ...] = ()
    entities: tuple[EntityAudit, ...] = ()
    unmatched: str = ""
    enhancement: EnhancementAudit = EnhancementAudit()
    models: tuple[ModelAudit, ...] = ()
    stages: tuple[StageAudit, ...] = ()
    selection: SelectionAudit | None = None
    opinion: OpinionAudit | None = None
    groups: tuple[GroupAudit, ...] = ()
    margins: tuple[MarginAudit, ...] = ()
    position: PositionAudit | None = None
    ranking: tuple[RankedDocument, ...] = ()
    plain_ranking: tuple[int, ...] = ()
    frontier: tuple[FrontierPoint, ...] = ()
    unmet: tuple[str, ...] = ()
    citations: tuple[CitationAudit, ...] = ()
    verification: VerificationAudit = VerificationAudit()
    counts: tuple[CountAudit, ...] = ()
    degradations: tuple[Degradation, ...] = ()

    @property
    def seconds(self) -> float:
        """Wall-clock seconds of all stages."""
        return sum(stage.seconds for stage in self.stages)


#: How the ends of a period are written where it is open.
_OPEN = ("", "0001-01-01", "9999-12-31")
_BOUNDS = {">=": "rated {} or more", ">": "rated above {}", "<=": "rated {} or less", "<": "rated below {}"}


def filter_words(filters: Iterable[FilterAudit]) -> str:
    """Return restrictions as one says them, values of one attribute joined by "or"; empty without any."""
    values: dict[str, list[str]] = {}
    for each in filters:
        values.setdefault(each.name, []).append(each.value)
    own = {"rating": _rated, "period": _spanned}
    said = [
        f"{name} = {' or '.join(dict.fromkeys(found))}" for name, found in values.items() if name not in own
    ]
    said += [write(value) for name, write in own.items() for value in values.get(name, ())]
    return ", ".join(each for each in said if each)


def within_words(filters: Sequence[FilterAudit]) -> str:
    """Return what stands behind "documents": " within city = Lisbon, rated 5", " rated 5"; empty without any."""
    said = filter_words(filters)
    plain = all(each.name in ("rating", "period") for each in filters)
    return "" if not said else f" {said}" if plain else f" within {said}"


def _rated(value: str) -> str:
    sign, _, bound = value.rpartition(" ")
    if sign in _BOUNDS:
        return _BOUNDS[sign].format(bound)
    return f"rated {value.replace('..', ' to ')}"


def _spanned(value: str) -> str:
    since, _, until = value.partition("..")
    if since in _OPEN:
        return "" if until in _OPEN else f"dated until {until}"
    if until in _OPEN:
        return f"dated from {since} on"
    return f"dated {since}" if since == until else f"dated {since} to {until}"


__all__ = [
    "AuditReceipt",
    "CitationAudit",
    "CountAudit",
    "Degradation",
    "Distribution",
    "EnhancementAudit",
    "EntityAudit",
    "Estimate",
    "FilterAudit",
    "FrontierPoint",
    "GroupAudit",
    "GroupShare",
    "ModelAudit",
    "OpinionAudit",
    "OpinionSummary",
    "PositionAudit",
    "RankedDocument",
    "RouteAudit",
    "RouteKind",
    "SelectionAudit",
    "StageAudit",
    "VerificationAudit",
    "filter_words",
    "within_words",
]
