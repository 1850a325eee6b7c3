"""The audit receipt as one self-contained HTML page: no script, no network, inline style and SVG, light and dark.

A Content-Security-Policy allows the page's own style sheet (by hash) and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final

from app.views import html_parts as part
from app.views.bars import BarSet, document_words, gap_words
from app.views.charts_svg import frontier_plot, group_plot, opinion_plot, rank_plot, share_bar
from app.views.formats import (
    count,
    number,
    percent,
    plural,
    point_count,
    rounded_points,
)
from app.views.rows import (
    citation_place,
    citation_state,
    count_words,
    figure_listing,
    frontier_listing,
    group_listing,
    margin_listing,
    opinion_facts,
    process_facts,
    question_facts,
    rank_key,
    rank_listing,
    selection_facts,
    share_listing,
    stage_listing,
    with_statements,
)
from app.views.safe import html_line
from app.views.words import (
    amplification_words,
    answer_w1,
    bar_sets,
    frontier_words,
    goal_shares,
    group_words,
    largest_gap,
    margin_words,
    pool_words,
    position_words,
    quote_words,
    receipt_line,
    relevance_kept,
    w1_words,
    warnings,
)
from store.receipt import AuditReceipt


@cache
def _style() -> str:
    return files("app.views").joinpath("receipt.css").read_text(encoding="utf-8")


def page(title: str, body: str, more: str = "") -> str:
    """Return a complete page around ``body`` with the receipt's style sheet and a policy that allows only it.

    ``more`` is added to the style sheet.
    """
    style = _style() + more
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{html_line(title, limit=160)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def receipt_html(receipt: AuditReceipt) -> str:
    """Return the whole receipt as one HTML page, degradations first, a table and words beside every picture."""
    sections = "\n".join(built for build in _SECTIONS if (built := build(receipt)))
    head = (
        f'<header><p class="brand">Evenhand audit receipt {part.text(receipt.answer_id)}</p>'
        f"<h1>{part.text(receipt.question, 300)}</h1>"
        f'<p class="meta">{part.text(receipt.corpus)}, {plural(receipt.corpus_documents, "document")};'
        f" asked {part.text(receipt.asked_at)}</p></header>"
    )
    foot = (
        f"<footer><p>{part.text(receipt_line(receipt))}</p><p>{part.text(receipt.schema_name)}</p></footer>"
    )
    return page(f"Audit receipt: {receipt.question}", f"{head}\n<main>\n{sections}\n</main>\n{foot}")


def _warnings(receipt: AuditReceipt) -> str:
    found = warnings(receipt)
    return part.section("Weaker than it should be", part.items(found), kind="warnings") if found else ""


def _tiles(receipt: AuditReceipt) -> str:
    tiles: list[str] = []
    if receipt.counts and not receipt.ranking:
        for each in receipt.counts[:3]:
            tiles.append(
                part.tile(percent(each.share), each.label, f"{count(each.value)} of {count(each.total)}")
            )
    else:
        tiles.append(
            part.tile(
                str(len(receipt.ranking)), "documents used", "of " + pool_words(receipt).split(" of ", 1)[-1]
            )
        )
    if receipt.opinion is not None:
        shown, w1 = answer_w1(receipt.opinion), receipt.opinion.w1
        for key in ("retrieved", "cited"):
            if shown is not None and key in w1 and getattr(receipt.opinion, key).n:
                than = f"plain top-k {number(w1['plain'].value)}" if "plain" in w1 else ""
                tiles.append(part.tile(number(w1[key].value), f"W1 of {key} documents, 0 is best", than))
    group = largest_gap(receipt)
    if group is not None:
        gap, plain = point_count(group.largest_gap), abs(rounded_points(group.plain_largest_gap))
        tiles.append(part.tile(gap, f"largest author gap ({group.attribute})", f"plain top-k {plain}"))
    kept = relevance_kept(receipt)
    if kept is not None:
        tiles.append(
            part.tile(f"{100 * kept:.1f}%", "relevance kept", f"price {100 * max(0.0, 1 - kept):.1f}%")
        )
    if receipt.verification.quotes:
        check = receipt.verification
        tiles.append(part.tile(f"{check.quotes_verified}/{check.quotes}", "quotes found word for word"))
    return f'<ul class="tiles">{"".join(tiles)}</ul>'


def _answer(receipt: AuditReceipt) -> str:
    return part.section("Answer", part.answer(receipt.answer, (each.number for each in receipt.citations)))


def _legend(sets: list[BarSet]) -> str:
    swatches = []
    for each in sets:
        paint = ' fill="url(#hatch)"' if each.key == "plain" else ""
        mark = (
            '<line x1="0" y1="7" x2="16" y2="7" class="goal"/>'
            if each.key == "target"
            else f'<rect x="1" y="1" width="14" height="12" class="{each.key}"{paint}/>'
        )
        letter = "" if each.key in ("population", "target") else f"{each.style.letter} "
        n = f", {count(each.n)}" if each.n else ""
        picture = f'<svg class="key" width="16" height="14" aria-hidden="true">{mark}</svg>'
        swatches.append(f"<li>{picture}<span>{letter}{each.style.name}{n}</span></li>")
    return f'<ul class="legend">{"".join(swatches)}</ul>'


def _opinion(receipt: AuditReceipt) -> str:
    opinion = receipt.opinion
    if opinion is None:
        return ""
    sets, goal = bar_sets(opinion), goal_shares(opinion)
    words = [gap_words(each, goal) for each in sets if each.key in ("retrieved", "cited", "plain")]
    words += [document_words(opinion.retrieved.n)] if opinion.retrieved.n else []
    plot = opinion_plot(sets, goal, "; ".join(words))
    note = "A mark such as +11! is a share that is 5 points or more off."
    return part.section(
        "Opinions",
        f'<p class="words">{part.text(w1_words(opinion))}</p>',
        part.figure(plot, note, legend=_legend(sets), kind="note wide"),
        part.items(words),
        part.listing("Share of each opinion", share_listing(opinion)),
        part.listing("Distance and spread", figure_listing(opinion)),
        part.facts(opinion_facts(opinion)),
    )


def _groups(receipt: AuditReceipt) -> str:
    out: list[str] = []
    for index, group in enumerate(receipt.groups, start=1):
        words = group_words(group)
        listing = part.listing(f"Shares by {group.attribute}, gap in points", group_listing(group))
        plot = part.figure(group_plot(group, index, "; ".join(words)), "Bar: population. Dot: retrieved.")
        out.append(f'{part.items(words)}<div class="pair">{plot}{listing}</div>')
    return part.section("Author groups", *out) if out else ""


def _margins(receipt: AuditReceipt) -> str:
    if not receipt.margins:
        return ""
    listing = part.listing("What the sample says of all", margin_listing(receipt))
    return part.section(
        "Margins of error", f'<p class="words">{part.text(margin_words(receipt))}</p>', listing
    )


def _counts(receipt: AuditReceipt) -> str:
    out: list[str] = []
    for index, (each, statement) in enumerate(with_statements(receipt.counts), start=1):
        told = count_words(each)
        out += [f"<p>{part.text(told)}</p>", share_bar(each.share, index, told)]
        if statement:
            out.append(part.code(each.sql))
            out.append(part.facts((key, value or "(empty)") for key, value in each.parameters.items()))
    return part.section("Counts from SQL", *out) if out else ""


def _selection(receipt: AuditReceipt) -> str:
    chosen = receipt.selection
    if chosen is None:
        return ""
    out = [part.facts(selection_facts(receipt)), part.items(chosen.notes)]
    if receipt.frontier:
        words = frontier_words(receipt)
        at = next((index for index, point in enumerate(receipt.frontier) if point.chosen), -1)
        listing = part.listing("The frontier, point by point", frontier_listing(receipt.frontier), chosen=at)
        plot = part.figure(frontier_plot(receipt.frontier, words), "Lower is closer to the population.")
        out.append(f'<p class="words">{part.text(words)}</p><div class="pair">{plot}{listing}</div>')
    return part.section("Selection and its price", *out, kind="selection")


def _ranks(receipt: AuditReceipt) -> str:
    if receipt.position is None and not receipt.ranking:
        return ""
    told = position_words(receipt.position) if receipt.position is not None else ""
    out = [f'<p class="words">{part.text(told)}</p>' if told else ""]
    if receipt.ranking:
        weighted = any(each.position_weight is not None for each in receipt.ranking)
        scored = receipt.opinion is not None
        marks = ["Height: relevance."]
        marks += ["Number and fill: opinion score, -30 to +30."] if scored else []
        marks += ["Dots: position weight, the largest at full height."] if weighted else []
        words = " ".join([*marks, "c: cited."])
        out.append(part.figure(rank_plot(receipt.ranking, words), words))
        listing = rank_listing(receipt, words=True)
        out.append(part.listing("Documents in the order given to the model", listing))
        out.append(f'<p class="note">{part.text(rank_key(receipt))}</p>')
    return part.section("Order", *out)


def _quotes(receipt: AuditReceipt) -> str:
    check = receipt.verification
    if not (receipt.citations or check.quotes or check.findings):
        return ""
    words = [quote_words(receipt)]
    words += [amplification_words(check.amplification)] if check.amplification is not None else []
    titles = {each.document_id: each.title or each.external_id for each in receipt.ranking}
    listed, anchored = [], set()
    for each in receipt.citations:
        state, kind = citation_state(each), "good" if each.verified else "mark"
        told = f' <span class="{kind}">{state}</span>' if state else ""
        quote = f"<q>{part.text(each.quote)}</q> " if each.quote else ""
        anchor = "" if each.number in anchored else f' id="cite-{each.number}"'
        anchored.add(each.number)
        source = part.text(f"{titles.get(each.document_id, '')} ({citation_place(each, receipt)})".strip())
        listed.append(f'<li{anchor}>[{each.number}] {quote}<span class="note">{source}</span>{told}</li>')
    return part.section("Citations", part.items(words), f"<ul>{''.join(listed)}</ul>" if listed else "")


def _process(receipt: AuditReceipt) -> str:
    out = [part.facts(question_facts(receipt)[1:] + process_facts(receipt))]
    if receipt.stages:
        out.append(part.listing("Time, tokens and cost by stage", stage_listing(receipt), total=True))
    return part.section("How it was made", *out, kind="process")


_SECTIONS: Final[tuple[Callable[[AuditReceipt], str], ...]] = (
    _warnings,
    _tiles,
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

__all__ = ["page", "receipt_html"]
