"""Hostile text is shown, never obeyed."""

from __future__ import annotations

import json
import re
import time

import pytest
from markdown_it import MarkdownIt

from app.views.safe import cell, html_line, html_text, json_text, line, markdown_line, visible
from tests.fakes.receipts import HOSTILE

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("a\x00b\x07\x7f", "a␀b␇␡"),
        ("\x9b2J", "<U+009B>2J"),
        ("\u202egnp.exe", "<U+202E>gnp.exe"),
        ("a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"),
        ("soft\u00adhyphen", "soft<U+00AD>hyphen"),
        ("\U000e0041", "<U+E0041>"),
        ("\ud800", "<U+D800>"),
        ("one\r\ntwo\rthree\u2028four\x85five", "one\ntwo\nthree\nfour\nfive"),
        ("a\tb", "a    b"),
        ("plain 手机 é", "plain 手机 é"),
        ("e" + "\u0301" * 50, "e" + "\u0301" * 4),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("نمی\u200cخواهم", "نمی\u200cخواهم"),
        ("a\u200db", "a<U+200D>b"),
    ],
)
def test_visible_shows_what_would_act(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("café “naïve”…", 'cafe "naive"...'),
        ("\x1b[0m\x7f", "^[[0m^?"),
        ("手", "\\u624b"),
        ("👧", "\\U0001f467"),
        ("W1 · λ ≥ 5 – 6", "W1 | lambda >= 5 - 6"),
        ("\u202e", "<U+202E>"),
    ],
)
def test_ascii_folds_to_ascii(text: str, shown: str) -> None:
    assert visible(text, ascii=True) == shown


def test_line_folds_and_bounds() -> None:
    assert line("  a\n\n b\t c ") == "a b c"
    assert line("x" * 100, limit=10) == "x" * 10 + "…"
    assert line("x" * 100, limit=10, ascii=True) == "x" * 10 + "..."
    assert not HIDDEN.search(line(HOSTILE))


def test_html_leaves_no_markup() -> None:
    for shown in (html_text(HOSTILE), html_line(HOSTILE)):
        assert "<" not in shown
        assert ">" not in shown
        assert '"' not in shown
        assert "'" not in shown
        assert not HIDDEN.search(shown)
    assert html_line("<b>&amp;") == "&lt;b&gt;&amp;amp;"


@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        "# not a heading",
        "- not a list",
        "1. not a list",
        "---",
        "===",
        "> not a quote",
        "    not code",
        "*a* _b_ `c` ~~d~~ **e**",
        "[l](javascript:x) ![i](http://evil.example) <http://evil.example> <b>",
        "[x]: http://evil.example",
        "&lt; &#60;",
        "| a | b |",
        "+ plus",
        "\\*",
    ],
    ids=lambda text: "hostile" if text == HOSTILE else None,
)
def test_markdown_reads_as_words(text: str) -> None:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown_line(text))
    kinds = {token.type for token in tokens} | {
        child.type for token in tokens for child in (token.children or []) if child.type != "text_special"
    }
    assert kinds <= {"paragraph_open", "paragraph_close", "inline", "text"}
    words = "".join(child.content for token in tokens for child in (token.children or []))
    assert words.split() == line(text).split()


def test_markdown_keeps_numbers_and_breaks_autolinks() -> None:
    assert markdown_line("0.93 -4 +20 (a)!") == "0.93 -4 +20 (a)!"
    assert markdown_line("http://x.example www.x.example") == "http\\://x.example www\\.x.example"


def test_json_text_keeps_the_value() -> None:
    dumped = json_text(json.dumps({"a": HOSTILE}, ensure_ascii=False))
    assert not HIDDEN.search(dumped)
    assert json.loads(dumped) == {"a": HOSTILE}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=cmd()", "'=cmd()"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=x", "'\t=x"),
        ("\r=x", "'\n=x"),
        (" =x", "' =x"),
        ("\ufeff=x", "'<U+FEFF>=x"),
        ("fine = x", "fine = x"),
        ("\x1b[2J", "␛[2J"),
    ],
)
def test_cells_are_never_formulas(text: str, shown: str) -> None:
    assert cell(text) == shown


def test_a_megabyte_is_quick() -> None:
    started = time.thread_time()
    visible(HOSTILE * 2500)
    line(HOSTILE * 2500, limit=400)
    assert time.thread_time() - started < 2
