"""A probe's tables: the rewriting paper's own, with its figures beside ours, and what we add (verdicts, intervals)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np

from agents.evaluation.report import Cell, EvaluationReport, Source, Table, versions
from agents.probes.generation import Condition
from agents.probes.pairs import BIASES, Bias
from agents.probes.report import Diagnosis, Finding, ProbeReport

#: What conditions are called in tables.
TITLES: Final[dict[Condition, str]] = {
    "none": "plain query",
    "rewrite": "rewrite",
    "hyde": "HyDE",
    "query2doc": "Query2Doc",
    "multi_query": "multi-query",
    "hyde_cpt": "HyDE-CPT",
    "query2doc_cpt": "Q2D-CPT",
}
#: Published (Goyal et al., Gemma-3-12B, six dense retrievers). Table 1: mean |t|, its spread, significant of 24,
#: reduction in percent.
TABLE_1: Final[dict[Condition, tuple[float, str, float | None]]] = {
    "none": (8.72, "21/24", None),
    "rewrite": (4.02, "13/24", 53.9),
    "hyde": (6.95, "20/24", 20.3),
    "hyde_cpt": (6.78, "19/24", 22.3),
    "query2doc": (6.15, "16/24", 29.5),
    "query2doc_cpt": (6.07, "17/24", 30.4),
}
#: Figure 2: mean |t| by bias, as far as the text states it.
FIGURE_2: Final[dict[tuple[Condition, Bias], float]] = {
    ("none", "brevity"): 15.57,
    ("none", "position"): 5.28,
    ("none", "repetition"): 5.17,
    ("rewrite", "brevity"): 6.62,
    ("rewrite", "repetition"): 2.37,
    ("hyde", "brevity"): 11.10,
    ("hyde", "position"): 5.39,
    ("hyde", "repetition"): 4.86,
    ("query2doc", "position"): 2.81,
    ("query2doc", "repetition"): 4.99,
}
#: Table 2: foil accuracy in percent of RetroMAE, Contriever, CoCoDR.
TABLE_2: Final[dict[Condition, tuple[float, float, float]]] = {
    "none": (0.0, 0.8, 2.0),
    "rewrite": (0.0, 0.8, 3.6),
    "hyde": (2.8, 4.0, 20.0),
    "hyde_cpt": (2.8, 5.2, 26.0),
    "query2doc": (2.8, 3.2, 18.0),
    "query2doc_cpt": (3.2, 3.6, 19.2),
}
#: Table 3: |rho| of the plain query, then by how many percent an enhancement lowers it.
TABLE_3: Final[dict[Condition, tuple[float, float, float, float]]] = {
    "none": (0.36, 0.43, 0.11, 0.21),
    "rewrite": (10, -7, -373, -112),
    "hyde": (56, 20, -2, -59),
    "hyde_cpt": (49, 19, 54, -9),
    "query2doc": (48, 36, -55, -13),
    "query2doc_cpt": (53, 32, 23, -21),
}
#: Table 4: words, words added, terms kept in percent, new terms, vocabulary, entities kept in percent.
TABLE_4: Final[dict[Condition, tuple[Cell, ...]]] = {
    "none": (7.3, None, 100.0, None, 420, 100.0),
    "rewrite": (8.3, 1.0, 57.0, 3.8, 489, 72.5),
}

DEVIATIONS: Final = (
    "pairs are built here in the manner of ColDeR, whose own pairs are not used",
    "literal pairs ask by the short and by the long name in turn, so that the length of the name cancels",
    "verdicts need intervals (bootstrap over pairs): |t| must fall, the preference itself must fall, rho must not rise",
)


def evaluation(report: ProbeReport) -> EvaluationReport:
    """Return the report as an evaluation: tables with data, seed, versions and deviations."""
    pairs = ", ".join(f"{bias} {count}" for bias, count in report.pairs.items())
    return EvaluationReport(
        name="rewriting",
        seed=report.seed,
        sources=(Source(report.source, sum(report.pairs.values()), f"pairs ({pairs})"),),
        tables=tuple(tables(report)),
        deviations=(*DEVIATIONS, *_people(report), *report.notes),
        versions=versions(),
    )


def tables(report: ProbeReport) -> list[Table]:
    """Return all tables of a report: recommendations, verdicts and details a retriever, then the paper's."""
    made = [_recommendations(report)]
    for found in report.diagnoses:
        made += [_verdicts(report, found), _details(found)]
    made += [_table_1(report), _figure_2(report), _table_3(report)]
    if "foil" in report.pairs:
        made.append(_table_2(report))
    return [*made, _table_4(report)]


