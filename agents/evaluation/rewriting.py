"""``evaluate rewriting``: the rewriting paper's tables 1 to 4 (Goyal et al.), from a probe of :mod:`agents.probes`.

The tables are the probe's own, the published figures beside ours; here are their plots and what they come to.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agents.evaluation.report import EvaluationReport, Plot, Point, Series, bars
from agents.probes.report import Diagnosis, ProbeReport
from agents.probes.tables import FIGURE_2, TABLE_1, TABLE_3, TITLES, evaluation

#: In the paper's order of biases that have a correlation.
_BIASES = ("brevity", "literal", "position", "repetition")


def rewriting_report(probe: ProbeReport) -> EvaluationReport:
    """Return a probe as an evaluation with plots."""
    found = evaluation(probe)
    plots = [_plane(each, probe) for each in probe.diagnoses]
    if not probe.model:
        plots.append(_published_plane())
    plots.append(_by_method(probe))
    return replace(found, plots=tuple(plot for plot in plots if _has_points(plot)), summary=_summary(probe))


def _plane(found: Diagnosis, probe: ProbeReport) -> Plot:
    """Return |t| against |rho|, one series a bias: mitigation goes down and to the left, masking down alone."""
    series = []
    for bias in _BIASES:
        points = []
        for condition in probe.reached:
            row = next((f for f in found.findings if f.bias == bias and f.condition == condition), None)
            if row is not None and row.rho is not None and np.isfinite(row.test.t):
                points.append(Point(abs(row.rho), abs(row.test.t), label=TITLES[condition]))
        series.append(Series(bias, tuple(points)))
    note = "a point is a kind of query; below and left of the plain query is mitigation, below and right of it masking"
    return Plot(
        f"|t| against |rho|: {found.name}",
        "scatter",
        "|rho| of scores and the surface feature",
        "|t| of the paired test",
        tuple(series),
        note,
    )


def _published_plane() -> Plot:
    """Return the paper's own plane, as far as it prints both figures."""
    series = []
    for place, bias in enumerate(_BIASES):
        points = []
        for condition, by_bias in TABLE_3.items():
            t = FIGURE_2.get((condition, bias))  # type: ignore[arg-type]
            if t is None:
                continue
            plain = TABLE_3["none"][place]
            rho = plain if condition == "none" else plain * (1 - by_bias[place] / 100)
            points.append(Point(rho, t, label=TITLES[condition]))
        series.append(Series(bias, tuple(points)))
    return Plot(
        "|t| against |rho|: as published",
        "scatter",
        "|rho| of scores and the surface feature",
        "|t| of the paired test",
        tuple(series),
        "means over six dense retrievers, from figure 2 as far as the text states it, and table 3",
    )


def _by_method(probe: ProbeReport) -> Plot:
    """Return the mean |t| of every kind of query beside the published one."""
    values: dict[str, float | None] = {}
    ours = []
    for condition in TITLES:
        sizes = [
            abs(row.test.t)
            for found in probe.diagnoses
            for row in found.findings
            if row.condition == condition and row.bias in _BIASES and np.isfinite(row.test.t)
        ]
        if sizes:
            values[f"{TITLES[condition]}, here"] = float(np.mean(sizes))
            ours.append(f"{TITLES[condition]}, here")
        if condition in TABLE_1:
            values[f"{TITLES[condition]}, published"] = TABLE_1[condition][0]
    note = "over retrievers and four biases; |t| grows with the number of pairs, so compare kinds of queries"
    return bars("mean |t| by kind of query", "mean |t|", values, ours, note)


def _summary(probe: ProbeReport) -> tuple[str, ...]:
    lines = []
    for found in probe.diagnoses:
        strong = [row.bias for row in found.findings if row.condition == "none" and row.significant]
        told = ", ".join(strong) or "none"
        lines.append(
            f"{found.name}: significant biases of the plain query: {told}; recommended: {found.recommendation.method}."
        )
    if not probe.model:
        lines.append(
            "No language model is configured for the role enhancer: the plain query alone was measured."
        )
    return tuple(lines)


def _has_points(plot: Plot) -> bool:
    return any(series.points for series in plot.series)


__all__ = ["rewriting_report"]
