"""An evaluation's tables as text and as Markdown, with what they stand on."""

from __future__ import annotations

from collections.abc import Sequence

from agents.evaluation.report import Cell, EvaluationReport, Table
from app.views.formats import count, number
from app.views.layout import wrap
from app.views.safe import line, markdown_line
from app.views.tables import table


def evaluation_text(report: EvaluationReport, width: int = 100, *, ascii: bool = False) -> str:
    """Return all tables as text, first what they stand on."""
    out = [f"evaluation: {report.name}", ""]
    for text in stands_on(report):
        out += wrap(line(text, ascii=ascii), width)
    for each in report.tables:
        rows = [[shown(cell) for cell in row] for row in each.rows]
        out += ["", line(each.title, ascii=ascii), ""]
        out += table(each.columns, rows, width, align=_align(each), ascii=ascii)
        for text in each.notes:
            out += wrap(line(text, ascii=ascii), width)
    return "\n".join(out) + "\n"


def evaluation_markdown(report: EvaluationReport) -> str:
    """Return all tables as Markdown (GFM); under each stands what it stands on."""
    out = [f"# Evaluation: {markdown_line(report.name)}"]
    for each in report.tables:
        out += ["", f"## {markdown_line(each.title)}", ""]
        out.append(_row(each.columns))
        out.append(_row([":--" if letter != "r" else "--:" for letter in _align(each)], escape=False))
        out += [_row([shown(cell) for cell in row]) for row in each.rows]
        out.append("")
        out += [f"- {markdown_line(text)}" for text in (*each.notes, *stands_on(report))]
    return "\n".join(out) + "\n"


def stands_on(report: EvaluationReport) -> list[str]:
    """Return one line for each data set, the seed, the versions, and each deviation."""
    lines = [f"data: {source.name}, {count(source.rows)} {source.what}" for source in report.sources]
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
    return number(cell, 3 if abs(cell) < 10 else 2)


def _align(each: Table) -> str:
    letters = ["L"]
    for column in range(1, len(each.columns)):
        texts = any(isinstance(row[column], str) for row in each.rows)
        letters.append("L" if texts else "r")
    return "".join(letters)


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    return "| " + " | ".join(markdown_line(cell) if escape else cell for cell in cells) + " |"


__all__ = ["evaluation_markdown", "evaluation_text", "shown", "stands_on"]