def _people(report: ProbeReport) -> list[str]:
    who = []
    if report.model:
        who.append(f"enhancements are written by {report.model}; the paper's by Gemma-3-12B")
    if report.pretrained:
        who.append(f"continually pretrained: {report.pretrained}")
    return who


def _recommendations(report: ProbeReport) -> Table:
    rows = tuple((d.name, d.recommendation.method, d.recommendation.reason) for d in report.diagnoses)
    return Table("recommendation", ("retriever", "enhance", "why"), rows)


def _verdicts(report: ProbeReport, found: Diagnosis) -> Table:
    biases = tuple(report.pairs)
    rows: list[tuple[Cell, ...]] = []
    for condition in report.reached:
        cells: list[Cell] = [TITLES[condition]]
        for bias in biases:
            row = found.finding(bias, condition)
            cells.append("-" if row is None else _cell(row))
        relevance = found.relevance.get(condition)
        rows.append((*cells, found.plain_relevance.get(condition), relevance))
    notes = (
        "t of the paired test (foil: accuracy in percent), * significant after Bonferroni over "
        f"{report.tests} tests; enhanced queries: before > after on the same pairs",
        "relevance: share of other sources' documents that score below the question's own; plain: the plain query's on "
        "the same pairs",
    )
    return Table(
        f"{found.name}: verdicts", ("query", *biases, "relevance plain", "relevance"), tuple(rows), notes
    )


def _cell(row: Finding) -> str:
    star = "*" if row.significant else ""
    if row.bias == "foil":
        after = f"{100 * row.accuracy:.1f}%"
        return after if row.verdict is None else f"{row.verdict} {100 * row.plain_accuracy:.1f}%>{after}"
    if row.verdict is None:
        return f"{row.test.t:.2f}{star}"
    return f"{row.verdict} {row.plain_t:.2f}>{row.test.t:.2f}{star}"


def _details(found: Diagnosis) -> Table:
    columns = ("query, bias", "pairs", "mean delta", "t", "p (corrected)", "rho", "delta rho", "fall of |t|",
               "t low", "t high", "fall of preference", "preference low", "preference high", "unit",
               "D2 above D1", "verdict")  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for row in found.findings:
        change = row.change
        cells: tuple[Cell, ...] = (None,) * 6 + ("-",)
        if change is not None:
            fall, effect = change.t, change.effect
            cells = (fall.value, fall.low, fall.high, effect.value, effect.low, effect.high, change.unit)
        rows.append(
            (
                f"{TITLES[row.condition]}, {row.bias}",
                row.test.n,
                f"{row.test.mean:.3g}",
                row.test.t,
                f"{row.p:.2g}",
                row.rho,
                row.delta_rho,
                *cells,
                row.accuracy,
                row.verdict or "-",
            )
        )
    return Table(f"{found.name}: details", columns, tuple(rows))


def _table_1(report: ProbeReport) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for condition in report.reached:
        found = _findings(report, condition)
        if not found:
            continue
        before, after = _mean_t(found, lambda f: f.plain_t), _mean_t(found, lambda f: f.test.t)
        significant = f"{sum(f.significant for f in found)}/{len(found)}"
        gain = None if condition == "none" or not before else 100 * (1 - after / before)
        published = TABLE_1.get(condition, (None, "-", None))
        rows.append((TITLES[condition], before, after, significant, gain, *published))
    columns = ("query", "mean |t| plain", "mean |t|", "significant", "reduction %",
               "paper mean |t|", "paper significant", "paper reduction %")  # fmt: skip
    notes = (
        f"over {len(report.diagnoses)} retrievers and the biases without foil; the paper: six dense ones",
    )
    return Table("mean |t| (the paper's table 1)", columns, tuple(rows), notes)


