"""Time and certified gap of fair reranking for several groups and attributes.

Run ``python -m tests.benchmarks.bench_multigroup``; CPU seconds. Targets are hard: equal shares of skewed pools.
Relaxation (bundle from some 100 questions up) with rounding; the gap is the certificate, relative to the relevance.
"""

from __future__ import annotations

import time

import numpy as np

from agents.fairness.multigroup import combine, group_target, prepare_types, solve_multigroup

SHARES = {3: (0.5, 0.3, 0.2), 4: (0.5, 0.25, 0.15, 0.1)}


def main() -> None:
    """Print one row a case."""
    print("    Q   N  k case             status     seconds  rel.gap  largest violation")
    for Q, N, k, case in (
        (50, 20, 3, "3 groups"),
        (200, 20, 5, "3 groups"),
        (50, 20, 3, "4 groups"),
        (200, 20, 5, "4 groups"),
        (50, 20, 3, "2 attributes"),
        (200, 20, 5, "2 attributes"),
        (1000, 20, 5, "4 groups"),
        (1000, 20, 5, "2 attributes"),
        (10_000, 20, 5, "4 groups"),
        (10_000, 20, 5, "2 attributes"),
    ):
        rng = np.random.default_rng([3, Q, k])
        R = np.clip(rng.normal(0.75, 0.1, (Q, N)), 0, 1)
        w = np.arange(1, k + 1) ** -0.7 * (1 + 0.1 * rng.random(k))
        w = np.round(0.9 * w / w.sum(), 4)
        if case == "2 attributes":
            parts = [(rng.choice(2, p=(0.75, 0.25), size=(Q, N)), [[-1.0], [1.0]]) for _ in range(2)]
            types, vectors = combine(parts)
            target = np.zeros(2)
        else:
            shares = np.array(SHARES[int(case[0])])
            types, vectors = rng.choice(shares.size, p=shares, size=(Q, N)), np.eye(shares.size)
            target = group_target("parity", w, shares)
        problem = prepare_types(R, types, vectors, w)
        start = time.process_time()
        solution = solve_multigroup(problem, 0.05, target)
        seconds = time.process_time() - start
        print(
            f"{Q:5d} {N:3d} {k:2d} {case:16s} {solution.status:10s} {seconds:7.2f} "
            f"{solution.gap / solution.relevance:9.1e} {solution.violation:10.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
