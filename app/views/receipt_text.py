"""The audit receipt as plain text for a terminal or a pipe: any width from 40 up, no colour, ASCII on request."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from app.views.bars import document_words, gap_words, legend, mini, opinion_bars
from app.views.formats import (
    plural,
)
from app.views.layout import pad, wrap
from app.views.rows import (
    SET_KEYS,
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
    stage_listing,
    with_statements,
)
from app.views.safe import line
from app.views.tables import table
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

_LABEL: Final = 11
_FIELD: Final = 600
_PROSE: Final = 20_000
_LIST_MARK: Final = re.compile(r"[-*\u2022] |\d{1,3}[.)] ")


class _Page:
    """Lines of a receipt under way, with the width and alphabet they are set in."""

    def __init__(self, width: int, ascii: bool) -> None:
        self.width = max(40, width)
        self.ascii = ascii
        self.lines: list[str] = []

    def title(self, text: str) -> None:
        """Start a section."""
        rule = ("-" if self.ascii else "─") * (self.width - len(text) - 1)
        self.lines += ["", f"{text} {rule}"]

    def field(self, label: str, text: str, *, limit: int = _FIELD) -> None:
        """Add ``label  text``, wrapped under itself."""
        if text:
            first = pad(line(label, limit=_LABEL, ascii=self.ascii), _LABEL - 1, ascii=self.ascii) + " "
            self.lines += wrap(
                line(text, limit=limit, ascii=self.ascii), self.width, first=first, ascii=self.ascii
            )

    def item(self, text: str, mark: str = "- ") -> None:
        """Add one list item."""
        self.lines += wrap(
            line(text, limit=_FIELD, ascii=self.ascii), self.width, first=mark, ascii=self.ascii
        )

    def prose(self, text: str, indent: str = "") -> None:
        """Add wrapped text with its own line breaks."""
        self.lines += wrap(text[:_PROSE], self.width, first=indent, rest=indent, ascii=self.ascii)

    def facts(self, facts: Facts) -> None:
        """Add labelled values."""
        for label, value in facts:
            self.field(label, value)

    def listing(self, listing: Listing) -> None:
        """Add an aligned table."""
        self.lines += table(listing.headers, listing.rows, self.width, align=listing.align, ascii=self.ascii)


def receipt_text(receipt: AuditReceipt, width: int = 80, ascii: bool = False) -> str:
    """Return the whole receipt as text of at most ``width`` cells a line (at least 40), degradations first.

    Parts that do not apply to the route are left out. ``ascii=True`` returns ASCII only.
    """
    page = _Page(width, ascii)
    for part in _PARTS:
        part(page, receipt)
    return "\n".join(page.lines) + "\n"


def part_lines(receipt: AuditReceipt, part: str, width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return one part of the receipt as lines of at most ``width`` cells, without its title; empty where it has none.

    Parameters
    ----------
    part
        A key of ``PARTS``.
    """
    page = _Page(width, ascii)
    PARTS[part](page, receipt)
    return page.lines[2:]


def _head(page: _Page, receipt: AuditReceipt) -> None:
    page.lines += wrap(
        f"AUDIT RECEIPT {line(receipt.answer_id, limit=80)}  {line(receipt.asked_at, limit=40)}",
        page.width,
        ascii=page.ascii,
    )
    found = warnings(receipt)
    if found:
        page.title("Warnings")
        for each in found:
            page.item(each, "! ")
    page.title("Question")
    page.facts(question_facts(receipt))


def _answer(page: _Page, receipt: AuditReceipt) -> None:
    page.title("Answer")
    answer = receipt.answer.strip() or "(no answer)"
    for text in answer[:_PROSE].split("\n"):
        mark = _LIST_MARK.match(text)
        first = line(mark.group(), ascii=page.ascii) + " " if mark else ""
        page.lines += wrap(text[mark.end() :] if mark else text, page.width, first=first, ascii=page.ascii)
    if len(answer) > _PROSE:
        page.item(f"(cut here; the answer has {plural(len(answer), 'character')})", "")


