"""The receipt's tables and facts as plain strings, shared by text, Markdown and HTML.

Strings may hold text from the corpus as it is stored; every face makes it safe in its own way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.views.formats import (
    BIN_NAMES,
    bin_name,
    cost,
    count,
    estimate,
    number,
    percent,
    plural,
    point_count,
    points,
    seconds,
    short_hash,
)
from app.views.words import bar_sets, gap_state, pool_words, relevance_kept, set_name
from store.receipt import (
    AuditReceipt,
    CitationAudit,
    CountAudit,
    Estimate,
    FrontierPoint,
    GroupAudit,
    OpinionAudit,
    RankedDocument,
)

Facts = list[tuple[str, str]]

#: The sets of documents that a receipt counts, in reading order.
SET_KEYS: Final = ("population", "candidates", "retrieved", "cited", "plain")


@dataclass(frozen=True, slots=True)
class Listing:
    """A table: headers, rows of strings, and one letter a column (``l``, ``r``, ``L`` for long text)."""

    headers: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    align: str

    def pick(self, columns: int) -> Listing:
        """Return the listing with its first columns only."""
        return Listing(self.headers[:columns], [row[:columns] for row in self.rows], self.align[:columns])


def question_facts(receipt: AuditReceipt) -> Facts:
    """Return how the question was understood and what the answer rests on."""
    route = receipt.route
    side = f", {route.side} side only" if route.side else ""
    how = "set by the user" if route.overridden else f"confidence {number(route.confidence, 2)}"
    same = receipt.standalone_question == receipt.question
    facts = [
        ("asked", receipt.question),
        ("read as", "" if same else receipt.standalone_question),
        ("corpus", f"{receipt.corpus}, {plural(receipt.corpus_documents, 'document')}"),
        ("route", f"{route.kind}{side} ({how}): {route.reason}"),
    ]
    for entity in receipt.entities:
        sure = f"confidence {number(entity.confidence, 2)}; {entity.reason}"
        facts.append(("entity", f"{entity.name}, {plural(entity.documents, 'document')} ({sure})"))
    facts.append(("unmatched", receipt.unmatched))
    for stated in receipt.filters:
        said = f", from “{stated.phrase}”" if stated.phrase.strip() else ""
        facts.append(("filter", f"{stated.words}{said}, {plural(stated.documents, 'document')}"))
    return [*((label, value) for label, value in facts if value), ("basis", pool_words(receipt))]


def share_listing(opinion: OpinionAudit) -> Listing:
    """Return the share of each opinion in each set."""
    rows = [
        (each.style.name, *(percent(share) for share in each.shares), count(each.n) if each.n else "-")
        for each in bar_sets(opinion)
    ]
    return Listing(("set", *BIN_NAMES, "n"), rows, "l" + "r" * 8)


def figure_listing(opinion: OpinionAudit) -> Listing:
    """Return n, W1, spread, entity match, markers and evidence of each set that holds a document."""
    rows = []
    for key in SET_KEYS:
        distribution, summary = getattr(opinion, key), opinion.summaries.get(key)
        if not distribution.n:
            continue
        figures = ["-"] * 5
        if summary is not None:
            figures = [number(summary.sigma), percent(summary.entity_match), number(summary.impact_sigma)]
            for each in (summary.markers, summary.evidence):
                figures.append("-" if each is None else ", ".join(each) or "none")
        w1 = estimate(opinion.w1[key]) if key in opinion.w1 else "-"
        rows.append((set_name(key), count(distribution.n), w1, *figures))
    head = ("set", "n", "W1 [95%]", "sigma", "match", "impact sigma", "markers", "evidence")
    return Listing(head, rows, "lrrrrrLL")


def opinion_facts(opinion: OpinionAudit) -> Facts:
    """Return the target, where the population comes from, who made the labels and how good they are."""
    labels = "; ".join(each for each in (opinion.labels, opinion.label_quality) if each)
    facts = [("target", opinion.target), ("source", opinion.population.source), ("labels", labels)]
    shares = opinion.corrected_shares
    if len(shares) == len(BIN_NAMES):
        sides = ", ".join(
            f"{name} {_share(shares[part])}"
            for name, part in (
                ("positive", slice(4, 7)),
                ("neutral or mixed", slice(3, 4)),
                ("negative", slice(0, 3)),
            )
        )
        bins = ", ".join(f"{name} {_share((share,))}" for name, share in zip(BIN_NAMES, shares, strict=True))
        how = f" ({shares[0].method})" if shares[0].method else ""
        facts += [("corrected", f"shares corrected for label errors: {sides}{how}"), ("by bin", bins)]
    if opinion.w2:
        listed = ", ".join(f"{set_name(name)} {number(value)}" for name, value in opinion.w2.items())
        facts.append(("W2", f"over sentiment-intensity, impact and kind of evidence: {listed}"))
    return [(label, value) for label, value in facts if value]


def _share(parts: Sequence[Estimate]) -> str:
    """Return the sum of shares whose intervals move together, with its interval."""
    value = percent(min(1.0, sum(each.value for each in parts)))
    if any(each.low is None or each.high is None for each in parts):
        return value
    low, high = sum(each.low or 0.0 for each in parts), sum(each.high or 0.0 for each in parts)
    return f"{value} [{percent(low)}, {percent(min(1.0, high))}]"


def group_listing(group: GroupAudit) -> Listing:
    """Return population and retrieved shares of each category, with the gap in points."""
    rows = [
        (
            each.value,
            count(each.population),
            percent(each.population_share),
            count(each.retrieved),
            percent(each.retrieved_share),
            points(each.gap),
            gap_state(each),
        )
        for each in group.categories
    ]
    return Listing((group.attribute, "corpus", "share", "used", "share", "gap", ""), rows, "Lrrrrrl")


def margin_listing(receipt: AuditReceipt) -> Listing:
    """Return what the sample estimates, its 95 % interval, and the same counted over all documents."""
    rows = []
    for each in receipt.margins:
        write = percent if each.value else (lambda mean: number(mean, 2))
        between = "-" if each.low is None or each.high is None else f"{write(each.low)} to {write(each.high)}"
        what = f"{each.attribute}: {each.value}" if each.value else f"mean {each.attribute}"
        rows.append((what, count(each.known), write(each.estimate), between, write(each.counted)))
    return Listing(("share or mean", "n", "sample", "95% interval", "all"), rows, "Lrrrr")


def selection_facts(receipt: AuditReceipt) -> Facts:
    """Return method, pool and settings of the selection, and the relevance that it kept; none without one."""
    chosen = receipt.selection
    if chosen is None:
        return []
    settings = [
        f"{name} {number(value, 2)}"
        for name, value in (("lambda", chosen.lam), ("beta", chosen.beta))
        if value is not None
    ]
    if chosen.distance is not None:
        settings.append(f"lambda weighs {chosen.distance_name}, which is {number(chosen.distance, 2)}")
    settings += [f"seed {chosen.seed}"] if chosen.seed is not None else []
    kept = relevance_kept(receipt)
    if kept is not None:
        of = "the most relevant of the pool" if receipt.frontier else "the plain top-k"
        settings.append(f"relevance kept {100 * kept:.1f}% of {of}")
    facts = [("method", f"{chosen.method}: {chosen.k} of {count(chosen.pool)} ({chosen.pool_source})")]
    facts += [("why", chosen.reason)] if chosen.reason else []
    return facts + ([("settings", ", ".join(settings))] if settings else [])


def frontier_listing(frontier: tuple[FrontierPoint, ...]) -> Listing:
    """Return the frontier's points, the chosen one marked in the last column."""
    rows = [
        (
            number(point.lam, 3),
            f"{100 * point.relevance_kept:.1f}%",
            number(point.w1, 2),
            "-" if point.largest_gap is None else point_count(point.largest_gap),
            "chosen" if point.chosen else "",
        )
        for point in frontier
    ]
    return Listing(("lambda", "relevance", "W1", "author gap", ""), rows, "rrrrl")


