"""Small pieces of the HTML receipt: tables, lists, tiles and the answer; every string from outside is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from app.views.rows import Listing
from app.views.safe import html_line, html_text

_FIELD: Final = 600
_PROSE: Final = 20_000
_BULLET: Final = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_CITED: Final = re.compile(r"\[(\d{1,4})\]")
_STRONG: Final = re.compile(r"\*\*([^*]+)\*\*")


def text(value: str, limit: int = _FIELD) -> str:
    """Return one escaped line whose writing direction stays its own, cut at ``limit`` characters."""
    return f"<bdi>{html_line(value, limit=limit)}</bdi>"


def section(title: str, *parts: str, kind: str = "") -> str:
    """Return a titled section; ``kind`` is its class and the stem of its heading's id."""
    name = kind or title.lower().replace(" ", "-")
    inner = "".join(parts)
    return (
        f'<section class="{name}" aria-labelledby="h-{name}"><h2 id="h-{name}">{title}</h2>{inner}</section>'
    )


def items(texts: Iterable[str]) -> str:
    """Return a list of escaped lines, nothing when there are none."""
    listed = "".join(f"<li>{text(each)}</li>" for each in texts)
    return f"<ul>{listed}</ul>" if listed else ""


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a description list of the pairs that have a value."""
    listed = "".join(f"<dt>{text(label)}</dt><dd>{text(value)}</dd>" for label, value in pairs if value)
    return f"<dl>{listed}</dl>" if listed else ""


def listing(caption: str, rows: Listing, *, chosen: int = -1, total: bool = False) -> str:
    """Return a table in a box that scrolls sideways on a narrow screen.

    ``chosen`` is the index of a row to point out; ``total`` sets the last row apart.
    """
    kinds = {"l": "", "r": ' class="r"', "L": ' class="t"'}
    sides = [kinds[side] for side in rows.align]
    head = "".join(
        f'<th scope="col"{side if "r" in side else ""}>{text(label, 80)}</th>'
        for label, side in zip(rows.headers, sides, strict=True)
    )
    lines = []
    for index, row in enumerate(rows.rows):
        cells = [f"<td{side}>{text(cell)}</td>" for cell, side in zip(row, sides, strict=True)]
        cells[0] = f'<th scope="row"{sides[0]}>{text(row[0])}</th>'
        mark = ' class="chosen"' if index == chosen else ""
        lines.append(f"<tr{mark}>{''.join(cells)}</tr>")
    foot = f"<tfoot>{lines.pop()}</tfoot>" if total and lines else ""
    title = html_line(caption, limit=200)
    return (
        f'<div class="scroll" role="region" aria-label="{title}" tabindex="0"><table><caption>{title}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>{foot}</table></div>"
    )


def figure(plot: str, *words: str, legend: str = "", kind: str = "note") -> str:
    """Return a plot with its words."""
    told = "".join(f'<p class="{kind}">{text(each)}</p>' if each else "" for each in words)
    caption = f"<figcaption>{told}</figcaption>" if told else ""
    return f"<figure>{legend}{plot}{caption}</figure>"


def tile(value: str, what: str, than: str = "") -> str:
    """Return one headline figure."""
    more = f'<span class="than">{text(than, 80)}</span>' if than else ""
    return f'<li><b>{text(value, 40)}</b><span class="what">{text(what, 80)}</span>{more}</li>'


def code(value: str) -> str:
    """Return preformatted text."""
    return f"<pre><code>{html_text(value[:_PROSE])}</code></pre>"


def answer(value: str, cited: Iterable[int]) -> str:
    """Return the answer as paragraphs and lists: ``[n]`` linked to its citation, ``**words**`` strong, no more."""
    numbers = set(cited)
    out: list[str] = []
    bullets: list[str] = []

    def flush() -> None:
        if bullets:
            listed = "".join(f'<li dir="auto">{each}</li>' for each in bullets)
            out.append(f"<ul>{listed}</ul>")
            bullets.clear()

    def link(match: re.Match[str]) -> str:
        number = int(match.group(1))
        return f'<a href="#cite-{number}">[{number}]</a>' if number in numbers else match.group()

    for escaped in html_text(value[:_PROSE]).split("\n"):
        shown = _STRONG.sub(r"<strong>\1</strong>", _CITED.sub(link, escaped))
        mark = _BULLET.match(shown)
        if mark:
            bullets.append(shown[mark.end() :])
            continue
        flush()
        if shown.strip():
            out.append(f'<p dir="auto">{shown}</p>')
    flush()
    if len(value) > _PROSE:
        out.append(f'<p class="note">Cut here; the answer has {len(value):,} characters.</p>')
    return "".join(out) or '<p class="note">No answer.</p>'


__all__ = ["answer", "code", "facts", "figure", "items", "listing", "section", "text", "tile"]
