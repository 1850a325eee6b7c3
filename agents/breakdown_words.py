"""Counts by value in plain words: which value is first and whether its lead is more than chance, or all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from agents.fairness.quality import wilson
from agents.leads import Mean, counts_apart, means_apart, not_behind, slope
from agents.models.router_breakdown import Kind, Measure, Order
from agents.part_counts import FEWEST, difference, part_words
from store.breakdowns import Row
from store.receipt import CountAudit

#: Values shown of a column; of periods (the last ones) and of ratings.
MOST_VALUES: Final = 8
MOST_PERIODS: Final = 24
_LONGEST_NAME: Final = 80
_CONFIDENT: Final = "with 95 % confidence"
Apart = Callable[[Row, Row], tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows, and what is counted of each.

    Attributes
    ----------
    rows
        In the order of their values.
    kind, by
        What tells them apart, and what it is called ("city", "month").
    measure
        As in ``Asked``; of ``views`` the positive share is told.
    on
        " on staff", or nothing where no entity is asked about.
    labels
        Whose labels the views are.
    sql
        The statement that counted.
    spread
        Pooled variance of the ratings within the values.
    """

    rows: tuple[Row, ...]
    kind: Kind
    by: str
    measure: Measure
    on: str
    labels: str
    sql: str
    spread: float = 0.0

    @property
    def side(self) -> str:
        """The side whose share is told."""
        return "negative" if self.measure == "negative" else "positive"

    @property
    def total(self) -> int:
        """Documents of all rows; of things, of which a document may name several, the sum says nothing."""
        return sum(self.documents(row) for row in self.rows)

    @property
    def kept(self) -> list[Row]:
        """Rows with enough documents for a share or a mean; any row where documents themselves are counted."""
        return [row for row in self.rows if self.measure == "documents" or self.base(row) >= FEWEST]

    def documents(self, row: Row) -> int:
        """Documents of a value: those with a view on the entities, where any is asked about."""
        return row.held if self.on else row.documents

    def base(self, row: Row) -> int:
        """Documents that the value's share or mean stands on."""
        return {"rating": row.rated, "documents": self.documents(row)}.get(self.measure, row.held)

    def value(self, row: Row) -> int:
        """Documents counted."""
        return {
            "negative": row.negative,
            "rating": row.rated,
            "documents": self.documents(row),
        }.get(self.measure, row.positive)

    def mean(self, row: Row) -> Mean:
        """Return the value's mean rating, or its share as the mean of noughts and ones."""
        if self.measure == "rating":
            return Mean(row.mean, row.rated, row.variance)
        share = self.value(row) / row.held
        return Mean(share, row.held, share * (1 - share))

    def rating(self, row: Row) -> Mean:
        """Return the value's mean rating with at least the pooled variance: ten equal ratings are no certainty."""
        return Mean(row.mean, row.rated, max(row.variance, self.spread))


@dataclass(frozen=True, slots=True)
class _Lead:
    """The first value, the runner-up, and whether the first is ahead of all others by more than chance."""

    first: Row
    runner_up: Row
    verdict: str


def ranked(table: Table, order: Order, *, by_number: bool = True) -> str:
    """Say which value has the most (or least), its runner-up, and whether its lead is more than chance.

    Most views of a side are told by number (where asked) and by share, least by share alone: the fewest are on whatever
    is least spoken of. Values with fewer than ``FEWEST`` documents are not ranked.
    """
    kept, most = table.kept, order == "most"
    if len(kept) < 2:
        enough = f"at least {FEWEST} {_documents(table)}"
        if not kept:
            return f"No {table.by} has {enough}: too few to tell which comes first."
        return f"Only {said(kept[0].value)} has {enough}: there is nothing to rank it against."
    if table.measure == "documents":
        found = _lead_of_counts(table, kept, order)
        return _told(table, found, f"the {'most' if most else 'fewest'} {_documents(table)}")
    share = _lead_of_means(table, kept, order)
    if table.measure == "rating":
        return _told(table, share, f"the {'highest' if most else 'lowest'} mean rating")
    views = f"{table.side} views{table.on}"
    if not (most and by_number):
        return _told(table, share, f"the {'largest' if most else 'smallest'} share of {views}")
    number = _lead_of_counts(table, kept, order)
    if share.first == number.first:
        both = _told(table, number, f"the most {views}, by number and by share")
        same = (share.runner_up, share.verdict) == (number.runner_up, number.verdict)
        return both if same else f"{both} Next by share: {_next(table, share)}"
    return (
        f"By number: {_told(table, number, f'the most {views}')}\n"
        f"By share: {_told(table, share, f'the largest share of {views}')}"
    )


