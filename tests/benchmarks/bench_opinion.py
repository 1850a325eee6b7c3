"""Milliseconds of opinion selection, and the cube sample's inclusion probabilities and balance.

    python -m tests.benchmarks.bench_opinion [--runs 60] [--draws 20000]

Random corpora of 200 documents, relevance correlated with opinion, recommended weights. Wall clock and CPU time of
this process (the second does not count what other programs take); the median of the wall clock is judged, so let
nothing else run. Exit status 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np

from agents.fairness.balanced import balance_columns, balanced_sample, calibrated_inclusion
from agents.fairness.cube import cube_sample, flight, landing, merge_equals
from agents.fairness.distance import BINS
from agents.fairness.opinion import recommended_weights, select_exact, select_weighted
from agents.fairness.opinion_w2 import select_w2
from tests.benchmarks.bars import Bars, stands_on

#: Draws at which the inclusion probabilities are to be right.
DRAWS = 20_000


def corpus(rng: np.random.Generator, count: int, groups: int) -> tuple[np.ndarray, ...]:
    """Draw relevance, score, population, group codes and shares."""
    score = rng.choice(BINS, count, p=rng.dirichlet(np.full(7, 2.0)))
    tie = rng.choice([0.3, 0.6, 0.85])
    noise = np.sqrt(1 - tie**2) * rng.normal(size=count)
    relevance = np.round(0.4 + 0.15 * (tie * score / 20 + noise), 4)
    shares = rng.dirichlet(np.full(max(groups, 1), 4.0))
    codes = rng.choice(max(groups, 1), count, p=rng.dirichlet(shares * 20))
    return relevance, score, np.bincount(((score + 30) / 10).astype(int), minlength=7) / count, codes, shares


def clock(
    name: str, runs: int, call: Callable[[int], Callable[[], object]], bars: Bars, bar: float | None = None
) -> None:
    """Time prepared calls; print the median and the largest, and judge the median of the wall clock."""
    call(0)()
    wall, cpu = [], []
    for run in range(runs):
        ready = call(run)
        start, start_cpu = time.perf_counter(), time.process_time()
        ready()
        wall.append(1e3 * (time.perf_counter() - start))
        cpu.append(1e3 * (time.process_time() - start_cpu))
    figures = f"largest {max(wall):.2f}; CPU median {np.median(cpu):.2f}, largest {max(cpu):.2f}; {runs} runs"
    if bar is None:
        print(f"       {name}, ms: {np.median(wall):.2f}; {figures}", flush=True)
    else:
        bars.judge(f"{name}, ms", float(np.median(wall)), "<=", bar, figures)


def exact_call(k: int, groups: int, unknown: float = 0.0) -> Callable[[int], Callable[[], object]]:
    """Prepare an exact selection on a fresh corpus."""

    def prepare(run: int) -> Callable[[], object]:
        rng = np.random.default_rng(run)
        r, s, population, codes, shares = corpus(rng, 200, groups)
        codes = np.where(rng.random(200) < unknown, -1, codes)
        lam, beta = recommended_weights(k)

        def call() -> object:
            found = select_exact(
                r,
                s,
                population,
                k,
                lam=lam,
                beta=beta if groups else 0.0,
                groups=codes if groups else None,
                group_shares=shares if groups else None,
            )
            assert found.optimal
            return found

        return call

    return prepare


def w2_call(k: int, groups: int) -> Callable[[int], Callable[[], object]]:
    """Prepare a selection by W2 with its square root."""

    def prepare(run: int) -> Callable[[], object]:
        r, s, population, codes, shares = corpus(np.random.default_rng(run), 200, max(groups, 1))
        grouped = {"beta": 0.5 * k, "groups": codes, "group_shares": shares} if groups else {}
        return lambda: select_w2(r, s, population, k, lam=0.03 * k, **grouped)

    return prepare


def cube_call(count: int, covariates: int) -> Callable[[int], Callable[[], object]]:
    """Prepare a balanced sample of 20 documents."""

    def prepare(run: int) -> Callable[[], object]:
        rng = np.random.default_rng(run)
        _r, score, population, codes, _shares = corpus(rng, count, 6)
        bins = ((score + 30) / 10).astype(int)
        groups = {"a": (codes, np.bincount(codes, minlength=6) / count)}
        extra = rng.normal(size=(count, covariates)) if covariates else None
        return lambda: balanced_sample(bins, population, groups, extra, 20, rng)

    return prepare


def weighted_call(k: int) -> Callable[[int], Callable[[], object]]:
    """Prepare a position-weighted selection."""

    def prepare(run: int) -> Callable[[], object]:
        r, s, population, _codes, _shares = corpus(np.random.default_rng(run), 200, 1)
        return lambda: select_weighted(r, s, population, 1 / np.arange(1, k + 1), lam=0.03 * k)

    return prepare


def inclusion(draws: int, bars: Bars) -> None:
    """Compare the cube's frequencies with its inclusion probabilities."""
    rng = np.random.default_rng(0)
    bins, codes = rng.integers(0, 7, 24), rng.integers(-1, 3, 24)
    population = rng.dirichlet(np.full(7, 3.0))
    chances = calibrated_inclusion(bins, population, [(codes, np.array([0.5, 0.3, 0.2]))], 5)
    columns = balance_columns(bins, [(codes, 3)], rng.normal(size=(24, 1)))
    hits = np.zeros(24)
    for _ in range(draws):
        hits[cube_sample(chances, columns, rng).indices] += 1
    free = (chances > 0) & (chances < 1)
    error = np.sqrt(chances * (1 - chances) / draws)[free]
    z = np.abs(hits / draws - chances)[free] / error
    certain = np.abs(hits / draws - chances)[~free]
    bars.judge(
        "cube inclusion: largest miss in standard errors",
        float(z.max()),
        "<=",
        3.0,
        f"N = 24, k = 5, {columns.shape[1]} variables, {draws:,} draws, {free.sum()} documents left to chance"
        + ("" if draws >= DRAWS else f"; the bar is at {DRAWS:,} draws"),
    )
    bars.judge("cube inclusion: certain documents missed", float(certain.max(initial=0.0)), "<=", 0.0)


