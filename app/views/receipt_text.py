"""The audit receipt as plain text for a terminal or a pipe: any width from 40 up, no colour, ASCII on request."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from app.views.bars import document_words, gap_words, legend, mini, opinion_bars
from app.views.formats import (
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
from app.views.layout import pad, wrap
from app.views.safe import line
from app.views.tables import table
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

    def table(self, headers: tuple[str, ...], rows: list[tuple[str, ...]], align: str) -> None:
        """Add an aligned table."""
        self.lines += table(headers, rows, self.width, align=align, ascii=self.ascii)


def receipt_text(receipt: AuditReceipt, width: int = 80, ascii: bool = False) -> str:
    """Return the whole receipt as text of at most ``width`` cells a line (at least 40), degradations first.

    Parts that do not apply to the route are left out. ``ascii=True`` returns ASCII only.
    """
    page = _Page(width, ascii)
    for part in _PARTS:
        part(page, receipt)
    return "\n".join(page.lines) + "\n"


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
    page.field("asked", receipt.question)
    if receipt.standalone_question != receipt.question:
        page.field("read as", receipt.standalone_question)
    page.field("corpus", f"{receipt.corpus}, {plural(receipt.corpus_documents, 'document')}")
    route = receipt.route
    side = f", {route.side} side only" if route.side else ""
    how = "set by the user" if route.overridden else f"confidence {number(route.confidence, 2)}"
    page.field("route", f"{route.kind}{side} ({how}): {route.reason}")
    for entity in receipt.entities:
        text = (
            f"{entity.name}, {plural(entity.documents, 'document')}"
            f" (confidence {number(entity.confidence, 2)}; {entity.reason})"
        )
        page.field("entity", text)
    page.field("unmatched", receipt.unmatched)
    for stated in receipt.filters:
        documents = plural(stated.documents, "document")
        page.field("filter", f"{stated.name} = {stated.value}, from “{stated.phrase}”, {documents}")
    page.field("basis", pool_words(receipt))


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
    page.lines += opinion_bars(sets, opinion.target_shares, page.width, ascii=page.ascii)
    page.lines.append("")
    page.lines += legend(sets, page.width, ascii=page.ascii)
    for each in sets:
        if each.key in ("retrieved", "cited", "plain"):
            page.item(gap_words(each, opinion.target_shares))
    if opinion.retrieved.n:
        page.item(document_words(opinion.retrieved.n))
    page.lines.append("")
    columns = 7 if page.width >= 66 else 6 if page.width >= 57 else 4
    rows: list[tuple[str, ...]] = []
    for key in ("population", "candidates", "retrieved", "cited", "plain"):
        distribution = getattr(opinion, key)
        summary = opinion.summaries.get(key)
        if not distribution.n:
            continue
        shape = mini(distribution.shares, ascii=page.ascii)
        w1 = estimate(opinion.w1[key]) if key in opinion.w1 else "-"
        row = [set_name(key), count(distribution.n), shape, w1]
        if summary is None:
            row += ["-", "-", "-"]
        else:
            row += [number(summary.sigma), percent(summary.entity_match), str(len(summary.markers))]
        rows.append(tuple(row[:columns]))
    page.table(
        ("set", "n", "- 0 +", "W1 [95%]", "sigma", "match", "markers")[:columns], rows, "Lrlrrrr"[:columns]
    )
    page.field("target", opinion.target)
    page.field("source", opinion.population.source)
    page.field("labels", f"{opinion.labels}{'; ' + opinion.label_quality if opinion.label_quality else ''}")
    for key, summary in opinion.summaries.items():
        if key in ("retrieved", "cited") and (summary.markers or summary.evidence):
            markers, evidence = (", ".join(each) or "none" for each in (summary.markers, summary.evidence))
            page.field("voices", f"{key}: markers {markers}; evidence {evidence}")
    if opinion.corrected_shares:
        told = ", ".join(
            f"{percent(each.value)}"
            + (
                ""
                if each.low is None or each.high is None
                else f" [{percent(each.low)}, {percent(each.high)}]"
            )
            for each in opinion.corrected_shares
        )
        page.field("corrected", f"shares corrected for label errors, very negative to very positive: {told}")


def _groups(page: _Page, receipt: AuditReceipt) -> None:
    if not receipt.groups:
        return
    page.title("Author groups")
    for index, group in enumerate(receipt.groups):
        if index:
            page.lines.append("")
        for words in group_words(group):
            page.item(words)
        rows: list[tuple[str, ...]] = [
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
        page.table(
            (line(group.attribute, limit=40), "corpus", "share", "used", "share", "gap", ""), rows, "Lrrrrrl"
        )


def _ranks(page: _Page, receipt: AuditReceipt) -> None:
    if receipt.position is not None or receipt.ranking:
        page.title("Order")
    if receipt.position is not None:
        page.item(position_words(receipt.position))
    if not receipt.ranking:
        return
    if receipt.plain_ranking:
        plain = set(receipt.plain_ranking)
        same = sum(each.document_id in plain for each in receipt.ranking)
        page.item(f"{same} of {plural(len(receipt.ranking), 'document')} would also be in the plain top-k")
    opinions = receipt.opinion is not None
    weights = any(each.position_weight is not None for each in receipt.ranking)
    chances = any(each.inclusion_probability is not None for each in receipt.ranking)
    attributes = [group.attribute for group in receipt.groups] if opinions else []
    columns: list[tuple[str, str]] = [("#", "r"), ("c", "l"), ("document", "L"), ("rel.", "r")]
    columns += [("score", "r")] if opinions else []
    columns += [(line(name, limit=20), "L") for name in attributes]
    columns += [("weight", "r")] if weights else []
    columns += [("prob.", "r")] if chances else []
    rows = []
    for each in receipt.ranking:
        row = [
            str(each.rank),
            "c" if each.cited else "",
            each.title or each.external_id,
            number(each.relevance, 3),
        ]
        if opinions:
            score = "-" if each.score is None else f"{each.score:+d}" if each.score else "0"
            row.append(score + ("" if each.matched else "?"))
        row += [each.groups.get(name, "unknown") for name in attributes]
        row += [number(each.position_weight, 3)] if weights else []
        row += [number(each.inclusion_probability, 3)] if chances else []
        rows.append(tuple(row))
    page.table(tuple(name for name, _ in columns), rows, "".join(side for _, side in columns))
    unmatched = " · ? = not about the entity" if any(not each.matched for each in receipt.ranking) else ""
    page.lines += wrap("c = cited" + unmatched, page.width, ascii=page.ascii)


def _selection(page: _Page, receipt: AuditReceipt) -> None:
    chosen = receipt.selection
    if chosen is None:
        return
    page.title("Selection")
    page.field("method", f"{chosen.method}: {chosen.k} of {count(chosen.pool)} ({chosen.pool_source})")
    parts = [
        f"{name} {number(value, 2)}"
        for name, value in (("lambda", chosen.lam), ("beta", chosen.beta))
        if value is not None
    ]
    parts += [f"seed {chosen.seed}"] if chosen.seed is not None else []
    parts += (
        [f"relevance kept {100 * chosen.relevance_kept:.1f}%"] if chosen.relevance_kept is not None else []
    )
    page.field("settings", ", ".join(parts))
    for note in chosen.notes:
        page.item(note)
    if not receipt.frontier:
        return
    page.lines.append("")
    page.item(frontier_words(receipt))
    rows: list[tuple[str, ...]] = [
        (
            ">" if point.chosen else "",
            number(point.lam, 2),
            f"{100 * point.relevance_kept:.1f}%",
            number(point.w1, 2),
            f"{abs(rounded_points(point.largest_gap))} pts",
        )
        for point in receipt.frontier
    ]
    page.table(("", "lambda", "relevance", "W1", "author gap"), rows, "lrrrr")


def _quotes(page: _Page, receipt: AuditReceipt) -> None:
    check = receipt.verification
    if not (receipt.citations or check.quotes or check.findings):
        return
    page.title("Citations")
    page.item(quote_words(receipt))
    if check.amplification is not None:
        page.item(
            f"the answer amplifies the opinions of what was retrieved by a factor of {number(check.amplification, 2)}"
        )
    for each in receipt.citations:
        quote = f": “{line(each.quote, limit=_FIELD)}”" if each.quote else ""
        place = f" at {each.start}-{each.end}" if each.start is not None and each.end is not None else ""
        state = "" if not each.quote else "" if each.verified else "  NOT FOUND"
        page.item(f"document {each.document_id}{place}{quote}{state}", f"[{each.number}] ")


def _counts(page: _Page, receipt: AuditReceipt) -> None:
    if not receipt.counts:
        return
    page.title("Counts from SQL")
    for each in receipt.counts:
        interval = (
            "" if each.low is None or each.high is None else f" [{percent(each.low)}, {percent(each.high)}]"
        )
        page.item(
            f"{each.label}: {count(each.value)} of {count(each.total)} = {percent(each.share)}{interval}"
        )
        page.prose(each.sql, "    ")
        if each.parameters:
            told = ", ".join(f"{key} = {value}" for key, value in each.parameters.items())
            page.prose(line(told, limit=_FIELD), "    ")


def _process(page: _Page, receipt: AuditReceipt) -> None:
    page.title("How it was made")
    enhancement = receipt.enhancement
    told = enhancement.method + (f" ({enhancement.prompt})" if enhancement.prompt else "")
    page.field("enhanced", told)
    for text in enhancement.texts:
        page.field("searched", text)
    for model in receipt.models:
        version = f" v{model.prompt_version}" if model.prompt_version else ""
        sha = f" {short_hash(model.prompt_sha)}" if model.prompt_sha else ""
        prompt = f", prompt {model.prompt}{version}{sha}" if model.prompt else ""
        page.field(model.role, f"{model.name}{prompt}")
    if receipt.stages:
        tokens = sum(each.prompt_tokens + each.completion_tokens for each in receipt.stages)
        spent = sum(each.cost for each in receipt.stages)
        rows: list[tuple[str, ...]] = [
            (
                each.name,
                seconds(each.seconds),
                count(each.prompt_tokens) if each.prompt_tokens else "-",
                count(each.completion_tokens) if each.completion_tokens else "-",
                cost(each.cost) if each.cost else "-",
            )
            for each in receipt.stages
        ]
        rows.append(
            (
                "total",
                seconds(receipt.seconds),
                count(sum(each.prompt_tokens for each in receipt.stages)) if tokens else "-",
                count(sum(each.completion_tokens for each in receipt.stages)) if tokens else "-",
                cost(spent) if spent else "-",
            )
        )
        page.lines.append("")
        page.table(("stage", "time", "tokens in", "out", "cost"), rows, "Lrrrr")


def _foot(page: _Page, receipt: AuditReceipt) -> None:
    page.lines.append("")
    page.lines += wrap(receipt_line(receipt, ascii=page.ascii), page.width, ascii=page.ascii)


_PARTS: Final[tuple[Callable[[_Page, AuditReceipt], None], ...]] = (
    _head,
    _answer,
    _opinion,
    _groups,
    _counts,
    _selection,
    _ranks,
    _quotes,
    _process,
    _foot,
)

__all__ = ["receipt_line", "receipt_text"]
