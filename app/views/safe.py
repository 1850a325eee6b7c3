"""Hostile text made harmless: for terminals, HTML, Markdown, JSON and spreadsheet cells.

Reviews, titles and names come from strangers. Nothing they wrote may move a cursor, set a clipboard, reorder a
line, hide a word, run a formula or become markup; what is dangerous is shown as a visible symbol instead.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

#: C0 without line feed and tab, DEL, C1, soft hyphen, bidi marks and overrides, zero-width and invisible
#: format characters, line and paragraph separators, tag characters, lone surrogates, noncharacters.
_HIDDEN_CLASS: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN: Final = re.compile(f"[{_HIDDEN_CLASS}]")
#: A joiner that does its proper work: between two letters beyond Latin (Persian, Indic) or inside one emoji.
_JOINED: Final = re.compile("(?<=[\u0590-\u1cff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]"
                            "(?=[\u0590-\u1cff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff])")  # fmt: skip
_JOINERS: Final = {"\u200c": "\ue200", "\u200d": "\ue201"}
_PLACEHOLDERS: Final = {value: key for key, value in _JOINERS.items()}
_MARK_PILE: Final = re.compile("([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})"
                               "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+")  # fmt: skip
_BREAKS: Final = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_PLAIN: Final = {
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"',
    "\u00bb": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-",
    "\u2026": "...", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u00b7": "|", "\u2022": "*", "\u00d7": "x",
    "\u2192": "->", "\u03c3": "sigma", "\u03bb": "lambda", "\u03b2": "beta", "\u00b1": "+/-", "\u2265": ">=",
    "\u2264": "<=", "\u00df": "ss", "\u20ac": "EUR", "\u2500": "-", "\u2502": "|", "\u2514": "`", "\u251c": "|",
    "\u25c6": "*", "\u25cf": "*",
}  # fmt: skip
_PLAIN_TABLE: Final = {ord(key): value for key, value in _PLAIN.items()}

#: First characters that make a spreadsheet take a cell for a formula.
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def _symbol(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"<U+{code:04X}>"


def visible(text: str, *, tab: str = "    ", ascii: bool = False) -> str:
    """Return ``text`` with every control and invisible character shown as a symbol; line breaks stay.

    C0 becomes its control picture (``ESC`` is ``␛``), everything else ``<U+202E>``. Line ends are unified to a
    line feed, tabs become ``tab``, more than four stacked accents are cut, joiners inside emoji and in scripts that
    need them stay. ``ascii=True`` also folds to ASCII: accents dropped, quotes straightened, the rest
    escaped by its code.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _BREAKS.sub("\n", text).replace("\t", tab)
    if not ascii:
        text = _JOINED.sub(lambda found: _JOINERS[found.group()], text)
    text = _HIDDEN.sub(_symbol, text)
    if ascii:
        return _to_ascii(text)
    for placeholder, joiner in _PLACEHOLDERS.items():
        text = text.replace(placeholder, joiner)
    return _MARK_PILE.sub(r"\1", text)


def line(text: str, *, limit: int = 0, ascii: bool = False) -> str:
    """Return ``text`` as one visible line: runs of blanks and line breaks folded to one space.

    ``limit`` (characters, 0 for none) bounds the work on huge fields; a cut is marked with an ellipsis.
    """
    cut = bool(limit) and len(text) > limit
    folded = " ".join(visible(text[:limit] if cut else text, tab=" ", ascii=ascii).split())
    return folded + ("..." if ascii else "…") if cut else folded


def _to_ascii(text: str) -> str:
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKD", text.translate(_PLAIN_TABLE))
    folded = "".join(c if ord(c) < 0x2400 or ord(c) > 0x2421 else f"^{_caret(c)}" for c in folded)
    kept = "".join(c for c in folded if c.isascii() or not unicodedata.combining(c))
    return kept.translate(_PLAIN_TABLE).encode("ascii", "backslashreplace").decode("ascii")


def _caret(picture: str) -> str:
    return "?" if picture == "\u2421" else chr(ord(picture) - 0x2400 + 0x40)


def html_text(text: str) -> str:
    """Return ``text`` visible and escaped for HTML element content and quoted attributes."""
    return html.escape(visible(text), quote=True)


def html_line(text: str, *, limit: int = 0) -> str:
    """Return ``text`` as one visible, escaped line for HTML."""
    return html.escape(line(text, limit=limit), quote=True)


_MARKDOWN: Final = re.compile(r"[\\`*_\[\]<>|~$]")
_MARKDOWN_START: Final = re.compile(r"^(\s*)([-+](?=\s|$)|[-=](?=[-=\s]*$)|#|\d{1,9}(?=[.)](?:\s|$)))")
_AUTOLINK: Final = re.compile(r"(?i)(www)\.|(:)(?=//)|\b(mailto|xmpp):")


def markdown_line(text: str, *, limit: int = 0) -> str:
    """Return ``text`` as one visible line that Markdown reads as plain words (GFM tables and autolinks too)."""
    escaped = _MARKDOWN.sub(r"\\\g<0>", line(text, limit=limit).replace("&", "&amp;"))
    escaped = _AUTOLINK.sub(_break_autolink, escaped)
    return _MARKDOWN_START.sub(_break_block, escaped)


def _break_autolink(match: re.Match[str]) -> str:
    www, colon, scheme = match.groups()
    return f"{www}\\." if www else "\\:" if colon else f"{scheme}\\:"


def _break_block(match: re.Match[str]) -> str:
    indent, start = match.groups()
    # A digit cannot be escaped with a backslash, so its list marker is kept off by an entity.
    return f"{indent}&#{ord(start[0])};{start[1:]}" if start[0].isdigit() else f"{indent}\\{start}"


def json_text(dumped: str) -> str:
    """Return a JSON document with hidden characters escaped: the same value, harmless on a terminal."""
    return _HIDDEN.sub(_json_escape, dumped)


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def cell(text: str) -> str:
    """Return ``text`` for a CSV or XLSX cell: hidden characters shown, a formula start prefixed with ``'``."""
    formula = text.startswith(FORMULA_STARTS) or text.lstrip(" \n\xa0\u3000\ufeff").startswith(FORMULA_STARTS)
    shown = visible(text, tab="\t")
    return f"'{shown}" if formula else shown


__all__ = [
    "FORMULA_STARTS",
    "cell",
    "html_line",
    "html_text",
    "json_text",
    "line",
    "markdown_line",
    "visible",
]
