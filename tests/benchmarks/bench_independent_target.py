"""Every selection method against a target that none of them sees.

    python -m tests.benchmarks.bench_independent_target [--corpus lounges] [--labels product] [--draws 100]
    python -m tests.benchmarks.bench_independent_target --upgrade 0.5 --methods "exact,balanced q=0.75"

For each entity and each of six question templates, k = 5, 10, 20: the methods see relevance, the label of the entity in
each review, author groups; they are judged by W1 between the chosen reviews' own ratings (1..5 -> -30, -20, 0, 20, 30)
and those of all reviews that name the entity. Published methods choose among the 200 nearest reviews, ours and the
samples among all reviews that name the entity. Random methods: means of ``--draws`` draws an entity. Differences to a
reference method: means over entities with an interval from a bootstrap over entities, p-values corrected by
Benjamini and Hochberg over all methods and k. ``--upgrade A`` shows what better labels would change: a
random share A of the labels is replaced by the truth (a negative A: by labels drawn from the entity's own).
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from agents.evaluation.report import Plot, Point, Series
from agents.evaluation.warp_rows import Candidates, WarpSettings, candidates_of
from agents.fairness.distance import histogram, w1_bins
from agents.fairness.measure import measure
from agents.fairness.pool import Pool
from agents.fairness.selection import RANDOM_METHODS, select
from app.views.evaluation_plots import plot_file
from tests.benchmarks.opinion_data import CORPORA, TEMPLATES, Corpus, Entity

NEAREST = 200
SIZES = (5, 10, 20)
WIDENED: tuple[Candidates, ...] = ("entity-gated", "adaptive")
LABELS = {"product": "the product's own labels", "vader": "VADER clause labels"}


@dataclass(frozen=True)
class Row:
    """A method with its options and its candidates."""

    name: str
    method: str
    options: dict[str, Any]
    candidates: Candidates  # see agents.evaluation.warp_rows


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
    pools = [
        Pool(
            relevance=relevance[keep],
            score=score[keep],
            population=population,
            matched=matched[keep],
            vectors=corpus.vectors[keep],
            groups=groups,
            group_shares=shares,
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
                    chosen = rows[select(row.method, candidates, k, rng, **row.options).indices]
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


def differences(
    results: dict[str, dict[tuple[str, int], dict[str, float]]],
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


def table(results: dict[str, dict[tuple[str, int], dict[str, float]]], compared: list[dict[str, Any]]) -> str:
    """Write the means as Markdown."""
    entities = list(results)
    notes = {(row["method"], row["k"]): row for row in compared}
    lines = []
    for k in SIZES:
        floor = np.mean([results[e]["exact", k]["floor"] for e in entities])
        gap_floor = np.mean([results[e]["exact", k]["gap_floor"] for e in entities])
        lines += [
            f"\n### k = {k} (label floor {floor:.2f}, gap floor {gap_floor:.3f})\n",
            "| method | truth W1 | to the default | q | label W1 | relevance kept | match | gap | groups | ms |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        for name, size in results[entities[0]]:
            if size != k:
                continue
            mean = {
                key: float(np.mean([results[e][name, k][key] for e in entities]))
                for key in results[entities[0]][name, k]
            }
            note = notes.get((name, k))
            versus = (
                f"{note['difference']:+.2f} [{note['low']:+.2f}, {note['high']:+.2f}]" if note else "default"
            )
            corrected = f"{note['q']:.3f}" if note else ""
            lines.append(
                f"| {name} | {mean['truth_w1']:.2f} | {versus} | {corrected} "
                f"| {mean['label_w1']:.2f} | {mean['relevance_kept']:.3f} | {mean['matched']:.3f} "
                f"| {mean.get('gap', float('nan')):.3f} | {mean.get('groups_matched', float('nan')):.2f} "
                f"| {mean['ms']:.1f} |"
            )
    return "\n".join(lines)


def ratios(results: dict[str, dict[tuple[str, int], dict[str, float]]], draws: int = 10_000) -> str:
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


def beaten(compared: list[dict[str, Any]]) -> list[str]:
    """Name the methods significantly better than the default at equal or higher relevance kept."""
    return [
        f"{row['method']} (k={row['k']})"
        for row in compared
        if row["difference"] < 0 and row["q"] < 0.05 and row["relevance_difference"] >= -1e-9
    ]


def plot(results: dict[str, dict[tuple[str, int], dict[str, float]]], k: int) -> str:
    """Draw truth W1 against relevance kept as SVG."""
    points = defaultdict(list)
    for entity in results.values():
        for (name, size), values in entity.items():
            if size == k:
                points[name].append((values["relevance_kept"], values["truth_w1"]))
    means = {name: np.mean(values, axis=0) for name, values in points.items()}
    ours = {"exact", "balanced q=0.50"}
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


def main() -> None:
    """Run and print; write JSON, Markdown and plots where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", choices=tuple(CORPORA), default="lounges")
    parser.add_argument("--labels", choices=("product", "vader"), default="product")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--reference", default="exact", help="one method, or one for each k: exact,exact,balanced"
    )
    parser.add_argument("--upgrade", type=float, default=0.0)
    parser.add_argument("--methods", help="names of the table's first column, with commas; default: all")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    names = options.reference.split(";")
    reference = dict(zip(SIZES, names * len(SIZES) if len(names) == 1 else names, strict=False))
    corpus = CORPORA[options.corpus](options.labels)
    wanted = [row for row in methods() if not options.methods or row.name in options.methods.split(",")]
    results = {}
    for entity in corpus.entities:
        quality = upgrade(entity, options.upgrade, options.seed)
        results[entity.name] = measure_entity(corpus, entity, options.draws, options.seed, wanted)
        print(f"{entity.name}: {entity.rows.size} reviews, Spearman of the labels {quality:.2f}", flush=True)
    compared = differences(results, reference, np.random.default_rng(options.seed))
    text = (
        f"## {corpus.name}: {len(results)} entities, {len(TEMPLATES)} templates, {options.draws} draws, "
        f"seed {options.seed}, {LABELS[options.labels]}\n{table(results, compared)}\n\n{ratios(results)}\n\n"
        f"Significantly better than the default at equal or higher relevance kept: {beaten(compared) or 'none'}\n"
    )
    print(text)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        plain = {e: {f"{n}|{k}": v for (n, k), v in r.items()} for e, r in results.items()}
        (options.out / f"{corpus.name}.json").write_text(
            json.dumps({"entities": plain, "differences": compared})
        )
        (options.out / f"{corpus.name}.md").write_text(text)
        for k in SIZES:
            (options.out / f"{corpus.name}-k{k}.svg").write_text(plot(results, k))


if __name__ == "__main__":
    main()