def balance(instances: int, bars: Bars) -> None:
    """Follow the flight of many samples: totals stay exact until the landing, which decides few units."""
    most, extra, sizes = 0.0, 0.0, set()
    for run in range(instances):
        rng = np.random.default_rng([1, run])
        _r, score, population, codes, _shares = corpus(rng, 200, 4)
        bins = ((score + 30) / 10).astype(int)
        chances = calibrated_inclusion(bins, population, [(codes, np.bincount(codes, minlength=4) / 200)], 20)
        columns = np.column_stack(
            [np.ones(200), balance_columns(bins, [(codes, 4)], rng.normal(size=(200, 2)))]
        )
        state = flight(merge_equals(chances, columns, rng), columns, rng)
        most = max(most, float(np.abs((state - chances) @ columns).max()))
        undecided = int(((state > 0) & (state < 1)).sum())
        extra = max(extra, undecided - columns.shape[1])
        sizes.add(int(landing(state, columns, rng).sum()))
    where = f"{instances} samples of 20 of 200, bins, 4 groups and 2 covariates"
    bars.judge("cube balance: largest miss of a total before the landing", most, "<=", 1e-8, where)
    bars.judge("cube landing: units decided beyond the number of variables", extra, "<=", 0.0, where)
    bars.hold("cube size: 20 documents after the landing, always", sizes == {20}, where)


def main() -> int:
    """Print the table and judge the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--draws", type=int, default=DRAWS)
    options = parser.parse_args()
    runs, bars = options.runs, Bars()
    print(
        stands_on(
            "200 made documents, relevance going with opinion",
            "one a run, from 0",
            f"--runs {runs}",
            f"--draws {options.draws}",
        )
    )
    clock("exact k=20, bins alone", runs, exact_call(20, 0), bars, 3)
    clock("exact k=10, 4 groups", runs, exact_call(10, 4), bars)
    clock("exact k=20, 4 groups", runs, exact_call(20, 4), bars, 25)
    clock("exact k=20, 6 groups", runs, exact_call(20, 6), bars, 80)
    clock("exact k=20, 7 groups, 20 % unknown", runs, exact_call(20, 7, 0.2), bars)
    clock("exact by W2 k=20, bins alone", runs, w2_call(20, 0), bars)
    clock("exact by W2 k=20, 4 groups", -(-runs // 6), w2_call(20, 4), bars)
    clock("cube k=20, N=200, bins and 6 groups", runs, cube_call(200, 0), bars, 20)
    clock("cube the same and 2 covariates", runs, cube_call(200, 2), bars, 20)
    clock("cube N=3000, bins and 6 groups", -(-runs // 3), cube_call(3000, 0), bars, 20)
    clock("cube N=3000 and 2 covariates", -(-runs // 6), cube_call(3000, 2), bars)
    for k in (5, 8, 10):
        clock(f"position-weighted k={k}", -(-runs // 6), weighted_call(k), bars)
    if options.draws:
        inclusion(options.draws, bars)
        balance(max(1, options.draws // 100), bars)
    return bars.end()


if __name__ == "__main__":
    sys.exit(main())