def score_text(score: int | None) -> str:
    """Return a sentiment-intensity score with its sign."""
    return "-" if score is None else f"{score:+d}" if score else "0"


def rank_listing(receipt: AuditReceipt, *, words: bool = False) -> Listing:
    """Return the documents rank by rank; columns that hold nothing are left out, ``words`` adds opinions by name."""
    ranking = receipt.ranking
    scored = receipt.opinion is not None
    weighted = any(each.position_weight is not None for each in ranking)
    drawn = any(each.inclusion_probability is not None for each in ranking)
    names = [group.attribute for group in receipt.groups] if scored else []
    columns = [("#", "r"), ("", "l"), ("document", "L"), ("rel.", "r")]
    columns += [("score", "r")] if scored else []
    columns += [("opinion", "l")] if scored and words else []
    columns += [(name, "L") for name in names]
    columns += [("weight", "r")] if weighted else []
    columns += [("prob.", "r")] if drawn else []
    rows = []
    for each in ranking:
        row = [str(each.rank), "c" if each.cited else "", _title(each, words), number(each.relevance, 3)]
        row += [score_text(each.score) + ("" if each.matched else "?")] if scored else []
        row += [bin_name(each.score)] if scored and words else []
        row += [each.groups.get(name, "unknown") for name in names]
        row += [number(each.position_weight, 3)] if weighted else []
        row += [number(each.inclusion_probability, 3)] if drawn else []
        rows.append(tuple(row))
    return Listing(tuple(name for name, _ in columns), rows, "".join(side for _, side in columns))


