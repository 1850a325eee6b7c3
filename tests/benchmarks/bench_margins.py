"""Coverage of the margins of error of ``balanced``: the mean rating of the unseen target at k = 20.

    python -m tests.benchmarks.bench_margins [--corpus lounges] [--draws 500]

For each entity: how often the nominal 95 % interval of a draw holds the mean over its reviews, beside a simple random
sample of the same size, with the intervals' mean half width.
"""

from __future__ import annotations

import argparse

import numpy as np

from agents.fairness.balanced import balance_columns, balanced_sample, design_margin
from agents.fairness.sampling import random_sample
from tests.benchmarks.bench_independent_target import entity_pools
from tests.benchmarks.opinion_data import CORPORA, STARS

RATING = {value: stars for stars, value in STARS.items()}


def main() -> None:
    """Print one line an entity and the average."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", choices=tuple(CORPORA), default="lounges")
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--k", type=int, default=20)
    options = parser.parse_args()
    corpus = CORPORA[options.corpus]()
    total = []
    for entity in corpus.entities:
        pools, truth = entity_pools(corpus, entity)
        rows = pools[0].entity_documents()
        pool = pools[0].take(rows)
        stars = np.array([RATING[value] for value in truth[rows]])
        groups = {name: (codes, pool.group_shares[name]) for name, codes in pool.groups.items()}
        columns = balance_columns(pool.bins, [(c, s.size) for c, s in groups.values()])
        rng = np.random.default_rng(3)
        found = []
        for _ in range(options.draws):
            sample = balanced_sample(pool.bins, pool.population, groups, None, options.k, rng)
            i = sample.indices
            ours = design_margin(stars[i], sample.inclusion[i], columns[i])
            plain = random_sample(len(pool), options.k, rng)
            chance = design_margin(stars[plain.indices], plain.inclusion[plain.indices])
            found.append(
                [
                    ours.low <= stars.mean() <= ours.high,
                    (ours.high - ours.low) / 2,
                    chance.low <= stars.mean() <= chance.high,
                    (chance.high - chance.low) / 2,
                    (ours.estimate - stars.mean()) ** 2,
                    ours.standard_error**2,
                ]
            )
        mean = np.mean(found, axis=0)
        total.append(mean)
        print(
            f"{entity.name:12s} balanced covers {mean[0]:.3f} (+-{mean[1]:.2f}), random {mean[2]:.3f} "
            f"(+-{mean[3]:.2f}), "
            f"estimated / true variance {mean[5] / mean[4]:.2f}",
            flush=True,
        )
    mean = np.mean(total, axis=0)
    print(f"average      balanced {mean[0]:.3f} (+-{mean[1]:.2f}), random {mean[2]:.3f} (+-{mean[3]:.2f})")


if __name__ == "__main__":
    main()
