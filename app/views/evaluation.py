"""An evaluation's tables as text and as Markdown, with what they stand on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.evaluation.report import Cell, EvaluationReport, Table
from app.views.formats import count, number, seconds
from app.views.layout import wrap
from app.views.safe import line, markdown_line
from app.views.tables import table

if TYPE_CHECKING:
    from agents.evaluation.all import Suite


def evaluation_text(report: EvaluationReport, width: int = 100, *, ascii: bool = False) -> str:
    """Return all tables as text, first what they stand on."""
    out = [f"evaluation: {report.name}", ""]
    for text in report.summary:
        out += wrap(line(text, ascii=ascii), width)
    if report.summary:
        out.append("")
    for text in stands_on(report):
        out += wrap(line(text, ascii=ascii), width)
    for each in report.tables:
        out += ["", line(each.title, ascii=ascii)]
        columns, rows = with_intervals(each)
        for chosen in _blocks(columns, rows, width):
            head, body = [columns[i] for i in chosen], [[row[i] for i in chosen] for row in rows]
            out += ["", *table(head, body, width, align=aligned(body), ascii=ascii)]
        for text in each.notes:
            out += wrap(line(text, ascii=ascii), width)
    return "\n".join(out) + "\n"


def evaluation_markdown(report: EvaluationReport, plots: Sequence[str] = ()) -> str:
    """Return all tables as Markdown (GFM); under each stands what it stands on.

    Parameters
    ----------
    plots
        Paths of the plots' files, as a link from the Markdown file finds them; in the order of ``report.plots``.
    """
    out = [f"# Evaluation: {markdown_line(report.name)}"]
    if report.summary:
        out += ["", *(f"- {markdown_line(text)}" for text in report.summary)]
    for plot, path in zip(report.plots, plots, strict=False):
        out += ["", f"![{markdown_line(plot.title)}]({path})"]
        if plot.note:
            out += ["", markdown_line(plot.note)]
    for each in report.tables:
        out += ["", f"## {markdown_line(each.title)}", ""]
        columns, rows = with_intervals(each)
        out.append(_row(columns))
        out.append(_row([":--" if letter != "r" else "--:" for letter in aligned(rows)], escape=False))
        out += [_row(row) for row in rows]
        out.append("")
        out += [f"- {markdown_line(text)}" for text in (*each.notes, *stands_on(report))]
    return "\n".join(out) + "\n"


def suite_lines(suite: Suite, width: int = 100, *, ascii: bool = False) -> list[str]:
    """Return what a run of all evaluations came to: a few lines each, then what was left out and how long it took."""
    out = []
    for report in suite.reports:
        kept = ", as kept from an earlier run" if report.name in suite.reused else ""
        out.append(line(f"{report.name}{kept}", ascii=ascii))
        for text in report.summary or (f"{len(report.tables)} tables",):
            out += [f"  {part}" for part in wrap(line(text, ascii=ascii), width - 2)]
    for text in suite.left_out:
        out += wrap(line(text, ascii=ascii), width)
    return [*out, "", f"took {seconds(suite.seconds)}"]


def stands_on(report: EvaluationReport) -> list[str]:
    """Return one line for each data set, the seed, the versions, and each deviation."""
    lines = [
        f"data: {source.name}, {count(source.rows)} {source.what}{source.extract}"
        for source in report.sources
    ]
    lines.append(f"seed: {report.seed}")
    lines.append("versions: " + ", ".join(f"{name} {release}" for name, release in report.versions.items()))
    return lines + [f"deviation: {text}" for text in report.deviations]


def shown(cell: Cell) -> str:
    """Return a cell as people read it: counts with separators, values with the digits that matter."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return count(cell)
    if cell != cell:
        return "-"
    if 0 < abs(cell) < 0.0001:
        # A p value is never nought.
        return "<0.0001" if cell > 0 else ">-0.0001"
    if abs(cell) < 0.001 and cell:
        return number(cell, 5)
    return number(cell, 3 if abs(cell) < 10 else 2)


def with_intervals(each: Table) -> tuple[list[str], list[list[str]]]:
    """Return columns and shown cells; a value with its ``low`` and ``high`` becomes one cell, ``1.20 [0.90, 1.50]``."""
    names, places = each.columns, []
    column = 0
    while column < len(names):
        interval = (
            column + 2 < len(names)
            and names[column + 1].endswith("low")
            and names[column + 2].endswith("high")
        )
        places.append((column, interval))
        column += 3 if interval else 1
    columns = [f"{names[at]} [95 %]" if interval else names[at] for at, interval in places]
    rows = []
    for row in each.rows:
        cells = [shown(cell) for cell in row]
        rows.append(
            [
                f"{cells[at]} [{cells[at + 1]}, {cells[at + 2]}]"
                if interval and cells[at] != "-"
                else cells[at]
                for at, interval in places
            ]
        )
    return columns, rows


def _blocks(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Return the columns of each block: as many as fit beside the first, which every block repeats."""
    sizes = [max([len(columns[i]), *(len(row[i]) for row in rows)]) + 2 for i in range(len(columns))]
    blocks: list[list[int]] = [[0]]
    for column in range(1, len(columns)):
        if len(blocks[-1]) > 1 and sum(sizes[i] for i in blocks[-1]) + sizes[column] - 2 > width:
            blocks.append([0])
        blocks[-1].append(column)
    return blocks


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return the alignment of each column: the first and columns of words to the left, numbers to the right."""
    letters = ["L"]
    for column in range(1, len(rows[0]) if rows else 1):
        numbers = all(row[column][:1] in "-<>0123456789" for row in rows if row[column])
        letters.append("r" if numbers else "L")
    return "".join(letters)


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    return "| " + " | ".join(markdown_line(cell) if escape else cell for cell in cells) + " |"


__all__ = [
    "aligned",
    "evaluation_markdown",
    "evaluation_text",
    "shown",
    "stands_on",
    "suite_lines",
    "with_intervals",
]
