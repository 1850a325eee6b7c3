"""Receipts in every form: complete, in width, ASCII on request, and deaf to hostile text."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from app.views.layout import width_of
from app.views.receipt_html import receipt_html
from app.views.receipt_json import receipt_from_json, receipt_json
from app.views.receipt_markdown import receipt_markdown
from app.views.receipt_text import receipt_line, receipt_text
from app.views.words import frontier_words, off_curve_words, warning_lines
from store.receipt import (
    AuditReceipt,
    Distribution,
    Estimate,
    FilterAudit,
    OpinionAudit,
    PositionAudit,
    RouteAudit,
)
from tests.app.views.test_safe import HIDDEN
from tests.fakes.receipts import (
    HOSTILE,
    counting_receipt,
    degraded_receipt,
    factual_receipt,
    hostile_receipt,
    opinion_receipt,
    sampled_receipt,
)

BUILDERS = (
    opinion_receipt,
    sampled_receipt,
    factual_receipt,
    counting_receipt,
    degraded_receipt,
    hostile_receipt,
)


def empty_receipt() -> AuditReceipt:
    return AuditReceipt(
        answer_id="e",
        question="q",
        standalone_question="q",
        asked_at="",
        corpus="c",
        corpus_documents=0,
        answer="",
        route=RouteAudit(kind="opinion", confidence=0.0, reason=""),
    )


def test_counting_receipt_exactly() -> None:
    assert receipt_text(counting_receipt(), 60) == (
        "AUDIT RECEIPT c0c0a5 2026-11-29T10:17:00Z\n"
        "\n"
        "Question ───────────────────────────────────────────────────\n"
        "asked      How many reviews complain about the wifi?\n"
        "corpus     lounges, 2,259 documents\n"
        "route      counting (confidence 0.97): asks how many\n"
        "entity     wifi, 456 documents (confidence 1.00; named)\n"
        "basis      123 of 456 (27%), counted in SQL\n"
        "\n"
        "Answer ─────────────────────────────────────────────────────\n"
        "123 of 456 reviews that speak of the wifi are negative\n"
        "(27%).\n"
        "\n"
        "Counts from SQL ────────────────────────────────────────────\n"
        "- negative on wifi: 123 of 456 = 27%; corrected for label\n"
        "  errors [23%, 31%]\n"
        "    SELECT count(DISTINCT document_id)\n"
        "    FROM opinions\n"
        "    WHERE entity_id = :entity AND score < 0\n"
        "    entity = wifi\n"
        "\n"
        "How it was made ────────────────────────────────────────────\n"
        "enhanced   none\n"
        "\n"
        "stage  time\n"
        "───────────\n"
        "route  2 ms\n"
        "count  4 ms\n"
        "total  6 ms\n"
        "\n"
        "counting · 123 of 456 (27%), counted in SQL · no warnings\n"
    )


def test_lines() -> None:
    assert receipt_line(opinion_receipt()) == (
        "opinion · 12 of 861 documents on food · W1 retrieved 0.8 / top-k 11.1, cited 2.4"
        " · largest author gap 5 pts (region) · quotes 4/4 · no warnings"
    )
    assert receipt_line(degraded_receipt(), ascii=True) == (
        "opinion | 12 of 861 documents on food | W1 retrieved 0.8 / top-k 11.1"
        " | largest author gap 5 pts (region) | quotes 3/4 | ! 7 warnings"
    )
    assert receipt_line(factual_receipt()) == "factual · 3 of 2,259 documents · quotes 1/1 · no warnings"
    assert "\n" not in receipt_line(hostile_receipt())


@pytest.mark.parametrize("form", [receipt_text, receipt_markdown, receipt_html])
def test_everything_is_told(form: object) -> None:
    assert callable(form)
    shown = form(opinion_receipt()).replace("\\[", "[").replace("\\]", "]")
    for words in (
        "0.8 [0.6, 2.9]",
        "11.1 [7.9, 14.2]",
        "26 points too many very positive",
        "sign right in 86% of 2,000",
        "largest gap 5 points (plain top-k 21)",
        "predicted Rb +0.26 +/- 0.07, target +0.25",
        "Price paid: 3.8% of the relevance",
        "0.55",
        "4 of 4 quotes found word for word",
        "9c1f77aa",
        "2.31 s",
        "3,120",
        "Business lounge, visit by Lou",
        "0.043",
        "delight, frustration",
        "a wide choice of hot and cold food",
    ):
        assert words in shown, words
    assert "not calibrated for this model" in form(degraded_receipt())


def _plain(shown: str) -> str:
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>|[\\\\│|]", " ", shown, flags=re.DOTALL).split())


@pytest.mark.parametrize("form", [receipt_text, receipt_markdown, receipt_html])
def test_one_price_in_every_place_and_each_baseline_by_name(form: object) -> None:
    assert callable(form)
    receipt = opinion_receipt()
    assert receipt.selection is not None
    # An older receipt holds another figure beside its frontier.
    other = receipt.model_copy(
        update={"selection": receipt.selection.model_copy(update={"relevance_kept": 0.7})}
    )
    shown = _plain(form(other))
    assert "70.0%" not in shown
    assert "30.0%" not in shown
    assert "relevance kept 96.2% of the most relevant of the pool" in shown
    assert (
        "Price paid: 3.8% of the relevance of the 12 documents of the pool that are most relevant: W1 0.8, theirs"
        in shown
    )
    assert "by its 12 documents that hold a view" in shown


@pytest.mark.parametrize("form", [receipt_text, receipt_markdown, receipt_html])
def test_a_sample_shows_its_margins_and_what_they_stand_for(form: Callable[[AuditReceipt], str]) -> None:
    shown = " ".join(form(sampled_receipt()).split())
    assert "Margins of error" in shown
    assert "The 12 documents were drawn at random from the 430 more relevant of 861" in shown
    assert "of all documents for opinion, of those that could be drawn for rating and region" in shown
    for cell in ("opinion: positive", "49% to 67%", "58%", "mean rating", "3.25", "2.41 to 4.00", "3.31"):
        assert cell in shown
    assert "region: UK" in shown, "one author: an estimate without an interval"
    assert "Margins of error" not in form(opinion_receipt())


def test_why_a_choice_lies_off_the_curve() -> None:
    receipt = opinion_receipt()
    assert receipt.selection is not None
    assert off_curve_words(receipt) == ""
    off = tuple(p.model_copy(update={"relevance_kept": 0.9}) if p.chosen else p for p in receipt.frontier)
    drawn = receipt.selection.model_copy(update={"method": "balanced"})
    told = frontier_words(receipt.model_copy(update={"frontier": off, "selection": drawn}))
    assert told.startswith("Price paid: 10.0% of the relevance of the 12 documents")
    assert "balanced draws a probability sample, and pays relevance for what the labels miss" in told
    assert "the region groups as well" in off_curve_words(receipt.model_copy(update={"frontier": off}))
    squared = receipt.selection.model_copy(update={"distance_name": "W2"})
    assert "made by W2" in off_curve_words(receipt.model_copy(update={"frontier": off, "selection": squared}))
    plain = receipt.model_copy(update={"frontier": off, "groups": ()})
    assert "author groups too small to be told" in off_curve_words(plain)
    other = receipt.selection.model_copy(update={"method": "mmr"})
    assert "does not weigh" in off_curve_words(plain.model_copy(update={"selection": other}))


def test_documents_are_named_as_their_source_names_them() -> None:
    receipt = opinion_receipt()
    first = receipt.citations[0]
    for form in (receipt_text, receipt_markdown, receipt_html):
        shown = _plain(form(receipt))
        assert f"document lounge-{first.document_id}" in shown
        assert f"document {first.document_id}" not in shown


def test_limits_are_said_in_words() -> None:
    limits = (
        FilterAudit(name="period", value="2023-01-01..9999-12-31", phrase="", documents=3),
        FilterAudit(name="rating", value=">= 4", phrase="rated 4 or more", documents=3),
    )
    shown = receipt_text(factual_receipt().model_copy(update={"filters": limits}), 120)
    assert "filter     dated from 2023-01-01 on, 3 documents\n" in shown
    assert "filter     rated 4 or more, from “rated 4 or more”, 3 documents\n" in shown
    assert "9999" not in shown


def test_the_first_warnings_in_a_line_each() -> None:
    receipt = degraded_receipt()
    found = warning_lines(receipt, ascii=True)
    assert len(found) == 3
    assert found[0].startswith("! ")
    assert found[2] == f"! 5 more: evenhand audit {receipt.answer_id}"
    assert warning_lines(opinion_receipt()) == []
    hostile = warning_lines(hostile_receipt(), 10)
    assert hostile
    assert not any("\n" in each or HIDDEN.search(each) for each in hostile)


def test_one_point_is_one_point() -> None:
    receipt = opinion_receipt()
    near = receipt.groups[0].model_copy(update={"largest_gap": 0.01})
    assert "largest author gap 1 pt (region)" in receipt_line(receipt.model_copy(update={"groups": (near,)}))


@pytest.mark.parametrize("form", [receipt_text, receipt_markdown, receipt_html])
def test_degradations_come_first(form: object) -> None:
    assert callable(form)
    shown = form(degraded_receipt())
    first = shown.index("no model is configured")
    assert first < shown.index("Answer") < shown.index("Opinions")
    for words in ("only 3 documents of Germany exist", "1 quote not found", "champagne bar", "NOT FOUND"):
        assert words in shown


@pytest.mark.parametrize("form", [receipt_text, receipt_markdown, receipt_html])
def test_what_does_not_apply_is_left_out(form: object) -> None:
    assert callable(form)
    factual, counting = form(factual_receipt()), form(counting_receipt())
    for words in ("Opinions", "Author groups", "W1", "Counts from SQL", "score"):
        assert words not in re.sub(r"<style>.*?</style>", "", factual, flags=re.DOTALL), words
    for words in ("Opinions", "Author groups", "W1", "Order", "Selection", "Citations"):
        assert words not in re.sub(r"<style>.*?</style>", "", counting, flags=re.DOTALL), words


@pytest.mark.parametrize("build", [*BUILDERS, empty_receipt])
@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("ascii", [False, True])
def test_text_keeps_its_width_and_alphabet(build: object, width: int, ascii: bool) -> None:
    assert callable(build)
    shown = receipt_text(build(), width, ascii)
    assert max(map(width_of, shown.split("\n"))) <= width
    assert not HIDDEN.search(shown)
    assert not ascii or shown.isascii()


@pytest.mark.parametrize(
    "text", ["手" * 500, "👩\u200d👩\u200d👧 " * 200, "نص عربي \u202e" * 100, "[/][bold]" * 100]
)
def test_wide_and_foreign_scripts_keep_the_width(text: str) -> None:
    shown = receipt_text(hostile_receipt(text), 60)
    assert max(map(width_of, shown.split("\n"))) <= 60
    assert receipt_text(hostile_receipt(text), 60, True).isascii()


@pytest.mark.parametrize(
    "text",
    ["x" * 1_000_000, "手" * 1_000_000, HOSTILE * 2500, "\u200b" * 1_000_000],
    ids=["one word", "wide", "hostile", "invisible"],
)
def test_a_megabyte_in_every_field(text: str) -> None:
    receipt = hostile_receipt(text)
    for form in (receipt_text, receipt_markdown, receipt_html):
        started = time.thread_time()
        shown = form(receipt)
        assert time.thread_time() - started < 8
        assert len(shown) < 4_000_000


@pytest.mark.parametrize("build", [*BUILDERS, empty_receipt])
def test_json_is_stable_and_comes_back(build: object) -> None:
    assert callable(build)
    receipt = build()
    dumped = receipt_json(receipt)
    assert receipt_from_json(dumped) == receipt
    assert not HIDDEN.search(dumped)
    data = json.loads(dumped)
    assert data["schema"] == "receipt/1"
    assert list(data) == sorted(data)
    assert dumped.startswith("{\n  ")
    assert dumped == receipt_json(receipt_from_json(dumped))


def test_json_has_no_nan_and_refuses_other_documents() -> None:
    receipt = opinion_receipt().model_copy(
        update={"route": RouteAudit(kind="opinion", confidence=float("nan"), reason="")}
    )
    assert json.loads(receipt_json(receipt))["route"]["confidence"] is None
    for text in ("[]", '{"schema": "other/1"}', "{}"):
        with pytest.raises(ValueError, match="receipt/1"):
            receipt_from_json(text)


@pytest.mark.parametrize("build", [*BUILDERS, empty_receipt])
def test_markdown_holds_no_html_link_or_image(build: object) -> None:
    assert callable(build)
    shown = receipt_markdown(build())
    assert not HIDDEN.search(shown)
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(shown)
    kinds = {token.type for token in tokens} | {c.type for token in tokens for c in token.children or []}
    assert not kinds & {
        "html_block",
        "html_inline",
        "link_open",
        "image",
        "code_inline",
        "code_block",
        "hr",
        "s_open",
    }
    titles = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
    assert all(re.match(r"Audit receipt|[A-Z][A-Za-z ]+$", title) for title in titles)


def test_markdown_tables_have_as_many_cells_as_headers() -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(receipt_markdown(hostile_receipt()))
    columns, cells = 0, 0
    for token in tokens:
        if token.type == "tr_open":
            cells = 0
        elif token.type in ("th_open", "td_open"):
            cells += 1
            columns = cells if token.type == "th_open" else columns
        elif token.type == "tr_close":
            assert cells == columns


class Page(HTMLParser):
    """Collects what a browser would act on."""

    VOID = frozenset({"meta", "rect", "line", "circle", "br", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


_TAGS = """html head meta title style body header main footer section p h1 h2 bdi ul ol li b span strong a dl dt dd q
pre code figure figcaption svg desc defs pattern rect line circle text div table caption thead tbody tfoot tr th td"""
ALLOWED = frozenset(_TAGS.split())


@pytest.mark.parametrize("build", [*BUILDERS, empty_receipt])
def test_html_is_closed_to_the_outside(build: object) -> None:
    assert callable(build)
    page = Page()
    shown = receipt_html(build())
    page.feed(shown)
    page.close()
    assert page.open == []
    assert set(page.tags) <= ALLOWED
    for tag, name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"src", "srcset", "style", "action", "xlink:href", "data", "srcdoc"}
        if name == "href":
            assert re.fullmatch(r"#cite-\d+", value)
        if name == "fill":
            assert value == "url(#hatch)"
        if tag != "meta" and name not in {"aria-label"}:
            assert "http" not in value
    style = shown[shown.index("<style>") : shown.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert not HIDDEN.search(shown)
    policy = next(v for t, n, v in page.attributes if t == "meta" and n == "content" and "default-src" in v)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert len(page.ids) == len(set(page.ids))


def test_html_pictures_are_described_and_have_tables() -> None:
    page = Page()
    shown = receipt_html(opinion_receipt())
    page.feed(shown)
    pictures = [value for tag, name, value in page.attributes if tag == "svg" and name == "aria-labelledby"]
    assert pictures == [f"{n}-title {n}-desc" for n in ("opinions", "groups-1", "frontier", "ranks")]
    for pair in pictures:
        assert set(pair.split()) <= set(page.ids)
    for caption in (
        "Share of each opinion",
        "Shares by region",
        "The frontier, point by point",
        "Documents in the order",
    ):
        assert caption in shown


def test_html_links_only_citations_that_exist() -> None:
    shown = receipt_html(degraded_receipt())
    assert 'href="#cite-1"' in shown
    assert 'id="cite-1"' in shown
    assert "#cite-5" not in shown
    assert "[5]" in shown


def test_html_shows_hostile_text_as_text() -> None:
    page = Page()
    page.feed(receipt_html(hostile_receipt()))
    told = "".join(page.text)
    assert "<script>alert(1)</script>" in told
    assert "<U+202E>gnp.exe" in told
    assert "␛[31mred" in told


def edge_receipts() -> list[AuditReceipt]:
    """Sparse, empty, lop-sided and large, each valid as a record."""
    whole = opinion_receipt()
    assert whole.opinion is not None
    nothing = Distribution(counts=())
    empty = OpinionAudit(
        labels="",
        target="",
        target_shares=(),
        population=nothing,
        candidates=nothing,
        retrieved=nothing,
        cited=nothing,
        plain=nothing,
        w1={},
    )
    one = whole.opinion.model_copy(
        update={"retrieved": Distribution(counts=(0, 0, 0, 0, 0, 0, 1)), "floor": None, "summaries": {}}
    )
    corrected = whole.opinion.model_copy(
        update={"corrected_shares": tuple(Estimate(value=i / 21, low=0.0, high=0.5) for i in range(7))}
    )
    group = whole.groups[0]
    missed = group.categories[0].model_copy(update={"retrieved": 0, "retrieved_share": 0.0})
    many = tuple(missed.model_copy(update={"value": f"group {i}"}) for i in range(30))
    return [
        empty_receipt().model_copy(update={"opinion": empty}),
        whole.model_copy(
            update={"opinion": one, "ranking": whole.ranking[:1], "frontier": whole.frontier[:1]}
        ),
        whole.model_copy(update={"opinion": corrected, "plain_ranking": (), "groups": ()}),
        whole.model_copy(
            update={
                "ranking": tuple(
                    whole.ranking[i % 12].model_copy(update={"rank": i + 1}) for i in range(200)
                ),
                "groups": (
                    group.model_copy(update={"categories": many}),
                    group.model_copy(update={"categories": ()}),
                ),
            }
        ),
        whole.model_copy(
            update={
                "ranking": tuple(
                    each.model_copy(update={"relevance": 0.0, "position_weight": -0.1, "score": None})
                    for each in whole.ranking
                ),
                "frontier": tuple(p.model_copy(update={"w1": 0.0, "chosen": False}) for p in whole.frontier),
            }
        ),
    ]


@pytest.mark.parametrize("index", range(5))
def test_edges(index: int) -> None:
    receipt = edge_receipts()[index]
    for width in (40, 80):
        assert max(map(width_of, receipt_text(receipt, width).split("\n"))) <= width
    page = Page()
    page.feed(receipt_html(receipt))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert not any("nan" in value for tag, _, value in page.attributes if tag in ("rect", "line", "circle"))
    assert receipt_markdown(receipt).startswith("# Audit receipt")
    assert receipt_from_json(receipt_json(receipt)) == receipt


def test_missed_groups_are_named() -> None:
    receipt = edge_receipts()[3]
    for form in (receipt_text, receipt_markdown, receipt_html):
        assert "MISSED group 7" in form(receipt)


def test_the_line_prefers_gaps_that_were_asked_for_or_are_known() -> None:
    receipt = opinion_receipt()
    group = receipt.groups[0]
    rare = group.model_copy(
        update={"attribute": "job", "largest_gap": 0.4, "unknown_population": 0.9, "constrained": False}
    )
    assert "5 pts (region)" in receipt_line(receipt.model_copy(update={"groups": (rare, group)}))
    shown = group.model_copy(update={"constrained": False})
    assert "5 pts (region)" in receipt_line(receipt.model_copy(update={"groups": (rare, shown)}))
    assert "40 pts (job)" in receipt_line(receipt.model_copy(update={"groups": (rare,)}))


def test_an_uncalibrated_order_is_said_once() -> None:
    note = "not calibrated for this model (small, k = 20): most relevant first"
    position = PositionAudit(calibrated=False, note=note, model="small")
    shown = receipt_markdown(opinion_receipt().model_copy(update={"position": position}))
    assert shown.count("not calibrated") == 1