def _figure_2(report: ProbeReport) -> Table:
    biases = [bias for bias in report.pairs if bias != "foil"]
    columns = ["query"]
    for bias in biases:
        columns += [f"{bias} plain", bias, f"{bias} paper"]
    rows: list[tuple[Cell, ...]] = []
    for condition in report.reached:
        cells: list[Cell] = [TITLES[condition]]
        for bias in biases:
            found = [f for f in _findings(report, condition) if f.bias == bias]
            both = (
                (_mean_t(found, lambda f: f.plain_t), _mean_t(found, lambda f: f.test.t))
                if found
                else (None,) * 2
            )
            cells += [*both, FIGURE_2.get((condition, bias))]
        rows.append(tuple(cells))
    notes = ("plain: the plain query on the pairs that the enhancement was measured on",)
    return Table("mean |t| by bias (the paper's figure 2)", tuple(columns), tuple(rows), notes)


def _table_3(report: ProbeReport) -> Table:
    biases = [bias for bias in BIASES if bias in report.pairs and bias != "foil"]
    columns = ["query"]
    for bias in biases:
        columns += [bias, f"{bias} paper"]
    rows: list[tuple[Cell, ...]] = []
    for condition in report.reached:
        cells: list[Cell] = [TITLES[condition] + (" |rho|" if condition == "none" else " %")]
        for bias in biases:
            found = [f for f in _findings(report, condition) if f.bias == bias]
            before = _mean(abs(f.plain_rho) for f in found if f.plain_rho is not None)
            after = _mean(abs(f.rho) for f in found if f.rho is not None)
            ours = after
            if condition != "none" and before is not None and after is not None:
                ours = 100 * (1 - after / before) if before else None
            published = TABLE_3.get(condition)
            cells += [ours, None if published is None else published[_PUBLISHED_ORDER.index(bias)]]
        rows.append(tuple(cells))
    notes = (
        "first row: |rho| of scores and feature; others: by how many percent it falls (negative: it rises)",
    )
    return Table("decorrelation (the paper's table 3)", tuple(columns), tuple(rows), notes)


_PUBLISHED_ORDER: Final[tuple[Bias, ...]] = ("brevity", "literal", "position", "repetition")


def _table_2(report: ProbeReport) -> Table:
    names = [found.name for found in report.diagnoses]
    columns = ("query", *names, "paper RetroMAE", "paper Contriever", "paper CoCoDR")
    rows: list[tuple[Cell, ...]] = []
    for condition in report.reached:
        cells: list[Cell] = [TITLES[condition]]
        for found in report.diagnoses:
            row = found.finding("foil", condition)
            cells.append(None if row is None else 100 * row.accuracy)
        rows.append((*cells, *TABLE_2.get(condition, (None, None, None))))
    return Table("foil accuracy in percent (the paper's table 2)", columns, tuple(rows))


def _table_4(report: ProbeReport) -> Table:
    columns = ("query", "questions", "failed", "words", "words added", "terms kept %", "new terms", "vocabulary",
               "entities kept %", "paper words", "paper words added", "paper terms kept %", "paper new terms",
               "paper vocabulary", "paper entities kept %")  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for condition, found in report.queries.items():
        ours: tuple[Cell, ...] = (
            found.questions,
            report.failed.get(condition, 0),
            found.words,
            found.added_words,
            100 * found.terms_kept,
            found.new_terms,
            found.vocabulary,
            100 * found.entities_kept,
        )
        rows.append((TITLES[condition], *ours, *TABLE_4.get(condition, (None,) * 6)))
    return Table("what becomes of the query (the paper's table 4)", columns, tuple(rows))


def _findings(report: ProbeReport, condition: Condition) -> list[Finding]:
    return [
        row
        for found in report.diagnoses
        for row in found.findings
        if row.condition == condition and row.bias != "foil"
    ]


def _mean_t(found: Sequence[Finding], of: Callable[[Finding], float]) -> float:
    return float(np.mean([abs(of(row)) for row in found]))


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return float(np.mean(listed)) if listed else None


__all__ = ["DEVIATIONS", "TITLES", "evaluation", "tables"]
