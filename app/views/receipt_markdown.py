"""The audit receipt as Markdown (GFM tables): for pull requests, wikis and notebooks; hostile text stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from app.views.bars import document_words, gap_words, legend, opinion_bars
from app.views.formats import (
    BIN_NAMES,
    cost,
    count,
    estimate,
    number,
    percent,
    plural,
    points,
    rounded_points,
    seconds,
    short_hash,
)
from app.views.safe import markdown_line, visible
from app.views.words import (
    bar_sets,
    frontier_words,
    gap_state,
    group_words,
    pool_words,
    position_words,
    quote_words,
    receipt_line,
    set_name,
    w1_words,
    warnings,
)
from store.receipt import AuditReceipt

_FIELD: Final = 600
_PROSE: Final = 20_000
_LIST_MARK: Final = re.compile(r"[-*•] |\d{1,3}[.)] ")
_BARS_WIDTH: Final = 76


def receipt_markdown(receipt: AuditReceipt) -> str:
    """Return the whole receipt as Markdown, degradations first."""
    out: list[str] = []
    for part in _PARTS:
        out += part(receipt)
    return "\n".join(out).rstrip() + "\n"


def _text(text: str) -> str:
    return markdown_line(text, limit=_FIELD)


def _items(texts: Iterable[str]) -> list[str]:
    listed = [f"- {_text(text)}" for text in texts]
    return ["", *listed] if listed else []


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> list[str]:
    """Return a GFM table, every cell escaped; ``align`` has ``l`` or ``r`` a column."""
    rules = ["---:" if side == "r" else "---" for side in align]
    lines = [[_text(cell) for cell in row] for row in [headers, *rows]]
    return ["", *(f"| {' | '.join(row)} |" for row in [lines[0], rules, *lines[1:]])]


def code_block(text: str, language: str = "") -> list[str]:
    """Return a fenced block whose fence is longer than any run of backticks inside."""
    shown = visible(text[:_PROSE])
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return ["", f"{fence}{language}", *shown.split("\n"), fence]


def _head(receipt: AuditReceipt) -> list[str]:
    out = [f"# Audit receipt {_text(receipt.answer_id)}", "", _text(receipt_line(receipt))]
    found = warnings(receipt)
    if found:
        out += ["", "## Warnings", *_items(found)]
    route = receipt.route
    side = f", {route.side} side only" if route.side else ""
    how = "set by the user" if route.overridden else f"confidence {number(route.confidence, 2)}"
    facts = [
        ("Question", receipt.question),
        ("Read as", receipt.standalone_question if receipt.standalone_question != receipt.question else ""),
        ("Asked", receipt.asked_at),
        ("Corpus", f"{receipt.corpus}, {plural(receipt.corpus_documents, 'document')}"),
        ("Route", f"{route.kind}{side} ({how}): {route.reason}"),
    ]
    facts += [
        (
            "Entity",
            f"{each.name}, {plural(each.documents, 'document')} ({number(each.confidence, 2)}; {each.reason})",
        )
        for each in receipt.entities
    ]
    facts += [
        ("Filter", f"{each.name} = {each.value}, from “{each.phrase}”, {plural(each.documents, 'document')}")
        for each in receipt.filters
    ]
    facts += [("Basis", pool_words(receipt))]
    return [
        *out,
        "",
        "## Question",
        "",
        *(f"- **{label}:** {_text(value)}" for label, value in facts if value),
    ]


def _answer(receipt: AuditReceipt) -> list[str]:
    out = ["", "## Answer", ""]
    answer = receipt.answer.strip() or "(no answer)"
    for text in visible(answer[:_PROSE]).split("\n"):
        mark = _LIST_MARK.match(text)
        lead = ("- " if mark and not mark.group()[0].isdigit() else mark.group()) if mark else ""
        out.append(f"> {lead}{markdown_line(text[mark.end() :] if mark else text)}".rstrip())
    if len(answer) > _PROSE:
        out += [">", f"> (cut here; the answer has {plural(len(answer), 'character')})"]
    return out


def _opinion(receipt: AuditReceipt) -> list[str]:
    opinion = receipt.opinion
    if opinion is None:
        return []
    sets = bar_sets(opinion)
    goal = opinion.target_shares
    picture = [*opinion_bars(sets, goal, _BARS_WIDTH), "", *legend(sets, _BARS_WIDTH)]
    out = ["", "## Opinions", "", _text(w1_words(opinion)), *code_block("\n".join(picture), "text")]
    words = [gap_words(each, goal) for each in sets if each.key in ("retrieved", "cited", "plain")]
    out += _items([*words, *([document_words(opinion.retrieved.n)] if opinion.retrieved.n else [])])
    rows = [
        (BIN_NAMES[index], *(f"{percent(each.shares[index])}" for each in sets))
        for index in range(len(BIN_NAMES))
    ]
    out += markdown_table(("opinion", *(each.style.name for each in sets)), rows, "l" + "r" * len(sets))
    figures = []
    for key in ("population", "candidates", "retrieved", "cited", "plain"):
        distribution, summary = getattr(opinion, key), opinion.summaries.get(key)
        if distribution.n:
            spread = (number(summary.sigma), number(summary.impact_sigma)) if summary else ("-", "-")
            match = (
                (percent(summary.entity_match), ", ".join(summary.markers) or "none")
                if summary
                else ("-", "-")
            )
            evidence = (", ".join(summary.evidence) or "none") if summary else "-"
            w1 = estimate(opinion.w1[key]) if key in opinion.w1 else "-"
            figures.append((set_name(key), count(distribution.n), w1, *spread, *match, evidence))
    head = ("set", "n", "W1 [95%]", "sigma", "impact sigma", "entity match", "markers", "evidence")
    out += markdown_table(head, figures, "lrrrrrll")
    notes = [f"target: {opinion.target}", f"labels: {opinion.labels}" + _after("; ", opinion.label_quality)]
    notes += [f"population: {opinion.population.source}"] if opinion.population.source else []
    if opinion.corrected_shares:
        told = ", ".join(
            f"{name} {percent(e.value)}" for name, e in zip(BIN_NAMES, opinion.corrected_shares, strict=False)
        )
        notes.append(f"corrected for label errors: {told}")
    return out + _items(notes)


def _after(lead: str, text: str) -> str:
    return lead + text if text else ""


def _groups(receipt: AuditReceipt) -> list[str]:
    out: list[str] = []
    for group in receipt.groups:
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
        head = (group.attribute, "population", "share", "retrieved", "share", "gap (points)", "")
        out += [*_items(group_words(group)), *markdown_table(head, rows, "lrrrrrl")]
    return ["", "## Author groups", *out] if out else []


def _counts(receipt: AuditReceipt) -> list[str]:
    out: list[str] = []
    for each in receipt.counts:
        interval = (
            "" if each.low is None or each.high is None else f" [{percent(each.low)}, {percent(each.high)}]"
        )
        told = f"{each.label}: {count(each.value)} of {count(each.total)} = {percent(each.share)}{interval}"
        out += ["", _text(told), *code_block(each.sql, "sql")]
        out += _items(f"{key} = {value}" for key, value in each.parameters.items())
    return ["", "## Counts from SQL", *out] if out else []


def _selection(receipt: AuditReceipt) -> list[str]:
    chosen = receipt.selection
    if chosen is None:
        return []
    notes = [f"{chosen.method}: {chosen.k} of {count(chosen.pool)} ({chosen.pool_source})"]
    settings = [
        f"{name} {number(value, 2)}"
        for name, value in (("lambda", chosen.lam), ("beta", chosen.beta))
        if value is not None
    ]
    settings += [f"seed {chosen.seed}"] if chosen.seed is not None else []
    settings += (
        [f"relevance kept {100 * chosen.relevance_kept:.1f}%"] if chosen.relevance_kept is not None else []
    )
    out = ["", "## Selection", *_items([*notes, *([", ".join(settings)] if settings else []), *chosen.notes])]
    if receipt.frontier:
        rows = [
            (
                "chosen" if point.chosen else "",
                number(point.lam, 2),
                f"{100 * point.relevance_kept:.1f}%",
                number(point.w1, 2),
                f"{abs(rounded_points(point.largest_gap))} pts",
            )
            for point in receipt.frontier
        ]
        out += ["", _text(frontier_words(receipt))]
        out += markdown_table(("", "lambda", "relevance kept", "W1", "largest author gap"), rows, "lrrrr")
    return out


def _ranks(receipt: AuditReceipt) -> list[str]:
    if receipt.position is None and not receipt.ranking:
        return []
    out = ["", "## Order"]
    out += _items([position_words(receipt.position)] if receipt.position is not None else [])
    if not receipt.ranking:
        return out
    names = [group.attribute for group in receipt.groups]
    rows = [
        (
            str(each.rank),
            "yes" if each.cited else "",
            each.title or each.external_id,
            number(each.relevance, 3),
            "-" if each.score is None else f"{each.score:+d}" if each.score else "0",
            *(each.groups.get(name, "unknown") for name in names),
            number(each.position_weight, 3),
        )
        for each in receipt.ranking
    ]
    head = ("rank", "cited", "document", "relevance", "score", *names, "position weight")
    return out + markdown_table(head, rows, "rllrr" + "l" * len(names) + "r")


def _quotes(receipt: AuditReceipt) -> list[str]:
    check = receipt.verification
    if not (receipt.citations or check.quotes or check.findings):
        return []
    rows = [
        (
            str(each.number),
            str(each.document_id),
            f"“{each.quote}”" if each.quote else "",
            f"{each.start}-{each.end}" if each.start is not None and each.end is not None else "",
            "" if not each.quote else "found" if each.verified else "NOT FOUND",
        )
        for each in receipt.citations
    ]
    words = [quote_words(receipt)]
    if check.amplification is not None:
        words.append(
            f"amplification of the retrieved opinions by the answer: {number(check.amplification, 2)}"
        )
    out = ["", "## Citations", *_items(words)]
    return (
        out + markdown_table(("citation", "document", "quote", "characters", "check"), rows, "rrlll")
        if rows
        else out
    )


def _process(receipt: AuditReceipt) -> list[str]:
    enhancement = receipt.enhancement
    notes = [f"enhancement: {enhancement.method}" + _after(", ", enhancement.prompt)]
    notes += [f"searched with: {text}" for text in enhancement.texts]
    for model in receipt.models:
        prompt = (
            f", prompt {model.prompt} {model.prompt_version} {short_hash(model.prompt_sha)}"
            if model.prompt
            else ""
        )
        notes.append(f"{model.role}: {model.name}{prompt}")
    rows = [
        (
            each.name,
            seconds(each.seconds),
            count(each.prompt_tokens),
            count(each.completion_tokens),
            cost(each.cost),
        )
        for each in receipt.stages
    ]
    rows.append(
        (
            "total",
            seconds(receipt.seconds),
            count(sum(each.prompt_tokens for each in receipt.stages)),
            count(sum(each.completion_tokens for each in receipt.stages)),
            cost(sum(each.cost for each in receipt.stages)),
        )
    )
    out = ["", "## How it was made", *_items(notes)]
    return out + markdown_table(("stage", "time", "tokens in", "tokens out", "cost"), rows, "lrrrr")


_PARTS: Final[tuple[Callable[[AuditReceipt], list[str]], ...]] = (
    _head,
    _answer,
    _opinion,
    _groups,
    _counts,
    _selection,
    _ranks,
    _quotes,
    _process,
)

__all__ = ["code_block", "markdown_table", "receipt_markdown"]
