"""A retriever's diagnosis as text and as Markdown: what helps, what only masks, and the paper's tables."""

from __future__ import annotations

from collections.abc import Iterable

from agents.probes.report import ProbeReport
from agents.probes.tables import evaluation
from app.views.evaluation import evaluation_markdown, evaluation_text
from app.views.safe import line
from app.views.tables import table


def probe_text(report: ProbeReport, width: int = 100, *, ascii: bool = False) -> str:
    """Return all tables as text, the recommendations first."""
    return evaluation_text(evaluation(report), width, ascii=ascii)


def probe_markdown(report: ProbeReport) -> str:
    """Return all tables as Markdown (GFM)."""
    return evaluation_markdown(evaluation(report))


def probe_lines(report: ProbeReport, *, ascii: bool = False) -> list[str]:
    """Return one line a retriever: what to use with it, and why."""
    return [
        line(f"{found.name}: {found.recommendation.method} ({found.recommendation.reason})", ascii=ascii)
        for found in report.diagnoses
    ]


def stored_table(rows: Iterable[tuple[str, ...]], width: int = 100, *, ascii: bool = False) -> list[str]:
    """Return the stored recommendations: made, pairs, retriever, written by, enhancement, state, why."""
    head = ("made", "pairs of", "retriever", "written by", "enhance", "state", "why")
    return table(head, rows, width, align="lLLLlLL", ascii=ascii)


__all__ = ["probe_lines", "probe_markdown", "probe_text", "stored_table"]
