"""Evaluations as one self-contained HTML page: no script, no network; plots, tables, and what each table stands on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from agents.evaluation.report import EvaluationReport, Plot, Table
from app.views import html_parts as part
from app.views.evaluation import aligned, stands_on, with_intervals
from app.views.evaluation_plots import plot_legend, plot_svg
from app.views.formats import plural
from app.views.receipt_html import page
from app.views.rows import Listing
from app.views.safe import html_line

#: A table with more rows than this is folded: it is there for those who look for a figure.
_FOLDED = 16
_PAGE = """
main, header, footer { max-width: 78rem; }
main a { color: var(--retrieved); }
.plots { display: grid; gap: 1.25rem 2rem; margin-bottom: 1.5rem; }
.plots { grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }
.plots figure { margin: 0; min-width: 0; }
.plots h3 { margin-top: .25rem; }
.summary { font-size: 1.0625rem; }
details { border-top: 1px solid var(--line); padding: .6rem 0; }
details > summary { cursor: pointer; font-weight: 600; }
details > summary .rows { color: var(--soft); font-weight: 400; font-size: .875rem; }
details > summary:focus-visible { outline: 2px solid var(--retrieved); outline-offset: 2px; }
details .scroll { margin-top: .5rem; }
details caption { display: none; }
.stands { border: 0; padding: 0; font-size: .8125rem; color: var(--soft); }
.stands > summary { font-weight: 400; }
.note ul, ul.note { margin-bottom: .5rem; }
@media print { details > * { display: block; } .plots { display: block; } }
"""


@cache
def _style() -> str:
    return files("app.views").joinpath("evaluation.css").read_text(encoding="utf-8") + _PAGE


def evaluation_html(reports: Sequence[EvaluationReport], made_at: str, notes: Sequence[str] = ()) -> str:
    """Return the page.

    Parameters
    ----------
    made_at
        When the figures were made.
    notes
        What is missing or weaker than it should be; shown first.
    """
    title = "Evaluation" if len(reports) != 1 else f"Evaluation: {reports[0].name}"
    tables = sum(len(report.tables) for report in reports)
    plots = sum(len(report.plots) for report in reports)
    head = (
        '<header><p class="brand">Evenhand evaluation</p>'
        f"<h1>{html_line(title)}</h1>"
        f'<p class="meta">{plural(len(reports), "evaluation")}, {plural(tables, "table")}, {plural(plots, "plot")}; '
        f"made {html_line(made_at)}; every table names its data, seed, versions and deviations</p></header>"
    )
    body = []
    if notes:
        body.append(part.section("Weaker than it should be", part.items(notes), kind="warnings"))
    if len(reports) > 1:
        body.append(_contents(reports))
    body += [_report(report, place) for place, report in enumerate(reports)]
    foot = "<footer><p>evaluation/1</p></footer>"
    return page(title, f"{head}\n<main>\n{''.join(body)}\n</main>\n{foot}", _style())


def _contents(reports: Sequence[EvaluationReport]) -> str:
    rows = []
    for report in reports:
        told = part.text(report.summary[0], 400) if report.summary else ""
        rows.append(f'<li><a href="#h-{html_line(report.name)}">{html_line(report.name)}</a>: {told}</li>')
    return part.section("In short", f"<ul>{''.join(rows)}</ul>", kind="short")


def _report(report: EvaluationReport, place: int) -> str:
    parts = []
    if report.summary:
        parts.append(f'<div class="summary">{part.items(report.summary)}</div>')
    if report.plots:
        drawn = [_figure(plot, f"p{place}-{index}") for index, plot in enumerate(report.plots)]
        parts.append(f'<div class="plots">{"".join(drawn)}</div>')
    parts += [_table(each, report) for each in report.tables]
    return part.section(html_line(report.name), *parts, kind=html_line(report.name))


def _figure(plot: Plot, name: str) -> str:
    note = f'<p class="note">{part.text(plot.note)}</p>' if plot.note else ""
    return (
        f"<figure><h3>{part.text(plot.title)}</h3>{plot_legend(plot)}{plot_svg(plot, name)}"
        f"<figcaption>{note}</figcaption></figure>"
    )


def _table(each: Table, report: EvaluationReport) -> str:
    columns, rows = with_intervals(each)
    chosen = next((place for place, row in enumerate(rows) if row and row[0] == "ours"), -1)
    listed = part.listing(
        each.title, Listing(tuple(columns), [tuple(row) for row in rows], aligned(rows)), chosen=chosen
    )
    notes = "".join(f"<li>{part.text(note)}</li>" for note in each.notes)
    told = f'<ul class="note">{notes}</ul>' if notes else ""
    stands = (
        '<details class="stands"><summary>data, seed, versions, deviations</summary>'
        f"{part.items(stands_on(report))}</details>"
    )
    state = " open" if len(rows) <= _FOLDED else ""
    size = f'<span class="rows">({plural(len(rows), "row")})</span>'
    return f"<details{state}><summary>{part.text(each.title, 200)} {size}</summary>{listed}{told}{stands}</details>"


__all__ = ["evaluation_html"]