def _opinion(page: _Page, receipt: AuditReceipt) -> None:
    opinion = receipt.opinion
    if opinion is None:
        return
    page.title("Opinions")
    page.item(w1_words(opinion), "")
    sets = bar_sets(opinion)
    page.lines.append("")
    page.lines += opinion_bars(sets, goal_shares(opinion), page.width, ascii=page.ascii)
    page.lines.append("")
    page.lines += legend(sets, page.width, ascii=page.ascii)
    for each in sets:
        if each.key in ("retrieved", "cited", "plain"):
            page.item(gap_words(each, goal_shares(opinion)))
    if opinion.retrieved.n:
        page.item(document_words(opinion.retrieved.n))
    page.lines.append("")
    figures = figure_listing(opinion)
    drawn = [getattr(opinion, key) for key in SET_KEYS]
    shapes = [mini(each.shares, ascii=page.ascii) for each in drawn if each.n]
    columns = 5 if page.width >= 57 else 3
    shaped = [(*row[:columns], shape) for row, shape in zip(figures.rows, shapes, strict=True)]
    page.listing(Listing((*figures.headers[:columns], "- 0 +"), shaped, "Lrrrr"[:columns] + "l"))
    page.facts(opinion_facts(opinion))
    for row in figures.rows:
        if row[0] in ("retrieved", "cited") and row[6] != "-":
            page.field("voices", f"{row[0]}: markers {row[6]}; evidence {row[7]}")


def _groups(page: _Page, receipt: AuditReceipt) -> None:
    if not receipt.groups:
        return
    page.title("Author groups")
    for index, group in enumerate(receipt.groups):
        if index:
            page.lines.append("")
        for words in group_words(group):
            page.item(words)
        page.listing(group_listing(group))


def _margins(page: _Page, receipt: AuditReceipt) -> None:
    if not receipt.margins:
        return
    page.title("Margins of error")
    page.item(margin_words(receipt), "")
    page.listing(margin_listing(receipt))


def _ranks(page: _Page, receipt: AuditReceipt) -> None:
    if receipt.position is not None or receipt.ranking:
        page.title("Order")
    if receipt.position is not None:
        page.item(position_words(receipt.position))
    if not receipt.ranking:
        return
    if overlap := overlap_words(receipt):
        page.item(overlap)
    page.listing(rank_listing(receipt))
    page.item(rank_key(receipt), "")


def _selection(page: _Page, receipt: AuditReceipt) -> None:
    chosen = receipt.selection
    if chosen is None:
        return
    page.title("Selection")
    page.facts(selection_facts(receipt))
    for note in chosen.notes:
        page.item(note)
    if not receipt.frontier:
        return
    page.lines.append("")
    page.item(frontier_words(receipt))
    page.listing(frontier_listing(receipt.frontier))


def _quotes(page: _Page, receipt: AuditReceipt) -> None:
    check = receipt.verification
    if not (receipt.citations or check.quotes or check.findings):
        return
    page.title("Citations")
    page.item(quote_words(receipt))
    if check.amplification is not None:
        page.item(amplification_words(check.amplification))
    for each in receipt.citations:
        quote = f": “{line(each.quote, limit=_FIELD)}”" if each.quote else ""
        state = "" if each.verified else citation_state(each)
        page.item(f"{citation_place(each, receipt)}{quote} {state}", f"[{each.number}] ")


def _counts(page: _Page, receipt: AuditReceipt) -> None:
    if not receipt.counts:
        return
    page.title("Counts from SQL")
    for each, statement in with_statements(receipt.counts):
        page.item(count_words(each))
        if not statement:
            continue
        page.prose(each.sql, "    ")
        if each.parameters:
            told = ", ".join(f"{key} = {value}" for key, value in each.parameters.items())
            page.prose(line(told, limit=_FIELD), "    ")


def _process(page: _Page, receipt: AuditReceipt) -> None:
    page.title("How it was made")
    page.facts(process_facts(receipt))
    if receipt.stages:
        page.lines.append("")
        page.listing(stage_listing(receipt))


def _foot(page: _Page, receipt: AuditReceipt) -> None:
    page.lines.append("")
    page.lines += wrap(receipt_line(receipt, ascii=page.ascii), page.width, ascii=page.ascii)


_PARTS: Final[tuple[Callable[[_Page, AuditReceipt], None], ...]] = (
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
    _foot,
)

#: Parts that faces show by themselves.
PARTS: Final[dict[str, Callable[[_Page, AuditReceipt], None]]] = {
    "opinions": _opinion,
    "groups": _groups,
    "margins": _margins,
    "counts": _counts,
    "selection": _selection,
    "order": _ranks,
    "citations": _quotes,
    "process": _process,
}

__all__ = ["PARTS", "part_lines", "receipt_line", "receipt_text"]
