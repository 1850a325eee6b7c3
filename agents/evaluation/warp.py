"""``evaluate warp``: WARP's table 1 (arXiv 2608.22859), with random samples, unseen stars and author groups beside it.

Every selection method answers six questions on every debated entity: plain and published methods choose k = 20 among
the 200 nearest documents, some also after WARP's two expansions of that pool; ours and the random samples among all
documents of the entity. W1 and W2 are to the entity's own labels, which the methods see; star W1 to the star ratings,
which none of them sees. Figures are means over entities; intervals are from a bootstrap over entities, since the
questions of one entity are not independent.

Full size, 13,621 hotel reviews, whose workspace stays in the cache::

    evenhand evaluate warp --data DIR --cache FOLDER
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.choosing import own_options
from agents.evaluation.report import EvaluationReport, Plot, Source, versions
from agents.evaluation.report_kept import Kept, key_of
from agents.evaluation.warp_data import TEMPLATES, Task, WarpCorpus, WarpEntity, task
from agents.evaluation.warp_deviations import deviations
from agents.evaluation.warp_rows import Row, WarpSettings, candidates_of, rows
from agents.evaluation.warp_tables import (
    MEASURES,
    PUBLISHED,
    Measured,
    differences_table,
    entity_table,
    known_mean,
    means_table,
    method_plots,
    summary,
)
from agents.fairness.distance import BINS, histogram, w1_bins, wasserstein_p
from agents.fairness.selection import METHODS, RANDOM_METHODS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Progressed = Callable[[str, int, int], None]

#: Methods that see labels, for the noise check.
_NOISY: Final = ("exact", "exact-w2", "balanced", "stratified", "w1-greedy", "w1-mmr", "wassrank-ot")


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
    tables = [entity_table(corpus)]
    plots: tuple[Plot, ...] = ()
    told: tuple[str, ...] = ()
    for one_side in (False, True):
        what = f"one-side rule {'on' if one_side else 'off'}"
        found = _all(corpus, chosen, rows(), one_side, 0.0, log, partial(progress, what))
        tables.append(means_table(f"WARP table 1, k = {chosen.k}, {what}", found, chosen.seed, PUBLISHED))
        if not one_side:
            plots, told = method_plots(found, chosen.k), summary(found, chosen.k)
        tables.append(differences_table(f"difference to plain top-k, {what}", found, chosen.seed))
    noisy = tuple(row for row in rows() if row.name in _NOISY)
    found = _all(corpus, chosen, noisy, False, chosen.noise, log, partial(progress, "label noise"))
    tables.append(
        means_table(f"label-noise check: {chosen.noise:.0%} of the labels exchanged", found, chosen.seed)
    )
    return EvaluationReport(
        "warp",
        chosen.seed,
        (Source(corpus.name, corpus.size, f"documents, labels by {corpus.extractor}"),),
        tuple(tables),
        deviations(corpus, chosen),
        versions(),
        plots,
        told,
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
            candidates = candidates_of(row.candidates, seen, settings)
            narrow = seen.take(candidates)
            own = own_options(row.method, len(narrow), settings.k)
            for _ in range(repeats):
                started = time.perf_counter()
                try:
                    picked = candidates[METHODS[row.method](narrow, settings.k, rng, **own).indices]
                except ValueError:
                    # One choice that a method cannot make must not cost the whole table: it is counted.
                    failed += 1
                    continue
                spent = time.perf_counter() - started
                if picked.size:
                    results.append({**judge(each, picked), "ms": 1e3 * spent})
        tried = max(1, len(results) + failed)
        found[row.name] = {
            name: known_mean([result.get(name, np.nan) for result in results]) for name in MEASURES
        }
        found[row.name]["failed"] = failed / tried
    return found


def judge(asked: Task, picked: Integers) -> dict[str, float]:
    """Judge one choice: the measures of the table but the time.

    ``W1`` and ``W2`` count a document without a view on the entity as neutral; ``W1 of views`` leaves it out.
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
        "W2": float(np.sqrt(wasserstein_p(pool.score[picked], BINS, None, pool.population, 2.0))),
        "entity match": float(matched.mean()),
        "relevance kept": float(pool.relevance[picked].sum()) / top if top > 0 else float("nan"),
        "star W1": w1_bins(histogram(rated), histogram(own)) if rated.size and own.size else float("nan"),
        "author gap": gap,
    }


def _all(
    corpus: WarpCorpus,
    settings: WarpSettings,
    compared: tuple[Row, ...],
    one_side: bool,
    noise: float,
    kept: Kept,
    progress: Callable[[int, int], None],
) -> list[Measured]:
    about = (
        [[each.name, each.method, each.candidates] for each in compared],
        one_side,
        noise,
        asdict(settings),
    )
    seen = key_of(corpus.name, corpus.extractor, corpus.stars.tolist(), corpus.groups.tolist())
    found = []
    for done, entity in enumerate(corpus.entities):
        progress(done, len(corpus.entities))
        own = [entity.name, entity.rows.tolist(), entity.score.tolist(), entity.relevance.tolist()]
        extra = None if entity.covariates is None else entity.covariates.tolist()
        key = key_of("warp/3", seen, own, extra, *about)
        if key not in kept:
            kept.put(key, measure_entity(corpus, entity, settings, compared, one_side=one_side, noise=noise))
        found.append(kept[key])
    progress(len(corpus.entities), len(corpus.entities))
    return found


def _noisy(score: Floats, own: Integers, share: float, rng: np.random.Generator) -> Floats:
    noisy = score.copy()
    hit = own[rng.random(own.size) < share]
    noisy[hit] = rng.choice(score[own], size=hit.size)
    return noisy


__all__ = ["Row", "WarpSettings", "judge", "measure_entity", "rows", "warp_report"]
