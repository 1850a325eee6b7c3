"""Plain aligned tables, and the lists that the command line and the terminal app print.

Rows are small frozen records or sequences of strings; every cell is made visible, so hostile text stays text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.views.bars import mini
from app.views.formats import count, number, percent
from app.views.layout import Align, cut, pad, width_of, wrap
from app.views.safe import line

_CELL_LIMIT: Final = 400


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    width: int = 80,
    *,
    align: str = "",
    ascii: bool = False,
) -> list[str]:
    """Return an aligned table of at most ``width`` cells.

    Parameters
    ----------
    align
        One letter a column: ``l`` left, ``r`` right, ``L`` left and the first to be narrowed when room is short,
        ``T`` the same for a cell that is visible already and keeps its blanks (a branch of a tree).
    """
    head = [line(text, limit=40, ascii=ascii) for text in headers]
    align = align.ljust(len(head), "l")
    cells = [
        [
            text if side == "T" else line(text, limit=_CELL_LIMIT, ascii=ascii)
            for text, side in zip(row, align, strict=False)
        ]
        for row in rows
    ]
    widths = [max([width_of(head[i]), *(width_of(row[i]) for row in cells)]) for i in range(len(head))]
    _narrow(widths, align, width - 2 * (len(head) - 1))
    rule = "-" if ascii else "─"
    out = [_row(head, widths, align, ascii), (rule * (sum(widths) + 2 * (len(head) - 1)))[:width]]
    out += [_row(row, widths, align, ascii) for row in cells]
    return [text[:width] if text.isascii() else cut(text, width, ascii=ascii) for text in out]


def _row(cells: Sequence[str], widths: Sequence[int], align: str, ascii: bool) -> str:
    sides: list[Align] = ["right" if letter == "r" else "left" for letter in align]
    return "  ".join(
        pad(text, size, side, ascii=ascii) for text, size, side in zip(cells, widths, sides, strict=False)
    ).rstrip()


def _narrow(widths: list[int], align: str, room: int) -> None:
    """Take cells from the widest flexible columns until the row fits."""
    flexible = [i for i, letter in enumerate(align[: len(widths)]) if letter in "LT"]
    for pool, least in ((flexible, 8), (range(len(widths)), 3)):
        while sum(widths) > room:
            widest = max(pool, key=lambda i: widths[i], default=None)
            if widest is None or widths[widest] <= least:
                break
            others = sorted((widths[i] for i in pool if i != widest), reverse=True)
            step = max(1, widths[widest] - max(least, others[0] if others else least))
            widths[widest] -= min(step, sum(widths) - room)


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity as listed: its place in the tree, documents about it, counts over the seven bins."""

    key: str
    name: str
    parent: str | None = None
    documents: int = 0
    counts: tuple[int, ...] = ()
    aliases: tuple[str, ...] = ()
    curated: bool = False


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as listed."""

    external_id: str
    title: str = ""
    date: str = ""
    rating: float | None = None
    author: str = ""
    text: str = ""
    score: int | None = None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source with its books: rows read = new + updated + unchanged + quarantined."""

    name: str
    read: int
    new: int
    updated: int
    unchanged: int
    quarantined: int
    state: str = ""

    @property
    def balanced(self) -> bool:
        """Tell whether the books balance."""
        return self.read == self.new + self.updated + self.unchanged + self.quarantined