def _told(table: Table, lead: _Lead, what: str) -> str:
    first = _figure(table, lead.first, " documents with a view", _CONFIDENT)
    return f"{said(lead.first.value)} has {what}: {first}. Next: {_next(table, lead)}"


def _next(table: Table, lead: _Lead) -> str:
    return f"{said(lead.runner_up.value)}, {_figure(table, lead.runner_up)}; {lead.verdict}."


def listing(table: Table, order: tuple[Order, ...]) -> tuple[list[str], list[Row]]:
    """Return a line a value under a heading, and the rows shown: in their order, or the largest share first."""
    labels = "" if table.measure in ("documents", "rating") else f" ({table.labels} labels)"
    if table.kind in ("date", "rating") and not order:
        rows, more = list(table.rows[-MOST_PERIODS:]), len(table.rows) - MOST_PERIODS
        heading = f"{_subject(table)} by {table.by}{labels}:"
        left = f"{more} earlier ones are left out here" if more > 0 else ""
    else:
        least = order == ("least",)
        # Things are ranked by how many speak of them: the largest share is often on one that few do.
        by_number = table.kind == "entity" and not least
        kept = (_by_number if by_number else _sorted)(table, table.kept, "least" if least else "most")
        enough = {row.value for row in kept}
        few = [row for row in table.rows if row.value not in enough]
        rows, more = (kept or few)[:MOST_VALUES], len(kept) - MOST_VALUES
        first = (
            ("lowest" if least else "highest")
            if table.measure == "rating"
            else "smallest"
            if least
            else "largest"
        )
        told = "" if table.measure in ("documents", "rating") else " number" if by_number else " share"
        heading = f"{_subject(table)} by {table.by}{labels}, {first}{told} first:"
        left = "; ".join(
            f"{n:,}{what}"
            for n, what in (
                (more, " more are counted by the same statement"),
                (len(few) if kept else 0, f" with fewer than {FEWEST} {_documents(table)}: too few to tell"),
            )
            if n > 0
        )
    lines = [heading, *(f"- {_line(table, row)}" for row in rows)]
    return [*lines, f"{left}."] if left else lines, rows


def trend(table: Table) -> str:
    """Say whether the share or the mean rises or falls on a straight line by more than chance; empty without a line."""
    rows = [row for row in table.rows if table.base(row)]
    if table.measure == "documents" or len(rows) < 3 or sum(map(table.base, rows)) < FEWEST:
        return ""
    change, low, high = slope([_time(row.value) for row in rows], [table.mean(row) for row in rows])
    scale, unit, digits = (1, "", 2) if table.measure == "rating" else (100, " points", 1)
    told = "the mean rating" if table.measure == "rating" else f"the {table.side} share"
    period = table.by if table.by in ("year", "quarter", "month", "day") else "period"
    interval = f"{scale * low:+.{digits}f} to {scale * high:+.{digits}f} {_CONFIDENT}"
    if low <= 0 <= high:
        return (
            f"On a straight line {told} neither rises nor falls by more than chance"
            f" ({scale * change:+.{digits}f}{unit} a {period}, {interval})."
        )
    direction = "rises" if change > 0 else "falls"
    return (
        f"On a straight line {told} {direction} by {abs(scale * change):.{digits}f}{unit} a {period} ({interval}):"
        " more than chance."
    )


def audits(table: Table, row: Row) -> list[CountAudit]:
    """Return the counts of a row for the receipt: both sides of its views, or the one number that is told."""
    if table.measure == "views":
        return [
            _audit(table, row, f"documents with a {side} view{table.on}", value, row.held)
            for side, value in (("positive", row.positive), ("negative", row.negative))
        ]
    if table.measure == "documents":
        return [_audit(table, row, _documents(table), table.documents(row), table.total)]
    if table.measure == "rating":
        mean = f", on average {row.mean:.2f}" if row.rated else ""
        return [_audit(table, row, f"documents that carry a rating{mean}", row.rated, row.documents)]
    told = f"documents with a {table.side} view{table.on}"
    return [_audit(table, row, told, table.value(row), row.held)]


def said(value: str) -> str:
    """Return a value on one line, at most 80 characters of it."""
    plain = " ".join(value.split())
    return plain if len(plain) <= _LONGEST_NAME else f"{plain[: _LONGEST_NAME - 1]}…"


def _audit(table: Table, row: Row, told: str, value: int, total: int) -> CountAudit:
    name = said(row.value)
    share = value / total if total else 0.0
    return CountAudit(
        label=f"{name}: {told}", value=value, total=total, share=share, sql=table.sql, part=name
    )


def _line(table: Table, row: Row) -> str:
    name = said(row.value)
    if table.measure == "views":
        held = _audit(table, row, "documents with a view", row.held, row.documents)
        return part_words(name, (held, *audits(table, row)))
    if table.measure == "rating" and not row.rated:
        return f"{name}: no rating"
    return f"{name}: {_figure(table, row, ' documents with a view')}{_few(table, row)}"


