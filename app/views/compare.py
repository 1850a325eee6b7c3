"""What differs between two receipts: distances, author groups, relevance, documents in common, settings, warnings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.views.bars import BarSet, legend, opinion_bars
from app.views.formats import number, plural, signed
from app.views.layout import wrap
from app.views.receipt_json import dump_json
from app.views.receipt_markdown import code_block, markdown_listing
from app.views.rows import Listing
from app.views.safe import line, markdown_line
from app.views.tables import table
from app.views.words import differs, goal_shares, relevance_kept, set_name, seven, warnings
from store.receipt import AuditReceipt, GroupAudit, OpinionSummary


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of both receipts; None where a receipt does not have it. ``lower`` tells whether less is better."""

    name: str
    a: float | None
    b: float | None
    digits: int = 2
    lower: bool | None = None

    @property
    def difference(self) -> float | None:
        """Second minus first."""
        return None if self.a is None or self.b is None else self.b - self.a


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two receipts side by side: ``a`` the first, ``b`` the second."""

    a: AuditReceipt
    b: AuditReceipt
    figures: tuple[Figure, ...]
    settings: tuple[tuple[str, str, str], ...]
    common: tuple[int, ...]
    only_a: tuple[int, ...]
    only_b: tuple[int, ...]
    moved: tuple[tuple[int, int, int], ...]


def compare(a: AuditReceipt, b: AuditReceipt) -> Comparison:
    """Return what differs between the receipts ``a`` and ``b``."""
    ranks_a = {each.document_id: each.rank for each in a.ranking}
    ranks_b = {each.document_id: each.rank for each in b.ranking}
    common = tuple(document for document in ranks_a if document in ranks_b)
    moves = ((document, ranks_a[document], ranks_b[document]) for document in common)
    told = [
        (name, one, two)
        for (name, one), (_, two) in zip(_settings(a), _settings(b), strict=True)
        if one != two
    ]
    return Comparison(
        a=a,
        b=b,
        figures=_figures(a, b),
        settings=tuple(told),
        common=common,
        only_a=tuple(document for document in ranks_a if document not in ranks_b),
        only_b=tuple(document for document in ranks_b if document not in ranks_a),
        moved=tuple(move for move in moves if move[1] != move[2]),
    )


def _settings(receipt: AuditReceipt) -> list[tuple[str, str]]:
    chosen, opinion = receipt.selection, receipt.opinion
    models = {model.role: model.name for model in receipt.models}
    return [
        ("question", receipt.question),
        ("corpus", receipt.corpus),
        ("route", receipt.route.kind),
        ("method", chosen.method if chosen else "-"),
        ("k", str(chosen.k) if chosen else "-"),
        ("lambda", number(chosen.lam, 2) if chosen else "-"),
        ("beta", number(chosen.beta, 2) if chosen else "-"),
        ("seed", "-" if chosen is None or chosen.seed is None else str(chosen.seed)),
        ("target", opinion.target if opinion else "-"),
        ("labels", opinion.labels if opinion else "-"),
        ("enhancement", receipt.enhancement.method),
        ("generator", models.get("generator", "-")),
    ]


def _figures(a: AuditReceipt, b: AuditReceipt) -> tuple[Figure, ...]:
    found: list[Figure] = []

    def add(name: str, read: Callable[[AuditReceipt], float | None], digits: int, lower: bool | None) -> None:
        figure = Figure(name, read(a), read(b), digits, lower)
        if figure.a is not None or figure.b is not None:
            found.append(figure)

    for key in ("retrieved", "cited", "plain"):
        add(f"W1 {set_name(key)}", partial(_w1, key), 2, True)
    add("relevance kept", relevance_kept, 3, False)
    for attribute in dict.fromkeys(group.attribute for each in (a, b) for group in each.groups):
        add(f"author gap, {attribute}", partial(_of_group, attribute, lambda g: abs(g.largest_gap)), 3, True)
        add(f"coverage, {attribute}", partial(_of_group, attribute, lambda g: g.coverage), 3, False)
    add("entity match", partial(_of_retrieved, lambda summary: summary.entity_match), 2, False)
    add("sigma", partial(_of_retrieved, lambda summary: summary.sigma), 2, None)
    add("predicted Rb", lambda each: each.position.predicted if each.position else None, 2, None)
    add("quotes found", _quotes_found, 2, False)
    add("warnings", lambda each: float(len(warnings(each))), 0, True)
    add("seconds", lambda each: each.seconds, 2, True)
    return tuple(found)


def _w1(key: str, receipt: AuditReceipt) -> float | None:
    found = receipt.opinion.w1.get(key) if receipt.opinion else None
    return found.value if found else None


def _of_group(attribute: str, read: Callable[[GroupAudit], float], receipt: AuditReceipt) -> float | None:
    return next((read(group) for group in receipt.groups if group.attribute == attribute), None)


def _of_retrieved(read: Callable[[OpinionSummary], float], receipt: AuditReceipt) -> float | None:
    summary = receipt.opinion.summaries.get("retrieved") if receipt.opinion else None
    return read(summary) if summary else None


def _quotes_found(receipt: AuditReceipt) -> float | None:
    check = receipt.verification
    return check.quotes_verified / check.quotes if check.quotes else None


def comparison_words(compared: Comparison) -> list[str]:
    """Return in words what matters: different questions, which is closer, documents in common."""
    words = []
    changed = {name for name, _, _ in compared.settings}
    if changed & {"question", "corpus"}:
        words.append("! the two answers are not to one question on one corpus: read the figures with care")
    if "target" in changed:
        words.append("! the two answers had different targets: each W1 is measured to its own")
    for figure in compared.figures:
        change = figure.difference
        if figure.name in ("W1 retrieved", "W1 cited") and change is not None:
            closer = (
                "the second is closer"
                if change < 0
                else "the first is closer"
                if change > 0
                else "both are as close"
            )
            told = f"{number(figure.a)} and {number(figure.b)}"
            words.append(f"{figure.name.removeprefix('W1 ')} documents: {closer} to the target, W1 {told}")
    n, m = len(compared.a.ranking), len(compared.b.ranking)
    if n or m:
        both = len(compared.common)
        words.append(
            f"{plural(both, 'document')} in common, of {n} and {m}; {len(compared.moved)} at another rank"
        )
    gone = [each for each in warnings(compared.a) if each not in warnings(compared.b)]
    new = [each for each in warnings(compared.b) if each not in warnings(compared.a)]
    words += [f"only in the first: {each}" for each in gone]
    return words + [f"only in the second: {each}" for each in new]


def _listings(compared: Comparison) -> list[Listing]:
    rows = []
    for figure in compared.figures:
        change = figure.difference
        better = ""
        if change and figure.lower is not None and abs(change) >= 0.5 * 10**-figure.digits:
            better = "second" if (change < 0) == figure.lower else "first"
        a, b = number(figure.a, figure.digits), number(figure.b, figure.digits)
        rows.append((figure.name, a, b, signed(change, figure.digits), better))
    listed = [Listing(("figure", "first", "second", "change", "better"), rows, "Lrrrl")]
    if compared.settings:
        listed.append(Listing(("setting", "first", "second"), list(compared.settings), "lLL"))
    return listed


def _bars(compared: Comparison) -> tuple[list[BarSet], tuple[float, ...]] | None:
    a, b = compared.a.opinion, compared.b.opinion
    if a is None or b is None:
        return None
    sets = [BarSet("population", seven(a.population.shares), a.population.n)]
    sets += [BarSet("target", goal_shares(a), 0)] if differs(a) else []
    sets += [
        BarSet("first", seven(a.retrieved.shares), a.retrieved.n),
        BarSet("second", seven(b.retrieved.shares), b.retrieved.n),
    ]
    return sets, goal_shares(a)


def compare_text(a: AuditReceipt, b: AuditReceipt, width: int = 80, ascii: bool = False) -> str:
    """Return the comparison as text of at most ``width`` cells a line (at least 40)."""
    width, compared = max(40, width), compare(a, b)
    out = []
    for name, receipt in (("first ", a), ("second", b)):
        told = f"{receipt.answer_id}  {receipt.question}"
        out += wrap(line(told, limit=400, ascii=ascii), width, first=f"{name}  ", ascii=ascii)
    out.append("")
    for words in comparison_words(compared):
        out += wrap(line(words, limit=400, ascii=ascii), width, first="- ", ascii=ascii)
    for listing in _listings(compared):
        out += ["", *table(listing.headers, listing.rows, width, align=listing.align, ascii=ascii)]
    bars = _bars(compared)
    if bars is not None:
        out += [
            "",
            *opinion_bars(bars[0], bars[1], width, ascii=ascii),
            "",
            *legend(bars[0], width, ascii=ascii),
        ]
    return "\n".join(out) + "\n"


def compare_markdown(a: AuditReceipt, b: AuditReceipt) -> str:
    """Return the comparison as Markdown."""
    compared = compare(a, b)
    out = ["# Two answers compared", ""]
    for name, receipt in (("First", a), ("Second", b)):
        answer, question = (
            markdown_line(receipt.answer_id, limit=80),
            markdown_line(receipt.question, limit=400),
        )
        out.append(f"- **{name}:** {answer}, {question}")
    out += ["", *(f"- {markdown_line(words, limit=400)}" for words in comparison_words(compared))]
    for listing in _listings(compared):
        out += markdown_listing(listing)
    bars = _bars(compared)
    if bars is not None:
        out += code_block("\n".join([*opinion_bars(bars[0], bars[1], 76), "", *legend(bars[0], 76)]), "text")
    return "\n".join(out) + "\n"


def compare_json(a: AuditReceipt, b: AuditReceipt) -> str:
    """Return the comparison as JSON, schema ``comparison/1``, numbers unrounded."""
    compared = compare(a, b)
    document: dict[str, Any] = {
        "schema": "comparison/1",
        "first": {"answer_id": a.answer_id, "question": a.question, "warnings": warnings(a)},
        "second": {"answer_id": b.answer_id, "question": b.question, "warnings": warnings(b)},
        "figures": {
            each.name: {"first": each.a, "second": each.b, "change": each.difference}
            for each in compared.figures
        },
        "settings": {name: {"first": one, "second": two} for name, one, two in compared.settings},
        "documents": {
            "common": compared.common,
            "only_first": compared.only_a,
            "only_second": compared.only_b,
            "moved": [{"document": d, "first": one, "second": two} for d, one, two in compared.moved],
        },
        "retrieved_shares": {
            "first": a.opinion.retrieved.shares if a.opinion else None,
            "second": b.opinion.retrieved.shares if b.opinion else None,
        },
    }
    return dump_json(document) + "\n"


__all__ = [
    "Comparison",
    "Figure",
    "compare",
    "compare_json",
    "compare_markdown",
    "compare_text",
    "comparison_words",
]
