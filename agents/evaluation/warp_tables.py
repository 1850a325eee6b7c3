"""WARP's table with what stands beside it: differences, entities and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.report import Plot, Point, Series, Table, bars
from agents.evaluation.warp_data import WarpCorpus
from agents.evaluation.warp_rows import PLAIN, rows

Floats = NDArray[np.float64]
#: Method -> measure -> value, of one entity.
Measured = dict[str, dict[str, float]]

MEASURES: Final = (
    "W1",
    "W1 of views",
    "W2",
    "entity match",
    "relevance kept",
    "star W1",
    "author gap",
    "ms",
    "failed",
)
_INTERVALS: Final = ("W1", "star W1")
_RESAMPLES: Final = 5_000
#: Rows that plots set apart.
_OURS: Final = ("exact", "exact-w2", "balanced")
#: WARP table 1: W1 of each method on the three corpora (a language model's labels, k = 20).
PUBLISHED_ON: Final = ("seller forums", "Yelp hotels", "OpinRank cars")
PUBLISHED: Final = {
    PLAIN: (10.33, 13.03, 13.33),
    "mmr": (10.31, 8.67, 9.64),
    "dpp": (11.69, 5.63, 7.38),
    "js": (8.87, 3.00, 4.54),
    "w1-mmr": (5.86, 4.02, 3.41),
    "w1-greedy": (8.84, 2.76, 4.14),
    "wassrank-ot": (5.71, 2.52, 3.87),
    "w1-greedy, entity-gated": (8.59, 1.52, 4.14),
}


def clustered(values: Floats, seed: int) -> tuple[float, float, float]:
    """Return mean and 95 % percentile interval of a bootstrap over entities; NaN entities are left out."""
    known = values[~np.isnan(values)]
    if not known.size:
        return (float("nan"),) * 3
    draws = np.random.default_rng(seed).integers(0, known.size, (_RESAMPLES, known.size))
    low, high = np.quantile(known[draws].mean(axis=1), [0.025, 0.975])
    return float(known.mean()), float(low), float(high)


def known_mean(values: Sequence[float]) -> float:
    """Return the mean of what is not NaN, NaN where nothing is."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def means_table(
    title: str, found: list[Measured], seed: int, theirs: Mapping[str, tuple[float, ...]] | None = None
) -> Table:
    """Return every measure of every method as a mean over entities, with the published figures ``theirs``."""
    columns = ["method", "candidates"]
    for name in MEASURES:
        columns += [name, f"{name} low", f"{name} high"] if name in _INTERVALS else [name]
    places = [f"W1, published, {place}" for place in PUBLISHED_ON] if theirs else []
    candidates = {row.name: row.candidates for row in rows()}
    body: list[tuple[Any, ...]] = []
    for method in found[0]:
        cells: list[Any] = [method, candidates[method]]
        for name in MEASURES:
            mean, low, high = clustered(np.array([entity[method][name] for entity in found]), seed)
            cells += [mean, low, high] if name in _INTERVALS else [mean]
        if theirs:
            cells += theirs.get(method, (None,) * len(places))
        body.append(tuple(cells))
    notes = (
        ("published: WARP table 1 at k = 20 on its own corpora, by its language model's labels",)
        if theirs
        else ()
    )
    return Table(title, (*columns, *places), tuple(body), notes)


def differences_table(title: str, found: list[Measured], seed: int) -> Table:
    """Return every method's difference to plain top-k on the same entities."""
    body = []
    for method in found[0]:
        if method == PLAIN:
            continue
        cells: list[Any] = [method]
        for name in _INTERVALS:
            cells += clustered(
                np.array([entity[method][name] - entity[PLAIN][name] for entity in found]), seed
            )
        body.append(tuple(cells))
    columns = ["method", *(f"{name}{end}" for name in _INTERVALS for end in ("", " low", " high"))]
    return Table(title, tuple(columns), tuple(body), ("negative: nearer to the population than plain top-k",))


def entity_table(corpus: WarpCorpus) -> Table:
    """Return the entities, how debated they are, and how labels go with stars."""
    body = []
    for entity in corpus.entities:
        stars = corpus.stars[entity.rows]
        known = ~np.isnan(stars)
        body.append(
            (
                entity.name,
                len(entity.rows),
                entity.entropy,
                entity.minority,
                _rank(entity.score[known], stars[known]),
            )
        )
    columns = ("entity", "documents", "entropy", "smaller side", "Spearman of label and stars")
    return Table("entities", columns, tuple(body))


def method_plots(found: list[Measured], k: int) -> tuple[Plot, ...]:
    """Return W1 by method, and what it costs in relevance where documents have stars."""
    labels = {method: _mean_of(found, method, "W1") for method in found[0]}
    plots = [
        bars(
            f"W1 by method, k = {k}",
            "W1 to the population, labels",
            {method: labels[method] for method in sorted(labels, key=labels.__getitem__)},
            _OURS,
            "the labels that the methods see: lower is nearer to the population",
        )
    ]
    price = [
        (method, _mean_of(found, method, "relevance kept"), _mean_of(found, method, "star W1"))
        for method in labels
    ]
    # The same method on other candidates lies beside itself: the table tells them apart, the picture cannot.
    known = [(method, x, y) for method, x, y in price if not np.isnan(x + y) and ", " not in method]
    if known:
        plots.append(
            Plot(
                f"price and gain, k = {k}",
                "scatter",
                "relevance kept",
                "W1 to the population, star ratings",
                (
                    Series("others", tuple(Point(x, y, label=m) for m, x, y in known if m not in _OURS)),
                    Series("ours", tuple(Point(x, y, label=m) for m, x, y in known if m in _OURS), ours=True),
                ),
                "ratings that no method sees; low and to the right is good",
            )
        )
    return tuple(plots)


def summary(found: list[Measured], k: int) -> tuple[str, ...]:
    """Return what came of it in a sentence a measure."""
    names = (PLAIN, "mmr", "w1-greedy", "wassrank-ot", "exact", "balanced")
    lines = []
    for name, what in (
        ("W1", "W1 of the labels to the population"),
        ("star W1", "The same on the star ratings"),
    ):
        values = [(method, _mean_of(found, method, name)) for method in names]
        if not any(np.isnan(value) for _, value in values):
            listed = ", ".join(f"{method} {value:.2f}" for method, value in values)
            lines.append(f"{what} at k = {k}: {listed}.")
    return tuple(lines)


def _mean_of(found: list[Measured], method: str, name: str) -> float:
    return known_mean([entity[method][name] for entity in found])


def _rank(labels: Floats, stars: Floats) -> float:
    from scipy.stats import spearmanr

    if np.unique(labels).size < 2 or np.unique(stars).size < 2:
        return float("nan")
    return float(spearmanr(labels, stars).statistic)


__all__ = [
    "MEASURES",
    "PUBLISHED",
    "PUBLISHED_ON",
    "Measured",
    "clustered",
    "differences_table",
    "entity_table",
    "known_mean",
    "means_table",
    "method_plots",
    "summary",
]