def _title(document: RankedDocument, whole: bool) -> str:
    title = document.title or document.external_id
    return ", ".join(each for each in (title, document.subject, document.date) if each) if whole else title


def rank_key(receipt: AuditReceipt) -> str:
    """Return what the marks of the rank listing mean."""
    unmatched = receipt.opinion is not None and any(not each.matched for each in receipt.ranking)
    return "c = cited" + ("; ? = not about the entity" if unmatched else "")


def overlap_words(receipt: AuditReceipt) -> str:
    """Return how many of the documents the plain top-k would hold too, empty when it is not known."""
    plain = set(receipt.plain_ranking)
    same = sum(each.document_id in plain for each in receipt.ranking)
    return (
        f"{same} of {plural(len(receipt.ranking), 'document')} would also be in the plain top-k"
        if plain
        else ""
    )


def citation_place(citation: CitationAudit, receipt: AuditReceipt) -> str:
    """Return the document of a citation, by the id that its source gave it, and the place of its quote."""
    names = {each.document_id: each.external_id for each in receipt.ranking}
    known = citation.start is not None and citation.end is not None
    name = names.get(citation.document_id) or f"number {citation.document_id} of the workspace"
    return f"document {name}" + (f" at {citation.start}-{citation.end}" if known else "")


def citation_state(citation: CitationAudit) -> str:
    """Return whether a citation's quote was found; empty for a citation without one."""
    return "" if not citation.quote else "found" if citation.verified else "NOT FOUND"


def count_words(counted: CountAudit) -> str:
    """Return a count with its share and, where labels were reviewed, the share corrected for their errors."""
    known = counted.low is not None and counted.high is not None
    interval = f" [{percent(counted.low or 0.0)}, {percent(counted.high or 0.0)}]" if known else ""
    corrected = f"; corrected for label errors{interval}" if known else ""
    share = percent(counted.share)
    return f"{counted.label}: {count(counted.value)} of {count(counted.total)} = {share}{corrected}"


def with_statements(counts: Sequence[CountAudit]) -> list[tuple[CountAudit, bool]]:
    """Return every count and whether its statement is to be shown: the last of those in a row that share one."""
    return [
        (
            each,
            place == len(counts)
            or (counts[place].sql, counts[place].parameters) != (each.sql, each.parameters),
        )
        for place, each in enumerate(counts, start=1)
    ]


def process_facts(receipt: AuditReceipt) -> Facts:
    """Return the enhancement, the texts searched with, and each model with its prompt, version and hash."""
    enhancement = receipt.enhancement
    facts = [("enhanced", enhancement.method + (f" ({enhancement.prompt})" if enhancement.prompt else ""))]
    facts += [("searched", text) for text in enhancement.texts]
    for model in receipt.models:
        version = f" v{model.prompt_version}" if model.prompt_version else ""
        sha = f" {short_hash(model.prompt_sha)}" if model.prompt_sha else ""
        facts.append(
            (model.role, model.name + (f", prompt {model.prompt}{version}{sha}" if model.prompt else ""))
        )
    return facts


def stage_listing(receipt: AuditReceipt) -> Listing:
    """Return time, and tokens and cost where there were any, a stage, with the total last."""
    rows = [
        _stage(each.name, each.seconds, each.prompt_tokens, each.completion_tokens, each.cost)
        for each in receipt.stages
    ]
    tokens_in = sum(each.prompt_tokens for each in receipt.stages)
    tokens_out = sum(each.completion_tokens for each in receipt.stages)
    spent = sum(each.cost for each in receipt.stages)
    rows.append(_stage("total", receipt.seconds, tokens_in, tokens_out, spent))
    listing = Listing(("stage", "time", "tokens in", "out", "cost"), rows, "Lrrrr")
    return listing if spent else listing.pick(4) if tokens_in or tokens_out else listing.pick(2)


def _stage(name: str, time: float, tokens_in: int, tokens_out: int, spent: float) -> tuple[str, ...]:
    tokens = [count(each) if each else "-" for each in (tokens_in, tokens_out)]
    return (name, seconds(time), *tokens, cost(spent) if spent else "-")


__all__ = [
    "SET_KEYS",
    "Facts",
    "Listing",
    "citation_place",
    "citation_state",
    "count_words",
    "figure_listing",
    "frontier_listing",
    "group_listing",
    "margin_listing",
    "opinion_facts",
    "overlap_words",
    "process_facts",
    "question_facts",
    "rank_key",
    "rank_listing",
    "score_text",
    "selection_facts",
    "share_listing",
    "stage_listing",
    "with_statements",
]
