"""``evaluate warp``: WARP's table 1 (arXiv 2608.22859), with random samples, unseen stars and author groups beside it.

Every selection method answers six questions on every debated entity: plain and published methods choose k = 20 among
the 200 nearest documents, ours and the random samples among all documents of the entity. W1 is to the entity's own
labels, which the methods see; star W1 to the star ratings, which none of them sees. Figures are means over entities;
intervals are from a bootstrap over entities, since the questions of one entity are not independent.

Full size, about 25,000 reviews, whose workspace stays in the cache::

    evenhand evaluate warp --data DIR --cache FOLDER
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.report import EvaluationReport, Plot, Point, Series, Source, Table, bars, versions
from agents.evaluation.report_kept import Kept, key_of
from agents.evaluation.warp_data import TEMPLATES, Task, WarpCorpus, WarpEntity, task
from agents.fairness.distance import histogram, w1_bins
from agents.fairness.selection import METHODS, RANDOM_METHODS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
#: Method -> measure -> value, of one entity.
Measured = dict[str, dict[str, float]]
Progressed = Callable[[str, int, int], None]

#: Plain top-k, which differences are taken to.
PLAIN: Final = "relevance"
_MEASURES: Final = (
    "W1",
    "W1 of views",
    "entity match",
    "relevance kept",
    "star W1",
    "author gap",
    "ms",
    "failed",
)
_INTERVALS: Final = ("W1", "star W1")
#: Methods that see labels, for the noise check.
_NOISY: Final = ("exact", "balanced", "stratified", "w1-greedy", "w1-mmr", "wassrank-ot")
_RESAMPLES: Final = 5_000
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


@dataclass(frozen=True, slots=True)
class WarpSettings:
    """What is run.

    Attributes
    ----------
    k, nearest
        Documents chosen, and the nearest documents that published methods choose from.
    draws
        Draws of a random method an entity.
    noise
        Share of labels exchanged in the label-noise check.
    """

    k: int = 20
    nearest: int = 200
    draws: int = 100
    noise: float = 0.25
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A method and whether it chooses among the nearest documents or among all of the entity."""

    name: str
    method: str
    wide: bool


def rows() -> tuple[Row, ...]:
    """Return what is compared: every method by name, and two on the other candidates."""
    ours = {"exact", *RANDOM_METHODS}
    listed = [Row(name, name, name not in ours) for name in METHODS]
    listed.append(Row("exact, on the nearest", "exact", True))
    listed.append(Row("w1-greedy, entity-gated", "w1-greedy", False))
    return tuple(sorted(listed, key=lambda row: (row.method in ours, row.method != PLAIN)))


def warp_report(
    corpus: WarpCorpus,
    settings: WarpSettings | None = None,
    *,
    kept: Kept | None = None,
    progress: Progressed = lambda what, done, total: None,
) -> EvaluationReport:
    """Measure all methods on a corpus, with the one-side rule off and on, and with noisy labels.

    Parameters
    ----------
    kept
        Where measured entities are kept, so that an interrupted run continues.
    progress
        Called with the table's name, entities done and in all.
    """
    chosen = settings or WarpSettings()
    log = kept or Kept()
    tables = [_entity_table(corpus)]
    plots: tuple[Plot, ...] = ()
    summary: tuple[str, ...] = ()
    for one_side in (False, True):
        what = f"one-side rule {'on' if one_side else 'off'}"
        found = _all(corpus, chosen, rows(), one_side, 0.0, log, partial(progress, what))
        tables.append(_means(f"WARP table 1, k = {chosen.k}, {what}", found, chosen.seed, PUBLISHED))
        if not one_side:
            plots, summary = _plots(found, chosen), _summary(found, chosen)
        tables.append(_differences(f"difference to plain top-k, {what}", found, chosen.seed))
    noisy = tuple(row for row in rows() if row.name in _NOISY)
    found = _all(corpus, chosen, noisy, False, chosen.noise, log, partial(progress, "label noise"))
    tables.append(
        _means(f"label-noise check: {chosen.noise:.0%} of the labels exchanged", found, chosen.seed)
    )
    return EvaluationReport(
        "warp",
        chosen.seed,
        (Source(corpus.name, corpus.size, f"documents, labels by {corpus.extractor}"),),
        tuple(tables),
        _deviations(corpus, chosen),
        versions(),
        plots,
        summary,
    )