def _few(table: Table, row: Row) -> str:
    return "; too few to tell" if table.measure != "documents" and table.base(row) < FEWEST else ""


def _figure(table: Table, row: Row, of: str = "", confident: str = "") -> str:
    """Return what is told of a value: ``80 of 320 documents with a view (25 %, 20-30 % with 95 % confidence)``."""
    if table.measure == "rating":
        return _rating(table, row, confident)
    value = table.value(row)
    n = table.total if table.measure == "documents" else row.held
    share = value / n if n else 0.0
    if table.measure == "documents":
        # Things overlap in documents: shares of their sum would say nothing.
        return f"{value:,}" if table.kind == "entity" else f"{value:,} of {n:,} ({100 * share:.0f} %)"
    if n < FEWEST:
        return f"{value:,} of {n:,}{of}"
    found = wilson(share, n)
    interval = f"{100 * found.low:.0f}-{100 * found.high:.0f} %{f' {confident}' if confident else ''}"
    return f"{value:,} of {n:,}{of} ({100 * share:.0f} %, {interval})"


def _rating(table: Table, row: Row, confident: str = "") -> str:
    """Return a mean rating with its interval: ``4.61 (4.50 to 4.72, 120 documents)``."""
    documents = f"{row.rated:,} {'document' if row.rated == 1 else 'documents'}"
    if row.rated < FEWEST:
        return f"{row.mean:.2f} ({documents})"
    low, high = table.rating(row).interval
    return f"{row.mean:.2f} ({low:.2f} to {high:.2f}{f' {confident}' if confident else ''}, {documents})"


def _documents(table: Table) -> str:
    """Return what is counted in full: "documents with a view on staff"."""
    if table.measure == "rating":
        return "documents with a rating"
    views = table.on or table.measure != "documents" or table.kind == "entity"
    return f"documents with a view{table.on}" if views else "documents"


def _subject(table: Table) -> str:
    """Return what a listing is of: "Negative views on staff"."""
    told = {"documents": _documents(table), "rating": "mean rating", "views": f"views{table.on}"}
    words = told.get(table.measure, f"{table.side} views{table.on}")
    return words[0].upper() + words[1:]


def _sorted(table: Table, rows: Sequence[Row], order: Order) -> list[Row]:
    """Sort by the share or mean told, by number where documents are counted; ties: more documents, then the name."""
    sign = -1 if order == "most" else 1

    def key(row: Row) -> tuple[float, int, str]:
        told = table.value(row) if table.measure == "documents" else table.mean(row).value
        return sign * told, -table.base(row), row.value

    return sorted(rows, key=key)


def _by_number(table: Table, rows: Sequence[Row], order: Order) -> list[Row]:
    sign = -1 if order == "most" else 1
    return sorted(rows, key=lambda row: (sign * table.value(row), row.value))


def _lead_of_means(table: Table, rows: Sequence[Row], order: Order) -> _Lead:
    ordered = _sorted(table, rows, order)
    if table.measure == "rating":
        return _lead(ordered, lambda a, b: means_apart(table.rating(a), table.rating(b)))
    return _lead(ordered, lambda a, b: difference((table.value(a), a.held), (table.value(b), b.held)))


def _lead_of_counts(table: Table, rows: Sequence[Row], order: Order) -> _Lead:
    return _lead(_by_number(table, rows, order), lambda a, b: counts_apart(table.value(a), table.value(b)))


def _lead(ordered: Sequence[Row], apart: Apart) -> _Lead:
    first, runner_up, *_ = ordered
    level = not_behind(first, ordered[1:], apart)
    others = [said(row.value) for row in level if row is not runner_up]
    names = ", ".join(others[:2]) + (f" and {len(others) - 2} more" if len(others) > 2 else "")
    if runner_up in level:
        lead = "there is no lead" if not apart(first, runner_up)[0] else "the lead is no more than chance"
        return _Lead(first, runner_up, f"{lead}{f', nor over {names}' if names else ''}")
    return _Lead(
        first, runner_up, f"the lead is more than chance{f', but not over {names}' if names else ''}"
    )


def _time(value: str) -> int:
    """Return the number of a year, quarter, month or day, counted without gaps."""
    year, *rest = re.findall(r"\d+", value)
    if len(rest) == 2:
        return date(int(year), int(rest[0]), int(rest[1])).toordinal()
    if not rest:
        return int(year)
    return int(year) * (4 if "Q" in value else 12) + int(rest[0])


__all__ = ["MOST_PERIODS", "MOST_VALUES", "Table", "audits", "listing", "ranked", "said", "trend"]
