"""Speed and quality of the exact FARO optimiser against the published grid and the linear programme.

Run ``python -m tests.benchmarks.bench_faro [--quick]``. Ratios are taken in one run on the same instances: the
optimum (candidates sorted, ranking materialised) against one pass of the 81-point Hungarian grid and one of HiGHS.
Instances are synthetic, in the style of the paper: 20 candidates a question, two thirds to three quarters of one
group, generic weights. Seconds are CPU seconds of the process, so that a busy machine does not flatter either
side. Prints one row an instance and one line a bar; the exit status is 1
if a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.fairness.faro import prepare, solve
from agents.fairness.faro_frontier import at_price, frontier
from agents.fairness.faro_grid import faro_grid, published_prices
from agents.fairness.linear_program import solve_linear_program
from tests.benchmarks.bars import Bars, stands_on

TAU = 0.1
SEED = 7
LP_CAP_SECONDS = 60.0
#: Questions of the frontier that has a bar.
FRONTIER = 100_000


@dataclass
class Row:
    """One instance: times in seconds, relative certified gap."""

    questions: int
    k: int
    skew: float
    status: str
    exact: float
    grid: float
    closed_grid: float
    lp: float | None
    lp_status: str
    gap: float
    grid_feasible: bool
    grid_relevance: float
    relevance: float


def instance(Q: int, k: int, skew: float) -> dict[str, Any]:
    """Arguments of ``prepare`` for one row; fixed by its size."""
    rng = np.random.default_rng([SEED, Q, k, int(100 * skew)])
    w = np.arange(1, k + 1) ** -0.7 * (1 + 0.1 * rng.random(k))
    return {
        "relevance": np.clip(rng.normal(0.75, 0.1, (Q, 20)), 0, 1),
        "attribute": np.where(rng.random((Q, 20)) < skew, -1, 1),
        "weights": np.round(0.9 * w / w.sum(), 4),
        "intercept": -0.25 if skew == 0.5 else -0.2,
    }


def timed(action: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Median CPU seconds and the last result."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        result = action()
        seconds.append(time.process_time() - start)
    return float(np.median(seconds)), result


def measure(Q: int, k: int, skew: float) -> Row:
    """Time one instance with every method."""
    arguments = instance(Q, k, skew)
    exact, solution = timed(lambda: solve(prepare(**arguments), TAU), 15)
    problem = prepare(**arguments)
    grid, published = timed(lambda: faro_grid(prepare(**arguments), TAU), 1)
    closed, _ = timed(lambda: [at_price(problem, float(mu)) for mu in published_prices()], 1)
    lp: float | None = None
    lp_status = "-"
    if Q <= 1000 and k <= 5:
        lp, relaxed = timed(lambda: solve_linear_program(problem, TAU, time_limit=LP_CAP_SECONDS), 1)
        lp_status = relaxed.status
        if relaxed.status == "solved":
            assert abs(relaxed.bound - solution.bound) <= 1e-6 * Q, (relaxed.bound, solution.bound)
            if abs(relaxed.bias) > TAU + 1e-9:
                lp_status = f"breaks tau ({relaxed.bias:+.4f})"
    assert solution.feasible
    assert abs(solution.bias) <= TAU + 1e-9
    return Row(
        Q,
        k,
        skew,
        solution.status,
        exact,
        grid,
        closed,
        lp,
        lp_status,
        solution.relative_gap,
        published.feasible,
        published.normalised_relevance,
        solution.normalised_relevance,
    )


def show(row: Row) -> None:
    """Print one row of the table."""
    lp = "-" if row.lp is None else f"{row.lp / row.exact:8.0f}"
    grid = f"{row.grid_relevance:.5f}" if row.grid_feasible else "none   "
    print(
        f"{row.questions:6d} {row.k:3d} {row.skew:5.2f} {row.status:10s} {1e3 * row.exact:9.2f} "
        f"{1e3 * row.closed_grid:9.1f} {1e3 * row.grid:10.0f} {row.grid / row.exact:9.0f} {lp:>9s} "
        f"{row.gap:9.1e} {grid} {row.relevance:.5f}  {row.lp_status}",
        flush=True,
    )


def main() -> int:
    """Run the table and judge the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="200 questions only, frontier of 10,000")
    quick = parser.parse_args().quick
    sizes = (200,) if quick else (200, 1000, 10_000)
    run = ["ratios are to `exact`, median of 15", f"tau {TAU:g}", *(["--quick"] if quick else [])]
    print(stands_on("made instances, 20 candidates a question", SEED, *run))
    print(
        "     Q   k  skew status      exact ms grid81 ms Hungarian ms   Hung/ex     LP/ex   rel.gap "
        "grid rel' ours rel'  LP discretised"
    )
    rows = []
    for Q in sizes:
        for k in (2, 3, 5, 10):
            for skew in (0.5, 0.75) if Q == 200 else (0.75,):
                rows.append(measure(Q, k, skew))
                show(rows[-1])
    grid = np.array([row.grid / row.exact for row in rows])
    lps = np.array([row.lp / row.exact for row in rows if row.lp is not None])
    gaps = np.array([row.gap for row in rows if row.questions == 200])
    arguments = instance(10_000 if quick else FRONTIER, 5, 0.75)
    wall = time.perf_counter()
    seconds, path = timed(lambda: frontier(prepare(**arguments)), 3)
    wall = (time.perf_counter() - wall) / 3
    print(
        f"frontier: {path.bias.size:,} breakpoints, candidates sorted included; {wall:.2f} s of wall time here"
    )
    bars = Bars()
    bars.judge("Hungarian / exact, median", float(np.median(grid)), ">=", 150.0)
    bars.judge("Hungarian / exact, least", float(grid.min()), ">=", 70.0)
    bars.judge("HiGHS / exact, least", float(lps.min()), ">=", 80.0)
    bars.judge("certified relative gap at 200 questions", float(gaps.max()), "<=", 1e-4)
    questions = arguments["relevance"].shape[0]
    note = "" if questions >= FRONTIER else f"the bar is at {FRONTIER:,} questions"
    bars.judge(f"frontier of {questions:,} questions, s", seconds, "<=", 2.0, note)
    return bars.end()


if __name__ == "__main__":
    sys.exit(main())
