"""The audit receipt as Markdown (GFM tables): for pull requests, wikis and notebooks; hostile text stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from app.views.bars import document_words, gap_words, legend, opinion_bars
from app.views.formats import plural
from app.views.rows import (
    Facts,
    Listing,
    citation_place,
    citation_state,
    count_words,
    figure_listing,
    frontier_listing,
    group_listing,
    margin_listing,
    opinion_facts,
    overlap_words,
    process_facts,
    question_facts,
    rank_key,
    rank_listing,
    selection_facts,
    share_listing,
    stage_listing,
    with_statements,
)
from app.views.safe import markdown_line, visible
from app.views.words import (
    amplification_words,
    bar_sets,
    frontier_words,
    goal_shares,
    group_words,
    margin_words,
    position_words,
    quote_words,
    receipt_line,
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


def code_block(text: str, language: str = "") -> list[str]:
    """Return a fenced block whose fence is longer than any run of backticks inside."""
    shown = visible(text[:_PROSE])
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return ["", f"{fence}{language}", *shown.split("\n"), fence]


def markdown_facts(facts: Facts) -> list[str]:
    """Return labelled values as a list."""
    return ["", *(f"- **{_text(label)}:** {_text(value)}" for label, value in facts)]


def markdown_listing(listing: Listing) -> list[str]:
    """Return a GFM table, every cell escaped."""
    rules = ["---:" if side == "r" else "---" for side in listing.align]
    lines = [[_text(cell) for cell in row] for row in (listing.headers, *listing.rows)]
    return ["", *(f"| {' | '.join(row)} |" for row in (lines[0], rules, *lines[1:]))]


def _text(text: str) -> str:
    return markdown_line(text, limit=_FIELD)


def _items(texts: Iterable[str]) -> list[str]:
    listed = [f"- {_text(text)}" for text in texts]
    return ["", *listed] if listed else []


def _head(receipt: AuditReceipt) -> list[str]:
    out = [
        f"# Audit receipt {_text(receipt.answer_id)}",
        "",
        _text(receipt_line(receipt)),
        "",
        _text(receipt.asked_at),
    ]
    found = warnings(receipt)
    out += ["", "## Warnings", *_items(found)] if found else []
    return [*out, "", "## Question", *markdown_facts(question_facts(receipt))]


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
    sets, goal = bar_sets(opinion), goal_shares(opinion)
    picture = [*opinion_bars(sets, goal, _BARS_WIDTH), "", *legend(sets, _BARS_WIDTH)]
    words = [gap_words(each, goal) for each in sets if each.key in ("retrieved", "cited", "plain")]
    words += [document_words(opinion.retrieved.n)] if opinion.retrieved.n else []
    out = [
        "",
        "## Opinions",
        "",
        _text(w1_words(opinion)),
        *code_block("\n".join(picture), "text"),
        *_items(words),
    ]
    out += markdown_listing(share_listing(opinion)) + markdown_listing(figure_listing(opinion))
    return out + markdown_facts(opinion_facts(opinion))


def _groups(receipt: AuditReceipt) -> list[str]:
    out: list[str] = []
    for group in receipt.groups:
        out += [*_items(group_words(group)), *markdown_listing(group_listing(group))]
    return ["", "## Author groups", *out] if out else []


def _margins(receipt: AuditReceipt) -> list[str]:
    if not receipt.margins:
        return []
    table = markdown_listing(margin_listing(receipt))
    return ["", "## Margins of error", "", _text(margin_words(receipt)), *table]


def _counts(receipt: AuditReceipt) -> list[str]:
    out: list[str] = []
    for each, statement in with_statements(receipt.counts):
        out += ["", _text(count_words(each))]
        if statement:
            out += code_block(each.sql, "sql")
            out += _items(f"{key} = {value}" for key, value in each.parameters.items())
    return ["", "## Counts from SQL", *out] if out else []


def _selection(receipt: AuditReceipt) -> list[str]:
    chosen = receipt.selection
    if chosen is None:
        return []
    out = ["", "## Selection", *markdown_facts(selection_facts(receipt)), *_items(chosen.notes)]
    if receipt.frontier:
        out += ["", _text(frontier_words(receipt)), *markdown_listing(frontier_listing(receipt.frontier))]
    return out


def _ranks(receipt: AuditReceipt) -> list[str]:
    if receipt.position is None and not receipt.ranking:
        return []
    words = [position_words(receipt.position)] if receipt.position is not None else []
    words += [overlap_words(receipt)] if receipt.ranking and receipt.plain_ranking else []
    out = ["", "## Order", *_items(words)]
    if receipt.ranking:
        out += [*markdown_listing(rank_listing(receipt, words=True)), "", _text(rank_key(receipt))]
    return out


def _quotes(receipt: AuditReceipt) -> list[str]:
    check = receipt.verification
    if not (receipt.citations or check.quotes or check.findings):
        return []
    words = [quote_words(receipt)]
    if check.amplification is not None:
        words.append(amplification_words(check.amplification))
    rows = [
        (
            str(each.number),
            citation_place(each, receipt),
            f"“{each.quote}”" if each.quote else "",
            citation_state(each),
        )
        for each in receipt.citations
    ]
    out = ["", "## Citations", *_items(words)]
    return out + (
        markdown_listing(Listing(("citation", "place", "quote", "check"), rows, "rlLl")) if rows else []
    )


def _process(receipt: AuditReceipt) -> list[str]:
    out = ["", "## How it was made", *markdown_facts(process_facts(receipt))]
    return out + (markdown_listing(stage_listing(receipt)) if receipt.stages else [])


_PARTS: Final[tuple[Callable[[AuditReceipt], list[str]], ...]] = (
    _head,
    _answer,
    _opinion,
    _groups,
    _margins,
    _counts,
    _selection,
    _ranks,
    _quotes,
    _process,
)

__all__ = ["code_block", "markdown_facts", "markdown_listing", "receipt_markdown"]
