"""The panels of an audit as lines: what the terminal app shows beside each other, words beside every picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from app.views.bars import document_words, gap_words, legend, opinion_bars
from app.views.formats import MARK_POINTS, plural
from app.views.layout import wrap
from app.views.receipt_text import part_lines
from app.views.rows import citation_state, overlap_words, rank_key, rank_listing
from app.views.safe import line
from app.views.tables import table
from app.views.tradeoff import (
    bias_words,
    change_table,
    change_words,
    group_bars,
    point_words,
    sentence,
    tradeoff_plot,
)
from app.views.words import (
    bar_sets,
    frontier_words,
    goal_shares,
    group_words,
    position_words,
    w1_words,
    warnings,
)
from store.receipt import AuditReceipt, RankedDocument

if TYPE_CHECKING:
    from agents.reranking import AnswerFrontier

#: Sets that can be drawn against the population, and ``all``.
COMPARED: Final = ("retrieved", "cited", "plain", "all")


def title_line(receipt: AuditReceipt, place: str, width: int, *, ascii: bool = False) -> str:
    """Return which answer this is, with its question and how it was chosen."""
    chosen = receipt.selection
    parts = [f"Audit {place}".strip(), f"“{line(receipt.question, limit=200)}”"]
    if chosen is not None and chosen.k:
        parts.append(f"{chosen.method}, k {chosen.k}")
    parts.append(receipt.route.kind)
    return line((" | " if ascii else " · ").join(parts), ascii=ascii)


def warning_lines(receipt: AuditReceipt, width: int, most: int, *, ascii: bool = False) -> list[str]:
    """Return degradations and warnings, one a line and at most ``most``, the rest counted; they all open panel 1."""
    found = warnings(receipt)
    if len(found) > most:
        found = [*found[: most - 1], f"and {plural(len(found) - most + 1, 'more warning')}: panel 1"]
    return [wrap(line(each, limit=600, ascii=ascii), width - 2, ascii=ascii, lines=1)[0] for each in found]


def opinion_panel(
    receipt: AuditReceipt, compared: str, width: int, *, ascii: bool = False, warned: bool = True
) -> list[str]:
    """Return what weakens the answer, then its opinions: in words, as bars, in figures; or the counts it rests on.

    Parameters
    ----------
    compared
        Set that is drawn against the population, of ``COMPARED``.
    warned
        Whether to begin with the warnings; False where they stand elsewhere on the screen.
    """
    out: list[str] = []
    for warning in warnings(receipt) if warned else ():
        out += wrap(line(warning, limit=600, ascii=ascii), width, first="! ", ascii=ascii)
    out += [""] if out else []
    opinion = receipt.opinion
    if opinion is None:
        counted = part_lines(receipt, "counts", width, ascii=ascii)
        what = "Counted in SQL:" if counted else f"A {receipt.route.kind} question: no opinions are compared."
        return [*out, *sentence(what, width, ascii=ascii), *counted]
    every = bar_sets(opinion)
    goal = goal_shares(opinion)
    drawn = [each for each in every if compared == "all" or each.key in ("population", "target", compared)]
    out += sentence(w1_words(opinion), width, ascii=ascii)
    out += opinion_bars(drawn, goal, width, ascii=ascii)
    out += legend(drawn, width, ascii=ascii)
    for each in every:
        if each.key in ("retrieved", "cited", "plain"):
            out += sentence(gap_words(each, goal), width, ascii=ascii)
    out += sentence(document_words(opinion.retrieved.n), width, ascii=ascii) if opinion.retrieved.n else []
    figures = part_lines(receipt, "opinions", width, ascii=ascii)
    start = next((i for i, text in enumerate(figures) if text.startswith("set ")), len(figures))
    margins = part_lines(receipt, "margins", width, ascii=ascii)
    return [*out, "", *figures[start:], *(["", "Margins of error", *margins] if margins else [])]


def group_panel(receipt: AuditReceipt, width: int, *, ascii: bool = False) -> list[str]:
    """Return each author attribute: gaps in words, population and retrieved as bars, the numbers."""
    if not receipt.groups:
        return sentence(
            "No author attribute is known for enough of these documents to be audited."
            if receipt.opinion
            else f"A {receipt.route.kind} question: author groups are not compared.",
            width,
            ascii=ascii,
        )
    out: list[str] = []
    for group in receipt.groups:
        out += [""] if out else []
        for words in group_words(group):
            out += sentence(words, width, ascii=ascii)
        bars = [(each.value, each.population_share, each.retrieved_share) for each in group.categories]
        out += group_bars(group.attribute, bars, width, ascii=ascii)
    style = ("=", "#") if ascii else ("░", "█")
    return [
        *out,
        f"P {style[0]} population   R {style[1]} retrieved",
        f"! = off by {MARK_POINTS} points or more",
    ]


def tradeoff_panel(
    receipt: AuditReceipt,
    frontier: AnswerFrontier | None,
    cursor: int,
    width: int,
    height: int,
    *,
    ascii: bool = False,
    why: str = "",
) -> list[str]:
    """Return the frontier as a plot, the point looked at in words, and what it would change.

    Parameters
    ----------
    frontier
        None while it is made, or where there is none (``why`` says so).
    height
        Lines there are; the plot takes at most half of them.
    """
    if receipt.opinion is None or not receipt.ranking:
        return sentence(f"A {receipt.route.kind} question: there is nothing to trade.", width, ascii=ascii)
    rows = max(7, min(14, height * 2 // 5))
    if frontier is None:
        listed = sorted(receipt.frontier, key=lambda each: (each.w1, each.relevance_kept))
        chosen = next((i for i, each in enumerate(listed) if each.chosen), 0)
        out = tradeoff_plot(listed, chosen, width, rows, ascii=ascii)
        out += sentence(frontier_words(receipt), width, ascii=ascii) if listed else []
        return [*out, *sentence(why or "ranking again at every point ...", width, ascii=ascii)]
    from app.frontiers import changes

    points = [each.point for each in frontier.points]
    here, made = frontier.points[cursor], frontier.points[frontier.chosen]
    changed = changes(made.ranking, here.ranking)
    out = tradeoff_plot(points, cursor, width, rows, ascii=ascii)
    words = [
        point_words(here.point, cursor, len(points), frontier.attribute),
        change_words(changed, made.point, here.point) if not here.point.chosen else frontier_words(receipt),
        bias_words(here.position, here.polarity),
    ]
    for each in words:
        out += sentence(each, width, ascii=ascii)
    if frontier.stale:
        out += wrap(frontier.stale, width, first="! ", ascii=ascii)
    return [*out, *change_table(here.ranking, changed, width, ascii=ascii)]


def rank_table(receipt: AuditReceipt, width: int, *, ascii: bool = False) -> list[str]:
    """Return the documents rank by rank: head of two lines, then one a document; author columns as room allows."""
    listing = rank_listing(receipt)
    names = [group.attribute for group in receipt.groups]
    balanced = next((group.attribute for group in receipt.groups if group.constrained), "")
    keep = [
        i for i, head in enumerate(listing.headers) if width >= 100 or head not in names or head == balanced
    ]
    rows = [[row[i] for i in keep] for row in listing.rows]
    align = "".join(listing.align[i] for i in keep)
    return table([listing.headers[i] for i in keep], rows, width, align=align, ascii=ascii)


def rank_words(receipt: AuditReceipt, width: int, *, ascii: bool = False) -> list[str]:
    """Return the order in words: predicted bias or why there is none, overlap with the plain top-k, marks."""
    out: list[str] = []
    if receipt.position is not None:
        out += sentence(position_words(receipt.position), width, ascii=ascii)
    for words in (overlap_words(receipt), rank_key(receipt)):
        out += sentence(words, width, ascii=ascii) if words else []
    return out


def source_lines(
    receipt: AuditReceipt, document: RankedDocument, width: int, *, ascii: bool = False
) -> list[str]:
    """Return one document of the ranking: who and what it is, and what the answer quotes of it."""
    facts = [document.title or document.external_id, document.subject, document.date]
    facts += [f"rated {document.rating:g}"] if document.rating is not None else []
    facts += [f"{name} {value}" for name, value in sorted(document.groups.items())]
    facts += [f"id {document.external_id}"] if document.title else []
    told = (", " if ascii else " · ").join(line(each, limit=120) for each in facts if each)
    out = sentence(f"#{document.rank} {told}", width, ascii=ascii)
    quoted = [each for each in receipt.citations if each.document_id == document.document_id]
    for each in quoted:
        state = citation_state(each)
        text = f"“{line(each.quote, limit=600)}” {state}" if each.quote else "cited without a quote"
        out += wrap(line(text, ascii=ascii), width, first=f"[{each.number}] ", ascii=ascii)
    return out if quoted else [*out, "not cited by the answer"]


def quote_spans(receipt: AuditReceipt, document_id: int) -> Sequence[tuple[int, int]]:
    """Return the offsets of the quotes that the answer takes from a document."""
    return tuple(
        (each.start, each.end)
        for each in receipt.citations
        if each.document_id == document_id and each.start is not None and each.end is not None
    )


__all__ = [
    "COMPARED",
    "group_panel",
    "opinion_panel",
    "quote_spans",
    "rank_table",
    "rank_words",
    "source_lines",
    "title_line",
    "tradeoff_panel",
    "warning_lines",
]
