"""Every selection method against a target that none of them sees.

    python -m tests.benchmarks.bench_independent_target [--corpus lounges] [--labels product] [--draws 100]
    python -m tests.benchmarks.bench_independent_target --upgrade 0.5 --methods "exact;balanced q=0.75"

For each entity and each of six question templates, k = 5, 10, 20: the methods see relevance, the label of the entity in
each review, author groups; they are judged by W1 between the chosen reviews' own ratings (1..5 -> -30, -20, 0, 20, 30)
and those of all reviews that name the entity. Published methods choose among the 200 nearest reviews, ours and the
samples among all reviews that name the entity. Random methods: means of ``--draws`` draws an entity. Differences to a
reference method: means over entities with an interval from a bootstrap over entities, p-values corrected by
Benjamini and Hochberg over all methods and k. ``--upgrade A`` shows what better labels would change: a
random share A of the labels is replaced by the truth (a negative A: by labels drawn from the entity's own).

Bars (exit status 1 if one is missed): no baseline significantly better than the product's default at equal or higher
relevance kept; the exact choice's label W1 within 5 % of the floor; author gaps of ``exact`` at most .35 of plain
top-k's at k = 10 and 20 and within .02 of their floor at k = 5, of ``balanced`` as answers draw it at most .5; the
default covers no fewer author groups than plain top-k, overall and among the documents on the entity. With
``--upgrade`` nothing is judged.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from agents.choosing import own_options
from agents.evaluation.report import versions
from agents.evaluation.warp_rows import Candidates, WarpSettings, candidates_of
from agents.fairness.distance import histogram, w1_bins
from agents.fairness.measure import measure
from agents.fairness.pool import Pool
from agents.fairness.recommendation import recommended_method
from agents.fairness.selection import RANDOM_METHODS, select
from tests.benchmarks.bars import Bars, stands_on
from tests.benchmarks.independent_bars import judge_all
from tests.benchmarks.independent_tables import beaten, differences, plot, ratios, table
from tests.benchmarks.opinion_data import CORPORA, TEMPLATES, Corpus, Entity, covariates

NEAREST = 200
SIZES = (5, 10, 20)
WIDENED: tuple[Candidates, ...] = ("entity-gated", "adaptive")
#: Row of the sample that answers draw.
BALANCED = "balanced, as answers"
#: Row of the product's default at each k, for labels whose quality nobody measured.
DEFAULT = {k: "exact" if recommended_method(k) == "exact" else BALANCED for k in SIZES}
DRAWS = 100
LABELS = {"product": "the product's own labels", "vader": "VADER clause labels"}


@dataclass(frozen=True)
class Row:
    """A method with its options and its candidates."""

    name: str
    method: str
    options: dict[str, Any]
    candidates: Candidates  # see agents.evaluation.warp_rows
    answers: bool = False  # drawn with the options that answers draw it with

    def options_of(self, documents: int, k: int) -> dict[str, Any]:
        """Return the options of a choice of k among so many documents."""
        return own_options(self.method, documents, k) if self.answers else self.options


def methods() -> list[Row]:
    """List what is compared."""
    rows = [Row("relevance", "relevance", {}, "nearest")]
    for name in ("mmr", "dpp", "opinion-mmr", "kl", "js", "faro", "w1-greedy", "w1-mmr", "wassrank-ot"):
        rows.append(Row(name, name, {}, "nearest"))
    for kind in WIDENED:
        rows += [Row(f"{name}, {kind}", name, {}, kind) for name in ("w1-greedy", "wassrank-ot")]
    rows.append(Row("exact on nearest", "exact", {}, "nearest"))
    rows.append(Row("exact", "exact", {}, "entity"))
    rows.append(Row("exact-w2", "exact-w2", {}, "entity"))
    rows.append(Row("exact, no groups", "exact", {"beta": 0.0}, "entity"))
    for name in ("random", "stratified", "balanced"):
        for quantile in (0.0, 0.5, 0.75) if name != "random" else (0.0,):
            label = f"{name} q={quantile:.2f}" if quantile else name
            rows.append(Row(label, name, {"relevance_quantile": quantile}, "entity"))
    rows.append(Row(BALANCED, "balanced", {}, "entity", answers=True))
    return rows


def entity_pools(corpus: Corpus, entity: Entity) -> tuple[list[Pool], np.ndarray]:
    """Build a pool of all reviews for each template, and the truth of each review (those without one left out)."""
    truth = np.full(len(corpus.texts), np.nan)
    score = np.zeros(len(corpus.texts))
    matched = np.zeros(len(corpus.texts), bool)
    truth[:] = entity.all_truth
    score[entity.rows] = entity.score
    matched[entity.rows] = True
    keep = np.flatnonzero(~np.isnan(truth))
    population = histogram(score[keep][matched[keep]])
    groups, shares = {}, {}
    for name, codes in corpus.groups.items():
        groups[name] = codes[keep]
        known = groups[name][matched[keep] & (groups[name] >= 0)]
        shares[name] = np.bincount(known, minlength=len(corpus.labels[name])) / known.size
    extra = covariates(corpus, keep)
    pools = [
        Pool(
            relevance=relevance[keep],
            score=score[keep],
            population=population,
            matched=matched[keep],
            vectors=corpus.vectors[keep],
            groups=groups,
            group_shares=shares,
            covariates=extra,
        )
        for relevance in entity.relevance
    ]
    return pools, truth[keep]


def judge(pool: Pool, truth: np.ndarray, indices: np.ndarray, top: float) -> dict[str, float]:
    """Score one choice; ``top`` is the relevance of plain top-k."""
    whole = histogram(truth[pool.match_mask])
    result = {
        "label_w1": w1_bins(histogram(pool.score[indices]), pool.population),
        "truth_w1": w1_bins(histogram(truth[indices]), whole),
        "relevance_kept": float(pool.relevance[indices].sum()) / top,
        "matched": float(pool.match_mask[indices].mean()),
    }
    for name, codes in pool.groups.items():
        chosen = codes[indices]
        known = chosen[chosen >= 0]
        shares = pool.group_shares[name]
        seen = np.bincount(known, minlength=shares.size)
        result["gap"] = float(np.abs(seen / max(known.size, 1) - shares).max())
        result["groups"] = float((seen > 0).sum() / (shares > 0).sum())
        own = codes[indices[pool.match_mask[indices]]]
        result["groups_matched"] = float(np.unique(own[own >= 0]).size / (shares > 0).sum())
    return result


def upgrade(entity: Entity, share: float, seed: int) -> float:
    """Replace a share of the labels in place; return Spearman between label and truth."""
    rng = np.random.default_rng([seed, 99])
    truth = entity.all_truth[entity.rows]
    hit = (rng.random(truth.size) < abs(share)) & ~np.isnan(truth)
    entity.score[hit] = truth[hit] if share > 0 else rng.permutation(entity.score)[hit]
    known = ~np.isnan(truth)
    return float(spearmanr(entity.score[known], truth[known])[0])


def measure_entity(
    corpus: Corpus, entity: Entity, draws: int, seed: int, rows_wanted: list[Row]
) -> dict[tuple[str, int], dict[str, float]]:
    """Average every method over the templates (and draws) of one entity."""
    pools, truth = entity_pools(corpus, entity)
    results: dict[tuple[str, int], dict[str, float]] = {}
    pool_settings = WarpSettings(nearest=NEAREST)
    kinds = {row.candidates for row in rows_wanted} | {"entity"}
    own = {kind: [candidates_of(kind, pool, pool_settings) for pool in pools] for kind in kinds}
    taken = {
        kind: [pool.take(rows) for pool, rows in zip(pools, found, strict=True)]
        for kind, found in own.items()
    }
    for k in SIZES:
        tops = [float(pool.relevance[pool.by_relevance()[:k]].sum()) for pool in pools]
        for row in rows_wanted:
            start = time.perf_counter()
            rng = np.random.default_rng([seed, k])
            found: list[dict[str, float]] = []
            repeats = -(-draws // len(pools)) if row.method in RANDOM_METHODS else 1
            for place in range(len(pools)):
                candidates, rows = taken[row.candidates][place], own[row.candidates][place]
                for _ in range(repeats):
                    options = row.options_of(len(candidates), k)
                    chosen = rows[select(row.method, candidates, k, rng, **options).indices]
                    if chosen.size:
                        found.append(judge(pools[place], truth, chosen, tops[place]))
            means = {name: float(np.mean([f[name] for f in found])) for name in found[0]}
            means["ms"] = 1e3 * (time.perf_counter() - start) / max(len(found), 1)
            alone = taken["entity"][0]
            parts = measure(alone, alone.by_relevance()[:k])
            means["floor"] = parts.floor
            means["gap_floor"] = max(parts.gap_floors.values(), default=float("nan"))
            results[row.name, k] = means
    return results


def main() -> int:
    """Run, print and judge; write JSON, Markdown and plots where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", choices=tuple(CORPORA), default="lounges")
    parser.add_argument("--labels", choices=("product", "vader"), default="product")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--reference", help="one method, or one for each k with semicolons; default: the product's default"
    )
    parser.add_argument("--upgrade", type=float, default=0.0)
    parser.add_argument("--methods", help="names of the table's first column, with semicolons; default: all")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    names = options.reference.split(";") if options.reference else list(DEFAULT.values())
    reference = dict(zip(SIZES, names * len(SIZES) if len(names) == 1 else names, strict=True))
    corpus = CORPORA[options.corpus](options.labels)
    listed = options.methods.split(";") if options.methods else []
    wanted = [row for row in methods() if not listed or row.name in {*listed, *reference.values()}]
    results = {}
    for entity in corpus.entities:
        quality = upgrade(entity, options.upgrade, options.seed)
        results[entity.name] = measure_entity(corpus, entity, options.draws, options.seed, wanted)
        print(f"{entity.name}: {entity.rows.size} reviews, Spearman of the labels {quality:.2f}", flush=True)
    compared = differences(results, reference, np.random.default_rng(options.seed))
    what = f"{corpus.told}; {len(results)} entities, {len(TEMPLATES)} templates"
    run = [f"{options.draws} draws", f"default {'; '.join(f'k = {k}: {n}' for k, n in reference.items())}"]
    run += [f"labels upgraded by {options.upgrade:g}"] if options.upgrade else []
    run += [f"only {options.methods}"] if listed else []
    told = stands_on(f"{what}; labels: {LABELS[options.labels]}", options.seed, *run)
    ours = beaten(compared, ours=True)
    text = (
        f"## {corpus.name}: methods against ratings that none of them sees\n\n"
        + "\n".join(f"- {line}" for line in told.splitlines())
        + f"\n{table(results, compared)}\n\n{ratios(results)}\n\n"
        "Significantly better than the default at equal or higher relevance kept: "
        f"baselines: {', '.join(beaten(compared)) or 'none'}; other methods of ours: {', '.join(ours) or 'none'}\n"
    )
    print(text)
    bars = Bars()
    few = f"the bar is at {DRAWS} draws" if options.draws < DRAWS else ""
    if options.upgrade:
        print("the labels were changed: the bars are not judged")
    else:
        judge_all(results, compared, reference, BALANCED, bars, few)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        plain = {e: {f"{n}|{k}": v for (n, k), v in r.items()} for e, r in results.items()}
        document = {
            "data": what,
            "labels": LABELS[options.labels],
            "seed": options.seed,
            "run": run,
            "versions": versions(),
            "entities": plain,
            "differences": compared,
        }
        (options.out / f"{corpus.name}.json").write_text(json.dumps(document))
        (options.out / f"{corpus.name}.md").write_text(text)
        for k in SIZES:
            drawn = plot(results, k, set(reference.values()))
            (options.out / f"{corpus.name}-k{k}.svg").write_text(drawn)
    return bars.end()


if __name__ == "__main__":
    sys.exit(main())
