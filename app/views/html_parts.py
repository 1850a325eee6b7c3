"""Small pieces of the HTML receipt: tables, lists, tiles and the answer; every string from outside is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from app.views.safe import html_line, html_text

_FIELD: Final = 600
_PROSE: Final = 20_000
_BULLET: Final = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_CITED: Final = re.compile(r"\[(\d{1,4})\]")
_STRONG: Final = re.compile(r"\*\*([^*]+)\*\*")


def text(value: str) -> str:
    """Return one escaped line whose writing direction stays its own."""
    return f"<bdi>{html_line(value, limit=_FIELD)}</bdi>"


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


def table(
    caption: str,
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    align: str,
    *,
    chosen: int = -1,
    total: bool = False,
) -> str:
    """Return a table in a box that scrolls sideways on a narrow screen.

    ``align`` has one letter a column: ``l``, ``r``, ``t`` (long text) or ``m`` (a mark such as ``!``).
    """
    kinds = {"l": "", "r": ' class="r"', "t": ' class="t"', "m": ' class="mark"'}
    head = "".join(
        f'<th scope="col"{kinds[side] if side == "r" else ""}>{html_line(label, limit=80)}</th>'
        for label, side in zip(headers, align, strict=True)
    )
    lines = []
    for index, row in enumerate(rows):
        cells = "".join(
            f'<th scope="row"{kinds[side]}>{text(cell)}</th>'
            if place == 0 and cell
            else f"<td{kinds[side]}>{text(cell)}</td>"
            for place, (cell, side) in enumerate(zip(row, align, strict=True))
        )
        mark = ' class="chosen"' if index == chosen else ""
        lines.append(f"<tr{mark}>{cells}</tr>")
    foot = f"<tfoot>{lines.pop()}</tfoot>" if total and lines else ""
    title = html_line(caption, limit=200)
    return (
        f'<div class="scroll" role="region" aria-label="{title}" tabindex="0"><table><caption>{title}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>{foot}</table></div>"
    )


def figure(plot: str, *words: str, legend: str = "") -> str:
    """Return a plot with its words."""
    told = "".join(f'<p class="note">{text(each)}</p>' if each else "" for each in words)
    caption = f"<figcaption>{told}</figcaption>" if told else ""
    return f"<figure>{legend}{plot}{caption}</figure>"


def tile(value: str, what: str, than: str = "") -> str:
    """Return one headline figure."""
    more = f'<span class="than">{text(than)}</span>' if than else ""
    return f'<li><b>{text(value)}</b><span class="what">{text(what)}</span>{more}</li>'


def code(value: str) -> str:
    """Return preformatted text."""
    return f"<pre><code>{html_text(value[:_PROSE])}</code></pre>"


def answer(value: str, cited: Iterable[int]) -> str:
    """Return the answer as paragraphs and lists, ``[n]`` linked to its citation, ``**words**`` strong; nothing else acts."""
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


__all__ = ["answer", "code", "facts", "figure", "items", "section", "table", "text", "tile"]
