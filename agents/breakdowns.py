"""Counts by the values of a column, as a question asks for them: counted in one SQL statement, said before all else."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agents.breakdown_columns import columns
from agents.breakdown_words import Table, audits, listing, ranked, trend
from agents.context import RagContext
from agents.leads import Mean, pooled_variance
from agents.models.router_breakdown import Asked, Measure
from agents.models.router_values import told_value
from agents.part_counts import Compared
from agents.pools import document_filter
from agents.state import RagState
from store.breakdowns import Axis, Breakdown
from store.receipt import CountAudit

#: Where a question names no unit of time, fewer years than these are told apart by month.
_FEW_YEARS: Final = 3


def asked_of(state: RagState) -> Asked | None:
    """Return the counts by value that the question asks for; None where it asks of one thing and not of all things."""
    if not state["breakdown"]:
        return None
    asked = Asked(**{**state["breakdown"], "order": tuple(state["breakdown"]["order"])})
    of_one = asked.kind == "entity" and (state["entities"] or state["unmatched"])
    return None if of_one or state["route"]["kind"] == "factual" else asked


def break_down(state: RagState, context: RagContext) -> Compared:
    """Count by value what the question asks for; nothing where it asks for no such counts."""
    asked = asked_of(state)
    if asked is None:
        return Compared()
    if asked.kind == "attribute" and not asked.name:
        return Compared(warning=f"no column of this corpus is called `{asked.noun}`: not told apart by it")
    if state["unmatched"]:
        return Compared(
            warning=f"`{state['unmatched']}` is no entity of this corpus: not told apart by {asked.noun}"
        )
    measure, warning = _measure(asked, state, context)
    table = _table(asked, measure, state, context)
    if not any(map(table.base, table.rows)):
        return Compared(warning=f"no document of this corpus tells its {table.by}: not told apart by it")
    found = [ranked(table, order, by_number=asked.by_number) for order in asked.order]
    lines, rows = listing(table, asked.order)
    if not asked.order and asked.kind == "date":
        found += [told] if (told := trend(table)) else []
    elif not asked.order and measure != "documents" and len(table.kept) > 1:
        found.append(ranked(table, "most", by_number=False))
    untold = _untold(table, state, context)
    counts: list[CountAudit] = [audit for row in rows for audit in audits(table, row)]
    return Compared("\n".join([*found, *lines, *untold]), tuple(counts), warning)


def _measure(asked: Asked, state: RagState, context: RagContext) -> tuple[Measure, str]:
    """Return what can be counted: a document's own rating is none of one entity, and some corpora carry none."""
    if asked.measure != "rating":
        return asked.measure, ""
    if state["entities"]:
        return "positive", ""
    if context.opinions.rated(context.corpus.id):
        return "rating", ""
    return "positive", "no document of this corpus carries a rating: told by views instead"


def _table(asked: Asked, measure: Measure, state: RagState, context: RagContext) -> Table:
    name = asked.name
    if asked.kind == "date" and not name:
        years = _count(asked, "year", measure, state, context)
        name = "year" if len(years.rows) >= _FEW_YEARS else "month"
    found = _count(asked, name, measure, state, context)
    rows = found.rows
    if asked.kind == "entity":
        # A part's views are in its whole already, and the reviewed thing itself ("hotel") is no answer to "what".
        reviewed = {noun for noun, column in columns(context).items() if column[0] == "subject"}
        whole = {entity.name for entity in context.entities() if entity.parent is None} - reviewed
        rows = tuple(row for row in rows if row.value in whole)
    if asked.kind == "attribute":
        rows = tuple(replace(row, value=told_value(name, row.value)) for row in rows)
    by = name if asked.kind == "date" else asked.noun
    subject = " and ".join(item["name"] for item in state["entities"])
    on = f" on {subject}" if subject else ""
    spread = pooled_variance([Mean(row.mean, row.rated, row.variance) for row in rows])
    return Table(rows, asked.kind, by, measure, on, context.extractor, found.sql, spread)


def _count(asked: Asked, name: str, measure: Measure, state: RagState, context: RagContext) -> Breakdown:
    views = bool(state["entities"]) or measure in ("positive", "negative", "views")
    return context.opinions.breakdown(
        context.corpus.id,
        Axis(asked.kind, name),
        state["entity_ids"] if views else None,
        context.extractor,
        document_filter(state),
    )


def _untold(table: Table, state: RagState, context: RagContext) -> list[str]:
    """Say how many documents name no value of the column."""
    if table.kind == "entity":
        return []
    among = state["filters"][0]["documents"] if state["filters"] else context.document_count()
    missing = among - sum(row.documents for row in table.rows)
    return [f"{missing:,} of {among:,} documents tell no {table.by}."] if missing > 0 else []


__all__ = ["asked_of", "break_down"]
