"""Tables, tests and plots of the benchmark of selection methods against a target that none of them sees."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from agents.evaluation.report import Plot, Point, Series
from app.views.evaluation_plots import plot_file

#: Entity -> (method, k) -> measure -> value.
Results = dict[str, dict[tuple[str, int], dict[str, float]]]
#: Rows that are methods of this product, not baselines.
OURS = ("exact", "balanced")


def mean_of(results: Results, name: str, k: int, measure: str) -> float:
    """Return a measure of a method as a mean over entities; NaN where nothing was measured."""
    found = [entity[name, k].get(measure, float("nan")) for entity in results.values() if (name, k) in entity]
    return float(np.mean(found)) if found else float("nan")


def differences(
    results: Results,
    reference: dict[int, str],
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """Compare truth W1 of every method with the reference of its k; bootstrap over entities, BH over all."""
    entities = list(results)
    draws = rng.integers(0, len(entities), (10_000, len(entities)))
    rows: list[dict[str, Any]] = []
    for name, k in results[entities[0]]:
        if name == reference[k]:
            continue
        gaps = np.array(
            [results[e][name, k]["truth_w1"] - results[e][reference[k], k]["truth_w1"] for e in entities]
        )
        kept = np.mean(
            [
                results[e][name, k]["relevance_kept"] - results[e][reference[k], k]["relevance_kept"]
                for e in entities
            ]
        )
        means = gaps[draws].mean(axis=1)
        tail = min((means <= 0).mean(), (means >= 0).mean())
        low, high = np.quantile(means, [0.025, 0.975])
        rows.append(
            {
                "method": name,
                "k": k,
                "reference": reference[k],
                "difference": float(gaps.mean()),
                "low": float(low),
                "high": float(high),
                "relevance_difference": float(kept),
                "p": float(min(1.0, 2 * max(tail, 1 / len(means)))),
            }
        )
    order = np.argsort([row["p"] for row in rows])
    running = 1.0
    for place in range(len(rows) - 1, -1, -1):
        row = rows[order[place]]
        running = min(running, row["p"] * len(rows) / (place + 1))
        row["q"] = running
    return rows


def table(results: Results, compared: list[dict[str, Any]]) -> str:
    """Write the means as Markdown."""
    entities = list(results)
    notes = {(row["method"], row["k"]): row for row in compared}
    lines = []
    listed = list(results[entities[0]])
    for k in dict.fromkeys(size for _, size in listed):
        first = next(name for name, size in listed if size == k)
        floor, gap_floor = (mean_of(results, first, k, each) for each in ("floor", "gap_floor"))
        lines += [
            f"\n### k = {k} (label floor {floor:.2f}, gap floor {gap_floor:.3f})\n",
            "| method | truth W1 | to the default | q | label W1 | relevance kept | match | gap | groups, overall "
            "| groups, matched | ms |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        for name, size in listed:
            if size != k:
                continue
            mean = {key: mean_of(results, name, k, key) for key in results[entities[0]][name, k]}
            note = notes.get((name, k))
            versus = (
                f"{note['difference']:+.2f} [{note['low']:+.2f}, {note['high']:+.2f}]" if note else "default"
            )
            corrected = f"{note['q']:.3f}" if note else ""
            lines.append(
                f"| {name} | {mean['truth_w1']:.2f} | {versus} | {corrected} "
                f"| {mean['label_w1']:.2f} | {mean['relevance_kept']:.3f} | {mean['matched']:.3f} "
                f"| {mean.get('gap', float('nan')):.3f} | {mean.get('groups', float('nan')):.2f} "
                f"| {mean.get('groups_matched', float('nan')):.2f} | {mean['ms']:.1f} |"
            )
    return "\n".join(lines)


def ratios(results: Results, draws: int = 10_000) -> str:
    """Truth W1 over that of plain top-k, ratio of the means over entities, with intervals from draws of entities."""
    entities = list(results)
    places = np.random.default_rng(0).integers(0, len(entities), (draws, len(entities)))
    lines = ["Truth W1 relative to plain top-k [95 %, entities drawn again]:"]
    for name, k in results[entities[0]]:
        if name == "relevance" or ("relevance", k) not in results[entities[0]]:
            continue
        own, plain = (np.array([results[e][n, k]["truth_w1"] for e in entities]) for n in (name, "relevance"))
        drawn = own[places].mean(axis=1) / plain[places].mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        lines.append(f"k = {k:2}  {name:20} {own.mean() / plain.mean():.3f} [{low:.3f}, {high:.3f}]")
    return "\n".join(lines)


def beaten(compared: list[dict[str, Any]], *, ours: bool = False) -> list[str]:
    """Name the baselines significantly better than the default at equal or higher relevance kept; or ours that are."""
    return [
        f"{row['method']} (k={row['k']})"
        for row in compared
        if row["difference"] < 0
        and row["q"] < 0.05
        and row["relevance_difference"] >= -1e-9
        and row["method"].startswith(OURS) is ours
    ]


def plot(results: Results, k: int, ours: set[str]) -> str:
    """Draw truth W1 against relevance kept as SVG, ``ours`` apart."""
    points = defaultdict(list)
    for entity in results.values():
        for (name, size), values in entity.items():
            if size == k:
                points[name].append((values["relevance_kept"], values["truth_w1"]))
    means = {name: np.mean(values, axis=0) for name, values in points.items()}
    series = [
        Series(
            title,
            tuple(
                Point(float(x), float(y), label=name)
                for name, (x, y) in means.items()
                if (name in ours) is own
            ),
            ours=own,
        )
        for title, own in (("the defaults", True), ("others", False))
    ]
    title = f"k = {k}: relevance kept and W1 to the unseen ratings"
    return plot_file(
        Plot(
            title,
            "scatter",
            "relevance kept",
            "W1 to the unseen ratings",
            tuple(series),
            "low and right is good",
        )
    )


__all__ = ["Results", "beaten", "differences", "mean_of", "plot", "ratios", "table"]