@dataclass(frozen=True, slots=True)
class QuarantineRow:
    """A row that was not ingested, and why."""

    source: str
    row: int
    reason: str
    attempts: int = 1
    raw: str = ""


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A corpus as listed."""

    name: str
    documents: int
    enriched: int = 0
    entities: int = 0
    opinions: int = 0
    embedder: str = ""


def tree_order(
    rows: Sequence[EntityRow], *, collapsed: Collection[str] = (), ascii: bool = False
) -> list[tuple[EntityRow, str]]:
    """Return the entities in the order of their tree, each with its branch; what is below a collapsed one is left out.

    An entity whose parent is unknown, or whose ancestors form a ring, stands at the top tier.
    """
    known = {row.key for row in rows}
    children: dict[str | None, list[EntityRow]] = {}
    for row in rows:
        parent = row.parent if row.parent in known and row.parent != row.key else None
        children.setdefault(parent, []).append(row)
    listed: list[tuple[EntityRow, str]] = []
    seen: set[str] = set()
    tee, end, stem = ("|- ", "`- ", "|  ") if ascii else ("├ ", "└ ", "│ ")

    def add(row: EntityRow) -> None:
        stack = [(row, "", "", True)]
        while stack:
            each, before, mark, shown = stack.pop()
            if each.key in seen:
                continue
            seen.add(each.key)
            if shown:
                listed.append((each, before + mark))
            below = children.get(each.key, [])
            inner = before + ("" if not mark else stem if mark == tee else " " * len(end))
            open_ = shown and each.key not in collapsed
            stack += [
                (child, inner, end if i == len(below) - 1 else tee, open_) for i, child in enumerate(below)
            ][::-1]

    for row in children.get(None, []):
        add(row)
    for row in rows:
        add(row)
    return listed


def entities_tree(
    rows: Sequence[EntityRow], width: int = 80, *, ascii: bool = False, collapsed: Collection[str] = ()
) -> list[str]:
    """Return the entities as a tree with documents, mini distribution and share of positive and negative.

    What stands below a ``collapsed`` entity is left out, and the entity is marked with ``+``; see :func:`tree_order`.
    """
    listed = tree_order(rows, collapsed=collapsed, ascii=ascii)
    cells = [
        (
            lead
            + line(row.name, limit=200, ascii=ascii)
            + (" *" if row.curated else "")
            + (" +" if row.key in collapsed else ""),
            count(row.documents),
            mini(_shares(row.counts), ascii=ascii),
            _side(row.counts, 4, 7),
            _side(row.counts, 0, 3),
            ", ".join(row.aliases),
        )
        for row, lead in listed
    ]
    head = ("entity", "docs", "- 0 +", "pos", "neg", "aliases")
    out = table(head, cells, width, align="TrlrrL", ascii=ascii)
    return [*out, "* curated"] if any(row.curated for row in rows) else out


def _shares(counts: Sequence[int]) -> list[float]:
    total = sum(counts)
    return [c / total if total else 0.0 for c in counts] if counts else [0.0] * 7


def _side(counts: Sequence[int], start: int, stop: int) -> str:
    total = sum(counts)
    return percent(sum(counts[start:stop]) / total) if total else "-"


def documents_table(rows: Iterable[DocumentRow], width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return documents, one a line: id, date, rating, opinion score, author, title or beginning of the text.

    Rating and score are left out where no document has one, the author where room is short.
    """
    listed = list(rows)
    wide = width >= 100
    columns = [("id", "l" if not wide else "L"), ("date", "l")]
    columns += [("rating", "r")] if any(row.rating is not None for row in listed) else []
    columns += [("score", "r")] if any(row.score is not None for row in listed) else []
    columns += [("author", "L")] if wide else []
    names = [name for name, _ in columns]
    cells = []
    for row in listed:
        values = {
            "id": row.external_id if wide else line(row.external_id, limit=12, ascii=ascii),
            "date": row.date,
            "rating": number(row.rating),
            "score": "-" if row.score is None else f"{row.score:+d}" if row.score else "0",
            "author": row.author,
        }
        cells.append([*(values[name] for name in names), row.title or row.text[:_CELL_LIMIT]])
    align = "".join(side for _, side in columns) + "L"
    return table([*names, "text"], cells, width, align=align, ascii=ascii)


def sources_table(rows: Iterable[SourceRow], width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return sources with their books, and a line of words for each whose books do not balance."""
    listed = list(rows)
    cells = [
        (
            row.name,
            count(row.read),
            count(row.new),
            count(row.updated),
            count(row.unchanged),
            count(row.quarantined),
            row.state or ("balanced" if row.balanced else "NOT BALANCED"),
        )
        for row in listed
    ]
    head = ("source", "read", "new", "updated", "unchanged", "quarantined", "state")
    out = table(head, cells, width, align="Lrrrrrl", ascii=ascii)
    for row in listed:
        if not row.balanced:
            total = row.new + row.updated + row.unchanged + row.quarantined
            text = f"! {line(row.name, limit=200)}: {count(row.read)} rows read, {count(total)} accounted for"
            out += wrap(text, width, ascii=ascii)
    return out


def quarantine_table(rows: Iterable[QuarantineRow], width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return quarantined rows: source, row, attempts, reason, beginning of the raw text."""
    cells = [
        (row.source, count(row.row), str(row.attempts), row.reason, row.raw[:_CELL_LIMIT]) for row in rows
    ]
    return table(("source", "row", "tries", "reason", "raw"), cells, width, align="LrrLL", ascii=ascii)


def corpora_table(rows: Iterable[CorpusRow], width: int = 80, *, ascii: bool = False) -> list[str]:
    """Return corpora with how much of each is enriched."""
    cells = [
        (
            row.name,
            count(row.documents),
            percent(row.enriched / row.documents) if row.documents else "-",
            count(row.entities),
            count(row.opinions),
            row.embedder,
        )
        for row in rows
    ]
    head = ("corpus", "documents", "enriched", "entities", "opinions", "embedder")
    return table(head, cells, width, align="LrrrrL", ascii=ascii)


__all__ = [
    "CorpusRow",
    "DocumentRow",
    "EntityRow",
    "QuarantineRow",
    "SourceRow",
    "corpora_table",
    "documents_table",
    "entities_tree",
    "quarantine_table",
    "sources_table",
    "table",
    "tree_order",
]
