"""One entity in words, bars and quotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.views.bars import BarSet, opinion_bars
from app.views.layout import wrap
from app.views.safe import line

if TYPE_CHECKING:
    from store.registry import EntityRecord


def entity_lines(
    record: EntityRecord, quotes: Sequence[tuple[str, str, int]], width: int = 80, *, ascii: bool = False
) -> list[str]:
    """Return name, place in the tree, aliases, the opinion distribution, and quotes of each side.

    Parameters
    ----------
    quotes
        ``(document, quote, score)``.
    """
    part = f", part of {line(record.parent)}" if record.parent else ""
    head = f"{line(record.name)} ({line(record.key)}), {record.documents:,} documents{part}"
    out = wrap(head, width, ascii=ascii)
    out += wrap(
        f"also: {', '.join(line(form) for form in record.aliases)}", width, first="", rest="  ", ascii=ascii
    )
    total = sum(record.counts)
    if total:
        shares = tuple(each / total for each in record.counts)
        out += opinion_bars([BarSet("population", shares, total)], width=width, ascii=ascii)
    for document, quote, score in quotes:
        text = f"“{line(quote, limit=160)}” ({line(document)})"
        out += wrap(text, width, first=f"  {score:+3d} ", ascii=ascii)
    return out


__all__ = ["entity_lines"]