def measure_entity(
    corpus: WarpCorpus,
    entity: WarpEntity,
    settings: WarpSettings,
    compared: tuple[Row, ...],
    *,
    one_side: bool = False,
    noise: float = 0.0,
) -> Measured:
    """Average every method over the six questions (and the draws) on one entity.

    With ``noise`` the methods see labels of which that share is drawn anew from the entity's own; they are judged by
    the true ones.
    """
    tasks = [t for place in range(len(TEMPLATES)) if (t := task(corpus, entity, place, one_side=one_side))]
    found: Measured = {}
    for row in compared:
        rng = np.random.default_rng([settings.seed, len(entity.rows), len(row.name)])
        repeats = -(-settings.draws // len(tasks)) if row.method in RANDOM_METHODS else 1
        results, failed = [], 0
        for each in tasks:
            seen = each.pool
            if noise:
                seen = replace(seen, score=_noisy(seen.score, entity.rows, noise, rng))
            near = np.sort(each.pool.by_relevance()[: settings.nearest])
            candidates = near if row.wide else each.own
            narrow = seen.take(candidates)
            for _ in range(repeats):
                started = time.perf_counter()
                try:
                    picked = candidates[METHODS[row.method](narrow, settings.k, rng).indices]
                except ValueError:
                    # One choice that a method cannot make must not cost the whole table: it is counted.
                    failed += 1
                    continue
                spent = time.perf_counter() - started
                if picked.size:
                    results.append({**judge(each, picked), "ms": 1e3 * spent})
        tried = max(1, len(results) + failed)
        found[row.name] = {
            name: _mean([result.get(name, np.nan) for result in results]) for name in _MEASURES
        }
        found[row.name]["failed"] = failed / tried
    return found


def judge(asked: Task, picked: Integers) -> dict[str, float]:
    """Judge one choice: the measures of the table but the time.

    ``W1`` counts a document without a view on the entity as neutral; ``W1 of views`` leaves it out.
    """
    pool = asked.pool
    matched = pool.match_mask[picked]
    top = float(pool.relevance[pool.by_relevance()[: picked.size]].sum())
    views = picked[matched]
    own, rated = asked.stars[asked.own], asked.stars[picked]
    own, rated = own[~np.isnan(own)], rated[~np.isnan(rated)]
    gap = float("nan")
    for name, codes in pool.groups.items():
        known = codes[picked][codes[picked] >= 0]
        if known.size:
            shares = pool.group_shares[name]
            gap = float(np.abs(np.bincount(known, minlength=shares.size) / known.size - shares).max())
    return {
        "W1": w1_bins(histogram(pool.score[picked]), pool.population),
        "W1 of views": w1_bins(histogram(pool.score[views]), pool.population) if views.size else float("nan"),
        "entity match": float(matched.mean()),
        "relevance kept": float(pool.relevance[picked].sum()) / top if top > 0 else float("nan"),
        "star W1": w1_bins(histogram(rated), histogram(own)) if rated.size and own.size else float("nan"),
        "author gap": gap,
    }


def clustered(values: Floats, seed: int) -> tuple[float, float, float]:
    """Return mean and 95 % percentile interval of a bootstrap over entities; NaN entities are left out."""
    known = values[~np.isnan(values)]
    if not known.size:
        return (float("nan"),) * 3
    draws = np.random.default_rng(seed).integers(0, known.size, (_RESAMPLES, known.size))
    low, high = np.quantile(known[draws].mean(axis=1), [0.025, 0.975])
    return float(known.mean()), float(low), float(high)


def _all(
    corpus: WarpCorpus,
    settings: WarpSettings,
    compared: tuple[Row, ...],
    one_side: bool,
    noise: float,
    kept: Kept,
    progress: Callable[[int, int], None],
) -> list[Measured]:
    about = [[each.name, each.wide] for each in compared], one_side, noise, asdict(settings)
    seen = key_of(corpus.name, corpus.extractor, corpus.stars.tolist(), corpus.groups.tolist())
    found = []
    for done, entity in enumerate(corpus.entities):
        progress(done, len(corpus.entities))
        own = [entity.name, entity.rows.tolist(), entity.score.tolist(), entity.relevance.tolist()]
        key = key_of("warp/1", seen, own, *about)
        if key not in kept:
            kept.put(key, measure_entity(corpus, entity, settings, compared, one_side=one_side, noise=noise))
        found.append(kept[key])
    progress(len(corpus.entities), len(corpus.entities))
    return found


def _means(
    title: str, found: list[Measured], seed: int, theirs: Mapping[str, tuple[float, ...]] | None = None
) -> Table:
    columns = ["method", "candidates"]
    for name in _MEASURES:
        columns += [name, f"{name} low", f"{name} high"] if name in _INTERVALS else [name]
    places = [f"W1, published, {place}" for place in PUBLISHED_ON] if theirs else []
    wide = {row.name: "nearest" if row.wide else "entity" for row in rows()}
    body: list[tuple[Any, ...]] = []
    for method in found[0]:
        cells: list[Any] = [method, wide[method]]
        for name in _MEASURES:
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


def _mean_of(found: list[Measured], method: str, name: str) -> float:
    return _mean([entity[method][name] for entity in found])


def _plots(found: list[Measured], settings: WarpSettings) -> tuple[Plot, ...]:
    ours = ("exact", "balanced")
    labels = {method: _mean_of(found, method, "W1") for method in found[0]}
    plots = [
        bars(
            f"W1 by method, k = {settings.k}",
            "W1 to the population, labels",
            {method: labels[method] for method in sorted(labels, key=labels.__getitem__)},
            ours,
            "the labels that the methods see: lower is nearer to the population",
        )
    ]
    price = [
        (method, _mean_of(found, method, "relevance kept"), _mean_of(found, method, "star W1"))
        for method in labels
    ]
    known = [(method, x, y) for method, x, y in price if not np.isnan(x + y)]
    if known:
        plots.append(
            Plot(
                f"price and gain, k = {settings.k}",
                "scatter",
                "relevance kept",
                "W1 to the population, star ratings",
                (
                    Series("others", tuple(Point(x, y, label=m) for m, x, y in known if m not in ours)),
                    Series("ours", tuple(Point(x, y, label=m) for m, x, y in known if m in ours), ours=True),
                ),
                "ratings that no method sees; low and to the right is good",
            )
        )
    return tuple(plots)


def _summary(found: list[Measured], settings: WarpSettings) -> tuple[str, ...]:
    names = (PLAIN, "mmr", "w1-greedy", "wassrank-ot", "exact", "balanced")
    lines = []
    for name, what in (
        ("W1", "W1 of the labels to the population"),
        ("star W1", "The same on the star ratings"),
    ):
        values = [(method, _mean_of(found, method, name)) for method in names]
        if not any(np.isnan(value) for _, value in values):
            listed = ", ".join(f"{method} {value:.2f}" for method, value in values)
            lines.append(f"{what} at k = {settings.k}: {listed}.")
    return tuple(lines)


def _differences(title: str, found: list[Measured], seed: int) -> Table:
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


def _entity_table(corpus: WarpCorpus) -> Table:
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


def _rank(labels: Floats, stars: Floats) -> float:
    from scipy.stats import spearmanr

    if np.unique(labels).size < 2 or np.unique(stars).size < 2:
        return float("nan")
    return float(spearmanr(labels, stars).statistic)


def _noisy(score: Floats, own: Integers, share: float, rng: np.random.Generator) -> Floats:
    noisy = score.copy()
    hit = own[rng.random(own.size) < share]
    noisy[hit] = rng.choice(score[own], size=hit.size)
    return noisy


def _mean(values: list[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def _deviations(corpus: WarpCorpus, settings: WarpSettings) -> tuple[str, ...]:
    lines = [
        "WARP's corpora and labels (a language model's) are not public: this corpus and its extractor stand in",
        "labels, and the population that W1 is to, come from the same extractor: compare star W1, which no method sees",
        "W1 counts a chosen document without a view on the entity as neutral; `W1 of views` leaves it out",
        f"random methods: means of {settings.draws} draws an entity; published methods choose among the "
        f"{settings.nearest} nearest documents, ours and random samples among all of the entity",
        "stars rate the whole stay, not the entity",
        "ms: the choice alone, candidates and their relevance given",
        "failed: share of the choices that a method could not make; they are left out of its means",
    ]
    if np.isnan(corpus.stars).all():
        lines.append("the corpus has no ratings from 1 to 5: no star W1")
    if corpus.attribute:
        unknown = float((corpus.groups < 0).mean())
        lines.append(
            f"author groups: {corpus.attribute} ({', '.join(corpus.names)}), as given; {unknown:.0%} unknown, left out"
        )
    else:
        lines.append("no author attribute is known well enough: no author gap")
    if len(corpus.entities) < 12:
        lines.append(f"{len(corpus.entities)} entities only are debated enough")
    return tuple(lines)


__all__ = ["PLAIN", "Row", "WarpSettings", "clustered", "judge", "measure_entity", "rows", "warp_report"]
